"""The engine protocol: our engine over its two streams, and other programs that implement the protocol."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from terrarium import nova, turrium
from terrarium.engine import Choice, Engine, Limit
from terrarium.engine.protocol import Client, Server, read_position
from terrarium.errors import EngineError

OURS = f"{sys.executable} -c 'from terrarium.cli import main; main()' engine --level 2"


def said(*commands: str) -> list[str]:
    """What the engine answers to these lines."""
    answers = io.StringIO()
    Server(io.StringIO("\n".join(commands) + "\n"), answers).serve()
    return answers.getvalue().splitlines()


def errors(lines: list[str]) -> list[str]:
    """The codes of the errors among the answers."""
    return [line.split()[2] for line in lines if line.startswith("info error")]


def test_it_introduces_itself_and_is_ready() -> None:
    lines = said("uci", "isready", "quit", "uci")
    assert lines[0].startswith("id name Terrarium")
    assert "option name Level type spin default 8 min 1 max 8" in lines
    assert lines[-2:] == ["uciok", "readyok"], "nothing may be read after quit"


def ask(*commands: str) -> list[str]:
    """The same, but the input stream ends only after the engine has answered with a turn."""
    reading, writing = _pipe()
    answers = _Answers()
    thread = Thread(target=Server(reading, answers).serve)
    thread.start()
    for command in commands:
        writing.write(command + "\n")
    writing.flush()
    answers.wait("bestturn")
    writing.write("quit\n")
    writing.close()
    thread.join(timeout=180)
    reading.close()
    assert not thread.is_alive()
    return answers.lines()


@pytest.mark.parametrize(
    ("position", "start"),
    [
        ("start nova players=3 edition=en board=crescent", None),
        ("start nova actions @e7 @e8", nova.start().play_all("@e7 @e8")),
        ("start turrium variant=burgenland vacant_attack=false", None),
        (f"text {turrium.start().to_text()} actions @c3", turrium.start().play("@c3")),
    ],
)
def test_it_answers_a_turn_that_can_be_played(position: str, start: object) -> None:
    lines = ask("setoption name Level value 2", f"position {position}", "go nodes 200")
    turn = lines[-1].removeprefix("bestturn ").split()
    assert turn
    assert any(line.startswith("info line 1 nodes ") for line in lines)
    if start is not None:
        start.play_all(turn)  # type: ignore[attr-defined]


def test_the_same_seed_gives_the_same_conversation() -> None:
    commands = ("setoption name Seed value 5", "position start nova actions @e7", "go nodes 1500")
    first, second = ask(*commands), ask(*commands)
    assert first[-1] == second[-1]


def test_it_reports_as_many_lines_as_it_is_asked_for() -> None:
    lines = ask("setoption name Lines value 3", "position start nova", "go nodes 2000")
    assert [f"info line {rank}" in line for rank, line in enumerate(lines[-4:-1], 1)] == [True] * 3


DOCUMENT = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
DIALOGUES = re.findall(r"```\n(> .*?)```", DOCUMENT, re.S)
LINE = re.compile(
    r"info line (?P<rank>\d+) nodes (?P<nodes>\d+) time \d+ visits \d+ proven [01]"
    r" shares(?P<shares>( \d\.\d{4})+) points( -?\d+\.\d)+ turn (?P<turn>.+?)( replies (?P<replies>.+))?"
)


@pytest.mark.parametrize("dialogue", DIALOGUES)
def test_the_documented_dialogues_are_real(dialogue: str) -> None:
    commands = [line[2:] for line in dialogue.splitlines() if line.startswith("> ")]
    told = [line[2:] for line in dialogue.splitlines() if line.startswith("< ")]
    assert commands
    assert told
    given = ask(*commands)
    assert errors(given) == []
    position = read_position(next(c for c in commands if c.startswith("position ")).split()[1:])
    limit = int(next(c for c in commands if c.startswith("go ")).split()[-1])
    for lines in (told, given):
        assert {line.split()[1] for line in lines[:-1]} == {line.split()[1] for line in told[:-1]}
        for line in lines:
            words = line.split(maxsplit=3)
            if words[1] == "line":
                found = LINE.fullmatch(line)
                assert found, line
                assert sum(map(float, found["shares"].split())) == pytest.approx(1, abs=1e-3)
                assert int(found["nodes"]) <= limit
                after = position.play_all(found["turn"])
                for reply in (found["replies"] or "").split(" / "):
                    after = after.play_all(reply)
            elif words[1] == "reason":
                assert {"side", "code", "seat"} <= json.loads(words[3]).keys()
            else:
                assert words[0] == "bestturn"
                position.play_all(line.removeprefix("bestturn "))


def test_every_option_and_every_field_is_documented() -> None:
    for line in said("uci"):
        if line.startswith("option name "):
            _, _, name, _, _, _, default, _, low, _, high = line.split()
            assert f"| `{name}` | {low}–{high} ({default}) |" in DOCUMENT
    given = ask("setoption name Lines value 3", "position start nova", "go nodes 3000")
    for field in re.findall(r"\b(?<!\d )[a-z]+(?= )", next(x for x in given if "line 1" in x))[1:]:
        assert re.search(rf"^\| `{field}\b", DOCUMENT, re.M), field


def test_partial_results_are_printed_while_it_thinks() -> None:
    lines = ask("position start nova", "go movetime 900")
    nodes = [int(line.split()[4]) for line in lines if line.startswith("info line 1 ")]
    assert nodes == sorted(nodes)


@pytest.mark.parametrize(
    ("between", "go", "engines"),
    [
        (None, "go movetime 1", 1),
        ("newgame", "go movetime 1", 2),
        ("setoption name Threads value 2", "go movetime 1", 2),
        (None, "go nodes 200", 2),
    ],
)
def test_one_engine_plays_a_game_within_time_limits(
    monkeypatch: pytest.MonkeyPatch, between: str | None, go: str, engines: int
) -> None:
    chosen_by: list[Engine] = []

    class Noted(Engine):
        def choose(self, *args: Any, **options: Any) -> Choice:
            chosen_by.append(self)
            return super().choose(*args, **options)

    monkeypatch.setattr("terrarium.engine.protocol.Engine", Noted)
    position = "position start nova"
    first = said(position, "go movetime 1", *([between] if between else []), position, go)
    assert sum(line.startswith("bestturn") for line in first) == 2
    assert len(set(map(id, chosen_by))) == engines


def test_a_finished_search_does_not_end_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    is_stopped: list[bool] = []

    class Noted(Engine):
        def choose(self, *args: Any, **options: Any) -> Choice:
            is_stopped.append(self._stop.is_set())
            return super().choose(*args, **options)

    monkeypatch.setattr("terrarium.engine.protocol.Engine", Noted)
    server = Server(io.StringIO(), io.StringIO())
    for _ in range(2):
        server._obey("position", ["start", "nova"])
        server._obey("go", ["movetime", "1"])
        assert server._thinking is not None
        server._thinking.join()
    assert is_stopped == [False, False]


def test_stop_ends_an_endless_search() -> None:
    lines = ask("position start nova", "go infinite", "stop")
    assert lines[-1].startswith("bestturn @")


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("fly", "no-such-command"),
        ("go", "no-position"),
        ("position", "bad-command"),
        ("position start chess", "bad-command"),
        ("position start nova players", "bad-command"),
        ("position start nova players=7", "invalid-option"),
        ("position start nova players=--2", "invalid-option"),
        ("position start nova wings=2", "unknown-option"),
        ("position start nova board=moon", "no-such-board"),
        ("position start turrium board=terra-nova", "no-boards"),
        ("position text chess 8/8", "no-such-game"),
        ("position text nova nonsense", None),
        ("position start nova actions @zz", None),
        ("position start nova actions @e7 @e7", None),
        ("setoption name Level value 9", "bad-option"),
        ("setoption name Level value " + "9" * 5000, "bad-option"),
        ("setoption name Level value ٣", "bad-option"),
        ("setoption name Wings value 1", "no-such-option"),
        ("setoption Level 3", "bad-command"),
    ],
)
def test_it_reports_unknown_commands_and_continues(command: str, code: str | None) -> None:
    lines = said(command, "isready")
    assert len(errors(lines)) == 1
    assert code is None or errors(lines) == [code]
    assert lines[-1] == "readyok"
    assert "Traceback" not in "".join(lines)


@pytest.mark.parametrize(
    "go",
    [
        "go fast",
        "go nodes",
        "go nodes x",
        "go nodes 0",
        "go movetime 99999999999",
        f"go nodes {'9' * 5000}",
    ],
)
def test_an_invalid_limit_is_refused(go: str) -> None:
    lines = said("position start nova", go, "isready")
    assert len(errors(lines)) == 1
    assert lines[-1] == "readyok"


def test_a_game_that_is_over_has_no_turn() -> None:
    over = nova.start().resign(0).to_text()
    assert errors(said(f"position text {over}", "go nodes 10")) == ["game-over"]


def test_our_own_engine_can_be_run_as_a_program() -> None:
    client = Client(OURS, seed=3)
    try:
        position = nova.start()
        for _ in range(3):
            position = position.play_all(client.choose(position, Limit(nodes=100)))
        assert len(position.pioneers) == 3
    finally:
        client.close()


def program(tmp_path: Path, body: str) -> str:
    """A program that answers the handshake and then runs `body`."""
    path = tmp_path / "program.py"
    path.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    word = line.split()[0]\n"
        "    if word == 'uci': print('id name Odd\\nuciok', flush=True)\n"
        "    if word == 'isready': print('readyok', flush=True)\n"
        f"    if word == 'go': {body}\n"
        "    if word == 'quit': break\n"
    )
    return f"{sys.executable} {path}"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("print('bestturn @zz', flush=True)", "illegal-turn"),
        ("print('bestturn @e7 @e7', flush=True)", "illegal-turn"),
        ("print('bestturn', flush=True)", "illegal-turn"),
        ("sys.exit(1)", "program-died"),
    ],
)
def test_each_fault_of_a_program_has_its_own_code(tmp_path: Path, body: str, code: str) -> None:
    client = Client(program(tmp_path, body))
    try:
        with pytest.raises(EngineError) as caught:
            client.choose(nova.start(), Limit(seconds=5))
        assert caught.value.code == code
    finally:
        client.close()


def test_input_that_an_ended_program_never_read_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "short.py"
    path.write_text("print('uciok\\nreadyok', flush=True)\ninput()\ninput()\n")
    client = Client(f"{sys.executable} {path}")
    client._process.wait(timeout=180)
    with pytest.raises(EngineError) as caught:
        client.choose(nova.start(), Limit(seconds=5))
    assert caught.value.code == "program-died"
    client.close()


def test_a_program_that_can_not_be_started_is_named() -> None:
    with pytest.raises(EngineError, match="no-such-thing"):
        Client("/no-such-thing")


class _Answers(io.StringIO):
    """Collects answers from another thread."""

    def wait(self, word: str) -> None:
        from time import monotonic, sleep

        end = monotonic() + 180
        while word not in self.getvalue():
            assert monotonic() < end, f"no {word}: {self.getvalue()}"
            sleep(0.01)

    def lines(self) -> list[str]:
        return self.getvalue().splitlines()


def _pipe() -> tuple[io.TextIOWrapper, io.TextIOWrapper]:
    import os

    reading, writing = os.pipe()
    return os.fdopen(reading, "r"), os.fdopen(writing, "w")


def test_a_program_accepts_a_limit_in_seconds_and_ends_with_its_with_block() -> None:
    with Client(OURS, seed=3) as client:
        position = nova.start()
        assert len(position.play_all(client.choose(position, 0.05)).pioneers) == 1
    assert client._process.poll() is not None
