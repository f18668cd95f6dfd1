"""Tokens for bots."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import delete, get, post
from litestar.params import FromPath, JSONBody
from msgspec import Meta, Struct

from terrarium.play.clocks import iso
from terrarium.server.api.accounts import Name, own_account
from terrarium.server.api.common import ERRORS, CallerArg, ServicesArg

__all__ = ["HANDLERS"]


class NewToken(Struct, forbid_unknown_fields=True):
    """A token to create."""

    name: Name
    scopes: Annotated[list[Annotated[str, Meta(max_length=16)]], Meta(max_length=8)]


class TokenView(Struct):
    """A token; its text is included only when it is new."""

    id: str
    name: str
    scopes: list[str]
    created: str
    token: str | None = None


@get("/api/me/tokens", responses=ERRORS, summary="My tokens")
async def list_tokens(services: ServicesArg, caller: CallerArg) -> list[TokenView]:
    """The tokens of this account, without their texts."""
    account = await own_account(services, caller)
    return [
        TokenView(token.id, token.name, sorted(token.scopes), iso(token.created))
        for token in await services.tokens.of_account(account.id)
    ]


@post("/api/me/tokens", responses=ERRORS, summary="Create a token for a bot")
async def create_token(
    data: JSONBody[NewToken], services: ServicesArg, caller: CallerArg
) -> TokenView:
    """A token with scopes; its text is shown only now."""
    services.limits.take("account", caller.key, caller.address)
    account = await own_account(services, caller)
    token, text = await services.tokens.create(account.id, data.name, data.scopes)
    return TokenView(token.id, token.name, sorted(token.scopes), iso(token.created), text)


@delete(
    "/api/me/tokens/{token_id:str}", status_code=204, responses=ERRORS, summary="Revoke a token"
)
async def revoke_token(token_id: FromPath[str], services: ServicesArg, caller: CallerArg) -> None:
    """Revoke a token at once."""
    account = await own_account(services, caller)
    await services.tokens.revoke(account.id, token_id)
    await services.recheck(account.id)


HANDLERS: list[Any] = [list_tokens, create_token, revoke_token]
