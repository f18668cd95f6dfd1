"""Following a game: turns of others are shown in order, narrated, skipped, shown again and stepped through."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.web.conftest import Complaints
from tests.web.screens import axe
from tests.web.table import WON, Table, from_above, nova, turrium
from tests.web.texts import pattern, t

Sit = Callable[..., Table]
Visit = Callable[..., Page]
Box = dict[str, float]

# Records each state of the board in order: the turn, the number of its drawn actions, its seat, and the page's text about it.
WATCH = """() => {
  window.states = [];
  const look = () => {
    const board = document.querySelector('.board');
    if (!board) return;
    const {turn, actions, seat} = board.dataset;
    const state = [Number(turn), Number(actions), Number(seat), document.querySelector('.status').textContent];
    if (JSON.stringify(states.at(-1)) !== JSON.stringify(state)) states.push(state);
  };
  look();
  new MutationObserver(look).observe(document.body, {subtree: true, childList: true, characterData: true, attributes: true});
}"""
CREATE = """async (body) => (await fetch('/api/games', {method: 'POST',
  headers: {'content-type': 'application/json'}, body: JSON.stringify(body)})).json()"""
PARTS = (".board", ".card", ".narration", ".side > .menu", ".moves")
MEASURE = """(parts) => {
  scrollTo(0, 0);
  document.querySelector('.side').scrollTop = 0;
  return Object.fromEntries(parts.map(part => {
    const {x, y, width, height} = document.querySelector(part).getBoundingClientRect();
    return [part, [x, y, width, height].map(Math.round)];
  }));
}"""


# Makes everything that is shown for a while last `lasting` times as long, so that slow machines can check it.
LASTING = """window.lasting = 1;
const begin = setTimeout;
window.setTimeout = (job, wait = 0, ...values) => begin(job, wait > 200 ? wait * lasting : wait, ...values);"""


def linger(page: Page, times: int) -> None:
    """Make everything shown from now on last this many times as long."""
    page.evaluate("(times) => { window.lasting = times }", times)


def choose(page: Page, **settings: Any) -> None:
    """Store settings, which apply from the next visit."""
    page.evaluate(
        "(chosen) => localStorage.setItem('terrarium.settings', JSON.stringify(chosen))", settings
    )


def states(page: Page) -> list[tuple[int, int, int, str]]:
    return [tuple(state) for state in page.evaluate("() => states")]


def turns_in(seen: list[tuple[int, int, int, str]]) -> list[int]:
    """The turns that were on the board, without consecutive repetitions."""
    numbers = [state[0] for state in seen]
    return [n for i, n in enumerate(numbers) if i == 0 or numbers[i - 1] != n]


def no_review(complaints: Complaints) -> None:
    """Expect a 404 on the console: no review was requested."""
    complaints.expect("404")


def opponents(sit: Sit, visit: Visit, **options: Any) -> tuple[Table, Table]:
    """Two people at a table of Terra Turrium in two browsers, the second one with `LASTING`."""
    host = sit(turrium(["device", "link"], max_rounds=100))
    page = visit("/settings", **options)
    page.add_init_script(LASTING)
    choose(page, turnTime="long", taught=["turrium"])
    page.goto(f"/g/{host.id}?seat=1#{host.secrets[1]}")
    page.locator("[data-cell]").first.wait_for()
    guest = Table(page, host.id)
    guest.settled()
    return host, guest


def alternate(host: Table, guest: Table, turns: list[str], first: int = 0) -> None:
    """Both send their turns, one after the other."""
    for number, turn in enumerate(turns, first):
        (host, guest)[number % 2].send_turns([turn])


@pytest.mark.parametrize(
    "order",
    [
        pytest.param(nova(["computer"] * 4, pioneers=1), marks=pytest.mark.slow),
        pytest.param(turrium(["computer"] * 4), marks=pytest.mark.only_long),
    ],
    ids=["nova", "turrium"],
)
def test_four_computers_are_watched_action_by_action(visit: Visit, order: dict[str, Any]) -> None:
    page = visit("/settings", reduced_motion="no-preference")
    choose(page, turnTime="none", speed="fast")
    made = page.evaluate(CREATE, order)
    # Four computers play fast: serve the position before their first turn, even if the page asks late.
    page.route(
        f"**/api/games/{made['id']}", lambda route: route.fulfill(json=made["game"]), times=1
    )
    page.add_init_script(f"addEventListener('DOMContentLoaded', {WATCH})")
    table = Table(page, made["id"])
    table.open()
    expect(page.get_by_role("region", name=t("table.over"))).to_be_visible()
    played = table.snapshot()["turns"]
    assert len(played) > 4
    seen = states(page)
    assert turns_in(seen) == list(range(len(played) + 1))[turns_in(seen)[0] :], "in order"
    assert turns_in(seen)[0] <= 1
    names = [page.locator(f'article[data-seat="{seat}"] .name').inner_text() for seat in range(4)]
    for turn in played[1:-1]:
        shown = [state for state in seen if state[0] == turn["number"] and state[2] == turn["seat"]]
        steps = [actions for _, actions, _, _ in shown]
        assert steps[0] == 0, "the player must be named before the first action"
        assert sorted(set(steps)) == list(range(len(turn["actions"]) + 1)), (
            "every action must be shown"
        )
        said = {words for _, actions, _, words in shown if actions}
        name = names[turn["seat"]]
        assert said == {t("story.playing", name=name, number=turn["number"])}


def test_three_people_and_a_computer_follow_each_other(sit: Sit, visit: Visit) -> None:
    host = sit(nova(["device", "link", "link", "computer"]), reduced_motion="no-preference")
    people = [host]
    for seat in (1, 2):
        page = visit(
            f"/g/{host.id}?seat={seat}#{host.secrets[seat]}", reduced_motion="no-preference"
        )
        page.locator("[data-cell]").first.wait_for()
        people.append(Table(page, host.id))
        people[-1].settled()
    for person in people:
        person.page.evaluate(WATCH)
    for _ in range(2):
        for person in people:
            person.page.locator(".bar").wait_for()
            person.turn()
    for person in people:
        expect(person.page.locator(".moves li button")).to_have_count(8)
        expect(person.page.locator(".status")).to_have_text(pattern_of_first(person))
        seen = [turn for turn in turns_in(states(person.page)) if turn]
        assert seen == list(range(1, 9))


@pytest.mark.only_long
@pytest.mark.parametrize(
    "order",
    [
        nova(["device", "link", "link", "computer"], pioneers=1),
        turrium(["device", "link", "link", "computer"]),
    ],
    ids=["nova", "turrium"],
)
def test_three_people_and_a_computer_play_to_the_end(
    sit: Sit, visit: Visit, order: dict[str, Any]
) -> None:
    host = sit(order)
    people = [host]
    for seat in (1, 2):
        page = visit(f"/g/{host.id}?seat={seat}#{host.secrets[seat]}")
        page.locator("[data-cell]").first.wait_for()
        people.append(Table(page, host.id))
        people[-1].settled()
    if order["game"] == "turrium":
        for person in people:
            from_above(person)
    for _ in range(200):
        snapshot = host.snapshot()
        if snapshot["status"] == "over":
            break
        mover = snapshot["view"]["to_move"]
        if mover < len(people):
            people[mover].page.locator(".bar").wait_for()
            people[mover].turn()
        else:  # the computer
            expect(host.page.locator(".moves li button")).not_to_have_count(len(snapshot["turns"]))
    assert snapshot["status"] == "over"
    played = len(snapshot["turns"])
    assert {turn["seat"] for turn in snapshot["turns"]} == {0, 1, 2, 3}
    for person in people:
        scene = person.page.get_by_role("dialog")
        expect(scene).to_be_visible()
        expect(scene).to_contain_text(t(f"board.reason.{snapshot['outcome']['reason']}"))
        expect(person.page.locator(".moves li button")).to_have_count(played)
        assert person.snapshot()["outcome"] == snapshot["outcome"]


def pattern_of_first(person: Table) -> Any:
    """The status that the first seat's player and the others read after complete rounds."""
    if person.snapshot()["you"] == [0]:
        return t("table.yourTurn")
    return pattern("table.turnOf")


@pytest.mark.slow
def test_a_loss_is_emphasised_and_turns_are_shown_again_or_skipped(sit: Sit, visit: Visit) -> None:
    host, guest = opponents(sit, visit, reduced_motion="no-preference")
    page = guest.page
    for number, turn in enumerate(WON[:9]):
        (host, guest)[number % 2].send_turns([turn])
        guest.skip_to(number + 1)
    page.keyboard.press("s")
    loss = t("story.loss.flag-captured", name=t("common.colour.yellow"), cell="e6")
    expect(page.locator(".narration .loss")).to_have_text(loss)
    expect(page.locator(".losses")).to_have_text(loss)
    expect(page.locator('[aria-live="assertive"]')).to_have_text(loss)
    actions = WON[8].split()
    expect(page.locator(".narration p")).to_have_count(len(actions))
    expect(page.locator(".bar")).to_be_visible()

    page.evaluate(WATCH)
    page.get_by_role("button", name=t("story.again")).click()
    card = page.get_by_role("region", name=pattern("story.again.playing", number=9))
    expect(card).to_be_visible()
    assert axe(page) == []
    expect(page.locator(".bar")).to_be_visible()
    shown = [state[1] for state in states(page)[1:]]
    assert shown[: len(actions) + 1] == list(range(len(actions) + 1)), (
        "the turn must be shown again action by action"
    )

    linger(page, 40)
    page.evaluate("() => { states.length = 0 }")
    page.keyboard.press("a")
    expect(card).to_be_visible()
    card.get_by_role("button", name=t("story.skip")).click()
    expect(page.locator(".bar")).to_be_visible()
    page.keyboard.press("a")
    expect(card).to_be_visible()
    page.keyboard.press("s")
    expect(page.locator(".bar")).to_be_visible()
    drawn = [state[1] for state in states(page)]
    assert len(actions) in drawn
    assert drawn.count(len(actions) - 1) == 0, "skipped actions must not be drawn one by one"
    page.keyboard.press("v")
    guest.choose(guest.cells("take")[0])
    expect(page.locator(".draft li")).to_have_count(1)
    expect(page.locator(".losses")).to_have_count(0)
    expect(page.locator(".narration p")).to_have_text([pattern("story.you.cube-taken")])


@pytest.mark.slow
def test_the_history_can_be_stepped_through_action_by_action(
    sit: Sit, complaints: Complaints
) -> None:
    table = sit(turrium(["device", "device"], max_rounds=100))
    page = table.page
    table.send_turns(WON[:9])
    expect(page.locator(".moves li button")).to_have_count(9)
    last = WON[8].split()
    capture = last.index("e5xe6")
    board = page.locator(".board")
    for done in range(len(last) - 1, capture, -1):
        page.keyboard.press("Shift+ArrowLeft")
        expect(board).to_have_attribute("data-actions", str(done))
        expect(board).to_have_attribute("data-turn", "8")
    words = t("story.past", number=9, done=capture + 1, count=len(last))
    expect(page.get_by_role("region", name=words)).to_be_visible()
    expect(page.locator(".narration p")).to_have_count(capture + 1)
    red = page.locator('article[data-seat="1"]')
    in_hand = t("table.flagsInHand", count=1)
    expect(red.get_by_text(in_hand)).to_be_visible()
    page.get_by_role("button", name=t("story.action.back")).click()
    expect(red.get_by_text(in_hand)).to_have_count(0)
    assert axe(page) == []
    page.locator("[data-cell]").first.focus()
    page.keyboard.press("Shift+ArrowRight")
    expect(board).to_have_attribute("data-actions", str(capture + 1))
    page.keyboard.press(",")
    expect(page.get_by_text(t("table.past", number=8))).to_be_visible()
    for _ in last:
        page.get_by_role("button", name=t("story.action.next")).click()
    expect(page.locator(".bar")).to_be_visible()

    page.goto(f"/g/{table.id}/review?turn=9")
    expect(page.get_by_text(t("replay.turn", number=9, count=9))).to_be_visible()
    page.keyboard.press("Shift+ArrowLeft")
    expect(
        page.get_by_text(t("story.past", number=9, done=len(last) - 1, count=len(last)))
    ).to_be_visible()
    page.get_by_role("button", name=t("story.action.next")).click()
    expect(page.get_by_text(t("replay.turn", number=9, count=9))).to_be_visible()
    page.keyboard.press("?")
    for key in ("action", "again", "skip"):
        expect(page.get_by_role("dialog").get_by_text(t(f"common.keys.{key}"))).to_be_visible()
    no_review(complaints)


@pytest.mark.slow
@pytest.mark.parametrize(
    "size",
    [
        (1440, 900),
        pytest.param((1024, 768), marks=pytest.mark.only_long),
        (390, 844),
        pytest.param((844, 390), marks=pytest.mark.only_long),
    ],
    ids=["desk", "small", "phone", "wide"],
)
def test_the_layout_does_not_move_when_the_turn_changes(
    sit: Sit, visit: Visit, size: tuple[int, int]
) -> None:
    host, guest = opponents(sit, visit, viewport={"width": size[0], "height": size[1]})
    page = guest.page
    alternate(host, guest, WON[:2])
    expect(page.locator(".moves li button")).to_have_count(2)
    waiting = page.get_by_role("region", name=t("table.turnOf", name=t("common.colour.yellow")))
    expect(waiting).to_be_visible()
    found: dict[str, dict[str, Box]] = {"waiting": page.evaluate(MEASURE, PARTS)}
    linger(page, 40)
    host.send_turns([WON[2]])
    expect(page.get_by_role("button", name=t("story.skip"))).to_be_visible()
    found["showing"] = page.evaluate(MEASURE, PARTS)
    page.keyboard.press("s")
    expect(page.locator(".bar")).to_be_visible()
    found["turn"] = page.evaluate(MEASURE, PARTS)
    page.locator("[data-cell][aria-label*='" + t("board.can.take") + "']").first.dispatch_event(
        "click"
    )
    expect(page.locator(".draft li")).to_have_count(1)
    found["drafting"] = page.evaluate(MEASURE, PARTS)
    page.get_by_role("button", name=t("table.first")).click()
    expect(page.get_by_role("button", name=t("table.toNow"))).to_be_visible()
    found["past"] = page.evaluate(MEASURE, PARTS)
    guest.more(t("table.resign"))
    found["menu"] = page.evaluate(MEASURE, PARTS)
    if size == (1440, 900):
        assert axe(page) == []
    assert {state: boxes for state, boxes in found.items() if boxes != found["waiting"]} == {}


def rows(page: Page) -> list[str]:
    """The entries of the list of turns: numbers of turns, and resignations between them."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll('.moves li')].map(row => row.dataset.resigned !== undefined
          ? 'resigned ' + row.dataset.resigned : row.querySelector('.number').textContent + ' ' + row.querySelector('.text').textContent)"""
    )
    return found


@pytest.mark.slow
def test_turns_keep_their_numbers_and_links_after_a_resignation(
    sit: Sit, visit: Visit, complaints: Complaints
) -> None:
    host = sit(nova(["device", "link", "device"]))
    page = visit(f"/g/{host.id}?seat=1#{host.secrets[1]}")
    page.locator("[data-cell]").first.wait_for()
    guest = Table(page, host.id)
    guest.settled()
    for table in (host, guest, host):
        table.page.locator(".bar").wait_for()
        table.turn()
    guest.more(t("table.resign")).click()
    page.get_by_role("dialog").get_by_role("button", name=t("table.sure.resign.yes")).click()
    expect(host.page.locator('[data-resigned="1"][data-after="3"]')).to_be_visible()
    for _ in range(3):
        host.page.locator(".bar").wait_for()
        host.turn()
    expect(host.page.locator(".moves li button")).to_have_count(6)
    listed = rows(host.page)
    played = host.snapshot()["turns"]
    assert [row.split()[0] for row in listed] == ["1", "2", "3", "resigned", "4", "5", "6"]
    expect(page.locator(".moves li button")).to_have_count(6)
    assert rows(page) == listed
    expect(page.locator('[data-resigned="1"]')).to_have_text(t("story.you.resigned"))

    # The links of the table, the review and the record lead to the same turn.
    five = " ".join(played[4]["actions"])
    host.page.locator('.moves [data-turn="5"]').click()
    link = host.page.locator(".card [data-copy]").get_attribute("data-copy")
    assert link is not None
    assert link.endswith(f"/g/{host.id}?turn=5")
    page.goto(link[link.index("/g/") :])
    expect(page.locator('.moves [aria-current="step"]')).to_have_attribute("data-turn", "5")
    page.goto(f"/g/{host.id}/review?turn=5")
    expect(page.get_by_text(t("replay.turn", number=5, count=6))).to_be_visible()
    assert rows(page) == listed
    current = page.locator('.moves [aria-current="step"]')
    expect(current).to_have_attribute("data-turn", "5")
    record = page.evaluate(
        "async (id) => (await fetch(`/api/games/${id}/record.terra`)).text()", host.id
    )
    page.goto("/settings")
    choose(page, turnTime="none", moveList="notation")
    page.goto("/replay")
    page.get_by_label(t("replay.open.paste")).fill(record)
    page.get_by_role("button", name=t("replay.open.read")).click()
    expect(page.locator(".moves li button")).to_have_count(6)
    assert [row.split()[0] for row in rows(page)] == [row.split()[0] for row in listed]
    page.locator('.moves [data-turn="5"]').click()
    expect(current.locator(".text")).to_have_text(five)
    page.keyboard.press(",")
    page.keyboard.press(",")
    expect(page.locator(".narration p").last).to_have_text(pattern("board.event.resigned"))
    no_review(complaints)


@pytest.mark.slow
def test_a_review_survives_a_rematch_and_a_verdict_without_a_better_turn(
    sit: Sit, complaints: Complaints
) -> None:
    table = sit(nova(["device", "device"]))
    page = table.page
    for _ in range(3):
        page.locator(".bar").wait_for()
        table.turn()
    table.more(t("table.resign")).click()
    page.get_by_role("dialog").get_by_role("button", name=t("table.sure.resign.yes")).click()
    page.get_by_role("link", name=t("table.review")).click()
    page.get_by_role("button", name=t("replay.review")).click()
    review = "async (id) => (await (await fetch(`/api/games/${id}/review`)).json())"
    while page.evaluate(review, table.id).get("status") != "done":
        page.wait_for_timeout(200)
    page.goto(f"/g/{table.id}")
    page.get_by_role("button", name=t("table.rematch")).click()
    page.wait_for_url(lambda url: not url.endswith(table.id))
    page.goto(f"/g/{table.id}/review")
    expect(page.get_by_role("img", name=t("replay.graph"))).to_be_visible()
    expect(page.get_by_role("button", name=t("replay.review"))).to_have_count(0)
    found = page.evaluate(review, table.id)
    assert [turn["number"] for turn in found["turns"]] == [1, 2, 3]

    def without_best(route: Route) -> None:
        first, second, third = found["turns"]
        for turn in (first, second, third):
            turn.pop("best", None)
        first["label"] = second["label"] = "blunder"
        second["best"] = None
        route.fulfill(json={"status": "done", "turns": [first, second, third]})

    page.route("**/api/games/*/review", without_best)
    page.reload()
    page.locator('.moves [data-turn="1"]').click()
    expect(page.get_by_text(t("replay.label.blunder")).first).to_be_visible()
    page.locator('.moves [data-turn="2"]').click()
    expect(page.get_by_text(t("replay.turn", number=2, count=3))).to_be_visible()
    expect(page.get_by_role("button", name=t("coach.show"))).to_have_count(0)
    no_review(complaints)


def test_turns_are_listed_with_icons_in_words_or_in_notation(sit: Sit) -> None:
    table = sit(turrium(["device", "device"], max_rounds=100))
    page = table.page
    table.send_turns(WON[:3])
    row = page.locator('.moves [data-turn="3"] .text')
    expect(row).to_have_text("f5e4d4 → d5 → e5d3 → d4h5 → h4 → g4")
    expect(row.locator("svg")).to_have_count(5)
    for style, text in (
        ("notation", WON[2]),
        ("words", t("board.event.cube-taken", name=t("common.colour.yellow"), cell="f5")),
    ):
        page.goto("/settings")
        page.get_by_label(t("settings.moveList")).select_option(style)
        assert (
            json.loads(page.evaluate("() => localStorage['terrarium.settings']"))["moveList"]
            == style
        )
        page.goto(f"/g/{table.id}")
        expect(row).to_contain_text(text)
