"""Terra Nova in a terminal: hexes as bricks, landscapes as background colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rich.text import Text

from terrarium.core.event import Event
from terrarium.core.terminal import PAINT, SHAPES, colours_of, seat_text
from terrarium.nova.palette import grounds, theme_of

__all__ = ["DETAILS", "REASONS", "details", "event_text", "picture", "status"]

DETAILS = ("regions", "the regions and what they would pay")
"""The name of the command that shows details, and a description of them."""

REASONS = {
    "divided": "all land is divided",
    "blocked": "at most one player can move",
    "depleted": "a player has no pioneers left",
    "stones": "no stones are left",
    "stalled": "no stone was set for too long",
}
"""The texts for the reasons of an end."""


def picture(position: Any, last: frozenset[str], *, names: bool, colour: bool) -> Text:
    """The island: a line of bricks for each row of hexes, with the names of the row's first and last cell."""
    board = position.board
    brick = _Bricks(position, last, names) if colour else _PlainBricks(position, last, names)
    rows: dict[int, list[int]] = {}
    for index, (row, _) in enumerate(board.coordinates):
        rows.setdefault(row, []).append(index)
    text = Text(no_wrap=True)
    for members in rows.values():
        place = board.coordinates[members[0]][1] * 2 + 5
        text.append(f"{board.cells[members[0]]:>{place - 1}} ", style="dim")
        for index in members:
            column = board.coordinates[index][1] * 2 + 5
            text.append(" " * (column - place))
            place = column + 4
            for words, style in brick.spans(index):
                text.append(words, style=style)
        text.append(f" {board.cells[members[-1]]}\n", style="dim")
    text.rstrip()
    return text


class _PlainBricks:
    """The four characters of a cell without colour: a landscape is its letter."""

    def __init__(self, position: Any, last: frozenset[str], names: bool) -> None:
        self.board = position.board
        self.last = last
        self.names = names
        self.pioneers = position.pioneers
        self.stones, self.dead = set(position.stones), set(position.dead)
        self.colours = colours_of(position)
        self.shown = _letters(self.board)

    def piece(self, seat: int) -> str:
        return f"{SHAPES[seat]}{self.colours[seat][0].upper()}"

    def spans(self, index: int) -> list[tuple[str, str]]:
        cell = self.board.cells[index]
        letter = self.shown[self.board.landscape_of[index]]
        mark = "›" if cell in self.last else " "
        if cell in self.stones:
            return [("›██‹" if cell in self.last else "▐██▌", "")]
        if cell in self.pioneers:
            return [
                (letter, ""),
                (self.piece(self.pioneers[cell]), "bold"),
                (mark.replace("›", "‹"), ""),
            ]
        if cell in self.dead:
            return [(" ·  ", "dim")]
        return [(f"{cell:^4}" if self.names else f"{mark}{letter}  ", "")]


class _Bricks(_PlainBricks):
    """The same in colour: a landscape is its background."""

    def __init__(self, position: Any, last: frozenset[str], names: bool) -> None:
        super().__init__(position, last, names)
        self.grounds, self.theme = grounds(self.board, "dark"), theme_of("dark")

    def spans(self, index: int) -> list[tuple[str, str]]:
        cell = self.board.cells[index]
        number = self.board.landscape_of[index]
        ground = self.grounds[number]
        mark = "›" if cell in self.last else " "
        if cell in self.stones:
            return [(f"{mark}⬢  ", f"{self.theme.stone_side} on {self.theme.stone_top}")]
        if cell in self.pioneers:
            seat = self.pioneers[cell]
            chip = f"bold #000000 on {PAINT[self.colours[seat]]}"
            return [
                (mark, f"bold #ffffff on {ground.fill}"),
                (self.piece(seat), chip),
                (" ", f"on {ground.fill}"),
            ]
        if cell in self.dead:
            return [(" ·· ", f"{self.theme.dead_ink} on {self.theme.dead}")]
        words = f"{cell:^4}" if self.names else f"{mark}{self.shown[number]}  "
        return [(words, f"{ground.shine} on {ground.fill}")]


def _letters(board: Any) -> list[str]:
    """The landscape letters, in lower case where that keeps them distinct."""
    return [
        letter if letter.lower() in board.letters else letter.lower() for letter in board.letters
    ]


def legend(board: Any, colour: bool) -> Text:
    """The landscapes with their letters and colours."""
    text = Text()
    shown = _letters(board)
    for letter, key, ground in zip(
        shown, board.landscapes.values(), grounds(board, "dark"), strict=True
    ):
        text.append(f" {letter} ", style=f"{ground.shine} on {ground.fill}" if colour else "bold")
        text.append(f" {key}  " if key.lower() != letter.lower() else "  ")
    return text


def status(position: Any, seats: Sequence[str]) -> list[Text]:
    """Points, pioneers, stones, and what the seat to move may do."""
    lines = []
    on_board = [0] * position.players
    for seat in position.pioneers.values():
        on_board[seat] += 1
    for seat in range(position.players):
        arrow = "→ " if position.to_move == seat else "  "
        line = Text(arrow) + seat_text(position, seat, seats)
        line.pad_right(max(0, 16 - len(line)))
        pieces = f"{on_board[seat]} pioneer{'s' * (on_board[seat] != 1)}"
        if position.hand[seat]:
            pieces += f" and {position.hand[seat]} to place"
        line.append(f"  {position.scores[seat]:>3} points   {pieces}")
        if seat in position.resigned:
            line.append("   resigned", style="dim")
        lines.append(line)
    if position.phase == "place":
        left = "place a pioneer on any empty cell"
    elif position.phase == "play":
        done = 3 - position.actions_left
        left = f"action {done + 1} of 3: " + (
            "move a pioneer" if done == 0 else "move, or set a stone next to a pioneer you moved"
        )
    else:
        left = "over"
    lines.append(Text.assemble((f"  {position.supply} stones left", "dim"), f"   {left}"))
    return lines


def details(position: Any, seats: Sequence[str]) -> list[Text]:
    """The regions: their size, landscapes, pioneers, and their value if they were closed now."""
    lines = [Text("Regions, and what they would pay if they were closed now:", style="bold")]
    for region in sorted(position.regions(), key=lambda region: -len(region.cells)):
        line = Text(f"  {len(region.cells):>4} cells, {len(region.landscapes)} landscapes")
        line.append(f" ({', '.join(region.landscapes)})", style="dim")
        for seat, count in enumerate(region.pioneers):
            if count:
                line.append(f"  {count} × ")
                line += seat_text(position, seat, seats)
        line.append(
            f"  {region.points} points" if region.points else "  no points yet", style="bold"
        )
        lines.append(line)
    return lines


def event_text(event: Event, who: Callable[[int], Text]) -> Text | None:
    """The events of this game as sentences."""
    facts = event.to_dict()
    if event.kind == "territory-scored":
        count, kinds = len(facts["cells"]), len(facts["landscapes"])
        text = Text(
            f"A territory of {count} cell{'s' * (count != 1)} in {kinds} landscape{'s' * (kinds != 1)}: "
        )
        winners = [seat for seat, award in enumerate(facts["awards"]) if award]
        if not winners:
            return text + Text("nobody is there, nobody scores")
        text.append(f"{facts['points']} points; ")
        for index, seat in enumerate(winners):
            text.append(", " if index else "")
            text += who(seat) + Text(f" +{facts['awards'][seat]}", style="bold")
        if facts["removed"]:
            count = len(facts["removed"])
            text.append(f"; {count} pioneer{'s leave' if count > 1 else ' leaves'} the game")
        return text
    if event.kind == "forfeited":
        count = facts["actions"]
        return who(facts["seat"]) + Text(
            f" can do no more: {count} action{'s' * (count != 1)} forfeited"
        )
    return None
