"""What people install: built from the tracked files alone, used in clean environments."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLEAN = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith(("TERRARIUM_", "PYTHON", "VIRTUAL_ENV"))
}

GAME = """
from terrarium import nova, turrium, Record
from terrarium.engine import Engine, Limit
for game in (nova, turrium):
    position, engine = game.start(), Engine(level=1, seed=1)
    for _ in range(12):
        for action in engine.choose(position, Limit(nodes=50)).actions:
            position = position.play(action)
    assert game.Position.from_text(position.to_text()) == position
print("played")
"""


def run(*command: object, cwd: Path | None = None) -> str:
    ran = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=CLEAN, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-4000:]
    return ran.stdout


def environment(folder: Path, *packages: str) -> Path:
    """The folder of programs of a new virtual environment with these packages."""
    run(sys.executable, "-m", "venv", folder)
    run(folder / "bin" / "python", "-m", "pip", "install", "--quiet", *packages)
    return folder / "bin"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution and the wheel that `python -m build` makes of a clean clone."""
    clone = tmp_path_factory.mktemp("clone")
    files = run("git", "ls-files", "-z", cwd=ROOT).split("\0")
    for name in filter(None, files):
        if (ROOT / name).is_file():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, clone / name)
    builder = environment(tmp_path_factory.mktemp("builder") / "venv", "build")
    run(builder / "python", "-m", "build", cwd=clone)
    return clone / "dist"


def one(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def test_wheel_and_source_distribution_contain_the_page_and_no_generated_code(built: Path) -> None:
    with zipfile.ZipFile(one(built, "*.whl")) as wheel:
        in_wheel = wheel.namelist()
    with tarfile.open(one(built, "*.tar.gz")) as source:
        in_source = source.getnames()
    for names in (in_wheel, in_source):
        assert not [name for name in names if name.endswith(".c")]
        assert any(name.endswith("terrarium/server/static/index.html") for name in names)
        assert any(name.endswith("terrarium/nova/boards/terra-nova.toml") for name in names)
    kernels = {name.removesuffix(".pyx") for name in in_wheel if name.endswith(".pyx")}
    compiled = {name.partition(".cpython")[0] for name in in_wheel if name.endswith(".so")}
    assert kernels
    assert kernels == compiled


def test_the_base_install_plays_and_says_what_the_server_needs(built: Path, tmp_path: Path) -> None:
    programs = environment(tmp_path / "venv", str(one(built, "*.whl")))
    assert "serve" in run(programs / "terrarium", "--help", cwd=tmp_path)
    assert run(programs / "python", "-c", GAME, cwd=tmp_path) == "played\n"
    run(programs / "terrarium", "show", "nova", "--png", tmp_path / "board.png", cwd=tmp_path)
    assert (tmp_path / "board.png").read_bytes().startswith(b"\x89PNG")
    refused = subprocess.run(
        [programs / "terrarium", "serve"], cwd=tmp_path, env=CLEAN, capture_output=True, text=True
    )
    assert refused.returncode == 2
    assert "pip install 'terrarium-games[server]'" in refused.stderr


def test_an_install_from_the_source_distribution_serves_the_page(
    built: Path, tmp_path: Path
) -> None:
    programs = environment(tmp_path / "venv", f"{one(built, '*.tar.gz')}[server]")
    command = [programs / "terrarium", "serve", "--port", "0", "--no-open", "--data", tmp_path]
    with subprocess.Popen(command, cwd=tmp_path, env=CLEAN, stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout is not None
            said = server.stdout.readline().decode()
            address = re.search(r"http://\S+", said)
            assert address, said
            page = urllib.request.urlopen(address[0], timeout=60).read().decode()
            script = re.search(r'src="([^"]+\.js)"', page)
            assert script, page
            url = address[0].rstrip("/") + "/" + script[1].lstrip("/")
            assert urllib.request.urlopen(url, timeout=60).status == 200
        finally:
            server.terminate()
