"""Health, and the games with their options and boards."""

from __future__ import annotations

from litestar import get

import terrarium
from terrarium.play.meta import meta as play_meta
from terrarium.play.shapes import AnyDict
from terrarium.server.api.common import ERRORS, ServicesArg

__all__ = ["HANDLERS"]


@get("/api/health", responses=ERRORS, summary="Health check")
async def health(services: ServicesArg) -> AnyDict:
    """Returns ok if the database answers."""
    await services.store.check()
    return {"status": "ok", "version": terrarium.__version__}


@get("/api/meta", responses=ERRORS, summary="The games and their options", sync_to_thread=False)
def meta(services: ServicesArg) -> AnyDict:
    """Games, options, editions, boards, levels and limits, for building a page."""
    found = play_meta(services.settings.max_body, services.settings.claim_seconds)
    return found | {"sign_up": services.settings.sign_up}


HANDLERS = [health, meta]
