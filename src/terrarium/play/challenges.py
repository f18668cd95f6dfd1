"""Challenges: one player invites another by name and proposes all settings of the game."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

from terrarium.play.boards import chosen_board, game_named
from terrarium.play.errors import Unprocessable
from terrarium.play.seats import NewGame, challenge_game
from terrarium.play.shapes import AnyDict, ClockChoice, CreateGame, CustomBoard, Name

__all__ = [
    "Answer",
    "ChallengeList",
    "ChallengeView",
    "FeedChallenge",
    "NewChallenge",
    "PlayerView",
    "agreed_game",
    "checked",
    "chosen_rules",
]

PLAYERS = 2
ChallengeStatus = Literal["open", "accepted", "declined", "withdrawn", "expired"]
Answer = Literal["accept", "decline", "withdraw"]


class NewChallenge(Struct, forbid_unknown_fields=True):
    """A proposal of a game to another account."""

    to: Annotated[Name, Meta(description="The name of the account.")]
    game: Annotated[str, Meta(max_length=64, description="A name from /api/meta, such as nova.")]
    rules: AnyDict = msgspec.field(default_factory=dict)
    board: str | CustomBoard | None = None
    clock: ClockChoice | None = None
    on_timeout: Literal["resign", "computer"] = "resign"
    visibility: Literal["private", "listed"] = "private"
    seat: (
        Annotated[int, Meta(ge=0, le=1, description="Your seat; drawn by lot if not given.")] | None
    ) = None
    minutes: Annotated[int, Meta(ge=1, le=10_080, description="How long it stays open.")] = 1_440


class PlayerView(Struct):
    """An account."""

    name: str
    is_bot: bool


class ChallengeView(Struct):
    """A challenge as the two players see it."""

    id: str
    challenger: PlayerView
    challenged: PlayerView
    is_yours: bool
    """Whether you are the challenger."""
    game: str
    rules: AnyDict
    chosen: AnyDict
    """The options that the challenger chose; the others have their defaults."""
    board: str | None
    clock: ClockChoice | None
    seat: int | None
    status: ChallengeStatus
    game_id: str | None
    """The id of the game after it is accepted."""
    created: str
    expires: str
    updated: str


class ChallengeList(Struct):
    """Your open challenges, and those answered or ended in the last day; newest first."""

    challenges: list[ChallengeView]


class FeedChallenge(Struct):
    """A challenge that you made or received, on the event stream."""

    type: Literal[
        "challenge",
        "challenge-accepted",
        "challenge-declined",
        "challenge-withdrawn",
        "challenge-expired",
    ]
    at: str
    challenge: ChallengeView


class Player(NamedTuple):
    """An account that takes a seat."""

    person: str
    name: str
    is_bot: bool


def checked(order: NewChallenge) -> NewChallenge:
    """The challenge with all options of its rules; refused if such a game can't be set up."""
    game = game_named(order.game)
    rules = game.rules(**order.rules)
    if rules.players != PLAYERS:
        message = f"{rules.players} players: a challenge is for {PLAYERS}; share a link for more"
        raise Unprocessable("challenge-players", message)
    game.begin(rules, chosen_board(game, order.board))
    _ordered(order)
    return msgspec.structs.replace(order, rules=rules.to_dict())


def chosen_rules(order: NewChallenge) -> dict[str, Any]:
    """The options of a `checked` challenge without those that follow from the others."""
    game = game_named(order.game)
    rules, chosen = game.rules(**order.rules), dict(order.rules)
    for name in reversed(order.rules):
        fewer = {other: value for other, value in chosen.items() if other != name}
        if game.rules(**fewer) == rules:
            chosen = fewer
    return chosen


def agreed_game(order: NewChallenge, players: tuple[Player, Player], now: int) -> NewGame:
    """The game of an accepted challenge; `players` are the challenger and the challenged."""
    seats: list[dict[str, Any]] = [
        {"kind": "link", "name": one.name, "level": None, "account": True, "taken": True}
        | ({"bot": True} if one.is_bot else {})
        for one in players
    ]
    people = [one.person for one in players]
    return challenge_game(_ordered(order), seats, people, order.seat, now)


def _ordered(order: NewChallenge) -> CreateGame:
    return CreateGame(
        order.game,
        order.rules,
        order.board,
        clock=order.clock,
        on_timeout=order.on_timeout,
        visibility=order.visibility,
    )
