"""An HTTP client for a Terrarium server, with the standard library only; for the commands `bot` and `token`."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.cookiejar import CookieJar
from typing import Any

from terrarium.errors import TerrariumError

__all__ = ["Refused", "Remote", "Unreachable"]

_RETRIED = (429, 503)
_LONGEST_PAUSE = 15.0
_SILENCE = 60.0
"""A server sends an empty line into a stream every 15 seconds; after this many seconds without one, the connection is lost."""
_NETWORK = (OSError, http.client.HTTPException)


class Refused(TerrariumError):
    """The server refused a request; `status` is the HTTP status."""

    def __init__(self, status: int, body: dict[str, Any]) -> None:
        super().__init__(str(body.get("code", status)), str(body.get("message", "refused")))
        self.status = status
        self.retry_after = float(body.get("retry_after", 1.0))


class Unreachable(TerrariumError):
    """The server did not answer, or the connection was lost."""


class Remote:
    """A server, and the credentials there: a token, or the cookie of a sign-in."""

    def __init__(self, server: str, token: str | None = None) -> None:
        self._server = server.rstrip("/")
        self._headers = {"Content-Type": "application/json"}
        if token is None:
            self._headers["Origin"] = self._server
        else:
            self._headers["Authorization"] = f"Bearer {token}"
        cookies = urllib.request.HTTPCookieProcessor(CookieJar())
        self._opener = urllib.request.build_opener(cookies)

    def ask(self, method: str, path: str, body: Any = None, *, attempts: int = 8) -> Any:
        """The answer to a request; repeats the request if the server is busy or does not answer.

        With more than one attempt, only for requests that may be sent twice, such as a turn with its key.
        """
        for attempt in range(attempts):
            try:
                with self._open(method, path, body, 30.0) as answer:
                    text = answer.read()
                    return json.loads(text) if text else None
            except Refused as error:
                if error.status not in _RETRIED or attempt == attempts - 1:
                    raise
                pause(attempt, error.retry_after)
            except _NETWORK as error:
                if attempt == attempts - 1:
                    message = f"{self._server}: no answer ({error})"
                    raise Unreachable("server-unreachable", message) from error
                pause(attempt)
        raise AssertionError("no attempt")

    def lines(self, path: str) -> Iterator[dict[str, Any]]:
        """The lines of a stream until it ends; `Unreachable` when the connection is lost."""
        try:
            with self._open("GET", path, None, _SILENCE) as stream:
                for line in stream:
                    if line.strip():
                        yield json.loads(line)
        except _NETWORK as error:
            message = f"{self._server}: the connection was lost ({error})"
            raise Unreachable("server-unreachable", message) from error

    def _open(self, method: str, path: str, body: Any, timeout: float) -> Any:
        data = None if body is None and method == "GET" else json.dumps(body or {}).encode()
        request = urllib.request.Request(
            self._server + path, data=data, headers=self._headers, method=method
        )
        try:
            return self._opener.open(request, timeout=timeout)
        except urllib.error.HTTPError as error:
            with error:
                raise Refused(error.code, _body(error.read())) from None


def _body(text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def pause(attempt: int, seconds: float = 0.25) -> None:
    """Wait before the next attempt, longer each time."""
    time.sleep(min(_LONGEST_PAUSE, max(seconds, 0.25) * 2**attempt))
