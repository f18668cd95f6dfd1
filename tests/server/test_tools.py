"""Boards, positions, records, lists, downloads, hints, analysis and reviews over HTTP."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from terrarium import Record, nova, turrium
from terrarium.engine import LABELS, Analysis, Engine, Limit
from terrarium.play.clocks import wall_clock
from terrarium.server.jobs import analysis
from tests.server.running import PATIENCE, InProcess, Person, comes, lines_of, whole_turn

DEVICES = [{"kind": "device", "name": "First"}, {"kind": "device", "name": "Second"}]


def played(person: Person, kind: str, turns: int, **order: Any) -> str:
    game = person.create(kind, seats=DEVICES, **order)["id"]
    for number in range(turns):
        seq, actions = whole_turn(person, game, 7 * number)
        assert person.turn(game, seq, actions).status_code == 200
    return str(game)


def test_meta_describes_every_option_edition_and_board(person: Person) -> None:
    meta = person.get("/api/meta").json()
    assert set(meta["games"]) == {"nova", "turrium"}
    assert meta["games"]["nova"]["editions"]["en"]["returning"] == "never"
    assert meta["games"]["nova"]["boards"][0]["name"] == "terra-nova"
    names = {option["name"] for option in meta["games"]["turrium"]["options"]}
    assert names == {option.name for option in turrium.Rules.options()}
    assert meta["levels"] == [1, 2, 3, 4, 5, 6, 7, 8]


def test_long_answers_are_compressed_and_streams_are_not(person: Person) -> None:
    asked = {"accept-encoding": "gzip"}
    assert person.http.get("/api/meta", headers=asked).headers["content-encoding"] == "gzip"
    question = {"position": nova.start().to_text(), "seconds": 0.1}
    with person.http.stream("POST", "/api/analysis", json=question, headers=asked) as answer:
        assert answer.status_code == 200
        assert "content-encoding" not in answer.headers


def test_a_board_is_shown_checked_and_made(person: Person) -> None:
    board = person.get("/api/boards/terra-nova").json()
    assert [cell["name"] for cell in board["cells"]] == list(nova.BOARDS["terra-nova"].cells)
    assert person.get("/api/boards/nowhere").status_code == 404
    checked = person.post("/api/boards/check", {"text": board["map"]}).json()
    assert (checked["problems"], checked["board"]["map"]) == ([], board["map"])
    wrong = person.post("/api/boards/check", {"text": "A B C D\n\n\nE"}).json()
    assert wrong["board"] is None
    assert {"code", "message", "line", "column"} == set(wrong["problems"][0])
    order = {"seed": 5, "cells": 60, "landscapes": 6}
    made = [person.post("/api/boards/new", order).json() for _ in range(2)]
    assert made[0] == made[1]
    assert len(made[0]["cells"]) == 60


def test_a_game_is_played_on_an_uploaded_board(person: Person) -> None:
    made = person.post("/api/boards/new", {"seed": 9, "cells": 60, "landscapes": 5}).json()
    board = {"map": made["map"], "name": "ours"}
    game = played(person, "nova", 2, board=board, rules={"pioneers": 3})
    snapshot = person.snapshot(game)
    assert snapshot["board"]["map"] == made["map"]
    record = Record.parse(person.get(f"/api/games/{game}/record.terra").text)
    assert record.board.map == made["map"]


def test_actions_are_tried_from_any_position_over_several_turns(person: Person) -> None:
    start = nova.compose(
        nova.Rules(),
        nova.Board.parse("A A A A A A A B C D E F", name="row"),
        pioneers={"a3": 0, "a5": 1, "a12": 0},
        to_move=0,
    )
    body = {"start": start.to_text(), "actions": ["a12-a9", "+a8"]}
    tried = person.post("/api/positions/try", body).json()
    scored = [event for event in tried["effects"][1] if event["kind"] == "territory-scored"]
    assert scored[0]["awards"] == [10, 10]  # TN-18
    assert tried["board"]["map"] == start.board.map
    several = person.post(
        "/api/positions/try", {"start": {"game": "nova"}, "actions": ["@e7", "@e8", "@e9"]}
    ).json()
    assert [turn["seat"] for turn in several["turns"]] == [0, 1, 0]
    wrong = person.post(
        "/api/positions/try", {"start": {"game": "nova"}, "actions": ["@e7", "@e7"]}
    )
    assert (wrong.status_code, wrong.json()["rule"], wrong.json()["index"]) == (422, "TN-5", 1)
    assert person.post("/api/positions/try", {"start": "chess x"}).status_code == 422


@pytest.mark.parametrize("kind", ["nova", "turrium"])
def test_an_exported_record_can_be_read_again(person: Person, kind: str) -> None:
    game = played(person, kind, 5, clock={"kind": "game", "seconds": 600})
    person.post(f"/api/games/{game}/resign", {"seat": 0})
    text = person.get(f"/api/games/{game}/record.terra").text
    record = Record.parse(text)
    assert record.seats == ("First", "Second")
    assert record.outcome is not None
    assert record.outcome.reason == "resigned"
    assert Record.from_dict(person.get(f"/api/games/{game}/record.json").json()) == record
    read = person.post("/api/records/read", {"text": text}).json()
    assert read["turns"][-1]["position"] == person.snapshot(game)["position"]
    assert read["turns"][0]["clock_ms"] is not None
    bad = person.post("/api/records/read", {"text": text + "\n1. @zz"})
    assert (bad.status_code, bad.json()["line"] is not None) == (422, True)


@pytest.mark.parametrize("kind", ["nova", "turrium"])
def test_a_game_is_annotated_as_a_tree_and_written_again(person: Person, kind: str) -> None:
    game = played(person, kind, 3)
    text = person.get(f"/api/games/{game}/record.terra").text
    read = person.post("/api/records/tree", {"text": text}).json()
    assert read["text"] == text
    assert read["nodes"][-1]["position"] == person.snapshot(game)["position"]
    tree = read["tree"]
    first = tree["nodes"][0]
    first |= {"comment": "so it begins", "glyphs": [3], "marks": [{"target": "e5", "source": "e4"}]}
    other = person.post("/api/positions/try", {"start": read["start"]}).json()["legal"]
    spare = next(one["text"] for one in other if [one["text"]] != first["actions"])
    tree["nodes"].append({"id": "mine", "parent": "", "actions": [spare]})
    written = person.post("/api/records/tree", {"tree": tree, "views": False}).json()
    record = Record.parse(written["text"])
    assert record.line.entries[len(first["actions"]) - 1].comment == "so it begins"
    assert record.line.entries[0].variations[0].entries[0].text == spare
    assert [node["id"] for node in written["tree"]["nodes"]][-1] == "mine"
    assert (
        person.post("/api/records/tree", {"text": written["text"]}).json()["text"]
        == written["text"]
    )


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"text": "", "start": ""},
        {"tree": {"head": {"game": "chess"}, "nodes": []}},
        {"start": "nova"},
    ],
)
def test_a_tree_without_a_source_is_refused(person: Person, body: dict[str, Any]) -> None:
    answer = person.post("/api/records/tree", body)
    assert (answer.status_code, "code" in answer.json()) == (422, True)


def test_a_record_from_a_file_becomes_an_animation(person: Person) -> None:
    game = played(person, "turrium", 3)
    text = person.get(f"/api/games/{game}/record.terra").text
    answer = person.post("/api/records/animation.gif?width=200", {"text": text})
    assert answer.headers["content-type"] == "image/gif"
    with Image.open(io.BytesIO(answer.content)) as gif:
        assert (gif.size[0], gif.n_frames) == (200, 4)  # type: ignore[attr-defined]
    bad = person.post("/api/records/animation.gif", {"text": text.replace("1. @", "1. @z")})
    assert (bad.status_code, bad.json()["line"] is not None) == (422, True)


def test_a_turn_in_any_position_is_judged(person: Person) -> None:
    won = "turrium 2 000010/03B2B121/01B6A01B0/2B00010/03A24A30/101A001 0 take:0 1/1 1/4 9 - - -"
    ask = {"position": won, "actions": ["-e4", "+f8", "@g8", "@g5", "g5xg6", "f4-g4"]}
    verdict = person.post("/api/positions/review", ask).json()
    assert verdict["reasons"][0] == {"side": "gains", "code": "win", "seat": 0}
    assert verdict["label"] in {"mistake", "blunder"}
    assert verdict["best_shares"][0] - verdict["shares"][0] == pytest.approx(
        verdict["loss"], abs=1e-3
    )
    half = person.post("/api/positions/review", ask | {"actions": ["-h3"]})
    assert (half.status_code, half.json()["code"]) == (422, "turn-incomplete")
    wrong = person.post("/api/positions/review", ask | {"actions": ["-a1", "end"]})
    assert (wrong.status_code, wrong.json()["index"]) == (422, 0)


@pytest.mark.parametrize("kind", ["nova", "turrium"])
def test_pictures_of_a_game(person: Person, kind: str) -> None:
    game = played(person, kind, 3)
    svg = person.get(f"/api/games/{game}/picture.svg", theme="dark")
    assert svg.text.startswith("<svg")
    assert "sandbox" in svg.headers["content-security-policy"]
    png = person.get(f"/api/games/{game}/picture.png", turn=1, width=300)
    assert Image.open(io.BytesIO(png.content)).size[0] == 300
    with Image.open(
        io.BytesIO(person.get(f"/api/games/{game}/animation.gif", width=200).content)
    ) as gif:
        assert gif.n_frames == 4  # type: ignore[attr-defined]
    assert person.get(f"/api/games/{game}/picture.png", turn=99).status_code == 404
    page = person.get(f"/api/games/{game}/embed")
    assert f'href="/g/{game}"' in page.text
    assert "frame-ancestors *" in page.headers["content-security-policy"]


def test_lists_show_what_is_listed_and_what_is_mine(person: Person, stranger: Person) -> None:
    hidden = person.create(seats=DEVICES)["id"]
    name = f"Zoë {time.time_ns()}"
    seats = [{"kind": "device", "name": name}, {"kind": "open"}]
    listed = person.create(seats=seats, visibility="listed")["id"]
    lobby = [game["id"] for game in stranger.get("/api/games", status="open").json()["games"]]
    assert listed in lobby
    assert hidden not in lobby
    mine = [game["id"] for game in person.get("/api/games", mine="1").json()["games"]]
    assert mine == [listed, hidden]
    found = stranger.get("/api/games", q=name.upper()).json()["games"]
    assert [game["id"] for game in found] == [listed]
    assert stranger.get("/api/games", q="100%_").json()["games"] == []
    stranger.post(f"/api/games/{listed}/seats/1")
    playing = stranger.get("/api/games", status="playing", q=name).json()["games"]
    assert [game["id"] for game in playing] == [listed]
    assert stranger.get("/api/games", status="open", q=name).json()["games"] == []
    person.post(f"/api/games/{listed}/resign", {"seat": 0})
    over = stranger.get("/api/games", status="over", q=name).json()["games"]
    assert over[0]["outcome"]["winners"] == [1]


def test_long_lists_come_in_pages(person: Person) -> None:
    made = [person.create("turrium", seats=DEVICES)["id"] for _ in range(45)]
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = person.get("/api/games", mine="1", page=cursor).json()
        seen += [game["id"] for game in page["games"]]
        cursor = page["next"]
    assert seen == made[::-1]
    assert person.get("/api/games", page="x").status_code == 422


def test_no_hints_in_games_against_other_people(person: Person, stranger: Person) -> None:
    seats = [{"kind": "device"}, {"kind": "open"}]
    game = person.create("nova", seats=seats)["id"]
    refused = person.post(f"/api/games/{game}/hint", {"seat": 0})
    assert (refused.status_code, refused.json()["code"]) == (409, "hint-against-people")
    stranger.post(f"/api/games/{game}/seats/1")
    assert person.post(f"/api/games/{game}/hint", {"seat": 0}).status_code == 409


def test_a_hint_is_legal_and_only_for_ones_own_turn(person: Person) -> None:
    game = played(person, "turrium", 2)
    hint = person.post(f"/api/games/{game}/hint", {"seat": 0})
    assert hint.status_code == 200, hint.text
    assert person.turn(game, hint.json()["seq"], hint.json()["turn"]).status_code == 200
    assert person.post(f"/api/games/{game}/hint", {"seat": 0}).json()["code"] == "not-your-turn"


def test_the_coach_judges_a_turn_before_it_is_sent(person: Person) -> None:
    seats = [{"kind": "device"}, {"kind": "computer", "level": 1}]
    game = person.create("nova", seats=seats)["id"]
    seq, actions = whole_turn(person, game)
    ask = {"seat": 0, "seq": seq, "actions": actions}
    verdict = person.post(f"/api/games/{game}/coach", ask)
    assert verdict.status_code == 200, verdict.text
    assert verdict.json()["label"] in {label for label, _ in LABELS}
    assert person.snapshot(game)["seq"] == seq, "the coach must not play the turn"
    half = person.post(f"/api/games/{game}/coach", ask | {"actions": ["@zz"]})
    assert half.status_code == 422
    assert person.turn(game, seq, actions).status_code == 200
    late = person.post(f"/api/games/{game}/coach", ask)
    assert (late.status_code, late.json()["code"]) == (409, "stale-turn")


@pytest.mark.parametrize("kind", ["device", "open", "link"])
def test_the_coach_refuses_games_against_people(
    person: Person, stranger: Person, kind: str
) -> None:
    seats = [{"kind": "device"}, {"kind": kind}]
    game = person.create("nova", seats=seats)["id"]
    if kind == "open":
        assert stranger.post(f"/api/games/{game}/seats/1").status_code == 200
    ask = {"seat": 0, "seq": person.snapshot(game)["seq"], "actions": ["@e7"]}
    refused = person.post(f"/api/games/{game}/coach", ask)
    assert refused.status_code == 409
    assert refused.json()["code"] in {"coach-against-people", "game-not-started"}
    if kind != "link":
        assert refused.json()["code"] == "coach-against-people"


def test_the_last_lines_of_an_analysis_have_reasons(person: Person) -> None:
    won = "turrium 2 000010/03B2B121/01B6A01B0/2B00010/03A24A30/101A001 0 take:0 1/1 1/4 9 - - -"
    answer = person.post("/api/analysis", {"position": won, "seconds": 0.5, "lines": 2})
    best = lines_of(answer.text)[-1]["lines"][0]
    assert best["reasons"][0] == {"side": "gains", "code": "win", "seat": 0}


def test_analysis_grows_until_it_is_done(person: Person) -> None:
    position = person.snapshot(played(person, "nova", 4))["position"]
    body = {"position": position, "seconds": 0.5, "lines": 2}
    answer = person.post("/api/analysis", body)
    results = lines_of(answer.text)
    assert [result["done"] for result in results] == [False] * (len(results) - 1) + [True]
    assert len(results[-1]["lines"]) == 2
    assert abs(sum(results[-1]["shares"]) - 1) < 0.01
    after = nova.Position.from_text(position).play_all(results[-1]["lines"][0]["turn"])
    assert after.at_turn_start


class Tireless:
    """An engine that runs until it is stopped."""

    def __init__(self) -> None:
        self.called_off = threading.Event()

    def stop(self) -> None:
        self.called_off.set()

    def analyse(self, position: Any, limit: Limit, lines: int) -> Iterator[Analysis]:
        *_, found = Engine(level=3).analyse(position, Limit(nodes=50), lines)
        yield found
        self.called_off.wait(2 * PATIENCE)
        yield found


def test_leaving_an_analysis_stops_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Tireless()
    question = {"position": nova.start().to_text(), "seconds": 0.1}
    with InProcess(tmp_path, wall_clock) as server, server.person() as person:
        with monkeypatch.context() as patch:
            patch.setattr(analysis, "advisor", lambda: engine)
            with person.http.stream("POST", "/api/analysis", json=question) as stream:
                next(stream.iter_lines())
            assert engine.called_off.wait(PATIENCE)
        # The same person may start another analysis.
        assert comes(lambda: person.post("/api/analysis", question).status_code == 200)


def test_a_finished_game_is_reviewed(person: Person) -> None:
    game = played(person, "turrium", 3)
    assert person.post(f"/api/games/{game}/review").json()["code"] == "game-not-over"
    person.post(f"/api/games/{game}/resign", {"seat": 1})
    assert person.get(f"/api/games/{game}/review").status_code == 404
    assert person.post(f"/api/games/{game}/review").status_code == 200
    path = f"/api/games/{game}/review"
    assert comes(lambda: person.get(path).json()["status"] == "done")
    review = person.get(path).json()
    assert review["total"] == len(review["turns"]) == 3
    assert {"label", "loss", "shares", "best", "reason"} <= set(review["turns"][0])
    labels = {"best", "good", "inaccuracy", "mistake", "blunder"}
    assert review["turns"][2]["label"] in labels


def test_nobody_sees_or_changes_the_name_of_another_board_with_the_same_map(
    person: Person, stranger: Person
) -> None:
    builtin = person.get("/api/boards/two-bays").json()
    private = {"map": builtin["map"], "name": "secret", "note": "for us", "author": "one of us"}
    mine = person.create("nova", seats=DEVICES, board=private)
    assert mine["game"]["board"]["name"] == "secret"
    order = {"start": {"game": "nova", "board": private}}
    assert person.post("/api/positions/try", order).json()["board"]["name"] == "secret"
    other = {"map": builtin["map"], "name": "other", "note": "", "author": ""}
    theirs = stranger.create("nova", seats=DEVICES, board=other)["game"]["board"]
    assert (theirs["name"], theirs["note"], theirs["author"]) == ("other", "", "")
    fresh = stranger.create("nova", seats=DEVICES, board="two-bays")
    assert fresh["game"]["board"] == builtin == stranger.get("/api/boards/two-bays").json()
    shown = stranger.post("/api/positions/try", {"start": fresh["game"]["start"]}).json()["board"]
    assert shown["name"] == "two-bays"
    again = person.snapshot(mine["id"])
    assert (again["board"]["name"], again["board"]["note"]) == ("secret", "for us")
    assert "secret" not in stranger.get(f"/api/games/{fresh['id']}/record.terra").text
    checked = stranger.post("/api/boards/check", {"text": builtin["map"]}).json()["board"]
    assert checked["note"] == ""


def test_the_turns_of_a_game_have_the_same_form_as_a_record_from_a_file(person: Person) -> None:
    game = played(person, "turrium", 5)
    person.post(f"/api/games/{game}/resign", {"seat": 1})
    text = person.get(f"/api/games/{game}/record.terra").text
    turns = person.get(f"/api/games/{game}/turns").json()
    assert turns == person.post("/api/records/read", {"text": text}).json()
    assert [turn["number"] for turn in turns["turns"]] == [1, 2, 3, 4, 5]
    assert turns["resignations"] == [{"seat": 1, "after": 5}]
    snapshot = person.snapshot(game)
    assert turns["turns"][-1]["position"] == snapshot["position"]


def test_a_review_is_kept_after_a_rematch(person: Person) -> None:
    game = played(person, "turrium", 2)
    person.post(f"/api/games/{game}/resign", {"seat": 1})
    assert person.post(f"/api/games/{game}/review").status_code == 200
    assert person.post(f"/api/games/{game}/rematch").status_code == 200
    assert person.get(f"/api/games/{game}/review").status_code == 200
