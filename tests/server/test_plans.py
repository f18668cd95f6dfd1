"""Plans on a server: their turns are played exactly once while their owner is away, and nobody else sees them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from terrarium.play.clocks import wall_clock
from terrarium.play.plans import MAX_PLANS
from terrarium.server.live import plans
from tests.server.playing import position_of, random_turn
from tests.server.postgres import Postgres
from tests.server.running import InProcess, Person, Server, comes
from tests.server.test_talk import sat_down, socket_of, until

ORDER: dict[str, Any] = {"clock": {"kind": "correspondence", "days": 3}, "game": "turrium"}


def line_of(person: Person, game: str, count: int, seed: int = 1) -> tuple[int, list[list[str]]]:
    snapshot = person.snapshot(game)
    position, rng, turns = position_of(snapshot), random.Random(seed), []
    for _ in range(count):
        turn, position = random_turn(position, rng)
        turns.append(turn)
    return snapshot["seq"], turns


def plan(person: Person, game: str, seat: int, seq: int, turns: list[list[str] | None]) -> Any:
    return person.post(f"/api/games/{game}/plans", {"seat": seat, "seq": seq, "turns": turns})


def plans_of(person: Person, game: str, seat: int) -> list[dict[str, Any]]:
    answer = person.get(f"/api/games/{game}/plans", seat=seat)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["plans"]
    return found


def turns_played(person: Person, game: str) -> list[tuple[int, list[str]]]:
    return [(turn["seat"], turn["actions"]) for turn in person.snapshot(game)["turns"]]


def test_a_conditional_turn_is_played_while_its_owner_is_away(
    server: Server, person: Person, stranger: Person
) -> None:
    game = sat_down(person, stranger, **ORDER)
    seq, line = line_of(person, game, 4)
    assert plan(stranger, game, 1, seq, list(line)).status_code == 201
    with server.person() as spectator:
        for asker in (person, spectator):
            refused = asker.get(f"/api/games/{game}/plans", seat=1)
            assert refused.status_code in (401, 403)
    assert person.turn(game, seq, line[0]).status_code == 200
    assert comes(lambda: len(turns_played(person, game)) == 2)
    assert plans_of(stranger, game, 1)[0]["done"] == 2
    seq = person.snapshot(game)["seq"]
    assert person.turn(game, seq, line[2]).status_code == 200
    assert comes(lambda: len(turns_played(person, game)) == 4)
    assert turns_played(person, game) == [(i % 2, turn) for i, turn in enumerate(line)]
    assert comes(lambda: plans_of(stranger, game, 1)[0]["state"] == "played")
    assert {turn["by"] for turn in person.snapshot(game)["turns"]} == {"player"}


def test_a_premove_that_became_illegal_fails_and_its_owner_sees_why(
    person: Person, stranger: Person
) -> None:
    game = sat_down(person, stranger, rules={"pioneers": 2})
    seq, turns = line_of(person, game, 1)
    with socket_of(stranger, game) as seated:
        until(seated, "ready")
        # The same cell: it is occupied when the turn is played.
        assert plan(stranger, game, 1, seq, [None, turns[0]]).status_code == 201
        assert until(seated, "changed")["what"] == "plans"
        person.turn(game, seq, turns[0])
        until(seated, "turn")
        assert until(seated, "changed")["what"] == "plans"
    (failed,) = plans_of(stranger, game, 1)
    assert failed["state"] == "failed"
    assert failed["reason"]
    assert len(turns_played(person, game)) == 1
    gone = stranger.http.delete(f"/api/games/{game}/plans/{failed['id']}", params={"seat": 1})
    assert gone.json() == {"plans": []}


def test_a_premove_is_chosen_on_a_board_and_replaced_by_another(
    person: Person, stranger: Person
) -> None:
    game = sat_down(person, stranger, rules={"pioneers": 2})
    seq = person.snapshot(game)["seq"]
    body = {"seat": 1, "seq": seq, "turns": [None], "actions": []}
    tried = stranger.post(f"/api/games/{game}/plans/try", body).json()
    assert tried["view"]["to_move"] == 1
    first, second = (action["text"] for action in tried["legal"][:2])
    for action in (first, second):
        assert plan(stranger, game, 1, seq, [None, [action]]).status_code == 201
    (kept,) = plans_of(stranger, game, 1)
    assert kept["turns"] == [None, [second]]
    legal = [action["text"] for action in person.snapshot(game)["legal"]]
    own = next(action for action in legal if action not in (first, second))
    assert person.turn(game, seq, [own]).status_code == 200
    assert comes(lambda: turns_played(person, game) == [(0, [own]), (1, [second])])


def test_the_number_of_plans_is_bounded(person: Person, stranger: Person) -> None:
    game = sat_down(person, stranger, **ORDER)
    seq, _ = line_of(person, game, 1)
    answers = [
        plan(stranger, game, 1, seq, list(line_of(person, game, 2, seed)[1]))
        for seed in range(MAX_PLANS + 1)
    ]
    assert [answer.status_code for answer in answers] == [201] * MAX_PLANS + [409]
    assert answers[-1].json()["code"] == "too-many-plans"
    assert plan(person, game, 0, seq, [None, ["@c3"]]).json()["code"] == "plan-own-turn"
    assert plan(person, game, 1, seq, [None, ["@c3"]]).json()["code"] == "not-your-seat"


def test_the_sweep_plays_a_plan_that_no_worker_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing_due(self: plans.Plans) -> list[str]:
        return []

    with (
        monkeypatch.context() as unnoticed,
        InProcess(tmp_path, wall_clock) as server,
        server.person() as host,
        server.person() as guest,
    ):
        unnoticed.setattr(plans.Plans, "schedule", lambda self, game_id: None)
        unnoticed.setattr(plans.Plans, "due", nothing_due)  # the sweep may come at any time
        game = sat_down(host, guest, **ORDER)
        seq, line = line_of(host, game, 2)
        plan(guest, game, 1, seq, list(line))
        host.turn(game, seq, line[0])
        assert len(turns_played(host, game)) == 1
    with InProcess(tmp_path, wall_clock) as server, server.person() as watcher:
        assert comes(lambda: len(turns_played(watcher, game)) == 2)


@pytest.fixture
def workers(tmp_path: Path, postgres: Postgres) -> Iterator[tuple[InProcess, InProcess]]:
    shared = {"database": postgres.database(), "secret": "shared"}
    with (
        InProcess(tmp_path / "first", wall_clock, **shared) as first,
        InProcess(tmp_path / "second", wall_clock, **shared) as second,
    ):
        yield first, second


def test_two_workers_play_a_planned_turn_once(workers: tuple[InProcess, InProcess]) -> None:
    first, second = workers
    with first.person() as host, second.person() as guest:
        for seed in range(4):
            game = sat_down(host, guest, **ORDER)
            seq, line = line_of(host, game, 4, seed)
            assert plan(guest, game, 1, seq, list(line)).status_code == 201
            for index in (0, 2):
                seq = host.snapshot(game)["seq"]
                assert host.turn(game, seq, line[index]).status_code == 200
                for worker in workers:  # both look at the game at the same time
                    loop_of(worker).call_soon_threadsafe(look_at, worker, game)
                assert comes(lambda: len(turns_played(host, game)) >= index + 2)  # noqa: B023
            assert turns_played(host, game) == [(i % 2, turn) for i, turn in enumerate(line)]
            assert comes(lambda: plans_of(guest, game, 1)[0]["state"] == "played")  # noqa: B023


def loop_of(worker: InProcess) -> Any:
    return worker.application.services._sweeper.get_loop()  # type: ignore[union-attr]


def look_at(worker: InProcess, game: str) -> None:
    worker.application.services.plans.changed_elsewhere(game)
    worker.application.services.plans.schedule(game)
