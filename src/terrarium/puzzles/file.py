"""A growing file of puzzles, one line for each; a partly written line is discarded."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from terrarium.core.puzzle import Puzzle

__all__ = ["PuzzleFile", "id_of"]


def id_of(position: str) -> str:
    """The id of the puzzle with this position; it depends only on the position, so it never changes."""
    return sha256(position.encode()).hexdigest()[:8]


class PuzzleFile:
    """The puzzles of a file by id. An incomplete last line is ignored, and removed when the next puzzle is added."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._puzzles: dict[str, Puzzle] = {}
        self._cut = 0
        """The length of an incomplete last line in bytes."""
        self._separator = b""
        """The line break that is missing after the last line, if any."""
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        for line in lines:
            is_whole = line.endswith(b"\n")
            try:
                puzzle = Puzzle.from_dict(json.loads(line))
            except ValueError:
                if is_whole:
                    raise
                self._cut = len(line)
            else:
                self._puzzles[puzzle.id] = puzzle
                self._separator = b"" if is_whole else b"\n"

    def __len__(self) -> int:
        return len(self._puzzles)

    def __iter__(self) -> Iterator[Puzzle]:
        return iter(self._puzzles.values())

    def __contains__(self, id: object) -> bool:
        return id in self._puzzles

    def add(self, puzzle: Puzzle) -> None:
        """Append a puzzle; it is on disk when this returns."""
        with self.path.open("ab") as file:
            file.truncate(file.tell() - self._cut)
            file.write(self._separator + _line(puzzle))
            file.flush()
            os.fsync(file.fileno())
        self._puzzles[puzzle.id] = puzzle
        self._cut, self._separator = 0, b""

    def rewrite(self, puzzles: Iterable[Puzzle]) -> None:
        """Replace the whole file by these puzzles."""
        self._puzzles = {puzzle.id: puzzle for puzzle in puzzles}
        beside = self.path.with_name(f"{self.path.name}.new")
        beside.write_bytes(b"".join(map(_line, self)))
        beside.replace(self.path)
        self._cut, self._separator = 0, b""


def _line(puzzle: Puzzle) -> bytes:
    return (json.dumps(puzzle.to_dict(), ensure_ascii=False) + "\n").encode()
