"""Servers for the tests: one is shared by tests that only play; other tests start their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.server.postgres import Postgres
from tests.server.running import Person, Server
from tests.sizes import mostly_slow


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def person(server: Server) -> Iterator[Person]:
    with server.person() as somebody:
        yield somebody


@pytest.fixture
def stranger(server: Server) -> Iterator[Person]:
    with server.person() as somebody:
        yield somebody


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    running = Postgres()
    yield running
    running.close()


@pytest.fixture(params=mostly_slow(["sqlite", "postgresql"], "sqlite"))
def settings(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Settings of a server on each database; `make test` tries SQLite only, `make slow` the other."""
    if request.param == "sqlite":
        return {}
    postgres: Postgres = request.getfixturevalue("postgres")
    return {"database": postgres.database()}
