"""Terra Nova as a `Game`, for code that works with every game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from terrarium.core.event import Event
from terrarium.core.game import Advice, Cell, Game, Look
from terrarium.core.reason import Course, Reason
from terrarium.errors import InvalidPosition
from terrarium.nova.board import BOARDS
from terrarium.nova.notation import MARKS
from terrarium.nova.rules import COLOURS, EDITIONS

__all__ = ["GAME"]


class _Nova(Game):
    def imagine(self, position: Any, seat: int) -> Any:
        try:
            return type(position).from_facts(replace(position.facts(), seat=seat))
        except InvalidPosition:
            return None

    def previews(self, position: Any) -> dict[str, list[Event]]:
        """The territories that stones would close (TN-16 to TN-18), and whether that ends the game."""
        from terrarium.nova.events import GameEnded, TerritoryScored

        found: dict[str, list[Event]] = {}
        for action in position.legal_actions():
            if action.kind == "stone":
                events = position.events(action)
                shown: list[Event] = [
                    e for e in events if isinstance(e, (TerritoryScored, GameEnded))
                ]
                if shown:
                    found[str(action)] = shown
        return found

    def advice(self, position: Any) -> Advice | None:
        from terrarium.nova.advice import advice

        return advice(position)

    def reasons(self, better: Course, other: Course) -> list[Reason]:
        from terrarium.nova.reasons import reasons

        return reasons(better, other)

    def themes(self, line: Course, nothing: Course | None) -> tuple[str, ...]:
        from terrarium.nova.themes import themes

        return themes(line, nothing)

    def layout(self, position: Any) -> list[Cell]:
        board = position.board
        pioneers, stones, dead = position.pioneers, set(position.stones), set(position.dead)
        found = []
        for cell, (x, y), landscape in zip(
            board.cells, board.centres, board.landscape_of, strict=True
        ):
            text = board.letters[landscape]
            if cell in stones:
                text = "#"
            elif cell in dead:
                text = ""
            found.append(Cell(cell, round(x, 3), round(y, 3), text, pioneers.get(cell)))
        return found

    def new_board(self, seed: int, cells: int, landscapes: int) -> Any:
        from terrarium.nova.generate import generate

        return generate(seed, cells, landscapes)

    def fairness(self, board: Any) -> dict[str, Any]:
        from terrarium.nova.fairness import fairness

        found = fairness(board)
        return asdict(found) | {"unfairness": found.unfairness}

    def gain(self, before: Any, after: Any, seat: int) -> float:
        won = [now - then for now, then in zip(after.scores, before.scores, strict=True)]
        return float(won[seat] - max(won[:seat] + won[seat + 1 :]))

    def describe(self) -> dict[str, Any]:
        boards = [
            {
                "name": board.name,
                "note": board.note,
                "cells": len(board.cells),
                "landscapes": len(board.letters),
            }
            for board in self.boards.values()
        ]
        editions = {name: self.rules(edition=name).to_dict() for name in EDITIONS}
        return super().describe() | {"boards": boards, "editions": editions}

    def edition_of(self, rules: Any) -> str:
        return f"edition.{rules.edition}"

    def tally(
        self, position: Any, events: Sequence[Mapping[str, Any]]
    ) -> Mapping[str, Sequence[float]]:
        seats = range(position.players)
        awards = [event["awards"] for event in events if event["kind"] == "territory-scored"]
        won = [[award[seat] for award in awards if award[seat]] for seat in seats]
        return {
            "territories": [len(points) for points in won],
            "points": [sum(points) for points in won],
        }

    def actions_to_come(self, position: Any) -> int:
        return max(1, int(position.actions_left))

    def longest(self, rules: Any) -> int:
        if rules.stall_limit == 0:
            return super().longest(rules)
        return int(rules.players * rules.pioneers + 3 * rules.stall_limit * (rules.stones + 1))


GAME = _Nova(
    name="nova",
    title="Terra Nova",
    package="terrarium.nova",
    marks=MARKS,
    phases=("place", "play", "over"),
    seat_colours=COLOURS,
    boards=BOARDS,
    levels=(
        Look(60, 0.14, 1, attention=0.0),
        Look(60, 0.07, 1, attention=0.25),
        Look(350, 0.05, 2),
        Look(1_200, 0.03, 4),
        Look(2_500, 0.02, 5),
        Look(3_500, 0.005, 8, is_tuned=True),
        Look(18_000, 0.0, 10, is_tuned=True),
        Look(None, 0.0, 12, exact=40, is_tuned=True),
    ),
    brain="terrarium.engine.nova",
    novice="terrarium.nova.novice",
    opening_actions=4,
    early_turns=20,
    top_nodes=75_000,
    puzzle_nodes=300_000,
    least_gain=6,
    rates={"per_territory": ("points", "territories")},
    openspiel="terra_nova",
    drawing="terrarium.nova.draw",
    terminal="terrarium.nova.terminal",
    panel=("scores", "hand"),
    layout_kind="island",
)
