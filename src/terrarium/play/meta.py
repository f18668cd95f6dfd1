"""The games with their options, for building an interface."""

from __future__ import annotations

from typing import Any

import terrarium
from terrarium import games
from terrarium.engine import DEFAULT_LEVEL, LEVELS
from terrarium.play.clocks import LAG_QUOTA, MAX_LAG
from terrarium.play.people import MAX_NAME

__all__ = ["meta"]


def meta(max_body: int, claim_seconds: float) -> dict[str, Any]:
    """Games, options, editions, boards, levels and limits."""
    return {
        "games": {name: game.describe() for name, game in games.items()},
        "levels": [level.number for level in LEVELS],
        "default_level": DEFAULT_LEVEL,
        "limits": {
            "name": MAX_NAME,
            "body": max_body,
            "lag_ms": MAX_LAG,
            "lag_quota_ms": LAG_QUOTA,
            "claim_seconds": claim_seconds,
        },
        "version": terrarium.__version__,
    }
