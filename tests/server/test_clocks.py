"""Clocks: measured on the server, exact across restarts, what happens when time runs out."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.running import FakeTime, InProcess, Person, comes, whole_turn

DEVICES = [{"kind": "device"}, {"kind": "device"}]
TEN_MINUTES = {"kind": "game", "seconds": 600, "increment": 10}


@pytest.fixture
def now() -> FakeTime:
    return FakeTime()


@pytest.fixture
def timed(tmp_path: Path, now: FakeTime) -> Iterator[InProcess]:
    # time jumps by months here: games without a turn must not be deleted meanwhile
    with InProcess(tmp_path, now, keep_unbegun_days=0) as server:
        yield server


def play(person: Person, game: str, pick: int = 0, lag_ms: int = 0) -> dict[str, Any]:
    seq, actions = whole_turn(person, game, pick)
    body = {"seq": seq, "actions": actions, "lag_ms": lag_ms}
    answer = person.post(f"/api/games/{game}/turns", body)
    assert answer.status_code == 200, answer.text
    return person.snapshot(game)


def until(person: Person, game: str, wanted: Any) -> dict[str, Any]:
    for _ in range(2_000):
        snapshot = person.snapshot(game)
        if wanted(snapshot):
            return snapshot
        time.sleep(0.05)
    raise AssertionError(f"did not happen: {snapshot['status']} {snapshot['clock']}")


def test_a_turn_costs_the_time_it_took_and_earns_the_increment(
    timed: InProcess, now: FakeTime
) -> None:
    with timed.person() as person:
        game = person.create(seats=DEVICES, clock=TEN_MINUTES)["id"]
        now.pass_(30)
        snapshot = play(person, game)
        assert snapshot["clock"]["remaining_ms"] == [580_000, 600_000]
        assert snapshot["clock"]["running"] == 1
        now.pass_(4.5)
        assert person.snapshot(game)["clock"]["remaining_ms"] == [580_000, 595_500]


def test_the_clock_waits_until_everybody_is_seated(timed: InProcess, now: FakeTime) -> None:
    with timed.person() as person, timed.person() as friend:
        created = person.create(seats=[{"kind": "device"}, {"kind": "open"}], clock=TEN_MINUTES)
        game = created["id"]
        now.pass_(3600)
        assert person.snapshot(game)["clock"]["running"] is None
        friend.post(f"/api/games/{game}/seats/1")
        now.pass_(1)
        assert person.snapshot(game)["clock"]["remaining_ms"] == [599_000, 600_000]


def test_delay_is_forgiven_only_within_a_quota(timed: InProcess, now: FakeTime) -> None:
    with timed.person() as person:
        clock = {"kind": "game", "seconds": 600, "increment": 0}
        game = person.create(seats=DEVICES, clock=clock)["id"]
        left = []
        for turn in range(8):
            now.pass_(5)
            left.append(play(person, game, turn, lag_ms=60_000)["clock"]["remaining_ms"][turn % 2])
        costs = [600_000 - left[0], *(left[i - 2] - left[i] for i in range(2, 8, 2))]
        # At most half a second for each turn and a second in total; each turn restores a tenth of a second.
        assert costs == [4_500, 4_500, 4_800, 4_900]


def test_running_out_loses_a_duel(timed: InProcess, now: FakeTime) -> None:
    with timed.person() as person:
        game = person.create(seats=DEVICES, clock=TEN_MINUTES)["id"]
        play(person, game)
        now.pass_(601)
        snapshot = until(person, game, lambda s: s["status"] == "over")
        assert snapshot["outcome"]["winners"] == [0]
        assert snapshot["outcome"]["reason"] == "timeout"
        assert "timeout" in person.get(f"/api/games/{game}/record.terra").text


def test_a_turn_that_comes_too_late_is_refused(timed: InProcess, now: FakeTime) -> None:
    with timed.person() as person:
        game = person.create(seats=DEVICES, clock=TEN_MINUTES)["id"]
        seq, actions = whole_turn(person, game)
        now.pass_(600.3)
        assert person.turn(game, seq, actions).status_code == 409
        assert person.snapshot(game)["outcome"]["winners"] == [1]


@pytest.mark.parametrize("on_timeout", ["resign", "computer"])
def test_with_three_seats_the_game_continues_as_agreed(
    timed: InProcess, now: FakeTime, on_timeout: str
) -> None:
    with timed.person() as person:
        created = person.create(
            seats=[*DEVICES, {"kind": "device"}],
            rules={"players": 3},
            clock=TEN_MINUTES,
            on_timeout=on_timeout,
        )
        game = created["id"]
        now.pass_(601)
        snapshot = until(person, game, lambda s: s["view"]["to_move"] == 1)
        assert snapshot["status"] == "playing"
        assert snapshot["seats"][0]["resigned"] == (on_timeout == "resign")
        assert snapshot["seats"][0]["kind"] == ("device" if on_timeout == "resign" else "computer")
        acted = snapshot["resignations" if on_timeout == "resign" else "turns"][0]
        assert acted["by"] == ("timeout" if on_timeout == "resign" else "computer")


def test_days_per_turn_restart_with_every_turn(timed: InProcess, now: FakeTime) -> None:
    with timed.person() as person:
        game = person.create(seats=DEVICES, clock={"kind": "correspondence", "days": 2})["id"]
        now.pass_(86_400)
        snapshot = play(person, game)
        assert snapshot["clock"]["remaining_ms"] == [172_800_000, 172_800_000]
        now.pass_(2 * 86_400 + 1)
        assert until(person, game, lambda s: s["status"] == "over")["outcome"]["winners"] == [0]


def test_vacation_stops_a_correspondence_clock(timed: InProcess, now: FakeTime) -> None:
    with timed.person() as person:
        game = person.create(seats=DEVICES, clock={"kind": "correspondence", "days": 2})["id"]
        assert person.post("/api/accounts", {"name": "First", "password": "long enough"}).is_success
        now.pass_(86_400)
        assert person.http.patch("/api/me", json={"vacation": True}).json()["vacation"]
        now.pass_(10 * 86_400)
        snapshot = person.snapshot(game)
        assert snapshot["status"] == "playing"
        assert snapshot["clock"]["remaining_ms"][0] == 86_400_000
        back = person.http.patch("/api/me", json={"vacation": False}).json()
        assert back["vacation_days_left"] == 20.0
        now.pass_(86_400 / 2)
        assert person.snapshot(game)["clock"]["remaining_ms"][0] == 43_200_000


def test_clocks_are_exact_across_a_restart(tmp_path: Path, now: FakeTime) -> None:
    with InProcess(tmp_path, now) as server, server.person() as person:
        game = person.create(seats=DEVICES, clock=TEN_MINUTES)["id"]
        now.pass_(12.345)
        play(person, game)
        now.pass_(7)
        before = person.snapshot(game)["clock"]
        cookies = dict(person.http.cookies)
    with InProcess(tmp_path, now) as server, server.person() as person:
        person.http.cookies.update(cookies)
        assert person.snapshot(game)["clock"] == before
        now.pass_(1)
        assert person.snapshot(game)["clock"]["remaining_ms"] == [597_655, 592_000]


def test_a_seat_left_for_long_may_be_claimed(timed: InProcess, now: FakeTime) -> None:
    with timed.person() as person, timed.person() as friend, timed.person() as third:
        created = person.create(seats=[{"kind": "device"}, {"kind": "open"}])
        game = created["id"]
        sat = friend.post(f"/api/games/{game}/seats/1").json()
        play(person, game)
        early = person.post(f"/api/games/{game}/claim", {"seat": 1, "to": "open"})
        assert (early.status_code, early.json()["code"]) == (409, "not-claimable")
        now.pass_(601)
        claimed = person.post(f"/api/games/{game}/claim", {"seat": 1, "to": "open"})
        assert claimed.json()["seats"][1]["is_taken"] is False
        # The old secret and cookie are no longer valid.
        assert friend.snapshot(game)["you"] == []
        seq, actions = whole_turn(person, game)
        assert person.turn(game, seq, actions, secret=sat["secret"]).status_code == 403
        assert third.post(f"/api/games/{game}/seats/1").status_code == 200
        assert third.turn(game, person.snapshot(game)["seq"], actions).status_code == 200


def test_a_claimed_seat_is_no_longer_connected(timed: InProcess, now: FakeTime) -> None:
    """The player who lost the seat may keep watching, which must not prevent the next claim."""
    with timed.person() as person, timed.person() as friend, timed.person() as third:
        game = person.create(seats=[{"kind": "device"}, {"kind": "open"}])["id"]
        friend.post(f"/api/games/{game}/seats/1")
        play(person, game)
        now.pass_(601)
        with friend.http.stream("GET", f"/api/games/{game}/stream") as stream:
            next(stream.iter_lines())
            here = person.post(f"/api/games/{game}/claim", {"seat": 1, "to": "open"})
            assert here.json()["code"] == "not-claimable"
        until(person, game, lambda s: not s["seats"][1]["is_connected"])
        now.pass_(601)
        assert person.post(f"/api/games/{game}/claim", {"seat": 1, "to": "open"}).is_success
        with friend.http.stream("GET", f"/api/games/{game}/stream") as stream:
            next(stream.iter_lines())
            third.post(f"/api/games/{game}/seats/1")
            assert person.snapshot(game)["seats"][1]["is_connected"] is False
            now.pass_(601)
            again = person.post(f"/api/games/{game}/claim", {"seat": 1, "to": "computer"})
            assert again.json()["seats"][1]["kind"] == "computer"


def test_nobody_plays_for_a_computer_that_replaced_a_player(
    timed: InProcess, now: FakeTime
) -> None:
    """A player who ran out of time no longer holds the seat, neither by cookie nor by secret."""
    with timed.person() as person, timed.person() as friend:
        created = person.create(
            seats=[{"kind": "open"}, {"kind": "device"}, {"kind": "device"}],
            rules={"players": 3},
            clock=TEN_MINUTES,
            on_timeout="computer",
        )
        game = created["id"]
        sat = friend.post(f"/api/games/{game}/seats/0", {"name": "Late"}).json()
        now.pass_(601)
        until(person, game, lambda s: s["view"]["to_move"] == 1)
        assert friend.snapshot(game)["you"] == []
        with timed.person(sat["secret"]) as by_secret:
            for somebody in (friend, by_secret):
                resigned = somebody.post(f"/api/games/{game}/resign", {"seat": 0})
                assert resigned.status_code == 403, resigned.text
        assert person.snapshot(game)["seats"][0]["resigned"] is False


def _by_post(person: Person, friend: Person, days: int) -> str:
    """A correspondence game in which both have sat down."""
    clock = {"kind": "correspondence", "days": days}
    made = person.create(seats=[{"kind": "device"}, {"kind": "open"}], clock=clock)
    game = str(made["id"])
    friend.post(f"/api/games/{game}/seats/1")
    return game


def test_a_take_back_during_the_others_turn_costs_nobody_time(
    timed: InProcess, now: FakeTime
) -> None:
    with timed.person() as person, timed.person() as friend:
        game = _by_post(person, friend, days=1)
        play(person, game)
        now.pass_(20 * 3600)
        person.post(f"/api/games/{game}/offers", {"kind": "takeback", "seat": 0})
        friend.post(f"/api/games/{game}/offers/takeback", {"seat": 1, "accept": True})
        assert play(person, game)["clock"]["remaining_ms"] == [86_400_000, 86_400_000]


def test_vacation_ends_automatically_and_a_new_year_brings_new_days(
    timed: InProcess, now: FakeTime
) -> None:
    with timed.person() as person, timed.person() as friend:
        game = _by_post(person, friend, days=2)
        person.post("/api/accounts", {"name": "Away", "password": "long enough"})
        person.http.patch("/api/me", json={"vacation": True})
        now.pass_(29 * 86_400)
        assert person.snapshot(game)["clock"]["away"] == [0]
        now.pass_(1.5 * 86_400)
        until(person, game, lambda s: s["clock"]["away"] == [])
        # the games are resumed first, then the account is changed
        assert comes(lambda: not person.get("/api/me").json()["vacation"])
        assert person.get("/api/me").json()["vacation_days_left"] == 0.0
        more = person.http.patch("/api/me", json={"vacation": True})
        assert (more.status_code, more.json()["code"]) == (409, "no-vacation-left")
        now.pass_(2 * 86_400 + 1)
        assert until(person, game, lambda s: s["status"] == "over")["outcome"]["winners"] == [1]
        now.pass_(340 * 86_400)
        assert person.http.patch("/api/me", json={"vacation": True}).json()["vacation"]
        # A game that began during the vacation is paused like the others.
        later = _by_post(person, friend, days=2)
        now.pass_(5 * 86_400)
        assert person.snapshot(later)["clock"]["remaining_ms"][0] == 172_800_000
        assert person.http.patch("/api/me", json={"vacation": False}).is_success
        assert person.snapshot(later)["clock"]["away"] == []
