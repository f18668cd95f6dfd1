"""Messages at a table: phrases, texts between people who allow them, and muting."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import get, post, put
from litestar.params import FromPath, JSONBody, QueryParameter
from msgspec import Meta, Struct

from terrarium.play.clocks import iso
from terrarium.play.errors import Forbidden, Unprocessable
from terrarium.play.people import Caller
from terrarium.play.talk import Said
from terrarium.server.api.common import ERRORS, CallerArg, GameId, ServicesArg
from terrarium.server.api.games import authorized
from terrarium.server.live.tables import Entry
from terrarium.server.services import Services

__all__ = ["HANDLERS", "said_to"]

After = Annotated[int, QueryParameter(name="after", ge=0, le=2**31 - 1, required=False)]


class Say(Struct, forbid_unknown_fields=True):
    """A message of a seat: either a phrase or a text."""

    seat: int
    phrase: Annotated[str, Meta(max_length=32)] | None = None
    text: Annotated[str, Meta(max_length=2_000)] | None = None


class SaidView(Struct):
    """A message: `phrase` is the id of a phrase, which interfaces translate; `text` is a written text."""

    number: int
    seat: int
    turn: int
    at: str
    phrase: str | None
    text: str | None


class TalkView(Struct):
    """The messages that you may read at a table, and the settings for texts."""

    said: list[SaidView]
    allows_text: bool
    """Whether you allow texts."""
    texts_with: list[int]
    """The other seats whose holders allow texts."""
    muted: list[int]


class Mute(Struct, forbid_unknown_fields=True):
    """Whether to mute a seat."""

    muted: bool


class TalkSettings(Struct, forbid_unknown_fields=True):
    """Whether you allow texts from people who allow them too; phrases are always possible."""

    allows_text: bool


async def _seated(services: Services, game_id: str, caller: Caller) -> tuple[Entry, frozenset[int]]:
    entry = await services.tables.entry(game_id)
    held = authorized(entry.holders, caller)
    if not held:
        raise Forbidden(
            "not-your-seat", "only people with a seat can read and send messages at this table"
        )
    return entry, held


async def said_to(services: Services, game_id: str, caller: Caller) -> list[Said]:
    """All messages that the caller may read at a table."""
    entry, held = await _seated(services, game_id, caller)
    rows = await services.talk.readable(entry, held, 0)
    return [Said(row.seat, row.turn, row.phrase, row.text) for row in rows]


@get("/api/games/{game_id:str}/talk", responses=ERRORS, summary="The messages at a table")
async def talk(
    game_id: GameId, services: ServicesArg, caller: CallerArg, after: After = 0
) -> TalkView:
    """The messages that the caller's seats may read, oldest first; `after` leaves out messages up to that number."""
    entry, held = await _seated(services, game_id, caller)
    rows = await services.talk.readable(entry, held, after)
    said = [
        SaidView(row.number, row.seat, row.turn, iso(row.at), row.phrase, row.text) for row in rows
    ]
    return TalkView(said, *await services.talk.state(entry, caller, held))


@post("/api/games/{game_id:str}/talk", responses=ERRORS, summary="Send a message at a table")
async def say(
    game_id: GameId, data: JSONBody[Say], services: ServicesArg, caller: CallerArg
) -> TalkView:
    """Send a phrase, or a text to those who allow texts; returns the messages from this one on."""
    if (data.phrase is None) == (data.text is None):
        raise Unprocessable("invalid-message", "send either a phrase or a text")
    entry, held = await _seated(services, game_id, caller)
    services.limits.take("say", caller.key, caller.address)
    number = await services.talk.say(entry, held, data.seat, data.phrase, data.text)
    return await talk.fn(game_id, services, caller, number - 1)  # type: ignore[no-any-return]


@put("/api/games/{game_id:str}/mutes/{seat:int}", responses=ERRORS, summary="Mute a seat")
async def mute(
    game_id: GameId,
    seat: FromPath[int],
    data: JSONBody[Mute],
    services: ServicesArg,
    caller: CallerArg,
) -> TalkView:
    """Mute the person at a seat in all games, or unmute them."""
    entry, held = await _seated(services, game_id, caller)
    services.limits.take("offer", caller.key, caller.address)
    await services.talk.mute(entry, held, seat, data.muted)
    return await talk.fn(game_id, services, caller, 0)  # type: ignore[no-any-return]


@get("/api/me/talk", responses=ERRORS, summary="Do I allow texts?")
async def talk_settings(services: ServicesArg, caller: CallerArg) -> TalkSettings:
    """Whether the caller allows texts; off by default."""
    return TalkSettings(await services.talk.allows(caller.people))


@put("/api/me/talk", responses=ERRORS, summary="Allow texts, or not")
async def allow_texts(
    data: JSONBody[TalkSettings], services: ServicesArg, caller: CallerArg
) -> TalkSettings:
    """Allow texts, at all tables, from people who allow them too."""
    services.limits.take("offer", caller.key, caller.address)
    if not caller.may("play"):
        raise Forbidden("missing-scope", "this token does not allow 'play'")
    await services.talk.allow(caller, data.allows_text)
    return data


HANDLERS: list[Any] = [talk, say, mute, talk_settings, allow_texts]
