"""Callers: a guest by signed cookie, an account, a seat's secret, or a bot's token.

Secrets are 128 random bits from the operating system. The database stores only their SHA-256, which is enough because
they can't be guessed; passwords, which can be guessed, are hashed with argon2 (see `accounts`).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from terrarium.play.errors import Forbidden, Unprocessable
from terrarium.play.log import SeatHolders

__all__ = [
    "LOCAL",
    "Caller",
    "Owner",
    "checked_name",
    "digest",
    "new_game_id",
    "new_secret",
    "seats_held",
]

MAX_NAME = 32


def new_secret() -> str:
    """128 random bits as text."""
    return secrets.token_urlsafe(16)


LOCAL = "local"
"""The prefix of ids of games in a browser; ids of a server contain neither l nor o."""


def new_game_id(*, is_local: bool = False) -> str:
    """An unguessable id for links: 100 random bits as lower-case letters and digits."""
    alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
    number = secrets.randbits(100)
    name = "".join(alphabet[(number >> shift) & 31] for shift in range(0, 100, 5))
    return LOCAL + name if is_local else name


def digest(secret: str) -> str:
    """The hash of a secret, which is stored instead of it."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def checked_name(name: str | None, *, what: str = "name", most: int = MAX_NAME) -> str | None:
    """A name for display: trimmed and normalised (NFC); refused if it has control or direction characters."""
    if name is None:
        return None
    text = " ".join(unicodedata.normalize("NFC", name).split())
    if not text:
        return None
    bad = [c for c in text if _is_unseen(c)]
    if bad:
        message = f"{what}: the character U+{ord(bad[0]):04X} can't be shown; use letters, digits and marks"
        raise Unprocessable("invalid-name", message)
    if len(text) > most:
        raise Unprocessable("invalid-name", f"{what}: {len(text)} characters; at most {most}")
    return text


def _is_unseen(letter: str) -> bool:
    """Whether a character is invisible, or only changes how others are displayed."""
    if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return True
    return any(first <= letter <= last for first, last in _UNSEEN)


_UNSEEN = (
    ("\u034f", "\u034f"),  # combining grapheme joiner
    ("\u115f", "\u1160"),  # Hangul fillers
    ("\u17b4", "\u17b5"),  # Khmer inherent vowels
    ("\u180b", "\u180f"),  # Mongolian variation selectors
    ("\u2800", "\u2800"),  # blank Braille pattern
    ("\u3164", "\u3164"),  # Hangul filler
    ("\ufe00", "\ufe0f"),  # variation selectors
    ("\uffa0", "\uffa0"),  # half-width Hangul filler
    ("\U000e0100", "\U000e01ef"),  # variation selectors
)


class Owner(NamedTuple):
    """The data of an account that a seat shows."""

    name: str
    is_bot: bool = False


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request."""

    address: str
    """The network address, for rate limits."""
    bearer: str | None = None
    """The seat secret sent as `Authorization: Bearer`; None if a valid token was sent."""
    people: frozenset[str] = frozenset()
    """The ids that can hold seats: one guest, or an account with the guests that were merged into it."""
    account: str | None = None
    scopes: frozenset[str] | None = None
    """The scopes of a token; None without a token, which allows everything."""
    token: str | None = None
    """The id of the token that was sent."""
    session: str | None = None
    """The id of the session whose cookie was sent."""

    @property
    def credential(self) -> str | None:
        """The session or token that identified the account; its owner can revoke it."""
        if self.token is not None:
            return f"t:{self.token}"
        return None if self.session is None else f"s:{self.session}"

    def may(self, scope: str) -> bool:
        return self.scopes is None or scope in self.scopes

    def require(self, scope: str) -> None:
        """Refuse a token without this scope."""
        if not self.may(scope):
            raise Forbidden("missing-scope", f"this token does not allow {scope!r}")

    @property
    def person(self) -> str | None:
        """The id that holds new seats."""
        if self.account is not None:
            return f"a:{self.account}"
        return min(self.people) if self.people else None

    @property
    def key(self) -> str:
        """The key for rate limits."""
        return self.person or self.address


def seats_held(holders: Sequence[SeatHolders], caller: Caller) -> frozenset[int]:
    """The seats that a caller may play for; a bearer overrides the cookie."""
    if caller.bearer is not None:
        sent = digest(caller.bearer)
        return frozenset(
            seat
            for seat, row in enumerate(holders)
            if row.secret_hash is not None and hmac.compare_digest(row.secret_hash, sent)
        )
    return frozenset(seat for seat, row in enumerate(holders) if row.people & caller.people)
