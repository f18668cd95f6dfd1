"""Matches between computer players, with statistics."""

from terrarium.arena.match import Match, play_game, play_games, run
from terrarium.arena.players import Player, player
from terrarium.arena.result import GameResult, MatchResult, record_of

__all__ = [
    "GameResult",
    "Match",
    "MatchResult",
    "Player",
    "play_game",
    "play_games",
    "player",
    "record_of",
    "run",
]
