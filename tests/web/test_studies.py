"""Studies: chapters are created, edited by several browsers at once, shared, read, solved as lessons, copied and exported."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from terrarium import Record
from tests.server.running import Server
from tests.site.conftest import Host
from tests.web import table as tables
from tests.web.conftest import Complaints
from tests.web.screens import RECORD, axe
from tests.web.test_analysis_tree import PHONE, centre, click, current, drag, mark, rows
from tests.web.texts import t

Visit = Callable[..., Page]

HEAD = RECORD.split("\n\n")[0]
# The reader must find the first and the third placement; a wrong first placement has an answer.
LESSON = f"""{HEAD}

{{Four pioneers are to be placed.}}
1. @d9 {{The centre.}} (1. @c1 {{Too far away.}} 2. @d9 {{Red takes the centre.}})
2. @f4 {{Red goes west.}} 3. @c1 {{Well done.}}
*
"""


def study(page: Page, server: Server, *chapters: dict[str, Any], name: str = "Openings") -> str:
    """A study of this browser, made over the API."""
    found = chapters or ({"name": "First", "source": {"text": RECORD}},)
    body = {"name": name, "chapters": list(found)}
    answer = page.request.post("/api/studies", data=body, headers={"Origin": server.url})
    assert answer.ok, answer.text()
    return str(answer.json()["id"])


def show(page: Page, server: Server, id: str) -> None:
    """Let everybody with the link read a study."""
    page.request.patch(
        f"/api/studies/{id}", data={"visibility": "link"}, headers={"Origin": server.url}
    )


def edit_link(page: Page, server: Server, id: str) -> str:
    headers = {"Origin": server.url}
    answer = page.request.post(f"/api/studies/{id}/edit-link", data={}, headers=headers)
    return f"/study/{id}#edit={answer.json()['secret']}"


def opened(page: Page, address: str) -> Page:
    page.goto(address)
    page.locator("[data-cell]").first.wait_for()
    return page


def text(page: Page, words: str) -> Locator:
    """Text on the screen, without announcements for screen readers."""
    return page.locator("#main").get_by_text(words)


def state(page: Page, name: str) -> None:
    expect(page.locator("[data-state]")).to_have_attribute("data-state", name)


def comment(page: Page) -> Locator:
    return page.locator("#comment")


def chapters(page: Page) -> Locator:
    return page.get_by_role("navigation", name=t("studies.chapters")).get_by_role("listitem")


def menu(page: Page, entry: str) -> None:
    page.get_by_role("button", name=t("studies.menu")).click()
    page.get_by_text(t(entry), exact=True).click()


def shown(page: Page) -> str:
    """The turns with their annotations."""
    return page.locator(".moves").inner_text()


def exported(page: Page, entry: str = "studies.export.chapter") -> str:
    with page.expect_download() as download:
        menu(page, entry)
    return Path(download.value.path()).read_text("utf-8")


def test_an_import_ends_when_its_dialog_is_closed_and_leaves_nothing(visit: Visit) -> None:
    page = visit("/studies")
    page.get_by_role("button", name=t("studies.new")).click()
    page.get_by_label(t("studies.name")).fill("My openings")
    page.get_by_role("button", name=t("studies.create")).click()
    page.wait_for_url("**/study/*/*")
    address = page.url
    study = address.split("/study/")[1].split("/")[0]
    held: list[Route] = []

    def hold_second(route: Route) -> None:
        if held or "(2)" in (route.request.post_data or ""):
            held.append(route)
        else:
            route.continue_()

    page.route("**/chapters", hold_second)
    page.get_by_role("button", name=t("studies.chapter.add")).click()
    page.get_by_label(t("studies.from.paste")).check()
    page.get_by_role("textbox", name=t("studies.from.paste")).fill(f"{RECORD}\n\n" * 3)
    page.get_by_role("button", name=t("studies.add"), exact=True).click()
    expect(
        page.get_by_role("status").get_by_text(t("studies.sent", sent=1, count=3))
    ).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    with page.expect_response(f"**/studies/{study}/changes"):
        held[0].continue_()
    expect(chapters(page)).to_have_count(1)
    shown = page.request.get(f"/api/studies/{study}").json()["chapters"]
    assert (len(shown), len(held), page.url) == (1, 1, address)


def test_a_study_is_made_and_its_chapters_are_added_renamed_moved_and_removed(visit: Visit) -> None:
    page = visit("/studies")
    expect(page.get_by_text(t("studies.empty"))).to_be_visible()
    assert axe(page) == []
    page.get_by_role("button", name=t("studies.new")).click()
    page.get_by_label(t("studies.name")).fill("My openings")
    assert axe(page) == []
    page.get_by_role("button", name=t("studies.create")).click()
    page.wait_for_url("**/study/*/*")
    expect(page.get_by_role("heading", name="My openings", exact=True)).to_be_visible()
    expect(chapters(page)).to_contain_text([t("studies.chapter.unnamed", place=1)])

    page.get_by_role("button", name=t("studies.chapter.add")).click()
    page.get_by_label(t("studies.chapter.name")).fill("A game")
    page.get_by_label(t("studies.from.paste")).check()
    page.get_by_role("textbox", name=t("studies.from.paste")).fill(RECORD)
    page.get_by_role("button", name=t("studies.add"), exact=True).click()
    expect(chapters(page)).to_have_count(2)
    expect(rows(page)).to_have_count(6)

    page.get_by_role("button", name=t("studies.chapter.rename")).click()
    page.get_by_role("textbox", name=t("studies.chapter.name")).fill("Two bays")
    page.keyboard.press("Enter")
    expect(chapters(page).nth(1)).to_contain_text("Two bays")
    page.get_by_role("button", name=t("studies.chapter.up")).click()
    expect(chapters(page).nth(0)).to_contain_text("Two bays")
    state(page, "saved")
    page.reload()
    expect(chapters(page).nth(0)).to_contain_text("Two bays")

    page.get_by_role("button", name=t("studies.chapter.remove")).click()
    expect(chapters(page)).to_have_count(1)
    expect(rows(page)).to_have_count(0)
    page.get_by_role("button", name=t("studies.undo"), exact=True).click()
    expect(chapters(page)).to_have_count(2)
    assert axe(page) == []
    page.goto("/studies")
    expect(page.get_by_role("link", name="My openings")).to_contain_text(
        t("studies.count", count=2)
    )


@pytest.mark.parametrize("hand", ["touch", "keyboard"])
def test_a_study_is_made_edited_and_shared_without_a_mouse(visit: Visit, hand: str) -> None:
    page = visit("/studies", **(PHONE if hand == "touch" else {}))

    def press(name: str, role: Any = "button") -> None:
        found = page.get_by_role(role, name=re.compile(rf"^(\+ )?{re.escape(t(name))}$"))
        if hand == "touch":
            found.tap()
        else:
            found.press("Enter" if role == "button" else "Space")

    press("studies.new")
    name = page.get_by_label(t("studies.name"))
    expect(name).to_be_focused()
    page.keyboard.type("By hand")
    press("studies.create")
    page.wait_for_url("**/study/*/*")
    press("studies.chapter.add")
    press("studies.from.paste", "radio")
    page.get_by_role("textbox", name=t("studies.from.paste")).fill(RECORD.rsplit(" 4. ", 1)[0])
    press("studies.add")
    expect(rows(page)).to_have_count(3)
    if hand == "touch":
        rows(page).last.tap()
        by_touch(page, "g9")
    else:
        page.keyboard.press("End")
        expect(current(page)).to_contain_text("c1")
        by_keyboard(page, "g9")
    expect(rows(page)).to_have_count(4)
    comment(page).focus()
    page.keyboard.type("Far from the others.")
    state(page, "saved")
    assert "Far from the others." in shown(page)
    press("studies.chapter.up")
    expect(page.get_by_role("button", name=t("studies.chapter.up"))).to_be_disabled()
    press("studies.share")
    press("studies.edit.make")
    link = str(page.get_by_role("button", name=t("studies.edit.copy")).get_attribute("data-copy"))
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name=t("studies.share"), exact=True)).to_be_focused()
    friend = opened(visit(None), link)
    expect(friend.get_by_text("Far from the others.")).to_be_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert axe(page) == []


def test_two_browsers_edit_one_study_and_one_that_was_offline_loses_nothing(
    visit: Visit, server: Server, complaints: Complaints
) -> None:
    complaints.expect("ERR_INTERNET_DISCONNECTED", "WebSocket")
    first = visit(None)
    id = study(first, server)
    opened(first, f"/study/{id}")
    second = opened(visit(None), edit_link(first, server, id))
    expect(second).not_to_have_url(re.compile("edit="))
    expect(first.get_by_text(t("studies.people", editors=2, readers=0))).to_be_visible()

    # A turn, a comment and a mark appear on the other side.
    rows(first).nth(2).click()
    rows(second).nth(4).click()
    first.wait_for_function(tables.ANSWERED)
    click(first, "h8")
    expect(current(first)).to_contain_text("h8")
    comment(first).fill("from the first")
    drag(second, "h8", "g9")
    expect(rows(second)).to_have_count(7)
    expect(second.get_by_text("from the first")).to_be_visible()
    rows(first).filter(has_text="e9").first.click()
    expect(mark(first, "h8-g9")).to_be_visible()

    # Without a connection, changes are kept, and nobody else sees them.
    second.context.set_offline(True)
    state(second, "offline")
    rows(second).nth(0).click()
    comment(second).fill("written offline")
    second.get_by_role("button", name=t("tree.glyph.3")).click()
    rows(second).nth(1).click()
    second.get_by_role("button", name=t("tree.glyph.2")).click()
    second.get_by_role("button", name=t("studies.rename")).click()
    second.get_by_role("textbox", name=t("studies.name")).fill("Renamed offline")
    second.keyboard.press("Enter")
    rows(first).nth(1).click()
    comment(first).fill("written meanwhile")
    rows(first).nth(0).click()
    first.wait_for_function(tables.ANSWERED)
    click(first, "i8")
    expect(rows(first)).to_have_count(8)
    state(first, "saved")
    expect(first.get_by_text("written offline")).not_to_be_attached()

    second.context.set_offline(False)
    state(second, "saved")
    for page in (first, second):
        expect(page.get_by_role("heading", name="Renamed offline", exact=True)).to_be_visible()
        expect(rows(page)).to_have_count(8)
        expect(page.get_by_text("written meanwhile").first).to_be_visible()
        expect(page.get_by_text("written offline").first).to_be_visible()
        expect(page.locator(".glyph")).to_have_count(2)
    assert shown(first) == shown(second)


def test_what_was_written_without_a_connection_survives_a_reload(
    visit: Visit, server: Server, complaints: Complaints
) -> None:
    complaints.expect("ERR_FAILED", "ERR_INTERNET_DISCONNECTED")
    page = visit(None)
    id = study(page, server)
    opened(page, f"/study/{id}")
    page.route(f"**/api/studies/{id}/changes", lambda route: route.abort())
    rows(page).first.click()
    comment(page).fill("not sent yet")
    state(page, "offline")
    page.reload()
    rows(page).first.click()
    expect(comment(page)).to_have_value("not sent yet")
    page.unroute(f"**/api/studies/{id}/changes")
    state(page, "saved")
    assert "not sent yet" in page.request.get(f"/api/studies/{id}/terra").text()


def test_two_browsers_that_type_at_different_turns_end_with_both_texts(
    visit: Visit, server: Server
) -> None:
    first = visit(None)
    id = study(first, server)
    opened(first, f"/study/{id}")
    second = opened(visit(None), edit_link(first, server, id))
    rows(first).nth(0).click()
    rows(second).nth(1).click()
    for letters in ("We ", "both ", "type."):
        for page in (first, second):
            comment(page).press_sequentially(letters)
    for page in (first, second):
        expect(page.locator(".moves .comment")).to_have_text(["We both type."] * 2)
        expect(comment(page)).to_have_value("We both type.")


@pytest.mark.slow
def test_a_private_study_is_refused_and_a_reader_sees_everything_but_cannot_edit(
    visit: Visit, server: Server, complaints: Complaints
) -> None:
    complaints.expect("404")
    owner = visit(None)
    id = study(owner, server, {"name": "First", "source": {"text": LESSON}})
    opened(owner, f"/study/{id}")
    stranger = visit(f"/study/{id}")
    expect(stranger.get_by_role("heading", name=t("studies.none"))).to_be_visible()

    owner.get_by_role("button", name=t("studies.share"), exact=True).click()
    owner.get_by_label(t("studies.seen.link"), exact=False).check()
    link = owner.get_by_role("button", name=t("studies.link"), exact=True)
    address = str(link.get_attribute("data-copy"))
    assert axe(owner) == []
    owner.keyboard.press("Escape")

    opened(stranger, address)
    expect(rows(stranger)).to_have_count(5)
    expect(stranger.get_by_text("Too far away.")).to_be_visible()
    expect(comment(stranger)).not_to_be_attached()
    for name in ("studies.rename", "studies.chapter.add", "studies.chapter.remove", "tree.undo"):
        expect(stranger.get_by_role("button", name=t(name))).not_to_be_attached()
    stranger.locator('[data-cell="h8"]').dispatch_event("click")
    stranger.keyboard.press("Control+z")
    assert axe(stranger) == []

    # A reader follows what the owner does, without a reload.
    rows(owner).first.click()
    comment(owner).fill("new for readers")
    expect(stranger.get_by_text("new for readers")).to_be_visible()
    expect(rows(stranger)).to_have_count(5)
    state(owner, "saved")
    saved = exported(stranger)
    assert "new for readers" in saved
    assert Record.parse(saved)

    menu(stranger, "studies.copy")
    stranger.wait_for_url(lambda url: id not in url)
    expect(comment(stranger)).to_be_visible()
    rows(stranger).first.click()
    comment(stranger).fill("in the copy")
    state(stranger, "saved")
    expect(owner.get_by_text("new for readers").first).to_be_visible()
    assert "in the copy" not in exported(owner)

    opened(stranger, address)
    menu(owner, "studies.delete")
    owner.get_by_role("dialog").get_by_role("button", name=t("studies.delete")).click()
    owner.wait_for_url("**/studies")
    expect(stranger.get_by_role("heading", name=t("studies.gone"))).to_be_visible()


def test_the_owner_gives_and_takes_the_right_to_edit(visit: Visit, server: Server) -> None:
    owner = visit(None)
    id = study(owner, server)
    show(owner, server, id)
    opened(owner, f"/study/{id}")
    owner.get_by_role("button", name=t("studies.share"), exact=True).click()
    owner.get_by_role("button", name=t("studies.edit.make")).click()
    link = owner.get_by_role("button", name=t("studies.edit.copy")).get_attribute("data-copy")
    editor = opened(visit(None), str(link))
    rows(editor).first.click()
    comment(editor).fill("by the editor")
    expect(owner.get_by_text("by the editor")).to_be_visible()
    expect(owner.get_by_text(t("studies.editors", count=1))).to_be_visible()
    owner.get_by_role("button", name=t("studies.editors.remove")).click()
    expect(comment(editor)).not_to_be_attached()
    expect(editor.get_by_text("by the editor")).to_be_visible()


def lesson(page: Page, server: Server) -> str:
    """A study with a lesson, and a chapter after it."""
    task = {"goal": "Place your pioneers well.", "hint": "Look at the centre."}
    id = study(
        page,
        server,
        {"name": "Lesson", "source": {"text": LESSON}, **task},
        {"name": "After it", "source": {"text": RECORD}},
    )
    show(page, server, id)
    return id


def by_mouse(page: Page, cell: str) -> None:
    click(page, cell)


def wait_until_offered(page: Page, cell: str) -> None:
    """Wait until the board shows that something can be done in a cell: just after a move in the list it still shows the position before."""
    page.wait_for_function(tables.ANSWERED)
    page.wait_for_function(
        f"""cell => ({tables.OFFERING})(
            document.querySelector(`[data-cell="${{cell}}"]`).getAttribute('aria-label'))""",
        arg=cell,
    )


def by_keyboard(page: Page, cell: str) -> None:
    wait_until_offered(page, cell)
    page.keyboard.press("b")
    page.locator(f'[data-cell="{cell}"]').focus()
    page.keyboard.press("Enter")


def by_touch(page: Page, cell: str) -> None:
    wait_until_offered(page, cell)
    page.locator(f'[data-cell="{cell}"]').scroll_into_view_if_needed()
    for _ in range(2):
        page.touchscreen.tap(*centre(page, cell))


@pytest.mark.parametrize(
    ("play", "options"),
    [
        (by_mouse, {}),
        pytest.param(by_keyboard, {}, marks=pytest.mark.slow),
        pytest.param(by_touch, PHONE, marks=pytest.mark.slow),
    ],
    ids=["mouse", "keyboard", "touch"],
)
def test_a_lesson_is_solved_with_answers_to_right_and_wrong_tries(
    visit: Visit, server: Server, play: Callable[[Page, str], None], options: dict[str, Any]
) -> None:
    author = visit(None)
    page = opened(visit(None, **options), f"/study/{lesson(author, server)}")
    expect(text(page, "Place your pioneers well.")).to_be_visible()
    expect(text(page, "Four pioneers are to be placed.")).to_be_visible()
    expect(text(page, "The centre.")).not_to_be_attached()
    expect(rows(page)).to_have_count(0)
    page.get_by_role("button", name=t("studies.lesson.hint")).click()
    expect(text(page, "Look at the centre.")).to_be_visible()
    assert axe(page) == []

    play(page, "c1")  # a variation that the author added
    expect(text(page, t("studies.lesson.wrong"))).to_be_visible()
    expect(text(page, "Red takes the centre.")).to_be_visible()
    again = page.get_by_role("button", name=t("studies.lesson.again"))
    expect(again).to_be_focused()
    page.keyboard.press("Enter")
    play(page, "h8")  # a turn without a variation
    expect(text(page, t("studies.lesson.wrong"))).to_be_visible()
    expect(text(page, "Red takes the centre.")).not_to_be_attached()
    again.click()
    play(page, "d9")
    expect(text(page, "Red goes west.")).to_be_visible()
    expect(text(page, t("studies.lesson.right"))).to_be_visible()
    play(page, "c1")
    expect(text(page, t("studies.lesson.done"))).to_be_visible()
    expect(text(page, "Well done.")).to_be_visible()
    assert axe(page) == []
    page.get_by_role("link", name=t("studies.lesson.next")).press("Enter")
    expect(rows(page)).to_have_count(6)


def test_the_solution_of_a_lesson_is_shown_and_read(visit: Visit, server: Server) -> None:
    author = visit(None)
    page = opened(visit(None), f"/study/{lesson(author, server)}")
    page.get_by_role("button", name=t("studies.lesson.show")).click()
    expect(text(page, t("studies.lesson.solution"))).to_be_visible()
    expect(text(page, "Well done.")).to_be_visible()
    page.get_by_role("button", name=t("studies.lesson.turns")).click()
    expect(rows(page)).to_have_count(5)
    page.get_by_role("button", name=t("studies.lesson.back")).click()
    expect(page.get_by_role("button", name=t("studies.lesson.show"))).to_be_visible()


@pytest.mark.slow
def test_an_author_makes_a_chapter_a_lesson_and_tries_it(visit: Visit, server: Server) -> None:
    author = visit(None)
    id = study(author, server, {"name": "To be", "source": {"text": LESSON}})
    show(author, server, id)
    reader = opened(visit(None), f"/study/{id}")
    expect(rows(reader)).to_have_count(5)
    opened(author, f"/study/{id}")
    author.get_by_text(t("studies.lesson"), exact=True).click()
    author.get_by_label(t("studies.goal"), exact=True).fill("Find the best place.")
    author.get_by_label(t("studies.hint"), exact=True).fill("In the middle.")
    expect(reader.get_by_text("Find the best place.")).to_be_visible()
    author.get_by_role("button", name=t("studies.lesson.try")).click()
    click(author, "d9")
    expect(text(author, "Red goes west.")).to_be_visible()
    author.get_by_role("button", name=t("studies.lesson.edit")).click()
    expect(rows(author)).to_have_count(5)
    expect(author.get_by_label(t("studies.hint"), exact=True)).to_have_value("In the middle.")


@pytest.mark.slow
def test_an_analysis_and_a_finished_game_are_saved_to_a_study(visit: Visit, server: Server) -> None:
    page = visit("/analysis?game=turrium")
    page.locator("[data-cell]").first.wait_for()
    comment(page).fill("where it begins")
    page.get_by_role("button", name=t("studies.save")).click()
    page.get_by_label(t("studies.name")).fill("Collected")
    page.get_by_label(t("studies.chapter.name")).fill("Thoughts")
    page.get_by_role("button", name=t("studies.put"), exact=True).click()
    expect(chapters(page)).to_have_count(1)
    expect(comment(page)).to_have_value("where it begins")

    headers = {"Origin": server.url}
    order = tables.turrium(["device", "device"])
    made = page.request.post("/api/games", data=order, headers=headers).json()
    seats = {"seat": 1}
    page.request.post(f"/api/games/{made['id']}/resign", data=seats, headers=headers)
    page.goto(f"/g/{made['id']}")
    page.get_by_role("link", name=t("table.study")).click()
    expect(page.get_by_role("combobox")).to_have_text(f"Collected{t('studies.new')}")
    page.get_by_role("button", name=t("studies.put"), exact=True).click()
    expect(chapters(page)).to_have_count(2)
    expect(rows(page)).to_have_count(1)


@pytest.mark.slow
def test_a_chapter_is_shown_inside_another_page(
    visit: Visit, server: Server, tmp_path: Path
) -> None:
    owner = visit(None)
    id = study(owner, server, {"name": "First", "source": {"text": LESSON}})
    show(owner, server, id)
    frame = f'<iframe src="{server.url}/embed/study/{id}/1" title="A study"></iframe>'
    (tmp_path / "blog.html").write_text(frame, encoding="utf-8")
    blog = Host(tmp_path)
    try:
        page = visit(None, viewport={"width": 640, "height": 420})
        page.goto(f"http://127.0.0.1:{blog.port}/blog.html")
        expect(page.frame_locator("iframe").locator(".moves [data-node]")).to_have_count(5)
    finally:
        blog.stop()
    opened(page, f"/embed/study/{id}/1")
    expect(rows(page)).to_have_count(5)
    expect(page.get_by_role("banner")).not_to_be_attached()
    page.keyboard.press("ArrowRight")
    expect(current(page)).to_contain_text("d9")
    link = page.get_by_role("link", name=t("studies.open"))
    assert str(link.get_attribute("href")).endswith(f"/study/{id}/1")
    assert axe(page) == []
