"""The small files of learnt weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["save"]


def save(path: Path, found: dict[str, Any], command: str) -> None:
    """Write learnt weights with the command that made them."""
    path.write_text(json.dumps({"command": command} | found, indent=1) + "\n")
