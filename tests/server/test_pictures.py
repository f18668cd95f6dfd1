"""Pictures are drawn in other processes: turns do not wait for them, and cancelled ones are not drawn."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

import psutil
import pytest

from terrarium.play.clocks import wall_clock
from tests.server.playing import position_of, random_turn
from tests.server.running import PATIENCE, InProcess, NewServer, Person, Server, comes

DEVICES = [{"kind": "device"}, {"kind": "device"}]


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    with InProcess(tmp_path_factory.mktemp("gallery"), wall_clock) as running:
        yield running


def long_game(person: Person, turns: int) -> str:
    created = person.create(seats=DEVICES)
    seq, position, rng = created["seq"], position_of(created["game"]), random.Random(5)
    for _ in range(turns):
        actions, position = random_turn(position, rng)
        seq = person.turn(created["id"], seq, actions).json()["seq"]
    return str(created["id"])


@contextmanager
def stopped(server: InProcess) -> Iterator[None]:
    """Stop the processes that draw, so that nothing is drawn meanwhile."""
    drawing = [
        process
        for worker in (
            server.application.services.pictures._pictures,
            server.application.services.pictures._animations,
        )
        if worker._executor is not None
        for process in worker._executor._processes.values()
    ]
    assert drawing, "no process for drawing was found"
    for process in drawing:
        os.kill(process.pid or 0, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in drawing:
            os.kill(process.pid or 0, signal.SIGCONT)


def test_turns_are_acknowledged_while_a_picture_is_drawn(gallery: InProcess) -> None:
    with gallery.person() as person, ThreadPoolExecutor(1) as pool:
        path = f"/api/games/{long_game(person, 3)}/picture.png"
        person.get(path, width=64)  # the process is there
        with stopped(gallery):
            picture = pool.submit(person.get, path, width=65)
            assert comes(lambda: gallery.application.services.pictures._pictures._waiting)
            long_game(person, 5)
            assert not picture.done()
        assert picture.result().content.startswith(b"\x89PNG")


def test_a_picture_is_drawn_once(gallery: InProcess) -> None:
    with gallery.person() as person, gallery.person() as other:
        path = f"/api/games/{long_game(person, 3)}/picture.png"
        first = person.get(path, width=500)
        with stopped(gallery):
            assert other.get(path, width=500).content == first.content


def test_closing_the_connection_cancels_the_drawing(gallery: InProcess) -> None:
    animations = gallery.application.services.pictures._animations
    with gallery.person() as person, gallery.person() as other:
        path = f"/api/games/{long_game(person, 2)}/animation.gif"
        person.get(path, width=64)  # the process is there
        kept = len(gallery.application.services.pictures._kept)
        with stopped(gallery):
            asking = HTTPConnection("127.0.0.1", gallery.port)
            cookie = f"terrarium={person.http.cookies['terrarium']}"
            asking.request("GET", f"{path}?width=65", headers={"Cookie": cookie})
            assert comes(animations._lock.locked)
            asking.close()
            assert comes(lambda: animations._unwanted.is_set())
        # The process is free for others, and the cancelled picture was not drawn.
        assert other.get(path, width=66).status_code == 200
        assert len(gallery.application.services.pictures._kept) == kept + 1


def test_one_animation_at_a_time_for_each_person(gallery: InProcess) -> None:
    pictures = gallery.application.services.pictures
    with gallery.person() as person, ThreadPoolExecutor(1) as pool:
        path = f"/api/games/{long_game(person, 2)}/animation.gif"
        person.get(path, width=64)  # the process is there
        with stopped(gallery):
            first = pool.submit(person.get, path, width=65)
            assert comes(lambda: pictures._animating)
            second = person.get(path, width=66)
        assert second.json()["code"] == "too-many-requests"
        assert second.json()["retry_after"] > 0
        assert first.result().status_code == 200


def _children(server: Server) -> list[psutil.Process]:
    assert server.process is not None
    return list(psutil.Process(server.process.pid).children(recursive=True))


@pytest.mark.slow
def test_the_processes_that_draw_end_with_a_killed_server(tmp_path: Path) -> None:
    with NewServer(tmp_path) as server:
        with server.person() as person:
            person.get(f"/api/games/{long_game(person, 1)}/picture.png", width=64)
        children = _children(server)
        assert children
        server.kill()
        _, alive = psutil.wait_procs(children, timeout=PATIENCE)
        assert not alive
