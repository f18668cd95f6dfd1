"""Watchers: sockets and streams that receive messages. Each has its own queue, so that a slow one does not delay others."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import msgspec

from terrarium.play.log import SeatHolders
from terrarium.play.people import Caller, seats_held

__all__ = ["SocketWatcher", "StreamWatcher", "Watcher", "encoded"]

_encode = msgspec.json.Encoder().encode
_MAX_WAITING = 4_000_000
"""The most characters that may wait for one watcher; a single message may be longer."""
Send = Callable[[str], Awaitable[None]]


def encoded(message: msgspec.Struct | dict[str, Any]) -> str:
    """A message encoded for sending."""
    return _encode(message).decode()


class Watcher:
    """A connection that watches a game or study: its caller, the seats held and the last seq sent."""

    __slots__ = (
        "caller",
        "is_dropped",
        "is_revoked",
        "is_slow",
        "limit",
        "queue",
        "queued",
        "seats",
        "seq",
    )

    def __init__(self, caller: Caller, holders: Sequence[SeatHolders], limit: int) -> None:
        self.caller = caller
        self.seats = seats_held(holders, caller)
        self.seq = 0
        self.limit = limit
        self.queue: deque[str] = deque()
        self.queued = 0
        """Characters in the queue."""
        self.is_dropped = False
        self.is_revoked = False
        self.is_slow = False

    def revoke(self) -> None:
        """Send nothing more, because the watcher's credentials are no longer valid."""
        self.is_dropped = self.is_revoked = True
        self.queue.clear()
        self.drop()

    def push(self, text: str) -> None:
        """Queue a message; a watcher with too many or too long waiting messages is dropped."""
        if self.is_dropped:
            return
        is_long = self.queued > 0 and self.queued + len(text) > _MAX_WAITING
        if len(self.queue) >= self.limit or is_long:
            self.is_dropped = self.is_slow = True
            self.queue.clear()
            self.drop()
            return
        self.queue.append(text)
        self.queued += len(text)
        self.wake()

    def next(self) -> str:
        """Take the first message from the queue."""
        text = self.queue.popleft()
        self.queued -= len(text)
        return text

    def wake(self) -> None:
        """Start sending queued messages."""
        raise NotImplementedError

    def drop(self) -> None:
        """End the connection of a watcher that was dropped."""
        raise NotImplementedError


class SocketWatcher(Watcher):
    """A WebSocket. A task exists only while messages wait, so that an idle socket has none."""

    __slots__ = ("_flushing", "_is_over", "_on_drop", "_send")

    def __init__(
        self,
        caller: Caller,
        holders: Sequence[SeatHolders],
        limit: int,
        send: Send,
        on_drop: Callable[[], None],
    ) -> None:
        super().__init__(caller, holders, limit)
        self._send = send
        self._on_drop = on_drop
        self._flushing: asyncio.Task[None] | None = None
        self._is_over = False

    def end(self) -> None:
        """Close the socket after the queued messages are sent."""
        self._is_over = True
        self.wake()

    def wake(self) -> None:
        if self._flushing is None:
            self._flushing = asyncio.create_task(self._flush())

    def drop(self) -> None:
        if self._flushing is not None:
            self._flushing.cancel()
        self._on_drop()

    async def _flush(self) -> None:
        try:
            while self.queue:
                await self._send(self.next())
            if self._is_over:
                self.is_dropped = True
                self._on_drop()
        except Exception:
            self.is_dropped = True
            self._on_drop()
        finally:
            self._flushing = None

    @property
    def close_reason(self) -> tuple[int, str]:
        """The code and the reason for closing the socket."""
        if self.is_revoked:
            return 1008, "signed out"
        return (1013, "too slow") if self.is_slow or not self._is_over else (1000, "gone")

    def close(self) -> None:
        """Stop sending."""
        self.is_dropped = True
        if self._flushing is not None:
            self._flushing.cancel()


class StreamWatcher(Watcher):
    """A line-by-line HTTP stream."""

    __slots__ = ("_event", "_is_over")

    def __init__(self, caller: Caller, holders: Sequence[SeatHolders], limit: int) -> None:
        super().__init__(caller, holders, limit)
        self._event = asyncio.Event()
        self._is_over = False

    def wake(self) -> None:
        self._event.set()

    drop = wake

    def end(self) -> None:
        """End the stream after the queued messages are sent."""
        self._is_over = True
        self.wake()

    async def lines(self, pause: float = 15.0) -> AsyncIterator[str]:
        """Yield messages as they come; empty lines in between keep the connection alive."""
        while not self.is_dropped:
            while self.queue:
                yield self.next() + "\n"
            if self._is_over:
                return
            self._event.clear()
            try:
                await asyncio.wait_for(self._event.wait(), pause)
            except TimeoutError:
                yield "\n"
