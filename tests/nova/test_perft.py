"""The number of action sequences of each length, compared with counts by the reference.

The tables are `*.perft` beside this file: a map, then positions with their counts for depth 1, 2, 3 …
`python -m tests.nova.test_perft` counts them again with the reference alone and rewrites the files.
A game that is over has no actions, so it adds nothing to greater depths.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from terrarium import nova
from tests.nova.drawn import COLOURS, drawn
from tests.reference import nova as reference

FOLDER = Path(__file__).parent


@dataclass
class Entry:
    """One position of a table: its setup as written, and the counts by depth."""

    table: str
    text_map: str
    setup: str
    counts: list[int] = field(default_factory=list)

    @property
    def options(self) -> dict[str, str]:
        return dict(word.split("=") for word in self.setup.split("|")[0].split())

    @property
    def pieces(self) -> str:
        return self.setup.split("|")[1]


def entries(path: Path) -> list[Entry]:
    """The positions of one table."""
    text_map, found = "", []
    for line in path.read_text().splitlines():
        if line.startswith(">"):
            text_map += line[1:] + "\n"
        elif line.startswith("position "):
            found.append(Entry(path.stem, text_map, line.removeprefix("position ")))
        elif line and not line.startswith("#"):
            found[-1].counts.append(int(line.split()[1]))
    return found


def all_counts() -> Iterator[ParameterSet]:
    for path in sorted(FOLDER.glob("*.perft")):
        for number, entry in enumerate(entries(path), 1):
            for depth, count in enumerate(entry.counts, 1):
                yield pytest.param(entry, depth, count, id=f"{entry.table}-{number}-depth-{depth}")


@pytest.mark.parametrize(("entry", "depth", "count"), list(all_counts()))
def test_the_kernel_counts_as_many_sequences_as_the_reference(
    entry: Entry, depth: int, count: int
) -> None:
    options = entry.options
    position = drawn(
        entry.text_map,
        entry.pieces,
        to_move=int(options["to_move"]),
        players=int(options["players"]),
        edition=options["edition"],
        supply=int(options["supply"]),
    )
    assert position.perft(depth) == count


def test_two_boards_are_counted_to_depth_three_or_more() -> None:
    deep = {
        path.stem
        for path in FOLDER.glob("*.perft")
        if all(len(e.counts) >= 3 for e in entries(path))
    }
    assert len(deep) >= 2


def test_counting_to_depth_0_finds_the_position_itself() -> None:
    assert nova.start().perft(0) == 1
    assert nova.start().perft(1) == 168
    assert nova.start().perft(2) == 168 * 167


def count_sequences(position: reference.Position, depth: int) -> int:
    """The number of action sequences of this length, counted by the reference."""
    actions = position.legal()
    if depth == 1:
        return len(actions)
    return sum(count_sequences(position.play(action), depth - 1) for action in actions)


def recount(path: Path) -> None:
    """Counts a table again with the reference and rewrites its numbers."""
    found = entries(path)
    lines = [line for line in path.read_text().splitlines() if not line[:1].isdigit()]
    for entry in found:
        options, pioneers, stones = entry.options, {}, []
        for piece in entry.pieces.split():
            if piece[0] == "s":
                stones.append(piece[1:])
            else:
                pioneers[piece[1:]] = COLOURS.index(piece[0])
        position = reference.compose(
            reference.edition_rules(options["edition"], int(options["players"])),
            reference.parse_board(entry.text_map),
            pioneers,
            stones,
            to_move=int(options["to_move"]),
            supply=int(options["supply"]),
        )
        at = lines.index(f"position {entry.setup}") + 1
        lines[at:at] = [
            f"{depth} {count_sequences(position, depth)}"
            for depth in range(1, int(options["depth"]) + 1)
        ]
        print(path.name, entry.setup, *lines[at : at + int(options["depth"])], sep="\n  ")
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    for name in sys.argv[1:] or [path.name for path in sorted(FOLDER.glob("*.perft"))]:
        recount(FOLDER / name)
