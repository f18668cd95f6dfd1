"""Computer players and analysis for both games."""

from terrarium.core.reason import Reason
from terrarium.engine.asynchronous import AsyncEngine
from terrarium.engine.engine import Analysis, Choice, Engine, Line, expected_shares
from terrarium.engine.explain import explained
from terrarium.engine.levels import DEFAULT_LEVEL, LEVELS, Level, default_level
from terrarium.engine.limit import Limit
from terrarium.engine.protocol import Client
from terrarium.engine.review import LABELS, Verdict, review_turn

__all__ = [
    "DEFAULT_LEVEL",
    "LABELS",
    "LEVELS",
    "Analysis",
    "AsyncEngine",
    "Choice",
    "Client",
    "Engine",
    "Level",
    "Limit",
    "Line",
    "Reason",
    "Verdict",
    "default_level",
    "expected_shares",
    "explained",
    "review_turn",
]
