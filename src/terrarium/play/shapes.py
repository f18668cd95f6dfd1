"""The types of the JSON in requests and responses; the OpenAPI description is generated from them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from terrarium.core.characters import Character
from terrarium.core.game import Way
from terrarium.play.log import LogEvent

__all__ = [
    "MAX_GAME_NAME",
    "MAX_SEATS",
    "AcceptOffer",
    "ActionShape",
    "ActionText",
    "AnyDict",
    "AskRematch",
    "BoardCell",
    "BoardText",
    "BoardView",
    "ClaimSeat",
    "ClockChoice",
    "ClockView",
    "CreateGame",
    "Created",
    "CustomBoard",
    "ErrorShape",
    "FeedGame",
    "FeedMessage",
    "FeedReady",
    "GameList",
    "MakeOffer",
    "NewBoard",
    "OfferView",
    "OutcomeView",
    "Played",
    "ResignationView",
    "SeatChoice",
    "SeatNumber",
    "SeatView",
    "Seated",
    "SitDown",
    "Snapshot",
    "Status",
    "Summary",
    "Tried",
    "TryActions",
    "TurnPage",
    "TurnView",
    "Turns",
]

AnyDict = dict[str, Any]
MAX_SEATS = 64
"""Limits here only restrict the size of requests; the game decides how many seats and levels there are."""
MAX_GAME_NAME = 64
SeatIndex = Annotated[int, Meta(ge=0, lt=MAX_SEATS, description="Seats count from 0.")]
ActionText = Annotated[
    str, Meta(max_length=64, description="An action in notation, such as e7-e12.")
]
Name = Annotated[str, Meta(max_length=64)]
Level = Annotated[int, Meta(ge=1, le=100)]
Seq = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Status = Literal["waiting", "playing", "over", "aborted"]
Secret = Annotated[str, Meta(max_length=200)]
Key = Annotated[str, Meta(min_length=1, max_length=64, pattern="^[ -~]+$")]
"""An idempotency key: a repeated request with the same key has no further effect."""


class ErrorShape(Struct):
    """The form of all errors; some have further fields (facts, seq, index, retry_after, problems, line, column, bad_seq)."""

    code: str
    message: str
    rule: str | None = None
    facts: AnyDict | UnsetType = UNSET
    seq: int | UnsetType = UNSET
    index: int | UnsetType = UNSET
    retry_after: float | UnsetType = UNSET
    problems: list[AnyDict] | UnsetType = UNSET
    line: int | UnsetType = UNSET
    column: int | UnsetType = UNSET
    bad_seq: int | UnsetType = UNSET


class ActionShape(Struct):
    """One legal action."""

    text: str
    kind: str
    source: str | None
    target: str | None
    id: int


class BoardCell(Struct):
    """A cell: its place in the map (row, x) and the number of its landscape."""

    name: str
    row: int
    x: int
    landscape: int


class BoardView(Struct):
    """A board, for drawing it."""

    name: str
    author: str
    note: str
    map: str
    letters: list[str]
    landscapes: list[str]
    cells: list[BoardCell]


class SeatChoice(Struct, forbid_unknown_fields=True):
    """Who takes a seat."""

    kind: Literal["device", "computer", "link", "open"] = "link"
    name: Name | None = None
    level: Level | None = None


class ClockChoice(Struct, forbid_unknown_fields=True):
    """`game`: seconds per game plus increment per turn. `correspondence`: days per turn."""

    kind: Literal["game", "correspondence"]
    seconds: Annotated[int, Meta(ge=10, le=86_400)] | None = None
    increment: Annotated[int, Meta(ge=0, le=3_600)] | None = None
    days: Annotated[int, Meta(ge=1, le=30)] | None = None


class CustomBoard(Struct, forbid_unknown_fields=True):
    """A board that is not built in: its map, and optionally the other fields of a board file."""

    map: Annotated[str, Meta(max_length=20_000)]
    name: Annotated[str, Meta(max_length=80)] = "mine"
    landscapes: dict[str, str] = msgspec.field(default_factory=dict)
    author: Annotated[str, Meta(max_length=200)] = ""
    note: Annotated[str, Meta(max_length=2_000)] = ""


class CreateGame(Struct, forbid_unknown_fields=True):
    """A game to start."""

    game: Annotated[
        str, Meta(max_length=MAX_GAME_NAME, description="A name from /api/meta, such as nova.")
    ]
    rules: AnyDict = msgspec.field(default_factory=dict)
    board: str | CustomBoard | None = None
    seats: Annotated[list[SeatChoice], Meta(max_length=MAX_SEATS)] | None = None
    clock: ClockChoice | None = None
    on_timeout: Literal["resign", "computer"] = "resign"
    starter: Literal["first", "lot"] = "first"
    visibility: Literal["private", "listed"] = "private"
    position: (
        Annotated[
            str,
            Meta(
                max_length=20_000,
                description="The start position, at the start of a turn. It also determines the rules.",
            ),
        ]
        | None
    ) = None


class ContinueGame(Struct, forbid_unknown_fields=True):
    """A game that was played in a browser without a server, with its whole log."""

    log: Annotated[list[LogEvent], Meta(min_length=1, max_length=5_000)]


class SeatView(Struct):
    """A seat as everybody may see it."""

    seat: int
    kind: str
    name: str | None
    level: int | None
    is_taken: bool
    is_connected: bool
    colour: str
    resigned: bool
    is_account: bool = False
    """Whether the seat belongs to the account with this name; without an account anybody may use any name."""
    is_bot: bool = False
    """Whether that account is a bot."""
    character: Character | None = None
    """The character of a computer player."""


class ClockView(Struct):
    """The clock at the time `now`."""

    kind: str
    remaining_ms: list[int]
    running: int | None
    deadline: str | None
    now: str
    away: list[int]
    seconds: int | UnsetType = UNSET
    increment: int | UnsetType = UNSET
    days: int | UnsetType = UNSET


class TurnView(Struct, gc=False):
    """A turn that was played."""

    number: int
    seat: int
    actions: list[str]
    events: list[AnyDict]
    at: str
    by: str
    seq: int
    clock_ms: int | UnsetType = UNSET


class ResignationView(Struct):
    """A resignation; `after` is the number of turns played before it."""

    seat: int
    after: int
    events: list[AnyDict]
    at: str
    by: str
    seq: int


class OfferView(Struct):
    """An offer of a seat, and the seats that have agreed so far (including the one that made it)."""

    kind: str
    seat: int
    accepted: list[int]


class OutcomeView(Struct):
    """Who won and why."""

    winners: list[int]
    reason: str
    scores: list[int] | None


class Summary(Struct, kw_only=True):
    """A game in a list."""

    id: str
    game: str
    rules: AnyDict
    board_name: str | None
    seats: list[SeatView]
    you: list[int]
    status: Status
    visibility: str
    clock: ClockView | None
    seq: int
    turn: int
    position: str
    view: AnyDict
    outcome: OutcomeView | None
    rematch: str | None
    created: str
    updated: str


class Snapshot(Summary, kw_only=True):
    """The full state of a game at one seq."""

    board: BoardView | None
    legal: list[ActionShape]
    turns: list[TurnView]
    """The last turns, at most 500."""
    resignations: list[ResignationView]
    offers: list[OfferView]
    start: str
    rules_version: int
    rematch_of: str | None
    turns_omitted: int = 0
    """How many turns came before those in `turns`; `/api/games/{id}/history` returns them."""
    ahead: int | None = None
    """While a computer's turn is queued: how many turns of other games come first."""


class TurnPage(Struct):
    """Consecutive turns of a game, and the number of turns before them."""

    turns: list[TurnView]
    omitted: int


class Created(Struct):
    """A new game; anybody with a seat's secret can take that seat."""

    id: str
    seq: int
    secrets: list[str | None]
    game: Snapshot


class SitDown(Struct, forbid_unknown_fields=True):
    """A request to sit down; an open seat needs no secret."""

    secret: Secret | None = None
    name: Name | None = None


class Seated(Struct):
    """A seat that is now yours, with its secret for other devices if the secret is new or was sent."""

    seat: int
    secret: str | None
    game: Snapshot


class TryActions(Struct, forbid_unknown_fields=True):
    """Actions to try at a seq; nothing is stored."""

    seq: Seq
    actions: Annotated[list[ActionText], Meta(max_length=64)]


class Tried(Struct):
    """The position after the actions, and the events of each."""

    seq: int
    legal: list[ActionShape]
    effects: list[list[AnyDict]]
    view: AnyDict
    position: str
    turn_complete: bool
    reach: dict[str, list[Way]] = msgspec.field(default_factory=dict)
    """In Terra Turrium's move phase: the cells that each flag can reach with the points left, and the actions."""
    ending: OutcomeView | None = None
    """How the game would end if the turn were finished here; null if it would continue."""
    previews: dict[str, list[AnyDict]] = msgspec.field(default_factory=dict)
    """The additional effects of actions in `legal`, by their text, as events."""


class Turns(Struct, forbid_unknown_fields=True):
    """A whole turn, the seq of the position it is for, and an idempotency key."""

    seq: Seq
    actions: Annotated[list[ActionText], Meta(max_length=64)]
    key: Key | None = None
    lag_ms: Annotated[int, Meta(ge=0, le=60_000)] = 0


class Played(Struct):
    """A turn that was played and stored."""

    seq: int
    turn: TurnView


class SeatNumber(Struct, forbid_unknown_fields=True):
    """The seat that acts."""

    seat: SeatIndex


class MakeOffer(Struct, forbid_unknown_fields=True):
    """An offer of a seat."""

    kind: Literal["takeback", "draw", "end"]
    seat: SeatIndex


class AcceptOffer(Struct, forbid_unknown_fields=True):
    """A seat's answer to an offer; the seat that made it withdraws it with false."""

    seat: SeatIndex
    accept: bool


class ClaimSeat(Struct, forbid_unknown_fields=True):
    """A claim: give an empty seat to a computer; or open a seat whose player has been away for long, give it to a computer or make it resign."""

    seat: SeatIndex
    to: Literal["open", "computer", "resign"] = "open"
    level: Level | None = None


class AskRematch(Struct, forbid_unknown_fields=True):
    """A rematch; with `harder` each computer is replaced by one of the next level, if there is one."""

    harder: bool = False


class GameList(Struct):
    """One page of games, newest first."""

    games: list[Summary]
    next: str | None


class FeedGame(Struct):
    """A change of one of your games, on the event stream: it began, continued or ended."""

    type: Literal["game-start", "game-update", "game-over"]
    id: str
    game: str
    seq: int
    at: str
    status: Status
    seats: list[int]
    """The seats that you hold; empty if you just lost the last one."""
    to_move: int | None
    is_your_turn: bool
    outcome: OutcomeView | None
    rematch: str | None


class FeedReady(Struct):
    """The present state has been sent; further messages are new. `at` is the server's time."""

    at: str
    type: Literal["ready"] = "ready"


FeedMessage = FeedGame | FeedReady


class BoardText(Struct, forbid_unknown_fields=True):
    """A map or a TOML file to check."""

    text: Annotated[str, Meta(max_length=32_768)]


class NewBoard(Struct, forbid_unknown_fields=True):
    """A board to generate; the same seed gives the same board."""

    seed: Annotated[int, Meta(ge=0, le=2**53)]
    cells: Annotated[int, Meta(ge=24, le=512)] = 168
    landscapes: Annotated[int, Meta(ge=4, le=12)] = 8
