"""A second, slow implementation of Terra Turrium: the rules TT-1 to TT-19 with sets and dictionaries.

Used only to check the kernel. Nothing here is shared with it: cells are their names, actions are
their notation, and every function transcribes the rule it cites.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

COLUMNS = "abcdefghij"
SEATS = ("SW", "NW", "NE", "SE")  # clockwise from the bottom left (TT-2)
VACANT = -1
FLAGS = 6
POINTS = 5
WINNING = [1, 2, 3, 4, 5, 6]  # TT-14
UNLOCKING = [1, 2, 3, 4, 4, 5]  # TT-17


@dataclass(frozen=True)
class Options:
    """The options of a game, with the names and defaults the books' rulings give them."""

    players: int = 2
    variant: str = "standard"
    enemy_takes: str = "total"
    two_player_sides: str = "adjacent"
    line: str = "orthogonal"
    two_player_area: int = 6
    vacant_attack: bool = True
    max_rounds: int = 100


def name(column: int, row: int) -> str:
    """The name of a cell, `a1` bottom left (TT-1)."""
    return f"{COLUMNS[column]}{row + 1}"


def place(cell: str) -> tuple[int, int]:
    """Column and row of a named cell."""
    return COLUMNS.index(cell[0]), int(cell[1:]) - 1


def margin(options: Options) -> int:
    """How many rings of the 10x10 cells are left unused (TT-1)."""
    if options.players == 2:
        return (10 - options.two_player_area) // 2
    return 1 if options.players == 3 else 0


@cache
def area(options: Options) -> frozenset[str]:
    """The cells in use (TT-1)."""
    used = range(margin(options), 10 - margin(options))
    return frozenset(name(column, row) for column in used for row in used)


def initial_heights(options: Options) -> dict[str, int]:
    """One cube everywhere, a second on the central 4x4 with three or four players (TT-1)."""
    heights = dict.fromkeys(area(options), 1)
    if options.players > 2:
        for column in range(3, 7):
            for row in range(3, 7):
                heights[name(column, row)] += 1
    return heights


@cache
def quarter(cell: str) -> str:
    """The territory a cell lies in (TT-2)."""
    column, row = place(cell)
    return ("S" if row < 5 else "N") + ("W" if column < 5 else "E")


@cache
def owner(cell: str, options: Options) -> int:
    """The seat whose territory a cell lies in, or VACANT (TT-2)."""
    if options.players == 2:
        adjacent = {"SW": 0, "SE": 0, "NW": 1, "NE": 1}
        opposite = {"SW": 0, "NE": 0, "NW": 1, "SE": 1}
        return (adjacent if options.two_player_sides == "adjacent" else opposite)[quarter(cell)]
    seat = SEATS.index(quarter(cell))
    return seat if seat < options.players else VACANT


@cache
def step(cell: str, direction: tuple[int, int], used: frozenset[str]) -> str | None:
    """The next cell that way, or None beyond the edge of the used area."""
    column, row = place(cell)
    column, row = column + direction[0], row + direction[1]
    if not (0 <= column < 10 and 0 <= row < 10):
        return None
    return name(column, row) if name(column, row) in used else None


DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1))


@cache
def neighbours(cell: str, used: frozenset[str]) -> tuple[str, ...]:
    """The cells orthogonally next to a cell (TT-10)."""
    return tuple(after for way in DIRECTIONS if (after := step(cell, way, used)) is not None)


@cache
def is_on_edge(cell: str, used: frozenset[str]) -> bool:
    """Whether the cell touches the edge of the used area (TT-7)."""
    return len(neighbours(cell, used)) < 4


def is_exterior(cell: str, heights: Mapping[str, int], options: Options) -> bool:
    """Whether the edge can be reached from a construction without crossing another (TT-7)."""
    used = area(options)
    if options.line == "orthogonal":
        return any(is_free_line(cell, way, heights, used) for way in DIRECTIONS)
    seen, open_cells = {cell}, [cell]
    while open_cells:
        here = open_cells.pop()
        if is_on_edge(here, used):
            return True
        for after in neighbours(here, used):
            if after not in seen and after not in heights:
                seen.add(after)
                open_cells.append(after)
    return False


def is_free_line(
    cell: str, way: tuple[int, int], heights: Mapping[str, int], used: frozenset[str]
) -> bool:
    """Whether no other construction stands between a cell and the edge that way (TT-7)."""
    after = step(cell, way, used)
    while after is not None:
        if after in heights:
            return False
        after = step(after, way, used)
    return True


@dataclass
class Position:
    """A position; `play` and `resign` return a new one."""

    options: Options
    heights: dict[str, int]  # only cells with cubes
    flags: dict[str, int]  # cell -> seat
    hand: list[int]  # flags off the board, per seat
    to_move: int = 0
    phase: str = "flags"  # then take, place, move; at last over
    cubes_in_hand: int = 0
    enemy_takes: list[str] = field(default_factory=list)  # territories, this turn
    points_left: int = POINTS
    attacks: list[int] = field(default_factory=list)
    has_attacked: bool = False
    captures: list[int] = field(default_factory=list)
    is_unlocked: bool = False
    rounds: int = 0
    winners: list[int] = field(default_factory=list)
    resigned: set[int] = field(default_factory=set)
    outcome: tuple[tuple[int, ...], str] | None = None

    def legal(self) -> set[str]:
        """The notations of all legal actions."""
        if self.outcome is not None:
            return set()
        if self.phase == "flags":
            return {f"@{cell}" for cell in self.free() if self.owns(cell)}  # TT-3
        if self.phase == "take":
            placements = self.placements() if self.cubes_in_hand else set()
            return self.takes() | placements
        if self.phase == "place":
            return self.placements()
        return self.moves() | {"end"}

    def owns(self, cell: str) -> bool:
        """Whether a cell is own territory of the seat to move (TT-2)."""
        return owner(cell, self.options) == self.to_move

    def free(self) -> set[str]:
        """The constructions without a flag."""
        return set(self.heights) - set(self.flags)

    def takes(self) -> set[str]:
        """The cubes that may be taken now (TT-5, TT-6, TT-7)."""
        if self.cubes_in_hand == 3:
            return set()
        return {f"-{cell}" for cell in self.free() if self.owns(cell) or self.is_enemy_take(cell)}

    def is_enemy_take(self, cell: str) -> bool:
        """Whether a free construction on enemy land can be taken from now (TT-5, TT-7)."""
        if self.options.enemy_takes == "total":
            is_within_limit = not self.enemy_takes
        else:
            is_within_limit = quarter(cell) not in self.enemy_takes
        return is_within_limit and is_exterior(cell, self.heights, self.options)

    def placements(self) -> set[str]:
        """Where a cube may be placed: anywhere in the used area but on a tower (TT-8)."""
        return {f"+{cell}" for cell in area(self.options) - set(self.flags)}

    def moves(self) -> set[str]:
        """Steps, captures and re-entries that the points left pay for (TT-9 to TT-13)."""
        used, moves = area(self.options), set()
        for cell in (cell for cell, seat in self.flags.items() if seat == self.to_move):
            for after in neighbours(cell, used):
                if after not in self.heights:
                    continue
                if abs(self.heights[after] - self.heights[cell]) > 1:
                    continue
                if after not in self.flags:
                    moves.add(f"{cell}-{after}")
                elif self.can_capture(after) and self.price(cell, after) <= self.points_left:
                    moves.add(f"{cell}x{after}")
        if self.hand[self.to_move]:
            moves |= {f"@{cell}" for cell in self.exterior() & self.free()}
        return moves if self.points_left else set()

    def price(self, cell: str, after: str) -> int:
        """What a capture costs: 1, and 0, 1 or 2 for a lower, equal or higher flag (TT-11)."""
        climb = self.heights[after] - self.heights[cell]
        return 1 + (0 if climb < 0 else 1 if climb == 0 else 2)

    def is_attack(self, cell: str) -> bool:
        """Whether a capture on this cell counts as an attack (TT-12)."""
        if owner(cell, self.options) == VACANT:
            return self.options.vacant_attack
        return not self.owns(cell)

    def can_capture(self, cell: str) -> bool:
        """Whether the flag on a cell may be captured, points apart (TT-11, TT-12, TT-17)."""
        if self.flags[cell] == self.to_move:
            return False
        if self.options.variant == "burgenland":
            return self.is_unlocked and self.captures[self.to_move] < 2
        return not self.is_attack(cell) or self.has_attacked or self.attacks[self.to_move] < 5

    def exterior(self) -> set[str]:
        """The constructions from which the edge can be reached (TT-7)."""
        return {cell for cell in self.heights if is_exterior(cell, self.heights, self.options)}

    def flag_heights(self, seat: int) -> list[int]:
        """The heights a seat's flags stand on, in ascending order."""
        return sorted(self.heights[cell] for cell, other in self.flags.items() if other == seat)

    def play(self, action: str) -> Position:
        """The position after a legal action."""
        assert action in self.legal(), action
        after = self.copy()
        if self.phase == "flags":
            after.set_flag(action[1:])
        elif action == "end":
            after.end_turn()
        elif self.phase == "move":
            after.move(action)
        elif action[0] == "-":
            after.take(action[1:])
        else:
            after.put(action[1:])
        after.skip_phases()
        return after

    def copy(self) -> Position:
        """The same position, to be changed without changing this one."""
        changing: dict[str, Any] = {
            key: value.copy()
            for key, value in vars(self).items()
            if isinstance(value, dict | list | set)
        }
        return replace(self, **changing)

    def skip_phases(self) -> None:
        """A phase with no possible action is skipped, and so is a whole turn (TT-4, TT-16)."""
        while self.outcome is None:
            if self.phase == "take" and not self.takes():
                self.phase = "place"
            elif self.phase == "place" and not self.cubes_in_hand:
                self.phase = "move"
            elif self.phase == "move" and not self.moves():
                self.end_turn()
            else:
                break
        if self.phase != "take":
            self.enemy_takes = []

    def set_flag(self, cell: str) -> None:
        """Set one of the six flags; then the next seat sets its own (TT-3)."""
        self.flags[cell] = self.to_move
        self.hand[self.to_move] -= 1
        if self.hand[self.to_move] == 0:
            self.next_to_set()

    def next_to_set(self) -> None:
        """The next seat sets its flags, or the first seat opens play (TT-3)."""
        for seat in range(self.to_move + 1, self.options.players):
            if seat not in self.resigned:
                self.to_move = seat
                return
        self.start_turn(min(self.playing()))

    def take(self, cell: str) -> None:
        """Take the top cube of a construction (TT-5, TT-6)."""
        self.heights[cell] -= 1
        if self.heights[cell] == 0:
            del self.heights[cell]
        self.cubes_in_hand += 1
        if not self.owns(cell):
            self.enemy_takes.append(quarter(cell))

    def put(self, cell: str) -> None:
        """Place a cube taken, which ends taking (TT-8)."""
        self.heights[cell] = self.heights.get(cell, 0) + 1
        self.cubes_in_hand -= 1
        self.phase = "place"

    def move(self, action: str) -> None:
        """A step, a capture or a re-entry (TT-10, TT-11, TT-13)."""
        if action[0] == "@":
            self.hand[self.to_move] -= 1
            self.flags[action[1:]] = self.to_move
            self.points_left -= 1
        elif "x" in action:
            self.capture(*action.split("x"))
        else:
            cell, after = action.split("-")
            self.flags[after] = self.flags.pop(cell)
            self.points_left -= 1
        self.unlock()

    def capture(self, cell: str, after: str) -> None:
        """The captured flag returns to its owner; a turn counts as at most one attack (TT-11, TT-12)."""
        self.points_left -= self.price(cell, after)
        self.hand[self.flags[after]] += 1
        self.flags[after] = self.flags.pop(cell)
        self.captures[self.to_move] += 1
        if self.is_attack(after) and not self.has_attacked:
            self.has_attacked = True
            self.attacks[self.to_move] += 1

    def unlock(self) -> None:
        """Captures begin in Burgenland once some flags stand on 5, 4, 4, 3, 2, 1 (TT-17)."""
        if self.options.variant == "burgenland":
            seats = range(self.options.players)
            self.is_unlocked |= any(self.flag_heights(seat) == UNLOCKING for seat in seats)

    def end_turn(self) -> None:
        """The seat to move wins if its flags stand on 1 to 6; the next seat plays (TT-14)."""
        if self.flag_heights(self.to_move) == WINNING:
            self.winners.append(self.to_move)
        self.next_turn()

    def next_turn(self) -> None:
        """Who plays next, unless the last round or the last of all rounds is over."""
        later = [seat for seat in self.playing() if seat > self.to_move]
        if later:
            self.start_turn(min(later))
            return
        self.rounds += 1
        if self.winners:  # everybody has had as many turns (TT-15)
            self.finish(self.winners, "towers")
        elif self.rounds >= self.options.max_rounds:  # TT-18
            self.finish([], "limit")
        else:
            self.start_turn(min(self.playing()))

    def start_turn(self, seat: int) -> None:
        """A seat begins to take; the counts of the last turn are reset (TT-4)."""
        self.to_move, self.phase = seat, "take"
        self.cubes_in_hand, self.enemy_takes = 0, []
        self.points_left, self.has_attacked = POINTS, False

    def finish(self, winners: Iterable[int], reason: str) -> None:
        """The game is over."""
        self.outcome = (tuple(sorted(winners)), reason)
        self.phase, self.cubes_in_hand = "over", 0

    def playing(self) -> set[int]:
        """The seats that have not resigned."""
        return set(range(self.options.players)) - self.resigned

    def resign(self, seat: int) -> Position:
        """The seat takes no more turns; the last seat left wins at once (TT-19).

        A win declared before stands (TT-15).
        """
        after = self.copy()
        after.resigned.add(seat)
        if len(after.playing()) == 1:
            after.finish(after.winners or after.playing(), "resigned")
        elif seat == after.to_move and after.phase == "flags":
            after.next_to_set()
        elif seat == after.to_move:
            after.next_turn()
        after.skip_phases()
        return after


def start(options: Options) -> Position:
    """The opening: all cubes on the board, all flags in hand (TT-1, TT-3)."""
    return Position(
        options,
        heights=initial_heights(options),
        flags={},
        hand=[FLAGS] * options.players,
        attacks=[0] * options.players,
        captures=[0] * options.players,
    )


def compose(
    options: Options,
    heights: Mapping[str, int],
    flags: Mapping[str, int],
    to_move: int = 0,
    attacks: Iterable[int] | None = None,
    captures: Iterable[int] | None = None,
    rounds: int = 0,
) -> Position:
    """The start of a turn; flags not on the board are in hand."""
    position = start(options)
    position.heights = {cell: height for cell, height in heights.items() if height}
    position.flags = dict(flags)
    position.hand = [FLAGS - list(flags.values()).count(seat) for seat in range(options.players)]
    position.attacks = list(attacks or position.attacks)
    position.captures = list(captures or position.captures)
    position.rounds = rounds
    position.unlock()
    position.start_turn(to_move)
    position.skip_phases()
    return position
