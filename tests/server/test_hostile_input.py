"""Hostile input: every operation, names and uploads are fuzzed; errors are generic and headers strict."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.server.fuzzing import fuzz, profile
from tests.server.postgres import Postgres
from tests.server.running import InProcess, Person, Server
from tests.sizes import size

PROFILE = profile(60)


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Person, str]]:
    with Server(tmp_path_factory.mktemp("fuzzed")) as server, server.person() as person:
        game = person.create(seats=[{"kind": "device"}, {"kind": "computer", "level": 1}])["id"]
        person.post("/api/accounts", {"name": "fuzzer", "password": "long enough"})
        yield server, person, game


@pytest.mark.slow
@pytest.mark.long
def test_no_generated_request_breaks_the_server(fuzzed: tuple[Server, Person, str]) -> None:
    seen = fuzz(*fuzzed, examples=size(2, 20))
    assert len({operation for operation, _ in seen}) > 35
    assert {status for _, status in seen} >= {200, 400, 404, 422}
    assert "Traceback" not in fuzzed[0].log


class Elements(HTMLParser):
    """The elements of a page, as a browser finds them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.title = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.title += data


@PROFILE
@given(name=st.text(max_size=80))
def test_any_name_is_shown_as_text_or_refused(name: str) -> None:
    order = {"game": "nova", "seats": [{"kind": "device", "name": name}, {"kind": "device"}]}
    answer = Shared.person.post("/api/games", order)
    if answer.status_code == 201:
        game = answer.json()["id"]
        shown = answer.json()["game"]["seats"][0]["name"]
        page = Elements(Shared.person.get(f"/api/games/{game}/embed").text)
        assert page.tags == ["html", "meta", "title", "meta", "a", "img"]
        assert page.title == f"Terra Nova: {shown or 'guest'} – guest"
        record = Shared.person.get(f"/api/games/{game}/record.terra")
        read = Shared.person.post("/api/records/read", {"text": record.text})
        assert read.status_code == 200, read.text
        assert read.json()["seats"][0] == (shown or "")
    else:
        assert answer.status_code in (400, 422)


Uploads = st.one_of(
    st.text(max_size=200),
    st.text(alphabet="ABCD .\n", max_size=200),
    st.text(alphabet="[]=\"'#\n map nameA", max_size=200),
)


@PROFILE
@given(text=Uploads)
def test_any_upload_is_a_board_a_record_or_a_list_of_problems(text: str) -> None:
    checked = Shared.person.post("/api/boards/check", {"text": text})
    assert checked.status_code == 200
    assert (checked.json()["board"] is None) == bool(checked.json()["problems"])
    assert Shared.person.post("/api/records/read", {"text": text}).status_code in (200, 422)
    tried = Shared.person.post("/api/positions/try", {"start": f"nova {text}", "actions": []})
    assert tried.status_code in (200, 422)


class Shared:
    person: Person


@pytest.fixture(autouse=True, scope="module")
def _shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    now = lambda: 1_700_000_000_000  # noqa: E731
    with InProcess(tmp_path_factory.mktemp("names"), now) as server, server.person() as person:
        Shared.person = person
        yield


def test_names_cannot_become_markup(person: Person) -> None:
    name = "<script>alert(1)</script>"[:32]
    seats = [{"kind": "device", "name": name}, {"kind": "device"}]
    game = person.create(seats=seats)["id"]
    page = person.get(f"/api/games/{game}/embed")
    assert "<script" not in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "<script" not in person.get(f"/api/games/{game}/picture.svg").text


@pytest.mark.parametrize(
    "path", ["/", "/games/x", "/api/meta", "/api/nothing", "/metrics", "/..%2f"]
)
def test_every_answer_has_strict_headers(person: Person, path: str) -> None:
    answer = person.get(path)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "server" not in answer.headers


def test_files_outside_the_page_are_not_served(server: Server, person: Person) -> None:
    secret = (Path(server.folder) / "data" / "secret.key").read_text()
    for path in ("/../settings.py", "/%2e%2e/settings.py", "/..%5csettings.py", "//etc/passwd"):
        answer = person.get(path)
        assert "TERRARIUM_" not in answer.text
        assert "root:" not in answer.text
        assert secret not in answer.text


def test_internal_errors_are_not_shown(person: Person) -> None:
    for body in ('{"game": "nova", "rules": {"players": "x"}}', "{", "[]", "null", '"x"', "\ud800"):
        answer = person.http.post(
            "/api/games",
            content=body.encode("utf-8", "surrogatepass"),
            headers={"Content-Type": "application/json"},
        )
        assert answer.status_code in (400, 422), (body, answer.text)
        assert "Traceback" not in answer.text
        assert "site-packages" not in answer.text


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    "body",
    [
        DEEP,
        '{"a":' * 40_000,
        '{"game":"nova","rules":{"x":' + DEEP + "]" * 100_000 + "}}",
        '{"game":"nova","rules":{"self":1}}',
        '{"game":"nova","rules":{"players":1e400}}',
        '{"game":"nova","rules":{"stones":99999999999999999999}}',
    ],
    ids=["arrays", "objects", "options", "self", "infinite", "large"],
)
@pytest.mark.parametrize("path", ["/api/games", "/api/positions/try", "/api/boards/check"])
def test_a_strange_body_is_the_senders_mistake(person: Person, path: str, body: str) -> None:
    headers = {"Content-Type": "application/json"}
    answer = person.http.post(path, content=body, headers=headers)
    assert answer.status_code in (400, 422), answer.text
    assert set(answer.json()) >= {"code", "message", "rule"}


@pytest.mark.parametrize("path", ["/api/games", "/api/games/none/turns", "/api/boards/check"])
def test_a_body_that_is_not_text_is_the_senders_mistake(person: Person, path: str) -> None:
    headers = {"Content-Type": "application/json"}
    answer = person.http.post(path, content=b'{"game": "\xff"}', headers=headers)
    assert answer.status_code in (400, 404), answer.text
    assert set(answer.json()) >= {"code", "message", "rule"}


@pytest.mark.parametrize("path", ["/api/nothing", "/api/nothing/more", "/api/games/x/nothing"])
def test_an_unknown_address_of_the_interface_is_an_error_like_any_other(
    person: Person, path: str
) -> None:
    for answer in (person.get(path), person.post(path)):
        assert answer.status_code == 404
        assert answer.json()["code"] == "not-found"


def test_a_file_that_would_take_a_reader_minutes_is_not_read(person: Person) -> None:
    """The time to parse TOML with one key of many thousand parts grows with their square."""
    for text in ("a." * 16_000 + "b = 1", "[" + "a." * 16_000 + "b]"):
        checked = person.post("/api/boards/check", {"text": text}).json()
        assert checked["board"] is None
        assert checked["problems"][0]["code"] in ("board-line", "board-character")


@pytest.mark.parametrize("path", ["/" + "a" * 300, "/" + "a/" * 3_000, "/%00", "/\ud7ff"])
def test_an_address_that_no_file_can_have_returns_the_page(person: Person, path: str) -> None:
    answer = person.get(path)
    assert answer.status_code == 200
    assert "<!doctype html>" in answer.text


@pytest.mark.slow
def test_what_postgresql_cannot_store_is_the_senders_mistake(
    tmp_path: Path, postgres: Postgres
) -> None:
    with Server(tmp_path, "--database", postgres.database()) as server, server.person() as person:
        game = person.create(seats=[{"kind": "device"}, {"kind": "device"}])["id"]
        person.post("/api/accounts", {"name": "First", "password": "long enough"})
        secret = "long enough"
        answers = [
            person.post("/api/sessions", {"name": "a\0b", "password": secret}),
            person.post("/api/accounts", {"name": "a\0b", "password": secret}),
            person.post("/api/accounts/recover", {"name": "a\0", "code": "\0", "password": secret}),
            person.post(f"/api/games/{game}/turns", {"seq": 1, "actions": ["@e7"], "key": "a\0b"}),
            person.post("/api/me/tokens", {"name": "a\0b", "scopes": ["play"]}),
            person.http.delete("/api/me/tokens/%00"),
            person.get("/api/games?q=%00"),
            person.get("/api/games?page=1-%00"),
            person.get("/api/games/%00"),
        ]
        assert max(answer.status_code for answer in answers) < 500, [a.text for a in answers]
        assert answers[3].status_code == 400
        assert "Traceback" not in server.log
