"""Every screen of the page with its address. Some games are created so that no screen is empty."""

from __future__ import annotations

import base64
import subprocess
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Page

from terrarium.play.positions import start_position
from tests.server.running import PATIENCE, PROGRAM, Server
from tests.web.table import nova, turrium, whole_game

AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
NAME, PASSWORD = "A player", "a password of some length"
SIGN_IN = """async (body) => (await fetch('/api/sessions', {method: 'POST',
  headers: {'content-type': 'application/json'}, body: JSON.stringify(body)})).status"""
RECORD = """[Game "nova"]
[Rules "players=2 edition=fr pioneers=2"]
[Board "two-bays"]

1. @d9 2. @f4 3. @c1 4. @g9 5. d9-e9 +d9 +d8 6. f4-f7 +e6 +g7
*
"""
ANALYSED = RECORD.replace(
    "5. d9-e9 +d9 +d8",
    """5. d9-e9
    ({Better:} 5. d9-d6 +d7 +c6 6. null:0)
    (5. c1-c3 c3-c5 +c4)
5... +d9 +d8 $2 {[%csl Ge7,Rf9] [%cal Be9-e7] The north is not closed yet.}""",
)


@dataclass(frozen=True)
class Screens:
    """Addresses by name."""

    paths: dict[str, str]
    signed: dict[str, str]
    """Screens of somebody who has signed in as `NAME` with `PASSWORD`."""
    playing: str
    finished: str
    shared: tuple[str, str]
    """A table of two people, seen by the one who waits, and the secret of the one whose turn it is."""
    ending: tuple[str, str]
    """A table before its last turn, and that turn."""


def prepare(server: Server) -> Screens:
    """Create games in all states over the API."""
    with httpx.Client(
        base_url=server.url, headers={"origin": server.url}, timeout=PATIENCE
    ) as client:
        playing, seats = _nova(client)
        _play(client, playing, 34)
        towers, flags = _turrium(client)
        _play(client, towers, 40)
        watched, _ = _nova(client)
        _play(client, watched, 20)
        finished, _ = _nova(client, {"pioneers": 2, "stall_rounds": 1})
        _play(client, finished, 400)
        shared = _shared(client)
        *turns, last = whole_game(**nova(["device", "device"])["rules"])
        ending, hands = _create(client, nova(["device", "device"]))
        for turn in turns:
            _send(client, ending, turn.split())
        _account(client)
        _report(client)
        _operator(server)
        study = _study(client)
        waiting, _ = _create(
            client,
            {
                "game": "turrium",
                "rules": {"players": 3},
                "seats": [{"kind": "device"}, {"kind": "open"}, {"kind": "link"}],
                "visibility": "listed",
            },
        )
    paths = {
        "home": "/",
        "new": "/new",
        "new-turrium": "/new?game=turrium",
        "games": "/games",
        "table-nova": f"/g/{playing}?seat=0#{seats[0]}",
        "table-turrium": f"/g/{towers}?seat=0#{flags[0]}",
        "table-watched": f"/g/{watched}",
        "table-waiting": f"/g/{waiting}",
        "table-over": f"/g/{finished}",
        "review": f"/g/{finished}/review?turn=9",
        "replay": "/replay",
        "analysis": "/analysis",
        "analysis-turrium": "/analysis?game=turrium",
        "analysis-tree": "/analysis?turn=5#" + _encoded(ANALYSED),
        "editor": "/editor",
        "editor-turrium": "/editor?game=turrium",
        "editor-island": "/editor?game=nova&paint=1",
        "studies": "/studies",
        "study": f"/study/{study}/1",
        "study-lesson": f"/study/{study}/2",
        "study-embedded": f"/embed/study/{study}/1",
        "no-study": "/study/nosuchstudy",
        "puzzles": "/puzzles",
        "no-puzzle": "/puzzles/nova/nosuchpuzzle",
        "learn": "/learn",
        "learn-nova": "/learn/nova",
        "learn-turrium": "/learn/turrium",
        "editions": "/learn/editions",
        "summary-nova": "/learn/nova/summary",
        "summary-turrium": "/learn/turrium/summary",
        "lesson-nova": "/learn/nova/first",
        "lesson-turrium": "/learn/turrium/first",
        "replay-file": "/replay?turn=5#" + _encoded(RECORD),
        "account": "/account",
        "account-create": "/account?show=create",
        "account-recover": "/account?show=recover",
        "settings": "/settings",
        "lost": "/no/such/place",
        "no-game": "/g/nosuchgame00000000000",
        "no-seat": f"/g/{waiting}?seat=2#wrong",
        "no-review": "/g/nosuchgame00000000000/review",
    }
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as client:
        for game in client.get("/api/puzzles").json()["games"]:
            paths[f"puzzle-{game['game']}"] = f"/puzzles/{game['game']}/{game['daily']['id']}"
    signed = {"home-own": "/", "games-own": "/games?show=mine", "account-own": "/account"}
    signed |= {"studies-own": "/studies", "study-own": f"/study/{study}/1"}
    parts = ("reports", "people", "games", "invites", "stats", "log")
    signed |= {f"operator-{part}": f"/operator?show={part}" for part in parts}
    closing = f"/g/{ending}?seat={len(turns) % 2}#{hands[len(turns) % 2]}"
    return Screens(paths, signed, playing, finished, shared, (closing, last))


def axe(page: Page) -> list[str]:
    """What axe finds wrong with a page."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE.read_text())
    # Wait for animations: an element that fades in has too little contrast.
    page.wait_for_function(
        """() => document.getAnimations().every((one) =>
             one.playState !== 'running' || one.effect.getComputedTiming().endTime === Infinity)"""
    )
    # Report only one passing element for each rule, instead of hundreds of cells.
    violations, passes = page.evaluate(
        """async () => {
          const {violations, passes} = await axe.run(document, {resultTypes: ['violations']});
          const told = (n) => n.html.slice(0, 140) + ' ' + n.any.map((a) => a.message).join('; ').slice(0, 200);
          return [violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map(told).join(' | ')}`), passes.length];
        }"""
    )
    assert passes > 10, "axe has checked too few rules"
    found: list[str] = violations
    return found


def sign_in(page: Page) -> None:
    """Sign in as the account that `prepare` created."""
    assert page.evaluate(SIGN_IN, {"name": NAME, "password": PASSWORD}) == 201


def _encoded(record: str) -> str:
    """A record encoded for a link."""
    squeezer = zlib.compressobj(9, wbits=-15)
    squeezed = squeezer.compress(record.encode()) + squeezer.flush()
    return base64.urlsafe_b64encode(squeezed).decode().rstrip("=")


def _account(client: httpx.Client) -> None:
    """Create an account with an API token; it gets the games of the guest."""
    person = {"name": NAME, "password": PASSWORD}
    answer = client.post("/api/accounts", json=person)
    if answer.status_code == 409:
        client.post("/api/sessions", json=person).raise_for_status()
        return
    answer.raise_for_status()
    token = {"name": "Tower bot", "scopes": ["play", "follow"]}
    client.post("/api/me/tokens", json=token).raise_for_status()


def _report(client: httpx.Client) -> None:
    """Report a player at a table, as the account."""
    order = {"game": "nova", "seats": [{"kind": "device"}, {"kind": "link"}]}
    id, secrets = _create(client, order)
    with httpx.Client(base_url=client.base_url, headers=client.headers, timeout=PATIENCE) as other:
        seat = {"secret": secrets[1], "name": "Somebody with a long name"}
        other.post(f"/api/games/{id}/seats/1", json=seat).raise_for_status()
    report = {"seat": 1, "reason": "messages", "text": "What was said is not to be repeated here."}
    client.post(f"/api/games/{id}/reports", json=report).raise_for_status()


def _operator(server: Server) -> None:
    """Make the account an operator, if it is not one already."""
    command = [sys.executable, "-c", PROGRAM, "admin", "operator", NAME]
    command += ["--data", str(server.folder / "data")]
    subprocess.run(command, check=False, capture_output=True)


def _study(client: httpx.Client) -> str:
    """Create a study of the account that everybody with the link can read: an analysed game and a lesson."""
    lesson = {"goal": "Place your second pioneer.", "hint": "Where will land be left?"}
    chapters = [
        {"name": "Two bays, the first turns", "source": {"text": ANALYSED}},
        {"name": "A lesson", "source": {"text": RECORD}, **lesson},
        {"name": "Terra Turrium", "source": {"start": {"game": "turrium"}}},
    ]
    made = client.post("/api/studies", json={"name": "Openings", "chapters": chapters})
    made.raise_for_status()
    id = str(made.json()["id"])
    client.patch(f"/api/studies/{id}", json={"visibility": "link"}).raise_for_status()
    return id


def _create(client: httpx.Client, game: dict[str, Any]) -> tuple[str, list[str]]:
    body = {"clock": None, "starter": "first", "visibility": "private"} | game
    answer = client.post("/api/games", json=body)
    answer.raise_for_status()
    made = answer.json()
    return made["id"], made["secrets"]


def _nova(client: httpx.Client, rules: dict[str, Any] | None = None) -> tuple[str, list[str]]:
    game = {
        "game": "nova",
        "rules": {"players": 2, "pioneers": 6} | (rules or {}),
        "board": "terra-nova" if rules is None else "two-bays",
        "seats": [{"kind": "device", "name": "First"}, {"kind": "device", "name": "Second"}],
        "visibility": "listed",
    }
    return _create(client, game)


def _turrium(client: httpx.Client) -> tuple[str, list[str]]:
    game = {
        "game": "turrium",
        "rules": {"players": 4},
        "seats": [{"kind": "device"}] * 4,
        "visibility": "listed",
    }
    return _create(client, game)


def _shared(client: httpx.Client) -> tuple[str, str]:
    """Create a game for two people; the first sits already and moves first."""
    id, secrets = _create(client, turrium(["link", "link"], max_rounds=100))
    client.post(f"/api/games/{id}/seats/0", json={"secret": secrets[0]}).raise_for_status()
    return f"/g/{id}?seat=1#{secrets[1]}", secrets[0]


def _send(client: httpx.Client, id: str, actions: list[str]) -> None:
    seq = client.get(f"/api/games/{id}").json()["seq"]
    turn = {"seq": seq, "actions": actions, "key": f"{id}-{seq}"}
    client.post(f"/api/games/{id}/turns", json=turn).raise_for_status()


def _play(client: httpx.Client, id: str, turns: int) -> None:
    """Play turns that look like a real game: with stones and cubes wherever they are allowed."""
    game = client.get(f"/api/games/{id}").json()
    position, seq = start_position(game["position"]), game["seq"]
    for number in range(turns):
        if position.outcome is not None:
            return
        actions: list[str] = []
        while not actions or not (position.at_turn_start or position.outcome is not None):
            legal = position.legal_actions()
            wanted = [a for a in legal if a.kind in ("stone", "cube")] or legal
            end = [a for a in legal if a.kind == "end"]
            choice = end[0] if end else wanted[(number * 37 + len(actions) * 11) % len(wanted)]
            actions.append(str(choice))
            position = position.play(choice)
        turn = {"seq": seq, "actions": actions, "key": f"{id}-{number}"}
        sent = client.post(f"/api/games/{id}/turns", json=turn)
        sent.raise_for_status()
        seq = sent.json()["seq"]
