"""Matches on a Ray cluster: a real one, started on this machine."""

from __future__ import annotations

import importlib
import socket

import pytest

from terrarium.arena import Match, run
from terrarium.arena.pool import RayExecutor, workers
from terrarium.engine import Limit
from terrarium.errors import EngineError

MATCH = Match(
    "nova",
    "greedy",
    "random",
    games=2,
    limit=Limit(nodes=20),
    options={"pioneers": 2, "stones": 6, "stall_rounds": 2},
)


def _fails(number: int) -> int:
    raise EngineError("no-such-player", f"{number}: nobody")


@pytest.mark.only_long
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning:ray")
@pytest.mark.filterwarnings("ignore::FutureWarning:ray")
def test_a_cluster_plays_the_same_match_as_this_process() -> None:
    with workers(2, ray="local") as (pool, jobs):
        assert isinstance(pool, RayExecutor)
        assert pool.cores >= 1
        played = run(MATCH, jobs, executor=pool)
        with pytest.raises(EngineError, match="nobody"):
            pool.submit(_fails, 3).result(timeout=180)
    assert played.games == run(MATCH).games


def test_without_ray_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr("terrarium.arena.pool.import_module", missing)
    with pytest.raises(EngineError, match="pip install"):
        RayExecutor("auto")
    assert importlib.import_module("terrarium.arena.pool") is not None


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_an_address_without_a_cluster_is_refused_before_ray_tries(
    monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    def tries(**_: object) -> None:
        raise AssertionError("Ray would try for minutes")

    monkeypatch.setattr(importlib.import_module("ray"), "init", tries)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(EngineError, match="no Ray cluster answers"):
        RayExecutor(f"{scheme}127.0.0.1:{port}")
