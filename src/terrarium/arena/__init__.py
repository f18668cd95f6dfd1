"""Matches between computer players, and what they prove."""

from terrarium.arena.match import Match, MatchResult, play_game
from terrarium.arena.players import Player, player

__all__ = ["Match", "MatchResult", "Player", "play_game", "player"]
