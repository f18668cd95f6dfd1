"""Other Web Workers of this browser that run the engine, each with its own Python: their jobs and results."""

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

__all__ = ["Crew", "NoWorkers", "Thinker", "Workers"]

_encode = msgspec.json.Encoder().encode
_numbers = itertools.count(1)


class Workers(Protocol):
    """The other Web Workers, started on demand by the one that holds the games: at most `size`."""

    size: int

    def ask(self, id: str, job: str) -> Awaitable[str]:
        """The result of a job as JSON, from a free worker; fails if there is none."""
        ...

    def cancel(self, id: str) -> None:
        """Cancel a job."""
        ...


class NoWorkers:
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
    """Runs jobs on the other workers."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers

    @property
    def size(self) -> int:
        """How many jobs can run at the same time; 0 without other workers."""
        return int(self._workers.size)

    async def verdict(self, position: Position, actions: Sequence[str]) -> dict[str, Any]:
        """The verdict on a turn; computed here if no worker can do it."""
        if self.size:
            found = await self._asked(_Verdict(position.to_text(), list(actions)))
            if found is not None:
                return found
        return await verdict(position, actions)

    async def deeper(self, position: Position, seconds: float) -> dict[str, Any] | None:
        """The last report of an analysis with one line; None if no worker can do it."""
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
    """Runs in each of the other workers. `reply(job, text)` sends the result as JSON, `null` after an error."""

    def __init__(self, reply: Callable[[str, str], None]) -> None:
        self._reply = reply
        self._jobs: dict[str, asyncio.Task[None]] = {}

    def ask(self, id: str, job: str) -> None:
        """Start a job; `cancel` stops it."""
        task = self._jobs[id] = asyncio.ensure_future(self._answer(id, job))
        task.add_done_callback(lambda _: self._jobs.pop(id, None))

    def cancel(self, id: str) -> None:
        """Cancel a job."""
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
        except Exception:  # the caller then computes it alone and gets the same error
            found = None
        finally:
            self._reply(id, _encode(found).decode())
