"""What there is: health, the games with their options and boards."""

from __future__ import annotations

from typing import Any

from litestar import get

import terrarium
from terrarium import games
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
        "games": {name: _described(name) for name in games},
        "levels": list(range(1, 9)),
        "limits": {
            "name": MAX_NAME,
            "body": services.settings.max_body,
            "lag_ms": MAX_LAG,
            "lag_quota_ms": LAG_QUOTA,
            "claim_seconds": services.settings.claim_seconds,
        },
        "version": terrarium.__version__,
    }


def _described(name: str) -> AnyDict:
    game = games[name]
    facts: dict[str, Any] = game.describe() | {"editions": {}, "variants": []}
    for option in facts["options"]:
        if option["name"] == "edition":
            for edition in option["choices"]:
                rules = [game.rules(players=n, edition=edition) for n in facts["players"]]
                facts["editions"][edition] = rules[0].to_dict()
                facts["colours"][edition] = list(game.colours(rules[-1]))
        elif option["name"] == "variant":
            facts["variants"] = list(option["choices"])
    facts["boards"] = [
        {
            "name": board.name,
            "note": board.note,
            "cells": len(board.cells),
            "landscapes": len(board.letters),
        }
        for board in game.boards.values()
    ]
    return facts


HANDLERS = [health, meta]
