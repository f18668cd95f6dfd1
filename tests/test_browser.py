"""`make browser`: the full Chromium is enough if the headless shell isn't packaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser import PACKAGES, main


@pytest.mark.parametrize(("installed", "code"), [([], 1), (["chromium"], 0), (PACKAGES, 0)])
def test_the_full_browser_is_enough_if_the_shell_cannot_be_installed(
    installed: list[str], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = {"apt-get": "exit 100", "sudo": 'exec "$@"'} | dict.fromkeys(installed, "exit 0")
    for name, script in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(PACKAGES) == code
