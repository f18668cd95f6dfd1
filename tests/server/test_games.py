"""Games over HTTP: set up, sit, try, play, resign."""

from __future__ import annotations

import pytest

from tests.server.running import Person, Server, comes, whole_turn

DEVICES = [{"kind": "device"}, {"kind": "device"}]


def test_a_new_game_has_one_secret_for_every_human_seat(person: Person) -> None:
    created = person.create(seats=[{"kind": "link"}, {"kind": "computer", "level": 2}])
    assert created["game"]["seq"] == created["seq"] == 1
    assert len(created["secrets"][0]) >= 22
    assert created["secrets"][1] is None
    assert created["game"]["status"] == "waiting"
    assert created["game"]["board"]["name"] == "terra-nova"


def test_two_devices_play_by_secret_and_by_cookie(server: Server, person: Person) -> None:
    created = person.create(seats=[{"kind": "device", "name": "First"}, {"kind": "link"}])
    game = created["id"]
    assert created["game"]["you"] == [0]
    seq, actions = whole_turn(person, game)
    played = person.turn(game, seq, actions, "one")
    assert played.status_code == 200, played.text
    assert played.json()["seq"] == seq + 1
    with server.person(created["secrets"][1]) as friend:
        assert friend.snapshot(game)["you"] == [1]
        seq, actions = whole_turn(friend, game, 7)
        assert friend.turn(game, seq, actions).status_code == 200
        game_now = friend.snapshot(game)
    assert game_now["status"] == "playing"
    assert [turn["seat"] for turn in game_now["turns"]] == [0, 1]
    assert game_now["turns"][0]["events"][0]["kind"] == "placed"


def test_a_seat_is_taken_with_its_secret_as_bearer_and_no_body(
    server: Server, person: Person
) -> None:
    created = person.create(seats=[{"kind": "link"}, {"kind": "link"}])
    secret = created["secrets"][1]
    with server.person(secret) as friend:
        seated = friend.http.post(f"/api/games/{created['id']}/seats/1")
        assert (seated.status_code, seated.json()["seat"]) == (200, 1), seated.text


def test_the_answer_to_a_missing_body_names_the_missing_fields(person: Person) -> None:
    game = person.create(seats=[{"kind": "device"}, {"kind": "device"}])["id"]
    answer = person.http.post(f"/api/games/{game}/turns")
    assert answer.status_code == 400
    assert "seq" in answer.json()["message"]


@pytest.mark.parametrize("id", ["none", "0" * 20, "%00", "x" * 500])
@pytest.mark.parametrize(
    "order", ["try", "turns", "seats/0", "resign", "offers", "claim", "hint", "coach"]
)
def test_a_command_for_an_unknown_game_is_404_whatever_its_body(
    person: Person, id: str, order: str
) -> None:
    answer = person.http.post(f"/api/games/{id}/{order}", json={"nonsense": 1})
    assert (answer.status_code, answer.json()["code"]) == (404, "no-such-game")


def test_the_same_key_twice_is_one_turn(person: Person) -> None:
    game = person.create(seats=[{"kind": "device"}, {"kind": "device"}])["id"]
    seq, actions = whole_turn(person, game)
    first = person.turn(game, seq, actions, "key")
    again = person.turn(game, seq, actions, "key")
    assert first.json() == again.json()
    assert person.snapshot(game)["turn"] == 1


def test_a_stale_turn_is_refused_with_the_current_seq(person: Person) -> None:
    game = person.create(seats=[{"kind": "device"}, {"kind": "device"}])["id"]
    seq, actions = whole_turn(person, game)
    assert person.turn(game, seq, actions).status_code == 200
    late = person.turn(game, seq, ["@e8"])
    assert (late.status_code, late.json()["code"], late.json()["seq"]) == (
        409,
        "stale-turn",
        seq + 1,
    )


def test_a_turn_must_be_complete_and_legal(person: Person) -> None:
    game = person.create("turrium", seats=[{"kind": "device"}, {"kind": "device"}])["id"]
    seq = person.snapshot(game)["seq"]
    half = person.turn(game, seq, ["@c3"])
    assert (half.status_code, half.json()["code"]) == (422, "turn-incomplete")
    illegal = person.turn(game, seq, ["@c3", "@c3"])
    assert illegal.status_code == 422
    assert illegal.json()["rule"].startswith("TT-")
    assert illegal.json()["index"] == 1
    assert person.snapshot(game)["seq"] == seq


def test_an_unknown_game_id_is_404_malformed_or_not(person: Person) -> None:
    for name in ("0" * 20, "x", "%2e%2e", "a" * 5000, "%00", "é"):
        answer = person.get(f"/api/games/{name}")
        assert answer.status_code == 404, name
        assert set(answer.json()) == {"code", "message", "rule"}
    assert person.turn("nothing", 1, ["@e7"]).status_code == 404


def test_an_open_seat_goes_to_the_first_and_its_shared_secret_is_revoked(
    server: Server, person: Person, stranger: Person
) -> None:
    created = person.create(seats=[{"kind": "device"}, {"kind": "open"}])
    game, old = created["id"], created["secrets"][1]
    sat = stranger.post(f"/api/games/{game}/seats/1", {"name": "Second"})
    assert sat.status_code == 200, sat.text
    assert sat.json()["game"]["you"] == [1]
    assert sat.json()["game"]["seats"][1]["name"] == "Second"
    with server.person() as other:
        late = other.post(f"/api/games/{game}/seats/1")
    assert (late.status_code, late.json()["code"]) == (409, "seat-taken")
    seq, actions = whole_turn(person, game)
    assert person.turn(game, seq, actions).status_code == 200
    seq, actions = whole_turn(person, game, 3)
    assert person.turn(game, seq, actions, secret=old).status_code == 403
    assert person.turn(game, seq, actions, secret=sat.json()["secret"]).status_code == 200


def test_a_link_resumes_the_seat_on_another_device_and_both_keep_it(
    server: Server, person: Person, stranger: Person
) -> None:
    created = person.create(seats=[{"kind": "device"}, {"kind": "link"}])
    game, secret = created["id"], created["secrets"][0]
    wrong = stranger.post(f"/api/games/{game}/seats/0", {"secret": "x" * 22})
    assert (wrong.status_code, wrong.json()["code"]) == (403, "wrong-secret")
    assert stranger.post(f"/api/games/{game}/seats/0", {"secret": secret}).status_code == 200
    assert stranger.snapshot(game)["you"] == [0]
    assert person.snapshot(game)["you"] == [0]


def test_a_new_name_for_ones_own_seat_makes_no_new_secret(server: Server, person: Person) -> None:
    created = person.create(seats=[{"kind": "device"}, {"kind": "device"}])
    renamed = person.post(f"/api/games/{created['id']}/seats/0", {"name": "First"}).json()
    assert (renamed["game"]["seats"][0]["name"], renamed["secret"]) == ("First", None)
    with server.person(created["secrets"][0]) as elsewhere:
        assert elsewhere.snapshot(created["id"])["you"] == [0]


def test_resigning_ends_a_duel(person: Person) -> None:
    game = person.create(seats=[{"kind": "device"}, {"kind": "device"}])["id"]
    answer = person.post(f"/api/games/{game}/resign", {"seat": 0})
    assert answer.status_code == 200
    assert answer.json()["outcome"]["winners"] == [1]
    assert answer.json()["outcome"]["reason"] == "resigned"
    over = person.turn(game, answer.json()["seq"], ["@e7"])
    assert (over.status_code, over.json()["code"]) == (409, "game-over")


def test_a_game_is_aborted_only_before_its_first_turn(person: Person) -> None:
    game = person.create(seats=[{"kind": "device"}, {"kind": "device"}])["id"]
    seq, actions = whole_turn(person, game)
    person.turn(game, seq, actions)
    assert person.post(f"/api/games/{game}/abort").json()["code"] == "already-started"
    other = person.create(seats=[{"kind": "device"}, {"kind": "device"}])["id"]
    assert person.post(f"/api/games/{other}/abort").json()["status"] == "aborted"


def test_the_starter_may_be_drawn_by_lot(person: Person) -> None:  # TN-4
    seats = [{"kind": "device", "name": "First"}, {"kind": "computer", "level": 1}]
    firsts = {
        person.create(seats=seats, starter="lot")["game"]["seats"][0]["kind"] for _ in range(40)
    }
    assert firsts == {"device", "computer"}


@pytest.mark.parametrize(
    ("order", "code"),
    [
        ({"game": "chess"}, "no-such-game"),
        ({"game": "nova", "rules": {"players": 9}}, None),
        ({"game": "nova", "rules": {"bogus": 1}}, None),
        ({"game": "nova", "board": "nowhere"}, "no-such-board"),
        ({"game": "nova", "board": {"map": "A A"}}, None),
        ({"game": "turrium", "board": "terra-nova"}, "no-boards"),
        ({"game": "nova", "seats": [{"kind": "link"}]}, "seats-players"),
        ({"game": "nova", "seats": [{"kind": "link", "level": 3}, {"kind": "link"}]}, "seat-level"),
        (
            {"game": "nova", "seats": [{"kind": "link", "name": "a\u202eb"}, {"kind": "link"}]},
            "invalid-name",
        ),
        ({"game": "nova", "clock": {"kind": "game", "days": 3}}, "invalid-clock"),
        ({"game": "nova", "surprise": 1}, "invalid-request"),
    ],
)
def test_a_wrong_order_is_refused_with_a_reason(
    person: Person, order: dict[str, object], code: str | None
) -> None:
    answer = person.post("/api/games", order)
    assert answer.status_code in (400, 422), answer.text
    assert set(answer.json()) >= {"code", "message", "rule"}
    assert code in (None, answer.json()["code"])


def test_computers_move_automatically(person: Person) -> None:
    game = person.create(
        seats=[
            {"kind": "computer", "level": 1},
            {"kind": "device"},
            {"kind": "computer", "level": 1},
        ],
        rules={"players": 3},
    )["id"]
    with person.http.stream("GET", f"/api/games/{game}/stream") as stream:
        for line in stream.iter_lines():
            if line and person.snapshot(game)["view"]["to_move"] == 1:
                break
    assert person.snapshot(game)["turns"][0]["by"] == "computer"


def test_two_seats_of_one_device_may_use_the_same_key(person: Person) -> None:
    game = person.create(seats=DEVICES)["id"]
    first = person.turn(game, 1, ["@e7"], "mine")
    second = person.turn(game, 2, ["@e8"], "mine")
    assert (first.status_code, second.status_code) == (200, 200)
    assert person.turn(game, 1, ["@e7"], "mine").json() == first.json()
    assert person.turn(game, 2, ["@e8"], "mine").json() == second.json()
    again = person.turn(game, 3, ["@e9"], "mine")
    assert (again.status_code, again.json()["code"]) == (409, "key-reused")
    assert person.snapshot(game)["turn"] == 2


def test_an_empty_seat_can_be_given_to_a_computer(person: Person, stranger: Person) -> None:
    game = person.create(seats=[{"kind": "device"}, {"kind": "open"}])["id"]
    order = {"seat": 1, "to": "computer", "level": 2}
    assert stranger.post(f"/api/games/{game}/claim", order).status_code in (401, 403)
    filled = person.post(f"/api/games/{game}/claim", order).json()
    assert filled["status"] == "playing"
    assert (filled["seats"][1]["kind"], filled["seats"][1]["level"]) == ("computer", 2)
    assert stranger.post(f"/api/games/{game}/seats/1").status_code == 409
    assert person.turn(game, filled["seq"], ["@e7"]).status_code == 200
    assert comes(lambda: person.snapshot(game)["turn"] >= 2)
    assert person.snapshot(game)["turns"][1]["by"] == "computer"


def test_a_seat_somebody_took_is_not_given_away(person: Person, stranger: Person) -> None:
    game = person.create(seats=[{"kind": "device"}, {"kind": "open"}])["id"]
    assert stranger.post(f"/api/games/{game}/seats/1").status_code == 200
    refused = person.post(f"/api/games/{game}/claim", {"seat": 1, "to": "computer"})
    assert (refused.status_code, refused.json()["code"]) == (409, "not-claimable")


def test_a_waiting_game_can_be_cancelled_even_after_ones_own_turn(
    person: Person, stranger: Person
) -> None:
    seats = [{"kind": "device"}, {"kind": "open"}]
    game, other = (person.create(seats=seats)["id"] for _ in range(2))
    for one in (game, other):
        assert person.turn(one, 1, ["@e7"]).status_code == 200
    assert person.post(f"/api/games/{game}/abort").json()["status"] == "aborted"
    stranger.post(f"/api/games/{other}/seats/1")
    assert person.post(f"/api/games/{other}/abort").json()["code"] == "already-started"
