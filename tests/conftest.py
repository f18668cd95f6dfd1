"""Settings of all tests, which must not depend on the load of the machine or on tests that ran before."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


@pytest.fixture(autouse=True)
def no_running_event_loop(request: pytest.FixtureRequest) -> Iterator[None]:
    """Hide the browser tests' event loop from other tests, which may want to run their own.

    From its first use to the end of the session, Playwright's loop counts as running in the main thread.
    """
    loop = asyncio._get_running_loop()
    if loop is None or "playwright" in request.fixturenames:
        yield
        return
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(loop)
