"""The turns that were played in a position."""

from __future__ import annotations

from typing import Any

from litestar import post
from litestar.params import JSONBody

from terrarium.play.openings import AskOpenings, Explored, from_book
from terrarium.play.positions import start_position
from terrarium.server.api.common import ERRORS, CallerArg, ServicesArg

__all__ = ["HANDLERS"]


@post("/api/openings", status_code=200, responses=ERRORS, summary="The turns played in a position")
async def openings(
    data: JSONBody[AskOpenings], services: ServicesArg, caller: CallerArg
) -> Explored:
    """Turns with the numbers of games and of wins of each seat, from the book, public games, or your own."""
    services.limits.take("tool", caller.key, caller.address)
    position = await services.work(lambda: start_position(data.position))
    if data.source == "book":
        return await services.work(lambda: from_book(position))
    if data.source == "server":
        return await services.finished.openings(position, data.source, None)
    caller.require("read")
    return await services.finished.openings(position, data.source, caller.people)


HANDLERS: list[Any] = [openings]
