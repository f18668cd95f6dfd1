"""The arena's beginner sees immediate gains and half of the threats, and loses to players that look further ahead."""

from __future__ import annotations

from random import Random

import pytest

from terrarium import nova, turrium
from terrarium.arena import Match, run
from terrarium.arena.players import player
from terrarium.core.novice import LOOK_AHEAD
from terrarium.core.novice import turn as generic_turn
from terrarium.engine import Limit
from terrarium.nova import novice as nova_novice
from terrarium.turrium import novice as turrium_novice

LIMIT = Limit(nodes=1)


def row(text: str, pioneers: dict[str, int], to_move: int = 0) -> nova.Position:
    board = nova.Board.parse(" ".join(text), name="row")
    return nova.compose(nova.Rules(), board, pioneers=pioneers, to_move=to_move)


def missing(position: turrium.Position, seat: int) -> int:
    return len(position.ladders[seat].missing)


def test_at_terra_nova_it_takes_the_most_points_at_once() -> None:
    # a stone on a4 pays the three cells to its left 9, others pay less
    position = row("AAABCDEEFFGGHH", {"a2": 0, "a6": 0, "a12": 1})
    gains = set()
    for seed in range(40):
        after = position.play_all(nova_novice.turn(position, Random(seed)))
        gains.add(after.scores[0])
    best = max(
        position.play(move).play(stone).scores[0]
        for move in position.legal_actions()
        for stone in position.play(move).legal_actions()
        if stone.kind == "stone"
    )
    assert best > 0
    assert min(gains) == best  # the rest of its turn is random and may score more


def test_at_terra_nova_it_sees_half_of_the_obvious_threats(monkeypatch: pytest.MonkeyPatch) -> None:
    positions, position, random = list[nova.Position](), nova.start(), Random(2)
    while position.outcome is None and len(positions) < 12:
        if position.phase == "play" and sum(position.scores) > 0:
            positions.append(position)
        position = position.play_all(nova_novice.turn(position, random))

    def allowed(seen: float) -> int:
        """The points that rivals can score right after its turns, if it sees this part of the threats."""
        monkeypatch.setattr(nova_novice, "LOOK_AHEAD", seen)
        points, chance = 0, Random(3)
        for start in positions:
            for _ in range(3):
                threat = nova_novice._threat(start.play_all(nova_novice.turn(start, chance)))
                points += 0 if threat is None else threat.points
        return points

    blind, usual, careful = allowed(0), allowed(0.5), allowed(1)
    assert careful < 0.8 * blind
    assert careful < usual < blind
    assert LOOK_AHEAD == 0.5


@pytest.mark.parametrize("players", [2, 4])
def test_at_terra_turrium_it_builds_its_towers(players: int) -> None:
    position, random = turrium.start(turrium.Rules(players=players)), Random(1)
    while position.rounds < 12:
        actions = turrium_novice.turn(position, random)
        if position.to_move == 0:
            position = position.play_all(actions)
        else:  # the others do nothing that could disturb it
            seat = position.to_move
            while position.to_move == seat:
                position = position.play(position.legal_ids()[-1])
                if position.at_turn_start:
                    break
    assert missing(position, 0) <= 2


def test_at_terra_turrium_it_finishes_when_one_step_is_missing() -> None:
    heights = {"c3": 1, "d3": 2, "e3": 3, "f3": 4, "g3": 5, "h3": 5, "h4": 6, "c8": 1, "d8": 1}
    flags = {"c3": 0, "d3": 0, "e3": 0, "f3": 0, "g3": 0, "h3": 0}
    position = turrium.compose(turrium.Rules(), heights=heights, flags=flags, to_move=0)
    won = 0
    for seed in range(20):
        after = position.play_all(turrium_novice.turn(position, Random(seed)))
        won += 0 in after.declared
    assert won >= 15


@pytest.mark.parametrize("game", ["nova", "turrium"])
@pytest.mark.parametrize("players", [2, 3])
def test_it_finishes_whole_games_and_the_same_seed_plays_the_same(game: str, players: int) -> None:
    options = {"max_rounds": 12} if game == "turrium" else {}
    match = Match(
        game, "novice", "random", players=players, games=2, limit=LIMIT, options=options, seed=3
    )
    first, second = run(match), run(match)
    assert [one.actions for one in first.games] == [one.actions for one in second.games]
    assert not any(one.faults for one in first.games)


def test_it_beats_random_play() -> None:
    result = run(Match("nova", "novice", "random", games=4, limit=LIMIT, seed=5))
    assert result.score.mean == 1


def test_a_game_without_a_beginner_gets_one_that_takes_points() -> None:
    position = row("AAABCDEFGH", {"a2": 0, "a6": 0, "a9": 1})
    gains = [
        position.play_all(generic_turn(position, Random(seed))).scores[0] for seed in range(20)
    ]
    assert sum(gain > 0 for gain in gains) > 10


def test_it_is_a_player_of_the_arena() -> None:
    position = turrium.start()
    assert len(player("novice", seed=1).turn(position, LIMIT)) == 6
