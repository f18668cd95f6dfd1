"""Hostile changes of studies: they are refused with a message, or the study can still be shown, copied and written."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest

from terrarium import Record
from terrarium.errors import TerrariumError
from terrarium.play.studies import Change
from terrarium.play.study import Chapter, Study, copied, terra_text
from terrarium.play.study_checks import checked
from tests.play.study_data import study_of
from tests.sizes import size

IDS = ["", "1", "2", "x", "y", "z", "x-1", "a b", "\n", "1" * 41, "é"]
ACTIONS = ["@e7", "@f7", "@g8", "@h8", "@E7", "null:0", "null:1", "resign:0", "resign:9", "", "?"]
TEXTS: list[Any] = ["", "fine", "x" * 65_536, "}{[%clk 1]", "\x00", "\u202e", "\\", None, 7]
MARKS = [{"target": "e7"}, {"target": "e7", "source": "e7"}, {"target": " "}, {"target": "]"}, {}]
EVALUATIONS: list[Any] = [{"shares": [0.5, 0.5]}, {"shares": [2]}, {"shares": "x"}, {}, None, []]
HEADS: list[dict[str, Any]] = [
    {"game": "nova"},
    {"game": "turrium", "tags": {"A": "b"}},
    {"game": "chess"},
    {"game": 1},
    {"game": "nova", "rules": {"players": 99}},
    {"game": "nova", "ending": {"reason": "timeout", "winners": [0]}},
    {"game": "nova", "seats": [1, 2]},
    {"game": "nova", "board": {"map": "A"}},
    {"game": "nova", "start": "nonsense"},
    {"game": "nova", "tags": {f"T{number}": "x" for number in range(200)}},
    {"game": "nova", "comment": 5, "marks": "x", "actions": [{"action": "?"}], "outcome": 3},
    {},
]


def some(rng: Random, pool: list[Any]) -> Any:
    """A value from a pool, mostly from its first half, which is harmless."""
    return rng.choice(pool[: (len(pool) + 1) // 2] if rng.random() < 0.8 else pool)


def said(rng: Random) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if rng.random() < 0.3:
        fields["comment"] = some(rng, TEXTS)
    if rng.random() < 0.2:
        fields["glyphs"] = [some(rng, [1, 6, 255, 256, -1, 2**70])] * rng.choice([0, 1, 16, 17])
    if rng.random() < 0.2:
        fields["marks"] = [some(rng, MARKS)] * rng.choice([0, 1, 64, 65])
    if rng.random() < 0.3:
        fields["rank"] = some(rng, [0, 1, -1, 0.5, 1e9, -1e9, 1e10])
    if rng.random() < 0.7:
        fields["is_hidden"] = rng.random() < 0.3
    return fields


def rest(rng: Random) -> dict[str, Any]:
    return {
        "clock": some(rng, [None, 0, 5_000, -1, 2**62]),
        "evaluation": some(rng, EVALUATIONS),
        "before": some(rng, TEXTS[:4]),
        "before_marks": [some(rng, MARKS)] * rng.choice([0, 1, 40]),
        "within": some(rng, [{}, {"0": {"comment": "x"}}, {"7": {}}, {"0": {"glyphs": "x"}}]),
    }


def hostile(rng: Random) -> dict[str, Any]:
    stamp = {
        "time": some(rng, [1, 2, 3, 4, 99, 0, 10**6, 2**60]),
        "by": some(rng, ["a", "b", "", "é"]),
    }
    kind = some(rng, ["node"] * 6 + ["chapter", "study"])
    if kind == "study":
        return {"type": kind, "set": {"name": some(rng, TEXTS)}} | stamp
    if kind == "chapter":
        change: dict[str, Any] = {"type": kind, "id": some(rng, IDS), "set": {}} | stamp
        for name in ("name", "goal", "hint"):
            if rng.random() < 0.3:
                change["set"][name] = some(rng, TEXTS)
        if rng.random() < 0.5:
            change["set"]["is_hidden"] = rng.random() < 0.3
        return change | ({"made": {"head": some(rng, HEADS)}} if rng.random() < 0.6 else {})
    change = {"type": kind, "chapter": some(rng, ["1", "1", "x", "9"]), "id": some(rng, IDS)}
    change |= {"set": said(rng)} | stamp
    if rng.random() < 0.7:
        actions = [some(rng, ACTIONS) for _ in range(rng.choice([0, 1, 1, 1, 2, 3]))]
        change["made"] = {"parent": some(rng, IDS), "actions": actions}
        if rng.random() < 0.3:
            change["made"]["rest"] = rest(rng)
    return change


def friendly(rng: Random, study: Study) -> dict[str, Any]:
    """A change that is often valid, so that hostile changes are tried on a study with content."""
    id, parent = f"n{rng.randint(0, 30)}", some(rng, list(study.chapters["1"].nodes))
    made = {"parent": parent, "actions": [some(rng, ACTIONS[:7])]}
    set = {"is_hidden": rng.random() < 0.2, "rank": rng.randint(-3, 3)}
    change = {"type": "node", "chapter": "1", "id": id, "made": made, "set": set}
    return change | {"time": study.time + 1, "by": "a"}


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_accepted_can_be_shown(seed: int) -> None:
    rng = Random(seed)
    study, accepted, refused = study_of("1. @e7 2. @f7"), 0, 0
    for _ in range(size(400, 20_000)):
        batch = [
            friendly(rng, study) if rng.random() < 0.5 else hostile(rng)
            for _ in range(rng.choice([1, 1, 1, 3]))
        ]
        try:
            changes = msgspec.json.decode(msgspec.json.encode(batch), type=list[Change])
            after = checked(study, changes)
        except (TerrariumError, msgspec.ValidationError):
            refused += 1
            continue
        accepted += 1
        assert after == study.after(study.seq + 1, changes)
        study = after
        if rng.random() < 0.1:
            everything(study)
    everything(study)
    assert min(accepted, refused) > 20


def everything(study: Study) -> None:
    """Use every function that reads a study."""
    for id, _ in study.contents():
        shown = study.shown(id)
        assert str(Record.parse(shown.read.text)) == shown.read.text
    assert bool(terra_text(study, [id for id, _ in study.contents()])) == bool(study.contents())
    copy = Study.replay([(1, copied(study))])
    assert [played(one) for _, one in copy.contents()] == [
        played(one) for _, one in study.contents()
    ]


def played(chapter: Chapter) -> list[tuple[list[str], str]]:
    return [(node.actions, node.comment) for node in chapter.tree().nodes]
