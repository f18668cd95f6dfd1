"""Common parts of the handlers: the caller, cookies, and error responses."""

from __future__ import annotations

import logging
import math
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie
from litestar.di import NamedDependency
from litestar.exceptions import (
    ClientException,
    HTTPException,
    InternalServerException,
    SerializationException,
    ValidationException,
)
from litestar.handlers import BaseRouteHandler
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath
from msgspec import structs

from terrarium.errors import TerrariumError
from terrarium.play.errors import Forbidden, error_body, status_of
from terrarium.play.people import Caller
from terrarium.play.shapes import ErrorShape, Snapshot
from terrarium.play.table import Table
from terrarium.server.accounts.cookies import COOKIE, COOKIE_AGE, TOKEN_PREFIX
from terrarium.server.http.limits import neighbourhood
from terrarium.server.services import Services

__all__ = [
    "ERRORS",
    "EXCEPTION_HANDLERS",
    "CallerArg",
    "GameId",
    "JsonRequest",
    "ServicesArg",
    "caller_of",
    "cookie",
    "game_exists",
    "guest",
    "json_of",
    "services_of",
    "show",
]

CallerArg = NamedDependency[Caller]
GameId = FromPath[str]
ServicesArg = NamedDependency[Services]

logger = logging.getLogger("terrarium.api")

ERRORS: dict[int, ResponseSpec] = {
    status: ResponseSpec(ErrorShape, description=text, generate_examples=False)
    for status, text in {
        400: "The request can't be read.",
        401: "No credentials were sent.",
        403: "Not allowed for this caller.",
        404: "Not found.",
        409: "Not possible in the present state.",
        413: "The body is too large.",
        422: "The content is invalid, or the rules don't allow it.",
        429: "Too many requests; retry_after is the time to wait in seconds.",
        503: "Not available now.",
    }.items()
}


class JsonRequest(Request[Any, Any, Any]):
    """A request in which a missing body counts as an empty object."""

    async def body(self) -> bytes:
        """The body as bytes."""
        try:
            return await super().body() or b"{}"
        except InternalServerException as error:
            # Litestar raises this when the client disconnects, which is not a failure of the server.
            raise ClientException("the connection ended before the body did") from error

    async def json(self) -> Any:
        """The body parsed as JSON."""
        try:
            return await super().json()
        except UnicodeDecodeError as error:
            raise SerializationException("not UTF-8 text") from error


def services_of(request: ASGIConnection[Any, Any, Any, Any]) -> Services:
    """The services of the running server."""
    services: Services = request.app.state.services
    return services


async def caller_of(request: ASGIConnection[Any, Any, Any, Any], services: ServicesArg) -> Caller:
    """The caller, identified by bearer token or cookie; anonymous without either."""
    address = neighbourhood(request.client.host if request.client else "")
    kind, _, credential = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        # A bearer token, even an empty one, overrides the cookie.
        credential = credential.strip()
        if not credential.startswith(TOKEN_PREFIX):
            return Caller(address, bearer=credential)
        token = await services.tokens.find(credential)
        if token is None:
            raise Forbidden("wrong-token", "this token is unknown or was revoked", status=401)
        people = await services.accounts.people(token.account)
        return Caller(address, None, people, token.account, token.scopes, token.id)
    found = services.signer.read(request.cookies.get(COOKIE, ""))
    if found is None:
        return Caller(address)
    kind, id = found
    if kind == "g":
        return Caller(address, people=frozenset({f"g:{id}"}))
    account = await services.sessions.account(id) if kind == "s" else None
    if account is None:
        return Caller(address)
    people = await services.accounts.people(account)
    return Caller(address, people=people, account=account, session=id)


async def game_exists(request: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """Refuse commands to a game that does not exist, before their other errors are checked."""
    id = request.path_params.get("game_id")
    if id is not None and isinstance(request, Request) and request.method == "POST":
        await services_of(request).tables.entry(id)


def cookie(request: ASGIConnection[Any, Any, Any, Any], value: str) -> Cookie:
    """The cookie that identifies a person; scripts can't read it, and forms of other sites don't send it."""
    origins = services_of(request).settings.origins
    is_secure = request.url.scheme == "https" or any(o.startswith("https:") for o in origins)
    return Cookie(
        COOKIE,
        value=value,
        max_age=COOKIE_AGE,
        path="/",
        httponly=True,
        samesite="lax",
        secure=is_secure,
    )


def guest(request: Request[Any, Any, Any], caller: Caller) -> tuple[str, list[Cookie]]:
    """The id that holds seats for the caller; an anonymous caller becomes a guest, with a cookie to set."""
    if caller.person is not None:
        return caller.person, []
    signer = services_of(request).signer
    id = signer.new_guest()
    return f"g:{id}", [cookie(request, signer.sign("g", id))]


def show(services: Services, table: Table, you: frozenset[int]) -> Snapshot:
    """A game as the holder of these seats sees it."""
    connected = services.rooms.connected(table.id)
    found = services.rooms.snapshots.snapshot(table, you, connected, services.now())
    ahead = services.computers.ahead(table.id) if table.awaits_computer else None
    return found if ahead is None else structs.replace(found, ahead=ahead)


def json_of(facts: Any) -> Any:
    """Facts encoded as JSON; Litestar sends bytes as they are. For large responses that are encoded outside the event loop."""
    return msgspec.json.encode(facts)


def _answer(status: int, body: dict[str, Any]) -> Response[bytes]:
    headers = {}
    if "retry_after" in body:
        headers["Retry-After"] = str(max(1, math.ceil(body["retry_after"])))
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    content = msgspec.json.encode(body)
    return Response(content, status_code=status, media_type="application/json", headers=headers)


def _refused(_: Request[Any, Any, Any], error: TerrariumError) -> Response[bytes]:
    return _answer(status_of(error), error_body(error))


def _http_error(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    codes = {
        401: ("unauthorized", "credentials are required"),
        404: ("not-found", f"{request.url.path[:80]!r}: there is no such address"),
        405: ("method-not-allowed", f"{request.method} is not possible here"),
        413: ("too-large", "the body is too large"),
        415: ("media-type", "send JSON"),
    }
    if error.status_code in codes:
        code, message = codes[error.status_code]
        return _answer(error.status_code, {"code": code, "message": message, "rule": None})
    if error.status_code >= 500:
        return _broken(request, error)
    return _answer(
        error.status_code,
        {"code": "invalid-request", "message": _explained(error), "rule": None},
    )


def _explained(error: HTTPException) -> str:
    if isinstance(error, ValidationException) and isinstance(error.extra, list):
        parts = [
            f"{item.get('key', 'body')}: {item.get('message', 'is wrong')}"
            for item in error.extra[:5]
            if isinstance(item, dict)
        ]
        if parts:
            return "; ".join(parts)
    return "the request is invalid: send JSON as described in /api/openapi.json"


def _too_deep(_: Request[Any, Any, Any], error: RecursionError) -> Response[bytes]:
    message = "the body is nested too deeply"
    return _answer(400, {"code": "invalid-request", "message": message, "rule": None})


def _broken(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    logger.error("%s %s", request.method, request.url.path, exc_info=error)
    message = "an error on the server; it has been logged"
    return _answer(500, {"code": "internal-error", "message": message, "rule": None})


EXCEPTION_HANDLERS: dict[Any, Any] = {
    TerrariumError: _refused,
    HTTPException: _http_error,
    RecursionError: _too_deep,
    Exception: _broken,
}
