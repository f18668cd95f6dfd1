"""Terra Turrium in a terminal: a grid of heights, flags as shapes, territories as background colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from shutil import get_terminal_size
from typing import Any

from rich.text import Text

from terrarium.core.event import Event
from terrarium.core.terminal import PAINT, SHAPES, colours_of, seat_text

__all__ = ["DETAILS", "REASONS", "details", "event_text", "picture", "status"]

DETAILS = ("ladders", "which heights flags stand on")
"""The name of the command that shows details, and a description of them."""

REASONS = {
    "towers": "towers of heights 1 to 6",
    "limit": "the last round allowed is over",
}
"""The texts for the reasons of an end."""

GROUND = {"yellow": (74, 66, 20), "red": (80, 30, 28), "blue": (24, 48, 84), "green": (22, 66, 38)}
VACANT = (58, 58, 60)


def _tint(base: tuple[int, int, int], height: int) -> str:
    lift = min(height, 8) * 9
    return "#" + "".join(f"{min(255, part + lift):02x}" for part in base)


def picture(position: Any, last: frozenset[str], *, names: bool, colour: bool) -> Text:
    """The used cells as a grid; a number is a construction's height, a shape the flag on it."""
    territories, heights, flags = position.territories, position.heights, position.flags
    colours = colours_of(position)
    columns = sorted({cell[0] for cell in position.cells})
    rows = sorted({int(cell[1:]) for cell in position.cells}, reverse=True)
    head = "     " + "".join(f"  {column}   " for column in columns)
    is_tall = names or get_terminal_size().lines >= 2 * len(rows) + 12
    text = Text(no_wrap=True).append(head + "\n", style="dim")
    for row in rows:
        lines = [Text("     "), Text().append(f" {row:>3} ", style="dim")]
        for column in columns:
            cell = f"{column}{row}"
            owner = territories[cell]
            height = heights.get(cell, 0)
            base = VACANT if owner is None else GROUND[colours[owner]]
            back = f" on {_tint(base, height)}" if colour else ""
            number = str(height) if height else "·"
            mark = "›" if cell in last else " "
            style = f"#f2f2f7{back}" if colour else ""
            if names and cell not in flags:
                lines[0].append(f" {cell:<5}", style=f"dim #f2f2f7{back}" if colour else "dim")
            else:
                lines[0].append("      ", style=style)
            lines[1].append(f"{mark}", style=style)
            if cell in flags:
                seat = flags[cell]
                chip = f"bold #000000 on {PAINT[colours[seat]]}" if colour else "bold"
                lines[1].append(f"{SHAPES[seat]}{colours[seat][0].upper()}", style=chip)
                lines[1].append(f"{number:>2} ", style=f"bold {style}")
            else:
                lines[1].append(f"  {number:>2} ", style=style if height else f"dim {style}")
        if is_tall:
            text.append_text(lines[0]).append("\n")
        text.append_text(lines[1]).append(f" {row}\n", style="dim")
    text.append(head, style="dim")
    return text


def status(position: Any, seats: Sequence[str]) -> list[Text]:
    """Each seat's ladder of heights, flags in hand and attacks, and what the seat to move may do."""
    lines = []
    for seat in range(position.players):
        arrow = "→ " if position.to_move == seat else "  "
        line = Text(arrow) + seat_text(position, seat, seats)
        line.pad_right(max(0, 16 - len(line)))
        ladder = position.ladders[seat]
        for height in range(1, 7):
            is_held = height in ladder.held
            line.append(f" {height}" if is_held else " ·", style="bold" if is_held else "dim")
        flags, attacks = position.hand[seat], position.attacks[seat]
        line.append(f"   {flags} flag{'s' * (flags != 1)} in hand")
        line.append(f"   {attacks} attack{'s' * (attacks != 1)}")
        if seat in position.declared:
            line.append("   has won", style="bold")
        if seat in position.resigned:
            line.append("   resigned", style="dim")
        lines.append(line)
    phases = {
        "flags": "set a flag on a construction of your territory",
        "take": "take a cube, or place one you hold" if position.cubes_in_hand else "take a cube",
        "place": "place a cube",
        "move": f"move: {position.points_left} points left, or end",
        "over": "over",
    }
    state = f"  round {position.rounds + 1}"
    if position.cubes_in_hand:
        count = position.cubes_in_hand
        state += f"   {count} cube{'s' * (count != 1)} in hand"
    if position.is_last_round:
        state += "   last round"
    lines.append(Text.assemble((state, "dim"), f"   {phases.get(position.phase, position.phase)}"))
    return lines


def details(position: Any, seats: Sequence[str]) -> list[Text]:
    """For each seat the heights of its flags, and the missing heights."""
    lines = [Text("Heights that flags stand on, and those still missing:", style="bold")]
    for seat, ladder in enumerate(position.ladders):
        line = Text("  ") + seat_text(position, seat, seats)
        line.append(f"  has {' '.join(map(str, ladder.held)) or 'none'}")
        line.append(f"   misses {' '.join(map(str, ladder.missing)) or 'none'}")
        lines.append(line)
    return lines


def event_text(event: Event, who: Callable[[int], Text]) -> Text | None:
    """The events of this game as sentences."""
    facts = event.to_dict()
    kind = event.kind
    if kind == "flag-captured":
        manner = "attacks and captures" if facts["is_attack"] else "captures"
        text = who(facts["seat"]) + Text(f" {manner} a flag of ")
        return text + who(facts["captured"]) + Text(f" on {facts['target']}")
    if kind == "flag-entered":
        return who(facts["seat"]) + Text(f" brings a flag back on {facts['cell']}")
    if kind == "phase-skipped":
        return who(facts["seat"]) + Text(f" can't {facts['phase']}: skipped")
    if kind == "unlocked":
        return who(facts["seat"]) + Text(" unlocks captures for everybody")
    if kind == "towers-completed":
        return who(facts["seat"]) + Text(" has towers of all six heights")
    if kind == "last-round":
        text = Text("The last turns: ")
        for index, seat in enumerate(facts["seats"]):
            text.append(", " if index else "")
            text += who(seat)
        return text
    return None
