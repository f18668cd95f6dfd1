"""Pictures are drawn apart: nobody's turn waits for one, and nothing is drawn that nobody wants."""

from __future__ import annotations

import itertools
import random
import statistics
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from tests.server.playing import position_of, random_turn
from tests.server.running import Person, Server

DEVICES = [{"kind": "device"}, {"kind": "device"}]


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("gallery")) as running:
        yield running


def long_game(person: Person, turns: int) -> str:
    created = person.create(seats=DEVICES)
    seq, position, rng = created["seq"], position_of(created["game"]), random.Random(5)
    for _ in range(turns):
        actions, position = random_turn(position, rng)
        seq = person.turn(created["id"], seq, actions).json()["seq"]
    return str(created["id"])


class Player:
    """Plays turn after turn, and knows when each was acknowledged."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.acknowledged: list[float] = []
        self.is_over = threading.Event()
        self._thread = threading.Thread(target=self._play)
        self._thread.start()

    def _play(self) -> None:
        rng = random.Random(6)
        with self.server.person() as person:
            while not self.is_over.is_set():
                created = person.create("turrium", seats=DEVICES)
                seq, position = created["seq"], position_of(created["game"])
                while not self.is_over.is_set() and position.outcome is None:
                    actions, position = random_turn(position, rng)
                    seq = person.turn(created["id"], seq, actions).json()["seq"]
                    self.acknowledged.append(time.monotonic())

    def between(self, start: float, end: float) -> list[float]:
        return [start, *(at for at in self.acknowledged if start < at < end), end]

    def stop(self) -> None:
        self.is_over.set()
        self._thread.join()


def test_turns_are_acknowledged_while_a_large_picture_is_drawn(gallery: Server) -> None:
    """Drawn with the server's own lock held, one pause would be nearly as long as the drawing itself."""
    with gallery.person() as person:
        game = long_game(person, 40)
        person.get(f"/api/games/{game}/picture.png", width=64)  # the process is there
        player = Player(gallery)
        try:
            shares, turns = [], []
            for width in (2048, 2047, 2046):
                start = time.monotonic()
                answer = person.get(f"/api/games/{game}/picture.png", width=width)
                end = time.monotonic()
                assert answer.status_code == 200, answer.text
                moments = player.between(start, end)
                turns.append(len(moments) - 2)
                longest = max(b - a for a, b in itertools.pairwise(moments))
                shares.append(longest / (end - start))
        finally:
            player.stop()
    assert statistics.median(turns) >= 5
    assert statistics.median(shares) < 0.5


def test_a_picture_is_drawn_once(gallery: Server) -> None:
    with gallery.person() as person, gallery.person() as other:
        path = f"/api/games/{long_game(person, 3)}/picture.png"
        first = person.get(path, width=500)
        times = [_cpu(gallery)]
        assert other.get(path, width=500).content == first.content
        times.append(_cpu(gallery))
    assert times[1] - times[0] < 0.05, "it was drawn again"


def _cpu(server: Server) -> float:
    return float(sum(child.cpu_times().user for child in _children(server)))


def _children(server: Server) -> list[psutil.Process]:
    assert server.process is not None
    return list(psutil.Process(server.process.pid).children(recursive=True))


def test_whoever_leaves_calls_the_drawing_off(gallery: Server) -> None:
    """The second animation comes after the first in the same process, so it waits unless that one stops."""
    with gallery.person() as person:
        game = long_game(person, 150)
        cookie = {"Cookie": f"terrarium={person.http.cookies['terrarium']}"}
        path = f"{gallery.url}/api/games/{game}/animation.gif?width=1024"
        with pytest.raises(httpx.ReadTimeout):
            httpx.get(path, headers=cookie, timeout=1.5)
        short = long_game(person, 1)
        for _ in range(200):
            answer = person.get(f"/api/games/{short}/animation.gif", width=64)
            if answer.status_code == 200:
                break
            assert answer.status_code == 429, answer.text  # until the server notices who left
            time.sleep(0.05)
        assert answer.status_code == 200
        # Had the long one been drawn to its end, it would be there at once.
        with pytest.raises(httpx.ReadTimeout):
            httpx.get(path, headers=cookie, timeout=1.5)


def test_one_animation_at_a_time_for_each_person(gallery: Server) -> None:
    with gallery.person() as person:
        game = long_game(person, 120)
        cookie = {"Cookie": f"terrarium={person.http.cookies['terrarium']}"}
        path = f"{gallery.url}/api/games/{game}/animation.gif?width=1000"
        asking = threading.Thread(target=_leaves_soon, args=(path, cookie))
        asking.start()
        time.sleep(1)
        second = httpx.get(path + "&theme=dark", headers=cookie, timeout=60)
        asking.join()
    assert second.json()["code"] == "too-many-requests"
    assert second.json()["retry_after"] > 0


def _leaves_soon(path: str, headers: dict[str, str]) -> None:
    with pytest.raises(httpx.ReadTimeout):
        httpx.get(path, headers=headers, timeout=3)


def test_the_processes_that_draw_end_with_a_killed_server(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        with server.person() as person:
            person.get(f"/api/games/{long_game(person, 1)}/picture.png", width=64)
        children = _children(server)
        assert children
        server.kill()
        _, alive = psutil.wait_procs(children, timeout=20)
        assert not alive
