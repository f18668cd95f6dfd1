"""The build of the page without a server: the parts that need neither network nor compiler."""

from __future__ import annotations

import marshal
import subprocess
import sys
from pathlib import Path

import pytest

from terrarium.cli import main
from terrarium.site import SiteError, folder, packages
from terrarium.site.pack import bytecode, packed, packs
from terrarium.site.packages import PYODIDE, pyodide, pyodide_version

SOURCE = "def f(x):\n    'Doc.'\n    return x in {'a', 'b', 'c'} and 'a' + str(x)\n"


def test_every_python_that_is_supported_has_its_pyodide() -> None:
    assert sys.version_info[:2] in PYODIDE
    with pytest.raises(SiteError, match=r"Python 3\.10: .* 3\.11, 3\.12, 3\.13, 3\.14"):
        pyodide_version((3, 10))


def test_a_registry_that_does_not_answer_is_named_as_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = [sys.executable, "-c", "import sys; sys.exit('getaddrinfo failed')"]
    monkeypatch.setattr(packages, "_npm", lambda: program)
    with pytest.raises(SiteError, match=r"pyodide .*getaddrinfo failed.*needs a network"):
        pyodide(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_command_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own.txt").write_text("not ours")
    page = tmp_path / "page"
    page.mkdir()
    (page / "index.html").write_text("")
    monkeypatch.setattr(folder, "PAGE", page)
    monkeypatch.setattr(folder.build, "__defaults__", (page,))
    assert main(["site", str(tmp_path)]) == 2
    assert "not empty" in capsys.readouterr().err
    assert (tmp_path / "own.txt").exists()


def test_equal_sources_give_equal_bytecode_in_every_process() -> None:
    code = (
        f"from terrarium.site.pack import bytecode; print(bytecode({SOURCE.encode()!r}, 'x').hex())"
    )
    found = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip()
        for _ in range(2)
    }
    assert found == {bytecode(SOURCE.encode(), "x").hex()}
    space: dict[str, object] = {}
    exec(marshal.loads(bytecode(SOURCE.encode(), "x")[16:]), space)
    assert space["f"]("b") == "ab"  # type: ignore[operator]


def test_a_pack_lists_its_files_before_their_contents() -> None:
    data = packed({"b/c.txt": b"second", "a": b"one"})
    length = int.from_bytes(data[:4], "little")
    assert data[4 : 4 + length] == b'[["a", 3], ["b/c.txt", 6]]'
    assert data[4 + length :] == b"onesecond"


def test_data_that_a_first_game_does_not_need_is_packed_apart() -> None:
    found = packs({"g/puzzles.jsonl": b"p", "g/openings.jsonl": b"o", "g/rules.pyc": b"r"})
    assert {name: data.rpartition(b"]]")[2] for name, data in found.items()} == {
        "terrarium.pack": b"r",
        "puzzles.pack": b"p",
        "openings.pack": b"o",
    }


def test_the_page_refers_to_its_files_from_any_folder() -> None:
    page = '<!doctype html><html lang="en"><head><link href="/icon.svg" /><script src="/assets/a.js"></script></head></html>'
    made = folder._index(page, "tab/abc/")
    assert '<html data-tab="tab/abc/" data-server="none" lang="en">' in made
    assert 'href="./icon.svg"' in made
    assert 'src="./assets/a.js"' in made
    assert "Content-Security-Policy" in made
    manifest = folder._manifest(b'{"start_url": "/", "icons": [{"src": "/icon.svg"}]}').decode()
    assert '"./icon.svg"' in manifest
    assert '"/' not in manifest
