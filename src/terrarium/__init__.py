"""Terrarium: Terra Nova and Terra Turrium, the rules exactly and fast.

>>> import terrarium
>>> sorted(terrarium.games)
['nova', 'turrium']
"""

from terrarium.core.action import Action
from terrarium.core.game import GAMES as games
from terrarium.core.game import Game
from terrarium.core.outcome import Outcome
from terrarium.errors import TerrariumError

__all__ = ["Action", "Game", "Outcome", "TerrariumError", "__version__", "games"]

__version__ = "0.1.0"
