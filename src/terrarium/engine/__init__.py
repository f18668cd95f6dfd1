"""Computer players and analysis for both games."""

from terrarium.engine.engine import Analysis, Choice, Engine, Line
from terrarium.engine.levels import DEFAULT_LEVEL, LEVELS, Level
from terrarium.engine.limit import Limit

__all__ = ["DEFAULT_LEVEL", "LEVELS", "Analysis", "Choice", "Engine", "Level", "Limit", "Line"]
