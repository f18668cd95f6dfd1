"""Complete games in files, line by line, which every change must reproduce.

A line contains an action (or `resign SEAT`), its events, the number of legal actions after it and a digest
of them, the scores, and the position's text. When behaviour changes on purpose,
`python -m tests.nova.test_playthroughs` plays the same actions again and rewrites the files; the
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

from terrarium import nova
from tests.nova.side_by_side import DUMBBELL, HEXAGON_37, RING, assert_same, choose, twin_rules
from tests.reference import nova as reference

FOLDER = Path(__file__).parent / "playthroughs"
GAMES: dict[str, tuple[str, dict[str, Any], int, float]] = {
    "hexagon-fr-2": (HEXAGON_37, {"players": 2, "edition": "fr", "pioneers": 5}, 2, 0),
    "hexagon-sv-3": (HEXAGON_37, {"players": 3, "edition": "sv", "pioneers": 4}, 3, 0),
    "ring-nl-3": (RING, {"players": 3, "edition": "nl", "pioneers": 3, "stall_rounds": 1}, 16, 0),
    "dumbbell-en-4": (DUMBBELL, {"players": 4, "edition": "en", "pioneers": 2}, 108, 0),
    "hexagon-en-4-resigning": (HEXAGON_37, {"players": 4, "edition": "en", "pioneers": 3}, 6, 0.03),
    "terra-nova-fr-2": ("terra-nova", {"players": 2, "edition": "fr"}, 6, 0),
    "terra-nova-en-3": ("terra-nova", {"players": 3, "edition": "en", "stones": 60}, 7, 0),
}


def board_of(text: str) -> nova.Board:
    """A built-in board by name, or a map."""
    return nova.BOARDS[text] if text in nova.BOARDS else nova.Board.parse(text)


def line(action: str, events: tuple[Any, ...], position: nova.Position) -> str:
    """One line of a playthrough."""
    legal = " ".join(sorted(str(action) for action in position.legal_actions()))
    digest = sha256(legal.encode()).hexdigest()[:8]
    told = ",".join(event.kind for event in events) or "-"
    scores = ",".join(map(str, position.scores))
    count = len(position.legal_actions())
    return f"{action}\t{told}\t{count}\t{digest}\t{scores}\t{position.to_text()}"


def step(position: nova.Position, action: str) -> tuple[tuple[Any, ...], nova.Position]:
    """The events of an action or a resignation, and the position after it."""
    if action.startswith("resign "):
        seat = int(action.removeprefix("resign "))
        return position.resignation_events(seat), position.resign(seat)
    return position.events(action), position.play(action)


@pytest.mark.parametrize("name", GAMES)
def test_a_playthrough_is_reproduced_exactly(name: str) -> None:
    header, *lines = (FOLDER / f"{name}.txt").read_text().splitlines()
    given = json.loads(header)
    position = nova.start(nova.Rules(**given["rules"]), board_of(given["board"]))
    assert line("start", (), position) == lines[0]
    for wanted in lines[1:]:
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
        "placed",
        "moved",
        "stone-placed",
        "territory-scored",
        "forfeited",
        "turn-ended",
        "passed",
        "resigned",
        "game-ended",
    }


def write(name: str, is_new: bool) -> None:
    """Play a game with the same actions or new ones, and write its file."""
    board, options, seed, resigning = GAMES[name]
    path, random = FOLDER / f"{name}.txt", Random(seed)
    known = [] if is_new else [text.split("\t")[0] for text in path.read_text().splitlines()[2:]]
    rules = nova.Rules(**options)
    position = nova.start(rules, board_of(board))
    twin = reference.start(twin_rules(rules), reference.parse_board(board_of(board).to_text()))
    lines = [json.dumps({"board": board, "rules": options}), line("start", (), position)]
    while position.outcome is None and (is_new or known):
        if not is_new:
            action = known.pop(0)
        elif random.random() < resigning:
            action = f"resign {random.choice(twin.seats())}"
        else:
            action = choose(random, twin.legal())
        events, position = step(position, action)
        seat = action.removeprefix("resign ")
        twin = twin.play(action) if seat == action else twin.resign(int(seat))
        assert_same(position, twin)
        lines.append(line(action, events, position))
    path.write_text("\n".join(lines) + "\n")
    print(f"{path.name}: {len(lines) - 2} actions, {position.outcome}")


if __name__ == "__main__":
    for each in GAMES:
        write(each, is_new="--new" in sys.argv)
