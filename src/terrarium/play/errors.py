"""Refusals of commands and requests, each with its HTTP status.

::

    TerrariumError
    └── Refusal         status, extra
        ├── NotFound        404
        ├── Forbidden       401 without credentials, 403 with the wrong ones
        ├── Conflict        409
        ├── Unprocessable   422
        ├── TooMany         429, says when to retry
        └── Unavailable     503
"""

from __future__ import annotations

from typing import Any

from terrarium.errors import TerrariumError

__all__ = [
    "Conflict",
    "Forbidden",
    "NotFound",
    "Refusal",
    "TooMany",
    "Unavailable",
    "Unprocessable",
    "error_body",
    "status_of",
]


class Refusal(TerrariumError):
    """A command or request that is refused, with its HTTP status and further facts."""

    status = 400

    def __init__(
        self,
        code: str,
        message: str,
        rule: str | None = None,
        *,
        status: int | None = None,
        **extra: Any,
    ) -> None:
        super().__init__(code, message, rule)
        if status is not None:
            self.status = status
        self.extra = extra


class NotFound(Refusal):
    """The requested thing does not exist."""

    status = 404


class Forbidden(Refusal):
    """The caller does not have the necessary rights."""

    status = 403


class Conflict(Refusal):
    """A valid request that is not possible in the present state."""

    status = 409


class Unprocessable(Refusal):
    """A well-formed request with invalid content."""

    status = 422


class TooMany(Refusal):
    """Too many requests; `retry_after` is in seconds."""

    status = 429

    def __init__(self, what: str, retry_after: float) -> None:
        seconds = max(0.1, round(retry_after, 1))
        message = f"too many {what}; try again in {seconds} seconds"
        super().__init__("too-many-requests", message, retry_after=seconds)


class Unavailable(Refusal):
    """Not possible now, but perhaps later."""

    status = 503


def status_of(error: TerrariumError) -> int:
    """The HTTP status of an error; 422 for errors of the games."""
    return error.status if isinstance(error, Refusal) else 422


def error_body(error: TerrariumError) -> dict[str, Any]:
    """The JSON of an error, with the additional fields of its type."""
    body: dict[str, Any] = dict(error.to_dict())
    if isinstance(error, Refusal):
        body.update(error.extra)
    for name in ("line", "column", "index"):
        value = getattr(error, name, None)
        if value is not None and not callable(value):
            body[name] = value
    problems = getattr(error, "problems", None)
    if problems:
        body["problems"] = [
            {"code": p.code, "message": p.message, "line": p.line, "column": p.column}
            for p in problems[:50]
        ]
    return body
