"""Why an action is refused, and the rule that forbids it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from terrarium.core.action import Action
from terrarium.errors import IllegalAction, InvalidAction
from terrarium.turrium import notation

if TYPE_CHECKING:
    from terrarium.turrium.position import Position

__all__ = ["explain"]


def explain(position: Position, id: int) -> IllegalAction:
    """The error that says why the action with this id is illegal, with the rule that forbids it."""
    try:
        action = notation.make_action(id)
    except InvalidAction as error:
        return IllegalAction("off-board", error.message, "TT-10")
    if position.phase == "over":
        return IllegalAction("game-over", f"{action}: the game is over")
    for cell in (action.source, action.target):
        if cell is not None and cell not in position.territories:
            side = position.rules.side
            return IllegalAction(
                "cell-unused",
                f"{action}: {cell} is not in use: this game uses only the central {side}×{side} cells",
                "TT-1",
                facts={"cell": cell, "side": side},
            )
    code, reason, rule, *values = _REASONS[action.kind](position, action)
    return IllegalAction(code, f"{action}: {reason}", rule, facts=values[0] if values else None)


Reason = tuple[str, str, str] | tuple[str, str, str, dict[str, str | int]]
"""The code, the message, the rule and, if there are any, the values in the message."""


def _other_phase(position: Position, wanted: str) -> Reason:
    """Why an action of another phase is not possible now (TT-3, TT-4)."""
    if position.phase == "flags":
        return "wrong-phase", "flags are being set: set one of yours, like @c3", "TT-3"
    present = {
        "take": "take a cube first"
        if position.cubes_in_hand == 0
        else "place the cubes you have taken",
        "place": "place the cubes you have taken",
        "move": "cubes have been placed: move flags or finish with end",
    }[position.phase]
    return "wrong-phase", f"{wanted}; now {present}", "TT-4"


def _no_flag(position: Position, action: Action) -> Reason:
    seat, cell = position.to_move, action.target or ""
    at: dict[str, str | int] = {"cell": cell}
    is_setting = position.phase == "flags"
    rule = "TT-3" if is_setting else "TT-13"
    if not is_setting and seat is not None and position.hand[seat] == 0:
        if position.phase == "move":
            return "no-flag-in-hand", "all your flags are on the board", rule
        return "no-flag-in-hand", "all six of your flags are set", "TT-3"
    if position.phase in ("take", "place"):
        return _other_phase(position, "flags re-enter in the move phase")
    if cell not in position.heights:
        return "no-construction", f"{cell} is empty: a flag needs a construction", rule, at
    if is_setting and position.territories[cell] != seat:
        return "not-own-territory", f"{cell} is not your territory: set flags on your own", rule, at
    if cell in position.flags:
        if is_setting:
            wanted = "choose another construction of yours"
        else:
            wanted = "choose a free exterior construction"
        return "flag-in-the-way", f"a flag already stands on {cell}: {wanted}", rule, at
    return (
        "not-exterior",
        f"the construction on {cell} is not exterior: flags re-enter on exterior constructions",
        rule,
        _sides(position, cell),
    )


def _no_take(position: Position, action: Action) -> Reason:
    cell = action.target or ""
    at: dict[str, str | int] = {"cell": cell}
    if position.phase == "place" and position.cubes_in_hand == 3:
        return "hand-full", "three cubes have been taken: place them", "TT-5"
    if position.phase == "place":
        return "taking-over", "taking is over: place the cubes you have taken", "TT-4"
    is_skipped = position.phase == "move" and position.at_turn_start
    if position.phase != "take" and not is_skipped:
        return _other_phase(position, "cubes are taken before flags move")
    if cell not in position.heights:
        return "no-construction", f"{cell} is empty: there is no cube to take", "TT-6", at
    if cell in position.flags:
        return (
            "tower-not-takable",
            f"a flag stands on {cell}: cubes can't be taken from towers",
            "TT-6",
            at,
        )
    if cell in position.exterior:
        if position.rules.enemy_takes == "total":
            limit = "only one cube a turn may come from enemy land: take from your own"
        else:
            limit = "one cube was already taken from this territory: take from another or your own"
        return "too-many-enemy-takes", limit, "TT-5"
    if position.rules.line == "path":
        wanted = "no path over empty cells leads from it to the edge"
    else:
        wanted = "constructions stand between it and the edge on all four sides"
    return (
        "not-exterior",
        f"{cell} is on enemy land and not exterior: {wanted}",
        "TT-7",
        _sides(position, cell),
    )


def _sides(position: Position, cell: str) -> dict[str, str | int]:
    """The cell, if all four straight lines from it are blocked (TT-7, `orthogonal`)."""
    return {} if position.rules.line == "path" else {"cell": cell}


def _no_cube(position: Position, action: Action) -> Reason:
    if position.phase == "take" and position.cubes_in_hand == 0:
        return "no-cube-in-hand", "no cube has been taken yet: take one first", "TT-8"
    if position.phase not in ("take", "place"):
        return _other_phase(position, "cubes are placed right after taking")
    return (
        "tower-not-buildable",
        f"a flag stands on {action.target}: place cubes on empty cells or free constructions",
        "TT-8",
        {"cell": action.target or ""},
    )


def _no_step(position: Position, action: Action) -> Reason:
    source, target = action.source or "", action.target or ""
    at: dict[str, str | int] = {"cell": target}
    if position.phase != "move":
        return _other_phase(position, "flags move last")
    if position.flags.get(source) != position.to_move:
        return "no-own-flag", f"no flag of yours stands on {source}", "TT-10", {"cell": source}
    if target not in position.heights:
        return "no-construction", f"{target} is empty: flags step onto constructions", "TT-10", at
    if target not in position.flags:
        return _too_high(position, source, target)
    if position.flags[target] == position.to_move:
        return "flag-in-the-way", f"a flag stands on {target}: choose another cell", "TT-10", at
    if position.is_legal(f"{source}x{target}"):
        wanted = f"a capture is written {source}x{target}"
        return "flag-in-the-way", f"a flag stands on {target}: {wanted}", "TT-10", at
    return _no_capture(position, action)


def _too_high(position: Position, source: str, target: str) -> Reason:
    here, there = position.heights[source], position.heights[target]
    return (
        "step-too-high",
        f"from height {here} to {there}: a flag climbs or descends one cube at most",
        "TT-10",
        {"source": source, "target": target, "here": here, "there": there},
    )


def _no_capture(position: Position, action: Action) -> Reason:
    source, target = action.source or "", action.target or ""
    at: dict[str, str | int] = {"cell": target}
    seat = position.to_move
    if position.phase != "move" or position.flags.get(source) != seat:
        return _no_step(position, action)
    if target not in position.flags:
        wanted = f"a step is written {source}-{target}" if target in position.heights else ""
        return (
            "no-enemy-flag",
            f"no flag stands on {target}: {wanted or 'capture an enemy flag'}",
            "TT-11",
            at,
        )
    if position.flags[target] == seat:
        return (
            "no-enemy-flag",
            f"the flag on {target} is your own: capture an enemy flag",
            "TT-11",
            at,
        )
    if abs(position.heights[source] - position.heights[target]) > 1:
        return _too_high(position, source, target)
    if position.rules.variant == "burgenland" and seat is not None:
        if not position.unlocked:
            return (
                "captures-locked",
                "no captures until some player's flags stand on 5, 4, 4, 3, 2, 1",
                "TT-17",
            )
        if position.captures[seat] >= 2:
            return "captures-spent", "you have made your two captures of this game", "TT-17"
    elif (
        seat is not None
        and position.is_attack(target)
        and position.attacks[seat] >= 5
        and not position.is_attacking
    ):
        return (
            "attacks-exhausted",
            "you have attacked in five turns: capture on your own territory only",
            "TT-12",
        )
    cost = position.capture_cost(source, target)
    return (
        "not-enough-points",
        f"this capture costs {cost} points, you have {position.points_left}",
        "TT-11",
        {"cost": cost, "left": position.points_left},
    )


def _no_end(position: Position, action: Action) -> Reason:
    if position.phase == "flags":
        return _other_phase(position, "")
    if position.cubes_in_hand:
        return "cubes-in-hand", "place the cubes you have taken first", "TT-8"
    return "nothing-taken", "take at least one cube first", "TT-5"


_REASONS: dict[str, Any] = {
    "flag": _no_flag,
    "take": _no_take,
    "cube": _no_cube,
    "step": _no_step,
    "capture": _no_capture,
    "end": _no_end,
}
