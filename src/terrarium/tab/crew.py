"""Other workers of this browser that think, each with a Python of its own: what they are asked, and what they answer."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

import msgspec

from terrarium.core.position import Position
from terrarium.play.positions import start_position
from terrarium.play.thinking import Question
from terrarium.tab.thinking import analyse, verdict

__all__ = ["Alone", "Crew", "Thinker", "Workers"]

_encode = msgspec.json.Encoder().encode
_numbers = itertools.count(1)


class Workers(Protocol):
    """The workers as the Web Worker with the games starts them: at most `size`, when they are needed."""

    size: int

    def ask(self, id: str, job: str) -> Awaitable[str]:
        """The answer of a worker that is free, as JSON; fails if there is none."""
        ...

    def cancel(self, id: str) -> None:
        """Nobody waits for an answer any more."""
        ...


class Alone:
    """No other workers: a device with few processors."""

    size = 0

    def ask(self, id: str, job: str) -> Awaitable[str]:
        raise RuntimeError("there are no workers")

    def cancel(self, id: str) -> None:
        raise RuntimeError("there are no workers")


class _Verdict(msgspec.Struct, tag="verdict"):
    position: str
    actions: list[str]


class _Analysis(msgspec.Struct, tag="analysis"):
    position: str
    seconds: float


_Job = _Verdict | _Analysis


class Crew:
    """Asks the workers."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers

    @property
    def size(self) -> int:
        """How many can think at the same time; 0 if this one is alone."""
        return int(self._workers.size)

    async def verdict(self, position: Position, actions: Sequence[str]) -> dict[str, Any]:
        """What a turn was worth; judged here if nobody else can."""
        if self.size:
            found = await self._asked(_Verdict(position.to_text(), list(actions)))
            if found is not None:
                return found
        return await verdict(position, actions)

    async def deeper(self, position: Position, seconds: float) -> dict[str, Any] | None:
        """The last report of an analysis with one line; None if nobody can make it."""
        return await self._asked(_Analysis(position.to_text(), max(0.1, seconds)))

    async def _asked(self, job: _Job) -> dict[str, Any] | None:
        id = str(next(_numbers))
        try:
            text = await self._workers.ask(id, _encode(job).decode())
        except asyncio.CancelledError:
            self._workers.cancel(id)
            raise
        except Exception:  # a worker that could not be loaded or ran out of memory
            return None
        found: dict[str, Any] | None = msgspec.json.decode(text)
        return found


class Thinker:
    """One of the other workers. `reply(job, text)` answers with JSON, `null` if it can't."""

    def __init__(self, reply: Callable[[str, str], None]) -> None:
        self._reply = reply
        self._jobs: dict[str, asyncio.Task[None]] = {}

    def ask(self, id: str, job: str) -> None:
        """Think about a job; `cancel` stops it."""
        task = self._jobs[id] = asyncio.ensure_future(self._answer(id, job))
        task.add_done_callback(lambda _: self._jobs.pop(id, None))

    def cancel(self, id: str) -> None:
        """Nobody waits for the answer any more."""
        task = self._jobs.get(id)
        if task is not None:
            task.cancel()

    async def _answer(self, id: str, text: str) -> None:
        found: dict[str, Any] | None = None
        try:
            job = msgspec.json.decode(text, type=_Job)
            position = start_position(job.position)
            if isinstance(job, _Verdict):
                found = await verdict(position, job.actions)
            else:
                question = Question(job.position, job.seconds, 1)
                found = [facts async for facts in analyse(position, question)][-1]
        except Exception:  # whoever asked thinks for itself then, and meets the same error
            found = None
        finally:
            self._reply(id, _encode(found).decode())
