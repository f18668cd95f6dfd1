"""The conformance suite: the same tests for every game."""

from __future__ import annotations

import copy
import json
import pickle
import sys
import threading
from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Any

import pytest

import terrarium
from terrarium import Action, nova
from terrarium.core.event import Event, GameEnded
from terrarium.core.position import Position
from terrarium.errors import (
    IllegalAction,
    InvalidAction,
    InvalidBoard,
    InvalidRules,
    TerrariumError,
)

SEATS = [
    pytest.param(terrarium.games[name], players, id=f"{name}-{players}")
    for name in sorted(terrarium.games)
    for players in range(terrarium.games[name].min_players, terrarium.games[name].max_players + 1)
]
every_game = pytest.mark.parametrize(("game", "players"), SEATS)
Game = terrarium.Game


def walk(start: Position, seed: int, most: int = 400) -> Iterator[Position]:
    """The positions of one random game, at most this many; kinds of action are drawn first."""
    random, position = Random(seed), start
    yield position
    for _ in range(most):
        if position.outcome is not None:
            return
        kinds: dict[str, list[Any]] = {}
        for action in position.legal_actions():
            kinds.setdefault(action.kind, []).append(action)
        position = position.play(random.choice(kinds[random.choice(sorted(kinds))]))
        yield position


def sample(start: Position, seed: int, count: int = 12) -> list[Position]:
    """Some positions of one random game, including the first and the last."""
    positions = list(walk(start, seed))
    step = max(1, len(positions) // count)
    return [*positions[::step], positions[-1]]


def is_action(position: Position, id: int) -> bool:
    """Whether an id below the bound is an action; a step off the board is not."""
    try:
        return int(position.action(id)) == id
    except TerrariumError:
        return False


@every_game
def test_a_game_is_known_by_name_and_starts_with_any_number_of_its_players(
    game: Game, players: int
) -> None:
    position = game.start(players=players)
    assert position.players == players
    assert position.to_move == 0
    assert position.outcome is None
    assert position.resigned == ()
    assert position.at_turn_start
    assert game.rules_version >= 1
    assert terrarium.games[game.name] is game


@pytest.mark.parametrize("game", terrarium.games.values(), ids=lambda game: game.name)
def test_rules_round_trip_through_a_dictionary_and_describe_their_options(game: Game) -> None:
    rules = game.rules(players=3)
    described = json.loads(json.dumps(rules.to_dict()))
    assert type(rules)(**described) == rules
    assert type(rules).from_dict(described) == rules
    assert hash(type(rules).from_dict(described)) == hash(rules)
    options = {option.name: option for option in type(rules).options()}
    assert set(options) == set(described)
    for option in options.values():
        json.dumps(option.to_dict())
        if option.kind == "choice":
            for choice in option.choices:
                assert getattr(game.rules(**{option.name: choice}), option.name) == choice


@pytest.mark.parametrize("game", terrarium.games.values(), ids=lambda game: game.name)
def test_rules_that_do_not_exist_are_refused_by_name(game: Game) -> None:
    rules_type = type(game.rules())
    with pytest.raises(InvalidRules):
        rules_type.from_dict({"no_such_option": 1})
    for option in rules_type.options():
        for wrong in ("no such value", -1, 10**9, 2.5, [], object()):
            with pytest.raises(InvalidRules) as refused:
                rules_type.from_dict({option.name: wrong})
            assert option.name in str(refused.value)


@pytest.mark.parametrize("game", terrarium.games.values(), ids=lambda game: game.name)
@pytest.mark.parametrize("wrong", ["fr", 2, {"players": 2}, object()])
def test_a_game_begins_with_rules_and_nothing_else(game: Game, wrong: object) -> None:
    for name in ("start", "compose"):
        begin = getattr(game.module, name, None)
        if begin is not None:
            with pytest.raises(InvalidRules):
                begin(wrong)


@pytest.mark.parametrize("game", terrarium.games.values(), ids=lambda game: game.name)
@pytest.mark.parametrize("wrong", ["moon", "", 7, object()])
def test_a_value_that_is_not_a_board_of_the_game_is_refused(game: Game, wrong: object) -> None:
    with pytest.raises(InvalidBoard):
        game.start(board=wrong)


@pytest.mark.parametrize("name", nova.BOARDS)
def test_a_game_begins_on_a_board_by_its_name(name: str) -> None:
    rules = nova.Rules(pioneers=2)
    assert terrarium.games["nova"].start(board=name, pioneers=2) == nova.start(
        rules, nova.BOARDS[name]
    )
    with pytest.raises(InvalidBoard, match="without boards"):
        terrarium.games["turrium"].start(board=name)


@every_game
def test_legal_actions_are_given_as_ids_values_and_texts_that_agree(
    game: Game, players: int
) -> None:
    for position in sample(game.start(players=players), seed=players):
        ids, actions = position.legal_ids(), position.legal_actions()
        assert ids == sorted(set(ids))
        assert [int(action) for action in actions] == ids
        assert all(0 <= id < position.num_actions <= game.num_actions for id in ids)
        assert len({str(action) for action in actions}) == len(actions)
        for action in actions:
            assert position.action(int(action)) == action
            parsed = position.parse(str(action))
            assert (parsed, int(parsed)) == (action, int(action))
            assert position.is_legal(action)
            assert position.is_legal(str(action))
            assert position.is_legal(int(action))
            json.dumps(action.to_dict())


@every_game
def test_an_action_is_played_the_same_as_value_text_or_id(game: Game, players: int) -> None:
    for position in sample(game.start(players=players), seed=10 + players):
        for action in position.legal_actions()[::7]:
            after = position.play(action)
            assert after == position.play(str(action)) == position.play(int(action))
            assert after == position.play_all(str(action)) == position.play_all([action])


@every_game
def test_several_actions_are_played_at_once(game: Game, players: int) -> None:
    positions = list(walk(game.start(players=players), seed=20 + players, most=9))
    actions = [
        next(action for action in before.legal_actions() if before.play(action) == after)
        for before, after in pairwise(positions)
    ]
    assert positions[0].play_all(actions) == positions[-1]
    assert positions[0].play_all(" ".join(map(str, actions))) == positions[-1]
    assert positions[0].play_all([]) == positions[0].play_all("") == positions[0]


@every_game
def test_an_illegal_action_is_refused_with_code_and_rule(game: Game, players: int) -> None:
    random = Random(players)
    for position in sample(game.start(players=players), seed=30 + players):
        legal = set(position.legal_ids())
        for id in random.sample(range(position.num_actions), min(50, position.num_actions)):
            if id in legal:
                continue
            assert not position.is_legal(id)
            if not is_action(position, id):
                with pytest.raises((InvalidAction, IllegalAction)):
                    position.play(id)
                continue
            with pytest.raises(IllegalAction) as refused:
                position.play(id)
            assert refused.value.code
            assert str(position.action(id)) in str(refused.value)
            if position.outcome is None:
                assert refused.value.rule is not None


@every_game
def test_a_value_that_is_not_an_action_is_refused_as_invalid(game: Game, players: int) -> None:
    position = game.start(players=players)
    for wrong in (
        "",
        " ",
        "nonsense",
        "é",
        "@",
        "a1-",
        "@a0",
        "@zz9",
        "\0",
        "@a1\n@a2",
        "x" * 10_000,
    ):
        assert not position.is_legal(wrong)
        with pytest.raises(InvalidAction):
            position.play(wrong)
        with pytest.raises(InvalidAction):
            position.parse(wrong)
    kinds: tuple[Any, ...] = (None, [], {}, 7, "nothing")
    for kind in kinds:
        forged = Action(kind, None, "c3")
        assert not position.is_legal(forged)
        with pytest.raises(InvalidAction):
            position.play(forged)
    for number in (-1, position.num_actions, 2**31, 2**63, -(2**63), 10**30):
        assert not position.is_legal(number)
        with pytest.raises(InvalidAction):
            position.play(number)


@every_game
def test_there_are_no_legal_actions_exactly_when_the_game_is_over(game: Game, players: int) -> None:
    for position in walk(game.start(players=players), seed=40 + players):
        is_over = position.outcome is not None
        assert (not position.legal_ids()) == is_over
        assert (not position.legal_actions()) == is_over
        assert (position.to_move is None) == is_over
        assert (position.phase == "over") == is_over
        if position.to_move is not None:
            assert 0 <= position.to_move < players


@every_game
def test_a_position_survives_text_pickle_and_copies(game: Game, players: int) -> None:
    for position in sample(game.start(players=players), seed=50 + players):
        text = position.to_text()
        assert "\n" not in text
        for again in (
            game.position(text),
            type(position).from_text(text),
            pickle.loads(pickle.dumps(position)),
            copy.copy(position),
            copy.deepcopy(position),
        ):
            assert again == position
            assert hash(again) == hash(position)
            assert again.key == position.key
            assert again.to_text() == text
            assert again.legal_ids() == position.legal_ids()
            assert again.outcome == position.outcome
            assert again.view() == position.view()


@every_game
def test_positions_are_equal_exactly_when_their_texts_are(game: Game, players: int) -> None:
    positions = [
        position for seed in (60, 61) for position in sample(game.start(players=players), seed)
    ]
    for one in positions:
        for other in positions:
            assert (one == other) == (one.to_text() == other.to_text())
            assert one != other or hash(one) == hash(other)
        others: tuple[object, ...] = (one.to_text(), None)
        assert all(one != other for other in others)


@every_game
def test_playing_leaves_the_old_position_as_it_was(game: Game, players: int) -> None:
    for position in sample(game.start(players=players), seed=70 + players):
        text, view, legal = position.to_text(), position.view(), position.legal_ids()
        for id in legal[::11]:
            position.play(id)
            position.events(id)
        position.perft(1)
        position.rollouts(games=1, seed=1)
        assert (position.to_text(), position.view(), position.legal_ids()) == (text, view, legal)


@every_game
def test_a_view_is_plain_json_that_describes_the_state(game: Game, players: int) -> None:
    for position in sample(game.start(players=players), seed=80 + players):
        view = json.loads(json.dumps(position.view()))
        assert view["game"] == game.name
        assert view["phase"] == position.phase
        assert view["to_move"] == position.to_move
        assert view["at_turn_start"] == position.at_turn_start
        assert view["resigned"] == list(position.resigned)
        ended = position.outcome
        assert view["outcome"] == (
            None if ended is None else json.loads(json.dumps(ended.to_dict()))
        )


@every_game
def test_a_step_is_the_position_and_the_events_at_once(game: Game, players: int) -> None:
    for position in sample(game.start(players=players), seed=85 + players):
        for action in position.legal_actions()[::9]:
            after, events = position.step(action)
            assert after == position.play(action)
            assert events == position.events(action)
            assert position.step(str(action)) == position.step(int(action)) == (after, events)
            assert position.step_all([action]) == (after, (events,))
        if position.outcome is None:
            for seat in set(range(players)) - set(position.resigned):
                after, events = position.step_resignation(seat)
                assert after == position.resign(seat)
                assert events == position.resignation_events(seat)


@every_game
def test_a_position_knows_its_game_and_the_game_its_facts(game: Game, players: int) -> None:
    facts = json.loads(json.dumps(game.describe()))
    assert facts["name"] == game.name
    assert players in facts["players"]
    assert facts["colours"][str(players)] == list(game.colours(game.rules(players=players)))
    for position in sample(game.start(players=players), seed=87 + players):
        assert position.game is game is terrarium.games[game.name]
        assert len(game.colours(position.rules)) == players
        assert position.phase in game.phases
        cells = {cell.name: cell for cell in game.layout(position)}
        assert len({(cell.x, cell.y) for cell in cells.values()}) == len(cells)
        assert all(cell.seat is None or cell.seat < players for cell in cells.values())
        for action in position.legal_actions():
            assert action.kind in game.marks
            assert {action.source, action.target} - {None} <= set(cells)
        for name in game.panel:
            assert len(position.view()[name]) == players
        assert game.actions_to_come(position) >= 1
        for ways in game.reach(position).values():
            for way in ways:
                assert position.play_all(way.actions) is not None


@every_game
def test_a_position_is_drawn(game: Game, players: int) -> None:
    position = game.start(players=players)
    action = position.legal_actions()[0]
    for theme in ("light", "dark"):
        assert game.draw.draw(position.play(action), last=(action,), theme=theme).endswith("</svg>")


@every_game
def test_events_describe_what_an_action_does_and_the_end_comes_last(
    game: Game, players: int
) -> None:
    for position in sample(game.start(players=players), seed=90 + players):
        for action in position.legal_actions()[::5]:
            events = position.events(action)
            assert events
            assert events == position.events(str(action)) == position.events(int(action))
            for event in events:
                assert isinstance(event, Event)
                assert json.loads(json.dumps(event.to_dict()))["kind"] == event.kind
            ended = position.play(action).outcome
            told = [event for event in events if isinstance(event, GameEnded)]
            assert told == ([] if ended is None else [GameEnded(ended)])
            assert ended is None or events[-1] is told[0]


@every_game
def test_events_of_an_illegal_action_are_refused(game: Game, players: int) -> None:
    start = game.start(players=players)
    after = start.play(start.legal_ids()[0])
    illegal = next(id for id in range(after.num_actions) if not after.is_legal(id))
    for ask in (after.events, after.step, after.play):
        with pytest.raises(IllegalAction):
            ask(illegal)


@every_game
def test_every_seat_may_resign_until_one_is_left_and_wins(game: Game, players: int) -> None:
    for position in sample(game.start(players=players), seed=100 + players, count=5):
        if position.outcome is not None:
            continue
        winner = players - 1
        for seat in range(winner):
            assert position.resignation_events(seat)
            after = position.resign(seat)
            assert after.resigned == tuple(range(seat + 1))
            assert position.resigned == tuple(range(seat))
            position = after
            if position.outcome is not None:
                break
            assert position.to_move not in position.resigned
            with pytest.raises(IllegalAction) as refused:
                position.resign(seat)
            assert refused.value.code == "already-resigned"
            assert game.position(position.to_text()) == position
        assert position.outcome is not None
        if position.outcome.reason == "resigned":
            assert position.outcome.winners == (winner,)
        with pytest.raises(IllegalAction) as refused:
            position.resign(winner)
        assert refused.value.code == "game-over"


@every_game
@pytest.mark.parametrize("seat", [-1, 4, 17, 2**40, -(2**70)])
def test_only_seats_of_the_game_resign(game: Game, players: int, seat: int) -> None:
    position = game.start(players=players)
    for ask in (position.resign, position.resignation_events):
        with pytest.raises(TerrariumError) as refused:
            ask(seat)
        assert refused.value.code == "no-such-seat"


@every_game
def test_the_shares_of_the_win_add_up_to_one(game: Game, players: int) -> None:
    for seed in range(3):
        last = list(walk(game.start(players=players), seed=110 + seed, most=5000))[-1]
        if last.outcome is not None:
            assert sum(last.outcome.shares(players)) == pytest.approx(1)
            assert set(last.outcome.winners) <= set(range(players))
            json.dumps(last.outcome.to_dict())


@every_game
def test_perft_agrees_with_playing_all_sequences(game: Game, players: int) -> None:
    for position in sample(game.start(players=players), seed=120 + players, count=3):
        assert position.perft(0) == 1
        assert position.perft(1) == len(position.legal_ids())
        after = [position.play(id) for id in position.legal_ids()]
        assert position.perft(2) == sum(len(one.legal_ids()) for one in after)


@every_game
def test_random_games_in_the_kernel_repeat_with_their_seed(game: Game, players: int) -> None:
    position = game.start(players=players)
    totals = position.rollouts(games=8, seed=5)
    assert totals == position.rollouts(games=8, seed=5)
    assert totals.games == 8
    assert sum(totals.shares) == pytest.approx(8)
    assert len(totals.shares) == players
    assert totals.actions > 8
    assert game.module.rollouts(position, games=8, seed=5) == totals


@every_game
def test_threads_do_not_change_the_outcome_of_random_games(game: Game, players: int) -> None:
    position = game.start(players=players)
    one = position.rollouts(games=83, seed=5)
    assert one.games == 83
    assert [position.rollouts(games=83, seed=5, threads=n) for n in (2, 3)] == [one, one]
    assert position.rollouts(games=0, seed=5, threads=2).games == 0


@every_game
def test_a_position_text_may_end_with_a_line_break(game: Game, players: int) -> None:
    position = game.start(players=players)
    for line in (f"{position.to_text()}\n", f"{position.to_text()}\r\n", f" {position.to_text()} "):
        assert game.position(line) == position


@every_game
def test_a_text_that_is_not_a_position_is_refused(game: Game, players: int) -> None:
    text = game.start(players=players).to_text()
    for wrong in ("", " ", "nonsense", text[:-1] + "\0", text + " more", text[: len(text) // 2]):
        with pytest.raises(TerrariumError):
            game.position(wrong)


@every_game
def test_random_games_use_one_thread_on_platforms_without_threads(
    game: Game, players: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    position = game.start(players=players)
    expected = position.rollouts(64, seed=1, threads=2)
    monkeypatch.setattr(sys, "platform", "emscripten")
    monkeypatch.setattr(threading.Thread, "start", None)
    assert position.rollouts(64, seed=1, threads=2) == expected
