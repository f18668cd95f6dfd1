"""Assigns characters to the seats of computers. They are stored with the seat, so that all clients and records show the same name."""

from __future__ import annotations

from typing import Any

from terrarium.core.characters import character_for
from terrarium.core.game import Game
from terrarium.play.table import Table

__all__ = ["computer_data", "with_characters"]


def with_characters(game: Game, seats: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The seats with a different character for each computer; a seat without a name gets the character's name."""
    taken = {seat.get("character") for seat in seats}
    for seat in seats:
        if seat["kind"] != "computer" or seat.get("character") is not None:
            continue
        character = character_for(game.characters, seat["level"], taken)
        if character is not None:
            seat.update(character=character.key, name=seat["name"] or character.name)
            taken.add(character.key)
    return seats


def computer_data(table: Table, level: int) -> dict[str, Any]:
    """The event data of a computer that takes over a seat: its level and character, and the name for a seat without one."""
    taken = {place.character for place in table.seats}
    character = character_for(table.start.game.characters, level, taken)
    if character is None:
        return {"level": level}
    return {"level": level, "character": character.key, "name": character.name}
