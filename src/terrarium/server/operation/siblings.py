"""The metrics of all workers of one server: each worker serves its own on a Unix socket that only its user can open.

The parent process creates a folder. A worker takes the lowest number that no running worker has, so that a restarted worker
continues the time series of its predecessor.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
from pathlib import Path

import msgspec

from terrarium.server.operation.metrics import Family, Metrics

__all__ = ["FOLDER", "Siblings"]

logger = logging.getLogger("terrarium.siblings")
FOLDER = "_TERRARIUM_SIBLINGS"
"""The environment variable with the folder."""
_SECONDS = 2.0
_MOST = 1_000
_decode = msgspec.json.Decoder(list[Family]).decode


class Siblings:
    """One worker's view of all workers of its server; without a folder there is only one."""

    def __init__(self, metrics: Metrics, folder: Path | None) -> None:
        self._metrics = metrics
        self._folder = folder
        self._number = 1
        self._lock: int | None = None
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        """Take a number and start serving metrics."""
        if self._folder is None:
            return
        for number in range(1, _MOST):
            lock = os.open(self._folder / f"{number}.lock", os.O_WRONLY | os.O_CREAT, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
                continue
            self._lock, self._number = lock, number
            break
        path = self._folder / f"{self._number}.sock"
        path.unlink(missing_ok=True)
        self._server = await asyncio.start_unix_server(self._answer, path)

    async def close(self) -> None:
        """Stop serving metrics."""
        if self._folder is None or self._server is None:
            return
        self._server.close()
        (self._folder / f"{self._number}.sock").unlink(missing_ok=True)
        if self._lock is not None:
            os.close(self._lock)

    async def _answer(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            writer.write(msgspec.json.encode(self._metrics.families()))
            async with asyncio.timeout(_SECONDS):
                await writer.drain()
        except (OSError, TimeoutError):
            pass
        finally:
            writer.close()

    async def families(self) -> dict[int, list[Family]]:
        """The metrics of each worker that answers, by its number."""
        found = {self._number: self._metrics.families()}
        if self._folder is not None:
            paths = [path for path in self._folder.glob("*.sock") if path.stem != str(self._number)]
            answers = await asyncio.gather(*(self._asked(path) for path in paths))
            found |= {
                int(path.stem): answer
                for path, answer in zip(paths, answers, strict=True)
                if answer is not None
            }
        for families in found.values():
            families.append(Family("workers", "gauge", "1 for each worker.", [("", {}, 1)]))
        return found

    async def _asked(self, path: Path) -> list[Family] | None:
        try:
            async with asyncio.timeout(_SECONDS):
                reader, writer = await asyncio.open_unix_connection(path)
                try:
                    return _decode(await reader.read())
                finally:
                    writer.close()
        except (OSError, TimeoutError, msgspec.DecodeError) as error:
            # A killed worker leaves its socket behind; the next one with its number replaces it.
            logger.debug("worker %s: %s", path.stem, type(error).__name__)
            return None
