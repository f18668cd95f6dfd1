"""The analysis board: a game with variations, comments, glyphs and drawings, kept, shared and saved with everything."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from terrarium import Record, nova, turrium
from terrarium.core.record import Mark
from tests.server.running import Server
from tests.sizes import mostly_slow
from tests.web import table as tables
from tests.web.conftest import Complaints
from tests.web.screens import _encoded, axe
from tests.web.texts import pattern, t

Visit = Callable[..., Page]
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}
GAMES = {
    "nova": (tables.nova(["device", "device"]), tables.whole_game(pioneers=2, stall_rounds=3)),
    "turrium": (tables.turrium(["device", "device"]), tables.WON[:4]),
}
# A finished opening: two pioneers each, and a turn of each seat.
OPENING = (
    Record(nova.start(nova.Rules(pioneers=2), nova.BOARDS["two-bays"]), seats=("Ada", "Grace"))
    .play("@d9 @f4 @c1 @g9")
    .play("d9-e9 +d9 +d8")
    .play("f4-f7 +e6 +g7")
)


def played(page: Page, server: Server, kind: str) -> str:
    """A game of this browser, played over the API; turns after the end of the game are left out."""
    order, turns = GAMES[kind]
    headers = {"Origin": server.url}
    made = page.request.post("/api/games", data=order, headers=headers).json()
    for turn in turns:
        snapshot = page.request.get(f"/api/games/{made['id']}").json()
        body = {"seq": snapshot["seq"], "actions": turn.split(), "key": f"{snapshot['seq']}"}
        answer = page.request.post(f"/api/games/{made['id']}/turns", data=body, headers=headers)
        assert answer.ok, answer.text()
    if kind == "turrium":
        page.request.post(f"/api/games/{made['id']}/resign", data={"seat": 1}, headers=headers)
    return str(made["id"])


def centre(page: Page, cell: str) -> tuple[float, float]:
    box = page.locator(f'[data-cell="{cell}"]').bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, source: str, target: str, button: Any = "right") -> None:
    """Draws from one cell to another with the mouse."""
    page.mouse.move(*centre(page, source))
    page.mouse.down(button=button)
    page.mouse.move(*centre(page, target), steps=4)
    page.mouse.up(button=button)


def touch_drag(page: Page, source: str, target: str) -> None:
    (x, y), (to_x, to_y) = centre(page, source), centre(page, target)
    session = page.context.new_cdp_session(page)
    middle = ((x + to_x) / 2, (y + to_y) / 2)
    for kind, where in (("Start", (x, y)), ("Move", middle), ("Move", (to_x, to_y)), ("End", None)):
        points = [] if where is None else [{"x": where[0], "y": where[1]}]
        session.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})


def current(page: Page) -> Locator:
    return page.locator('.moves [aria-current="step"]')


def rows(page: Page) -> Locator:
    return page.locator(".moves [data-node]")


def mark(page: Page, name: str) -> Locator:
    return page.locator(f'[data-mark="{name}"]')


def click(page: Page, cell: str) -> None:
    """Clicks a cell, once the page knows the legal actions."""
    page.wait_for_function(
        f"""(cell) => ({tables.OFFERING})(
            document.querySelector(`[data-cell="${{cell}}"]`).getAttribute('aria-label'))""",
        arg=cell,
    )
    page.locator(f'[data-cell="{cell}"]').dispatch_event("click")


def open_record(visit: Visit, record: Record, turn: int | None = None, **options: Any) -> Page:
    where = "" if turn is None else f"?turn={turn}"
    page = visit(f"/analysis{where}#{_encoded(str(record))}", **options)
    page.locator("[data-cell]").first.wait_for()
    return page


def saved(page: Page) -> Record:
    with page.expect_download() as download:
        page.get_by_role("button", name=t("tree.save")).click()
    return Record.parse(Path(download.value.path()).read_text("utf-8"))


@pytest.mark.parametrize("kind", mostly_slow(sorted(GAMES), "nova"))
def test_a_finished_game_is_analysed_saved_and_opened_in_another_browser(
    visit: Visit, server: Server, complaints: Complaints, tmp_path: Path, kind: str
) -> None:
    complaints.expect("404")  # no review was requested yet
    page = visit(None)
    game = played(page, server, kind)
    text = page.request.get(f"/api/games/{game}/record.terra").text()
    whole = Record.parse(text)
    turns = [turn for turn in whole.turns() if turn.number]
    page.goto(f"/g/{game}")
    page.get_by_role("link", name=t("table.review")).click()
    page.get_by_role("button", name=t("table.last")).click()
    page.get_by_role("button", name=t("table.back")).click()
    page.get_by_role("link", name=t("replay.analyse")).click()
    page.wait_for_url(f"**/analysis?id={game}&turn={len(turns) - 1}")
    expect(rows(page).first).to_be_visible()
    main = len(turns) + sum(entry.resigns is not None for entry in whole.line)
    expect(rows(page)).to_have_count(main)

    # Another first turn becomes a variation.
    page.get_by_role("button", name=t("table.first")).click()
    other = [str(action) for action in whole.start.legal_actions()][
        -6 if kind == "turrium" else -1 :
    ]
    for action in other:
        click(page, action[1:])
        page.wait_for_function(tables.ANSWERED)
    variation = page.get_by_role("list", name=t("tree.variation", number=1))
    expect(variation.locator("[data-node]")).to_have_count(1)
    expect(current(page)).to_contain_text(other[-1][1:])
    page.get_by_label(t("tree.comment"), exact=True).fill("why not?")
    page.get_by_role("button", name=t("tree.glyph.5")).click()
    cells = [cell.name for cell in whole.game.layout(whole.start)]
    source, target, only = [cell for cell in cells if f"@{cell}" not in other][:3]
    drag(page, source, target)
    expect(mark(page, f"{source}-{target}")).to_be_visible()
    page.get_by_role("button", name=t("tree.colour.red"), exact=True).click()
    page.mouse.click(*centre(page, only), button="right")
    expect(mark(page, f"-{only}")).to_be_visible()

    record = saved(page)
    first = record.line.entries[0]
    (line,) = first.variations
    said = line.entries[-1]
    assert [entry.text for entry in line.entries] == other
    assert (said.comment, said.glyphs) == ("why not?", (5,))
    assert set(said.marks) == {Mark(target, source), Mark(only, colour="red")}
    assert [entry.text for entry in record.line] == [entry.text for entry in whole.line]
    assert record.outcome == whole.outcome

    file = tmp_path / "analysis.terra"
    file.write_text(str(record), encoding="utf-8")
    friend = visit("/analysis")
    friend.locator("[data-cell]").first.wait_for()
    friend.get_by_text(t("tree.open")).click()
    friend.locator('input[type="file"]').set_input_files(file)
    expect(rows(friend)).to_have_count(main + 1)
    expect(friend.get_by_text("why not?")).to_be_visible()
    friend.get_by_role("list", name=t("tree.variation", number=1)).locator("[data-node]").click()
    expect(mark(friend, f"{source}-{target}")).to_be_visible()
    expect(mark(friend, f"-{only}")).to_be_visible()
    expect(friend.get_by_role("button", name=t("tree.glyph.5"), exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    assert saved(friend) == record


def test_the_engines_line_and_a_threat_are_added_by_a_click(visit: Visit) -> None:
    page = open_record(visit, OPENING, 5)
    expect(rows(page)).to_have_count(6)
    page.get_by_role("switch", name=t("replay.engine")).check()
    insert = page.get_by_role("button", name=t("tree.insert")).first
    insert.click()
    variation = page.get_by_role("list", name=t("tree.variation", number=6))
    expect(variation.locator("[data-node]").nth(1)).to_be_visible()
    page.get_by_role("button", name=t("table.back")).click()
    page.get_by_role("button", name=t("tree.threat.of", name="Ada")).click()
    expect(current(page)).to_contain_text(t("tree.null"))
    expect(page.get_by_role("button", name=t("tree.threat.of", name="Grace"))).to_be_visible()
    expect(page.locator(".lines li").first).to_be_visible()
    page.get_by_role("button", name=t("replay.analysis.play")).first.click()
    expect(current(page)).to_have_attribute("data-turn", "7")
    page.get_by_role("switch", name=t("replay.engine")).uncheck()
    record = saved(page)
    engine, threat = record.line.entries[-3].variations
    assert len(engine.entries) > 3
    assert any(entry.evaluation is not None for entry in engine.entries)
    assert threat.entries[0].text == "null:0"
    assert len(threat.entries) == 4


def test_no_threat_is_shown_while_pieces_are_set_up(visit: Visit) -> None:
    page = open_record(visit, OPENING, 2)
    expect(page.get_by_role("button", name=t("tree.threat"))).to_be_disabled()


def test_every_step_is_undone_and_redone(visit: Visit) -> None:
    page = open_record(visit, OPENING, 3)
    undo = page.get_by_role("button", name=t("tree.undo"))
    expect(undo).to_be_disabled()
    click(page, "h8")
    variation = page.get_by_role("list", name=t("tree.variation", number=4))
    expect(variation.locator("[data-node]")).to_have_count(1)
    expect(current(page)).to_contain_text("h8")
    page.get_by_role("button", name=t("tree.promote")).click()
    expect(
        page.get_by_role("list", name=t("tree.variation", number=4)).locator("[data-node]")
    ).to_have_count(3)
    page.get_by_role("button", name=t("tree.remove")).click()
    expect(rows(page)).to_have_count(6)
    page.keyboard.press("Control+z")
    expect(rows(page)).to_have_count(7)
    page.keyboard.press("Control+z")
    expect(variation.locator("[data-node]")).to_have_count(1)
    undo.click()
    expect(rows(page)).to_have_count(6)
    expect(undo).to_be_disabled()
    page.keyboard.press("Control+Shift+z")
    expect(rows(page)).to_have_count(7)
    page.get_by_role("button", name=t("tree.redo")).click()
    expect(
        page.get_by_role("list", name=t("tree.variation", number=4)).locator("[data-node]")
    ).to_have_count(3)


def test_work_is_kept_across_a_reload_until_it_is_discarded(visit: Visit) -> None:
    page = open_record(visit, OPENING, 3)
    expect(page.get_by_text(t("tree.kept"))).not_to_be_attached()
    click(page, "h8")
    expect(current(page)).to_contain_text("h8")
    page.get_by_label(t("tree.comment"), exact=True).fill("kept")
    drag(page, "h8", "g9")
    page.reload()
    expect(current(page)).to_contain_text("h8")
    expect(page.get_by_label(t("tree.comment"), exact=True)).to_have_value("kept")
    expect(mark(page, "h8-g9")).to_be_visible()
    page.goto("/analysis")  # without naming one: the last one opens
    expect(current(page)).to_contain_text("h8")
    page.get_by_role("button", name=t("tree.discard")).click()
    expect(rows(page)).to_have_count(6)
    expect(page.get_by_text(t("tree.kept"))).not_to_be_attached()
    page.keyboard.press("Control+z")
    expect(rows(page)).to_have_count(7)
    expect(mark(page, "h8-g9")).to_be_visible()
    page.get_by_role("button", name=t("tree.discard")).click()
    expect(rows(page)).to_have_count(6)
    page.reload()
    expect(rows(page)).to_have_count(6)
    expect(page.get_by_text("kept", exact=True)).not_to_be_attached()


def test_two_tabs_of_one_analysis_see_each_others_changes(visit: Visit) -> None:
    first = open_record(visit, OPENING, 3)
    second = first.context.new_page()
    second.goto(first.url)
    expect(rows(second)).to_have_count(6)
    click(first, "h8")
    expect(current(first)).to_contain_text("h8")
    first.get_by_label(t("tree.comment"), exact=True).fill("from the first")
    expect(rows(second)).to_have_count(7)
    expect(second.get_by_text("from the first")).to_be_visible()
    rows(second).first.click()
    second.get_by_label(t("tree.comment"), exact=True).fill("from the second")
    expect(first.get_by_text("from the second")).to_be_visible()
    expect(first.get_by_label(t("tree.comment"), exact=True)).to_have_value("from the first")
    # Both play at the same node: nothing is lost.
    for page, cell in ((first, "h10"), (second, "i8")):
        rows(page).nth(2).click()
        page.wait_for_function(tables.ANSWERED)
        click(page, cell)
    for page in (first, second):
        expect(rows(page)).to_have_count(9)
    assert saved(first) == saved(second)


@pytest.mark.slow
def test_a_tab_that_is_still_opening_misses_nothing(visit: Visit) -> None:
    first = open_record(visit, OPENING, 3)
    second = first.context.new_page()
    held: list[Route] = []
    second.route("**/api/records/tree", lambda route: held.append(route), times=1)
    with second.expect_request("**/api/records/tree"):
        second.goto(first.url)
    click(first, "h8")
    expect(current(first)).to_contain_text("h8")
    first.get_by_label(t("tree.comment"), exact=True).fill("meanwhile")
    held[0].continue_()
    expect(second.get_by_text("meanwhile")).to_be_visible()
    rows(second).first.click()
    second.get_by_label(t("tree.comment"), exact=True).fill("from the second")
    expect(first.get_by_text("from the second")).to_be_visible()
    for page in (first, second):
        expect(rows(page)).to_have_count(7)
    assert saved(first) == saved(second)


def test_a_finger_draws_in_drawing_mode_and_plays_otherwise(visit: Visit) -> None:
    page = open_record(visit, OPENING, 3, **PHONE)
    page.get_by_role("button", name=t("tree.draw"), exact=True).tap()
    page.locator("[role=grid]").scroll_into_view_if_needed()
    page.evaluate("() => scrollTo(0, 0)")
    touch_drag(page, "h8", "g9")
    expect(mark(page, "h8-g9")).to_be_visible()
    page.touchscreen.tap(*centre(page, "i8"))
    expect(mark(page, "-i8")).to_be_visible()
    page.touchscreen.tap(*centre(page, "i8"))
    expect(mark(page, "-i8")).not_to_be_attached()
    expect(rows(page)).to_have_count(6)
    page.get_by_role("button", name=t("tree.draw"), exact=True).tap()
    page.evaluate("() => scrollTo(0, 0)")
    for _ in range(2):  # preview, then place
        page.touchscreen.tap(*centre(page, "h7"))
    expect(rows(page)).to_have_count(7)
    expect(mark(page, "h8-g9")).not_to_be_attached()
    rows(page).nth(2).tap()
    expect(mark(page, "h8-g9")).to_be_visible()


def test_everything_can_be_done_with_the_keyboard(visit: Visit) -> None:
    page = open_record(visit, OPENING, 3)
    told = page.locator('[role="status"][aria-live="polite"]')
    page.locator('[data-cell="h8"]').focus()
    page.keyboard.press("d")
    expect(told).to_have_text(t("tree.pen.begun", cell="h8"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("d")
    drawn = t("tree.arrow", source="h8", target="h9", colour=t("tree.colour.green"))
    expect(told).to_have_text(drawn)
    expect(mark(page, "h8-h9")).to_be_visible()
    expect(page.locator('[data-cell="h8"]')).to_have_attribute(
        "aria-label", re.compile(re.escape(drawn))
    )
    page.keyboard.press("d")
    page.keyboard.press("d")
    expect(mark(page, "-h9")).to_be_visible()
    page.keyboard.press("d")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Escape")
    expect(told).to_contain_text(t("tree.pen.dropped"))
    expect(page.locator("[data-mark]")).to_have_count(2)
    page.keyboard.press("Enter")
    expect(current(page)).to_contain_text("h8")
    page.keyboard.press(",")
    expect(current(page)).to_have_attribute("data-turn", "3")
    page.keyboard.press(".")
    expect(current(page)).to_contain_text("h8")
    page.keyboard.press("Shift+ArrowUp")
    expect(current(page)).to_contain_text("g9")
    page.keyboard.press("Shift+ArrowDown")
    expect(current(page)).to_contain_text("h8")
    page.get_by_label(t("tree.comment"), exact=True).focus()
    page.keyboard.type("by hand")
    page.get_by_role("button", name=t("tree.glyph.3")).focus()
    page.keyboard.press("Enter")
    expect(current(page)).to_contain_text(t("tree.glyph.3"))
    fold = page.get_by_role("button", name=t("tree.variations", count=1, number=4))
    rows(page).first.focus()
    page.keyboard.press("Enter")
    fold.focus()
    page.keyboard.press("Enter")
    expect(fold).to_have_attribute("aria-expanded", "false")
    expect(rows(page)).to_have_count(6)
    page.keyboard.press("Control+z")  # undoes the glyph; the page shows its node
    expect(rows(page)).to_have_count(7)
    expect(page.get_by_text("by hand", exact=True).first).to_be_visible()


@pytest.mark.parametrize("options", [{}, PHONE, {"color_scheme": "dark"}])
def test_axe_finds_no_faults_in_an_analysis(visit: Visit, options: dict[str, Any]) -> None:
    other = str(OPENING.node((3,)).position.legal_actions()[0])
    record = OPENING.vary(4, other, "or").annotate(6, comment="so", glyphs=(2,))
    page = open_record(
        visit, record.annotate(6, marks=(Mark("e9"), Mark("e9", "d9", "blue"))), 5, **options
    )
    expect(mark(page, "-e9")).to_be_visible()
    expect(page.get_by_role("list", name=t("tree.variation", number=5))).to_be_visible()
    page.get_by_text(t("tree.open")).click()
    page.get_by_text(t("position.text")).first.click()
    assert axe(page) == []


def test_the_link_to_an_analysis_contains_all_of_it(visit: Visit) -> None:
    page = open_record(visit, OPENING, 5)
    page.get_by_label(t("tree.comment"), exact=True).fill("shared")
    page.get_by_role("button", name=t("tree.link")).click()
    link = page.locator('[data-copy*="#"]').get_attribute("data-copy")
    assert link is not None
    friend = visit(link[link.index("/analysis") :])
    expect(friend.get_by_text("shared")).to_be_visible()
    cut = visit(link[link.index("/analysis") : -40])
    expect(cut.get_by_text(t("replay.open.link"))).to_be_visible()


# Too long for a link.
LONG = OPENING.annotate(
    0, comment=" ".join(f"{number * number * 7919 % 99_991:x}" for number in range(4_000))
)


def test_a_file_that_is_too_long_for_a_link_is_analysed_and_kept(visit: Visit) -> None:
    page = visit("/replay")
    page.get_by_label(t("replay.open.paste")).fill(str(LONG))
    page.get_by_role("button", name=t("replay.open.read")).click()
    page.get_by_role("button", name=t("table.next")).click()
    page.get_by_role("button", name=t("replay.analyse")).click()
    expect(rows(page)).to_have_count(6)
    expect(current(page)).to_have_attribute("data-turn", "1")
    page.reload()
    expect(rows(page)).to_have_count(6)


def test_a_second_long_file_is_opened_beside_the_first(visit: Visit, tmp_path: Path) -> None:
    page = visit("/analysis?game=nova")
    addresses = []
    for name, comment in (("first", "about the first"), ("second", "about the second")):
        file = tmp_path / f"{name}.terra"
        file.write_text(str(LONG.annotate(6, comment=comment)), encoding="utf-8")
        page.locator("[data-cell]").first.wait_for()
        page.get_by_text(t("tree.open")).click()
        page.locator('input[type="file"]').set_input_files(file)
        expect(page.locator(".moves").get_by_text(comment)).to_be_visible()
        addresses.append(page.url)
    assert addresses[0] != addresses[1]
    # Both are kept, in another tab too.
    other = page.context.new_page()
    other.goto(addresses[0])
    expect(other.locator(".moves").get_by_text("about the first")).to_be_visible()
    page.reload()
    expect(page.locator(".moves").get_by_text("about the second")).to_be_visible()
    friend = visit(addresses[0][addresses[0].index("/analysis") :])
    expect(friend.get_by_text(t("tree.gone"))).to_be_visible()
    friend.get_by_role("button", name=t("replay.analysis.fresh")).click()
    expect(friend.locator("[data-cell]").first).to_be_visible()


def test_work_that_the_server_refuses_is_downloaded_opened_and_discarded(
    visit: Visit, complaints: Complaints
) -> None:
    complaints.expect("422")
    page = open_record(visit, OPENING, 3)
    page.get_by_label(t("tree.comment"), exact=True).fill("not lost")
    key = "Object.keys(localStorage).find((key) => key.startsWith('terrarium.analysis.'))"
    page.wait_for_function(f"() => localStorage.getItem({key})?.includes('not lost')")
    address = page.url
    page.goto("/learn")
    page.evaluate(
        f"() => {{ const key = {key};"
        " localStorage.setItem(key, localStorage.getItem(key).replace('d9-e9', 'd9-d9')) }"
    )
    page.goto(address)
    expect(page.get_by_role("heading", name=t("tree.refused"))).to_be_visible()
    assert axe(page) == []
    with page.expect_download() as download:
        page.get_by_role("button", name=t("tree.refused.save")).click()
    file = Path(download.value.path())
    assert "not lost" in file.read_text("utf-8")
    page.goto("/analysis?game=nova")
    page.get_by_text(t("tree.open")).click()
    cut = file.with_suffix(".json")
    cut.write_text(file.read_text("utf-8")[:-50], encoding="utf-8")
    page.locator('input[type="file"]').set_input_files(cut)
    expect(page.get_by_text(t("tree.damaged"))).to_be_visible()
    page.locator('input[type="file"]').set_input_files(file)
    expect(page.locator(".moves").get_by_text("not lost")).to_be_visible()
    expect(page.get_by_text(t("tree.omitted", count=2))).to_be_visible()
    expect(rows(page)).to_have_count(4)
    page.goto(address)
    page.get_by_role("button", name=t("tree.refused.open")).click()
    expect(rows(page)).to_have_count(4)
    page.goto(address)
    page.get_by_role("button", name=t("tree.refused.discard")).click()
    expect(rows(page)).to_have_count(6)
    expect(page.get_by_text(t("tree.kept"))).not_to_be_attached()


def test_a_game_that_went_on_is_shown_with_its_new_turns_and_the_work_on_it(
    visit: Visit, server: Server
) -> None:
    page = visit(None)
    order = tables.nova(["device", "device"], pioneers=3) | {"board": "two-bays"}
    headers = {"Origin": server.url}
    made = page.request.post("/api/games", data=order, headers=headers).json()

    def play(*turns: str) -> None:
        for turn in turns:
            seq = page.request.get(f"/api/games/{made['id']}").json()["seq"]
            body = {"seq": seq, "actions": [turn], "key": turn}
            answer = page.request.post(f"/api/games/{made['id']}/turns", data=body, headers=headers)
            assert answer.ok, answer.text()

    play("@d9", "@f4")
    page.goto(f"/analysis?id={made['id']}&turn=2")
    page.locator("[data-cell]").first.wait_for()
    click(page, "c1")
    expect(current(page)).to_contain_text("c1")
    page.get_by_label(t("tree.comment"), exact=True).fill("my idea")
    play("@e7", "@e8")
    page.goto("/learn")
    page.goto(f"/analysis?id={made['id']}")
    expect(page.get_by_text(t("tree.grown", count=2))).to_be_visible()
    expect(rows(page)).to_have_count(5)
    expect(page.locator('[data-turn="4"]')).to_contain_text("e8")
    beside = page.get_by_role("list", name=t("tree.variation", number=3))
    expect(beside).to_contain_text("my idea")


def test_an_analysis_that_failed_to_open_can_be_opened_again(
    visit: Visit, complaints: Complaints
) -> None:
    complaints.expect("503")
    page = visit(None)
    page.route("**/api/records/tree", lambda route: route.fulfill(status=503), times=1)
    page.goto("/analysis")
    page.get_by_role("button", name=t("replay.analysis.fresh")).click()
    expect(page.locator("[data-cell]").first).to_be_visible()


def test_in_a_record_with_four_seats_the_threat_is_that_of_the_seat_that_moved(
    visit: Visit,
) -> None:
    position = turrium.start(turrium.Rules(players=4))
    while position.phase == "flags":
        position = position.play(position.legal_actions()[0])
    turn: list[str] = []
    before = position
    while not turn or not position.at_turn_start:
        action = position.legal_actions()[-1]
        turn.append(str(action))
        position = position.play(action)
    page = open_record(visit, Record(before, seats=("a", "b", "c", "d")).play(turn), 1)
    mover = "abcd"[before.to_move or 0]
    page.get_by_role("button", name=t("tree.threat.of", name=mover)).click()
    expect(current(page)).to_contain_text(t("tree.null"))
    expect(page.get_by_role("button", name=pattern("tree.threat.of"))).to_be_visible()
    page.get_by_role("switch", name=t("replay.engine")).uncheck()
    assert saved(page).line.entries[-1].text == f"null:{before.to_move}"
