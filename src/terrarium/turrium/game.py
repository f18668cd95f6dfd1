"""Terra Turrium as a `Game`, for code that works with every game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from terrarium.core.event import Event
from terrarium.core.game import Advice, Cell, Game, Look, Way
from terrarium.core.reason import Course, Reason
from terrarium.errors import InvalidPosition
from terrarium.turrium.notation import MARKS, PHASES
from terrarium.turrium.palette import FLAGS

__all__ = ["GAME"]


class _Turrium(Game):
    def reach(self, position: Any) -> dict[str, list[Way]]:
        from terrarium.turrium.reach import reach

        return reach(position)

    def previews(self, position: Any) -> dict[str, list[Event]]:
        from terrarium.turrium.reach import previews

        return previews(position)

    def advice(self, position: Any) -> Advice | None:
        from terrarium.turrium.advice import advice

        return advice(position)

    def reasons(self, better: Course, other: Course) -> list[Reason]:
        from terrarium.turrium.reasons import reasons

        return reasons(better, other)

    def has_won(self, position: Any, seat: int) -> bool:
        """True once the win is declared; others can only share it in the last round (TT-15)."""
        return seat in position.declared or super().has_won(position, seat)

    def gain(self, before: Any, after: Any, seat: int) -> float:
        """How many flags of rivals the turn captured (TT-11)."""
        return float(_rival_flags(before, seat) - _rival_flags(after, seat))

    def themes(self, line: Course, nothing: Course | None) -> tuple[str, ...]:
        from terrarium.turrium.themes import themes

        return themes(line, nothing)

    def imagine(self, position: Any, seat: int) -> Any:
        try:
            return type(position).from_facts(replace(position.facts(), to_move=seat))
        except InvalidPosition:
            return None

    def layout(self, position: Any) -> list[Cell]:
        heights, flags = position.heights, position.flags
        return [
            Cell(
                cell,
                ord(cell[0]) - ord("a"),
                10 - int(cell[1:]),
                str(heights.get(cell, "")),
                flags.get(cell),
            )
            for cell in position.cells
        ]

    def describe(self) -> dict[str, Any]:
        variants = next(one.choices for one in self.module.Rules.options() if one.name == "variant")
        return super().describe() | {"variants": list(variants)}

    def edition_of(self, rules: Any) -> str:
        return f"variant.{rules.variant}"

    def tally(
        self, position: Any, events: Sequence[Mapping[str, Any]]
    ) -> Mapping[str, Sequence[float]]:
        return {
            "towers": [len(ladder.held) for ladder in position.ladders],
            "captures": list(position.captures),
        }

    def actions_to_come(self, position: Any) -> int:
        return {"flags": 1, "take": 8, "place": 6}.get(position.phase, 3)

    def longest(self, rules: Any) -> int:
        return int(6 * rules.players + 12 * rules.players * rules.max_rounds)


def _rival_flags(position: Any, seat: int) -> int:
    """How many flags of rivals stand on the board."""
    return sum(owner != seat for owner in position.flags.values())


GAME = _Turrium(
    name="turrium",
    title="Terra Turrium",
    package="terrarium.turrium",
    marks=MARKS,
    phases=PHASES,
    explored_singly=("flags",),
    seat_colours=tuple(FLAGS),
    # Levels 1 to 7 consider rivals for fewer rounds than level 8, so that their games are short.
    levels=(
        Look(60, 0.15, 1, attention=0.5, regard=0.0),
        Look(60, 0.10, 1, attention=0.7, regard=0.075),
        Look(60, 0.06, 1, attention=0.7, regard=0.1875),
        Look(60, 0.02, 1, regard=0.375),
        Look(500, 0.015, 2, regard=0.375),
        Look(1_100, 0.008, 3, regard=0.375),
        Look(5_000, 0.0, 6, regard=0.375),
        Look(None, 0.0, 12, is_tuned=True),
    ),
    brain="terrarium.engine.turrium",
    wins="terrarium.engine.towers",
    least_gain=2,
    novice="terrarium.turrium.novice",
    top_nodes=20_000,
    puzzle_nodes=100_000,
    openspiel="terra_turrium",
    drawing="terrarium.turrium.draw",
    views=("isometric", "above"),
    terminal="terrarium.turrium.terminal",
    panel=("hand", "attacks", "captures"),
    layout_kind="towers",
)
