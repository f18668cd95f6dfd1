"""No turn is lost or played twice: processes race for the same seq, and keys are sent again."""

from __future__ import annotations

import json
import multiprocessing
import random
import socket
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.server.playing import position_of, random_turn, replayed
from tests.server.postgres import Postgres
from tests.server.running import PATIENCE, Forked, Server
from tests.sizes import size

pytestmark = pytest.mark.long

RACES = {"sqlite": size(60, 1_700), "postgresql": size(20, 300)}
GAMES = 8


class Wire:
    """A minimal HTTP client: one connection, one request at a time."""

    def __init__(self, port: int, secret: str) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.file = self.socket.makefile("rb")
        self.head = f"Host: 127.0.0.1\r\nAuthorization: Bearer {secret}\r\nContent-Type: application/json\r\n"

    def post(self, path: str, body: Any) -> tuple[int, Any]:
        data = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\n{self.head}Content-Length: {len(data)}\r\n\r\n"
        self.socket.sendall(head.encode() + data)
        status = int(self.file.readline().split()[1])
        length = 0
        while (line := self.file.readline().strip().lower()) != b"":
            if line.startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return status, json.loads(self.file.read(length))

    def close(self) -> None:
        self.file.close()
        self.socket.close()


def racer(
    number: int, port: int, games: list[tuple[str, list[str]]], orders: Any, results: Any
) -> None:
    """One of two processes: sends each turn at the same moment as the other."""
    wires = {secret: Wire(port, secret) for _, secrets in games for secret in secrets}
    while (order := orders.recv()) is not None:
        game, secret, seq, actions = order
        body = {"seq": seq, "actions": actions, "key": f"{number}-{seq}"}
        results.send(wires[secret].post(f"/api/games/{game}/turns", body))
    for wire in wires.values():
        wire.close()


def race(port: int, created: list[dict[str, Any]], races: int) -> Counter[tuple[int, int]]:
    """Let two processes send a turn for the same seat and seq at once, many times."""
    context = multiprocessing.get_context("spawn")
    games = [(game["id"], game["secrets"]) for game in created]
    ends, racers = [], []
    for number in range(2):
        ours, theirs = context.Pipe()
        process = context.Process(target=racer, args=(number, port, games, theirs, theirs))
        process.start()
        theirs.close()
        ends.append(ours)
        racers.append(process)
    rng = random.Random(7)
    state = {game["id"]: (game["seq"], position_of(game["game"])) for game in created}
    outcomes: Counter[tuple[int, int]] = Counter()
    for number in range(races):
        game, secrets = games[number % len(games)]
        seq, position = state[game]
        if position.outcome is not None:
            continue
        turns = [random_turn(position, rng) for _ in range(2)]
        seat = position.to_move
        for end, (actions, _) in zip(ends, turns, strict=True):
            end.send((game, secrets[seat], seq, actions))
        answers = [end.recv() for end in ends]
        outcomes[tuple(sorted(status for status, _ in answers))] += 1
        winner = next(i for i, (status, _) in enumerate(answers) if status == 200)
        _, lost = answers[1 - winner]
        assert (lost["code"], lost["seq"]) == ("stale-turn", seq + 1)
        state[game] = (answers[winner][1]["seq"], turns[winner][1])
    for end, process in zip(ends, racers, strict=True):
        end.send(None)
        process.join()
        end.close()
    return outcomes


def check(server: Server | Forked, created: list[dict[str, Any]]) -> None:
    with server.person() as person:
        for game in created:
            snapshot = person.snapshot(game["id"])
            assert [turn["seq"] for turn in snapshot["turns"]] == list(
                range(2, len(snapshot["turns"]) + 2)
            )
            assert replayed(snapshot) == position_of(snapshot)


def long_games(server: Server | Forked) -> list[dict[str, Any]]:
    with server.person() as person:
        return [person.create("turrium", rules={"max_rounds": 500}) for _ in range(GAMES)]


def test_of_two_processes_that_race_for_a_seq_exactly_one_wins(server: Server) -> None:
    created = long_games(server)
    outcomes = race(server.port, created, RACES["sqlite"])
    assert outcomes == {(200, 409): RACES["sqlite"]}
    check(server, created)


@pytest.mark.slow
def test_of_two_processes_at_two_workers_exactly_one_wins(
    tmp_path: Path, postgres: Postgres
) -> None:
    address = postgres.database()
    with Server(tmp_path, "--database", address, "--workers", "2") as running:
        created = long_games(running)
        outcomes = race(running.port, created, RACES["postgresql"])
        assert outcomes == {(200, 409): RACES["postgresql"]}
        check(running, created)


def test_a_key_replayed_by_many_at_once_is_one_turn(server: Server) -> None:
    (game, *_) = long_games(server)
    position, seq, rng = position_of(game["game"]), game["seq"], random.Random(3)
    for _ in range(30):
        actions, after = random_turn(position, rng)
        secret = game["secrets"][position.to_move]
        wires = [Wire(server.port, secret) for _ in range(4)]
        body = {"seq": seq, "actions": actions, "key": f"same-{seq}"}
        data = json.dumps(body).encode()
        for wire in wires:
            head = f"POST /api/games/{game['id']}/turns HTTP/1.1\r\n{wire.head}"
            wire.socket.sendall(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)
        answers = []
        for wire in wires:
            assert b" 200 " in wire.file.readline()
            while (line := wire.file.readline().strip().lower()) != b"":
                if line.startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            answers.append(json.loads(wire.file.read(length)))
            wire.close()
        assert all(answer == answers[0] for answer in answers)
        position, seq = after, answers[0]["seq"]
    with server.person() as person:
        assert person.snapshot(game["id"])["turn"] == 30
