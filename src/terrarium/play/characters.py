"""Which character plays a computer's seat; kept with the seat, so that every client and record shows the same name."""

from __future__ import annotations

from typing import Any

from terrarium.core.characters import character_for
from terrarium.core.game import Game
from terrarium.play.table import Table

__all__ = ["computer_data", "with_characters"]


def with_characters(game: Game, seats: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The seats, each computer with a character of its own; a seat without a name gets the character's."""
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
    """What an event says about a computer that takes a seat over: its level and character, and what it is called
    where the seat has no name yet.
    """
    taken = {place.character for place in table.seats}
    character = character_for(table.start.game.characters, level, taken)
    if character is None:
        return {"level": level}
    return {"level": level, "character": character.key, "name": character.name}
