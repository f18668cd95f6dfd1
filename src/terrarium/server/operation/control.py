"""Access of `terrarium admin` to the database: through a server's control socket, or directly.

Only one process may write to a SQLite database. While a server uses it, the server listens on a Unix socket beside the file,
which only its own user may open, and performs operators' acts. Otherwise the command opens the database itself.

Each connection has one request and one response, each a line of JSON.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from pathlib import Path
from typing import Any

import msgspec

from terrarium.errors import TerrariumError
from terrarium.play.clocks import wall_clock
from terrarium.play.shapes import AnyDict
from terrarium.server.accounts.accounts import Accounts
from terrarium.server.database.backup import reading
from terrarium.server.database.store import Store
from terrarium.server.live.tables import Tables
from terrarium.server.operation.admin import Admin
from terrarium.server.operation.retention import Retention, Rules
from terrarium.server.settings import InvalidSettings, Settings

__all__ = ["Control", "carry_out"]

logger = logging.getLogger("terrarium.control")
_MAX_LINE = 65_536
_SECONDS = 60.0
_MAX_PATH = 100
"""The longest path of a Unix socket, in bytes."""


def socket_path(settings: Settings) -> Path:
    """The path of the control socket of a server on SQLite."""
    return settings.database_path.with_name(settings.database_path.name + ".control")


class Control:
    """The control socket of a server on SQLite."""

    def __init__(self, settings: Settings, admin: Admin) -> None:
        self._path = socket_path(settings)
        self._admin = admin
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        """Start listening. The caller holds the lock of the database, so an old socket file is unused."""
        if len(os.fsencode(self._path)) > _MAX_PATH:
            logger.warning("no control socket: the path of the database is too long for one")
            return
        self._path.unlink(missing_ok=True)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        mask = os.umask(0o177)
        try:
            listening.bind(str(self._path))
        except OSError as error:
            listening.close()
            logger.warning("no control socket: %s", error.strerror)
            return
        finally:
            os.umask(mask)
        self._server = await asyncio.start_unix_server(
            self._answer, sock=listening, limit=_MAX_LINE
        )

    async def close(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()
            self._path.unlink(missing_ok=True)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_SECONDS):
                line = await reader.readline()
                writer.write(msgspec.json.encode(await self._carried_out(line)) + b"\n")
                await writer.drain()
        except (OSError, ValueError, TimeoutError) as error:
            logger.warning("control: %s", type(error).__name__)
        finally:
            writer.close()

    async def _carried_out(self, line: bytes) -> AnyDict:
        try:
            asked = msgspec.json.decode(line, type=dict[str, Any])
            return {"result": await self._admin.run(**asked)}
        except TerrariumError as error:
            return {"error": [error.code, error.message]}
        except Exception:
            logger.exception("control")
            return {"error": ["internal-error", "the server failed; see its log"]}


def carry_out(settings: Settings, act: str, operator: str, **arguments: Any) -> AnyDict:
    """Perform an operator's act, whether a server runs or not."""
    with reading(settings):
        pass  # raises an error unless there is a database with the right schema
    asked = {"act": act, "operator": operator, **arguments}
    try:
        return asyncio.run(_alone(settings, asked))
    except InvalidSettings as error:
        if error.code != "database-in-use":
            raise
        return _sent(settings, asked)


async def _alone(settings: Settings, asked: AnyDict) -> AnyDict:
    store = Store(settings)
    await store.open()
    accounts = Accounts(store, wall_clock)
    try:
        tables = Tables(store, wall_clock, 100)
        retention = Retention(store, tables, wall_clock, Rules())
        result = await Admin(store, accounts, tables, wall_clock, retention).run(**asked)
        await tables.drain()
        return result
    finally:
        accounts.close()
        await store.close()


def _sent(settings: Settings, asked: AnyDict) -> AnyDict:
    path = socket_path(settings)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(_SECONDS)
        try:
            connection.connect(str(path))
            connection.sendall(msgspec.json.encode(asked) + b"\n")
            with connection.makefile("rb") as file:
                answer = msgspec.json.decode(file.readline(), type=dict[str, Any])
        except (OSError, msgspec.DecodeError) as error:
            message = f"{path}: the server that uses this database does not answer: {error}"
            raise InvalidSettings("no-control", message) from None
    if "error" in answer:
        raise TerrariumError(*answer["error"])
    result: AnyDict = answer["result"]
    return result
