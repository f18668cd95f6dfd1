"""Every request that the page makes and that needs no other person, answered from the games of this browser.

Paths, bodies and answers are those of the server (docs/api.md). What needs a server is refused as `needs-server`.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from random import Random
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote

import msgspec
from msgspec import structs

from terrarium.errors import TerrariumError
from terrarium.play import commands, offers, puzzles
from terrarium.play.boards import (
    board_view,
    builtin_board,
    checked_board,
    game_named,
    game_with_boards,
)
from terrarium.play.clocks import iso
from terrarium.play.errors import Conflict, NotFound, Unprocessable
from terrarium.play.log import LogEvent, SeatHolders
from terrarium.play.positions import TryPosition, start_position, tried
from terrarium.play.recording import picture_svg, record_of, turn_shown
from terrarium.play.records import RecordText, read_record, record_view
from terrarium.play.seats import ask_rematch, new_game, ordered_start
from terrarium.play.shapes import (
    AcceptOffer,
    AskRematch,
    BoardText,
    Created,
    CreateGame,
    GameList,
    MakeOffer,
    NewBoard,
    Played,
    SeatChoice,
    SeatNumber,
    Snapshot,
    TryActions,
    Turns,
)
from terrarium.play.table import Table
from terrarium.play.thinking import (
    Hint,
    PlannedTurn,
    Question,
    WholeTurn,
    position_asked,
    position_for_coach,
    position_for_hint,
    position_judged,
)
from terrarium.play.trees import TreeSource, read_tree
from terrarium.play.views import snapshot, summary, tried_turn, turn_page
from terrarium.tab.meta import MAX_BODY, tab_meta
from terrarium.tab.store import Change
from terrarium.tab.tables import PERSON, Entry, row_of
from terrarium.tab.thinking import analyse_with, hint, puzzle_answer, verdict

if TYPE_CHECKING:
    from terrarium.tab.app import Tab

__all__ = ["Text", "answer"]

_PAGE = 20
_FORMAT = 1


class Text(msgspec.Struct):
    """An answer that is not JSON."""

    text: str
    media_type: str = "text/plain"


class StoredGame(msgspec.Struct):
    """A game in a file: who holds its seats, and its log."""

    id: str
    holders: list[SeatHolders]
    events: list[LogEvent]


class Export(msgspec.Struct):
    """All games of a browser as one file."""

    terrarium: int
    exported: str
    games: list[StoredGame]


class Imported(msgspec.Struct):
    """How many games of a file were added, known already, and unreadable."""

    added: int
    known: int
    refused: int


class _Call(msgspec.Struct):
    tab: Any
    query: dict[str, str]
    body: str


Handler = Callable[..., Awaitable[Any] | AsyncIterator[Any]]
_ROUTES: list[tuple[str, re.Pattern[str], Any, Handler]] = []


def _route(method: str, path: str, shape: Any = None) -> Callable[[Handler], Handler]:
    pattern = re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path) + r"\Z")

    def add(handler: Handler) -> Handler:
        _ROUTES.append((method, pattern, shape, handler))
        return handler

    return add


def answer(tab: Tab, method: str, path: str, body: str) -> Awaitable[Any] | AsyncIterator[Any]:
    """What answers a request; raises what a server would refuse."""
    path, _, query = path.partition("?")
    for verb, pattern, shape, handler in _ROUTES:
        match = pattern.match(path)
        if verb != method or match is None:
            continue
        parts = {name: unquote(value) for name, value in match.groupdict().items()}
        if shape is not None:
            parts["data"] = _read(body, shape)
        return handler(_Call(tab, dict(parse_qsl(query)), body), **parts)
    raise NotFound("needs-server", f"{method} {path[:60]}: this needs a server")


def _read(body: str, shape: Any) -> Any:
    if len(body) > MAX_BODY:
        raise Unprocessable("too-large", "the body is too large")
    try:
        return msgspec.json.decode(body or "{}", type=shape)
    except msgspec.DecodeError as error:
        raise Unprocessable("invalid-request", str(error), status=400) from None


def _shown(tab: Tab, entry: Entry) -> Snapshot:
    return snapshot(entry.table, entry.held, tab.live.connected(entry.table.id), tab.now())


def _created(tab: Tab, entry: Entry) -> Created:
    table = entry.table
    return Created(table.id, table.seq, [None] * table.players, _shown(tab, entry))


# What there is


@_route("GET", "/meta")
async def _meta(call: _Call) -> Any:
    return tab_meta()


@_route("GET", "/me")
async def _me(call: _Call) -> Any:
    games = len(call.tab.tables.rows)
    return {
        "name": None,
        "is_guest": True,
        "games": games,
        "scopes": None,
        "vacation": False,
        "vacation_days_left": None,
    }


@_route("GET", "/boards/{name}")
async def _board(call: _Call, name: str) -> Any:
    return board_view(builtin_board(name))


@_route("GET", "/boards/{name}/picture.svg")
async def _board_picture(call: _Call, name: str) -> Any:
    theme = call.query.get("theme", "light")
    svg = game_with_boards().draw.draw_board(builtin_board(name), theme=theme)
    return Text(svg, "image/svg+xml")


@_route("POST", "/boards/check", BoardText)
async def _check_board(call: _Call, data: BoardText) -> Any:
    return checked_board(data.text)


@_route("POST", "/boards/new", NewBoard)
async def _new_board(call: _Call, data: NewBoard) -> Any:
    return board_view(game_with_boards().new_board(data.seed, data.cells, data.landscapes))


@_route("POST", "/positions/try", TryPosition)
async def _try_position(call: _Call, data: TryPosition) -> Any:
    return tried(start_position(data.start), data.actions)


@_route("POST", "/records/read", RecordText)
async def _read_record(call: _Call, data: RecordText) -> Any:
    return read_record(data.text)


@_route("POST", "/records/tree", TreeSource)
async def _record_tree(call: _Call, data: TreeSource) -> Any:
    return read_tree(data)


# Lists, and all games as one file


@_route("GET", "/games")
async def _list(call: _Call) -> Any:
    tab, query = call.tab, call.query
    # Nobody else plays here: every game is one's own, and only finished ones are also listed for everybody.
    if query.get("mine") != "1" and query.get("status") != "over":
        return GameList([], None)
    rows = sorted(tab.tables.rows.values(), key=lambda row: (row.updated, row.id), reverse=True)
    if "status" in query:
        rows = [row for row in rows if row.status == query["status"]]
    if "game" in query:
        rows = [row for row in rows if row.game == game_named(query["game"]).name]
    for word in query.get("q", "").casefold().split()[:4]:
        rows = [row for row in rows if word in row.names]
    first = int(query["page"]) if query.get("page", "").isdigit() else 0
    found = []
    for row in rows[first : first + _PAGE]:
        entry = await tab.tables.entry(row.id)
        found.append(summary(entry.table, entry.held, (), tab.now()))
    more = str(first + _PAGE) if len(rows) > first + _PAGE else None
    return GameList(found, more)


@_route("GET", "/local/export")
async def _export(call: _Call) -> Any:
    tables = call.tab.tables
    games = [
        StoredGame(row.id, row.holders, await tables.store.log(row.id))
        for row in sorted(tables.rows.values(), key=lambda row: row.updated)
    ]
    return Export(_FORMAT, iso(call.tab.now()), games)


@_route("GET", "/local/games/{id}/log")
async def _log(call: _Call, id: str) -> Any:
    """What a server needs to continue a game."""
    entry = await call.tab.tables.entry(id)
    return {"log": list(entry.table.log)}


@_route("POST", "/local/import", Export)
async def _import(call: _Call, data: Export) -> Any:
    tables, counts = call.tab.tables, Imported(0, 0, 0)
    if data.terrarium != _FORMAT:
        message = f"format {data.terrarium}: this file was made by a newer version"
        raise Unprocessable("import-format", message)
    for stored in data.games:
        if stored.id in tables.rows:
            counts.known += 1
            continue
        try:
            if not stored.events:
                raise ValueError("its log is empty")
            table = Table.replay(stored.id, stored.events)
            holders = [SeatHolders(None, row.people & {PERSON}) for row in stored.holders]
            if len(holders) != table.players or not re.fullmatch(r"[a-z0-9]{1,32}", stored.id):
                raise ValueError("its seats do not match the game")
        except (TerrariumError, KeyError, TypeError, ValueError, IndexError, AssertionError):
            counts.refused += 1
            continue
        await tables.store.write(Change(row_of(table, holders), list(table.log)))
        tables.rows[stored.id] = row_of(table, holders)
        counts.added += 1
    return counts


# One game


@_route("POST", "/games", CreateGame)
async def _create(call: _Call, data: CreateGame) -> Any:
    tab = call.tab
    seats = data.seats
    if seats is None:
        players = ordered_start(game_named(data.game), data)[0].players
        seats = [SeatChoice("device") for _ in range(players)]
    if any(seat.kind in ("link", "open") for seat in seats):
        message = "a seat for somebody elsewhere needs a server"
        raise Unprocessable("needs-server", message)
    game = new_game(structs.replace(data, seats=seats), PERSON, tab.now(), is_local=True)
    entry = await tab.tables.add(game.table, game.holders)
    return _created(tab, entry)


@_route("GET", "/games/{id}")
async def _look(call: _Call, id: str) -> Any:
    return _shown(call.tab, await call.tab.tables.entry(id))


@_route("POST", "/games/{id}/try", TryActions)
async def _try(call: _Call, id: str, data: TryActions) -> Any:
    return tried_turn((await call.tab.tables.entry(id)).table, data)


@_route("POST", "/games/{id}/turns", Turns)
async def _play(call: _Call, id: str, data: Turns) -> Any:
    entry = await call.tab.tables.entry(id)

    def decide(table: Table, holders: Any, now: int) -> commands.Decision:
        return commands.play_turn(table, entry.held, data.seq, data.actions, data.key, now=now)

    entry, decision = await call.tab.tables.command(id, decide)
    seq = decision.replayed or entry.table.seq
    return Played(seq, entry.table.turn_at(seq))


@_route("GET", "/games/{id}/history")
async def _history(call: _Call, id: str) -> Any:
    before = call.query.get("before", "")
    table = (await call.tab.tables.entry(id)).table
    return turn_page(table, int(before) if before.isdigit() else None)


@_route("GET", "/games/{id}/turns")
async def _turns(call: _Call, id: str) -> Any:
    return record_view(record_of((await call.tab.tables.entry(id)).table))


async def _done(
    call: _Call, id: str, decide: Callable[[Table, frozenset[int]], commands.Decision]
) -> Snapshot:
    entry = await call.tab.tables.entry(id)
    entry, _ = await call.tab.tables.command(
        id, lambda table, holders, now: decide(table, entry.held)
    )
    return _shown(call.tab, entry)


@_route("POST", "/games/{id}/resign", SeatNumber)
async def _resign(call: _Call, id: str, data: SeatNumber) -> Any:
    return await _done(call, id, lambda table, held: commands.resign(table, held, data.seat))


@_route("POST", "/games/{id}/abort")
async def _abort(call: _Call, id: str) -> Any:
    return await _done(call, id, commands.abort)


@_route("POST", "/games/{id}/offers", MakeOffer)
async def _offer(call: _Call, id: str, data: MakeOffer) -> Any:
    return await _done(
        call, id, lambda table, held: offers.offer(table, held, data.kind, data.seat)
    )


@_route("POST", "/games/{id}/offers/{kind}", AcceptOffer)
async def _answer(call: _Call, id: str, kind: str, data: AcceptOffer) -> Any:
    return await _done(
        call, id, lambda table, held: offers.answer(table, held, kind, data.seat, data.accept)
    )


@_route("POST", "/games/{id}/rematch", AskRematch)
async def _rematch(call: _Call, id: str, data: AskRematch) -> Any:
    tab = call.tab
    held = (await tab.tables.entry(id)).held
    entry, _ = await tab.tables.command(
        id,
        lambda table, holders, now: ask_rematch(table, holders, held, now, harder=data.harder),
    )
    other = await tab.tables.entry(entry.table.rematch)
    return _created(tab, other)


@_route("GET", "/games/{id}/record.terra")
async def _record(call: _Call, id: str) -> Any:
    return Text(str(record_of((await call.tab.tables.entry(id)).table)))


@_route("GET", "/games/{id}/record.json")
async def _record_json(call: _Call, id: str) -> Any:
    return record_of((await call.tab.tables.entry(id)).table).to_dict()


@_route("GET", "/games/{id}/picture.svg")
async def _picture(call: _Call, id: str) -> Any:
    table = (await call.tab.tables.entry(id)).table
    turn = call.query.get("turn", "")
    number = turn_shown(table, int(turn) if turn.isdigit() else None)
    return Text(picture_svg(table, number, call.query.get("theme", "light")), "image/svg+xml")


# Puzzles


@_route("GET", "/puzzles")
async def _puzzles(call: _Call) -> Any:
    return puzzles.listed(puzzles.today(call.tab.now()))


@_route("GET", "/puzzles/{game}/daily")
async def _daily(call: _Call, game: str) -> Any:
    found = game_named(game)
    return puzzles.shown(found, puzzles.daily(found, puzzles.today(call.tab.now())))


@_route("GET", "/puzzles/{game}/{id}")
async def _puzzle(call: _Call, game: str, id: str) -> Any:
    return puzzles.shown(game_named(game), puzzles.puzzle_named(game, id))


@_route("POST", "/puzzles/{game}/next", puzzles.AskPuzzle)
async def _next_puzzle(call: _Call, game: str, data: puzzles.AskPuzzle) -> Any:
    found = game_named(game)
    return puzzles.shown(found, puzzles.next_puzzle(found, data, Random()))


@_route("POST", "/puzzles/{game}/{id}/hint")
async def _puzzle_hint(call: _Call, game: str, id: str) -> Any:
    return puzzles.hint_for(game_named(game), puzzles.puzzle_named(game, id))


@_route("POST", "/puzzles/{game}/{id}/try", puzzles.TryPuzzle)
async def _try_puzzle(call: _Call, game: str, id: str, data: puzzles.TryPuzzle) -> Any:
    found = puzzles.puzzle_named(game, id)
    start = puzzles.check_try(game_named(game), found, data.actions)
    return await puzzle_answer(found, start, data.actions)


@_route("POST", "/puzzles/{game}/{id}/give-up")
async def _give_up(call: _Call, game: str, id: str) -> Any:
    found = puzzles.puzzle_named(game, id)
    return await puzzle_answer(found, game_named(game).position(found.position), None)


@_route("POST", "/me/puzzles", puzzles.Attempts)
async def _my_puzzles(call: _Call, data: puzzles.Attempts) -> Any:
    now = call.tab.now()
    attempts = puzzles.merged(puzzles.known(data.attempts, now))
    return puzzles.progress(attempts, now, is_kept=False)


# Questions to the engine


@_route("POST", "/games/{id}/hint", SeatNumber)
async def _hint(call: _Call, id: str, data: SeatNumber) -> Any:
    entry = await call.tab.tables.entry(id)
    found = await hint(position_for_hint(entry.table, entry.held, data.seat))
    return Hint(entry.table.seq, found["turn"], found["shares"])


@_route("POST", "/games/{id}/coach", PlannedTurn)
async def _coach(call: _Call, id: str, data: PlannedTurn) -> Any:
    entry = await call.tab.tables.entry(id)
    return await verdict(position_for_coach(entry.table, entry.held, data), data.actions)


@_route("POST", "/analysis", Question)
def _analyse(call: _Call, data: Question) -> AsyncIterator[Any]:
    return analyse_with(call.tab.crew, position_asked(data), data)


@_route("POST", "/positions/review", WholeTurn)
async def _judge(call: _Call, data: WholeTurn) -> Any:
    return await verdict(position_judged(data), data.actions)


@_route("POST", "/games/{id}/review")
async def _start_review(call: _Call, id: str) -> Any:
    table = (await call.tab.tables.entry(id)).table
    if table.is_live:
        raise Conflict("game-not-over", f"game {table.id} is not over yet", seq=table.seq)
    commands.check_engine(table.start.game)
    return await call.tab.reviews.start(table)


@_route("GET", "/games/{id}/review")
async def _review(call: _Call, id: str) -> Any:
    found = await call.tab.reviews.found((await call.tab.tables.entry(id)).table)
    if found is None:
        raise NotFound("no-review", "nobody asked for a review of this game yet")
    return found
