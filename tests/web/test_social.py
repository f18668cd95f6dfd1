"""Two people at a table without a reload: talk, plans, and notifications while one is away."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserType, Page, expect

from tests.server.running import Server, comes
from tests.server.test_notices import Browser as PushBrowser
from tests.server.test_notices import PushService
from tests.web.conftest import FLAGS, WHOLE_CHROMIUM, Complaints, listen
from tests.web.screens import axe
from tests.web.table import Table, nova
from tests.web.texts import catalogue, t

Sit = Callable[..., Table]
Visit = Callable[..., Page]


@pytest.fixture
def service_workers() -> str:
    return "allow"


def seated(sit: Sit, visit: Visit, locale: str = "de-DE") -> tuple[Table, Page]:
    host = sit(nova(["device", "link"]))
    guest = visit(f"/g/{host.id}?seat=1#{host.secrets[1]}", locale=locale)
    guest.locator("[data-cell]").first.wait_for()
    expect(guest.locator(".link.open")).to_be_visible()
    return host, guest


def opened(page: Page) -> Any:
    panel = page.locator("details.talk")
    panel.locator("summary").click()
    return panel


def test_two_people_talk_each_in_their_own_language(sit: Sit, visit: Visit) -> None:
    host, guest = seated(sit, visit)
    german = catalogue("de", "talk")
    here, there = opened(host.page), opened(guest)
    here.get_by_role("button", name=t("talk.phrase.good-luck")).click()
    expect(there.get_by_role("log")).to_contain_text(german["phrase.good-luck"])
    watcher = visit(f"/g/{host.id}")
    watcher.locator("[data-cell]").first.wait_for()
    expect(watcher.locator("details.talk")).to_have_count(0)
    # Free text is possible only after both allow it.
    here.get_by_label(t("talk.allow")).check()
    expect(here.get_by_text(t("talk.waiting"))).to_be_visible()
    expect(here.get_by_role("textbox")).to_have_count(0)
    there.get_by_label(german["allow"]).check()
    box = here.get_by_role("textbox", name=t("talk.text"))
    box.fill("<b>nice</b> island")
    box.press("Enter")
    expect(there.get_by_role("log")).to_contain_text("<b>nice</b> island")
    assert axe(host.page) == []
    there.get_by_role("button", name=german["mute"].split(" ", 1)[1]).click()
    expect(there.get_by_role("log")).not_to_contain_text("island")
    here.get_by_role("button", name=t("talk.phrase.sorry")).click()
    expect(here.get_by_role("log")).to_contain_text(t("talk.phrase.sorry"))
    host.turn()
    expect(guest.locator(".moves li button")).to_have_count(1)
    expect(there.get_by_role("log")).not_to_contain_text(german["phrase.sorry"])


@pytest.mark.slow
def test_a_turn_planned_on_the_board_is_played_when_the_other_has_played(
    sit: Sit, visit: Visit
) -> None:
    host, page = seated(sit, visit, "en-GB")
    page.get_by_role("button", name=t("plans.premove")).click()
    page.locator(".ahead").wait_for()
    guest = Table(page, host.id)
    # The page requests the legal turns from the server.
    assert comes(lambda: guest.cells("place"))
    free = guest.cells("place")
    page.locator(f'[data-cell="{free[0]}"]').click()
    assert axe(page) == []
    page.get_by_role("button", name=t("plans.save")).click()
    expect(page.locator('[data-plan="waiting"]')).to_have_count(1)
    assert axe(page) == []
    host.page.reload()
    expect(host.page.locator("[data-plan]")).to_have_count(0)
    host.page.locator(".bar").wait_for()
    legal = next(cell for cell in host.cells("place") if cell != free[0])
    host.page.locator(f'[data-cell="{legal}"]').click()
    for one in (host.page, page):
        expect(one.locator(".moves li button")).to_have_count(2)
    expect(page.locator('[data-plan="played"]')).to_have_count(1)
    # A conditional turn, while its owner is away.
    assert comes(lambda: host.cells("place"))
    legal, answer = host.cells("place")[:2]
    page.get_by_role("button", name=t("plans.conditional")).click()
    page.locator(".ahead").wait_for()
    assert comes(lambda: legal in guest.cells("place"))
    page.locator(f'[data-cell="{legal}"]').click()
    page.get_by_role("button", name=t("plans.next")).click()
    expect(page.locator(".ahead ol li")).to_have_count(1)
    assert comes(lambda: answer in guest.cells("place"))
    page.locator(f'[data-cell="{answer}"]').click()
    page.get_by_role("button", name=t("plans.save")).click()
    expect(page.locator('[data-plan="waiting"]')).to_have_count(1)
    page.goto("/settings")
    host.page.locator(f'[data-cell="{legal}"]').click()
    expect(host.page.locator(".moves li button")).to_have_count(4)


def tab_to(page: Page, name: str) -> None:
    """Press Tab until a button has the focus."""
    focused = "() => document.activeElement?.textContent?.trim()"
    for _ in range(120):
        if page.evaluate(focused) == name:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{name} can't be reached by Tab")


@pytest.mark.slow
def test_a_turn_is_planned_by_keyboard_alone(sit: Sit, visit: Visit) -> None:
    host, page = seated(sit, visit, "en-GB")
    guest = Table(page, host.id, hand="keyboard")
    tab_to(page, t("plans.premove"))
    page.keyboard.press("Enter")
    expect(page.locator(".ahead")).to_be_focused()
    assert comes(lambda: guest.cells("place"))
    first, second = guest.cells("place")[:2]
    guest.choose(first)
    expect(page.locator(".draft li")).to_have_text([f"@{first}"])
    page.keyboard.press("u")
    expect(page.locator(".draft li")).to_have_count(0)
    guest.choose(second)
    expect(page.locator(".draft li")).to_have_text([f"@{second}"])
    expect(page.locator("button.finish")).to_be_enabled()
    page.keyboard.press("f")
    expect(page.locator('[data-plan="waiting"]')).to_have_count(1)
    legal = next(cell for cell in host.cells("place") if cell != second)
    host.page.locator(f'[data-cell="{legal}"]').click()
    expect(page.locator('[data-plan="played"]')).to_have_count(1)
    expect(page.locator(".moves li button")).to_have_count(2)


@pytest.fixture
def service() -> Iterator[PushService]:
    running = PushService()
    yield running
    running.close()


# The test browser has no push service: subscribe to the test's service.
SUBSCRIBED = """(subscription) => {
  let current = null;
  const made = {endpoint: subscription.endpoint, toJSON: () => subscription, unsubscribe: async () => { current = null; return true; }};
  PushManager.prototype.subscribe = async () => (current = made);
  PushManager.prototype.getSubscription = async () => current;
}"""


@pytest.fixture
def whole_browser(browser_type: BrowserType) -> Iterator[Browser]:
    """A browser that shows notifications; the headless shell does not."""
    with browser_type.launch(executable_path=WHOLE_CHROMIUM, args=FLAGS) as running:
        yield running


@pytest.mark.slow
def test_a_push_message_reaches_a_subscribed_browser(
    whole_browser: Browser, service: PushService, tmp_path: Any, complaints: Complaints
) -> None:
    receiver = PushBrowser(f"http://{service.host}/here")
    with Server(tmp_path, PUSH_HOSTS=service.host) as server:
        context = whole_browser.new_context(base_url=server.url, locale="en-GB")
        context.grant_permissions(["notifications"], origin=server.url)
        page = context.new_page()
        listen(page, complaints)
        page.add_init_script(f"({SUBSCRIBED})({json.dumps(receiver.subscription())})")
        page.goto("/settings")
        page.get_by_role("heading", level=1).wait_for()
        order = nova(["link", "device"]) | {"clock": {"kind": "correspondence", "days": 2}}
        table = Table.set(page, order)
        page.goto("/settings")
        with page.expect_response("**/api/me/notices/push"):
            page.get_by_label(t("notices.push")).check()
        expect(page.get_by_label(t("notices.push"))).to_be_checked()
        with server.person(table.secrets[0]) as other:
            assert other.post(f"/api/games/{table.id}/seats/0", {}).status_code == 200
            snapshot = other.snapshot(table.id)
            action = snapshot["legal"][0]["text"]
            assert other.turn(table.id, snapshot["seq"], [action]).status_code == 200
        assert comes(lambda: service.got)
        payload = receiver.read(service.got[0][2])
        assert payload["game"] == table.id
        # Deliver the message to the service worker, which shows it.
        session = context.new_cdp_session(page)
        found: list[str] = []
        session.on(
            "ServiceWorker.workerRegistrationUpdated",
            lambda event: found.extend(one["registrationId"] for one in event["registrations"]),
        )
        session.send("ServiceWorker.enable")
        page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
        assert comes(lambda: page.evaluate("() => 1") and found)
        notices = """() => navigator.serviceWorker.ready.then(one => one.getNotifications())
          .then(all => all.map(one => [one.title, one.body, one.data.game]))"""

        def is_shown() -> Any:
            # A browser on a busy machine may drop a message while the worker starts.
            message = {"origin": server.url, "registrationId": found[-1]}
            message["data"] = json.dumps(payload)
            session.send("ServiceWorker.deliverPushMessage", message)
            return page.evaluate(notices)

        assert comes(is_shown)
        (shown,) = page.evaluate(notices)
        assert shown == [t("table.yourTurn"), payload["body"], table.id]
        assert axe(page) == []
        page.get_by_label(t("notices.push")).uncheck()
        expect(page.get_by_label(t("notices.push"))).not_to_be_checked()
        context.close()
    assert complaints == []
