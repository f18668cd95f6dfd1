"""Complete games in files, line by line, which every change must reproduce.

A line contains an action (or `resign SEAT`), its events, the number of legal actions after it and a digest
of them, and the position's text. When behaviour changes on purpose,
`python -m tests.turrium.test_playthroughs` plays the same actions again and rewrites the files; the
difference is then reviewed like code. `--new` plays new games instead. Both check every position
against the reference.
"""

from __future__ import annotations

import json
import sys
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest

from terrarium import turrium
from tests.turrium.side_by_side import Pair, choose, near_a_win, opening

FOLDER = Path(__file__).parent / "playthroughs"
GAMES: dict[str, tuple[dict[str, Any], int, float, bool]] = {
    "opening-2": ({"players": 2, "max_rounds": 6}, 1, 0, False),
    "opening-2-opposite-64": (
        {"players": 2, "two_player_sides": "opposite", "two_player_area": 8, "max_rounds": 4},
        2,
        0,
        False,
    ),
    "opening-3-path": ({"players": 3, "line": "path", "max_rounds": 4}, 3, 0, False),
    "opening-4-resigning": ({"players": 4, "max_rounds": 5}, 4, 0.03, False),
    "near-2-per-territory": (
        {"players": 2, "enemy_takes": "per_territory", "max_rounds": 8},
        2,
        0,
        True,
    ),
    "near-3-vacant": ({"players": 3, "vacant_attack": False, "max_rounds": 8}, 84, 0, True),
    "near-4": ({"players": 4, "max_rounds": 8}, 60, 0, True),
    "near-2-burgenland": ({"players": 2, "variant": "burgenland", "max_rounds": 8}, 8, 0, True),
    "near-4-burgenland-resigning": (
        {"players": 4, "variant": "burgenland", "line": "path", "max_rounds": 8},
        27,
        0.01,
        True,
    ),
    "stuck-4": ({"players": 4, "max_rounds": 3}, 66, 0, True),
}


def line(action: str, events: tuple[Any, ...], position: turrium.Position) -> str:
    """One line of a playthrough."""
    legal = " ".join(sorted(str(action) for action in position.legal_actions()))
    digest = sha256(legal.encode()).hexdigest()[:8]
    told = ",".join(event.kind for event in events) or "-"
    return f"{action}\t{told}\t{len(position.legal_ids())}\t{digest}\t{position.to_text()}"


def step(position: turrium.Position, action: str) -> tuple[tuple[Any, ...], turrium.Position]:
    """The events of an action or a resignation, and the position after it."""
    if action.startswith("resign "):
        seat = int(action.removeprefix("resign "))
        return position.resignation_events(seat), position.resign(seat)
    return position.events(action), position.play(action)


@pytest.mark.parametrize("name", GAMES)
def test_a_playthrough_is_reproduced_exactly(name: str) -> None:
    header, first, *lines = (FOLDER / f"{name}.txt").read_text().splitlines()
    given = json.loads(header)
    if "composition" in given:
        position = turrium.compose(turrium.Rules(**given["rules"]), **given["composition"])
    else:
        position = turrium.start(turrium.Rules(**given["rules"]))
    assert line("start", (), position) == first
    for wanted in lines:
        action = wanted.split("\t")[0]
        events, position = step(position, action)
        assert line(action, events, position) == wanted
    assert position.outcome is not None


def test_the_playthroughs_contain_every_kind_of_event() -> None:
    told = {
        kind
        for name in GAMES
        for wanted in (FOLDER / f"{name}.txt").read_text().splitlines()[2:]
        for kind in wanted.split("\t")[1].split(",")
    }
    assert told == {
        "flag-set",
        "cube-taken",
        "cube-placed",
        "flag-moved",
        "flag-captured",
        "flag-entered",
        "phase-skipped",
        "unlocked",
        "towers-completed",
        "last-round",
        "turn-ended",
        "passed",
        "resigned",
        "game-ended",
    }


def first_position(header: dict[str, Any]) -> Pair:
    """The first position of a playthrough, in kernel and reference."""
    if "composition" in header:
        return Pair.compose(header["rules"], header["composition"])
    return opening(header["rules"])


def write(name: str, is_new: bool) -> None:
    """Play a game with the same actions or new ones, and write its file."""
    options, seed, resigning, is_composed = GAMES[name]
    path, random = FOLDER / f"{name}.txt", Random(seed)
    known = [] if is_new else [text.split("\t")[0] for text in path.read_text().splitlines()[2:]]
    header: dict[str, Any] = {"rules": options}
    if is_new and is_composed:
        header["composition"] = near_a_win(options, random)
    elif not is_new:
        header = json.loads(path.read_text().splitlines()[0])
    pair = first_position(header)
    lines = [json.dumps(header), line("start", (), pair.kernel)]
    while pair.kernel.outcome is None and (is_new or known):
        if not is_new:
            action = known.pop(0)
        elif random.random() < resigning:
            action = f"resign {random.choice(sorted(pair.reference.playing()))}"
        else:
            action = choose(pair.reference, random)
        events, _ = step(pair.kernel, action)
        seat = action.removeprefix("resign ")
        pair = pair.play(action) if seat == action else pair.resign(int(seat))
        pair.compare(random)
        lines.append(line(action, events, pair.kernel))
    path.write_text("\n".join(lines) + "\n")
    print(f"{path.name}: {len(lines) - 2} actions, {pair.kernel.outcome}")


if __name__ == "__main__":
    for each in GAMES:
        write(each, is_new="--new" in sys.argv)
