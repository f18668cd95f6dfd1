"""Settings for notices of turns: push messages to this browser, or emails."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from litestar import Request, Response, delete, get, post, put
from litestar.params import JSONBody
from msgspec import Meta, Struct

from terrarium.play.errors import Conflict, Forbidden
from terrarium.play.people import Caller
from terrarium.server.accounts.contacts import push_id
from terrarium.server.api.accounts import own_account
from terrarium.server.api.common import ERRORS, CallerArg, ServicesArg, guest
from terrarium.server.jobs.mail import checked_address
from terrarium.server.jobs.notice_texts import confirmation
from terrarium.server.jobs.push import check_endpoint, check_keys, public_key
from terrarium.server.services import Services

__all__ = ["HANDLERS"]

Language = Literal["en", "fr", "nl", "sv", "de", "it"]
Endpoint = Annotated[str, Meta(max_length=1_000)]
Key = Annotated[str, Meta(max_length=200)]


class PushKeys(Struct, forbid_unknown_fields=True):
    """The keys of a browser's subscription."""

    p256dh: Key
    auth: Key


class NewPush(Struct, forbid_unknown_fields=True):
    """A browser's subscription, as its `toJSON()` describes it, and the language of its reader."""

    endpoint: Endpoint
    keys: PushKeys
    language: Language = "en"


class OldPush(Struct, forbid_unknown_fields=True):
    """A subscription to delete."""

    endpoint: Endpoint


class NewAddress(Struct, forbid_unknown_fields=True):
    """An email address, and the language of its reader."""

    address: Annotated[str, Meta(max_length=254)]
    language: Language = "en"


class MailCode(Struct, forbid_unknown_fields=True):
    """The code from the email that asks to confirm an address."""

    code: Annotated[str, Meta(max_length=64)]


class NoticeSettings(Struct):
    """How the caller is notified of turns in games with days per turn."""

    push_key: str
    """The public key that a browser needs to subscribe."""
    browsers: int
    can_mail: bool
    """Whether this server sends emails."""
    address: str | None
    is_confirmed: bool


async def _settings(services: Services, caller: Caller) -> NoticeSettings:
    browsers = await services.contacts.pushes(caller.people) if caller.people else ()
    known = None if caller.account is None else await services.contacts.address(caller.account)
    return NoticeSettings(
        await asyncio.to_thread(public_key, services.pusher.private),
        len(browsers),
        services.mailer.is_possible,
        None if known is None else known[0],
        known is not None and known[1],
    )


def _by_cookie(caller: Caller) -> None:
    if caller.bearer is not None or caller.scopes is not None:
        raise Forbidden("sign-in-needed", "only a browser can subscribe to notices", status=401)


@get("/api/me/notices", responses=ERRORS, summary="How I am notified of my turns")
async def notice_settings(services: ServicesArg, caller: CallerArg) -> NoticeSettings:
    """The key that a browser needs to subscribe to push messages, and the email address of the account."""
    _by_cookie(caller)
    return await _settings(services, caller)


@put("/api/me/notices/push", responses=ERRORS, summary="Send push messages to this browser")
async def add_push(
    request: Request[Any, Any, Any],
    data: JSONBody[NewPush],
    services: ServicesArg,
    caller: CallerArg,
) -> Response[NoticeSettings]:
    """Store a browser's subscription; it gets a message when it is the person's turn in a game with days per turn."""
    _by_cookie(caller)
    services.limits.take("offer", caller.key, caller.address)
    check_endpoint(data.endpoint, services.pusher.hosts)
    check_keys(data.keys.p256dh, data.keys.auth)
    person, cookies = guest(request, caller)
    people = caller.people | {person}
    await services.contacts.add_push(
        people, person, data.endpoint, data.keys.p256dh, data.keys.auth, data.language
    )
    known = Caller(caller.address, None, people, caller.account)
    return Response(await _settings(services, known), cookies=cookies)


@post(
    "/api/me/notices/push/forget",
    status_code=200,
    responses=ERRORS,
    summary="Stop push messages to this browser",
)
async def forget_push(
    data: JSONBody[OldPush], services: ServicesArg, caller: CallerArg
) -> NoticeSettings:
    """Delete a browser's subscription."""
    _by_cookie(caller)
    await services.contacts.remove_push(push_id(data.endpoint), caller.people)
    return await _settings(services, caller)


@put("/api/me/notices/mail", responses=ERRORS, summary="Set the email address")
async def set_address(
    data: JSONBody[NewAddress], services: ServicesArg, caller: CallerArg
) -> NoticeSettings:
    """Store an email address; an email asks to confirm it, and nothing else is sent before it is confirmed."""
    account = await own_account(services, caller)
    if not services.mailer.is_possible:
        raise Conflict("no-mail", "this server does not send emails")
    address = checked_address(data.address)
    await services.quotas.take("mail", account.id, caller.address, address.casefold())
    code = await services.contacts.set_address(account.id, address, data.language)
    said = confirmation(data.language, account.name)
    text = f"{said.body}\n\n{services.settings.page}/settings?mail={code}\n"
    is_sent = await asyncio.to_thread(services.mailer.send, address, said.title, text)
    if not is_sent:
        await services.contacts.remove_address(account.id)
        raise Conflict("mail-failed", "the mail server did not accept the email")
    return await _settings(services, caller)


@post(
    "/api/me/notices/mail/confirm",
    status_code=200,
    responses=ERRORS,
    summary="Confirm the email address",
)
async def confirm_address(
    data: JSONBody[MailCode], services: ServicesArg, caller: CallerArg
) -> NoticeSettings:
    """Confirm the account's address with the code from the email."""
    account = await own_account(services, caller)
    services.limits.take("account", f"mail {account.id}")
    await services.contacts.confirm(account.id, data.code)
    return await _settings(services, caller)


@delete(
    "/api/me/notices/mail", status_code=200, responses=ERRORS, summary="Delete the email address"
)
async def remove_address(services: ServicesArg, caller: CallerArg) -> NoticeSettings:
    """Delete the account's email address."""
    account = await own_account(services, caller)
    await services.contacts.remove_address(account.id)
    return await _settings(services, caller)


HANDLERS: list[Any] = [
    notice_settings,
    add_push,
    forget_push,
    set_address,
    confirm_address,
    remove_address,
]
