"""The program as a whole: help, version, and one-line errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import terrarium
from terrarium.cli import COMMANDS, explanation, load
from terrarium.core.record import Record
from tests.cli.program import Program


def test_help_lists_the_commands(program: Program) -> None:
    for words in ([], ["--help"]):
        ran = program(*words)
        assert ran.code == 0
        for name in ("play", "replay", "show", "perft", "bench", "board"):
            assert f" {name} " in ran.out


def test_the_version_is_printed(program: Program) -> None:
    assert program("--version").out == f"terrarium {terrarium.__version__}\n"


@pytest.mark.parametrize("name", ["play", "replay", "show", "perft", "bench", "board"])
def test_each_command_has_its_own_help(program: Program, name: str) -> None:
    ran = program(name, "--help")
    assert ran.code == 0
    assert f"terrarium {name}" in ran.out


def test_help_imports_no_game() -> None:
    code = (
        "import sys; from terrarium.cli import main; main(['--help']);"
        "print([name for name in sys.modules if name.startswith('terrarium.') and"
        " name.split('.')[1] in ('nova', 'turrium', 'engine', 'server', 'arena')])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"


def test_every_command_can_be_loaded() -> None:
    there = {path.stem for path in Path(terrarium.cli.__file__).parent.glob("*.py")}
    for name, (place, _) in COMMANDS.items():
        if place.partition(":")[0].rpartition(".")[2] in there:
            assert load(name).name == name


WRONG = [
    ("nonsense", "the commands are play"),
    ("perft", "Missing argument 'GAME'"),
    ("perft chess", "there are nova and turrium"),
    ("perft nova --depth two", "'two'"),
    ("perft nova --depth 99", "30"),
    ("perft nova --bogus", "No such option: --bogus"),
    ("perft nova --players 5", "players=5: must be 2, 3 or 4 (TN-3)"),
    ("perft nova --edition de", "edition='de': must be"),
    ("perft turrium --edition fr", "Terra Turrium has the options players, variant"),
    ("perft nova -o depletion", "as in depletion=no"),
    ("perft nova -o depletion=perhaps", "must be yes or no"),
    ("perft nova -o stones=many", "must be a whole number from 0"),
    ("perft nova -o stones=-1", "stones=-1"),
    ("perft nova -o colour=red", "Terra Nova has the options"),
    ("perft nova --board atlantis", "the built-in boards are terra-nova"),
    ("perft turrium --board terra-nova", "Terra Turrium is played without boards"),
    ("perft nova --position xyz", "xyz"),
    ("perft nova --position xyz --players 2", "already includes its rules"),
    ("play nova --seat robot", "a seat is one of human, random"),
    ("play nova --seat random:3", "a seat is one of"),
    ("play nova --seat level:99", "from 1 to 8"),
    ("play nova --seat human --seat human --seat human", "3 seats are described; this game has 2"),
    ("play nova --name a --name b --name c", "3 names for 2 seats"),
    ("play nova --save /nowhere/at/all/x.terra", "there is no folder"),
    ("replay /nowhere.terra", "/nowhere.terra: No such file"),
    ("replay /", "Is a directory"),
    ("show nothing-such", "not a file, a board, a game or a position"),
    ("show 'nova with many more words that make no position'", "a position"),
    ("show 'what is this supposed to be, a position or what?'", "begins with nova or turrium"),
    ("show terra-nova --png /nowhere/x.png", "there is no folder /nowhere"),
    ("show terra-nova --svg - --theme pink", "there are light and dark"),
    ("show terra-nova --png - --width 0", "1 to 8192 pixels"),
    ("board nonsense", "are list, check, show, new"),
    ("board new", "Missing option '--seed'"),
    ("board new --seed 1 --cells 3", "from 24 to"),
    ("board check /nowhere.toml", "/nowhere.toml: No such file"),
    ("board show nowhere", "no such file"),
    ("bench chess", "there are nova and turrium"),
    ("bench --quick --seconds 0", "0.05"),
]


@pytest.mark.parametrize(("words", "wanted"), WRONG)
def test_bad_arguments_give_one_line_and_exit_code_2(
    program: Program, words: str, wanted: str
) -> None:
    import shlex

    ran = program(*shlex.split(words))
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("terrarium: ")
    assert ran.err.count("\n") == 1
    assert wanted in ran.err


def test_a_record_that_is_wrong_is_reported_with_file_line_and_column(
    program: Program, tmp_path: Path
) -> None:
    path = tmp_path / "wrong.terra"
    path.write_text('[Game "nova"]\n\n1. @e7 2. @e7 *\n')
    ran = program("replay", path)
    assert ran.code == 2
    assert f"{path}: line 3, column 11: @e7" in ran.err
    path.write_bytes(b"\xff\xfe\x00")
    assert "not UTF-8" in program("show", path).err
    path.write_text(str(Record(terrarium.games["nova"].start())))
    assert "holds 1 record" in program("replay", path, "--record", 2).err


def test_internal_errors_are_not_hidden() -> None:
    assert explanation(KeyError("x")) is None


def test_a_closed_output_pipe_is_not_an_error() -> None:
    command = [sys.executable, "-c", "from terrarium.cli import main; raise SystemExit(main())"]
    words = ["perft", "nova", "--depth", "1", "--divide"]
    run = subprocess.Popen([*command, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert run.stdout is not None
    assert run.stderr is not None
    run.stdout.close()
    assert run.wait(180) == 1
    assert b"Traceback" not in run.stderr.read()
    run.stderr.close()


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        ("serve", "litestar"),
        ("serve", "uvicorn"),
        ("serve", "argon2"),
        ("worker", "procrastinate"),
        ("backup a.zip", "sqlalchemy"),
        ("restore a.zip", "platformdirs"),
    ],
)
def test_a_server_command_without_its_packages_says_what_to_install(
    words: str, missing: str
) -> None:
    code = f"""
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == {missing!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
from terrarium.cli import main
sys.exit(main({words.split()!r}))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert len(ran.stderr.splitlines()) == 1
    assert missing in ran.stderr
    assert "pip install 'terrarium-games[server]'" in ran.stderr
