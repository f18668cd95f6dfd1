"""Training can be interrupted and resumed, and the same plan gives the same weights."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import pytest

from terrarium.arena.train import Plan, train
from terrarium.errors import EngineError

PLAN = Plan("nova", rounds=2, games=2, seed=4)


@pytest.fixture
def pool() -> Iterator[Executor]:
    with ThreadPoolExecutor(1) as executor:
        yield executor


def packaged(name: str) -> dict[str, Any]:
    text = files("terrarium.engine").joinpath(f"weights/{name}.json").read_text()
    return cast(dict[str, Any], json.loads(text))


@pytest.mark.parametrize("plan", [PLAN, Plan("turrium", rounds=2, games=2, by="play")])
def test_an_interrupted_training_gives_the_same_result(
    tmp_path: Path, pool: Executor, plan: Plan
) -> None:
    whole = list(train(plan, tmp_path / "whole", pool, 1))
    assert [step.round for step in whole if step.report is not None] == [1, 2]
    for step in train(plan, tmp_path / "parts", pool, 1):
        if (step.round, step.games) == (2, 1):
            break
    kept = sorted(path.name for path in (tmp_path / "parts").rglob("*.npz"))
    assert kept == ["000000.npz"]
    steps = list(train(plan, tmp_path / "parts", pool, 1))
    assert steps[0].round == 2, "the first round must not be played again"
    learnt = [
        json.loads((tmp_path / name / "weights.json").read_text()) for name in ("whole", "parts")
    ]
    assert learnt[0] == learnt[1]
    assert learnt[0]["weights"] != learnt[0]["start"]
    assert learnt[0]["command"] == plan.command
    start = packaged("nova")["start"] if plan is PLAN else packaged("turrium")["weights"]
    assert learnt[0]["start"] == start, "the same start as that of the engine's weights"
    assert not list((tmp_path / "parts").rglob("*.npz"))


def test_a_directory_of_another_training_is_not_overwritten(tmp_path: Path) -> None:
    class Nothing(Executor):
        def submit(self, *arguments: object, **named: object) -> Future[object]:  # type: ignore[override]
            raise AssertionError("nothing may be played")

    (tmp_path / "plan.json").write_text(
        json.dumps({"plan": {"game": "nova", "games": 7}, "weights": {}})
    )
    with pytest.raises(EngineError, match="name another directory"):
        next(train(PLAN, tmp_path, Nothing(), 1))


def test_a_plan_with_unknown_fields_is_refused(tmp_path: Path, pool: Executor) -> None:
    (tmp_path / "plan.json").write_text(json.dumps({"plan": {"game": "nova", "moons": 2}}))
    with pytest.raises(EngineError, match="is not a training plan") as caught:
        next(train(PLAN, tmp_path, pool, 1))
    assert caught.value.code == "bad-training"


@pytest.mark.parametrize(
    "text",
    ["[", "[]", "{}", '{"weights": 3}', '{"weights": {"pay": 3}}', '{"weights": {"pay": [1, 2]}}'],
)
def test_a_file_without_weights_is_refused(tmp_path: Path, pool: Executor, text: str) -> None:
    file = tmp_path / "other.json"
    file.write_text(text)
    with pytest.raises(EngineError, match="is not a weights file") as caught:
        next(train(PLAN, tmp_path / "training", pool, 1, file))
    assert caught.value.code == "bad-weights"
    assert not list((tmp_path / "training").iterdir())


def test_training_starts_from_the_weights_of_a_file(tmp_path: Path, pool: Executor) -> None:
    file = tmp_path / "other.json"
    other = packaged("nova")["weights"] | {"tempo": 2.0}
    file.write_text(json.dumps({"weights": other}))
    plan = Plan("nova", rounds=1, games=1, seed=4, board="two-bays")
    list(train(plan, tmp_path / "training", pool, 1, file))
    learnt = json.loads((tmp_path / "training" / "weights.json").read_text())
    assert learnt["start"] == other
    assert learnt["weights"]["tempo"] == 2, "a weight that is not trained is kept"


def test_games_of_three_train_weights_that_games_of_two_do_not_use(
    tmp_path: Path, pool: Executor
) -> None:
    plan = Plan("nova", rounds=1, games=1, seed=2, board="two-bays", players=3)
    list(train(plan, tmp_path, pool, 1))
    learnt = json.loads((tmp_path / "weights.json").read_text())
    known = json.loads((tmp_path / "plan.json").read_text())["weights"]
    assert learnt["command"].endswith("--players 3")
    assert known["region_lead"] == 0
    assert known["pay"][10:] == [0, 0]
    assert learnt["weights"]["region_lead"] != 0
    assert all(learnt["weights"]["pay"][10:])
    by_hand = ("tempo", "crowd")
    assert [learnt["weights"][name] for name in by_hand] == [known[name] for name in by_hand]


def test_the_training_of_weights_for_several_players_started_from_those_for_two() -> None:
    many = packaged("nova_many")
    assert many["start"] == packaged("nova")["weights"], "so that the command alone reproduces them"
    assert many["command"].startswith("terrarium arena train nova ")
    assert many["command"].endswith("--players 4")


def test_games_of_two_do_not_change_weights_for_more_players(
    tmp_path: Path, pool: Executor
) -> None:
    list(train(Plan("nova", rounds=1, games=1, seed=2, board="two-bays"), tmp_path, pool, 1))
    learnt = json.loads((tmp_path / "weights.json").read_text())["weights"]
    assert learnt["region_lead"] == learnt["region_part"] == learnt["reserve"] == 0
    assert learnt["pay"][10:] == [0, 0]


def test_training_by_play_started_from_the_weights_for_two_players() -> None:
    tuned = packaged("nova_play")
    assert tuned["start"] == packaged("nova")["weights"], "so that the command reproduces them"
    assert tuned["command"].startswith("terrarium arena train nova ")
    assert tuned["command"].endswith("--by play")


def test_a_game_without_examples_and_an_unknown_way_are_refused(
    tmp_path: Path, pool: Executor
) -> None:
    with pytest.raises(EngineError, match="try --by play") as caught:
        next(train(Plan("turrium"), tmp_path / "training", pool, 1))
    assert caught.value.code == "no-trainer"
    assert not list(tmp_path.iterdir())
    with pytest.raises(EngineError, match="one of examples, play"):
        Plan("nova", by="magic")
