"""Every Python block in the documentation runs, page by page and from top to bottom."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
PAGES = sorted(path.name for path in DOCS.glob("*.md") if BLOCK.search(path.read_text("utf-8")))


def test_there_are_pages_with_code() -> None:
    assert {"tutorial.md", "envs.md", "formats.md", "protocol.md"} <= set(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_the_code_of_a_page_runs(page: str, tmp_path: Path) -> None:
    blocks = BLOCK.findall((DOCS / page).read_text("utf-8"))
    (tmp_path / "page.py").write_text("\n".join(blocks), "utf-8")
    (tmp_path / "club.terra").write_text(
        '[Game "nova"]\n[Players "2"]\n[Edition "fr"]\n\n1. @e7 *\n', "utf-8"
    )
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        [sys.executable, "page.py"],
        cwd=tmp_path,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
