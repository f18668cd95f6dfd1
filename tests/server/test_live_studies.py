"""Several people edit one study: all see every change, and none is lost, even if somebody was disconnected."""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection
from websockets.typing import Origin

from terrarium.play.errors import Conflict, TooMany
from terrarium.play.people import Caller
from terrarium.server.database import studies as rows
from terrarium.server.live import audience, notify, studies, watched_study, watchers
from tests.server.postgres import Postgres
from tests.server.running import (
    PATIENCE,
    FakeTime,
    Forked,
    InProcess,
    Person,
    Server,
    comes,
    connect,
)
from tests.server.test_studies import NOVA, change, chapter, code, editor, make, node
from tests.sizes import mostly_slow


class Listener:
    """A socket to a study and everything that it received."""

    def __init__(self, person: Person, study: str, since: int | None = None) -> None:
        url = str(person.http.base_url).rstrip("/")
        address = url.replace("http", "ws") + f"/api/studies/{study}/live"
        address += "" if since is None else f"?since={since}"
        cookie = person.http.cookies.get("terrarium")
        headers = {"Cookie": f"terrarium={cookie}"} if cookie else {}
        self.socket: ClientConnection = connect(
            address, origin=Origin(url), additional_headers=headers
        )
        self.heard: list[dict[str, Any]] = []

    def __enter__(self) -> Listener:
        self.socket.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.__exit__(None, None, None)

    def closed(self) -> int:
        """Wait until the server closes the socket; returns its code."""
        try:
            while True:
                self.socket.recv(timeout=PATIENCE)
        except ConnectionClosed as closed:
            return 0 if closed.rcvd is None else int(closed.rcvd.code)

    def until(self, **wanted: Any) -> dict[str, Any]:
        """Wait for a message with these values."""
        while True:
            message = json.loads(self.socket.recv(timeout=PATIENCE))
            self.heard.append(message)
            if wanted.items() <= message.items():
                return dict(message)

    def changes(self) -> list[dict[str, Any]]:
        """Every change received, in order."""
        return [one for m in self.heard if m["type"] == "changes" for one in m["changes"]]


def state(person: Person, study: str) -> tuple[dict[str, Any], ...]:
    """All nodes with their annotations."""
    stored = chapter(person, study)["stored"]
    return tuple(sorted(stored["nodes"], key=lambda one: str(one["id"])))


@pytest.fixture(params=mostly_slow(["sqlite", "postgresql"], "sqlite"))
def pair(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[InProcess, InProcess]]:
    """The servers that two editors connect to: the same one, or two workers with one database."""
    now = FakeTime()
    if request.param == "sqlite":
        with InProcess(tmp_path, now, secret="shared") as server:
            yield server, server
        return
    postgres: Postgres = request.getfixturevalue("postgres")
    monkeypatch.setattr(notify, "_POLL_SECONDS", 0.3)
    options = {"database": postgres.database(), "secret": "shared"}
    with (
        InProcess(tmp_path / "first", now, **options) as first,
        InProcess(tmp_path / "second", now, **options) as second,
    ):
        yield first, second


def test_two_editors_see_each_others_changes(pair: tuple[InProcess, InProcess]) -> None:
    with pair[0].person() as ann, pair[1].person() as bob:
        study = make(ann, NOVA)["id"]
        editor(ann, study, bob)
        with Listener(ann, study) as one, Listener(bob, study) as other:
            assert one.until(type="study")["access"] == "owner"
            assert other.until(type="study")["access"] == "editor"
            one.until(type="people", editors=2, readers=0)
            change(ann, study, "a", node("1", 1, "ann", comment="good"))
            assert other.until(type="changes")["changes"][0]["set"] == {"comment": "good"}
            change(bob, study, "b", node("b-1", 2, "bob", parent="2", actions=["@g8"]))
            assert one.until(type="changes", seq=3)["changes"][0]["made"]["actions"] == ["@g8"]
            name = {"type": "study", "set": {"name": "Renamed"}, "time": 3, "by": "bob"}
            change(bob, study, "c", name)
            assert one.until(type="study")["name"] == "Renamed"
            other.socket.send('{"type":"ping","at":1}')
            assert other.until(type="pong")["at"] == 1
        assert state(ann, study) == state(bob, study)


def test_an_editor_who_was_disconnected_loses_nothing(pair: tuple[InProcess, InProcess]) -> None:
    """Both change the same node and different ones; the later stamp wins, field by field."""
    with pair[0].person() as ann, pair[1].person() as bob:
        study = make(ann, NOVA)["id"]
        editor(ann, study, bob)
        with Listener(bob, study) as before:
            seq = before.until(type="study")["seq"]
        # Bob is offline and continues editing; Ann's changes are stored meanwhile.
        change(ann, study, "a1", node("1", 1, "ann", comment="Ann's", glyphs=[1]))
        change(ann, study, "a2", node("ann-1", 2, "ann", parent="1", actions=["@e8"], rank=1))
        offline = [
            node("1", 1, "bob", comment="Bob's"),
            node("2", 2, "bob", comment="only Bob"),
            node("bob-1", 3, "bob", parent="1", actions=["@e9"], rank=1),
        ]
        with Listener(ann, study) as one, Listener(bob, study, since=seq) as other:
            missed = other.until(type="changes")
            assert [item["id"] for item in missed["changes"]] == ["1", "ann-1"]
            other.until(type="study", seq=missed["seq"])
            assert change(bob, study, "b1", *offline).status_code == 200
            received = one.until(type="changes")["changes"]
            assert received == other.until(type="changes")["changes"] == offline
        nodes = {item["id"]: item for item in state(ann, study)}
        assert state(ann, study) == state(bob, study)
        assert (nodes["1"]["comment"], nodes["1"]["glyphs"]) == ("Bob's", [1])
        assert nodes["2"]["comment"] == "only Bob"
        assert {"ann-1", "bob-1"} <= set(nodes)


def test_readers_are_counted_and_cannot_write(pair: tuple[InProcess, InProcess]) -> None:
    with pair[0].person() as ann, pair[1].person() as reader:
        study = make(ann, NOVA)["id"]
        ann.http.patch(f"/api/studies/{study}", json={"visibility": "link"})
        with Listener(ann, study) as one:
            one.until(type="people", editors=1, readers=0)
            with Listener(reader, study) as other:
                assert other.until(type="study")["access"] == "reader"
                other.until(type="people", editors=1, readers=1)
                one.until(type="people", editors=1, readers=1)
                assert code(change(reader, study, "r", node("1", 1, comment="no"))) == (
                    403,
                    "not-an-editor",
                )
                ann.http.patch(f"/api/studies/{study}", json={"visibility": "private"})
                other.until(type="gone")
                assert other.closed() == 1000
            one.until(type="people", editors=1, readers=0)
        with pytest.raises(InvalidStatus) as refused, Listener(reader, study):
            pass
        assert refused.value.response.status_code == 404


@pytest.mark.parametrize("visibility", ["link", "private"])
def test_a_removed_editor_with_an_open_socket_cannot_write(
    pair: tuple[InProcess, InProcess], visibility: str
) -> None:
    with pair[0].person() as ann, pair[1].person() as bob:
        study = make(ann, NOVA)["id"]
        ann.http.patch(f"/api/studies/{study}", json={"visibility": visibility})
        secret = editor(ann, study, bob)
        with Listener(bob, study) as socket:
            assert socket.until(type="study")["access"] == "editor"
            assert change(bob, study, "b", node("1", 1, "bob", comment="hi")).status_code == 200
            ann.http.delete(f"/api/studies/{study}/editors")
            # At once, before the socket reports the removal.
            answer = change(bob, study, "c", node("1", 2, "bob", comment="still here"))
            assert answer.status_code == (403 if visibility == "link" else 404)
            if visibility == "link":
                socket.until(type="study", access="reader", editors=0)
            else:
                socket.until(type="gone")
        join = bob.post(f"/api/studies/{study}/join", {"secret": secret})
        assert code(join) == (404, "wrong-edit-link")
        assert {one["comment"] for one in state(ann, study)} == {"", "hi"}


def test_a_deleted_study_is_gone_for_everybody(pair: tuple[InProcess, InProcess]) -> None:
    with pair[0].person() as ann, pair[1].person() as bob:
        study = make(ann, NOVA)["id"]
        editor(ann, study, bob)
        with Listener(bob, study) as socket:
            socket.until(type="study")
            assert ann.http.delete(f"/api/studies/{study}").status_code == 204
            socket.until(type="gone")
        assert code(change(bob, study, "k", node("1", 1, comment="x"))) == (404, "no-such-study")


def test_many_changes_at_once_are_all_stored(pair: tuple[InProcess, InProcess]) -> None:
    """Two editors write as fast as they can; every change is in the log once, in one order for all."""
    count = 15
    with pair[0].person() as ann, pair[1].person() as bob, pair[0].person() as watching:
        study = make(ann, NOVA)["id"]
        editor(ann, study, bob)
        ann.http.patch(f"/api/studies/{study}", json={"visibility": "link"})

        def write(person: Person, by: str) -> None:
            for number in range(1, count + 1):
                new = node(f"{by}-{number}", number, by, parent="2", actions=["@g8"], rank=number)
                assert change(person, study, f"{by}{number}", new).status_code == 200

        with Listener(watching, study) as one, Listener(bob, study) as other:
            one.until(type="study")
            other.until(type="study")
            writers = [
                threading.Thread(target=write, args=(person, by))
                for person, by in ((ann, "ann"), (bob, "bob"))
            ]
            for writer in writers:
                writer.start()
            for writer in writers:
                writer.join(PATIENCE)
            last = 1 + 2 * count
            one.until(type="changes", seq=last)
            other.until(type="changes", seq=last)
            assert one.changes() == other.changes()
            assert len({item["id"] for item in one.changes()}) == 2 * count
        assert state(ann, study) == state(bob, study)
        assert len(state(ann, study)) == 3 + 2 * count


async def silent(*_: object) -> None:
    """Replaces a notification that gets lost."""


def test_a_lost_notification_delays_changes_but_loses_none(
    tmp_path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notify, "_POLL_SECONDS", 0.2)
    monkeypatch.setattr(rows, "notify", silent)
    options = {"database": postgres.database(), "secret": "shared"}
    with (
        InProcess(tmp_path / "first", FakeTime(), **options) as first,
        InProcess(tmp_path / "second", FakeTime(), **options) as second,
        first.person() as ann,
        second.person() as bob,
    ):
        study = make(ann, NOVA)["id"]
        ann.http.patch(f"/api/studies/{study}", json={"visibility": "link"})
        with Listener(bob, study) as socket:
            socket.until(type="study")
            change(ann, study, "a", node("1", 1, comment="heard later"))
            assert socket.until(type="changes")["changes"][0]["id"] == "1"


def test_the_connections_of_a_worker_that_died_are_forgotten(
    tmp_path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notify, "_POLL_SECONDS", 0.2)
    now, database = FakeTime(), postgres.database()
    with (
        InProcess(tmp_path / "alive", now, database=database, secret="shared") as alive,
        Forked(tmp_path, database, SECRET="shared") as other,
        alive.person() as ann,
        other.person() as bob,
    ):
        now.ms = 1_000_000_000_000  # earlier than the other's clock: its leases have not ended
        study = make(ann, NOVA)["id"]
        editor(ann, study, bob)
        with Listener(ann, study) as one, Listener(bob, study) as two:
            two.until(type="study")
            one.until(type="people", editors=2)
            other.kill()
            now.ms = 2_000_000_000_000  # now they have
            one.until(type="people", editors=1)
        other.start()


def test_a_watcher_who_missed_too_much_loads_the_study_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(studies, "_MAX_MISSED", 500)
    with InProcess(tmp_path, FakeTime()) as here, here.person() as ann:
        study = make(ann, NOVA)["id"]
        change(ann, study, "a", node("1", 1, comment="short"))
        with Listener(ann, study, since=1) as socket:
            assert socket.until(type="changes")["seq"] == 2
        change(ann, study, "b", node("1", 2, comment="long" * 200))
        for since in (1, 99):
            with Listener(ann, study, since=since) as socket:
                assert socket.until(type="reload")["seq"] == 3
                socket.until(type="study", seq=3)


def test_a_long_study_is_not_sent_to_everybody_after_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Watchers get the change and can request the study. One message is encoded for all watchers with the same rights."""
    with (
        InProcess(tmp_path, FakeTime()) as server,
        server.person() as ann,
        server.person() as bob,
        server.person() as third,
    ):
        study = make(ann, NOVA)["id"]
        ann.http.patch(f"/api/studies/{study}", json={"visibility": "link"})
        with Listener(ann, study) as one, Listener(bob, study) as two, Listener(third, study) as at:
            for socket in (one, two, at):
                socket.until(type="study")
            count = 0
            view = watched_study.Entry.view

            def counted(self: watched_study.Entry, access: Any) -> Any:
                nonlocal count
                count += 1
                return view(self, access)

            monkeypatch.setattr(watched_study.Entry, "view", counted)
            name = {"type": "study", "set": {"name": "Short"}, "time": 1, "by": "ann"}
            change(ann, study, "a", name)
            for socket in (one, two, at):
                assert socket.until(type="study")["name"] == "Short"
            assert count == 2
            goal = {"type": "chapter", "id": "1", "set": {"goal": "x" * 4_000}}
            monkeypatch.setattr(watched_study, "_MAX_PUSHED", 4_000)
            change(ann, study, "b", goal | {"time": 2, "by": "ann"})
            change(ann, study, "c", node("1", 3, comment="after"))
            for socket in (one, two, at):
                heard = len(socket.heard)
                socket.until(type="changes", seq=4)
                assert {message["type"] for message in socket.heard[heard:]} <= {
                    "changes",
                    "people",
                }


def test_a_watcher_with_too_much_text_waiting_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchers, "_MAX_WAITING", 10)
    watcher = watchers.StreamWatcher(Caller("192.0.2.1"), (), 100)
    watcher.push("a single long message")
    assert (watcher.next(), watcher.is_dropped) == ("a single long message", False)
    watcher.push("12345")
    watcher.push("12345")
    assert not watcher.is_dropped
    watcher.push("1")
    assert watcher.is_dropped


def test_one_study_that_can_not_be_read_does_not_stop_the_others(
    tmp_path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notify, "_POLL_SECONDS", 0.2)
    monkeypatch.setattr(rows, "notify", silent)
    options = {"database": postgres.database(), "secret": "shared"}
    with (
        InProcess(tmp_path / "first", FakeTime(), **options) as first,
        InProcess(tmp_path / "second", FakeTime(), **options) as second,
        first.person() as ann,
        second.person() as bob,
    ):
        broken, fine = make(ann, NOVA)["id"], make(ann, NOVA)["id"]
        editor(ann, broken, bob)
        editor(ann, fine, bob)
        here = second.application.services.studies
        refresh = here.refresh

        async def failing(id: str) -> None:
            if id == broken:
                raise OSError("the connection broke")
            await refresh(id)

        monkeypatch.setattr(here, "refresh", failing)
        with Listener(bob, broken) as one, Listener(bob, fine) as two:
            one.until(type="study")
            two.until(type="study")
            change(ann, broken, "a", node("1", 1, comment="lost"))
            change(ann, fine, "b", node("1", 1, comment="heard"))
            assert two.until(type="changes")["changes"][0]["id"] == "1"


def test_a_socket_whose_study_can_not_be_read_is_closed_with_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a deleted study is reported as `gone`."""
    with InProcess(tmp_path, FakeTime()) as server, server.person() as ann:
        study = make(ann, NOVA)["id"]
        for error, expected in (
            (Conflict("study-damaged", "damaged"), 1011),
            (TooMany("studies", 1), 1013),
        ):

            async def failing(*_: object, error: Exception = error) -> None:
                raise error

            monkeypatch.setattr(server.application.services.studies, "_watch", failing)
            with Listener(ann, study) as socket, pytest.raises(ConnectionClosed) as closed:
                socket.until(type="gone")
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == expected


def test_renewing_a_lease_sends_no_notification(
    tmp_path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audience, "LEASE_SECONDS", 0.3)
    monkeypatch.setattr(audience, "_PAUSE", 0.01)
    written, notified = [], []
    with (
        InProcess(tmp_path, FakeTime(), database=postgres.database()) as server,
        server.person() as ann,
    ):
        ours = server.application.services.audience
        assert ours is not None
        write, tell = ours._write, rows.notify

        async def counted(ids: Any) -> None:
            await write(ids)
            written.append(ids)

        async def noted(store: Any, connection: Any, id: str) -> None:
            notified.append(id)
            await tell(store, connection, id)

        study = make(ann, NOVA)["id"]
        monkeypatch.setattr(ours, "_write", counted)
        monkeypatch.setattr(rows, "notify", noted)
        with Listener(ann, study) as socket:
            socket.until(type="study")
            assert comes(lambda: len([ids for ids in written if study in ids]) > 3)
            assert notified == [study]
        assert comes(lambda: notified == [study] * 2)


def test_signing_out_ends_the_sockets_of_studies(server: Server, person: Person) -> None:
    name = f"s{secrets.token_hex(4)}"
    body = {"name": name, "password": "long enough"}
    assert person.post("/api/accounts", body).status_code == 201
    study = make(person, NOVA)["id"]
    with Listener(person, study) as socket:
        socket.until(type="study")
        assert person.http.delete("/api/sessions").status_code < 300
        assert socket.closed() == 1008
    assert comes(lambda: person.get(f"/api/studies/{study}").status_code == 404)
