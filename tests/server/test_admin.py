"""`terrarium admin`: operators act on a running server and on a stopped one, on both kinds of database."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection
from websockets.typing import Origin

from terrarium.cli import main
from terrarium.play.clocks import wall_clock
from terrarium.server.operation.control import socket_path
from tests.server.running import PATIENCE, InProcess, Person, connect, whole_turn

PASSWORD = "correct horse"
DEVICES = [{"kind": "device"}, {"kind": "device"}]


class Club:
    """A server and its operator."""

    def __init__(self, server: InProcess, capsys: pytest.CaptureFixture[str]) -> None:
        self.server = server
        self._capsys = capsys
        data = server.settings.data
        self.flags = ["--data", str(data), "--database", server.settings.database]
        if not server.settings.database:
            self.flags = self.flags[:2]

    def admin(self, *words: str, code: int = 0) -> str:
        self._capsys.readouterr()
        assert main(["admin", *words, *self.flags]) == code
        said = self._capsys.readouterr()
        return said.out if code == 0 else said.err

    def person(self) -> Person:
        return self.server.person()


@pytest.fixture
def club(
    tmp_path: Path, settings: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> Iterator[Club]:
    with InProcess(tmp_path, wall_clock, **settings) as server:
        yield Club(server, capsys)


def sign_up(person: Person, name: str, **more: str) -> Any:
    return person.post("/api/accounts", {"name": name, "password": PASSWORD, **more})


def sign_in(person: Person, name: str) -> tuple[int, str]:
    answer = person.post("/api/sessions", {"name": name, "password": PASSWORD})
    return answer.status_code, answer.json().get("code", "")


def test_a_ban_ends_sign_ins_tokens_and_sockets_at_once(club: Club) -> None:
    with club.person() as person, club.person() as stranger:
        codes = sign_up(person, "Canary").json()["recovery_codes"]
        token = person.post("/api/me/tokens", {"name": "b", "scopes": ["play"]}).json()["token"]
        game = person.create(seats=DEVICES)["id"]
        cookies = "; ".join(f"{key}={value}" for key, value in person.http.cookies.items())
        address = f"{club.server.url.replace('http', 'ws')}/api/games/{game}/live"
        origin = Origin(club.server.url)
        with connect(address, origin=origin, additional_headers={"Cookie": cookies}) as socket:
            socket.recv(timeout=PATIENCE)
            assert "Canary is banned" in club.admin("ban", "canary", "--reason", "spam")
            with pytest.raises(ConnectionClosed):
                _read_to_the_end(socket)
        assert person.get("/api/me").json()["is_guest"]
        bearer = {"Authorization": f"Bearer {token}"}
        assert stranger.http.get("/api/me", headers=bearer).status_code == 401
        assert sign_in(stranger, "Canary") == (403, "account-banned")
        recovery = {"name": "Canary", "code": codes[0], "password": PASSWORD}
        refused = stranger.post("/api/accounts/recover", recovery)
        assert (refused.status_code, refused.json()["code"]) == (403, "account-banned")
        assert "banned" in club.admin("people", "anar")
        club.admin("unban", "Canary", "--by", "Second")
        assert sign_in(stranger, "Canary")[0] == 201
        assert "not banned" in club.admin("unban", "Canary", code=2)
        unban, ban = club.admin("log").splitlines()
        assert "Second" in unban
        assert "unban" in unban
        assert "Canary" in ban
        assert ban.endswith("spam")


def test_a_reset_password_can_only_be_set_with_the_printed_code(club: Club) -> None:
    with club.person() as person, club.person() as stranger:
        codes = sign_up(person, "Anna").json()["recovery_codes"]
        code = club.admin("reset", "Anna").split()[-1]
        assert person.get("/api/me").json()["is_guest"]
        assert sign_in(stranger, "Anna") == (401, "wrong-password")
        for word, status in ((codes[0], 401), (code, 200), (code, 401)):
            body = {"name": "Anna", "code": word, "password": "another word"}
            assert stranger.post("/api/accounts/recover", body).status_code == status
        assert code not in club.admin("log")
        assert "nobody has an account" in club.admin("reset", "Nobody", code=2)


def test_games_are_set_aside_released_and_deleted_while_people_play(club: Club) -> None:
    with club.person() as person:
        game, other = (person.create(seats=DEVICES, visibility="listed")["id"] for _ in range(2))
        club.admin("quarantine", game, "--reason", "a bad name")
        answer = person.get(f"/api/games/{game}")
        assert (answer.status_code, answer.json()["code"]) == (409, "game-quarantined")
        assert "a bad name" in answer.json()["message"]
        assert person.turn(game, 1, ["@a1"]).json()["code"] == "game-quarantined"
        assert [row["id"] for row in person.get("/api/games").json()["games"]] == [other]
        assert "a bad name" in club.admin("game", game)
        club.admin("release", game)
        seq, actions = _until_played(person, game)
        assert person.turn(game, seq, actions).status_code == 200
        club.admin("delete-game", game, "--yes")
        assert person.get(f"/api/games/{game}").json()["code"] == "no-such-game"
        assert person.turn(game, seq + 1, actions).status_code == 404
        assert [row["id"] for row in person.get("/api/games").json()["games"]] == [other]
        assert "no such game" in club.admin("delete-game", game, "--yes", code=2)
        assert main(["check", *club.flags]) == 0
        assert [line.split()[2] for line in club.admin("log").splitlines()] == [
            "delete-game",
            "release",
            "quarantine",
        ]


def _read_to_the_end(socket: ClientConnection) -> None:
    while True:
        socket.recv(timeout=PATIENCE)


def _until_played(person: Person, game: str) -> tuple[int, list[str]]:
    """Play a complete turn as soon as the other process's notification has arrived."""
    for _ in range(500):
        if person.get(f"/api/games/{game}").status_code == 200:
            break
    return whole_turn(person, game)


def test_a_deleted_person_is_named_nowhere_not_even_in_the_log(club: Club) -> None:
    with club.person() as person:
        sign_up(person, "Canary")
        game = person.create(seats=[{"kind": "device", "name": "Canary"}, {"kind": "device"}])["id"]
        club.admin("ban", "Canary")
        club.admin("delete", "Canary", "--yes")
        assert club.admin("people") == ""
        assert "Canary" not in club.admin("log")
        assert "Canary" not in person.get(f"/api/games/{game}").text
        assert "delete-person" in club.admin("log")
        if not club.server.settings.is_postgres:
            lite = sqlite3.connect(club.server.settings.database_path)
            assert "canary" not in "\n".join(lite.iterdump()).casefold()
            lite.close()


def test_players_report_somebody_at_their_table_once(club: Club) -> None:
    with club.person() as anna, club.person() as ben, club.person() as stranger:
        sign_up(anna, "Anna")
        sign_up(ben, "Ben")
        game = anna.create(seats=[{"kind": "device"}, {"kind": "open"}])["id"]
        path = f"/api/games/{game}/reports"
        report = {"seat": 1, "reason": "name", "text": "rude\x1b[2J\nname"}
        assert anna.post(path, report).json()["code"] == "not-reportable"
        assert ben.post(f"/api/games/{game}/seats/1").status_code == 200
        assert stranger.post(path, report).status_code == 401
        id = anna.post(path, report).json()["id"]
        assert anna.post(path, report).json()["code"] == "already-reported"
        assert anna.post(path, report | {"seat": 0}).json()["code"] == "not-reportable"
        assert anna.post(path, report | {"seat": 7}).json()["code"] == "no-such-seat"
        assert anna.post(path, report | {"text": "x" * 501}).status_code == 400
        (line,) = club.admin("reports").splitlines()
        assert all(word in line for word in (id, "Ben", "name", game))
        assert "\x1b" not in line
        assert len(anna.get("/api/me/export").json()["reports"]) == 1
        assert ben.get("/api/me/export").json()["reports"] == []
        club.admin("close-report", id)
        assert club.admin("reports") == ""
        assert id in club.admin("reports", "--all")
        counted = dict(line.rsplit(None, 1) for line in club.admin("stats").splitlines())
        assert (counted["people"], counted["games"], counted["reports open"]) == ("2", "1", "0")


def test_reports_are_limited(tmp_path: Path) -> None:
    with InProcess(tmp_path, wall_clock, rate=1.0) as server, server.person() as person:
        game = person.create(seats=DEVICES)["id"]
        report = {"seat": 0, "reason": "other"}
        answers = [person.post(f"/api/games/{game}/reports", report) for _ in range(6)]
        assert [answer.status_code for answer in answers] == [422] * 5 + [429]


@pytest.mark.parametrize("settings", [{"sign_up": "invite"}], ids=["sqlite"])
def test_an_invite_lets_as_many_people_sign_up_as_it_says(club: Club) -> None:
    with club.person() as person:
        assert person.get("/api/meta").json()["sign_up"] == "invite"
        assert sign_up(person, "Anna").json()["code"] == "invite-needed"
        assert sign_up(person, "Anna", invite="AAAAA").json()["code"] == "invite-needed"
        code = club.admin("invite", "--uses", "2", "--note", "chess club").split()[-1]
        assert sign_up(person, "Anna", invite=code).status_code == 201
        assert sign_up(person, "Anna", invite=code).json()["code"] == "name-taken"
        assert "1 uses left" in club.admin("invites")
        assert sign_up(person, "Ben", invite=code.lower()).status_code == 201
        assert sign_up(person, "Carl", invite=code).json()["code"] == "invite-needed"
        id = club.admin("invites").split()[0]
        club.admin("revoke-invite", id)
        assert club.admin("invites") == ""
        assert code not in club.admin("log")


def test_nobody_can_sign_up_if_sign_up_is_closed(tmp_path: Path) -> None:
    with InProcess(tmp_path, wall_clock, sign_up="closed") as server, server.person() as person:
        refused = sign_up(person, "Anna")
        assert (refused.status_code, refused.json()["code"]) == (403, "sign-up-closed")


def test_a_stopped_server_s_database_is_changed_directly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with InProcess(tmp_path, wall_clock) as server, server.person() as person:
        club = Club(server, capsys)
        sign_up(person, "Anna")
        path = socket_path(server.settings)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        cookies = dict(person.http.cookies)
    assert not path.exists()
    club.admin("ban", "Anna")
    with InProcess(tmp_path, wall_clock) as server, server.person() as person:
        person.http.cookies.update(cookies)
        assert person.get("/api/me").json()["is_guest"]
        assert sign_in(person, "Anna") == (403, "account-banned")


def test_a_missing_database_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["people"], ["ban", "Anna"]):
        assert main(["admin", *words, "--data", str(tmp_path / "none")]) == 2
        assert "there is no database here" in capsys.readouterr().err
