"""Terrarium: a library for the board games Terra Nova and Terra Turrium.

>>> import terrarium
>>> sorted(terrarium.games)
['nova', 'turrium']
"""

from typing import TYPE_CHECKING, Any

from terrarium.core.action import Action
from terrarium.core.game import GAMES as games
from terrarium.core.game import Game
from terrarium.core.outcome import Outcome
from terrarium.errors import TerrariumError

if TYPE_CHECKING:
    from terrarium.core.record import Record, read_records

__all__ = [
    "Action",
    "Game",
    "Outcome",
    "Record",
    "TerrariumError",
    "__version__",
    "games",
    "read_records",
]

__version__ = "1.0.0rc1"


def __getattr__(name: str) -> Any:
    # Most programs need no records, so their code is imported on first use.
    if name in ("Record", "read_records"):
        import terrarium.core.record as record

        return getattr(record, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
