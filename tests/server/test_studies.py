"""Studies on a server: who may see and change them, and that no acknowledged change is lost."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.server.running import Forked, Person, Server

NOVA = '[Game "nova"]\n\n1. @e7 2. @f7 *\n'


def make(person: Person, *texts: str, name: str = "Openings") -> dict[str, Any]:
    chapters = [{"name": f"Part {n}", "source": {"text": text}} for n, text in enumerate(texts, 1)]
    answer = person.post("/api/studies", {"name": name, "chapters": chapters})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def node(id: str, time: int, by: str = "ann", **more: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {"type": "node", "chapter": "1", "id": id, "time": time, "by": by}
    if "actions" in more:
        fields["made"] = {"parent": more.pop("parent"), "actions": more.pop("actions")}
        more = {"is_hidden": False} | more
    return fields | {"set": more}


def change(person: Person, study: str, key: str, *changes: dict[str, Any]) -> httpx.Response:
    return person.post(f"/api/studies/{study}/changes", {"key": key, "changes": list(changes)})


def chapter(person: Person, study: str, id: str = "1") -> dict[str, Any]:
    answer = person.get(f"/api/studies/{study}/chapters/{id}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def comments(person: Person, study: str) -> dict[str, str]:
    nodes = chapter(person, study)["stored"]["nodes"]
    return {one["id"]: one["comment"] for one in nodes if one["comment"]}


def code(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def editor(owner: Person, study: str, other: Person) -> str:
    """Let somebody edit; returns the secret of the link."""
    secret: str = owner.post(f"/api/studies/{study}/edit-link").json()["secret"]
    answer = other.post(f"/api/studies/{study}/join", {"secret": secret})
    assert answer.status_code == 200, answer.text
    assert answer.json()["access"] == "editor"
    return secret


def test_a_study_is_made_read_changed_and_deleted(person: Person) -> None:
    made = make(person, NOVA, '[Game "turrium"]\n\n*\n')
    assert (made["access"], made["visibility"], made["seq"]) == ("owner", "private", 1)
    assert [one["game"] for one in made["chapters"]] == ["nova", "turrium"]
    study = made["id"]
    new = node("ann-1", 1, parent="1", actions=["@e8"], rank=1, comment="or this")
    answer = change(person, study, "k1", new)
    assert (answer.status_code, answer.json()) == (200, {"seq": 2})
    found = chapter(person, study)
    assert [one["id"] for one in found["read"]["tree"]["nodes"]] == ["1", "2", "ann-1"]
    assert (found["seq"], found["time"], found["chapter"]["name"]) == (2, 1, "Part 1")
    assert found["stored"]["stamps"][0][1:] == [1, "ann"]
    renamed = {"type": "study", "set": {"name": "Endings"}, "time": 2, "by": "ann"}
    assert change(person, study, "k2", renamed).json() == {"seq": 3}
    listed = [one for one in person.get("/api/studies").json()["studies"] if one["id"] == study]
    assert [(one["name"], one["chapters"], one["game"]) for one in listed] == [
        ("Endings", 2, "nova")
    ]
    assert person.http.delete(f"/api/studies/{study}").status_code == 204
    assert code(person.get(f"/api/studies/{study}")) == (404, "no-such-study")
    assert study not in person.get("/api/studies").text


def test_the_same_key_changes_a_study_once(person: Person) -> None:
    study = make(person, NOVA)["id"]
    for _ in range(3):
        assert change(person, study, "same", node("1", 1, comment="once")).json() == {"seq": 2}
    assert person.get(f"/api/studies/{study}").json()["seq"] == 2


def test_the_same_key_makes_a_study_a_chapter_and_a_copy_once(person: Person) -> None:
    body = {"name": "Once", "chapters": [{"name": "One", "source": {"text": NOVA}}]}
    person.post("/api/studies", body)  # the first answer brings the cookie
    made = [person.post("/api/studies", body | {"key": "k"}).json()["id"] for _ in range(2)]
    assert made[0] == made[1]
    address = f"/api/studies/{made[0]}"
    new = {"name": "Two", "source": {"text": NOVA}, "key": "c"}
    first, again = (person.post(f"{address}/chapters", new) for _ in range(2))
    assert (first.status_code, first.json()) == (201, again.json())
    assert person.post(f"{address}/chapters", new | {"key": "d"}).json()["id"] == "3"
    copies = [person.post(f"{address}/copy?key=x").json()["id"] for _ in range(2)]
    assert copies[0] == copies[1] != made[0]
    assert len(person.get("/api/studies").json()["studies"]) == 3
    change(person, made[0], "e", node("1", 1, comment="hi"))
    used = person.post(f"{address}/chapters", new | {"key": "e"})
    assert code(used) == (422, "invalid-change")
    assert person.post(f"{address}/chapters", new | {"key": "\n"}).status_code in (400, 422)


def test_a_game_becomes_a_chapter(person: Person) -> None:
    game = person.create(seats=[{"kind": "device"}, {"kind": "device"}])["id"]
    assert person.turn(game, 1, ["@e7"]).status_code == 200
    study = make(person)["id"]
    body = {"name": "My game", "source": {"game_id": game}, "goal": "Find the best turn."}
    answer = person.post(f"/api/studies/{study}/chapters", body)
    assert (answer.status_code, answer.json()["goal"]) == (201, "Find the best turn.")
    found = chapter(person, study, answer.json()["id"])
    assert [one["actions"] for one in found["read"]["tree"]["nodes"]] == [["@e7"]]
    body["source"] = {"game_id": "nosuchgame"}
    assert code(person.post(f"/api/studies/{study}/chapters", body)) == (404, "no-such-game")


def test_a_private_study_is_invisible_and_a_shared_one_can_only_be_read(
    person: Person, stranger: Person
) -> None:
    study = make(person, NOVA)["id"]
    wrong = node("1", 1, comment="mine now")

    def all_of_it() -> list[tuple[int, str]]:
        path = f"/api/studies/{study}"
        chapter = {"name": "x", "source": {"text": NOVA}}
        return [
            code(change(stranger, study, "k", wrong)),
            code(stranger.post(f"{path}/chapters", chapter)),
            code(stranger.http.patch(path, json={"visibility": "link"})),
            code(stranger.http.delete(path)),
            code(stranger.post(f"{path}/edit-link")),
            code(stranger.http.delete(f"{path}/edit-link")),
            code(stranger.http.delete(f"{path}/editors")),
        ]

    reads = ["", "/chapters/1", "/terra", "/chapters/1/terra"]
    assert {code(stranger.get(f"/api/studies/{study}{path}")) for path in reads} == {
        (404, "no-such-study")
    }
    assert code(stranger.post(f"/api/studies/{study}/copy")) == (404, "no-such-study")
    assert set(all_of_it()) == {(404, "no-such-study")}
    shared = person.http.patch(f"/api/studies/{study}", json={"visibility": "link"})
    assert shared.json()["visibility"] == "link"
    assert {stranger.get(f"/api/studies/{study}{path}").status_code for path in reads} == {200}
    assert set(all_of_it()) == {(403, "not-an-editor"), (403, "not-study-owner")}
    assert chapter(person, study)["seq"] == 1
    person.http.patch(f"/api/studies/{study}", json={"visibility": "private"})
    assert code(stranger.get(f"/api/studies/{study}")) == (404, "no-such-study")


def test_a_link_lets_others_edit_until_the_owner_ends_it(
    person: Person, stranger: Person, server: Server
) -> None:
    study = make(person, NOVA)["id"]
    secret = editor(person, study, stranger)
    assert change(stranger, study, "k", node("1", 1, "bob", comment="hello")).status_code == 200
    assert study in stranger.get("/api/studies").text
    assert code(stranger.http.delete(f"/api/studies/{study}")) == (403, "not-study-owner")
    with server.person() as third:
        join = f"/api/studies/{study}/join"
        newer = person.post(f"/api/studies/{study}/edit-link").json()["secret"]
        assert code(third.post(join, {"secret": secret})) == (404, "wrong-edit-link")
        assert person.http.delete(f"/api/studies/{study}/edit-link").status_code == 204
        assert code(third.post(join, {"secret": newer})) == (404, "wrong-edit-link")
        # Earlier editors stay editors.
        assert change(stranger, study, "l", node("1", 2, "bob", comment="again")).status_code == 200
        left = person.http.delete(f"/api/studies/{study}/editors")
        assert (left.status_code, left.json()["editors"]) == (200, 0)
        assert code(change(stranger, study, "m", node("1", 3, "bob", comment="no"))) == (
            404,
            "no-such-study",
        )
    assert comments(person, study) == {"1": "again"}


@pytest.mark.parametrize("scope", ["play", "read"])
def test_a_token_needs_both_scopes_to_give_a_study_away(person: Person, scope: str) -> None:
    name = f"t{secrets.token_hex(4)}"
    body = {"name": name, "password": "long enough"}
    assert person.post("/api/accounts", body).status_code == 201
    address = f"/api/studies/{make(person, NOVA)['id']}"

    def program(*scopes: str) -> Person:
        order = {"name": "program", "scopes": scopes}
        token = person.post("/api/me/tokens", order).json()["token"]
        return Person(str(person.http.base_url), token)

    with program(scope) as limited, program("play", "read") as full:
        for use, status in ((limited, 403), (full, 0)):
            answers = [
                use.http.patch(address, json={"visibility": "private"}),
                use.post(f"{address}/edit-link"),
                use.http.delete(f"{address}/edit-link"),
                use.http.delete(f"{address}/editors"),
                use.post(f"{address}/copy"),
                use.http.delete(address),
            ]
            expected = [status] * 6 if status else [200, 201, 204, 200, 201, 204]
            assert [one.status_code for one in answers] == expected
            assert not status or {code(one) for one in answers} == {(403, "missing-scope")}


def test_joining_does_not_reveal_whether_a_private_study_exists(
    person: Person, stranger: Person
) -> None:
    for study in (make(person, NOVA)["id"], "nosuchstudy", "no-such-study"):
        join = stranger.post(f"/api/studies/{study}/join", {"secret": "x" * 22})
        assert code(join) == (404, "wrong-edit-link")


def test_a_copy_is_ones_own(person: Person, stranger: Person) -> None:
    study = make(person, NOVA)["id"]
    person.http.patch(f"/api/studies/{study}", json={"visibility": "link"})
    change(person, study, "k", node("1", 1, comment="the original"))
    copy = stranger.post(f"/api/studies/{study}/copy").json()
    assert (copy["access"], copy["visibility"], copy["seq"]) == ("owner", "private", 1)
    change(stranger, copy["id"], "k", node("1", 1, comment="mine"))
    assert comments(person, study) == {"1": "the original"}
    assert comments(stranger, copy["id"]) == {"1": "mine"}
    assert "@e7 {mine}" in stranger.get(f"/api/studies/{copy['id']}/terra").text


@pytest.mark.parametrize(
    "wrong",
    [
        node("x", 1, parent="1", actions=["@e7"]),
        node("x", 1, parent="nobody", actions=["@f8"]),
        node("1", 2**50, comment="far ahead"),
        node("1", 1, comment=None),
        node("1", 1, comment=["a"]),
        node("1", 1, marks=[{"target": "e7", "colour": None}]),
        {"type": "node"},
        None,
        [],
    ],
)
def test_a_wrong_change_is_refused_and_changes_nothing(person: Person, wrong: Any) -> None:
    study = make(person, NOVA)["id"]
    before = chapter(person, study)
    answer = change(person, study, "k", node("1", 1, comment="fine"), wrong)
    assert answer.status_code in (400, 422), answer.text
    assert answer.json()["message"]
    assert chapter(person, study) == before
    # A refused request does not use up its key.
    assert change(person, study, "k", node("1", 1, comment="fine")).json() == {"seq": 2}


def test_hostile_bodies_are_refused(person: Person) -> None:
    study = make(person, NOVA)["id"]
    headers = {"content-type": "application/json"}
    many = [node("1", 1, comment="x")] * 1_001
    lone = b'{"key":"k","changes":[{"type":"study","set":{"name":"\\ud800"},"time":1,"by":"a"}]}'
    deep = b'{"key":"k","changes":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    for body in (lone, deep, b"", b"null", b"[]", b"{"):
        answer = person.http.post(f"/api/studies/{study}/changes", content=body, headers=headers)
        assert answer.status_code == 400, body[:40]
    assert change(person, study, "k", *many).status_code == 400
    assert code(change(person, study, "k", node("1", 1, comment="x" * 300_000))) == (
        413,
        "too-large",
    )
    for id in ("x" * 33, "..", "%00", "a'b", "\u0301"):
        assert person.get(f"/api/studies/{id}").status_code == 404
    assert person.get(f"/api/studies/{study}").json()["seq"] == 1


def test_a_killed_server_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    with Forked(tmp_path) as server, server.person() as person:
        study = make(person, NOVA)["id"]
        for round in range(1, 6):
            text = f"round {round}"
            assert change(person, study, f"k{round}", node("1", round, comment=text)).json() == {
                "seq": round + 1
            }
            server.kill()
            server.start()
            assert comments(person, study) == {"1": text}
            # A page that received no answer sends the request again.
            again = change(person, study, f"k{round}", node("1", round, comment=text))
            assert again.json() == {"seq": round + 1}
