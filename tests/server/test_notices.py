"""Notices about turns: who gets push messages and emails, how often, and which addresses are allowed."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from email import message_from_bytes
from email.policy import default
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import http_ece
import pytest
from aiosmtpd.controller import Controller
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02

from terrarium.play.clocks import wall_clock
from terrarium.play.errors import Unprocessable
from terrarium.server.accounts.contacts import Subscription
from terrarium.server.http.limits import LIMITS
from terrarium.server.jobs import lanes, push
from terrarium.server.jobs.mail import checked_address
from terrarium.server.jobs.notice_texts import LANGUAGES, confirmation, notice_text
from terrarium.server.jobs.push import Pusher, check_endpoint, new_key
from tests.server.ports import reserve_port
from tests.server.postgres import Postgres
from tests.server.running import PATIENCE, InProcess, Person, comes, whole_turn
from tests.server.test_talk import sat_down, socket_of, until

DAYS = {"clock": {"kind": "correspondence", "days": 3}, "rules": {"pioneers": 2}}


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Browser:
    """The keys of a browser that receives push messages."""

    def __init__(self, endpoint: str) -> None:
        self.private = ec.generate_private_key(ec.SECP256R1())
        self.auth = os.urandom(16)
        self.endpoint = endpoint

    def subscription(self, **more: Any) -> dict[str, Any]:
        point = self.private.public_key().public_bytes(
            Encoding.X962, PublicFormat.UncompressedPoint
        )
        keys = {"p256dh": encoded(point), "auth": encoded(self.auth)}
        return {"endpoint": self.endpoint, "keys": keys, **more}

    def read(self, body: bytes) -> dict[str, Any]:
        clear = http_ece.decrypt(
            body, private_key=self.private, auth_secret=self.auth, version="aes128gcm"
        )
        found: dict[str, Any] = json.loads(clear)
        return found


class PushService:
    """A push service that keeps the requests it gets, and answers with the status that a test sets."""

    def __init__(self) -> None:
        self.got: list[tuple[str, dict[str, str], bytes]] = []
        self.status = 201
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.got.append((self.path, headers, self.rfile.read(length)))
                self.send_response(outer.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def browser(self, name: str = "browser") -> Browser:
        return Browser(f"http://{self.host}/{name}")

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def service() -> Iterator[PushService]:
    running = PushService()
    yield running
    running.close()


class Post:
    """A mail server that keeps the mails it gets."""

    def __init__(self) -> None:
        self.got: list[tuple[str, str]] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        text = message_from_bytes(envelope.content, policy=default).get_content()
        self.got += [(address, text) for address in envelope.rcpt_tos]
        return "250 OK"


@pytest.fixture
def post() -> Iterator[tuple[Post, str]]:
    handler = Post()
    port = reserve_port()
    controller = Controller(handler, hostname="127.0.0.1", port=port)
    controller.start()
    yield handler, f"smtp://127.0.0.1:{port}"
    controller.stop()


def subscribe(person: Person, browser: Browser, language: str = "de") -> Any:
    return person.http.put("/api/me/notices/push", json=browser.subscription(language=language))


def play(person: Person, game: str) -> None:
    seq, actions = whole_turn(person, game)
    answer = person.turn(game, seq, actions)
    assert answer.status_code == 200, answer.text


def test_a_browser_is_notified_in_its_language_and_can_check_who_sent_it(
    tmp_path: Path, service: PushService
) -> None:
    browser = service.browser()
    with (
        InProcess(tmp_path, wall_clock, push_hosts=(service.host,)) as server,
        server.person() as host,
        server.person() as guest,
    ):
        game = sat_down(host, guest, **DAYS)
        quick = sat_down(host, guest)
        answer = subscribe(guest, browser)
        assert answer.status_code == 200, answer.text
        assert answer.json()["browsers"] == 1
        play(host, quick)
        play(host, game)
        assert comes(lambda: service.got)
        play(guest, game)
        play(host, game)
        assert comes(lambda: len(service.got) == 2), "one for each turn"
        path, headers, body = service.got[0]
        assert path == "/browser"
        assert headers["content-encoding"] == "aes128gcm"
        message = browser.read(body)
        assert message == {
            "type": "your-turn",
            "game": game,
            "title": "Du bist am Zug",
            "body": "Terra Nova",
        }
        scheme, _, rest = headers["authorization"].partition(" ")
        facts = dict(item.strip().split("=", 1) for item in rest.split(","))
        assert scheme == "vapid"
        assert facts["k"] == guest.get("/api/me/notices").json()["push_key"]
        assert Vapid02.verify(headers["authorization"])
        claims = json.loads(base64.urlsafe_b64decode(facts["t"].split(".")[1] + "=="))
        assert claims["aud"] == f"http://{service.host}"
        assert claims["sub"].startswith("mailto:")


def test_connected_people_are_not_notified_and_expired_browsers_are_forgotten(
    tmp_path: Path, service: PushService
) -> None:
    with (
        InProcess(tmp_path, wall_clock, push_hosts=(service.host,)) as server,
        server.person() as host,
        server.person() as guest,
    ):
        subscribe(guest, service.browser("guest"))
        subscribe(host, service.browser("host"))
        game = sat_down(host, guest, **DAYS)
        with socket_of(guest, game) as seated:
            until(seated, "ready")
            play(host, game)
            until(seated, "turn")
            play(guest, game)
        assert comes(lambda: len(service.got) == 2)
        paths = [path for path, *_ in service.got]
        assert paths == ["/host", "/host"], (
            "one at the start of the game, one after the guest's turn"
        )
        service.status = 410
        play(host, game)
        assert comes(lambda: guest.get("/api/me/notices").json()["browsers"] == 0)
        endpoint = {"endpoint": service.browser("host").endpoint}
        assert guest.post("/api/me/notices/push/forget", endpoint).status_code == 200
        assert host.get("/api/me/notices").json()["browsers"] == 1, "only its owner can remove it"
        assert host.post("/api/me/notices/push/forget", endpoint).json()["browsers"] == 0


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://push.example/x",
        "https://127.0.0.1/x",
        "https://10.0.0.1/x",
        "https://169.254.169.254/latest",
        "https://[::1]/x",
        "https://[::ffff:127.0.0.1]/x",
        "https://[64:ff9b::10.0.0.1]/x",
        "https://[::10.0.0.1]/x",
        "https://[2002:a00:1::1.2.3.4]/x",
        "https://[fec0::1.2.3.4]/x",
        "https://224.0.0.1/x",
        "https://[ff0e::1.2.3.4]/x",
        "https://localhost/x",
        "https://push.example:8443/x",
        "https://user@push.example/x",
        "file:///etc/passwd",
        "https://[bad/x",
        "",
    ],
)
def test_addresses_that_no_push_service_has_are_refused(endpoint: str) -> None:
    with pytest.raises(Unprocessable) as refused:
        check_endpoint(endpoint)
    assert refused.value.code == "invalid-subscription"


def test_nothing_is_sent_to_a_host_name_that_resolves_to_a_private_address(
    service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(service.host.rpartition(":")[2])
    inside = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: inside)
    pusher = Pusher("mailto:club@club.example", ())
    pusher.private = new_key()
    browser = Browser("https://push.example/x")
    info = browser.subscription()
    keys = info["keys"]
    subscription = Subscription("id", info["endpoint"], keys["p256dh"], keys["auth"], "en")
    assert pusher.send(subscription, {"type": "your-turn"}) is False
    assert service.got == []


def test_invalid_encryption_keys_are_refused(tmp_path: Path) -> None:
    with InProcess(tmp_path, wall_clock) as server, server.person() as person:
        good = Browser("https://push.example/x").subscription()
        for keys in (
            {"p256dh": "AAAA", "auth": good["keys"]["auth"]},
            {"p256dh": "é", "auth": "x"},
        ):
            answer = person.http.put("/api/me/notices/push", json=good | {"keys": keys})
            assert answer.json()["code"] == "invalid-subscription"
        assert person.http.put("/api/me/notices/push", json=good).status_code == 200


def test_mails_go_only_to_a_confirmed_address(tmp_path: Path, post: tuple[Post, str]) -> None:
    got, url = post
    with (
        InProcess(tmp_path, wall_clock, smtp_url=url, mail_from="club@club.example") as server,
        server.person() as host,
        server.person() as guest,
    ):
        mail = {"address": "ada@club.example", "language": "fr"}
        refused = guest.http.put("/api/me/notices/mail", json=mail)
        assert refused.json()["code"] == "sign-in-needed"
        account = {"name": "Ada", "password": "correct horse battery"}
        assert guest.post("/api/accounts", account).status_code == 201
        game = sat_down(host, guest, **DAYS)
        asked = guest.http.put("/api/me/notices/mail", json=mail).json()
        assert (asked["address"], asked["is_confirmed"]) == ("ada@club.example", False)
        play(host, game)
        play(guest, game)
        ((address, text),) = got.got
        assert address == "ada@club.example"
        code = text.partition("?mail=")[2].split()[0]
        wrong = guest.post("/api/me/notices/mail/confirm", {"code": "wrong"})
        assert wrong.json()["code"] == "wrong-mail-code"
        right = guest.post("/api/me/notices/mail/confirm", {"code": code})
        assert right.json()["is_confirmed"] is True
        play(host, game)
        assert comes(lambda: len(got.got) == 2)
        assert f"/g/{game}" in got.got[1][1]
        assert guest.http.delete("/api/me/notices/mail").json()["address"] is None
        assert "ada@club.example" not in json.dumps(guest.get("/api/me/export").json())


def test_without_a_mail_server_there_are_no_mails(tmp_path: Path) -> None:
    with InProcess(tmp_path, wall_clock) as server, server.person() as person:
        account = {"name": "Ada", "password": "correct horse battery"}
        assert person.post("/api/accounts", account).status_code == 201
        assert person.get("/api/me/notices").json()["can_mail"] is False
        answer = person.http.put("/api/me/notices/mail", json={"address": "ada@club.example"})
        assert answer.json()["code"] == "no-mail"


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "ada",
        "ada@club",
        "a b@c.example",
        "a@b.example\nBcc: x@y.example",
        "@b.example",
        "a@b@c.example",
        "a@.example",
    ],
)
def test_invalid_email_addresses_are_refused(bad: str) -> None:
    with pytest.raises(Unprocessable):
        checked_address(bad)


def test_notices_exist_in_all_languages_of_the_page() -> None:
    locales = Path(__file__).parents[2] / "web" / "src" / "locales"
    assert set(LANGUAGES) == {path.name for path in locales.iterdir()}
    said = {notice_text(language, "Terra Nova", ["Ada"]).body for language in LANGUAGES}
    assert len(said) == len(LANGUAGES)
    assert all("Ada" in confirmation(language, "Ada").body for language in LANGUAGES)


def test_two_workers_send_one_notice_and_share_one_key(
    tmp_path: Path, postgres: Postgres, service: PushService
) -> None:
    shared: dict[str, Any] = {
        "database": postgres.database(),
        "secret": "shared",
        "push_hosts": (service.host,),
    }
    with (
        InProcess(tmp_path / "first", wall_clock, **shared) as first,
        InProcess(tmp_path / "second", wall_clock, **shared) as second,
        first.person() as host,
        second.person() as guest,
    ):
        keys = {who.get("/api/me/notices").json()["push_key"] for who in (host, guest)}
        assert len(keys) == 1
        game = sat_down(host, guest, **DAYS)
        subscribe(guest, service.browser())
        play(host, game)
        assert comes(lambda: service.got)
        for worker in (first, second):  # as if both had written the turn
            services = worker.application.services
            loop = services._sweeper.get_loop()  # type: ignore[union-attr]
            entry = services.tables.cached(game)
            assert entry is not None or worker is second
            if entry is not None:
                loop.call_soon_threadsafe(
                    services.notices.schedule,
                    entry.table.replay(game, entry.table.log[:1]),
                    entry.table,
                )
        play(guest, game)
        play(host, game)
        assert comes(lambda: len(service.got) >= 2)
        assert len(service.got) == 2


def test_the_number_of_consecutive_notices_is_limited(
    tmp_path: Path, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LIMITS, "notice", (1 / 3_600, 3, "notices"))
    with (
        InProcess(tmp_path, wall_clock, push_hosts=(service.host,), rate=1.0) as server,
        server.person() as host,
        server.person() as guest,
    ):
        games = [sat_down(host, guest, **DAYS) for _ in range(5)]
        subscribe(guest, service.browser())
        for game in games:
            play(host, game)
        assert comes(lambda: len(service.got) >= 3)
        subscribe(host, service.browser("host"))
        play(guest, games[0])
        assert comes(lambda: service.got[-1][0] == "/host")
        assert len(service.got) == 4


class SlowService:
    """A push service that takes connections and never finishes an answer; `drip` is what it sends again and again."""

    def __init__(self, drip: bytes = b"", begin: bytes = b"") -> None:
        self.open: list[socket.socket] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.host = f"127.0.0.1:{self._listening.getsockname()[1]}"
        self._drip, self._begin = drip, begin
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                self.open.append(connection)
                if self._drip:
                    threading.Thread(target=self._send, args=(connection,), daemon=True).start()

    def _send(self, connection: socket.socket) -> None:
        with suppress(OSError):
            connection.sendall(self._begin)
            while True:
                connection.sendall(self._drip)
                time.sleep(0.02)

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join()
        for connection in self.open:
            connection.close()


def test_a_push_service_that_never_answers_delays_no_other(
    tmp_path: Path, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(push, "_TIMEOUT", 600.0)
    monkeypatch.setattr(push, "_TOTAL", 600.0)
    monkeypatch.setattr(lanes, "_WAITING", 4)
    slow = SlowService()
    hosts = (service.host, slow.host)
    with InProcess(tmp_path, wall_clock, push_hosts=hosts) as server, server.person() as host:
        try:
            for number in range(8):
                with server.person() as guest:
                    game = sat_down(host, guest, **DAYS)
                    subscribe(guest, Browser(f"http://{slow.host}/{number}"))
                    play(host, game)
            waiting = server.application.services.notices._lanes._waiting
            assert comes(lambda: waiting[slow.host] == 4)
            with server.person() as other:
                game = sat_down(host, other, **DAYS)
                subscribe(other, service.browser("other"))
                play(host, game)
                assert comes(lambda: service.got)
            assert len(slow.open) <= 2
            assert waiting[slow.host] == 4, "further notices for this host are left out"
        finally:
            slow.close()


def test_hosts_that_are_known_to_be_slow_do_not_delay_a_new_host(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lanes, "_QUICK_SECONDS", 0.0)  # so that every host counts as slow
    can_end = threading.Event()
    started = threading.Semaphore(0)

    def hang() -> bool:
        started.release()
        return can_end.wait()

    async def run() -> bool | None:
        here = lanes.Lanes()
        slow = ["a.example", "b.example"]
        for host in slow:
            assert await here.run(host, lambda: True)
        hanging = [asyncio.create_task(here.run(host, hang)) for host in slow * 2]
        try:
            for _ in hanging:
                assert await asyncio.to_thread(started.acquire, timeout=PATIENCE)
            return await asyncio.wait_for(here.run("new.example", lambda: True), PATIENCE)
        finally:
            can_end.set()
            await asyncio.gather(*hanging)
            here.close()

    assert asyncio.run(run())


@pytest.mark.parametrize(
    ("begin", "drip"),
    [
        (b"HTTP/1.1 201 Created\r\n", b"x-more: 1\r\n"),
        (b"HTTP/1.1 201 Created\r\nx: ", b"x"),
        (b"HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    ],
)
def test_a_push_service_that_answers_without_end_is_cut_off(
    monkeypatch: pytest.MonkeyPatch, begin: bytes, drip: bytes
) -> None:
    monkeypatch.setattr(push, "_TOTAL", 0.5)
    slow = SlowService(drip, begin)
    try:
        pusher = Pusher("mailto:club@club.example", (slow.host,))
        pusher.private = new_key()
        info = Browser(f"http://{slow.host}/x").subscription()
        keys = info["keys"]
        subscription = Subscription("id", info["endpoint"], keys["p256dh"], keys["auth"], "en")
        sent: list[bool] = []
        sending = threading.Thread(
            target=lambda: sent.append(pusher.send(subscription, {"type": "your-turn"})),
            daemon=True,
        )
        sending.start()
        assert comes(lambda: sent)
        assert sent == [False]
    finally:
        slow.close()


def test_a_connection_that_begins_after_the_limit_is_cut_off_too() -> None:
    pairs = [socket.socketpair() for _ in range(2)]
    try:
        with push._bounded(0.05) as sockets:
            for ours, _ in pairs:  # the second begins after the first was cut off
                ours.settimeout(PATIENCE)
                sockets.append(socket.socket(fileno=os.dup(ours.fileno())))
                assert ours.recv(1) == b""
    finally:
        for one in (end for pair in pairs for end in pair):
            one.close()
