"""Setting up a table and sitting down at it."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from terrarium.core.game import Game
from terrarium.core.position import Position
from terrarium.engine import default_level
from terrarium.play.boards import board_view, chosen_board, game_named
from terrarium.play.characters import computer_data, with_characters
from terrarium.play.clocks import clock_rules
from terrarium.play.commands import Decision, Draft, check_live, check_room, must_hold
from terrarium.play.errors import Conflict, Forbidden, NotFound, Unprocessable
from terrarium.play.log import LogEvent, NewGameRows, SeatHolders
from terrarium.play.people import (
    LOCAL,
    Caller,
    Owner,
    checked_name,
    digest,
    new_game_id,
    new_secret,
    seats_held,
)
from terrarium.play.shapes import CreateGame, SeatChoice
from terrarium.play.table import Table

__all__ = [
    "NewGame",
    "ask_rematch",
    "challenge_game",
    "new_game",
    "ordered_start",
    "rematch",
    "sit",
    "vacate",
]

MAX_HOLDERS = 20
"""The most people who may hold one seat by their cookies, for instance one person's browsers."""
_shuffle = secrets.SystemRandom().shuffle


@dataclass(frozen=True, slots=True)
class NewGame:
    """A game ready to be stored: its first event, the holders of its seats, and their secrets."""

    table: Table
    holders: list[SeatHolders]
    secrets: list[str | None]

    def rows(self) -> NewGameRows:
        """The game as the database stores it."""
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

    def drawn(self) -> NewGame:
        """The same game with its board's view in the cache; computing that takes a while."""
        if self.table.board is not None:
            board_view(self.table.board)
        return self


def new_game(
    order: CreateGame,
    creator: str,
    now: int,
    account: Owner | None = None,
    *,
    is_local: bool = False,
) -> NewGame:
    """A new table; `creator` holds the seats of kind `device`, and `account` is the creator's account, if there is one.

    `is_local` is for games that are not stored on a server.
    """
    game = game_named(order.game)
    rules, _, _ = ordered_start(game, order)
    choices = order.seats or [SeatChoice("link") for _ in range(rules.players)]
    if len(choices) != rules.players:
        message = f"{len(choices)} seats for {rules.players} players; give one for each"
        raise Unprocessable("seats-players", message)
    choices = list(choices)
    if order.starter == "lot":
        _shuffle(choices)
    seats = [_seat_data(game, choice) for choice in choices]
    if account is not None:
        _mark_own(seats, account)
    given = [None if choice.kind == "computer" else new_secret() for choice in choices]
    holders = [
        SeatHolders(
            None if secret is None else digest(secret),
            frozenset({creator}) if choice.kind == "device" else frozenset(),
        )
        for choice, secret in zip(choices, given, strict=True)
    ]
    data = _ordered(game, order, with_characters(game, seats))
    return _made(data, holders, given, now, is_local=is_local)


def ordered_start(game: Game, order: CreateGame) -> tuple[Any, Any, Position | None]:
    """The rules and the board of an order, and its start position if that is not the game's first."""
    if order.position is None:
        return game.rules(**order.rules), chosen_board(game, order.board), None
    board = None if order.board is None else chosen_board(game, order.board)
    position = game.position(order.position, board)
    if order.rules and game.rules(**order.rules) != position.rules:
        message = "the rules are not those of the position; leave them out"
        raise Unprocessable("position-rules", message)
    if position.outcome is not None or not position.at_turn_start:
        message = "a game begins at the start of a turn, in a position that is not over"
        raise Unprocessable("position-unplayable", message)
    return position.rules, getattr(position, "board", None), position


def challenge_game(
    order: CreateGame,
    seats: list[dict[str, Any]],
    people: list[str],
    first: int | None,
    now: int,
) -> NewGame:
    """The table of an accepted challenge between two people; the first of them gets seat `first`, or one by lot."""
    places = [0, 1] if first == 0 else [1, 0]
    if first is None:
        _shuffle(places)
    holders = [SeatHolders(None, frozenset({people[place]})) for place in places]
    data = _ordered(game_named(order.game), order, [seats[place] for place in places])
    return _made(data, holders, [None] * len(seats), now)


def _ordered(game: Game, order: CreateGame, seats: list[dict[str, Any]]) -> dict[str, Any]:
    """The data of a game's first event, which contains all its settings."""
    if order.on_timeout == "computer":
        _computer_level(game, None)
    rules, board, position = ordered_start(game, order)
    clock = order.clock
    return {
        "game": order.game,
        "rules": rules.to_dict(),
        "rules_version": game.rules_version,
        "board": None if board is None else game.board_data(board),
        **({} if position is None else {"position": position.to_text()}),
        "seats": seats,
        "clock": None
        if clock is None
        else clock_rules(clock.kind, clock.seconds, clock.increment, clock.days),
        "on_timeout": order.on_timeout,
        "visibility": order.visibility,
    }


def _made(
    data: dict[str, Any],
    holders: list[SeatHolders],
    given: list[str | None],
    now: int,
    *,
    is_local: bool = False,
) -> NewGame:
    # Through JSON, so that this table can't differ from the one replayed later.
    data = msgspec.json.decode(msgspec.json.encode(data))
    table = Table.replay(new_game_id(is_local=is_local), [LogEvent(1, now, "created", None, data)])
    return NewGame(table, holders, given)


def _computer_level(game: Game, level: int | None) -> int:
    """The level of a computer player; refused if the game has no such level."""
    if not game.levels:
        message = f"{game.title}: there are no computer players for this game"
        raise Unprocessable("seat-level", message)
    if level is not None and level > len(game.levels):
        message = f"level {level}: {game.title} has levels 1 to {len(game.levels)}"
        raise Unprocessable("seat-level", message)
    return default_level(game) if level is None else level


def _mark_own(seats: list[dict[str, Any]], account: Owner) -> None:
    """Mark the device seats that have the account's name; if there is none, the first one without a name gets it."""
    own = [seat for seat in seats if seat["kind"] == "device"]
    if not any(seat["name"] == account.name for seat in own):
        for seat in [seat for seat in own if seat["name"] is None][:1]:
            seat["name"] = account.name
    for seat in own:
        if seat["name"] == account.name:
            seat.update(_account_marks(account))


def _account_marks(account: Owner) -> dict[str, Any]:
    return {"account": True} | ({"bot": True} if account.is_bot else {})


def _seat_data(game: Game, choice: SeatChoice) -> dict[str, Any]:
    if choice.level is not None and choice.kind != "computer":
        raise Unprocessable("seat-level", f"level {choice.level}: only a computer seat has a level")
    level = _computer_level(game, choice.level) if choice.kind == "computer" else None
    return {"kind": choice.kind, "name": checked_name(choice.name), "level": level}


def rematch(
    table: Table,
    holders: Sequence[SeatHolders],
    held: frozenset[int],
    now: int,
    *,
    harder: bool = False,
) -> NewGame:
    """A new game with the same settings in which the next player starts; players keep their secrets.

    `harder` replaces each computer by one of the next level, if there is one.
    """
    if table.is_live:
        raise Conflict("game-not-over", f"game {table.id} is not over yet", seq=table.seq)
    first, game = table.log[0].data, table.start.game
    order = [*range(1, table.players), 0]
    seats: list[dict[str, Any]] = []
    for seat in (table.seats[number] for number in order):
        kind = "link" if seat.kind == "device" else seat.kind
        # Without the mark of an account, which is set again when the account sits down.
        again = {"kind": kind, "name": seat.name, "level": seat.level}
        if seat.character is not None:
            again["character"] = seat.character
        if harder and seat.level is not None and seat.level < len(game.levels):
            again = {"kind": kind, "name": None, "level": seat.level + 1}
        seats.append(again)
    data = {name: value for name, value in first.items() if name != "seats"}
    data |= {"seats": with_characters(game, seats), "rematch_of": table.id}
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
    is_local = table.id.startswith(LOCAL)
    return _made(data, kept, [None] * table.players, now, is_local=is_local)


def ask_rematch(
    table: Table,
    holders: Sequence[SeatHolders],
    held: frozenset[int],
    now: int,
    *,
    harder: bool = False,
) -> Decision:
    """`rematch` as a command; a second request gives the same game."""
    if not held:
        raise Forbidden("not-your-seat", "only somebody who had a seat may ask for a rematch")
    if table.rematch is not None:
        return Decision()
    made = rematch(table, holders, held, now, harder=harder)
    draft = Draft("rematched", min(held), {"id": made.table.id})
    return Decision((draft,), new=made.rows())


def sit(
    table: Table,
    holders: Sequence[SeatHolders],
    seat: int,
    caller: Caller,
    secret: str | None,
    name: str | None,
    person: str,
    fresh: str,
    account: Owner | None = None,
) -> Decision:
    """Sit down: with the seat's secret, on an open seat that is not taken, or again on the caller's own seat.

    `fresh` becomes the new secret of an open seat, so that the creator of the table can't use the old one.
    `account` is the caller's account; its name is used if no other is given.
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
        raise Conflict(
            "seat-taken", f"somebody else was faster: seat {seat} is taken", seq=table.seq
        )
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
    account: Owner | None,
) -> Decision:
    place = table.seats[seat]
    if account is not None and name is None and place.name is None:
        name = account.name
    if place.is_taken and row == before:
        if name in (None, place.name):
            return Decision()
        check_room(table)
    data: dict[str, Any] = {"name": name}
    if account is not None and (name or place.name) == account.name:
        data |= _account_marks(account)
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
    """Claim a seat that nobody took, or whose player has been away for long.

    An empty seat can be given to a computer at once. A seat whose player is away can be opened, given to a computer
    or made to resign.
    """
    if not held:
        raise Forbidden("not-your-seat", "only somebody with a seat may claim another one")
    must_hold(table, range(table.players), seat)
    if level is not None and to != "computer":
        raise Unprocessable("seat-level", f"level {level}: only a computer seat has a level")
    check_live(table)
    data: dict[str, Any] = {"by": "claim"}
    if to == "computer":
        data |= computer_data(table, _computer_level(table.start.game, level))
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
