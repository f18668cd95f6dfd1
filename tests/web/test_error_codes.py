"""The page has a text in every language for each code of the games and the server."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from random import Random

import pytest

from terrarium import games, nova, turrium
from terrarium.core.position import Position
from terrarium.errors import IllegalAction
from terrarium.nova import BOARDS
from terrarium.nova.generate import KEYS
from tests.web.texts import LANGUAGES, catalogue

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "terrarium"

PARTS = ("core", "nova", "turrium", "play", "server", "tab")
CODE = re.compile(r"[a-z]+(?:-[a-z]+)+")

# Modules whose codes are in tables, not in the call that raises them.
TABLES = ("turrium/refusals.py", "server/api/common.py", "core/record/")
# Functions that pass a code on to an error.
PASSED_ON = {"Problem", "_at", "problem", "__init__"}
# Errors that never reach a page: from setting up a server, from backups, operators' commands, and pictures drawn from Python.
INTERNAL_CLASSES = {"InvalidSettings", "BackupError"}
INTERNAL = {
    "already-operator",
    "board-file",
    "database-newer",
    "not-a-board",
    "not-operator",
    "picture-durations",
    "picture-frames",
    "picture-svg",
    "picture-width",
    "unknown-theme",
    "unknown-turn",
    "unknown-view",
}
# Codes that the page produces, without the server.
OWN = {
    "chapter-size",
    "file-size",
    "offline",
    "push-failed",
    "refused",
    "too-many-chapters",
    "unknown",
}


def error_classes() -> set[str]:
    """The names of all classes of errors, wherever they are defined."""
    parents: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                names = {base.id for base in node.bases if isinstance(base, ast.Name)}
                parents.setdefault(node.name, set()).update(names)
    known = {"TerrariumError"}
    while more := {name for name, bases in parents.items() if bases & known} - known:
        known |= more
    return known


@cache
def codes() -> set[str]:
    """Every stable code that can reach a page."""
    raisers = (error_classes() | PASSED_ON) - INTERNAL_CLASSES
    found: set[str] = set()
    for part in PARTS:
        for path in (SOURCE / part).rglob("*.py"):
            in_table = path.relative_to(SOURCE).as_posix().startswith(TABLES)
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Call) and name_of(node.func) in raisers:
                    found.update(code for argument in node.args[:1] for code in texts(argument))
                elif in_table and not isinstance(node, ast.Call):
                    found.update(texts(node))
        for path in (SOURCE / part).rglob("*.p[yx][xi]"):
            found.update(re.findall(rf'"({CODE.pattern})"', path.read_text("utf-8")))
    return found - INTERNAL


def name_of(called: ast.expr) -> str:
    if isinstance(called, ast.Name):
        return called.id
    return called.attr if isinstance(called, ast.Attribute) else ""


def texts(node: ast.AST) -> list[str]:
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return []
    return [node.value] if CODE.fullmatch(node.value) else []


def test_the_search_finds_codes_of_every_part() -> None:
    known = {"stone-not-adjacent", "not-exterior", "stale-turn", "record-nesting", "board-parity"}
    assert known <= codes()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_code_has_a_text_in_every_language(language: str) -> None:
    said = catalogue(language, "common")
    assert sorted(code for code in codes() if f"error.{code}" not in said) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_left_for_a_removed_code(language: str) -> None:
    said = {
        key.removeprefix("error.").removesuffix(".facts")
        for key in catalogue(language, "common")
        if key.startswith("error.")
    }
    assert sorted(said - codes() - OWN) == []


@cache
def facts() -> dict[str, set[str]]:
    """The names of the values in refusals, by code, collected from random games."""
    random, found = Random(5), dict[str, set[str]]()
    starts: list[Position] = [
        nova.start(nova.Rules(edition="sv")),
        nova.start(nova.Rules()),
        turrium.start(),
    ]
    for start in starts * 4:
        position = start
        for _ in range(150):
            if position.outcome is not None:
                break
            for id in random.choices(range(position.num_actions), k=12):
                try:
                    position.play(id)
                except IllegalAction as error:
                    if error.facts:
                        found.setdefault(error.code, set()).update(error.facts)
            position = position.play(random.choice(position.legal_actions()))
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_of_a_refusal_uses_its_values(language: str) -> None:
    said = catalogue(language, "common")
    values = {
        code: set(re.findall(r"\{(\w+)[,}]", said.get(f"error.{code}.facts", "")))
        for code in facts()
    }
    assert len(values) > 12
    assert {code for code, names in values.items() if not names} == set()
    assert {code for code, names in values.items() if not names <= facts()[code]} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_landscape_has_a_name(language: str) -> None:
    said = catalogue(language, "common")
    assert [key for key in KEYS.values() if f"landscape.{key}" not in said] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_built_in_board_has_a_title_and_a_description(language: str) -> None:
    said = catalogue(language, "new")
    wanted = {key for name in BOARDS for key in (f"board.{name}", f"board.{name}.about")}
    assert {key for key in said if key.startswith("board.")} == wanted


@pytest.mark.parametrize("name", ["nova", "turrium"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_option_has_its_texts(name: str, language: str) -> None:
    """The page falls back to an option's name, so that a missing text would go unnoticed."""
    texts = catalogue(language, "new")
    for option in games[name].module.Rules.options():
        if option.name == "players":
            continue
        assert f"option.{name}.{option.name}" in texts
        assert f"option.{name}.{option.name}.about" in texts
        for choice in option.choices:
            assert f"choice.{name}.{option.name}.{choice}" in texts
