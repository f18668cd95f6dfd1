"""Several browsers at one table: links, lost connections, reloads, and offers between players."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import Complaints
from tests.web.table import Table, nova
from tests.web.texts import pattern, t

Sit = Callable[..., Table]
Visit = Callable[..., Page]
MY_TURN = f"● {t('table.yourTurn')} · {t('common.game.nova')}"
WAITING = f"{t('common.game.nova')} · Terrarium"


@pytest.fixture
def service_workers() -> str:
    return "allow"


def invited(visit: Visit, host: Table, seat: int = 1) -> Table:
    """Another person's table, opened by the link that the host's page offers to copy."""
    link = host.page.locator(f'[data-copy*="seat={seat}"]').get_attribute("data-copy")
    assert link is not None
    page = visit(link[link.index("/g/") :])
    page.locator("[data-cell]").first.wait_for()
    guest = Table(page, host.id)
    guest.settled()
    expect(
        page.locator(f'[data-seat="{seat}"]').get_by_text(t("common.you"), exact=True)
    ).to_be_visible()
    return guest


def pair(sit: Sit, visit: Visit) -> tuple[Table, Table]:
    """Two people in two browsers; the first has the link of the second's seat."""
    host = sit(nova(["device", "link"]), keeps_links=True)
    expect(host.page.get_by_role("heading", name=t("table.invite.title"))).to_be_visible()
    return host, invited(visit, host)


def place_all(host: Table, guest: Table) -> None:
    while True:
        snapshot = host.snapshot()
        if snapshot["view"]["phase"] != "place":
            return
        mover = (host, guest)[snapshot["view"]["to_move"]]
        mover.page.locator(".bar").wait_for()
        mover.turn()


def test_two_browsers_play_a_whole_game_by_link(sit: Sit, visit: Visit) -> None:
    host, guest = pair(sit, visit)
    for _ in range(120):
        snapshot = host.snapshot()
        if snapshot["status"] == "over":
            break
        mover = (host, guest)[snapshot["view"]["to_move"]]
        mover.page.locator(".bar").wait_for()
        mover.turn()
    for table in (host, guest):
        expect(table.page.get_by_role("region", name=t("table.over"))).to_be_visible()


def test_a_connection_lost_in_mid_turn_loses_nothing(
    sit: Sit, visit: Visit, complaints: Complaints
) -> None:
    host, guest = pair(sit, visit)
    place_all(host, guest)
    page = host.page
    page.locator(".bar").wait_for()
    while not host.can_finish():
        host.step("stone")
    draft = page.locator(".draft li").all_inner_texts()
    turns = len(guest.snapshot()["turns"])
    page.context.set_offline(True)
    expect(page.locator(".link.lost")).to_be_visible()
    host.finish.click()
    expect(page.get_by_text(t("table.unsent"))).to_be_visible()
    assert page.locator(".draft li").all_inner_texts() == draft
    assert len(guest.snapshot()["turns"]) == turns
    page.context.set_offline(False)
    expect(page.locator(".link.open")).to_be_visible()
    expect(guest.page.locator(".moves li button")).to_have_count(turns + 1)
    assert guest.snapshot()["turns"][-1]["actions"] == draft
    expect(page.locator(".draft li")).to_have_count(0)
    guest.page.locator(".bar").wait_for()
    guest.turn()
    expect(page.locator(".moves li button")).to_have_count(turns + 2)
    complaints.expect("ERR_INTERNET_DISCONNECTED")


@pytest.mark.slow
def test_a_reload_in_mid_turn_keeps_the_draft(sit: Sit, visit: Visit) -> None:
    host, guest = pair(sit, visit)
    place_all(host, guest)
    host.page.locator(".bar").wait_for()
    host.step("move")
    draft = host.page.locator(".draft li").all_inner_texts()
    host.page.reload()
    expect(host.page.locator(".draft li")).to_have_text(draft)


def test_the_other_player_sees_each_turn_and_the_title_shows_whose_it_is(
    sit: Sit, visit: Visit
) -> None:
    host, guest = pair(sit, visit)
    expect(host.page).to_have_title(MY_TURN)
    host.turn()
    expect(guest.page).to_have_title(MY_TURN)
    expect(host.page).to_have_title(WAITING)
    expect(guest.page.get_by_role("status").first).to_contain_text(t("table.yourTurn"))


# Counts tones and records notifications, if they are permitted; `hidden` says whether the page is hidden.
RECORDER = """(permission) => {
  window.heard = {tones: 0, notes: [], hidden: false};
  const {createOscillator} = BaseAudioContext.prototype;
  BaseAudioContext.prototype.createOscillator = function () {
    const tone = createOscillator.call(this);
    const {start} = tone;
    tone.start = (when) => { heard.tones++; start.call(tone, when) };
    return tone;
  };
  window.Notification = class { constructor(title, options) { heard.notes.push([title, options.body]) } close() {} };
  Notification.permission = permission;
  Object.defineProperty(document, 'hidden', {get: () => heard.hidden});
}"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "is_allowed", "looks_away", "tones", "notes"),
    [
        ({"notify": True}, True, True, True, [[t("table.yourTurn"), t("common.game.nova")]]),
        pytest.param({"notify": True}, True, False, True, [], marks=pytest.mark.only_long),
        pytest.param({"notify": True}, False, True, True, [], marks=pytest.mark.only_long),
        pytest.param({"notify": False}, True, True, True, [], marks=pytest.mark.only_long),
        (
            {"notify": True, "sound": False},
            True,
            True,
            False,
            [[t("table.yourTurn"), t("common.game.nova")]],
        ),
        ({"sound": True, "volume": 0}, True, True, False, []),
    ],
)
def test_title_sound_and_notification_say_that_it_is_your_turn(
    sit: Sit,
    visit: Visit,
    settings: dict[str, object],
    is_allowed: bool,
    looks_away: bool,
    tones: bool,
    notes: list[list[str]],
) -> None:
    host, guest = pair(sit, visit)
    page = guest.page
    page.evaluate(
        "(chosen) => localStorage.setItem('terrarium.settings', JSON.stringify(chosen))", settings
    )
    page.reload()
    guest.settled()
    page.locator(".moves").click(position={"x": 5, "y": 5})
    page.evaluate(RECORDER, "granted" if is_allowed else "denied")
    page.evaluate("(away) => { heard.hidden = away }", looks_away)
    expect(page).to_have_title(WAITING)
    host.turn()
    expect(page).to_have_title(MY_TURN)
    # The other's turn makes one tone, the alert two.
    expected = {"tones": 3 if tones else 0, "notes": notes, "hidden": looks_away}
    page.wait_for_function(
        "({tones, notes}) => heard.tones >= tones && heard.notes.length >= notes.length",
        arg=expected,
    )
    page.wait_for_timeout(300)  # time for tones or notifications that must not come
    assert page.evaluate("() => heard") == expected


def test_take_back_needs_the_other_s_consent(sit: Sit, visit: Visit) -> None:
    host, guest = pair(sit, visit)
    host.turn()
    host.page.get_by_role("button", name=t("table.takeback")).click()
    expect(host.page.get_by_text(t("table.offering.takeback"))).to_be_visible()
    guest.page.get_by_role("button", name=t("table.decline")).click()
    expect(host.page.get_by_text(t("table.offering.takeback"))).not_to_be_visible()
    assert len(host.snapshot()["turns"]) == 1
    host.page.get_by_role("button", name=t("table.takeback")).click()
    guest.page.get_by_role("button", name=t("table.accept")).click()
    expect(host.page.locator(".moves li button")).to_have_count(0)
    expect(guest.page.locator(".moves li button")).to_have_count(0)
    host.page.locator(".bar").wait_for()
    host.turn()
    expect(guest.page.locator(".moves li button")).to_have_count(1)


@pytest.mark.slow
def test_a_draw_by_agreement(sit: Sit, visit: Visit) -> None:
    host, guest = pair(sit, visit)
    host.turn()
    guest.more(t("table.draw")).click()
    host.page.get_by_role("button", name=t("table.accept")).click()
    for table in (host, guest):
        expect(table.page.get_by_role("region", name=t("table.over"))).to_contain_text(
            t("board.reason.agreement")
        )


@pytest.mark.slow
def test_resigning_and_a_rematch(sit: Sit, visit: Visit) -> None:
    host, guest = pair(sit, visit)
    host.turn()
    guest.more(t("table.resign")).click()
    guest.page.get_by_role("dialog").get_by_role("button", name=t("common.back")).click()
    assert host.snapshot()["status"] == "playing"
    guest.more(t("table.resign")).click()
    guest.page.get_by_role("dialog").get_by_role("button", name=t("table.sure.resign.yes")).click()
    expect(host.page.get_by_role("region", name=t("table.over"))).to_contain_text(
        pattern("table.result.youWinScore")
    )
    host.page.get_by_role("button", name=t("table.rematch")).click()
    host.page.wait_for_url(lambda url: not url.endswith(host.id))
    guest.page.get_by_role("link", name=t("table.toRematch")).click()
    for table in (host, guest):
        table.id = table.page.url.rsplit("/", 1)[1]
        table.page.locator("[data-cell]").first.wait_for()
        table.settled()
    first = host if 0 in host.snapshot()["you"] else guest
    first.page.locator(".bar").wait_for()
    first.turn()
    expect(host.page.locator(".moves li button")).to_have_count(1)
    expect(guest.page.locator(".moves li button")).to_have_count(1)


@pytest.mark.slow
def test_past_turns_can_be_stepped_through_during_play(sit: Sit, visit: Visit) -> None:
    host, guest = pair(sit, visit)
    place_all(host, guest)
    host.page.get_by_role("button", name=t("table.first")).click()
    expect(host.page.locator(".pioneer")).to_have_count(0)
    host.page.get_by_role("button", name=t("table.next"), exact=True).click()
    expect(host.page.locator(".pioneer")).to_have_count(1)
    host.page.keyboard.press(".")
    expect(host.page.locator(".pioneer")).to_have_count(2)
    link = host.page.locator('[data-copy*="turn="]').get_attribute("data-copy")
    assert link is not None
    assert link.endswith(f"/g/{host.id}?turn=2")
    watcher = visit(f"/g/{host.id}?turn=2")
    expect(watcher.locator(".pioneer")).to_have_count(2)
    host.page.get_by_role("button", name=t("table.toNow")).click()
    expect(host.page.locator(".bar")).to_be_visible()


def test_a_watcher_can_look_but_not_play(sit: Sit, visit: Visit) -> None:
    host, _guest = pair(sit, visit)
    page = visit(f"/g/{host.id}")
    page.locator("[data-cell]").first.wait_for()
    expect(page.locator(".bar")).not_to_be_attached()
    expect(page.get_by_role("button", name=t("table.resign"))).not_to_be_attached()
    host.turn()
    expect(page.locator(".moves li button")).to_have_count(1)
