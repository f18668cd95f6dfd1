"""Positions outside of games."""

from __future__ import annotations

from typing import Any

from litestar import post
from litestar.params import JSONBody

from terrarium.play.positions import (
    Advised,
    AskAdvice,
    TriedPosition,
    TryPosition,
    start_position,
    tried,
)
from terrarium.server.api.common import ERRORS, CallerArg, ServicesArg

__all__ = ["HANDLERS"]


@post("/api/positions/try", status_code=200, responses=ERRORS, summary="Play from any position")
async def try_position(
    data: JSONBody[TryPosition], services: ServicesArg, caller: CallerArg
) -> TriedPosition:
    """Play actions from any position, over any number of turns; nothing is stored."""
    services.limits.take("tool", caller.key, caller.address)
    return await services.work(lambda: tried(start_position(data.start), data.actions))


@post(
    "/api/positions/advice",
    status_code=200,
    responses=ERRORS,
    summary="Advice for beginners in a position",
)
async def advise(data: JSONBody[AskAdvice], services: ServicesArg, caller: CallerArg) -> Advised:
    """The purpose of the phase, and a good cell for a piece; the engine is not used."""
    services.limits.take("tool", caller.key, caller.address)

    def advice() -> Advised:
        position = start_position(data.position)
        return Advised(position.game.advice(position))

    return await services.work(advice)


HANDLERS: list[Any] = [try_position, advise]
