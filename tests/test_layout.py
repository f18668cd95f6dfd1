"""The list of folders in the README is true: modules import only from rows above them."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "terrarium"

# The parts that each part may import, besides itself.
ALLOWED = {
    "errors": set(),
    "core": {"errors"},
    "nova": {"errors", "core"},
    "turrium": {"errors", "core"},
    "engine": {"errors", "core", "nova", "turrium"},
    "arena": {"errors", "core", "nova", "turrium", "engine"},
    "puzzles": {"errors", "core", "engine"},
    "envs": {"errors", "core", "nova", "turrium", "engine", "arena"},
    "play": {"errors", "core", "nova", "turrium", "engine"},
    "server": {"errors", "core", "nova", "turrium", "engine", "play"},
    "tab": {"errors", "core", "nova", "turrium", "engine", "play"},
    "site": {"errors", "tab"},
    "cli": {
        "errors",
        "core",
        "nova",
        "turrium",
        "engine",
        "arena",
        "puzzles",
        "envs",
        "play",
        "server",
        "site",
    },
}


def part_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_parts(path: Path) -> set[str]:
    """The parts of the package that a module imports, Cython's cimport included."""
    text = path.read_text()
    if path.suffix == ".py":
        names = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names |= {f"{node.module}.{alias.name}" for alias in node.names}
    else:
        names = set(re.findall(r"^\s*(?:from|import|cimport)\s+(terrarium[\w.]*)", text, re.M))
    return {name.split(".")[1] for name in names if name.startswith("terrarium.")} & set(ALLOWED)


@pytest.mark.parametrize("part", ALLOWED)
def test_imports_point_only_upwards(part: str) -> None:
    files = [
        path
        for path in SOURCE.rglob("*")
        if path.suffix in (".py", ".pyx", ".pxd") and part_of(path) == part
    ]
    assert files, f"no file of {part}"
    wrong = {
        f"{path.relative_to(SOURCE)} imports {other}"
        for path in files
        for other in imported_parts(path) - ALLOWED[part] - {part}
    }
    assert not wrong


def test_the_library_does_not_import_packages_of_the_server() -> None:
    # `import terrarium.nova` must be fast for bot writers, so it imports nothing heavy
    code = "import sys, terrarium.nova; print(*sorted(m.split('.')[0] for m in sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"litestar", "sqlalchemy", "rich", "typer", "PIL", "numpy", "tomllib", "asyncio"}
    assert not heavy & set(found.stdout.split())


def test_games_among_people_need_neither_web_framework_nor_database() -> None:
    # `terrarium.play` also runs in a browser, where none of these can be installed
    blocked = ("litestar", "sqlalchemy", "procrastinate", "psycopg", "uvicorn", "alembic", "argon2")
    code = f"""
import importlib, pkgutil, sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {blocked!r}:
            raise ImportError(f"{{name}} is blocked")
sys.meta_path.insert(0, Blocked())
import terrarium.play
modules = [m.name for m in pkgutil.walk_packages(terrarium.play.__path__, "terrarium.play.")]
assert len(modules) > 10, modules
for name in modules:
    importlib.import_module(name)
from terrarium.play.seats import new_game
from terrarium.play.shapes import CreateGame, SeatChoice
from terrarium.play.views import snapshot
seats = [SeatChoice("device"), SeatChoice("computer", level=1)]
game = new_game(CreateGame("turrium", seats=seats), "g:1", 0)
print(len(snapshot(game.table, [0], [0], 0).legal))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.stderr == ""
    assert int(found.stdout) > 0


# The files that may name a game: its package, and one file each in the engine, the trainers and the adapters.
OWN_FILES = re.compile(
    r"(nova|turrium)/|engine/(nova|turrium|closing|land|towers)\.|arena/train_(network_)?(nova|turrium)\.|envs/planes\."
)
NAMES = {"nova", "turrium"}


def compared_names(path: Path) -> set[str]:
    """The names of games that a module compares with, looks up or lists as the only possible values."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        inside: list[ast.AST] = []
        if isinstance(node, ast.Compare):
            inside = [node.left, *node.comparators]
        elif isinstance(node, ast.Dict):
            inside = [key for key in node.keys if key is not None]
        elif isinstance(node, ast.Subscript):
            inside = [node.slice]
        elif isinstance(node, ast.MatchValue):
            inside = [node.value]
        elif isinstance(node, ast.Call):
            inside = list(node.args)
        for part in inside:
            for leaf in ast.walk(part):
                if isinstance(leaf, ast.Constant) and leaf.value in NAMES:
                    found.add(f"{path.name}:{leaf.lineno}: {leaf.value}")
    return found


def test_only_a_game_and_its_own_files_use_its_name() -> None:
    paths = [
        path
        for path in SOURCE.rglob("*.py")
        if not OWN_FILES.match(path.relative_to(SOURCE).as_posix())
    ]
    assert set().union(*map(compared_names, paths)) == set()
