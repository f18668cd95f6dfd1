"""Native code and WebAssembly agree by hash: the same games, texts and views, and the same turns of the engine at fixed nodes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from terrarium import games
from terrarium.site.folder import build
from terrarium.site.kernels import compiled
from tests.site import agreement
from tests.site.conftest import CACHE, built
from tests.site.wasm import in_chromium, in_node, node

ALL = (1, 0.4)
"""Every start, and enough engine turns."""


def agreed(run: Callable[[str], str], every: int, spread: float) -> dict[str, Any]:
    """Check that both computed the same, and return it."""
    program = Path(agreement.__file__).read_text() + f"\njson.dumps(digests({every}, {spread}))"
    found: dict[str, Any] = json.loads(run(program))
    assert found == agreement.digests(every, spread)
    return found


def total(found: dict[str, Any], what: str) -> int:
    return sum(int(found[f"{name} {what}"]) for name in games)


def test_node_computes_what_this_machine_computes(tab_folder: Path) -> None:
    if node() is None:
        pytest.skip("Node.js is not installed")
    found = agreed(lambda program: in_node(tab_folder, program), 40, 0.05)
    assert total(found, "actions") > 1_000
    assert total(found, "turns") > 50


def test_node_computes_what_this_machine_computes_on_boards_of_any_shape(tab_folder: Path) -> None:
    if node() is None:
        pytest.skip("Node.js is not installed")
    program = Path(agreement.__file__).read_text() + "\njson.dumps(shapes())"
    found = json.loads(in_node(tab_folder, program))
    assert found == agreement.shapes()
    assert found["turns"] > 30


@pytest.mark.only_long
def test_node_computes_what_this_machine_computes_with_all_options(tab_folder: Path) -> None:
    if node() is None:
        pytest.skip("Node.js is not installed")
    found = agreed(lambda program: in_node(tab_folder, program), *ALL)
    assert total(found, "actions") > 80_000
    assert all(found[f"{name} turns"] >= 300 for name in games)


@pytest.mark.only_long
def test_chromium_computes_what_this_machine_computes_with_all_options(
    tab_folder: Path, browser: Browser
) -> None:
    found = agreed(lambda program: in_chromium(browser, tab_folder, program), *ALL)
    assert total(found, "actions") > 80_000
    assert all(found[f"{name} turns"] >= 300 for name in games)


@pytest.mark.only_long
def test_two_builds_have_equal_bytes(site: Path, tmp_path: Path) -> None:
    build(tmp_path / "again", CACHE)
    files = [path.relative_to(site) for path in site.rglob("*") if path.is_file()]
    again = [
        p.relative_to(tmp_path / "again") for p in (tmp_path / "again").rglob("*") if p.is_file()
    ]
    assert sorted(files) == sorted(again)
    different = [
        f for f in files if (site / f).read_bytes() != (tmp_path / "again" / f).read_bytes()
    ]
    assert different == []


@pytest.mark.only_long
def test_kernels_compiled_again_have_equal_bytes(tmp_path: Path) -> None:
    known = built(lambda: compiled(CACHE))
    for folder in (*CACHE.glob("pyodide-*"), *CACHE.glob("msgspec-*")):
        (tmp_path / folder.name).symlink_to(folder)
    again = compiled(tmp_path)
    assert sorted(again) == sorted(known)
    assert [name for name, data in again.items() if data != known[name]] == []
