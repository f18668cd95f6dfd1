"""The answer to `GET /meta` in a browser. It is the same for everybody, so `terrarium site` writes it to a file."""

from __future__ import annotations

from typing import Any

import msgspec

from terrarium import games
from terrarium.play.meta import meta

__all__ = ["MAX_BODY", "meta_json", "tab_meta"]

MAX_BODY = 64 << 20
"""The most characters in a request; the longest requests import a file with all games of a browser."""


def tab_meta() -> dict[str, Any]:
    """Games, options, boards, levels and limits, without the games of other packages: those are not packed for browsers."""
    facts = meta(MAX_BODY, 0)
    ours = (name for name in facts["games"] if games[name].module.__name__.startswith("terrarium."))
    return facts | {"games": {name: facts["games"][name] for name in ours}}


def meta_json() -> bytes:
    """`tab_meta` as JSON."""
    return msgspec.json.encode(tab_meta())
