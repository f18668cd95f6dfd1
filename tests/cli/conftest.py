from __future__ import annotations

import pytest

from tests.cli.program import Program


@pytest.fixture
def program(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Program:
    """The program `terrarium`."""
    monkeypatch.setenv("COLUMNS", "100")
    return Program(capsys, monkeypatch)
