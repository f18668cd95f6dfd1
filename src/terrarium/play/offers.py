"""Offers: a take-back, a draw, or an end with the present scores.

An offer is open until all seats concerned have agreed, one has declined, or the next turn is played. Computers agree to
every take-back at once. They agree to a draw or an end if it gives them at least the win share that they expect otherwise.
"""

from __future__ import annotations

from collections.abc import Collection

from terrarium.engine import expected_shares
from terrarium.play.commands import Decision, Draft, check_live, check_room, must_hold
from terrarium.play.errors import Conflict
from terrarium.play.table import Offer, Table

__all__ = ["answer", "offer"]

_SLACK = 0.02
"""The win share that a computer gives up for an agreement; evaluations are not more exact than this."""


def offer(table: Table, held: Collection[int], kind: str, seat: int) -> Decision:
    """Make an offer; making the same offer as another seat means agreeing to it."""
    must_hold(table, held, seat)
    check_live(table)
    _check_active(table, seat)
    check_room(table)
    standing = _standing(table, kind)
    if standing is not None:
        if seat in standing.accepted:
            return Decision()
        return answer(table, held, kind, seat, True)
    if kind == "takeback":
        _kept(table, seat)
    made = Draft("offered", seat, {"offer": kind})
    return _settled(table, held, made, Offer(kind, seat, (seat,)))


def answer(table: Table, held: Collection[int], kind: str, seat: int, accept: bool) -> Decision:
    """Agree to an offer or decline it; the seat that made it withdraws it by declining."""
    must_hold(table, held, seat)
    check_live(table)
    _check_active(table, seat)
    standing = _standing(table, kind)
    if standing is None:
        raise Conflict("no-such-offer", f"no {kind} is on offer any more", seq=table.seq)
    draft = Draft("answered", seat, {"offer": kind, "accept": accept})
    if not accept:
        return Decision((draft,))
    if seat in standing.accepted:
        return Decision()
    agreed = Offer(kind, standing.seat, (*standing.accepted, seat))
    return _settled(table, held, draft, agreed)


def _check_active(table: Table, seat: int) -> None:
    if seat in table.position.resigned:
        raise Conflict("already-resigned", f"seat {seat} has resigned", seq=table.seq)


def _ask_computers(table: Table, kind: str, computers: Collection[int]) -> None:
    """Raise Conflict if a computer declines; computers decide at once, by their evaluation."""
    if len(table.turns) < table.start.game.early_turns * table.players:
        raise Conflict(
            "computer-declines", "computer players don't agree to this so early", seq=table.seq
        )
    winners = _winners(table, kind) or _active(table)
    expected = expected_shares(table.position)
    for seat in computers:
        offered = 1 / len(winners) if seat in winners else 0.0
        if expected[seat] > offered + _SLACK:
            raise Conflict(
                "computer-declines",
                f"the computer on seat {seat} expects more from playing on",
                seq=table.seq,
            )


def _settled(table: Table, held: Collection[int], first: Draft, item: Offer) -> Decision:
    """Add an agreement for all seats of the same device; if all seats agree, the offer takes effect."""
    missing = _asked(table, item)
    computers = {seat for seat in missing if table.seats[seat].is_computer}
    if computers:
        _ask_computers(table, item.kind, computers)
    also = sorted(missing & (set(held) | computers))
    drafts = [first]
    drafts += [Draft("answered", seat, {"offer": item.kind, "accept": True}) for seat in also]
    if missing <= set(also):
        drafts.append(_carried_out(table, item.kind, item.seat))
    return Decision(tuple(drafts))


def _standing(table: Table, kind: str) -> Offer | None:
    return next((item for item in table.offers if item.kind == kind), None)


def _active(table: Table) -> list[int]:
    return [seat for seat in range(table.players) if seat not in table.position.resigned]


def _asked(table: Table, item: Offer) -> set[int]:
    """The seats that have not agreed yet; computers don't have to agree to a take-back."""
    return {
        seat
        for seat in _active(table)
        if table.seats[seat].is_taken
        and seat not in item.accepted
        and not (table.seats[seat].is_computer and item.kind == "takeback")
    }


def _carried_out(table: Table, kind: str, seat: int) -> Draft:
    if kind == "takeback":
        return Draft("taken-back", seat, _kept(table, seat))
    return Draft("agreed", seat, {"winners": _winners(table, kind), "offer": kind})


def _winners(table: Table, kind: str) -> list[int]:
    """The winners if the game ends by this agreement; empty for a draw, or for a game without points."""
    scores = table.scores
    if kind != "end" or scores is None:
        return []
    active = _active(table)
    best = max(scores[seat] for seat in active)
    return [seat for seat in active if scores[seat] == best]


def _kept(table: Table, seat: int) -> dict[str, int]:
    """How many turns and resignations remain if the seat takes its last turn back."""
    for turn in reversed(table.turns):
        if turn.seat == seat:
            before = [one for one in table.resignations if one.seq < turn.seq]
            return {"turns": turn.number - 1, "resignations": len(before)}
    raise Conflict("nothing-to-take-back", f"seat {seat} has not played a turn yet", seq=table.seq)
