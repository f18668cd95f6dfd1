"""Studies: the effect of changes, and which changes are refused."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from terrarium import Record, games
from terrarium.core.record import read_records
from terrarium.core.record.line import Cursor
from terrarium.errors import TerrariumError
from terrarium.play import study_checks
from terrarium.play.errors import Unprocessable
from terrarium.play.studies import MAX_CHAPTERS, Change, ChapterSource, NewChapter, NewStudy
from terrarium.play.study import Study, copied, terra_text
from terrarium.play.study_checks import added_chapter, checked, new_study
from terrarium.play.trees import Tree, record_of_tree, tree_of
from tests.core.records import random_record
from tests.play import tree_cases
from tests.play.study_data import CHAPTER, change, node, study_of
from tests.server.playing import random_turn

TAGGED = {"game": "nova", "tags": {f"T{number}": "x" for number in range(200)}}


def made(text: str, **more: Any) -> NewChapter:
    return NewChapter("One", ChapterSource(text=text), **more)


def comments(study: Study) -> dict[str, str]:
    return {id: one.comment for id, one in study.chapters[CHAPTER].nodes.items() if one.comment}


def refused(study: Study, *changes: Change) -> TerrariumError:
    with pytest.raises(TerrariumError) as caught:
        checked(study, changes)
    return caught.value


@pytest.mark.parametrize("game", sorted(games))
@pytest.mark.parametrize("seed", range(6))
def test_a_record_becomes_a_chapter_and_the_same_record_again(game: str, seed: int) -> None:
    text = str(random_record(game, seed, length=30)).replace("\\ud800", "")
    study, changes = new_study(NewStudy("All of it", [made(text)]), {})
    sent = msgspec.json.decode(msgspec.json.encode(changes), type=list[Change])
    assert Study.replay([(1, sent)]) == study
    whole = record_of_tree(tree_of(Record.parse(text)))
    assert record_of_tree(study.chapters[CHAPTER].tree()) == whole


def test_a_study_is_shown_with_its_chapters_in_order() -> None:
    study = study_of("1. @e7", "1. @e8")
    study, _ = added_chapter(study, "x", made('[Game "turrium"]\n\n*\n', goal="Win."))
    study = checked(study, [change(type="chapter", id="x", set={"rank": -1}, time=1, by="ann")])
    view = study.view("id", "reader", "link", 2)
    assert [(one.id, one.game, one.goal) for one in view.chapters] == [
        ("x", "turrium", "Win."),
        ("1", "nova", ""),
        ("2", "nova", ""),
    ]
    assert study.index() == {"name": "Openings", "game": "turrium", "chapters": 3}
    shown = study.shown("1")
    assert [one.position for one in shown.read.nodes] == [
        str(games["nova"].start().play("@e7").to_text())
    ]
    assert (shown.stored.nodes[0].id, shown.stored.nodes[1].actions) == ("", ["@e7"])


def test_turns_comments_and_order_change() -> None:
    study = study_of("1. @e7 2. @f7")
    study = checked(study, [node("ann-1", 1, made=("1", "@e8"), rank=-1, comment="better")])
    tree = study.chapters[CHAPTER].tree()
    assert [(one.id, one.parent, one.comment) for one in tree.nodes] == [
        ("1", "", ""),
        ("ann-1", "1", "better"),
        ("2", "1", ""),
    ]
    study = checked(study, [node("1", 2, is_hidden=True), node("", 2, comment="Start here.")])
    assert study.chapters[CHAPTER].tree().nodes == []
    assert study.chapters[CHAPTER].tree().head["comment"] == "Start here."
    study = checked(study, [node("1", 3, is_hidden=False)])
    assert len(study.chapters[CHAPTER].tree().nodes) == 3


def test_the_latest_stamp_of_each_field_wins() -> None:
    study = study_of("1. @e7")
    study = checked(study, [node("1", 5, "ann", comment="late", glyphs=[1])])
    study = checked(study, [node("1", 4, "bob", comment="early", rank=3)])
    found = study.chapters[CHAPTER].nodes["1"]
    assert (found.comment, found.glyphs, found.rank) == ("late", [1], 3)
    study = checked(study, [node("1", 5, "bob", comment="same time, later name")])
    assert comments(study) == {"1": "same time, later name"}
    study = checked(study, [node("1", 5, "ann", glyphs=[1])])
    assert study.time == 5


def script(rng: random.Random, by: str) -> list[Change]:
    """The changes of one editor: new turns, and changes of its own turns and of the first ones."""
    known, found = ["1", "2"], list[Change]()
    for time in range(1, 12):
        field = rng.choice(["turn", "comment", "glyphs", "rank", "is_hidden"])
        if field == "turn":
            id = f"{by}-{time}"
            found.append(
                node(id, time, by, made=("1", rng.choice(["@f7", "@f8", "@g8"])), rank=time)
            )
            known.append(id)
            continue
        value: Any = {
            "comment": f"{by} {time}",
            "glyphs": [time % 6 + 1],
            "rank": rng.randint(-3, 3),
        }
        found.append(
            node(rng.choice(known), time, by, **{field: value.get(field, rng.random() < 0.5)})
        )
    return found


@settings(deadline=None)
@given(st.integers(0, 2**32), st.lists(st.booleans(), min_size=22, max_size=22))
def test_any_order_of_two_editors_gives_the_same_study(seed: int, order: list[bool]) -> None:
    """Each editor's changes stay in order; the changes of two editors may be mixed in any way."""
    start, rng = study_of("1. @e7 2. @f7"), random.Random(seed)
    ann, bob = script(rng, "ann"), script(rng, "bob")
    one_after_the_other = start.after(2, ann + bob)
    left, right, mixed = ann[:], bob[:], list[Change]()
    for is_ann in order:
        queue = left if (is_ann and left) or not right else right
        mixed.append(queue.pop(0))
    merged = start.after(2, mixed)
    assert merged == one_after_the_other
    assert start.after(2, mixed + ann + bob) == merged  # the same if changes arrive again


def test_a_copy_contains_only_what_is_visible() -> None:
    study = study_of("1. @e7 2. @f7", "1. @e8")
    study = checked(
        study,
        [
            node("2", 1, is_hidden=True),
            node("1", 2, comment="kept"),
            change(type="chapter", id="2", set={"is_hidden": True}, time=3, by="ann"),
        ],
    )
    copy = Study.replay([(1, copied(study))])
    assert [one.actions for one in copy.chapters[CHAPTER].tree().nodes] == [["@e7"]]
    assert (comments(copy), list(copy.chapters), copy.name) == ({"1": "kept"}, ["1"], "Openings")


def test_a_study_is_written_as_one_text(tmp_path: Any) -> None:
    study = study_of("1. @e7 {well}", "1. @e8")
    path = tmp_path / "study.terra"
    path.write_text(terra_text(study, ["1", "2"]), "utf-8")
    first, second = read_records(path)
    assert (first.tags["Study"], first.tags["Chapter"]) == ("Openings", "Chapter 1")
    assert [str(entry.text) for entry in (*first.line, *second.line)] == ["@e7", "@e8"]
    assert first.line.entries[0].comment == "well"


def test_a_study_that_was_written_is_read_again_chapter_by_chapter() -> None:
    study = study_of("1. @e7 {well}", "1. @e8")
    lesson = {"goal": "Find it.", "hint": "Look\nhere."}
    study = checked(study, [change(type="chapter", id="2", set=lesson, time=1, by="ann")])
    text = terra_text(study, ["1", "2"])
    again, _ = new_study(NewStudy("Openings", [made(text)]), {})
    found = [(one.name, one.goal, one.hint) for _, one in again.contents()]
    assert found == [("Chapter 1", "", ""), ("Chapter 2", "Find it.", "Look\nhere.")]
    assert terra_text(again, ["1", "2"]) == text
    plain = '[Game "nova"]\n\n1. @e7 *\n'
    several, _ = new_study(NewStudy("Games", [made(plain + "\n" + plain)]), {})
    assert [one.name for _, one in several.contents()] == ["One (1)", "One (2)"]


def test_a_chapter_that_was_written_keeps_its_task_in_another_study() -> None:
    study, _ = new_study(NewStudy("Lessons", [made('[Game "nova"]\n\n1. @e7 *\n', goal="Go.")]), {})
    other, _ = added_chapter(study_of("1. @e7"), "2", made(terra_text(study, ["1"])))
    chapter = other.chapters["2"]
    assert (chapter.name, chapter.goal) == ("One", "Go.")
    other = checked(other, [change(type="chapter", id="2", set={"goal": ""}, time=1, by="ann")])
    assert "Goal" not in terra_text(other, ["2"])
    with pytest.raises(TerrariumError) as caught:
        added_chapter(other, "3", made(terra_text(other, ["1", "2"])))
    assert caught.value.code == "many-records"


MANY = '[Game "nova"]\n\n*\n\n' * 10_000


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: new_study(NewStudy("Openings", [made(MANY), made(MANY)]), {}), "study-full"),
        (lambda: added_chapter(study_of("1. @e7"), "2", made(MANY)), "many-records"),
    ],
)
def test_a_text_with_thousands_of_records_is_not_read_to_its_end(
    monkeypatch: pytest.MonkeyPatch, make: Callable[[], object], code: str
) -> None:
    read: list[Record] = []

    def counted(record: Record) -> Tree:
        read.append(record)
        return tree_of(record)

    monkeypatch.setattr(study_checks, "tree_of", counted)
    with pytest.raises(TerrariumError) as caught:
        make()
    assert caught.value.code == code
    assert len(read) <= MAX_CHAPTERS + 1


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (node("x", 1, made=("1", "@e7")), "cell-occupied"),
        (node("x", 1, made=("9", "@f7")), "invalid-change"),
        (node("x", 1, made=("x", "@f7")), "invalid-change"),
        (node("x", 1, made=("1", "@f7 @f8")), "invalid-change"),
        (node("x", 1, made=("1", "resign:0 @f8")), "invalid-change"),
        (node("x y", 1, made=("1", "@f7")), "invalid-change"),
        (node("1", 1, made=("", "@e8")), "invalid-change"),
        (node("9", 1, comment="whose?"), "invalid-change"),
        (node("1", 0, comment="first"), "invalid-change"),
        (node("1", 2**52, comment="last"), "invalid-change"),
        (node("1", 1, "ann\n", comment="hello"), "invalid-change"),
        (node("1", 1, "", comment="hello"), "invalid-change"),
        (node("1", 1, glyphs=[999]), "record-glyph"),
        (node("1", 1, marks=[{"target": "e 7"}]), "record-marks"),
        (node("1", 1, marks=[{"target": "e7", "colour": "pink"}]), "record-marks"),
        (node("", 1, is_hidden=True), "invalid-change"),
        (change(type="study", set={"name": " "}, time=1, by="ann"), "invalid-name"),
        (change(type="study", set={"name": "a\u202eb"}, time=1, by="ann"), "invalid-name"),
        (change(type="study", set={"name": " padded "}, time=1, by="ann"), "invalid-name"),
        (change(type="study", set={"name": "e\u0301"}, time=1, by="ann"), "invalid-name"),
        (change(type="chapter", id="9", set={"name": "x"}, time=1, by="ann"), "invalid-change"),
        (
            change(type="chapter", id="9", made={"head": {}}, set={}, time=1, by="ann"),
            "record-field",
        ),
        (
            change(type="chapter", id="9", made={"head": TAGGED}, set={}, time=1, by="ann"),
            "record-tags",
        ),
        (
            change(
                type="chapter", id="1", made={"head": {"game": "nova"}}, set={}, time=1, by="ann"
            ),
            "invalid-change",
        ),
    ],
)
def test_a_wrong_change_is_refused_with_its_number_and_changes_nothing(
    wrong: Change, code: str
) -> None:
    study = study_of("1. @e7")
    before = msgspec.json.encode(study.shown(CHAPTER))
    error = refused(study, node("1", 1, comment="fine"), wrong)
    assert (error.code, getattr(error, "extra", {})["index"]) == (code, 1)
    assert error.message.startswith("change 1: ")
    assert msgspec.json.encode(study.shown(CHAPTER)) == before


@pytest.mark.parametrize(
    "fields",
    [
        {"set": {"comment": None}},
        {"set": {"comment": 7}},
        {"set": {"rank": "1"}},
        {"set": {"rank": 1e10}},
        {"set": {"unknown": 1}},
        {"set": {"comment": "x" * 65_537}},
        {"time": -1},
        {"time": 2**60},
        {"time": True},
        {"type": "other"},
        {"made": {"parent": "", "actions": []}},
        {"made": {"parent": "", "actions": ["@e7"] * 65}},
    ],
)
def test_a_malformed_change_can_not_be_read(fields: dict[str, Any]) -> None:
    plain = {"type": "node", "chapter": "1", "id": "1", "set": {}, "time": 1, "by": "ann"}
    assert change(**plain)
    with pytest.raises(msgspec.ValidationError):
        change(**plain | fields)


def test_a_lone_surrogate_can_not_be_read() -> None:
    text = b'{"type":"node","chapter":"1","id":"1","set":{"comment":"\\ud800"},"time":1,"by":"a"}'
    with pytest.raises(msgspec.DecodeError):
        msgspec.json.decode(text, type=Change)


def test_one_stamp_can_not_have_two_values() -> None:
    study = checked(study_of("1. @e7"), [node("1", 3, comment="one")])
    assert refused(study, node("1", 3, comment="another")).code == "invalid-change"
    assert checked(study, [node("1", 3, comment="one")]).chapters == study.chapters


def test_variations_stay_within_the_limits_of_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    study = study_of("1. @e7 2. @f7")
    line = [node("1", 1, rank=0)]
    monkeypatch.setattr(study_checks, "MAX_NESTING", 0)
    error = refused(study, *line, node("x", 2, made=("1", "@e8"), rank=5))
    assert error.code == "record-nesting"
    monkeypatch.undo()
    monkeypatch.setattr(study_checks, "MAX_VARIATIONS", 0)
    assert refused(study, node("x", 2, made=("1", "@e8"), rank=5)).code == "study-full"


def test_the_sizes_of_chapters_and_studies_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    study = study_of("1. @e7 2. @f7", "1. @e7")
    monkeypatch.setattr(study_checks, "MAX_NODES", 3)
    study = checked(study, [node("a", 1, made=("2", "@g8"))])
    assert refused(study, node("b", 2, made=("a", "@g7"))).code == "study-full"
    monkeypatch.setattr(study_checks, "MAX_CHAPTERS", 2)
    with pytest.raises(TerrariumError, match="at most 2 chapters"):
        added_chapter(study, "3", made('[Game "nova"]\n\n*\n'))
    removed = change(type="chapter", id="2", set={"is_hidden": True}, time=1, by="ann")
    study, _ = added_chapter(checked(study, [removed]), "3", made('[Game "nova"]\n\n*\n'))
    back = change(type="chapter", id="2", set={"is_hidden": False}, time=2, by="ann")
    assert refused(study, back).code == "study-full"
    monkeypatch.setattr(study_checks, "_MAX_MADE", 3)
    study = checked(study, [structs.replace(removed, id="3", time=3)])
    with pytest.raises(TerrariumError, match="at most 3 chapters, removed ones included"):
        added_chapter(study, "4", made('[Game "nova"]\n\n*\n'))


def test_a_chapter_keeps_room_for_the_tags_that_a_study_adds() -> None:
    tags = "".join(f'[T{number} "x"]\n' for number in range(101))
    text = '[Game "nova"]\n' + tags + "\n1. @e7 *\n"
    with pytest.raises(TerrariumError, match="at most 100 in a chapter"):
        new_study(NewStudy("x", [made(text)]), {})
    new = made(text.replace('[T0 "x"]\n', ""), goal="Win", hint="Think")
    study, _ = new_study(NewStudy("x", [new]), {})
    assert len(Record.parse(terra_text(study, ["1"])).tags) == 104


def test_names_of_new_studies_and_chapters_are_cleaned() -> None:
    study, _ = new_study(NewStudy("  Cafe\u0301  noir ", [made('[Game "nova"]\n\n*\n')]), {})
    assert study.name == "Caf\u00e9 noir"


def test_a_chapter_needs_one_source() -> None:
    for source in (ChapterSource(), ChapterSource(text="*", game_id="x")):
        with pytest.raises(Unprocessable, match="give one of"):
            new_study(NewStudy("x", [NewChapter("x", source)]), {})


def test_a_long_batch_replays_the_chapter_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work for a batch grows with the length of the line and of the batch, not with their product."""
    main: list[Change] = []
    position, rng = games["turrium"].start(), random.Random(3)
    for number in range(40):
        actions, position = random_turn(position, rng)
        main.append(
            node(f"n{number}", 1, made=(f"n{number - 1}" if number else "", " ".join(actions)))
        )
    study = study_of("", game="turrium")
    steps = 0
    advance = Cursor.advance

    def counted(self: Any, what: Any) -> Any:
        nonlocal steps
        steps += 1
        return advance(self, what)

    monkeypatch.setattr(Cursor, "advance", counted)
    study = checked(study, main)
    played = sum(len(one.actions) for one in study.chapters[CHAPTER].nodes.values())
    assert steps == played
    # More turns after the last one replay the line once, not once for each turn.
    legal = position.legal_actions()[:8]
    assert len(legal) > 2
    more = [node(f"m{n}", 2, made=("n39", str(action))) for n, action in enumerate(legal)]
    steps = 0
    checked(study, more)
    assert steps == played + len(more)


def test_the_cases_that_the_page_checks_are_those_of_python() -> None:
    assert json.loads(tree_cases.FILE.read_text()) == tree_cases.cases()


@pytest.mark.parametrize("number", range(10))
def test_changes_of_editors_may_arrive_in_any_order(number: int) -> None:
    """Changes may be shuffled, as long as a node is created before other changes refer to it."""
    case = tree_cases.cases()[number]
    changes, rng = case["changes"], random.Random(number)
    made = [one for one in changes if "made" in one]
    others = [one for one in changes if "made" not in one]
    lost = [one for one in others if one["id"] == "nobody"]
    # A change of a node that does not exist yet is lost, here and in the page: create all nodes first.
    start = made + [one for one in others if one not in lost]
    known = tree_cases.folded(start)
    for _ in range(5):
        rng.shuffle(others)
        assert tree_cases.folded(made + others) == known
