"""The requests in docs/api.md are answered as it says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.server.running import Person, Server, whole_turn
from tests.server.test_accounts import sign_up

PAGE = (Path(__file__).parents[2] / "docs" / "api.md").read_text("utf-8")
BLOCKS = re.findall(r"^```http\n(.*?)^```$", PAGE, re.M | re.S)
REQUEST = re.compile(r"(GET|POST|PUT|DELETE)\s+(/api/\S+)\s*(\{.*?\}(?=\s{3,}\S|\n|$))?", re.S)


def requests(block: str) -> list[tuple[str, str, Any]]:
    """Method, path and body of each request in a block."""
    before_answers = re.sub(r"^→.*$", "", block, flags=re.M)
    return [
        (method, path, json.loads(body) if body else None)
        for method, path, body in REQUEST.findall(re.sub(r"→.*$", "", before_answers, flags=re.M))
    ]


def statuses(block: str) -> list[int]:
    return [int(text) for text in re.findall(r"→ (\d{3})", block)]


def test_the_documented_game_is_set_up_and_played(server: Server, person: Person) -> None:
    (method, path, order) = requests(BLOCKS[0])[0]
    made = person.http.request(method, path, json=order)
    assert [made.status_code] == statuses(BLOCKS[0])
    assert set(json.loads(re.sub(r"\{…\}", "{}", BLOCKS[0].split("→ 201 ")[1]))) <= set(made.json())
    seats = [{"kind": "device"}, {"kind": "device"}]
    game = person.create(seats=seats)["id"]
    (method, path, turn) = requests(BLOCKS[1])[0]
    path = path.replace("{id}", game)
    seq, actions = whole_turn(person, game)
    refused = [
        person.http.request(method, path, json=turn | {"seq": seq, "actions": ["+a1"]}).status_code,
    ]
    played = person.http.request(method, path, json=turn | {"seq": seq, "actions": actions})
    stale = person.http.request(
        method, path, json=turn | {"seq": seq, "actions": actions, "key": "another"}
    )
    assert [played.status_code, stale.status_code, *refused] == statuses(BLOCKS[1])
    assert stale.json()["code"] == "stale-turn"


def test_the_documented_challenges_are_answered(
    server: Server, person: Person, stranger: Person
) -> None:
    sign_up(person)
    name, _ = sign_up(stranger)
    asked = requests(BLOCKS[2])
    made = []
    for _ in range(3):
        method, path, order = asked[0]
        answer = person.http.request(method, path, json=order | {"to": name})
        assert answer.status_code == statuses(BLOCKS[2])[0]
        made.append(answer.json()["id"])
    done = []
    for id, (method, path, _) in zip(made, asked[1:4], strict=True):
        who = person if path.endswith("withdraw") else stranger
        answer = who.http.request(method, path.replace("{id}", id), json={})
        assert answer.status_code == 200, answer.text
        done.append(answer.json()["status"])
    assert done == ["accepted", "declined", "withdrawn"]
    method, path, _ = asked[4]
    assert len(person.http.request(method, path).json()["challenges"]) == 3
    assert len(asked) == 5


def test_the_documented_talk_and_plans_are_answered(
    server: Server, person: Person, stranger: Person
) -> None:
    made = person.create(seats=[{"kind": "device"}, {"kind": "link"}])
    game, secret = made["id"], made["secrets"][1]
    taken = stranger.post(f"/api/games/{game}/seats/1", {}, Authorization=f"Bearer {secret}")
    assert taken.status_code == 200, taken.text
    for somebody in (person, stranger):
        assert somebody.http.put("/api/me/talk", json={"allows_text": True}).status_code < 300
    plan = ""
    legal = [action["text"] for action in person.snapshot(game)["legal"]]
    mine, theirs = legal[:1], legal[-1:]
    for method, path, body in requests(BLOCKS[3]) + requests(BLOCKS[4]):
        path = path.replace("{id}", game).replace("{plan}", plan)
        if "plans" in path:  # those of seat 1, before the first turn of seat 0
            path = path.replace("seat=0", "seat=1")
            if body is not None:
                turns = [None, mine] if body["turns"][0] is None else [theirs, mine]
                turns = turns[: len(body["turns"])]
                body |= {"seat": 1, "seq": stranger.snapshot(game)["seq"], "turns": turns}
        who = stranger if "plans" in path else person
        answer = who.http.request(method, path, json=body)
        assert answer.status_code < 300, f"{method} {path}: {answer.text}"
        if method == "GET":
            plan = str(answer.json()["plans"][0]["id"])
    assert plan


def test_the_documented_tree_is_written(person: Person) -> None:
    (method, path, tree) = requests(BLOCKS[5])[0]
    answer = person.http.request(method, path, json=tree)
    assert [answer.status_code] == statuses(BLOCKS[5])
    assert "1. @e7 {[%csl Ge8]}" in answer.json()["text"]


def test_every_block_of_requests_is_tried() -> None:
    assert len(BLOCKS) == 6
    errors = re.findall(r"^```json\n(.*?)^```$", PAGE, re.M | re.S)
    assert [set(json.loads(text)) for text in errors] == [{"code", "message", "rule"}]
