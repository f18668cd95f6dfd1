"""Servers for the tests: one shared by tests that only play, others made where they are needed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.postgres import Postgres
from tests.server.running import Person, Server


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
