"""A state machine drives a server and a model. The state rebuilt from the log must equal the live state."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from terrarium.play.table import Table
from tests.server.playing import position_of, random_turn, replayed
from tests.server.running import FakeTime, InProcess, Person
from tests.sizes import size

Seats = st.integers(0, 2)


class Games(RuleBasedStateMachine):
    """A game with three seats held by one browser, and the model: turns as (seat, actions) and a position."""

    server: ClassVar[InProcess]
    person: ClassVar[Person]

    @initialize(game=st.sampled_from(["nova", "turrium"]), clock=st.booleans())
    def start(self, game: str, clock: bool) -> None:
        order: dict[str, Any] = {"seats": [{"kind": "device"}] * 3, "rules": {"players": 3}}
        if clock:
            order["clock"] = {"kind": "game", "seconds": 600, "increment": 3}
        created = self.person.create(game, **order)
        self.id, self.seq = created["id"], created["seq"]
        self.position = position_of(created["game"])
        self.history: list[tuple[int, list[str], Any]] = []
        self.offered: set[str] = set()
        self.keys: list[tuple[str, int, list[str], int]] = []
        self.is_over = False

    def is_playing(self) -> bool:
        return not self.is_over

    @precondition(is_playing)
    @rule(seed=st.integers(0, 2**32))
    def play(self, seed: int) -> None:
        actions, after = random_turn(self.position, random.Random(seed))
        seat, key = self.position.to_move, f"{seed}-{self.seq}"
        answer = self.person.turn(self.id, self.seq, actions, key)
        assert answer.status_code == 200, answer.text
        assert answer.json()["seq"] == self.seq + 1
        self.keys.append((key, self.seq, actions, answer.json()["seq"]))
        self._went_on(seat, actions, after, 1)

    @precondition(lambda self: bool(self.keys))
    @rule(pick=st.integers(0, 10**6))
    def replay_a_key(self, pick: int) -> None:
        key, seq, actions, acknowledged = self.keys[pick % len(self.keys)]
        answer = self.person.turn(self.id, seq, actions, key)
        assert (answer.status_code, answer.json()["seq"]) == (200, acknowledged)

    @precondition(is_playing)
    @rule(actions=st.lists(st.sampled_from(["@e7", "+e8", "e7-e9", "end", "-c3", "x"]), max_size=4))
    def try_anything(self, actions: list[str]) -> None:
        body = {"seq": self.seq, "actions": actions}
        assert self.person.post(f"/api/games/{self.id}/try", body).status_code in (200, 422)

    @rule(behind=st.integers(1, 5))
    def send_a_stale_turn(self, behind: int) -> None:
        answer = self.person.turn(self.id, self.seq + behind, ["@e7"])
        assert (answer.status_code, answer.json()["seq"]) == (409, self.seq)

    @precondition(is_playing)
    @rule(seat=Seats)
    def resign(self, seat: int) -> None:
        answer = self.person.post(f"/api/games/{self.id}/resign", {"seat": seat})
        if seat in self.position.resigned:
            assert answer.status_code == 422
            return
        assert answer.status_code == 200, answer.text
        self._went_on(seat, [], self.position.resign(seat), 1)

    @precondition(is_playing)
    @rule(seat=Seats)
    def take_back(self, seat: int) -> None:
        """One person holds all three seats, so the take-back needs no agreement."""
        asked = self.person.post(f"/api/games/{self.id}/offers", {"kind": "takeback", "seat": seat})
        mine = [i for i, (who, actions, _) in enumerate(self.history) if who == seat and actions]
        if seat in self.position.resigned or not mine:
            assert asked.status_code == 409
            return
        assert asked.status_code == 200, asked.text
        self.position = self.history[mine[-1]][2]
        del self.history[mine[-1] :]
        self.seq = asked.json()["seq"]

    @rule(seconds=st.floats(0.1, 20))
    def time_passes(self, seconds: float) -> None:
        now = self.server.now
        assert isinstance(now, FakeTime)
        now.pass_(seconds)

    def _went_on(self, seat: int, actions: list[str], after: Any, events: int) -> None:
        self.history.append((seat, actions, self.position))
        self.position = after
        self.seq += events
        self.is_over = after.outcome is not None

    @invariant()
    def the_server_agrees_with_the_model(self) -> None:
        if not hasattr(self, "id"):
            return
        snapshot = self.person.snapshot(self.id)
        turns = [seat for seat, actions, _ in self.history if actions]
        resigned = [seat for seat, actions, _ in self.history if not actions]
        assert (snapshot["seq"], snapshot["turn"]) == (self.seq, len(turns))
        assert position_of(snapshot) == self.position == replayed(snapshot)
        assert [turn["seat"] for turn in snapshot["turns"]] == turns
        assert [one["seat"] for one in snapshot["resignations"]] == resigned
        assert (snapshot["outcome"] is not None) == self.is_over

    def teardown(self) -> None:
        """Compare the state rebuilt from the log with the live state."""
        if not hasattr(self, "id"):
            return
        services = self.server.application.services
        entry = services.tables.cached(self.id)
        assert entry is not None
        live = entry.table
        again = Table.replay(self.id, live.log)
        assert again.position == live.position
        assert (again.turns, again.seats, again.clock) == (live.turns, live.seats, live.clock)
        assert again.resignations == live.resignations
        del services.tables._entries[self.id]
        self.the_server_agrees_with_the_model()


@pytest.mark.long
def test_the_state_rebuilt_from_the_log_equals_the_live_state() -> None:
    folder = Path(tempfile.mkdtemp(prefix="terrarium-test-"))
    with InProcess(folder, FakeTime()) as server, server.person() as person:
        Games.server, Games.person = server, person
        run_state_machine_as_test(
            Games,
            settings=settings(
                max_examples=size(12, 100),
                stateful_step_count=20,
                deadline=None,
                database=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
