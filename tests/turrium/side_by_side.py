"""Games played by the kernel and the reference side by side, compared at every position."""

from __future__ import annotations

import itertools
import pickle
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from terrarium import turrium
from tests.reference import turrium as reference
from tests.turrium.happenings import Watcher

CHOICES: dict[str, tuple[Any, ...]] = {
    "variant": ("standard", "burgenland"),
    "enemy_takes": ("total", "per_territory"),
    "line": ("orthogonal", "path"),
    "two_player_sides": ("adjacent", "opposite"),
    "two_player_area": (6, 8),
    "vacant_attack": (True, False),
}
COMMON = ("variant", "enemy_takes", "line")
CONCERNED = {
    2: (*COMMON, "two_player_sides", "two_player_area"),
    3: (*COMMON, "vacant_attack"),
    4: COMMON,
}


def all_options() -> Iterator[dict[str, Any]]:
    """Every combination of the options that concern each number of players: 32, 16 and 8."""
    for players, names in CONCERNED.items():
        for values in itertools.product(*(CHOICES[name] for name in names)):
            yield {"players": players, **dict(zip(names, values, strict=True))}


@dataclass
class Pair:
    """One position twice: the kernel's and the reference's."""

    kernel: turrium.Position
    reference: reference.Position

    @classmethod
    def compose(cls, options: dict[str, Any], composition: dict[str, Any]) -> Pair:
        return cls(
            turrium.compose(turrium.Rules(**options), **composition),
            reference.compose(reference.Options(**options), **composition),
        )

    def play(self, action: str) -> Pair:
        return Pair(self.kernel.play(action), self.reference.play(action))

    def resign(self, seat: int) -> Pair:
        return Pair(self.kernel.resign(seat), self.reference.resign(seat))

    def compare(self, rng: random.Random) -> None:
        """Check that everything a player can see is the same in both."""
        kernel, slow = self.kernel, self.reference
        legal = [str(action) for action in kernel.legal_actions()]
        assert len(set(legal)) == len(legal), "an action is listed twice"
        assert set(legal) == slow.legal()
        assert [int(action) for action in kernel.legal_actions()] == kernel.legal_ids()
        expected = facts(slow)
        assert {name: getattr(kernel, name) for name in expected} == expected
        assert set(kernel.exterior) == slow.exterior()
        if slow.phase == "move":
            assert kernel.points_left == slow.points_left
        outcome = kernel.outcome and (kernel.outcome.winners, kernel.outcome.reason)
        assert outcome == slow.outcome
        for id in rng.choices(range(turrium.NUM_ACTIONS), k=3):
            assert kernel.is_legal(id) == (id in kernel.legal_ids())


def facts(position: reference.Position) -> dict[str, Any]:
    """The facts of a reference position, in the kernel's names and types."""
    return {
        "to_move": None if position.outcome else position.to_move,
        "phase": position.phase,
        "heights": position.heights,
        "flags": position.flags,
        "hand": tuple(position.hand),
        "cubes_in_hand": position.cubes_in_hand,
        "attacks": tuple(position.attacks),
        "captures": tuple(position.captures),
        "rounds": position.rounds,
        "unlocked": position.is_unlocked,
        "declared": tuple(sorted(position.winners)),
        "resigned": tuple(sorted(position.resigned)),
    }


@dataclass
class Report:
    """Counts of what happened in a series of compared games."""

    games: int = 0
    positions: int = 0
    happened: Counter[str] = field(default_factory=Counter)
    disagreements: list[str] = field(default_factory=list)

    def __iadd__(self, other: Report) -> Report:
        self.games += other.games
        self.positions += other.positions
        self.happened += other.happened
        self.disagreements += other.disagreements
        return self


def compared_game(options: dict[str, Any], seed: int, *, is_long: bool = False) -> Report:
    """Play one complete game in both and compare; odd seeds start from a composed position."""
    rng = random.Random(f"{sorted(options.items())} {seed}")
    options = {**options, "max_rounds": 100 if is_long else rng.choice((1, 2, 3, 5, 8, 12))}
    watcher, report, actions = Watcher(), Report(games=1), []
    try:
        pair = Pair.compose(options, near_a_win(options, rng)) if seed % 2 else opening(options)
        resignations = rng.choice((0.0, 0.0, 0.0, 0.01, 0.1))
        while True:
            pair.compare(rng)
            report.positions += 1
            if pair.reference.outcome:
                break
            before = pair.reference
            if rng.random() < resignations:
                seat = rng.choice(sorted(before.playing()))
                actions.append(f"resign {seat}")
                pair = pair.resign(seat)
                watcher.resigned(before, seat, pair.reference)
            else:
                actions.append(choose(before, rng))
                pair = pair.play(actions[-1])
                watcher.played(before, actions[-1], pair.reference)
            pair.kernel = copied(pair.kernel, rng)
    except Exception as error:
        report.disagreements.append(
            f"options {options} seed {seed} after {' '.join(actions[-40:])}\n"
            f"{type(error).__name__}: {error}"
        )
    report.happened = watcher.happened
    return report


def copied(position: turrium.Position, rng: random.Random) -> turrium.Position:
    """Sometimes a position read back from text or pickle, to continue with: nothing may be lost."""
    toss = rng.random()
    if toss < 0.1:
        return turrium.Position.from_text(position.to_text())
    if toss < 0.15:
        again: turrium.Position = pickle.loads(pickle.dumps(position))
        return again
    return position


def opening(options: dict[str, Any]) -> Pair:
    """The first position in both."""
    return Pair(
        turrium.start(turrium.Rules(**options)),
        reference.start(reference.Options(**options)),
    )


def near_a_win(options: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The arguments of `compose` for a position in which several seats need few steps to win or unlock."""
    slow = reference.Options(**options)
    used = reference.area(slow)
    cells = sorted(used)
    rng.shuffle(cells)
    density = rng.choice((0.0, 0.15, 0.4, 0.7))
    heights = {cell: rng.choice((1, 1, 2, 3, 4, 5, 6)) for cell in cells if rng.random() < density}
    flags: dict[str, int] = {}
    goals = [reference.WINNING]
    if slow.variant == "burgenland":
        goals.append(reference.UNLOCKING)
    for seat in range(slow.players):
        for height in rng.choice(goals)[: rng.choice((6, 6, 6, 5, 4))]:
            cell = cells.pop()
            heights[cell], flags[cell] = height, seat
    if density:  # otherwise nothing is free: the rare positions in which seats can take nothing
        for seat in range(slow.players):
            displace(seat, heights, flags, used, rng)
    return {
        "heights": heights,
        "flags": flags,
        "to_move": rng.randrange(slow.players),
        "attacks": tuple(rng.choice((0, 3, 4, 5)) for _ in range(slow.players)),
        "rounds": rng.randrange(slow.max_rounds),
    }


def displace(
    seat: int,
    heights: dict[str, int],
    flags: dict[str, int],
    used: frozenset[str],
    rng: random.Random,
) -> None:
    """Move a flag of a seat one step off: one step back, or one capture, completes its towers."""
    own = [cell for cell, other in flags.items() if other == seat]
    rng.shuffle(own)
    for cell in own:
        for after in reference.neighbours(cell, used):
            if after not in flags:
                heights[after] = max(1, heights[cell] + rng.choice((-1, 1)))
                flags[after] = flags.pop(cell)
                enemy = 1 - seat if seat < 2 else 0
                if rng.random() < 0.4 and list(flags.values()).count(enemy) < reference.FLAGS:
                    flags[cell] = enemy
                return


def choose(position: reference.Position, rng: random.Random) -> str:
    """A random action: often one that leads to a win, often a capture or a re-entry, otherwise any."""
    legal = sorted(position.legal())
    toss = rng.random()
    if position.phase == "move":
        captures = [action for action in legal if "x" in action]
        entries = [action for action in legal if action[0] == "@"]
        if captures and toss < 0.35:
            return rng.choice(captures)
        if entries and toss < 0.5:
            return rng.choice(entries)
        if toss < 0.9:
            return max(legal, key=lambda action: (progress(position, action), rng.random()))
    elif position.phase != "flags":
        kinds = sorted({action[0] for action in legal})
        kind = rng.choice(kinds)
        legal = [action for action in legal if action[0] == kind]
    return rng.choice(legal)


def progress(position: reference.Position, action: str) -> int:
    """How many of the heights 1 to 6 have a flag of the seat to move after a move."""
    flags = {cell for cell, seat in position.flags.items() if seat == position.to_move}
    if action != "end":
        cell, after = action[1:], action[1:]
        if action[0] != "@":
            cell, after = action.replace("x", "-").split("-")
        flags = flags - {cell} | {after}
    return len({position.heights[cell] for cell in flags} & {1, 2, 3, 4, 5, 6})
