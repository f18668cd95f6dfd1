"""Statistics of a person's finished games."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import get
from litestar.params import QueryParameter

from terrarium.play.boards import game_named
from terrarium.play.insights import Insights, since
from terrarium.server.api.common import ERRORS, CallerArg, ServicesArg

__all__ = ["HANDLERS"]

GameName = Annotated[str | None, QueryParameter(name="game", max_length=64, required=False)]
Days = Annotated[int | None, QueryParameter(name="days", ge=1, le=36_500, required=False)]


@get("/api/me/insights", responses=ERRORS, summary="Statistics of my finished games")
async def my_insights(
    services: ServicesArg, caller: CallerArg, game: GameName = None, days: Days = None
) -> Insights:
    """Results by game, seats, edition, opponent and month, the games' own statistics, and faults from reviews."""
    services.limits.take("tool", caller.key, caller.address)
    caller.require("read")
    name = None if game is None else game_named(game).name
    return await services.finished.insights(caller.people, name, since(days, services.now()))


HANDLERS: list[Any] = [my_insights]
