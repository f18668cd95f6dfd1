"""What seats agree on: taking turns back, a draw, an end as things stand.

An offer stands until everybody concerned agreed, somebody declined, or the next turn is played. Computers agree to
every take-back, and to nothing else.
"""

from __future__ import annotations

from collections.abc import Collection

from terrarium.play.commands import Decision, Draft, check_live, check_room, must_hold
from terrarium.play.errors import Conflict
from terrarium.play.table import Offer, Table

__all__ = ["answer", "offer"]


def offer(table: Table, held: Collection[int], kind: str, seat: int) -> Decision:
    """Propose something; who proposes the same thing as somebody else agrees to it."""
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
    elif any(table.seats[other].is_computer for other in _active(table)):
        raise Conflict(
            "computer-declines",
            "computer players don't accept draws; resign instead",
            seq=table.seq,
        )
    made = Draft("offered", seat, {"offer": kind})
    return _settled(table, held, made, Offer(kind, seat, (seat,)))


def answer(table: Table, held: Collection[int], kind: str, seat: int, accept: bool) -> Decision:
    """Agree or decline; whoever made the offer withdraws it by declining."""
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


def _settled(table: Table, held: Collection[int], first: Draft, item: Offer) -> Decision:
    """Who shares a device speaks with one voice for all its seats; what everybody agreed to happens."""
    missing = _asked(table, item)
    also = sorted(missing & set(held))
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
    """The seats whose agreement is still missing."""
    return {
        seat
        for seat in _active(table)
        if not table.seats[seat].is_computer
        and table.seats[seat].is_taken
        and seat not in item.accepted
    }


def _carried_out(table: Table, kind: str, seat: int) -> Draft:
    if kind == "takeback":
        return Draft("taken-back", seat, _kept(table, seat))
    winners: list[int] = []
    scores = table.scores
    if kind == "end" and scores is not None:
        active = _active(table)
        best = max(scores[number] for number in active)
        winners = [number for number in active if scores[number] == best]
    return Draft("agreed", seat, {"winners": winners, "offer": kind})


def _kept(table: Table, seat: int) -> dict[str, int]:
    """How many turns and resignations remain if the seat takes its last turn back."""
    for turn in reversed(table.turns):
        if turn.seat == seat:
            before = [one for one in table.resignations if one.seq < turn.seq]
            return {"turns": turn.number - 1, "resignations": len(before)}
    raise Conflict("nothing-to-take-back", f"seat {seat} has not played a turn yet", seq=table.seq)
