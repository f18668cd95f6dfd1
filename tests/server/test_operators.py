"""Operators in the page: accounts that were made operators on the machine can do what `terrarium admin` does."""

from __future__ import annotations

from tests.server.running import Person
from tests.server.test_admin import DEVICES, Club, club, sign_in, sign_up

__all__ = ["club"]
LISTS = ("people", "games", "reports", "invites", "stats", "log")


def act(person: Person, act: str, subject: str, **more: str) -> tuple[int, str]:
    answer = person.post("/api/operator/acts", {"act": act, "subject": subject, **more})
    return answer.status_code, answer.json().get("code") or ""


def test_only_accounts_made_operators_on_the_machine_may_look_and_act(club: Club) -> None:
    with club.person() as anna, club.person() as guest, club.person() as bot:
        sign_up(anna, "Anna")
        token = anna.post("/api/me/tokens", {"name": "b", "scopes": ["play", "read"]}).json()
        bot.http.headers["Authorization"] = f"Bearer {token['token']}"

        def answers(person: Person) -> set[int]:
            found = {person.get(f"/api/operator/{name}").status_code for name in LISTS}
            found.add(person.post("/api/operator/invites").status_code)
            return found | {act(person, "ban", "Anna")[0]}

        assert answers(guest) == {401}
        assert answers(anna) == {403}
        assert not anna.get("/api/me").json()["is_operator"]
        assert "Anna is now an operator" in club.admin("operator", "Anna")
        assert "operator" in club.admin("people")
        assert anna.get("/api/me").json()["is_operator"]
        assert answers(bot) == {401}, "a token never acts as an operator"
        assert {anna.get(f"/api/operator/{name}").status_code for name in LISTS} == {200}
        # Operators can only be made on the machine, and only there can one act against them.
        assert act(anna, "make-operator", "Anna")[0] == 400
        for name in ("ban", "unban", "reset-password", "delete-person"):
            assert act(anna, name, "anna") == (403, "operator-protected")
        assert act(anna, "ban", "Nobody") == (404, "no-such-player")
        club.admin("operator", "Anna", "--remove")
        assert answers(anna) == {403}
        assert "not an operator" in club.admin("operator", "Anna", "--remove", code=2)


def test_acts_of_an_operator_in_the_page_are_carried_out_and_logged_with_their_name(
    club: Club,
) -> None:
    with club.person() as anna, club.person() as ben:
        sign_up(anna, "Anna")
        sign_up(ben, "Ben")
        club.admin("operator", "Anna")
        game = ben.create(seats=[{"kind": "device"}, {"kind": "open"}])["id"]
        anna.post(f"/api/games/{game}/seats/1")
        report = {"seat": 0, "reason": "messages", "text": "rude"}
        assert anna.post(f"/api/games/{game}/reports", report).status_code == 201
        (found,) = anna.get("/api/operator/reports").json()
        assert (found["name"], found["reason"], found["text"]) == ("Ben", "messages", "rude")
        assert (found["game_id"], found["seat"], found["is_banned"]) == (game, 0, False)
        assert act(anna, "ban", "Ben", reason="rude") == (200, "")
        assert anna.get("/api/operator/reports").json()[0]["is_banned"]
        assert sign_in(ben, "Ben") == (403, "account-banned")
        assert act(anna, "unban", "Ben") == (200, "")
        status, code = act(anna, "reset-password", "Ben")
        recovery = {"name": "Ben", "code": code, "password": "another word"}
        assert (status, ben.post("/api/accounts/recover", recovery).status_code) == (200, 200)
        assert act(anna, "quarantine", game, reason="names") == (200, "")
        (row,) = anna.get("/api/operator/games", text=game).json()
        assert (row["id"], row["quarantine"], row["is_damaged"]) == (game, "names", False)
        assert act(anna, "release", game) == (200, "")
        assert anna.get("/api/operator/games", text="nosuch").json() == []
        code = anna.post("/api/operator/invites", {"uses": 2, "note": "club"}).json()["code"]
        (invite,) = anna.get("/api/operator/invites").json()
        assert (invite["uses_left"], invite["note"], code in str(invite)) == (2, "club", False)
        assert act(anna, "revoke-invite", invite["id"]) == (200, "")
        assert act(anna, "close-report", found["id"]) == (200, "")
        assert anna.get("/api/operator/reports").json() == []
        assert len(anna.get("/api/operator/reports", all="1").json()) == 1
        stats = anna.get("/api/operator/stats").json()
        assert (stats["people"], stats["games"], stats["reports open"]) == (2, 1, 0)
        assert act(anna, "delete-game", game) == (200, "")
        assert act(anna, "delete-person", "Ben") == (200, "")
        assert [row["name"] for row in anna.get("/api/operator/people").json()] == ["Anna"]
        log = anna.get("/api/operator/log").json()
        by_anna = [row["act"] for row in log if row["operator"] == "Anna"]
        assert by_anna == [
            "delete-person",
            "delete-game",
            "close-report",
            "revoke-invite",
            "invite",
            "release",
            "quarantine",
            "reset-password",
            "unban",
            "ban",
        ]
        assert log[-1]["act"] == "make-operator"
        assert code not in str(log)
        assert "Ben" not in str(log)
        lines = club.admin("log").splitlines()
        assert "  Anna  delete-person" in lines[0]
        # The log names no deleted account, not even an operator's.
        club.admin("delete", "Anna", "--yes")
        assert "Anna" not in club.admin("log")


def test_a_banned_person_is_out_of_their_games_on_every_device_until_unbanned(club: Club) -> None:
    with club.person() as anna, club.person() as ben, club.person() as phone, club.person() as old:
        game = ben.create(seats=[{"kind": "device"}, {"kind": "open"}])
        id, secret = game["id"], game["secrets"][0]
        old.http.cookies.update(ben.http.cookies)
        sign_up(ben, "Ben")
        assert anna.post(f"/api/games/{id}/seats/1").status_code == 200
        assert phone.post(f"/api/games/{id}/seats/0", {"secret": secret}).status_code == 200
        for person in (ben, phone, old):
            assert person.snapshot(id)["you"] == [0]
        club.admin("ban", "Ben")
        # The other workers get a notification.
        for person in (ben, phone, old):
            assert person.snapshot(id)["you"] == []
        refused = phone.post(f"/api/games/{id}/seats/0", {"secret": secret})
        assert (refused.status_code, refused.json()["code"]) == (403, "wrong-secret")
        seat = anna.snapshot(id)["seats"][0]
        assert seat["is_taken"]
        assert anna.snapshot(id)["you"] == [1]
        club.admin("unban", "Ben")
        assert sign_in(ben, "Ben")[0] == 201
        assert ben.snapshot(id)["you"] == [0]


def test_a_ban_does_not_affect_the_seats_of_others(club: Club) -> None:
    with club.person() as anna, club.person() as ben:
        sign_up(ben, "Ben")
        other = anna.create(seats=DEVICES)["id"]
        club.admin("ban", "Ben")
        assert anna.snapshot(other)["you"] == [0, 1]
        assert anna.snapshot(other)["seq"] == 1
