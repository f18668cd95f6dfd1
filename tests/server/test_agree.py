"""Take-backs, draws, ends, rematches."""

from __future__ import annotations

from terrarium import nova
from terrarium.engine import Engine, Limit, expected_shares
from tests.server.running import Person, Server, whole_turn
from tests.server.test_live import received, watch

DEVICES = [{"kind": "device"}, {"kind": "device"}]


def played(person: Person, game: str, turns: int) -> None:
    for number in range(turns):
        seq, actions = whole_turn(person, game, 5 * number)
        assert person.turn(game, seq, actions).status_code == 200


def two_people(server: Server, person: Person, friend: Person) -> str:
    created = person.create(seats=[{"kind": "device"}, {"kind": "open"}])
    friend.post(f"/api/games/{created['id']}/seats/1")
    return str(created["id"])


def test_a_take_back_needs_the_others_agreement(
    server: Server, person: Person, stranger: Person
) -> None:
    game = two_people(server, person, stranger)
    seq, actions = whole_turn(person, game)
    person.turn(game, seq, actions)
    offered = person.post(f"/api/games/{game}/offers", {"kind": "takeback", "seat": 0}).json()
    assert offered["offers"] == [{"kind": "takeback", "seat": 0, "accepted": [0]}]
    assert offered["turn"] == 1
    declined = stranger.post(f"/api/games/{game}/offers/takeback", {"seat": 1, "accept": False})
    assert declined.json()["offers"] == []
    person.post(f"/api/games/{game}/offers", {"kind": "takeback", "seat": 0})
    agreed = stranger.post(f"/api/games/{game}/offers/takeback", {"seat": 1, "accept": True}).json()
    assert (agreed["turn"], agreed["view"]["to_move"]) == (0, 0)
    stale = person.turn(game, seq, actions)
    assert stale.json()["code"] == "stale-turn"
    assert person.turn(game, agreed["seq"], actions).status_code == 200


def test_an_offer_ends_with_the_next_turn(server: Server, person: Person, stranger: Person) -> None:
    game = two_people(server, person, stranger)
    person.post(f"/api/games/{game}/offers", {"kind": "draw", "seat": 0})
    played(person, game, 1)
    gone = stranger.post(f"/api/games/{game}/offers/draw", {"seat": 1, "accept": True})
    assert (gone.status_code, gone.json()["code"]) == (409, "no-such-offer")


def test_an_offer_does_not_make_a_turn_stale(
    server: Server, person: Person, stranger: Person
) -> None:
    game = two_people(server, person, stranger)
    seq, actions = whole_turn(person, game)
    stranger.post(f"/api/games/{game}/offers", {"kind": "draw", "seat": 1})
    assert person.turn(game, seq, actions).status_code == 200


def test_a_draw_has_no_winners_and_an_end_counts_the_points(
    server: Server, person: Person, stranger: Person
) -> None:
    for kind, winners in (("draw", []), ("end", [0, 1])):
        game = two_people(server, person, stranger)
        played(person, game, 1)
        person.post(f"/api/games/{game}/offers", {"kind": kind, "seat": 0})
        over = stranger.post(f"/api/games/{game}/offers/{kind}", {"seat": 1, "accept": True}).json()
        assert over["outcome"] == {"winners": winners, "reason": "agreement", "scores": [0, 0]}
        assert "agreement" in person.get(f"/api/games/{game}/record.terra").text


def test_against_computers_a_take_back_happens_at_once(person: Person) -> None:
    game = person.create(seats=[{"kind": "device"}, {"kind": "computer", "level": 1}])["id"]
    played(person, game, 1)
    back = person.post(f"/api/games/{game}/offers", {"kind": "takeback", "seat": 0}).json()
    assert (back["turn"], back["view"]["to_move"]) == (0, 0)


def test_a_computer_answers_a_draw_offer_by_its_evaluation(server: Server, person: Person) -> None:
    game = person.create(seats=[{"kind": "device"}, {"kind": "computer", "level": 1}])["id"]
    strong, answers = Engine(level=5, seed=1), set()
    with watch(server, game) as socket:
        shown = received(socket, "ready")[0]
        while shown["view"]["to_move"] is not None:
            position = nova.Position.from_text(shown["position"])
            if position.to_move == 0:
                answer = person.post(f"/api/games/{game}/offers", {"kind": "draw", "seat": 0})
                is_early = shown["turn"] < 40
                is_content = expected_shares(position)[1] <= 0.52
                accepted = answer.status_code == 200
                assert accepted == (is_content and not is_early), answer.text
                answers.add((is_early, accepted))
                if accepted:
                    break
                assert answer.json()["code"] == "computer-declines"
                actions = [str(action) for action in strong.choose(position, Limit(nodes=2500))]
                assert person.turn(game, shown["seq"], actions).status_code == 200
            shown = received(socket, "turn")[-1] | {"turn": shown["turn"] + 1}
        over = received(socket, "over")[-1]
    # a strong person is ahead at some point, and the table receives the answer as a message
    assert {(True, False), (False, True)} <= answers
    assert over["outcome"] | {"scores": []} == {"winners": [], "reason": "agreement", "scores": []}


def test_at_one_device_a_take_back_happens_at_once(person: Person) -> None:
    game = person.create(seats=DEVICES)["id"]
    played(person, game, 2)
    back = person.post(f"/api/games/{game}/offers", {"kind": "takeback", "seat": 1}).json()
    assert (back["turn"], back["view"]["to_move"], back["offers"]) == (1, 1, [])


def test_a_rematch_rotates_the_seats_and_keeps_the_players(
    server: Server, person: Person, stranger: Person
) -> None:
    created = person.create(seats=[{"kind": "device", "name": "First"}, {"kind": "link"}])
    game, secret = created["id"], created["secrets"][1]
    early = person.post(f"/api/games/{game}/rematch")
    assert early.json()["code"] == "game-not-over"
    person.post(f"/api/games/{game}/resign", {"seat": 0})
    first = person.post(f"/api/games/{game}/rematch").json()
    with server.person(secret) as friend:
        second = friend.post(f"/api/games/{game}/rematch").json()
        assert first["id"] == second["id"] == person.snapshot(game)["rematch"]
        assert (first["game"]["you"], second["game"]["you"]) == ([1], [0])
        assert second["game"]["seats"][1]["name"] == "First"
        seq, actions = whole_turn(friend, first["id"])
        assert friend.turn(first["id"], seq, actions).status_code == 200
    assert stranger.post(f"/api/games/{game}/rematch").status_code in (401, 403)
