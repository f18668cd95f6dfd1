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
    game, module = games[name], games[name].module
    options = [option.to_dict() for option in module.Rules.options()]
    facts: dict[str, Any] = {
        "title": game.title,
        "players": list(range(game.min_players, game.max_players + 1)),
        "options": options,
        "rules_version": game.rules_version,
        "boards": [],
        "editions": {},
        "colours": {},
        "variants": [],
    }
    for option in options:
        if option["name"] == "edition":
            for edition in option["choices"]:
                rules = [game.rules(players=n, edition=edition) for n in facts["players"]]
                facts["editions"][edition] = rules[0].to_dict()
                facts["colours"][edition] = list(getattr(rules[-1], "colours", ()))
        elif option["name"] == "variant":
            facts["variants"] = list(option["choices"])
    if game.has_boards:
        facts["boards"] = [
            {
                "name": board.name,
                "note": board.note,
                "cells": len(board.cells),
                "landscapes": len(board.letters),
            }
            for board in module.BOARDS.values()
        ]
    return facts


HANDLERS = [health, meta]
