"""Positions outside of any game."""

from __future__ import annotations

from typing import Any

from litestar import post
from litestar.params import JSONBody

from terrarium.play.positions import TriedPosition, TryPosition, start_position, tried
from terrarium.server.api.common import ERRORS, CallerArg, ServicesArg

__all__ = ["HANDLERS"]


@post("/api/positions/try", status_code=200, responses=ERRORS, summary="Play from any position")
async def try_position(
    data: JSONBody[TryPosition], services: ServicesArg, caller: CallerArg
) -> TriedPosition:
    """Play actions from any position, over as many turns as wanted; nothing is stored."""
    services.limits.take("tool", caller.key, caller.address)
    start = start_position(data.start)
    if len(data.actions) <= 40:
        return tried(start, data.actions)
    answer: TriedPosition = await services.work(lambda: tried(start, data.actions))
    return answer


HANDLERS: list[Any] = [try_position]
