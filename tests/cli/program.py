"""Running the program inside the tests."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass

import pytest

from terrarium.cli import main


@dataclass(frozen=True)
class Ran:
    """The result of a run of the program."""

    code: int
    out: str
    err: str


class Program:
    """Runs the program with arguments and standard input."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.capsys = capsys
        self.monkeypatch = monkeypatch

    def __call__(self, *words: object, typed: str = "") -> Ran:
        self.monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        self.capsys.readouterr()
        code = main([str(word) for word in words])
        out, err = self.capsys.readouterr()
        return Ran(code, out, err)
