"""A game that was played in a browser continues on a server, with its log."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from terrarium import games
from terrarium.play import offers
from terrarium.play.commands import Decision, play_turn, resign
from terrarium.play.seats import new_game
from terrarium.play.shapes import CreateGame, SeatChoice
from terrarium.play.table import Table
from tests.server.playing import random_turn
from tests.server.running import Person

BEGAN = 1_700_000_000_000


def local_game(game: str, players: int = 2, turns: int = 12, computers: int = 1) -> Table:
    """A game as a browser keeps it: some turns, one of them taken back, and in larger games a resignation."""
    people = players - computers
    seats = [SeatChoice("device", name=f"Player {n}") for n in range(people)]
    seats += [SeatChoice("computer", level=1) for _ in range(computers)]
    table = new_game(CreateGame(game, {"players": players}, None, seats), "me", BEGAN).table
    chance = random.Random(players)

    def carry_out(decision: Decision) -> None:
        nonlocal table
        at = table.updated + 1000
        drafts = enumerate(decision.drafts, start=table.seq + 1)
        table = table.after([draft.at(seq, at) for seq, draft in drafts])

    for number in range(turns):
        seat = table.to_move
        assert seat is not None
        actions, _ = random_turn(table.position, chance)
        by = "computer" if table.seats[seat].is_computer else "player"
        carry_out(
            play_turn(table, {seat}, table.seq, actions, f"key{number}", now=table.updated, by=by)
        )
        if number == 4:
            carry_out(offers.offer(table, range(people), "takeback", 0))
    if players > 2:
        carry_out(resign(table, {1}, 1))
    return table


def as_sent(table: Table) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = msgspec.to_builtins(list(table.log))
    return sent


@pytest.mark.parametrize(("game", "players"), [("nova", 2), ("nova", 4), ("turrium", 3)])
def test_a_local_game_continues_on_a_server_with_its_whole_log(
    person: Person, stranger: Person, game: str, players: int
) -> None:
    local = local_game(game, players)
    made = person.http.post("/api/games/continue", json={"log": as_sent(local)})
    assert made.status_code == 201, made.text
    created = made.json()
    shown = created["game"]
    assert shown["position"] == local.position.to_text()
    assert [turn["actions"] for turn in shown["turns"]] == [turn.actions for turn in local.turns]
    assert [turn["at"] for turn in shown["turns"]] == [turn.at for turn in local.turns]
    assert [turn["by"] for turn in shown["turns"]] == [turn.by for turn in local.turns]
    assert shown["you"] == list(range(players - 1))
    assert [seat["name"] for seat in shown["seats"]] == [seat.name for seat in local.seats]
    assert stranger.snapshot(created["id"])["you"] == []
    seat = local.to_move
    assert seat is not None
    if not local.seats[seat].is_computer:
        actions, _ = random_turn(games[game].position(shown["position"]), random.Random(1))
        assert person.turn(created["id"], shown["seq"], actions).status_code == 200


def spoilt(log: list[dict[str, Any]], how: str) -> Any:
    """A log that no game ever wrote."""
    first, second = log[0], log[1]
    if how == "no events":
        return []
    if how == "no beginning":
        return log[1:]
    if how == "a gap":
        return [*log[:3], *log[4:]]
    if how == "an event twice":
        return [*log[:3], *log[2:]]
    if how == "time runs backwards":
        second["at"] = first["at"] - 1
    if how == "in the future":
        log[-1]["at"] = 99_999_999_999_999
    if how == "an illegal turn":
        second["data"]["actions"] = ["a1-a2"]
    if how == "half a turn":
        log[-1]["data"]["actions"] = log[-1]["data"]["actions"][:-1]
    if how == "an action that is not a text":
        second["data"]["actions"] = [7]
    if how == "the wrong seat":
        second["seat"] = 1
    if how == "no seat":
        second["seat"] = None
    if how == "a win from nowhere":
        log.append(
            {"seq": len(log) + 1, "at": log[-1]["at"], "kind": "agreed", "seat": 0}
            | {"data": {"winners": [0], "offer": "end"}}
        )
    if how == "a kind that does not exist":
        second["kind"] = "__class__"
    if how == "more turns taken back than there are":
        log.append(
            {"seq": len(log) + 1, "at": log[-1]["at"], "kind": "taken-back", "seat": 0}
            | {"data": {"turns": -5, "resignations": 0}}
        )
    if how == "a seat of somebody else's account":
        first["data"]["seats"][0]["kind"] = "open"
    if how == "seats that are no list":
        first["data"]["seats"] = 5
    if how == "unknown rules":
        first["data"]["rules"]["wings"] = True
    if how == "an unknown game":
        first["data"]["game"] = "chess"
    if how == "a board without land":
        first["data"]["board"]["map"] = "...."
    if how == "a name that can't be shown":
        first["data"]["seats"][0]["name"] = "\u202eevil"
    if how == "endless names":
        first["data"]["seats"][0]["name"] = "x" * 5_000
    return log


@pytest.mark.parametrize(
    "how",
    [
        "no events",
        "no beginning",
        "a gap",
        "an event twice",
        "time runs backwards",
        "in the future",
        "an illegal turn",
        "half a turn",
        "an action that is not a text",
        "the wrong seat",
        "no seat",
        "a win from nowhere",
        "a kind that does not exist",
        "more turns taken back than there are",
        "a seat of somebody else's account",
        "seats that are no list",
        "unknown rules",
        "an unknown game",
        "a board without land",
        "a name that can't be shown",
        "endless names",
    ],
)
def test_a_log_that_no_game_wrote_is_refused(person: Person, how: str) -> None:
    log = spoilt(as_sent(local_game("nova", turns=30, computers=0)), how)
    answer = person.http.post("/api/games/continue", json={"log": log})
    assert answer.status_code in (400, 422), answer.text
    assert answer.json()["code"]


def test_marks_that_only_a_server_gives_are_not_taken_from_a_log(person: Person) -> None:
    log = as_sent(local_game("nova"))
    log[0]["data"]["seats"][0] |= {"account": True, "bot": True, "taken": True}
    log[0]["data"] |= {"rematch_of": "0" * 20, "visibility": "listed"}
    shown = person.http.post("/api/games/continue", json={"log": log}).json()["game"]
    assert not shown["seats"][0]["is_account"]
    assert not shown["seats"][0]["is_bot"]
    assert shown["visibility"] == "private"
