"""A file of puzzles that grows: one line for each, written whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from terrarium.core.puzzle import Puzzle

__all__ = ["PuzzleFile", "id_of"]


def id_of(position: str) -> str:
    """The id of the puzzle with this position: it depends on nothing else, so it never changes."""
    return sha256(position.encode()).hexdigest()[:8]


class PuzzleFile:
    """The puzzles of a file by id. A last line that an interruption cut off is dropped when the file is opened."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._puzzles: dict[str, Puzzle] = {}
        if not path.exists():
            return
        text = path.read_text("utf-8")
        whole, _, rest = text.rpartition("\n")
        for line in whole.splitlines():
            puzzle = Puzzle.from_dict(json.loads(line))
            self._puzzles[puzzle.id] = puzzle
        if rest:
            os.truncate(path, len(text.encode()) - len(rest.encode()))

    def __len__(self) -> int:
        return len(self._puzzles)

    def __iter__(self) -> Iterator[Puzzle]:
        return iter(self._puzzles.values())

    def __contains__(self, id: object) -> bool:
        return id in self._puzzles

    def add(self, puzzle: Puzzle) -> None:
        """Append a puzzle; it is on disk when this returns."""
        line = json.dumps(puzzle.to_dict(), ensure_ascii=False) + "\n"
        with self.path.open("ab") as file:
            file.write(line.encode())
            file.flush()
            os.fsync(file.fileno())
        self._puzzles[puzzle.id] = puzzle
