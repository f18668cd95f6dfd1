"""Terra Nova in the table of games: what code that serves every game needs to know about it."""

from __future__ import annotations

from typing import Any

from terrarium.core.game import Cell, Game, Look
from terrarium.nova.board import BOARDS
from terrarium.nova.notation import MARKS
from terrarium.nova.rules import COLOURS, EDITIONS

__all__ = ["GAME"]


class _Nova(Game):
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
        Look(60, 0.10, 1),
        Look(200, 0.06, 2),
        Look(500, 0.045, 3),
        Look(1_200, 0.03, 4),
        Look(2_500, 0.02, 5),
        Look(8_000, 0.005, 8),
        Look(25_000, 0.0, 10),
        Look(None, 0.0, 12),
    ),
    brain="terrarium.engine.nova",
    opening_actions=4,
    top_nodes=75_000,
    openspiel="terra_nova",
    drawing="terrarium.nova.draw",
    terminal="terrarium.nova.terminal",
    panel=("scores", "hand"),
    layout_kind="island",
)
