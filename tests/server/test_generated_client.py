"""A client generated from the OpenAPI description covers every endpoint, and plays."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.running import PATIENCE, Person, Server
from tests.server.test_accounts import sign_up

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The generated package, importable as `terrarium_client`."""
    folder = tmp_path_factory.mktemp("generated")
    config = (ROOT / "examples" / "openapi_client.yaml").read_text()
    (folder / "config.yaml").write_text(config + "post_hooks: []\n")
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--fail-on-warning"]
    command += ["--path", str(ROOT / "docs" / "openapi.json"), "--meta", "none"]
    command += ["--config", "config.yaml"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    sys.path.insert(0, str(folder))
    yield folder / "terrarium_client"
    sys.path.remove(str(folder))


def _operation(tag: str, name: str) -> Any:
    return importlib.import_module(f"terrarium_client.api.{tag}.{name}")


def test_every_operation_has_a_tag_and_a_unique_short_name_and_is_generated(
    package: Path,
) -> None:
    described = json.loads((ROOT / "docs" / "openapi.json").read_text())
    operations = [one for path in described["paths"].values() for one in path.values()]
    names = [(one["tags"][0], one["operationId"]) for one in operations]
    assert len({name for _, name in names}) == len(names) >= 46
    for tag, name in names:
        assert len(name) <= 20
        assert callable(_operation(tag, name).sync_detailed)


def test_a_generated_client_plays_follows_and_draws(
    package: Path, server: Server, person: Person
) -> None:
    sign_up(person)
    order = {"name": "generated", "scopes": ["play", "follow", "read"]}
    token = person.post("/api/me/tokens", order).json()["token"]
    client = importlib.import_module("terrarium_client")
    models = importlib.import_module("terrarium_client.models")
    with client.AuthenticatedClient(server.url, token) as http:
        seats = [models.SeatChoice(kind="device"), models.SeatChoice(kind="device")]
        made = _operation("games", "create_game").sync(
            client=http, body=models.CreateGame(game="turrium", seats=seats)
        )
        seq = made.seq
        for _ in range(4):
            actions: list[str] = []
            while True:
                tried = _operation("games", "try_out").sync(
                    made.id, client=http, body=models.TryActions(seq=seq, actions=actions)
                )
                if tried.turn_complete:
                    break
                actions.append(tried.legal[0].text)
            played = _operation("games", "play_turn").sync(
                made.id, client=http, body=models.Turns(seq=seq, actions=actions, key=f"{seq}")
            )
            assert played.turn.actions == actions
            seq = played.seq
        stale = _operation("games", "play_turn").sync(
            made.id, client=http, body=models.Turns(seq=1, actions=actions)
        )
        assert (stale.code, stale.seq) == ("stale-turn", seq)
        picture = _operation("downloads", "picture_png").sync(made.id, client=http)
        assert picture.payload.read(4) == b"\x89PNG"
        asked = _operation("streams", "stream_events")._get_kwargs()
        with http.get_httpx_client().stream(**asked) as stream:
            for line in filter(None, stream.iter_lines()):
                event = models.FeedGame.from_dict(json.loads(line))
                break
        assert (event.type_, event.id, event.seq) == ("game-start", made.id, seq)
        assert event.is_your_turn
