"""Boards: built-in boards, checks of custom boards, generated boards."""

from __future__ import annotations

from typing import Any

from litestar import Response, get, post
from litestar.params import FromPath, JSONBody

from terrarium.play.boards import (
    CheckedBoard,
    board_view,
    builtin_board,
    checked_board,
    game_with_boards,
)
from terrarium.play.shapes import BoardText, BoardView, NewBoard
from terrarium.server.api.common import ERRORS, CallerArg, ServicesArg
from terrarium.server.api.downloads import SVG_HEADERS, Theme

__all__ = ["HANDLERS"]


@get("/api/boards/{name:str}", responses=ERRORS, summary="A built-in board", sync_to_thread=False)
def get_board(name: FromPath[str]) -> BoardView:
    """A built-in board, for drawing it."""
    return board_view(builtin_board(name))


@get(
    "/api/boards/{name:str}/picture.svg",
    media_type="image/svg+xml",
    responses=ERRORS,
    summary="A picture of a built-in board",
)
async def board_picture(
    name: FromPath[str], services: ServicesArg, caller: CallerArg, theme: Theme = "light"
) -> Response[bytes]:
    """A built-in board as SVG."""
    services.limits.take("picture", caller.key, caller.address)
    found = builtin_board(name)
    text = await services.work(lambda: game_with_boards().draw.draw_board(found, theme=theme))
    return Response(text.encode(), media_type="image/svg+xml", headers=SVG_HEADERS)


@post("/api/boards/check", status_code=200, responses=ERRORS, summary="Check a board")
async def check_board(
    data: JSONBody[BoardText], services: ServicesArg, caller: CallerArg
) -> CheckedBoard:
    """The board in a map or TOML file, or all its problems."""
    services.limits.take("tool", caller.key, caller.address)
    return await services.work(lambda: checked_board(data.text))


@post("/api/boards/new", status_code=200, responses=ERRORS, summary="A new board")
async def new_board(
    data: JSONBody[NewBoard], services: ServicesArg, caller: CallerArg
) -> BoardView:
    """A fair generated island; the same seed gives the same island."""
    services.limits.take("board", caller.key, caller.address)
    game = game_with_boards()

    def made() -> BoardView:
        return board_view(game.new_board(data.seed, data.cells, data.landscapes))

    return await services.work(made, is_slow=True)


HANDLERS: list[Any] = [get_board, board_picture, check_board, new_board]
