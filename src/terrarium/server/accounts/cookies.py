"""The cookie that identifies a person, and the prefix of tokens."""

from __future__ import annotations

import hashlib
import hmac
import secrets

__all__ = ["COOKIE", "COOKIE_AGE", "TOKEN_PREFIX", "Signer"]

COOKIE = "terrarium"
COOKIE_AGE = 400 * 86_400
TOKEN_PREFIX = "terrarium_"


class Signer:
    """Signs and reads the cookie: `kind.id.0.signature`, of a guest (`g`) or a session (`s`)."""

    def __init__(self, secret: str) -> None:
        self._key = hashlib.sha256(b"terrarium-cookie\0" + secret.encode()).digest()

    def new_guest(self) -> str:
        """A new guest's id."""
        return secrets.token_hex(16)

    def sign(self, kind: str, id: str) -> str:
        text = f"{kind}.{id}.0"
        return f"{text}.{self._signature(text)}"

    def read(self, cookie: str) -> tuple[str, str] | None:
        """(kind, id) of a cookie with a valid signature; None for any other."""
        text, _, signature = cookie.rpartition(".")
        if len(cookie) > 200 or not cookie.isascii():
            return None
        if not hmac.compare_digest(self._signature(text), signature):
            return None
        kind, id, _ = text.split(".")
        return kind, id

    def _signature(self, text: str) -> str:
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()[:43]
