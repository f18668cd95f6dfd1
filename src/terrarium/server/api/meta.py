"""What there is: health, the games with their options and boards."""

from __future__ import annotations

from litestar import get

import terrarium
from terrarium import games
from terrarium.engine import LEVELS
from terrarium.play.clocks import LAG_QUOTA, MAX_LAG
from terrarium.play.people import MAX_NAME
from terrarium.play.shapes import AnyDict
from terrarium.server.api.common import ERRORS, ServicesArg

__all__ = ["HANDLERS"]


@get("/api/health", responses=ERRORS, summary="Is everything well?")
async def health(services: ServicesArg) -> AnyDict:
    """Answers ok when the database answers too."""
    await services.store.check()
    return {"status": "ok", "version": terrarium.__version__}


@get("/api/meta", responses=ERRORS, summary="The games and their options", sync_to_thread=False)
def meta(services: ServicesArg) -> AnyDict:
    """Games, options, editions, boards, levels and limits, for building a page."""
    return {
        "games": {name: game.describe() for name, game in games.items()},
        "levels": [level.number for level in LEVELS],
        "limits": {
            "name": MAX_NAME,
            "body": services.settings.max_body,
            "lag_ms": MAX_LAG,
            "lag_quota_ms": LAG_QUOTA,
            "claim_seconds": services.settings.claim_seconds,
        },
        "version": terrarium.__version__,
    }


HANDLERS = [health, meta]
