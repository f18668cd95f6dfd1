"""The storage for games and studies of the page without a server, in a real browser."""

from __future__ import annotations

import importlib.util
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route

WEB = Path(__file__).parents[2] / "web"
ORIGIN = "http://tab.test"


@pytest.fixture(scope="session")
def script(tmp_path_factory: pytest.TempPathFactory) -> str:
    """`store.ts` compiled for a browser."""
    spec = importlib.util.spec_from_file_location("page_builder", WEB / "page.py")
    assert spec is not None
    assert spec.loader is not None
    builder = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(builder)
    out = tmp_path_factory.mktemp("store")
    command = [*builder.npm(), "exec", "--", "tsc", "src/lib/tab/store.ts", "--ignoreConfig"]
    command += ["--outDir", str(out), "--target", "es2022", "--module", "esnext", "--noCheck"]
    done = subprocess.run(command, cwd=WEB, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return (out / "store.js").read_text()


@pytest.fixture
def opened(browser: Browser, script: str) -> Iterator[Page]:
    """A page with two stores of the same name, as two tabs have them, and one of another name."""

    def serve(route: Route) -> None:
        if route.request.url.endswith("/store.js"):
            route.fulfill(body=script, content_type="text/javascript")
        else:
            route.fulfill(body="<!doctype html><title>store</title>", content_type="text/html")

    context = browser.new_context()
    page = context.new_page()
    page.route(f"{ORIGIN}/**", serve)
    page.goto(f"{ORIGIN}/")
    page.evaluate("""async () => {
      const { GameStore } = await import('/store.js');
      const open = async (name) => {
        const store = new GameStore(name, (isKept) => (window.isKept = isKept));
        await store.open();
        return store;
      };
      [window.one, window.other] = [await open('studies'), await open('studies')];
      window.games = await open('games');
      window.write = (store, id, ...seqs) =>
        store.write(JSON.stringify([{ row: { id }, events: seqs.map((seq) => ({ seq })) }]));
    }""")
    yield page
    context.close()


def test_rows_and_logs_are_kept_apart_by_name(opened: Page) -> None:
    opened.evaluate("write(one, 'a', 1, 2)")
    assert opened.evaluate("other.rows()") == '[{"id":"a"}]'
    assert opened.evaluate("other.log('a')") == '[{"seq":1},{"seq":2}]'
    assert opened.evaluate("games.rows()") == "[]"


def test_a_second_tab_that_writes_the_same_event_is_refused(opened: Page) -> None:
    opened.evaluate("write(one, 'a', 1)")
    refused = "write(other, 'a', 1).then(() => 'written', (error) => error.name)"
    assert opened.evaluate(refused) == "ConstraintError"
    assert opened.evaluate("window.isKept") is True
    assert opened.evaluate("other.log('a')") == '[{"seq":1}]'


def test_a_study_is_deleted_with_its_log(opened: Page) -> None:
    opened.evaluate("write(one, 'a', 1)")
    opened.evaluate("write(one, 'ab', 1)")
    opened.evaluate("one.remove('a')")
    assert opened.evaluate("other.rows()") == '[{"id":"ab"}]'
    assert opened.evaluate("other.log('a')") == "[]"
    assert opened.evaluate("other.log('ab')") == '[{"seq":1}]'
