"""Every shell command in the documentation runs, or is listed here with the reason why it can't."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from terrarium import Record, nova, turrium
from terrarium.cli import COMMANDS as PROGRAM
from terrarium.cli import load

ROOT = Path(__file__).parents[1]
COMMENT = re.compile(r"\s{3,}.*|\s+#.*")

NOT_RUN = {
    "git clone": "needs the network",
    "make play": "starts a server that never ends",
    "pip install": "needs the network",
    "apt-get": "sets up a machine as root",
    "adduser": "sets up a machine as root",
    "python3 -m venv /opt": "sets up a machine as root",
    "/opt/terrarium": "sets up a machine as root",
    "systemctl": "sets up a machine as root",
    "curl": "asks the machine set up above",
    "ln -s": "sets up a machine as root",
    "nginx": "sets up a machine as root",
    "install -d": "sets up a machine as root",
    "runuser": "sets up a machine as root",
    "cat > /etc/terrarium.env": "sets up a machine as root",
    "TERRARIUM_": "a line of that file",
    "cp deploy": "for containers",
    "docker compose": "needs a container runtime; tests/test_deploy.py reads its file, CI builds the image",
    "END": "a line of that file",
    "terrarium worker": "needs a PostgreSQL server; tests/server/test_scale.py runs one",
    "terrarium token": "needs a server; tests/server/test_bots.py runs it",
    "terrarium bot": "needs a server; tests/server/test_bots.py runs it",
    "terrarium serve --page": "needs that folder; tests/site/test_served.py serves one",
    "terrarium site": "compiles for minutes; tests/site runs it",
    "python -m http.server": "serves until it is stopped; tests/site uses one",
    "openapi-python-client": "tests/server/test_generated_client.py runs it",
    "terrarium arena ladder": "takes minutes; tests/arena/test_command.py runs a short one",
    "terrarium arena train": "takes hours; tests/arena/test_train.py runs a short one",
    "terrarium arena match --game turrium": "takes hours; the match of Terra Nova is the same command",
}
EXACTLY_NOT_RUN = {"terrarium bench": "takes minutes; the quick one runs"}
SMALLER = {"--games 40 --time 0.25": "--games 2 --nodes 50", "--seconds 3": "--seconds 0.1"}
"""What takes too long is run in small."""


def _commands() -> list[tuple[str, str]]:
    """Every command with its page: lines of shell blocks, and lines of plain blocks that begin with `terrarium`."""
    found = []
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/*.md"))):
        text = path.read_text("utf-8")
        for block in re.finditer(r"^```([^\n]*)\n(.*?)^```$", text, re.M | re.S):
            for line in block[2].splitlines():
                if block[1] == "sh" or (not block[1] and line.startswith("terrarium ")):
                    found.append((path.name, COMMENT.sub("", line).strip()))
    return [(page, line) for page, line in found if line]


def _reason(command: str) -> str | None:
    for start, reason in NOT_RUN.items():
        if command.startswith(start):
            return reason
    return EXACTLY_NOT_RUN.get(command)


COMMANDS = sorted({command for _, command in _commands() if _reason(command) is None})


def test_every_listed_exception_is_needed() -> None:
    commands = [command for _, command in _commands()]
    for start in NOT_RUN:
        assert any(command.startswith(start) for command in commands), start
    for command in EXACTLY_NOT_RUN:
        assert command in commands
    assert len(COMMANDS) >= 20


def test_every_command_of_the_program_is_documented() -> None:
    table = (ROOT / "docs" / "cli.md").read_text("utf-8")
    pages = "".join(path.read_text("utf-8") for path in sorted(ROOT.glob("docs/*.md")))
    for name in PROGRAM:
        assert re.search(rf"^\|.*`terrarium {name}\b.*\|$", table, re.M), name
        for part in getattr(load(name), "commands", ()):
            assert re.search(rf"\b{name} {part}(?![\w-])", pages), f"{name} {part}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the commands name."""
    folder = tmp_path_factory.mktemp("commands")
    position, record = nova.start(), Record(nova.start())
    for _ in range(20):
        action = position.legal_actions()[0]
        position, record = position.play(action), record.play(str(action))
    (folder / "game.terra").write_text(str(record), "utf-8")
    (folder / "club.terra").write_text("\n\n".join([str(record)] * 7), "utf-8")
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_a_documented_command_runs(command: str, folder: Path) -> None:
    for long, short in SMALLER.items():
        command = command.replace(long, short)
    words = [
        turrium.start().to_text() if word == "turrium …" else word for word in shlex.split(command)
    ]
    if "mine.toml" in words and "new" not in words:
        made = nova.BOARDS["two-bays"].to_text()
        (folder / "mine.toml").write_text(f'name = "mine"\nmap = """\n{made}\n"""\n', "utf-8")
    elif "mine.toml" in words:
        (folder / "mine.toml").unlink(missing_ok=True)
    assert words[0] == "terrarium", f"{command}: only `terrarium` commands are run"
    program = "import sys; from terrarium.cli import main; sys.exit(main())"
    ran = subprocess.run(
        [sys.executable, "-c", program, *words[1:]],
        cwd=folder,
        env=os.environ | {"NO_COLOR": "1"},
        input="quit\n",
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
