"""Pebbles, a tiny game in plain Python that shows how to add a game: no other file names it.

Nine cells in a row. In turn, each player puts a pebble on an empty cell that has no pebble of another player beside
it. A player who can't is passed over. When nobody can, the most pebbles win. A player who resigned plays no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from terrarium.core.action import Action
from terrarium.core.game import Cell, Game
from terrarium.core.kernel import Rollouts
from terrarium.core.option import Option, check_names
from terrarium.core.outcome import Outcome
from terrarium.core.plain import PlainPosition
from terrarium.errors import IllegalAction, InvalidAction, InvalidPosition, InvalidRules

CELLS = tuple(f"{letter}1" for letter in "abcdefghi")
NUM_ACTIONS = len(CELLS)
RULES_VERSION = 1
OPTIONS = (Option("players", "choice", 2, "P-1", choices=(2, 3)),)


@dataclass(frozen=True)
class Rules:
    """How many players take part."""

    players: int = 2

    def __post_init__(self) -> None:
        OPTIONS[0].check(self.players)

    @staticmethod
    def options() -> tuple[Option, ...]:
        return OPTIONS

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, options: Mapping[str, Any]) -> Rules:
        check_names(OPTIONS, options)
        return cls(**options)


class Position(PlainPosition):
    """Who has a pebble on each cell, who played last, and who has resigned."""

    num_actions = NUM_ACTIONS

    def __init__(self, rules: Rules, pebbles: str, seat: int, resigned: tuple[int, ...]) -> None:
        self.rules, self.pebbles, self.resigned = rules, pebbles, resigned
        self.game = GAME
        seats = [s for s in range(rules.players) if s not in resigned]
        later = [s for s in seats if s >= seat] + [s for s in seats if s < seat]
        can = [s for s in later if self._free(s)]
        self.outcome = None
        if len(seats) == 1:
            self.outcome = Outcome((seats[0],), "resigned", self.scores)
        elif not can:
            most = max(self.scores[s] for s in seats)
            winners = tuple(s for s in seats if self.scores[s] == most)
            self.outcome = Outcome(winners, "full", self.scores)
        self.to_move = can[0] if self.outcome is None else None

    @property
    def scores(self) -> tuple[int, ...]:
        return tuple(self.pebbles.count(str(seat)) for seat in range(self.rules.players))

    def _free(self, seat: int) -> list[int]:
        row = f".{self.pebbles}."
        fine = {".", str(seat)}
        return [i for i in range(9) if row[i + 1] == "." and {row[i], row[i + 2]} <= fine]

    def action(self, id: int) -> Action:
        if type(id) is not int or not 0 <= id < 9:
            raise InvalidAction("no-such-action", f"{id!r:.40}: ids run from 0 to 8")
        return Action("put", None, CELLS[id], id, "@")

    def legal_ids(self) -> list[int]:
        return [] if self.to_move is None else self._free(self.to_move)

    def after(self, id: int) -> Self:
        assert self.to_move is not None
        pebbles = f"{self.pebbles[:id]}{self.to_move}{self.pebbles[id + 1 :]}"
        return type(self)(self.rules, pebbles, self.to_move + 1, self.resigned)

    def without(self, seat: int) -> Self:
        assert self.to_move is not None
        resigned = tuple(sorted({*self.resigned, seat}))
        return type(self)(self.rules, self.pebbles, self.to_move, resigned)

    def refusal(self, action: Action) -> IllegalAction:
        if self.outcome is not None:
            return super().refusal(action)
        taken = self.pebbles[action.id] != "."
        code, why = ("cell-taken", "has a pebble") if taken else ("too-near", "is beside a rival")
        return IllegalAction(code, f"{action}: {action.target} {why}", "P-2")

    def view(self) -> dict[str, Any]:
        return super().view() | {"scores": list(self.scores)}

    def to_text(self) -> str:
        seat = "-" if self.to_move is None else str(self.to_move)
        gone = "".join(map(str, self.resigned)) or "-"
        return f"pebbles {self.rules.players} {self.pebbles} {seat} {gone}"

    @classmethod
    def from_text(cls, text: str) -> Self:
        try:
            _, players, pebbles, seat, gone = text.strip().split(" ")
            rules = Rules(int(players))
            resigned = () if gone == "-" else tuple(map(int, gone))
            found = cls(rules, pebbles, 0 if seat == "-" else int(seat), resigned)
            is_right = len(pebbles) == 9 and found.to_text() == text.strip()
        except (ValueError, IndexError, AttributeError):
            is_right = False
        if not is_right:
            raise InvalidPosition("unreadable-position", f"{text!r:.60}: not a position of Pebbles")
        return found


def start(rules: Rules | None = None) -> Position:
    rules = Rules() if rules is None else rules
    if not isinstance(rules, Rules):
        raise InvalidRules("not-rules", f"{rules!r:.80}: rules must be pebbles.Rules")
    return Position(rules, "." * 9, 0, ())


def rollouts(position: Position, games: int = 1000, seed: int | None = None) -> Rollouts:
    return position.rollouts(games, seed)


class _Pebbles(Game):
    def layout(self, position: Position) -> list[Cell]:
        return [
            Cell(cell, x, 0, "", None if pebble == "." else int(pebble))
            for x, (cell, pebble) in enumerate(zip(CELLS, position.pebbles, strict=True))
        ]

    def longest(self, rules: Any) -> int:
        return 9


GAME = _Pebbles(
    name="pebbles",
    title="Pebbles",
    package="pebbles",
    max_players=3,
    marks={"put": "@"},
    opening_actions=1,
    panel=("scores",),
)
