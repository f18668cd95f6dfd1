"""A game in the terminal, typed line by line."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from terrarium.core.record import Record
from tests.cli.program import Program

PATIENCE = 180.0
"""Seconds after which something counts as never coming, on however busy a machine."""
SMALL = ("play", "nova", "--board", "two-bays", "-o", "pioneers=2")
OPENING = "@c1\n@g13\n@d6\n@d11\n"


def test_people_type_actions_and_the_record_is_printed_at_the_end(program: Program) -> None:
    ran = program(*SMALL, typed=OPENING + "c1-c4 +c3 c4-c5\nquit\n")
    assert ran.code == 0
    text = ran.out[ran.out.index("[Game") :]
    record = Record.parse(text)
    assert [turn.text for turn in record.turns()][-1] == "c1-c4 +c3 c4-c5"
    assert record.outcome is None
    assert "→ ■ red" in ran.out


def test_a_game_without_people_is_played_to_its_end(program: Program, tmp_path: Path) -> None:
    for game in ("nova", "turrium"):
        path = tmp_path / f"{game}.terra"
        words = ["play", game, "--seat", "random", "--seat", "random", "--seed", 3, "--save", path]
        options = (
            ["-o", "pioneers=2", "-b", "two-bays"] if game == "nova" else ["-o", "max_rounds=3"]
        )
        ran = program(*words, *options)
        assert ran.code == 0
        assert "The game is over" in ran.out
        record = Record.read(path)
        assert record.outcome is not None
        again = program(*words, *options)
        assert again.out == ran.out


def test_undo_reverts_actions_of_this_turn_only(program: Program) -> None:
    ran = program(*SMALL, typed=OPENING + "undo\nc1-c4\n+c3\nu\nundo\nundo\nrecord\n")
    assert ran.out.count("undo: this turn has no action yet") == 2
    assert Record.parse(ran.out[ran.out.rindex("[Game") :]).line.entries[-1].text == "@d11"


def test_actions_can_be_chosen_by_number_and_by_cell(program: Program) -> None:
    ran = program(*SMALL, typed=OPENING + "c1\n10\nlist\n1\nquit\n")
    assert re.search(r"\b10 c1-d2\b", ran.out)
    entries = Record.parse(ran.out[ran.out.rindex("[Game") :]).line.entries
    assert entries[4].text == "c1-d2"
    assert len(entries) == 6


def test_a_cell_with_one_possible_action_is_enough(program: Program) -> None:
    ran = program("play", "turrium", typed="c3 d3 e3\nf3 g3 h3\nquit\n")
    record = Record.parse(ran.out[ran.out.rindex("[Game") :])
    assert [turn.text for turn in record.turns()] == ["@c3 @d3 @e3 @f3 @g3 @h3"]


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("help", "Every command may be abbreviated"),
        ("?", "show a computer player's choice"),
        ("regions", "Regions, and what they would pay"),
        ("reg", "Regions, and what they would pay"),
        ("re", "re: regions or record or resign?"),
        ("names", " c1 "),
        ("7", "type `list` first"),
        ("list\n999", "the list runs from 1 to"),
        ("@c1 @c2", "@c2: the turn is over"),
        ("zz", "write a placement as @e7"),
        ("c1-c2", "(TN-"),
        ("save", "name a file"),
        ("save /nowhere/x.terra", "there is no folder"),
    ],
)
def test_whatever_is_typed_is_answered(program: Program, typed: str, answer: str) -> None:
    ran = program(*SMALL, typed=f"{typed}\nquit\n")
    assert ran.code == 0
    assert answer in ran.out


def test_ladders_and_phases_of_terra_turrium(program: Program) -> None:
    ran = program(
        "play",
        "turrium",
        "--seat",
        "human",
        "--seat",
        "random",
        "--seed",
        1,
        typed="c3 d3 e3 f3 g3 h3\n-c4\n+c4\nladders\nend\nquit\n",
    )
    assert "has 1 1 1 1 1 1   misses 2 3 4 5 6" in ran.out
    assert "take a cube, or place one you hold" in ran.out
    assert "move: 5 points left, or end" in ran.out


def test_resigning_ends_a_duel(program: Program) -> None:
    ran = program(*SMALL, "--name", "a player", typed="resign\n")
    assert "● a player resigns" in ran.out
    assert "wins" in ran.out
    assert Record.parse(ran.out[ran.out.rindex("[Game") :]).outcome is not None


def test_a_game_continues_from_a_position(program: Program) -> None:
    ran = program(*SMALL, typed=OPENING + "quit\n")
    text = Record.parse(ran.out[ran.out.rindex("[Game") :]).position.to_text()
    ran = program("play", "nova", "--position", text, typed="c1-c4\nquit\n")
    record = Record.parse(ran.out[ran.out.rindex("[Game") :])
    assert record.start.to_text() == text
    assert len(record) == 1


def test_a_game_is_saved_while_it_is_played(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "mine.terra"
    program(*SMALL, typed=f"@c1\nsave {path}\nquit\n")
    assert len(Record.read(path)) == 1
    program(*SMALL, "--save", path, typed="@c1\n@c2\n")
    assert len(Record.read(path)) == 2


def test_a_computer_player_takes_a_seat_and_prints_its_evaluation(program: Program) -> None:
    ran = program(
        *SMALL, "--seat", "human", "--seat", "level:1", "--seed", 1, typed="@c1\n@d6\nhint\nquit\n"
    )
    record = Record.parse(ran.out[ran.out.rindex("[Game") :])
    assert len(record) == 4
    assert record.seats == ("", "level 1")
    assert record.line.entries[1].evaluation is not None


def test_in_a_terminal_there_is_colour_and_ctrl_c_offers_the_record(tmp_path: Path) -> None:
    terminal = _Terminal(tmp_path, *SMALL)
    try:
        terminal.wait_for("> ")
        terminal.type("@c1\r")
        terminal.wait_for("red (place) > ")
        assert "\x1b[" in terminal.seen
        terminal.type("\x03")
        terminal.wait_for("Save the record?")
        terminal.type("kept.terra\r")
        terminal.wait_for("The record is in kept.terra")
        assert terminal.run.wait(PATIENCE) == 0
    finally:
        terminal.close()
    assert len(Record.read(tmp_path / "kept.terra")) == 1
    assert "Traceback" not in terminal.seen


def test_ctrl_c_works_even_right_before_the_program_waits_for_a_key(tmp_path: Path) -> None:
    # After the prompt, before the program waits for a key. Not inside a Python function, where signals are handled at once.
    pressing = (
        "import ctypes, functools, readline, signal; "
        "press = getattr(ctypes.CDLL(None), 'raise'); "
        "readline.set_pre_input_hook(functools.partial(press, int(signal.SIGINT)))"
    )
    terminal = _Terminal(tmp_path, *SMALL, "--save", "kept.terra", first=pressing)
    try:
        terminal.wait_for("yellow (place) > ")
        terminal.wait_for("The game was left.")
        terminal.wait_for("The record is in kept.terra")
        assert terminal.run.wait(PATIENCE) == 0
    finally:
        terminal.close()
    assert len(Record.read(tmp_path / "kept.terra")) == 0
    assert "Traceback" not in terminal.seen


def test_ctrl_c_works_while_a_computer_player_thinks(tmp_path: Path) -> None:
    terminal = _Terminal(tmp_path, "play", "nova", "--seat", "human", "--seat", "level:8")
    try:
        terminal.wait_for("yellow (place) > ")
        terminal.type("@e7\r")
        terminal.wait_for("is thinking")
        terminal.type("\x03")
        terminal.wait_for("Save the record?")
        terminal.type("kept.terra\r")
        terminal.wait_for("The record is in kept.terra")
        assert terminal.run.wait(PATIENCE) == 0
    finally:
        terminal.close()
    assert Record.read(tmp_path / "kept.terra").line.entries[0].text == "@e7"
    assert "Traceback" not in terminal.seen


def test_no_color_is_respected_in_a_terminal(tmp_path: Path) -> None:
    terminal = _Terminal(tmp_path, *SMALL, colour=False)
    try:
        terminal.wait_for("> ")
        terminal.type("@c1\r")
        terminal.wait_for("red (place) > ")
        assert "c1 m●Y" in re.sub(r"\x1b\[[0-9;]*m", "", terminal.seen)
        assert not re.search(r"\x1b\[[0-9;]*(38|48);", terminal.seen)
        terminal.type("quit\r\r")
        assert terminal.run.wait(PATIENCE) == 0
    finally:
        terminal.close()


def test_a_turn_passes_to_the_next_player_only_when_confirmed(tmp_path: Path) -> None:
    terminal = _Terminal(tmp_path, *SMALL)
    try:
        for line in OPENING.splitlines():
            terminal.wait_for("> ")
            terminal.type(line + "\r")
        terminal.wait_for("yellow (play) > ")
        terminal.type("c1-c4 +c3 c4-c5\r")
        terminal.wait_for("undo takes back: ")
        terminal.type("undo\r")
        terminal.wait_for("action 3 of 3")
        terminal.wait_for("> ")
        terminal.type("+c5\r")
        terminal.wait_for("undo takes back: ")
        terminal.type("\r")
        terminal.wait_for("red (play) > ")
        terminal.type("quit\r")
        terminal.wait_for("Save the record?")
        terminal.type("\r")
        assert terminal.run.wait(PATIENCE) == 0
    finally:
        terminal.close()


class _Terminal:
    """The program in a pseudo-terminal."""

    def __init__(self, folder: Path, *words: str, colour: bool = True, first: str = "") -> None:
        self.master, slave = pty.openpty()
        code = f"{first or 'pass'}; from terrarium.cli import main; raise SystemExit(main())"
        environment = dict(os.environ, TERM="xterm-256color", COLORTERM="truecolor")
        environment.pop("NO_COLOR", None)
        if not colour:
            environment["NO_COLOR"] = "1"
        self.run = subprocess.Popen(
            [sys.executable, "-c", code, *words],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env=environment,
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        os.close(slave)
        self.seen = ""
        self.read = 0

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def wait_for(self, text: str, seconds: float = PATIENCE) -> None:
        """Read until this text appears, and skip everything before it."""
        until = time.monotonic() + seconds
        while (found := self.seen.find(text, self.read)) < 0:
            ready, _, _ = select.select([self.master], [], [], max(0, until - time.monotonic()))
            assert ready, f"{text!r} never came; this did: {self.seen[self.read :]!r}"
            self.seen += os.read(self.master, 65536).decode(errors="replace")
        self.read = found + len(text)

    def close(self) -> None:
        if self.run.poll() is None:
            self.run.send_signal(signal.SIGKILL)
            self.run.wait()
        os.close(self.master)


def _take_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    # a background job may ignore Ctrl-C, which a terminal does not
    signal.signal(signal.SIGINT, signal.SIG_DFL)
