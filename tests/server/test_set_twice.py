"""Many tabs set the same value at once: no request fails, and limits hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from terrarium.play.clocks import wall_clock
from terrarium.server.accounts.contacts import MAX_PUSHES
from tests.server.postgres import Postgres
from tests.server.running import InProcess, Person
from tests.server.test_notices import Browser, Post, post
from tests.sizes import mostly_slow

__all__ = ["post"]

ROUNDS, TABS = 6, 12


def _at_once(server: InProcess, person: Person, act: Callable[[Person, int], Any]) -> Counter[int]:
    """The statuses that many tabs of one browser get for the same act."""

    def tab(number: int) -> int:
        with server.person() as one:
            one.http.cookies.update(dict(person.http.cookies))
            return int(act(one, number).status_code)

    with ThreadPoolExecutor(TABS) as pool:
        return Counter(pool.map(tab, range(ROUNDS * TABS)))


@pytest.mark.parametrize("what", mostly_slow(["texts", "mutes", "browser", "mail"], "texts"))
def test_many_tabs_can_set_the_same_value_at_once(
    tmp_path: Path, postgres: Postgres, post: tuple[Post, str], what: str
) -> None:
    browser = Browser("https://push.example/x").subscription()
    settings: dict[str, Any] = {"database": postgres.database(), "smtp_url": post[1]}
    with (
        InProcess(tmp_path, wall_clock, **settings) as server,
        server.person() as person,
        server.person() as other,
    ):
        person.post("/api/accounts", {"name": "tabs", "password": "long enough"})
        made = person.create(seats=[{"kind": "device"}, {"kind": "link"}])
        path = f"/api/games/{made['id']}"
        other.post(f"{path}/seats/1", {"secret": made["secrets"][1]})
        requests: dict[str, tuple[str, Any]] = {
            "texts": ("/api/me/talk", {"allows_text": True}),
            "mutes": (f"{path}/mutes/1", {"muted": True}),
            "browser": ("/api/me/notices/push", browser),
            "mail": ("/api/me/notices/mail", {"address": "tabs@club.example"}),
        }
        address, body = requests[what]
        assert _at_once(server, person, lambda one, _: one.http.put(address, json=body)) == {
            200: ROUNDS * TABS
        }


def test_no_more_browsers_are_kept_than_allowed_however_many_come_at_once(
    tmp_path: Path, postgres: Postgres
) -> None:
    with (
        InProcess(tmp_path, wall_clock, database=postgres.database()) as server,
        server.person() as person,
    ):
        person.post("/api/accounts", {"name": "browsers", "password": "long enough"})
        keys = Browser("https://push.example/x").subscription()

        def subscribe(one: Person, number: int) -> Any:
            endpoint = {"endpoint": f"https://push.example/{number}"}
            return one.http.put("/api/me/notices/push", json=keys | endpoint)

        answers = _at_once(server, person, subscribe)
        assert answers == {200: MAX_PUSHES, 409: ROUNDS * TABS - MAX_PUSHES}
        assert person.get("/api/me/notices").json()["browsers"] == MAX_PUSHES
