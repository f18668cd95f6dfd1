"""A second implementation of Terra Nova, with sets and dictionaries, transcribed from the rules TN-1 .. TN-28.

It is simple and slow, and imports nothing from the package: the kernel is checked
against it. Actions are the texts of the notation (`@e7`, `e7-e12`,
`+d8`), cells are their names, a position is a value whose `play` returns another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

DIRECTIONS = ((0, 2), (0, -2), (1, 1), (1, -1), (-1, 1), (-1, -1))
PIONEERS = {2: 13, 3: 10, 4: 8}  # TN-3
EDITIONS = {
    "fr": ("three_moves", False),
    "nl": ("three_moves", False),
    "sv": ("turn_end", False),
    "en": ("never", True),
}


@dataclass(frozen=True)
class Rules:
    """The options of one game; `edition_rules` gives those of a rule book."""

    players: int = 2
    returning: str = "three_moves"  # TN-12
    depletion: bool = False  # TN-24
    stall_rounds: int = 20  # TN-27
    pioneers: int = 13  # TN-3
    stones: int = 80  # TN-2


def edition_rules(edition: str = "fr", players: int = 2) -> Rules:
    """The options as an edition plays them (TN-3, TN-12, TN-24)."""
    returning, depletion = EDITIONS[edition]
    return Rules(players, returning, depletion, pioneers=PIONEERS[players])


@dataclass(frozen=True)
class Outcome:
    winners: tuple[int, ...]
    reason: str
    scores: tuple[int, ...]


@dataclass(frozen=True)
class Board:
    """Cells with their landscapes (TN-1), and from each cell six straight lines to the edge (TN-10)."""

    landscapes: dict[str, str]
    lines: dict[str, list[list[str]]]

    def neighbours(self, cell: str) -> set[str]:
        """The cells that touch a cell: the first of every line."""
        return {line[0] for line in self.lines[cell] if line}


def parse_board(text: str) -> Board:
    """The board drawn as a text map: a character is a cell, its neighbours (r, x±2), (r±1, x±1)."""
    rows = text.split("\n")
    while not rows[0].replace(".", " ").strip():
        rows = rows[1:]
    drawn = {
        (r, x): letter
        for r, row in enumerate(rows)
        for x, letter in enumerate(row)
        if letter not in " ."
    }
    smallest = min((r + x) // 2 for r, x in drawn)
    names = {
        (r, x): "abcdefghijklmnopqrstuvwxyz"[r] + str((r + x) // 2 - smallest + 1) for r, x in drawn
    }

    def line(r: int, x: int, down: int, right: int) -> Iterator[str]:
        while (r + down, x + right) in names:
            r, x = r + down, x + right
            yield names[r, x]

    return Board(
        landscapes={names[place]: letter for place, letter in drawn.items()},
        lines={name: [list(line(*place, *d)) for d in DIRECTIONS] for place, name in names.items()},
    )


def points(cells: int, landscapes: int) -> int:
    """Cells times 3 for one landscape, times 2 for two, times 1 for three (TN-17)."""
    return cells * {1: 3, 2: 2, 3: 1}[landscapes]


def shares(worth: int, inside: Counter[int]) -> dict[int, int]:
    """Most pioneers takes all; the tied divide, rounded down; nobody inside, nobody scores (TN-18)."""
    most = [seat for seat, count in inside.items() if count == max(inside.values())]
    return {seat: worth // len(most) for seat in most}


@dataclass
class Position:
    """One position; every method that changes it returns a new one."""

    rules: Rules
    board: Board
    pioneers: dict[str, int] = field(default_factory=dict)  # cell -> seat
    stones: set[str] = field(default_factory=set)
    dead: set[str] = field(default_factory=set)
    supply: int = 0
    scores: list[int] = field(default_factory=list)
    in_hand: list[int] = field(default_factory=list)  # pioneers still to be placed, per seat
    resigned: set[int] = field(default_factory=set)
    to_move: int = 0
    turn: list[str] = field(default_factory=list)  # actions of this turn so far
    origin: dict[str, str] = field(default_factory=dict)  # current cell -> cell at the turn's start
    turns_without_stone: int = 0
    outcome: Outcome | None = None
    territories: list[tuple[int, int]] = field(default_factory=list)  # (cells, landscapes) scored

    # What can be done.

    def legal(self) -> set[str]:
        """Every action the player to move may choose; none when the game is over."""
        if self.outcome:
            return set()
        if self.is_placing():
            return {f"@{cell}" for cell in self.empty()}  # TN-5
        actions = self.moves(self.to_move)
        if self.turn:  # TN-7: the first action is a move
            actions |= self.stone_placements()
        return {action for action in actions if self.may_return(action)}

    def is_placing(self) -> bool:
        """Whether pioneers are still being placed (TN-5)."""
        return any(self.in_hand[seat] for seat in self.seats())

    def empty(self) -> set[str]:
        """Cells in play without pioneer: cells under stones don't count (TN-14), nor do dead ones (TN-19)."""
        return self.in_play() - set(self.pioneers)

    def in_play(self) -> set[str]:
        """Cells neither covered nor dead."""
        return set(self.board.landscapes) - self.stones - self.dead

    def moves(self, seat: int) -> set[str]:
        """Own pioneers, straight, any distance, through and onto empty cells only (TN-10, TN-11)."""
        empty = self.empty()
        found = set()
        for cell in [cell for cell, owner in self.pioneers.items() if owner == seat]:
            for line in self.board.lines[cell]:
                for target in line:
                    if target not in empty:
                        break
                    found.add(f"{cell}-{target}")
        return found

    def stone_placements(self) -> set[str]:
        """Empty cells next to where a pioneer moved this turn now stands (TN-13), while stones last (TN-21)."""
        if not self.supply:
            return set()
        around = {near for cell in self.origin for near in self.board.neighbours(cell)}
        return {f"+{cell}" for cell in around & self.empty()}

    def may_return(self, action: str) -> bool:
        """Whether the return rule of this edition allows the action (TN-12)."""
        source, _, target = action.partition("-")
        returns = bool(target) and self.origin.get(source) == target
        is_third = len(self.turn) == 2
        match self.rules.returning:
            case "never":
                return not returns
            case "three_moves":
                # The same pioneer made all three: each move starts where the one before ended.
                chain = [*self.turn, action]
                same = all("-" in one for one in chain) and all(
                    one.split("-")[1] == other.split("-")[0] for one, other in pairwise(chain)
                )
                return not (is_third and same and returns)
            case "turn_end":
                if not is_third:
                    return True
                moved = self.acted(action).origin
                return all(cell != start for cell, start in moved.items())
        raise ValueError(self.rules.returning)

    # What happens.

    def play(self, action: str) -> Position:
        """The position after an action and its automatic consequences."""
        if action not in self.legal():
            raise ValueError(action)
        after = self.acted(action)
        if action.startswith("@"):
            after.next_placement()
        elif len(after.turn) == 3 or not after.legal():  # TN-6: the impossible is forfeited
            after.turn_ends()
        return after

    def acted(self, action: str) -> Position:
        """The position right after the action itself, without its consequences."""
        after = self.copy()
        if action.startswith("@"):
            after.pioneers[action[1:]] = self.to_move
            after.in_hand[self.to_move] -= 1
            return after
        if action.startswith("+"):
            after.stones.add(action[1:])
            after.supply -= 1
            after.score_around(action[1:])
        else:
            source, target = action.split("-")
            after.pioneers[target] = after.pioneers.pop(source)
            after.origin[target] = after.origin.pop(source, source)
        after.turn.append(action)
        return after

    def region(self, cell: str) -> set[str]:
        """The cells in play connected with a cell; pioneers are not walls (TN-15)."""
        in_play, found, border = self.in_play(), {cell}, [cell]
        while border:
            for near in self.board.neighbours(border.pop()) & in_play - found:
                found.add(near)
                border.append(near)
        return found

    def score_around(self, stone: str) -> None:
        """Every region next to the new stone that holds at most 3 landscapes scores (TN-16, TN-20)."""
        beside = self.board.neighbours(stone) & self.in_play()
        while beside:
            region = self.region(min(beside))
            beside -= region
            landscapes = {self.board.landscapes[cell] for cell in region}
            if len(landscapes) <= 3:
                self.score(region, len(landscapes))

    def score(self, region: set[str], landscapes: int) -> None:
        """The majority scores the territory (TN-18), its pioneers leave the game, its cells are dead (TN-19)."""
        inside = Counter(self.pioneers[cell] for cell in region if cell in self.pioneers)
        for seat, share in shares(points(len(region), landscapes), inside).items():
            self.scores[seat] += share
        for cell in region:
            self.pioneers.pop(cell, None)
            self.origin.pop(cell, None)  # TN-12, TN-13: it is no longer on the board
        self.dead |= region
        self.territories.append((len(region), landscapes))

    def next_placement(self) -> None:
        """The next seat places; when all are placed the same starter opens play (TN-5)."""
        if self.is_placing():
            self.to_move = next(seat for seat in self.seats_after() if self.in_hand[seat])
        else:
            self.next_turn(first=0, is_opening=True)

    def turn_ends(self) -> None:
        """Counts the turn for TN-27 if it was played to its end, and goes to the next turn."""
        if any(action.startswith("+") for action in self.turn):
            self.turns_without_stone = 0
        elif self.to_move not in self.resigned:
            self.turns_without_stone += 1
        self.next_turn(first=(self.to_move + 1) % self.rules.players)

    def next_turn(self, first: int, is_opening: bool = False) -> None:
        """Ends the game, or gives the turn to the first seat that is able to move (TN-9)."""
        self.turn, self.origin = [], {}
        reason = self.end_reason()
        if is_opening and reason not in ("divided", "blocked"):
            reason = None  # only TN-23 is also checked before the first turn
        if reason:
            self.end(reason)
        else:
            self.to_move = (first - 1) % self.rules.players
            self.to_move = next(seat for seat in self.seats_after() if self.moves(seat))

    def end_reason(self) -> str | None:
        """Why the game is over between two turns; the first reason in the order of checks (TN-22 .. TN-27)."""
        limit = self.rules.stall_rounds * self.rules.players
        if not self.in_play():
            return "divided"  # TN-22
        if sum(1 for seat in self.seats() if self.moves(seat)) <= 1:
            return "blocked"  # TN-23
        if self.rules.depletion and any(
            seat not in self.pioneers.values() for seat in self.seats()
        ):
            return "depleted"  # TN-24
        if not self.supply:
            return "stones"  # TN-26
        if limit and self.turns_without_stone >= limit:
            return "stalled"  # TN-27
        return None

    def end(self, reason: str) -> None:
        """Most points among those who did not resign win, equal points share (TN-25, TN-28)."""
        best = max(self.scores[seat] for seat in self.seats())
        winners = tuple(seat for seat in self.seats() if self.scores[seat] == best)
        self.outcome = Outcome(winners, reason, tuple(self.scores))

    def resign(self, seat: int) -> Position:
        """The seat takes no more turns; when one is left, it has won (TN-28)."""
        if self.outcome or seat in self.resigned:
            raise ValueError(seat)
        after = self.copy()
        after.resigned.add(seat)
        if len(after.seats()) == 1:
            after.end("resigned")
        elif self.is_placing():
            if seat == self.to_move:
                after.next_placement()
        elif seat == self.to_move:
            after.turn_ends()
        return after

    def seats(self) -> list[int]:
        """Seats that did not resign, in order."""
        return [seat for seat in range(self.rules.players) if seat not in self.resigned]

    def seats_after(self) -> list[int]:
        """Seats that did not resign, in turn after the one to move, that one last."""
        players = self.rules.players
        order = [(self.to_move + step) % players for step in range(1, players + 1)]
        return [seat for seat in order if seat not in self.resigned]

    def copy(self) -> Position:
        return Position(
            self.rules,
            self.board,
            dict(self.pioneers),
            set(self.stones),
            set(self.dead),
            self.supply,
            list(self.scores),
            list(self.in_hand),
            set(self.resigned),
            self.to_move,
            list(self.turn),
            dict(self.origin),
            self.turns_without_stone,
            self.outcome,
            list(self.territories),
        )


def start(rules: Rules, board: Board) -> Position:
    """An empty board, everything in hand, the first seat to place (TN-3, TN-4, TN-5)."""
    return Position(
        rules,
        board,
        supply=rules.stones,
        scores=[0] * rules.players,
        in_hand=[rules.pioneers] * rules.players,
    )


def compose(
    rules: Rules,
    board: Board,
    pioneers: Mapping[str, int],
    stones: Iterable[str] = (),
    to_move: int = 0,
    scores: Iterable[int] | None = None,
    supply: int | None = None,
    dead: Iterable[str] = (),
) -> Position:
    """The start of a turn on a board with any set-up, with the automatic consequences as after any turn."""
    stones = set(stones)
    position = Position(
        rules,
        board,
        pioneers=dict(pioneers),
        stones=stones,
        dead=set(dead),
        supply=rules.stones - len(stones) if supply is None else supply,
        scores=[0] * rules.players if scores is None else list(scores),
        in_hand=[0] * rules.players,
    )
    position.next_turn(first=to_move)
    return position
