"""Changes of several editors and the resulting tree: cases in which Python and the page must agree.

`python -m tests.play.tree_cases` writes them to `web/tests/treeCases.json`, which the page's own tests read.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from terrarium.play.studies import Change
from terrarium.play.study import Study

FILE = Path(__file__).parents[2] / "web" / "tests" / "treeCases.json"
_EDITORS = ("a", "b", "B", "b-1")
_BEGIN = {
    "type": "chapter",
    "id": "1",
    "made": {"head": {"game": "nova"}},
    "set": {},
    "time": 0,
    "by": "",
}


def cases() -> list[dict[str, Any]]:
    """Each case: changes in the order in which they arrive, and every node afterwards, visible ones in reading order."""
    found = []
    for seed in range(10):
        changes = _script(Random(seed))
        found.append({"changes": changes, "nodes": folded(changes)})
    return found


def folded(changes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The nodes after changes, as Python has them."""
    log: list[Change] = msgspec.convert([_BEGIN, *changes], list[Change])
    chapter = Study().after(1, log).chapters["1"]
    order = list(chapter.visible())
    stored = {one["id"]: one for one in msgspec.to_builtins(chapter.stored(0).nodes)}
    hidden = sorted(id for id in stored if id and id not in order)
    return [stored[id] | {"is_shown": id in order} for id in ["", *order, *hidden]]


def _script(rng: Random) -> list[dict[str, Any]]:
    """Changes of editors who know only some changes of the others; times and ranks are often equal."""
    known, changes = [""], list[dict[str, Any]]()
    used: dict[tuple[str, str, int, str], Any] = {}
    for number in range(30):
        by, time = rng.choice(_EDITORS), rng.randint(1, 12)
        if rng.random() < 0.4:
            id = f"{by}-{number}"
            made = {"parent": rng.choice(known), "actions": [f"@{rng.choice('abc')}1"]}
            set: dict[str, Any] = {"is_hidden": False, "rank": rng.choice([0, 0, 1, -1, 0.5])}
            changes.append(_node(id, by, time, set) | {"made": made})
            known.append(id)
        else:
            id = rng.choice([*known, "nobody"])
            field, value = rng.choice(
                [
                    ("comment", f"{by} {number}"),
                    ("glyphs", [number % 6 + 1]),
                    ("marks", [{"target": "e7", "source": None, "colour": "red"}]),
                    ("rank", rng.choice([0, 1, -1.5])),
                    ("is_hidden", rng.random() < 0.5),
                ]
            )
            if id == "" and field in ("is_hidden", "glyphs", "rank"):
                continue
            # The same stamp must always have the same value.
            value = used.setdefault((id, field, time, by), value)
            changes.append(_node(id, by, time, {field: value}))
    return changes


def _node(id: str, by: str, time: int, set: dict[str, Any]) -> dict[str, Any]:
    return {"type": "node", "chapter": "1", "id": id, "set": set, "time": time, "by": by}


if __name__ == "__main__":
    lines = [json.dumps(case, separators=(",", ":")) for case in cases()]
    FILE.write_text("[\n" + ",\n".join(lines) + "\n]\n")
