"""Boards of Terra Nova: cells, landscapes and lines of an island (TN-1).

A board is drawn as text. Every letter or digit is a cell and names its landscape; spaces and `.` are
sea. A row leaves one column between neighbours and every other row is shifted by one, so that the six
neighbours of the character at (row r, column x) are (r, x±2) and (r±1, x±1):

    . M M F          a3 a4 a5        number = (r + x) / 2, shifted so that the smallest is 1
     M M F F        b3 b4 b5 b6      same letter: east and west
    L L F .        c3 c4 c5          same number: north-east and south-west
                                     both together: north-west and south-east

A board has no rules; those are in the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt
from pathlib import Path
from types import MappingProxyType

from terrarium.errors import InvalidBoard, Problem
from terrarium.nova.boardcheck import (
    MAX_CELLS,
    MAX_LANDSCAPES,
    MAX_NUMBER,
    MAX_ROWS,
    MAX_TEXT,
    MIN_LANDSCAPES,
    check,
    check_labels,
    lines_of,
    place_in_file,
)

__all__ = [
    "BOARDS",
    "DIRECTIONS",
    "MAX_CELLS",
    "MAX_LANDSCAPES",
    "MAX_NUMBER",
    "MAX_ROWS",
    "MAX_TEXT",
    "MIN_LANDSCAPES",
    "Board",
    "Problem",
    "check",
    "check_file",
]

DIRECTIONS: tuple[tuple[int, int], ...] = ((0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0))
"""The six directions as steps of (letter, number), clockwise from the east.

0 and 3 run along a letter (number +1, -1), 2 and 5 along a number (letter +1, -1), 1 and 4 change both
together. Direction (d + 3) % 6 is the opposite of d, and neighbours d and d + 1 are neighbours of each other.
"""

_MAX_FILE = 1 << 17


@dataclass(frozen=True, repr=False)
class Board:
    """An island of hexes with landscapes, checked when it is created (TN-1).

    Boards are equal when map, name, landscape keys, author and note are equal. Only the map matters for play: positions
    compare only the map, and all boards with the same map share a kernel.

    >>> board = Board.parse("A A B\\n C D D")
    >>> board.cells
    ('a1', 'a2', 'a3', 'b2', 'b3', 'b4')
    >>> [board.cells[i] if i >= 0 else None for i in board.neighbours[board.index("a2")]]
    ['a3', 'b3', 'b2', 'a1', None, None]
    """

    map: str
    name: str = "mine"
    landscapes: Mapping[str, str] = field(default_factory=dict)
    """The key of each landscape letter: one word that the locale catalogues translate; by default the letter itself."""
    author: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        problems = check(self.map)
        problems += check_labels(self.map, self.name, self.landscapes, self.author, self.note)
        if problems:
            raise _invalid(problems)
        rows = _trimmed(lines_of(self.map))
        letters = sorted({letter for row in rows for letter in row if letter != " "})
        keys = {letter: self.landscapes.get(letter, letter) for letter in letters}
        object.__setattr__(self, "map", "\n".join(rows))
        object.__setattr__(self, "landscapes", MappingProxyType(keys))

    @classmethod
    def parse(
        cls,
        text_map: str,
        name: str = "mine",
        landscapes: Mapping[str, str] | None = None,
        author: str = "",
        note: str = "",
    ) -> Board:
        """The board drawn in `text_map`; raises `InvalidBoard` with every reason and place."""
        return cls(text_map, name, landscapes or {}, author, note)

    @classmethod
    def load(cls, path: str | Path) -> Board:
        """The board in a TOML file (`name`, `author`, `note`, `map`, `[landscapes]`)."""
        return cls.from_toml(_read(Path(path)))

    @classmethod
    def from_toml(cls, text: str) -> Board:
        """The board written as TOML, in the format of `to_toml`."""
        fields, problems = _toml_fields(text)
        if not problems:
            problems = _fields_problems(fields, text)
        if problems:
            raise _invalid(problems)
        return cls(**fields)  # type: ignore[arg-type]

    def to_text(self) -> str:
        """The map as text, without empty lines or columns around it; `parse` reads it back."""
        return self.map

    def to_toml(self) -> str:
        """The board as a TOML file that `load` reads back."""
        landscapes = "".join(
            f"{_quoted(letter) if not letter.isascii() else letter} = {_quoted(key)}\n"
            for letter, key in self.landscapes.items()
        )
        return (
            f"name = {_quoted(self.name)}\n"
            f"author = {_quoted(self.author)}\n"
            f"note = {_quoted(self.note)}\n"
            f"map = '''\n{self.map}\n'''\n\n"
            f"[landscapes]\n{landscapes}"
        )

    def __hash__(self) -> int:
        return hash((self.map, self.name))

    def __len__(self) -> int:
        """How many cells the board has."""
        return len(self.cells)

    def __repr__(self) -> str:
        return f"<Board {self.name!r}: {len(self)} cells, {len(self.letters)} landscapes>"

    def _repr_svg_(self) -> str:
        """The board as SVG, as notebooks show it."""
        from terrarium.nova.draw import draw_board

        return draw_board(self)

    def __reduce__(self) -> tuple[object, ...]:
        labels = (self.map, self.name, dict(self.landscapes), self.author, self.note)
        return (Board, labels)

    @cached_property
    def coordinates(self) -> tuple[tuple[int, int], ...]:
        """(row, column) of each cell in the map, both from 0, in reading order."""
        rows = self.map.split("\n")
        return tuple(
            (r, x) for r, row in enumerate(rows) for x, letter in enumerate(row) if letter != " "
        )

    @cached_property
    def axial(self) -> tuple[tuple[int, int], ...]:
        """(letter, number) of each cell, both counted from 0: the axes that `DIRECTIONS` steps along."""
        numbers = [(r + x) // 2 for r, x in self.coordinates]
        first = min(numbers)
        return tuple((r, n - first) for (r, _), n in zip(self.coordinates, numbers, strict=True))

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """The names of all cells in reading order; a cell's index is its index here."""
        return tuple(f"{chr(ord('a') + letter)}{number + 1}" for letter, number in self.axial)

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """The landscape letters in order; a landscape's number is its index here."""
        return tuple(self.landscapes)

    @cached_property
    def landscape_of(self) -> tuple[int, ...]:
        """The landscape number of each cell."""
        number = {letter: i for i, letter in enumerate(self.letters)}
        return tuple(number[letter] for letter in self.map if letter not in " \n")

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """The six neighbours of each cell in the order of `DIRECTIONS`: a cell index, or -1 for the sea."""
        at = {place: i for i, place in enumerate(self.axial)}
        return tuple(
            tuple(at.get((letter + dl, number + dn), -1) for dl, dn in DIRECTIONS)
            for letter, number in self.axial
        )

    @cached_property
    def rays(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """For each cell and each of the six directions, the cells in that direction, nearest first."""
        neighbours = self.neighbours

        def ray(cell: int, direction: int) -> Iterator[int]:
            while (cell := neighbours[cell][direction]) >= 0:
                yield cell

        return tuple(
            tuple(tuple(ray(cell, direction)) for direction in range(6))
            for cell in range(len(self.cells))
        )

    @cached_property
    def distances(self) -> tuple[tuple[int, ...], ...]:
        """How many cells lie in each of the six directions before the sea."""
        return tuple(tuple(len(ray) for ray in rays) for rays in self.rays)

    @cached_property
    def centres(self) -> tuple[tuple[float, float], ...]:
        """The centre of each cell, x to the right and y down, for hexes with sides of length 1."""
        return tuple((x * sqrt(3) / 2, r * 1.5) for r, x in self.coordinates)

    def index(self, cell: str) -> int:
        """The index of a named cell; raises `InvalidBoard` if the board has no such cell."""
        try:
            return self._index[cell]
        except (KeyError, TypeError):
            message = f"{cell!r}: the board {self.name!r} has no such cell; it has {_span(self)}"
            raise InvalidBoard("unknown-cell", message, rule="TN-1") from None

    @cached_property
    def _index(self) -> dict[str, int]:
        return {cell: i for i, cell in enumerate(self.cells)}

    @property
    def rows(self) -> int:
        """How many lettered rows the board has."""
        return self.map.count("\n") + 1

    @cached_property
    def numbers(self) -> int:
        """The highest number of a cell on the board; the lowest is 1."""
        return max(number for _, number in self.axial) + 1

    @cached_property
    def builtin_name(self) -> str | None:
        """The name of the built-in board with this map, even if this board has another name; None if there is none."""
        return next((name for name in BOARDS if BOARDS[name].map == self.map), None)

    @property
    def is_builtin(self) -> bool:
        """Whether it equals the built-in board of its name, so that the name is enough to identify it."""
        return self.name in BOARDS and BOARDS[self.name] == self


def check_file(path: str | Path) -> list[Problem]:
    """All problems of a board file, with line and column; a file that is not `.toml` contains only a map."""
    path = Path(path)
    try:
        text = _read(path)
    except InvalidBoard as error:
        return [Problem(error.code, error.message)]
    if path.suffix.lower() != ".toml":
        return check(text)
    fields, problems = _toml_fields(text)
    return problems or _fields_problems(fields, text)


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_FILE + 1)
    except OSError as error:
        message = f"{path}: the file can't be read: {error.strerror or error}"
        raise InvalidBoard("board-file", message) from None
    if len(data) > _MAX_FILE:
        message = f"{path}: longer than {_MAX_FILE:,} bytes; a board file is a few kilobytes"
        raise InvalidBoard("board-text-size", message)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{path}: byte {error.start} is not UTF-8 text; a board file is text"
        raise InvalidBoard("board-file", message) from None


def _toml_fields(text: str) -> tuple[dict[str, object], list[Problem]]:
    import tomllib

    if not isinstance(text, str) or len(text) > _MAX_FILE:
        return {}, [
            Problem("board-text-size", f"a board file is text of at most {_MAX_FILE:,} bytes")
        ]
    try:
        data = tomllib.loads(text)
    except (
        ValueError,
        RecursionError,
    ) as error:  # tomllib raises ValueError for numbers with thousands of digits
        return {}, [Problem("board-toml", f"not TOML: {error}")]
    problems = []
    known = {"name", "author", "note", "map", "landscapes"}
    for key in sorted(data.keys() - known):
        wanted = ", ".join(sorted(known))
        problems.append(Problem("board-field", f"{key!r}: a board file has only {wanted}"))
    problems += [
        Problem("board-field", f"{key!r} is missing; a board file must give it")
        for key in ("name", "map")
        if key not in data
    ]
    return {key: value for key, value in data.items() if key in known}, problems


def _fields_problems(fields: dict[str, object], text: str) -> list[Problem]:
    text_map = fields["map"]
    problems = [place_in_file(problem, text_map, text) for problem in check(text_map)]
    labels = (fields.get("landscapes", {}), fields.get("author", ""), fields.get("note", ""))
    return problems + check_labels(text_map, fields["name"], *labels)


def _invalid(problems: list[Problem]) -> InvalidBoard:
    first, more = problems[0], len(problems) - 1
    message = str(first) + (f" (and {more} more)" if more else "")
    # A problem with a place concerns the map and so TN-1; other problems concern the file.
    rule = "TN-1" if first.line is not None else None
    return InvalidBoard(first.code, message, rule, tuple(problems))


def _trimmed(lines: list[str]) -> list[str]:
    """The rows of the map without the sea around it, sea inside as spaces."""
    rows = [line.replace(".", " ").rstrip() for line in lines]
    while not rows[0]:
        del rows[0]
    while not rows[-1]:
        del rows[-1]
    margin = min(len(row) - len(row.lstrip()) for row in rows if row)
    return [row[margin:] for row in rows]


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _span(board: Board) -> str:
    rows = f"a to {chr(ord('a') + board.rows - 1)}" if board.rows > 1 else "a only"
    return f"letters {rows} and numbers 1 to {board.numbers}"


class _BuiltinBoards(Mapping[str, Board]):
    """The boards that come with the package, each read on first use."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._loaded: dict[str, Board] = {}

    @cached_property
    def _names(self) -> tuple[str, ...]:
        names = sorted(path.stem for path in self._folder.glob("*.toml"))
        return tuple(sorted(names, key=lambda name: name != "terra-nova"))

    def __getitem__(self, name: str) -> Board:
        if name not in self._loaded:
            if name not in self._names:
                raise KeyError(name)
            self._loaded[name] = Board.load(self._folder / f"{name}.toml")
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<built-in boards: {', '.join(self)}>"


BOARDS: Mapping[str, Board] = _BuiltinBoards(Path(__file__).parent / "boards")
"""The built-in boards by name, the default `terra-nova` first."""
