"""Passwords, hashed in a separate thread, and recovery codes."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from terrarium.play.errors import TooMany, Unprocessable
from terrarium.server.accounts.names import name_key

__all__ = ["MAX_DELAY", "Guesses", "Passwords", "new_codes"]

_CODES = 8
_MAX_WAITING = 40
MAX_DELAY = 5.0
_FREE_GUESSES = 5
_FORGET_SECONDS = 900
_MAX_NAMES = 10_000
_hasher = PasswordHasher()
T = TypeVar("T")


class Passwords:
    """Hashes and verifies passwords one at a time, because each takes a large part of a second of one core."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "passwords")
        self._waiting = 0
        self._decoy: str | None = None

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def hash(self, password: str) -> str:
        """The hash of a password; refused if the password is too short or too long."""
        if not 8 <= len(password) <= 200:
            raise Unprocessable("invalid-password", "a password has 8 to 200 characters")
        return await self._run(lambda: _hasher.hash(password))

    async def is_right(self, stored: str | None, password: str) -> bool:
        """Whether a password matches its hash; without a hash it takes the same time."""
        if self._decoy is None:
            self._decoy = await self.hash(secrets.token_hex(8))
        hashed = self._decoy if stored is None else stored
        matches = await self._run(lambda: _verified(hashed, password))
        return matches and stored is not None

    async def _run(self, job: Callable[[], T]) -> T:
        if self._waiting >= _MAX_WAITING:
            raise TooMany("concurrent sign-ins", 2)
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, job)
        finally:
            self._waiting -= 1


class Guesses:
    """Counts attempts for each name, from all callers, until one is right; each makes the delay before the next one longer.

    Attempts count when they begin, so that many at once wait as long as one after the other. Nobody is locked out by others: the
    owner of a name waits at most a few seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._attempts: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def delay(self, name: str) -> float:
        """Count an attempt; returns how many seconds to wait before its password is checked."""
        key, now = name_key(name), self._now()
        count, at = self._attempts.pop(key, (0, 0.0))
        if now - at > _FORGET_SECONDS:
            count = 0
        self._attempts[key] = (count + 1, now)
        if len(self._attempts) > _MAX_NAMES:
            self._attempts.popitem(last=False)
        if count < _FREE_GUESSES:
            return 0.0
        return float(min(MAX_DELAY, 0.25 * 2 ** min(count - _FREE_GUESSES, 20)))

    def right(self, name: str) -> None:
        """Reset the count after a right password."""
        self._attempts.pop(name_key(name), None)


def _verified(stored: str, password: str) -> bool:
    try:
        return _hasher.verify(stored, password)
    except (VerificationError, InvalidHashError):
        return False


def new_codes() -> list[str]:
    """Recovery codes, to be shown once."""
    alphabet = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
    return [
        "-".join("".join(secrets.choice(alphabet) for _ in range(5)) for _ in range(4))
        for _ in range(_CODES)
    ]
