"""What there is to play in a browser; it is the same for everybody, so `terrarium site` writes it down."""

from __future__ import annotations

from typing import Any

import msgspec

from terrarium import games
from terrarium.play.meta import meta

__all__ = ["MAX_BODY", "meta_json", "tab_meta"]

MAX_BODY = 64 << 20
"""Characters of a request: a file with all games of a browser."""


def tab_meta() -> dict[str, Any]:
    """Games, options, boards, levels and limits; games of other packages are not packed for browsers."""
    facts = meta(MAX_BODY, 0)
    ours = (name for name in facts["games"] if games[name].module.__name__.startswith("terrarium."))
    return facts | {"games": {name: facts["games"][name] for name in ours}}


def meta_json() -> bytes:
    """The same as the page asks for it."""
    return msgspec.json.encode(tab_meta())
