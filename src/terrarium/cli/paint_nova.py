"""Terra Nova in a terminal: hexes as bricks, landscapes as background colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rich.text import Text

from terrarium.cli.paint import PAINT, SHAPES, colours_of, seat_text
from terrarium.core.event import Event

__all__ = ["details", "picture", "status", "told"]

LANDSCAPES = {
    "meadow": "#6f9d46",
    "forest": "#2b5f34",
    "lake": "#3b78a8",
    "mountain": "#85807c",
    "desert": "#c9a25f",
    "field": "#b9a83a",
    "swamp": "#4f6b5a",
    "heath": "#8a5a86",
    "tundra": "#9fb0ae",
    "vineyard": "#7a3f4f",
    "beach": "#d8c79a",
    "glacier": "#c8dde6",
}
OTHERS = ("#7a6a8f", "#8f7a4a", "#4a8f86", "#a0665a", "#66708f", "#8f8f5a", "#5a8f66", "#8f5a78")
STONE = "#55555a"
DEAD = "#2c2c2e"


def ground(board: Any) -> list[str]:
    """The background colour of each landscape of a board, in the order of its letters."""
    spare = iter(OTHERS * 4)
    return [LANDSCAPES.get(key) or next(spare) for key in board.landscapes.values()]


def picture(position: Any, last: frozenset[str], *, names: bool, colour: bool) -> Text:
    """The island, a row of bricks for each row of hexes, between the names of the row's outermost cells."""
    board, colours = position.board, colours_of(position)
    pioneers, stones, dead = position.pioneers, set(position.stones), set(position.dead)
    grounds = ground(board)
    rows: dict[int, list[int]] = {}
    for index, (row, _) in enumerate(board.coordinates):
        rows.setdefault(row, []).append(index)
    text = Text(no_wrap=True)
    for members in rows.values():
        at = board.coordinates[members[0]][1] * 2 + 5
        text.append(f"{board.cells[members[0]]:>{at - 1}} ", style="dim")
        place = at
        for index in members:
            column = board.coordinates[index][1] * 2 + 5
            text.append(" " * (column - place))
            place = column + 4
            cell = board.cells[index]
            letter = board.letters[board.landscape_of[index]]
            back = grounds[board.landscape_of[index]] if colour else ""
            on = f" on {back}" if back else ""
            mark = "›" if cell in last else " "
            if cell in stones:
                text.append(
                    "▐██▌" if not colour else f"{mark}⬢  ",
                    style=f"#f2f2f7 on {STONE}" if colour else "",
                )
            elif cell in pioneers:
                seat = pioneers[cell]
                chip = f"bold #000000 on {PAINT[colours[seat]]}" if colour else "bold"
                text.append(
                    mark if colour else letter.lower(), style=f"bold #ffffff{on}" if colour else ""
                )
                text.append(f"{SHAPES[seat]}{colours[seat][0].upper()}", style=chip)
                text.append(" ", style=f"#ffffff{on}" if colour else "")
            elif cell in dead:
                text.append(
                    " ·· " if colour else " ·  ", style=f"#8e8e93 on {DEAD}" if colour else "dim"
                )
            elif names:
                text.append(f"{cell:^4}", style=f"#ffffff{on}" if colour else "")
            else:
                text.append(f"{mark}{letter.lower()}  ", style=f"#e8e8e8{on}" if colour else "")
        text.append(f" {board.cells[members[-1]]}\n", style="dim")
    text.rstrip()
    return text


def legend(board: Any, colour: bool) -> Text:
    """The landscapes with their letters and colours."""
    text = Text()
    for (letter, key), back in zip(board.landscapes.items(), ground(board), strict=True):
        text.append(f" {letter.lower()} ", style=f"#ffffff on {back}" if colour else "bold")
        text.append(f" {key}  " if key != letter else "  ")
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
        pieces = f"{on_board[seat]} pioneers"
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
    """The regions: their size, landscapes, pioneers, and what they would pay if they were closed now."""
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


def told(event: Event, who: Callable[[int], Text]) -> Text | None:
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
            text.append(f"; {len(facts['removed'])} pioneers leave the game")
        return text
    if event.kind == "forfeited":
        count = facts["actions"]
        return who(facts["seat"]) + Text(
            f" can do no more: {count} action{'s' * (count != 1)} forfeited"
        )
    return None
