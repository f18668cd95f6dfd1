"""Tools without a game: boards, positions, records."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import Request, Response, get, post
from litestar.params import FromPath, JSONBody
from msgspec import Meta, Struct

from terrarium import games
from terrarium.core.position import Position
from terrarium.core.record import Record
from terrarium.errors import InvalidBoard
from terrarium.server.api.common import ERRORS, Asker, Here
from terrarium.server.api.downloads import SVG_HEADERS, Theme, Width, unless_left
from terrarium.server.commands import try_actions
from terrarium.server.errors import NotFound, Unprocessable
from terrarium.server.reach import Way, reach
from terrarium.server.seating import board_data
from terrarium.server.shapes import (
    ActionShape,
    AnyDict,
    BoardText,
    BoardView,
    CustomBoard,
    NewBoard,
)
from terrarium.server.table import board_from
from terrarium.server.views import board_view, legal_actions

__all__ = ["HANDLERS", "start_position"]

MAX_ACTIONS = 2_000
MAX_LINE = 4_000
"""Characters in a line of a board's file; its longest is a note."""


class BoardProblem(Struct):
    """One thing wrong with a board, and where."""

    code: str
    message: str
    line: int | None
    column: int | None


class CheckedBoard(Struct):
    """The board if it can be played on, and everything wrong with it if not."""

    board: BoardView | None
    problems: list[BoardProblem]


class FreshStart(Struct, forbid_unknown_fields=True):
    """The first position of a game."""

    game: str
    rules: AnyDict = msgspec.field(default_factory=dict)
    board: str | CustomBoard | None = None


class TryPosition(Struct, forbid_unknown_fields=True):
    """Actions to play from any position; they may span turns."""

    start: Annotated[str, Meta(max_length=20_000)] | FreshStart
    actions: Annotated[list[Annotated[str, Meta(max_length=16)]], Meta(max_length=MAX_ACTIONS)] = (
        msgspec.field(default_factory=list)
    )


class PlayedTurn(Struct):
    """A turn, or the beginning of one, with what it did and the position after it."""

    number: int
    seat: int
    actions: list[str]
    events: list[AnyDict]
    view: AnyDict
    position: str
    comment: str = ""
    clock_ms: int | None = None
    shares: list[float] | None = None


class TriedPosition(Struct):
    """Where the actions lead and what each does."""

    start: str
    game: str
    rules: AnyDict
    board: BoardView | None
    legal: list[ActionShape]
    effects: list[list[AnyDict]]
    turns: list[PlayedTurn]
    view: AnyDict
    position: str
    turn_complete: bool
    reach: dict[str, list[Way]] = msgspec.field(default_factory=dict)


class RecordText(Struct, forbid_unknown_fields=True):
    """A `.terra` text."""

    text: Annotated[str, Meta(max_length=250_000)]


class ReadRecord(Struct):
    """A record, turn by turn."""

    record: AnyDict
    game: str
    rules: AnyDict
    board: BoardView | None
    seats: list[str]
    start: str
    start_view: AnyDict
    turns: list[PlayedTurn]
    outcome: AnyDict | None


@get("/api/boards/{name:str}", responses=ERRORS, summary="A built-in board", sync_to_thread=False)
def board(name: FromPath[str]) -> BoardView:
    """A built-in board, to draw."""
    return board_view(_builtin(name))


@get(
    "/api/boards/{name:str}/picture.svg",
    media_type="image/svg+xml",
    responses=ERRORS,
    summary="A picture of a built-in board",
)
async def board_picture(
    name: FromPath[str], club: Here, caller: Asker, theme: Theme = "light"
) -> Response[bytes]:
    """A built-in board as SVG."""
    club.limits.take("picture", caller.key, caller.address)
    found = _builtin(name)
    text = await club.work(lambda: games["nova"].module.draw.draw_board(found, theme=theme))
    return Response(text.encode(), media_type="image/svg+xml", headers=SVG_HEADERS)


@post("/api/boards/check", status_code=200, responses=ERRORS, summary="Check a board")
async def check_board(data: JSONBody[BoardText], club: Here, caller: Asker) -> CheckedBoard:
    """A map or TOML file as a board, or everything that is wrong with it."""
    club.limits.take("tool", caller.key, caller.address)
    module = games["nova"].module
    for number, line in enumerate(data.text.splitlines(), 1):
        if len(line) > MAX_LINE:
            # One long dotted key costs a TOML reader its length squared.
            message = f"line {number} has {len(line):,} characters; at most {MAX_LINE:,} are read"
            return CheckedBoard(None, [BoardProblem("board-line", message, number, MAX_LINE + 1)])
    # A map has no equals sign: it is letters, digits, spaces and dots.
    read = module.Board.from_toml if "=" in data.text else module.Board.parse
    try:
        return CheckedBoard(board_view(await club.work(lambda: read(data.text))), [])
    except InvalidBoard as error:
        problems = [BoardProblem(p.code, p.message, p.line, p.column) for p in error.problems]
        problems = problems or [BoardProblem(error.code, error.message, None, None)]
        return CheckedBoard(None, problems[:100])


@post("/api/boards/new", status_code=200, responses=ERRORS, summary="A new board")
async def new_board(data: JSONBody[NewBoard], club: Here, caller: Asker) -> BoardView:
    """A fair island made from a number; the same number gives the same island."""
    club.limits.take("board", caller.key, caller.address)
    from terrarium.nova.generate import generate

    def made() -> Any:
        return generate(data.seed, data.cells, data.landscapes)

    return board_view(await club.work(made, is_slow=True))


@post("/api/positions/try", status_code=200, responses=ERRORS, summary="Play from any position")
async def try_position(data: JSONBody[TryPosition], club: Here, caller: Asker) -> TriedPosition:
    """Play actions from any position, over as many turns as wanted; nothing is stored."""
    club.limits.take("tool", caller.key, caller.address)
    start = start_position(data.start)
    if len(data.actions) <= 40:
        return _tried(start, data.actions)
    answer: TriedPosition = await club.work(lambda: _tried(start, data.actions))
    return answer


@post("/api/records/read", status_code=200, responses=ERRORS, summary="Read a record")
async def read_record(data: JSONBody[RecordText], club: Here, caller: Asker) -> ReadRecord:
    """A `.terra` text, turn by turn with the position after each."""
    club.limits.take("tool", caller.key, caller.address)
    answer: ReadRecord = await club.work(lambda: _read(data.text))
    return answer


@post(
    "/api/records/animation.gif",
    status_code=200,
    media_type="image/gif",
    responses=ERRORS,
    summary="A record as an animation",
)
async def record_gif(
    request: Request[Any, Any, Any],
    data: JSONBody[RecordText],
    club: Here,
    caller: Asker,
    theme: Theme = "light",
    width: Width = 640,
) -> Response[bytes]:
    """A `.terra` text as an animated GIF."""
    club.limits.take("picture", caller.key, caller.address)
    await club.work(lambda: Record.parse(data.text))  # refused here, in words, if it can't be read
    drawing = club.studio.record_animation(data.text, theme, min(width, 1024), caller.key)
    return Response(await unless_left(request, drawing), media_type="image/gif")


def start_position(start: str | FreshStart) -> Position:
    """A position from its text, or the first one of a game."""
    if isinstance(start, str):
        name = start.split(" ", 1)[0]
        if name not in games:
            message = f"{start[:40]!r}: a position begins with {' or '.join(games)}"
            raise Unprocessable("invalid-position", message)
        return games[name].position(start)
    if start.game not in games:
        message = f"game {start.game[:40]!r}: there are {', '.join(games)}"
        raise Unprocessable("no-such-game", message)
    found = board_data(start.game, start.board)
    game = games[start.game]
    rules = game.rules(**start.rules)
    if found is None:
        return game.module.start(rules)  # type: ignore[no-any-return]
    return game.module.start(rules, board_from(found))  # type: ignore[no-any-return]


def _game_name(position: Position) -> str:
    return position.to_text().split(" ", 1)[0]


def _tried(start: Position, actions: list[str]) -> TriedPosition:
    tried = try_actions(start, actions, one_turn=False)
    turns: list[PlayedTurn] = []
    position = start
    for text, events in zip(actions, tried.effects, strict=True):
        if not turns or position.at_turn_start:
            turns.append(PlayedTurn(len(turns) + 1, position.to_move or 0, [], [], {}, ""))
        turns[-1].actions.append(text)
        turns[-1].events += [event.to_dict() for event in events]
        position = position.play(text)
        if position.at_turn_start or position.outcome is not None:
            turns[-1].view, turns[-1].position = position.view(), position.to_text()
    if turns and not turns[-1].position:
        turns[-1].view, turns[-1].position = position.view(), position.to_text()
    board = getattr(start, "board", None)
    return TriedPosition(
        start.to_text(),
        _game_name(start),
        start.rules.to_dict(),
        None if board is None else board_view(board),
        legal_actions(tried.position),
        [[event.to_dict() for event in events] for events in tried.effects],
        turns,
        tried.position.view(),
        tried.position.to_text(),
        tried.is_complete,
        reach(tried.position),
    )


def _read(text: str) -> ReadRecord:
    record = Record.parse(text)
    turns = []
    for turn in record.turns():
        last = turn.steps[-1].entry
        comments = [step.entry.comment for step in turn.steps if step.entry.comment]
        shares = None if last.evaluation is None else list(last.evaluation.shares)
        turns.append(
            PlayedTurn(
                turn.number,
                turn.seat,
                [str(step.action) for step in turn.steps if step.action is not None],
                [event.to_dict() for step in turn.steps for event in step.events],
                turn.position.view(),
                turn.position.to_text(),
                " ".join(comments),
                last.clock,
                shares,
            )
        )
    return ReadRecord(
        record.to_dict(),
        record.game.name,
        record.rules.to_dict(),
        None if record.board is None else board_view(record.board),
        list(record.seats),
        record.start.to_text(),
        record.start.view(),
        turns,
        None if record.outcome is None else record.outcome.to_dict(),
    )


def _builtin(name: str) -> Any:
    boards = games["nova"].module.BOARDS
    if name not in boards:
        message = f"board {name[:40]!r}: the built-in ones are {', '.join(boards)}"
        raise NotFound("no-such-board", message)
    return boards[name]


HANDLERS = [
    board,
    board_picture,
    check_board,
    new_board,
    try_position,
    read_record,
    record_gif,
]
