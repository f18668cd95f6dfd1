"""Finds puzzles in games of the engine against itself, checks them by deeper searches and keeps them in files."""

from terrarium.puzzles.check import check
from terrarium.puzzles.file import PuzzleFile, id_of
from terrarium.puzzles.judge import MARGIN, Verdict, judge
from terrarium.puzzles.mine import DEEPER, Miner, themes_of

__all__ = [
    "DEEPER",
    "MARGIN",
    "Miner",
    "PuzzleFile",
    "Verdict",
    "check",
    "id_of",
    "judge",
    "themes_of",
]
