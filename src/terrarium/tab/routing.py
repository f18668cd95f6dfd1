"""Finds the function that answers a request; the modules with routes register theirs here."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qsl, unquote

import msgspec

from terrarium.play.errors import NotFound, Unprocessable
from terrarium.tab.meta import MAX_BODY

if TYPE_CHECKING:
    from terrarium.tab.app import Tab

__all__ = ["Call", "Text", "answer", "route"]


class Text(msgspec.Struct):
    """An answer that is not JSON."""

    text: str
    media_type: str = "text/plain"


class Call(msgspec.Struct):
    tab: Any
    query: dict[str, str]
    body: str


Handler = Callable[..., Awaitable[Any] | AsyncIterator[Any]]
_ROUTES: list[tuple[str, re.Pattern[str], Any, Handler]] = []


def route(
    method: str, path: str, shape: Any = None, *, needs: str | None = None
) -> Callable[[Handler], Handler]:
    """Add a function that answers requests; `needs` names the data that must be there before (`Tab.need`)."""
    pattern = re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path) + r"\Z")

    def add(handler: Handler) -> Handler:
        whole = handler if needs is None else _after(needs, handler)
        _ROUTES.append((method, pattern, shape, whole))
        return handler

    return add


def _after(needs: str, handler: Handler) -> Handler:
    async def answered(call: Call, **parts: Any) -> Any:
        await call.tab.need(needs)
        return await cast(Awaitable[Any], handler(call, **parts))

    return answered


def answer(tab: Tab, method: str, path: str, body: str) -> Awaitable[Any] | AsyncIterator[Any]:
    """The answer to a request, still to be awaited or iterated; raises the errors that a server would send."""
    path, _, query = path.partition("?")
    for verb, pattern, shape, handler in _ROUTES:
        match = pattern.match(path)
        if verb != method or match is None:
            continue
        parts = {name: unquote(value) for name, value in match.groupdict().items()}
        if shape is not None:
            parts["data"] = _read(body, shape)
        return handler(Call(tab, dict(parse_qsl(query)), body), **parts)
    raise NotFound("needs-server", f"{method} {path[:60]}: this needs a server")


def _read(body: str, shape: Any) -> Any:
    if len(body) > MAX_BODY:
        raise Unprocessable("too-large", "the body is too large")
    try:
        return msgspec.json.decode(body or "{}", type=shape)
    except msgspec.DecodeError as error:
        raise Unprocessable("invalid-request", str(error), status=400) from None
