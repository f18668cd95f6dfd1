"""Setting up a table and sitting down at it."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from terrarium.core.game import Game
from terrarium.engine import DEFAULT_LEVEL
from terrarium.play.boards import chosen_board, game_named
from terrarium.play.clocks import clock_rules
from terrarium.play.commands import Decision, Draft, check_live, check_room, must_hold
from terrarium.play.errors import Conflict, Forbidden, NotFound, Unprocessable
from terrarium.play.log import LogEvent, NewGameRows, SeatHolders
from terrarium.play.people import (
    Caller,
    checked_name,
    digest,
    new_game_id,
    new_secret,
    seats_held,
)
from terrarium.play.shapes import CreateGame, SeatChoice
from terrarium.play.table import Table

__all__ = ["NewGame", "new_game", "rematch", "sit", "vacate"]

MAX_HOLDERS = 20
"""As many people may hold one seat by their cookies, for instance one person's browsers."""
_shuffle = secrets.SystemRandom().shuffle


@dataclass(frozen=True, slots=True)
class NewGame:
    """A game that can be written: its first event, who holds its seats, and the secrets to hand out."""

    table: Table
    holders: list[SeatHolders]
    secrets: list[str | None]

    def rows(self) -> NewGameRows:
        """The game as the database keeps it."""
        table = self.table
        game = table.index() | {
            "id": table.id,
            "game": table.game,
            "players": table.players,
            "board": None if table.board is None else table.board.name,
            "visibility": table.visibility,
            "created": table.created,
        }
        return NewGameRows(game, table.log, self.holders)


def new_game(order: CreateGame, creator: str, now: int, account: str | None = None) -> NewGame:
    """A table as ordered; `creator` holds the seats of this device. `account` is the name of their account."""
    game = game_named(order.game)
    if order.on_timeout == "computer":
        _computer_level(game, None)
    rules, board = game.rules(**order.rules), chosen_board(game, order.board)
    choices = order.seats or [SeatChoice("link") for _ in range(rules.players)]
    if len(choices) != rules.players:
        message = f"{len(choices)} seats for {rules.players} players; give one for each"
        raise Unprocessable("seats-players", message)
    choices = list(choices)
    if order.starter == "lot":
        _shuffle(choices)
    clock = order.clock
    data = {
        "game": order.game,
        "rules": rules.to_dict(),
        "rules_version": game.rules_version,
        "board": None if board is None else game.board_data(board),
        "seats": [_seat_data(game, choice, account) for choice in choices],
        "clock": None
        if clock is None
        else clock_rules(clock.kind, clock.seconds, clock.increment, clock.days),
        "on_timeout": order.on_timeout,
        "visibility": order.visibility,
    }
    given = [None if choice.kind == "computer" else new_secret() for choice in choices]
    holders = [
        SeatHolders(
            None if secret is None else digest(secret),
            frozenset({creator}) if choice.kind == "device" else frozenset(),
        )
        for choice, secret in zip(choices, given, strict=True)
    ]
    return _made(data, holders, given, now)


def _made(
    data: dict[str, Any], holders: list[SeatHolders], given: list[str | None], now: int
) -> NewGame:
    # Through JSON, so that the table made now and the one replayed later can't differ.
    data = msgspec.json.decode(msgspec.json.encode(data))
    table = Table.replay(new_game_id(), [LogEvent(1, now, "created", None, data)])
    return NewGame(table, holders, given)


def _computer_level(game: Game, level: int | None) -> int:
    """The level of a computer player; refused if the game has no such level."""
    if not game.levels:
        message = f"{game.title}: there are no computer players for this game"
        raise Unprocessable("seat-level", message)
    if level is not None and level > len(game.levels):
        message = f"level {level}: {game.title} has levels 1 to {len(game.levels)}"
        raise Unprocessable("seat-level", message)
    return min(DEFAULT_LEVEL, len(game.levels)) if level is None else level


def _seat_data(game: Game, choice: SeatChoice, account: str | None) -> dict[str, Any]:
    if choice.level is not None and choice.kind != "computer":
        raise Unprocessable("seat-level", f"level {choice.level}: only a computer seat has a level")
    level = _computer_level(game, choice.level) if choice.kind == "computer" else None
    data = {"kind": choice.kind, "name": checked_name(choice.name), "level": level}
    is_own = choice.kind == "device" and account is not None and data["name"] == account
    return data | ({"account": True} if is_own else {})


def rematch(
    table: Table, holders: Sequence[SeatHolders], held: frozenset[int], now: int
) -> NewGame:
    """The same again, the next seat starting; who held a seat holds it again, with the same secret."""
    if table.is_live:
        raise Conflict("game-not-over", f"game {table.id} is not over yet", seq=table.seq)
    first = table.log[0].data
    order = [*range(1, table.players), 0]
    seats = []
    for seat in (table.seats[number] for number in order):
        kind = "link" if seat.kind == "device" else seat.kind
        # Not the account's mark: it comes back when the account sits down.
        seats.append({"kind": kind, "name": seat.name, "level": seat.level})
    data = {name: value for name, value in first.items() if name != "seats"}
    data |= {"seats": seats, "rematch_of": table.id}
    for place, number in enumerate(order):
        if number in held and table.seats[number].kind != "computer":
            seats[place]["kind"] = "device"
    kept = [
        SeatHolders()
        if table.seats[number].is_computer
        else SeatHolders(
            holders[number].secret_hash, holders[number].people - holders[number].former
        )
        for number in order
    ]
    return _made(data, kept, [None] * table.players, now)


def sit(
    table: Table,
    holders: Sequence[SeatHolders],
    seat: int,
    caller: Caller,
    secret: str | None,
    name: str | None,
    person: str,
    fresh: str,
    account: str | None = None,
) -> Decision:
    """Sit down: with the seat's secret, on an open seat nobody has yet, or again on one's own.

    `fresh` becomes the secret of an open seat, so that whoever set the table can no longer use the old one.
    `account` is the name of the caller's account.
    """
    if not 0 <= seat < table.players:
        message = f"seat {seat}: this game has seats 0 to {table.players - 1}"
        raise NotFound("no-such-seat", message)
    place, row = table.seats[seat], holders[seat]
    name = checked_name(name)
    sent = secret if secret is not None else caller.bearer
    if place.is_computer:
        raise Conflict("seat-taken", f"seat {seat} belongs to a computer", seq=table.seq)
    if sent is not None:
        if seat not in seats_held(holders, Caller(caller.address, bearer=sent)):
            raise Forbidden("wrong-secret", f"this is not the secret of seat {seat}")
        if person not in row.people and len(row.people - row.former) >= MAX_HOLDERS:
            message = f"{MAX_HOLDERS} people hold seat {seat} already; send its secret with each request instead"
            raise Conflict("seat-crowded", message, seq=table.seq)
        return _seated(
            table, seat, SeatHolders(row.secret_hash, row.people | {person}), row, name, account
        )
    if row.people & caller.people:
        return _seated(table, seat, row, row, name, account)
    if place.kind != "open":
        raise Forbidden("wrong-secret", f"seat {seat} is kept for somebody: send its secret")
    if place.is_taken:
        raise Conflict("seat-taken", f"somebody was faster: seat {seat} is taken", seq=table.seq)
    check_live(table)
    return _seated(
        table, seat, SeatHolders(digest(fresh), row.former | {person}), row, name, account
    )


def _seated(
    table: Table,
    seat: int,
    row: SeatHolders,
    before: SeatHolders,
    name: str | None,
    account: str | None,
) -> Decision:
    place = table.seats[seat]
    if place.is_taken and row == before:
        if name in (None, place.name):
            return Decision()
        check_room(table)
    data: dict[str, Any] = {"name": name}
    if account is not None and (name or place.name) == account:
        data["account"] = True
    return Decision((Draft("sat", seat, data),), {seat: row})


def vacate(
    table: Table,
    holders: Sequence[SeatHolders],
    held: frozenset[int],
    seat: int,
    to: str,
    level: int | None,
    away_for: float,
    patience: float,
) -> Decision:
    """Claim a seat that nobody took, or that was left for long.

    An empty seat can be given to a computer at once. A seat that was left can be opened again, given to a computer
    or counted as resigned.
    """
    if not held:
        raise Forbidden("not-your-seat", "only somebody with a seat may claim another one")
    must_hold(table, range(table.players), seat)
    if level is not None and to != "computer":
        raise Unprocessable("seat-level", f"level {level}: only a computer seat has a level")
    check_live(table)
    data: dict[str, Any] = {"by": "claim"}
    if to == "computer":
        data["level"] = _computer_level(table.start.game, level)
    if not table.seats[seat].is_taken and to == "computer" and seat not in held:
        return Decision((Draft("taken-over", seat, data),), {seat: holders[seat].left()})
    if seat in held or table.seats[seat].is_computer or seat in table.position.resigned:
        raise Conflict("not-claimable", f"seat {seat} has not been left by anybody", seq=table.seq)
    if table.to_move != seat:
        raise Conflict("not-claimable", f"it is not seat {seat}'s turn", seq=table.seq)
    if away_for < patience:
        message = f"seat {seat} is here, or left only {away_for:.0f} s ago; after {patience:.0f} s it may be claimed"
        raise Conflict("not-claimable", message, seq=table.seq, retry_after=patience - away_for)
    if to == "resign":
        return Decision((Draft("resigned", seat, {"by": "claim"}),))
    if to == "computer":
        return Decision((Draft("taken-over", seat, data),), {seat: holders[seat].left()})
    return Decision((Draft("vacated", seat, {"by": "claim"}),), {seat: holders[seat].left()})
