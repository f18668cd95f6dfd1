"""Tables of perft numbers: how many sequences of actions there are from a position.

The numbers are counted by the reference, never by the kernel they check. To count them again::

    python -m tests.turrium.perft            # every table
    python -m tests.turrium.perft midgame    # one of them
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.reference import turrium as reference
from tests.turrium.drawn import pieces

TABLES = Path(__file__).parent
HEADER = """\
# Terra Turrium: numbers of action sequences from a position, counted by tests/reference/turrium.py.
# An entry: options; then either nothing (the opening) or what stands where, the seat to move and
# its circumstances; then the actions played first; then depth and count.
"""


@dataclass
class Entry:
    """One position of a table with its numbers."""

    title: str
    options: dict[str, Any]
    drawing: str
    circumstances: dict[str, Any]
    actions: str
    counts: dict[int, int]

    @property
    def composition(self) -> dict[str, Any]:
        """The arguments of `compose` besides the rules."""
        heights, flags = pieces(self.drawing)
        return {"heights": heights, "flags": flags, **self.circumstances}

    def __str__(self) -> str:
        lines = [f"title: {self.title}", f"options: {written(self.options)}"]
        if self.drawing:
            lines += [f"board: {self.drawing}", f"turn: {written(self.circumstances)}"]
        if self.actions:
            lines.append(f"actions: {self.actions}")
        return "\n".join([*lines, *(f"depth {d}: {n}" for d, n in self.counts.items())])


def written(values: dict[str, Any]) -> str:
    """Names and values on one line; tuples as `1/0/2`."""
    plain = {k: "/".join(map(str, v)) if isinstance(v, tuple) else v for k, v in values.items()}
    return " ".join(f"{key}={value}" for key, value in plain.items())


def read_values(text: str) -> dict[str, Any]:
    """The values that `written` wrote."""
    return {key: value(word) for key, word in (item.split("=") for item in text.split())}


def value(word: str) -> Any:
    """A number, a truth value, several numbers or a word."""
    if "/" in word:
        return tuple(map(int, word.split("/")))
    return {"True": True, "False": False}.get(word, int(word) if word.isdigit() else word)


def read(path: Path) -> Iterator[Entry]:
    """The entries of a table."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    for block in "\n".join(lines).strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines())
        yield Entry(
            title=fields["title"],
            options=read_values(fields["options"]),
            drawing=fields.get("board", ""),
            circumstances=read_values(fields.get("turn", "")),
            actions=fields.get("actions", ""),
            counts={int(k[6:]): int(v) for k, v in fields.items() if k.startswith("depth ")},
        )


def reference_position(entry: Entry) -> reference.Position:
    """The position of an entry in the reference."""
    options = reference.Options(**entry.options)
    position = reference.start(options)
    if entry.drawing:
        position = reference.compose(options, **entry.composition)
    for action in entry.actions.split():
        position = position.play(action)
    return position


def count(position: reference.Position, depth: int) -> int:
    """How many sequences of `depth` actions there are; shorter ones do not count."""
    legal = position.legal()
    if depth == 1:
        return len(legal)
    return sum(count(position.play(action), depth - 1) for action in legal)


def recount(path: Path) -> None:
    """Write a table again with the reference's numbers."""
    entries = list(read(path))
    for entry in entries:
        position = reference_position(entry)
        entry.counts = {depth: count(position, depth) for depth in entry.counts}
        print(entry.title, entry.counts, flush=True)
    path.write_text(HEADER + "\n" + "\n\n".join(map(str, entries)) + "\n")


if __name__ == "__main__":
    for table in sorted(TABLES.glob("*.perft")):
        if not sys.argv[1:] or table.stem in sys.argv[1:]:
            recount(table)
