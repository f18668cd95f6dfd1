"""The first position of a game, and positions set up from constructions and flags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from terrarium.errors import InvalidPosition, InvalidRules
from terrarium.turrium.notation import CELLS, INDEX
from terrarium.turrium.position import Position
from terrarium.turrium.rules import Rules
from terrarium.turrium.text import MAX_CUBES, Facts

__all__ = ["compose", "start"]

_FLAGS = 6


def start(rules: Rules | None = None, **options: Any) -> Position:
    """All cubes on the board, all flags in hand, the first seat to set its own (TT-1, TT-3).

    `options` are those of `Rules` and can be given instead of `rules`.

    >>> sum(start(Rules(players=4)).heights.values())
    116
    >>> start(players=3).players
    3
    """
    if options:
        if rules is not None:
            raise TypeError("start() takes rules or options, not both")
        rules = Rules.from_dict(options)
    rules = _rules(rules)
    middle = range(3, 7) if rules.players > 2 else range(0)
    heights = {
        cell: 2 if INDEX[cell] // 10 in middle and INDEX[cell] % 10 in middle else 1
        for cell in _used(rules)
    }
    zeros = (0,) * rules.players
    return Position.from_facts(
        Facts(rules, heights, {}, to_move=0, phase="flags", attacks=zeros, captures=zeros, rounds=0)
    )


def compose(
    rules: Rules | None = None,
    heights: Mapping[str, int] | None = None,
    flags: Mapping[str, int] | None = None,
    to_move: int = 0,
    attacks: Sequence[int] | None = None,
    *,
    captures: Sequence[int] | None = None,
    rounds: int = 0,
    unlocked: bool = False,
    phase: str = "play",
) -> Position:
    """The position at the start of a turn with these constructions and flags; flags left out are in hand.

    With `phase="flags"` flags are still being set (TT-3).

    Cells left out, and heights of 0, are empty. Automatic consequences apply: a seat without a legal action passes
    (TT-16), and a Burgenland board that shows 5, 4, 4, 3, 2, 1 is unlocked (TT-17).

    >>> compose(Rules(players=4), heights={"c3": 2, "c4": 1}, flags={"c3": 0}).legal_actions()
    [Action(kind='take', source=None, target='c4')]
    """
    rules = _rules(rules)
    if phase not in ("flags", "play"):
        message = f"phase={phase!r:.40}: must be flags or play"
        raise InvalidPosition("invalid-phase", message, "TT-4")
    is_setting = phase == "flags"
    facts = Facts(
        rules=rules,
        heights=_heights(rules, {} if heights is None else heights),
        flags=_flags(rules, {} if flags is None else flags),
        to_move=_whole(to_move, "to_move", rules.players - 1, "TT-2"),
        phase="flags" if is_setting else "take",
        attacks=_counts(attacks, "attacks", rules.players, "TT-12"),
        captures=_counts(captures, "captures", rules.players, "TT-17"),
        rounds=_whole(rounds, "rounds", rules.max_rounds, "TT-18"),
        unlocked=bool(unlocked) and rules.variant == "burgenland",
    )
    _check_flags(facts)
    if not is_setting:
        return Position.composed(facts)
    _check_setting(facts)
    return Position.from_facts(facts)


# The kernel refuses these positions too. Here each reason has a separate code, for interfaces that let people set up a position.


def _check_flags(facts: Facts) -> None:
    for cell in facts.flags:
        if cell not in facts.heights:
            message = f"{cell}: a flag needs a construction of one cube or more"
            raise InvalidPosition(
                "flag-without-construction", message, "TT-10", facts={"cell": cell}
            )
    for seat in range(facts.rules.players):
        count = _set_by(facts, seat)
        if count > _FLAGS:
            raise InvalidPosition(
                "too-many-flags",
                f"seat {seat} has {count} flags; the maximum is six",
                "TT-3",
                facts={"seat": seat, "count": count},
            )


def _check_setting(facts: Facts) -> None:
    if facts.rounds or any(facts.attacks) or any(facts.captures):
        message = "rounds, attacks and captures must be 0 while flags are being set"
        raise InvalidPosition("flags-not-set", message, "TT-3")
    land, mover = start(facts.rules).territories, facts.to_move or 0
    for cell, seat in facts.flags.items():
        if land[cell] != seat:
            message = f"{cell}: seat {seat} has set a flag outside its own territory"
            raise InvalidPosition("flag-outside-land", message, "TT-3", facts={"seat": seat})
    for seat in range(facts.rules.players):
        count = _set_by(facts, seat)
        values = {"seat": seat, "count": count}
        if seat < mover and count < _FLAGS:
            message = f"seat {seat} has set {count} flags and must set six"
            raise InvalidPosition("flags-missing", message, "TT-3", facts=values)
        if seat == mover and count == _FLAGS:
            message = f"seat {seat} has set all its flags"
            raise InvalidPosition("flags-all-set", message, "TT-3", facts=values)
        if seat > mover and count:
            message = f"seat {seat} has set flags before its turn"
            raise InvalidPosition("flags-too-early", message, "TT-3", facts=values)
        if sum(land[cell] == seat for cell in facts.heights) < _FLAGS:
            message = f"seat {seat} needs six constructions on its own territory"
            raise InvalidPosition("too-few-constructions", message, "TT-3", facts=values)


def _set_by(facts: Facts, seat: int) -> int:
    return sum(owner == seat for owner in facts.flags.values())


def _rules(rules: Rules | None) -> Rules:
    if rules is None:
        return Rules()
    if not isinstance(rules, Rules):
        raise InvalidRules("not-rules", f"{rules!r:.80}: rules must be a turrium.Rules")
    return rules


def _used(rules: Rules) -> list[str]:
    margin = (10 - rules.side) // 2
    used = range(margin, 10 - margin)
    return [cell for i, cell in enumerate(CELLS) if i // 10 in used and i % 10 in used]


def _by_cell(rules: Rules, pieces: Mapping[str, int], name: str) -> Mapping[str, int]:
    if not isinstance(pieces, Mapping):
        raise InvalidPosition(
            f"invalid-{name}", f"{name}={pieces!r:.80}: must be a mapping from cells"
        )
    used = set(_used(rules))
    for cell in pieces:
        if cell not in INDEX:
            raise InvalidPosition("no-such-cell", f"{cell!r:.40}: cells run from a1 to j10", "TT-1")
        if cell not in used:
            raise InvalidPosition(
                "cell-unused",
                f"{cell}: not in use: this game uses only the central {rules.side}×{rules.side} cells",
                "TT-1",
            )
    return pieces


def _heights(rules: Rules, heights: Mapping[str, int]) -> dict[str, int]:
    found = {}
    for cell, height in _by_cell(rules, heights, "heights").items():
        if type(height) is not int or not 0 <= height <= MAX_CUBES:
            raise InvalidPosition(
                "invalid-height",
                f"{cell}: {height!r:.40} is not a height: it must be a number from 0 to {MAX_CUBES}",
                "TT-1",
            )
        if height:
            found[cell] = height
    if sum(found.values()) > MAX_CUBES:
        message = f"at most {MAX_CUBES} cubes are supported"
        raise InvalidPosition("uncountable-cubes", message, "TT-1")
    return found


def _flags(rules: Rules, flags: Mapping[str, int]) -> dict[str, int]:
    for cell, seat in _by_cell(rules, flags, "flags").items():
        if type(seat) is not int or not 0 <= seat < rules.players:
            raise InvalidPosition(
                "no-such-seat",
                f"{cell}: {seat!r:.40} is not a seat: seats here run from 0 to {rules.players - 1}",
                "TT-2",
            )
    return dict(flags)


def _whole(value: int, name: str, most: int, rule: str) -> int:
    if type(value) is not int or not 0 <= value <= most:
        code = "no-such-seat" if name == "to_move" else f"invalid-{name}"
        raise InvalidPosition(
            code, f"{name}={value!r:.40}: must be a number from 0 to {most}", rule
        )
    return value


def _counts(values: Sequence[int] | None, name: str, players: int, rule: str) -> tuple[int, ...]:
    if values is None:
        return (0,) * players
    is_right = (
        isinstance(values, Sequence)
        and len(values) == players
        and all(type(value) is int and 0 <= value <= 99_999 for value in values)
    )
    if not is_right:
        raise InvalidPosition(
            f"invalid-{name}",
            f"{name}={values!r:.80}: must be {players} numbers, one per seat",
            rule,
        )
    return tuple(values)
