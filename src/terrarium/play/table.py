"""A game as the replay of its events: the same events always give the same table.

Only `Table.after(events)` changes a game; `commands` decides which events may happen.
"""

from __future__ import annotations

import copy
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from terrarium import games
from terrarium.core.event import Event
from terrarium.core.position import Position
from terrarium.engine import DEFAULT_LEVEL
from terrarium.play.boards import board_from
from terrarium.play.clocks import Clock, iso
from terrarium.play.log import LOSING_EVENTS, LogEvent
from terrarium.play.shapes import ResignationView, Status, TurnView
from terrarium.play.shared_list import SharedList

__all__ = ["Offer", "PlayedOut", "Seat", "Table"]

_MARK = 16
"""Every 16th position is stored, so that any other can be replayed from a near one."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A place at the table: for the creator's device, a friend with a link, anybody, or a computer."""

    kind: str
    name: str | None = None
    level: int | None = None
    is_taken: bool = False
    is_account: bool = False
    """Whether the name is that of the account that took the seat."""
    is_bot: bool = False
    """Whether that account is a bot."""
    character: str | None = None
    """The key of a computer's character."""
    lost_at: int = 0
    """When the seat's last holder lost it; earlier messages were meant for that person."""

    @property
    def is_computer(self) -> bool:
        return self.kind == "computer"


@dataclass(frozen=True, slots=True)
class PlayedOut:
    """The position and the events after a turn; computed when the turn is checked, and passed on."""

    position: Position
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Offer:
    """A take-back, a draw or an end that a seat offers, and the seats that have agreed so far."""

    kind: str
    seat: int
    accepted: tuple[int, ...]


@dataclass
class Table:
    """The full state of one game at one seq."""

    id: str
    game: str
    rules: Any
    board: Any
    start: Position
    position: Position
    seats: list[Seat]
    visibility: str
    on_timeout: str
    created: int
    updated: int
    clock: Clock | None = None
    seq: int = 0
    position_seq: int = 0
    """The seq of the last event that changed the position; turns for earlier seqs are stale."""
    turns: SharedList[TurnView] = field(default_factory=SharedList)
    resignations: list[ResignationView] = field(default_factory=list)
    offers: tuple[Offer, ...] = ()
    is_aborted: bool = False
    ending: dict[str, Any] | None = None
    """How the game ended if not by its rules: winners and reason."""
    rematch: str | None = None
    rematch_of: str | None = None
    log: SharedList[LogEvent] = field(default_factory=SharedList)
    _marks: SharedList[Position] = field(default_factory=SharedList)
    # Shared with earlier and later tables; entries that belong only to those are ignored.
    _keys: dict[str, int] = field(default_factory=dict)
    _undone: dict[int, TurnView] = field(default_factory=dict)

    @classmethod
    def replay(cls, game_id: str, events: Iterable[LogEvent]) -> Table:
        """The table after these events, from the first on."""
        rest = iter(events)
        table = _created(game_id, next(rest))
        for event in rest:
            table._apply(event)
        return table

    def after(
        self, events: Iterable[LogEvent], played: Mapping[int, PlayedOut] | None = None
    ) -> Table:
        """The table after further events; this one is unchanged. The cost does not depend on the length of the game.

        `played` has the results of turns by seq, if they are known from their check.
        """
        table = copy.copy(self)
        table.seats, table.resignations = list(self.seats), list(self.resignations)
        table.turns, table.log = self.turns.view(), self.log.view()
        table._marks = self._marks.view()
        for event in events:
            table._apply(event, (played or {}).get(event.seq))
        return table

    @property
    def players(self) -> int:
        return len(self.seats)

    @property
    def outcome(self) -> dict[str, Any] | None:
        """Winners, reason and scores once the game is over."""
        if self.ending is not None:
            return self.ending
        outcome = self.position.outcome
        return None if outcome is None else outcome.to_dict()

    @property
    def status(self) -> Status:
        """`waiting` for people, `playing`, `over` or `aborted`."""
        if self.is_aborted:
            return "aborted"
        if self.outcome is not None:
            return "over"
        return "playing" if all(seat.is_taken for seat in self.seats) else "waiting"

    @property
    def is_live(self) -> bool:
        """Whether turns can still be played."""
        return self.status in ("waiting", "playing")

    @property
    def to_move(self) -> int | None:
        """The seat to move; None when the game has ended in any way."""
        return self.position.to_move if self.is_live else None

    @property
    def awaits_computer(self) -> bool:
        """Whether a computer has to move now; computers wait until everybody is seated."""
        seat = self.to_move
        return seat is not None and self.seats[seat].is_computer and self.status == "playing"

    @property
    def scores(self) -> list[int] | None:
        """The points so far, where the game has points."""
        scores = getattr(self.position, "scores", None)
        return None if scores is None else list(scores)

    def index(self) -> dict[str, Any]:
        """The facts for lists and timers, as the `games` row stores them."""
        return {
            "status": self.status,
            "has_open_seat": self.is_live
            and any(seat.kind == "open" and not seat.is_taken for seat in self.seats),
            "seq": self.seq,
            "turns": len(self.turns),
            "names": " ".join(seat.name.casefold() for seat in self.seats if seat.name),
            "awaits_computer": self.awaits_computer,
            "deadline": None if self.clock is None else self.clock.final_deadline,
            "updated": self.updated,
        }

    def position_at(self, turns: int) -> Position:
        """The position after that many turns and the resignations that followed them."""
        assert turns <= len(self.turns), f"{self.id}: no turn {turns}"
        if turns == len(self.turns):
            return self.position
        mark = turns // _MARK * _MARK
        return next(
            position
            for number, position in enumerate(self.positions(mark), mark)
            if number == turns
        )

    def positions(self, first: int = 0) -> Iterator[Position]:
        """The position after each number of turns, from `first` on."""
        mark = min(first // _MARK, len(self._marks))
        position = self._marks[mark - 1] if mark else self.start
        for number in range(mark * _MARK, len(self.turns) + 1):
            if number > mark * _MARK:
                position = position.play_all(self.turns[number - 1].actions)
            for resignation in self.resignations:
                if resignation.after == number:
                    position = position.resign(resignation.seat)
            if number >= first:
                yield position

    def logged(self, key: str) -> int | None:
        """The seq of the event with this key, None if there is none."""
        seq = self._keys.get(key)
        return seq if seq is not None and seq <= self.seq and self.log[seq - 1].key == key else None

    def turn_at(self, seq: int) -> TurnView:
        """The turn that was played at a seq, even if it has been taken back since."""
        place = bisect_left(self.turns, seq, key=lambda turn: turn.seq)
        if place < len(self.turns) and self.turns[place].seq == seq:
            return self.turns[place]
        return self._undone[seq]

    def _apply(self, event: LogEvent, played: PlayedOut | None = None) -> None:
        assert event.seq == self.seq + 1, f"{self.id}: event {event.seq} after {self.seq}"
        self.seq, self.updated = event.seq, event.at
        self.log.append(event)
        if event.key is not None:
            self._keys[event.key] = event.seq
        if event.kind == "turn":
            self._turn(event, played or _played_out(self.position, event.data["actions"]))
        else:
            _FOLD[event.kind](self, event)
        if event.kind in LOSING_EVENTS:
            assert event.seat is not None
            self.seats[event.seat] = replace(self.seats[event.seat], lost_at=event.at)
        if self.clock is not None:
            self.clock = self.clock.switch(self._clock_seat(), event.at)

    def _clock_seat(self) -> int | None:
        """The seat whose time runs; None for a computer, and while seats are not taken."""
        seat = self.to_move
        if seat is None or self.status != "playing" or self.seats[seat].is_computer:
            return None
        return seat

    def _sat(self, event: LogEvent) -> None:
        assert event.seat is not None
        seat, data = self.seats[event.seat], event.data
        if data.get("forget"):
            # An account was deleted: only the seat's name is removed.
            self.seats[event.seat] = replace(seat, name=None, is_account=False, is_bot=False)
            return
        is_account = data.get("account", False) or (seat.is_account and not data.get("name"))
        name = data.get("name") or seat.name
        is_bot = is_account and data.get("bot", seat.is_bot)
        self.seats[event.seat] = replace(
            seat, is_taken=True, name=name, is_account=is_account, is_bot=is_bot
        )

    def _turn(self, event: LogEvent, played: PlayedOut) -> None:
        assert event.seat is not None
        spent, lag = event.data.get("spent", 0), event.data.get("lag", 0)
        if self.clock is not None:
            self.clock = self.clock.after_turn(event.seat, spent, lag)
        self.position, self.position_seq, self.offers = played.position, event.seq, ()
        if not self.seats[event.seat].is_taken:
            self.seats[event.seat] = replace(self.seats[event.seat], is_taken=True)
        turn = TurnView(
            len(self.turns) + 1,
            event.seat,
            list(event.data["actions"]),
            [item.to_dict() for item in played.events],
            iso(event.at),
            event.data.get("by", "player"),
            event.seq,
        )
        if self.clock is not None:
            turn.clock_ms = self.clock.remaining[event.seat]
        self.turns.append(turn)
        if turn.number % _MARK == 0:
            self._marks.append(self.position)

    def _resigned(self, event: LogEvent) -> None:
        assert event.seat is not None
        self.position, events = self.position.step_resignation(event.seat)
        shown = [item.to_dict() for item in events]
        self.position_seq, self.offers = event.seq, ()
        by = event.data.get("by", "player")
        resignation = ResignationView(
            event.seat, len(self.turns), shown, iso(event.at), by, event.seq
        )
        self.resignations.append(resignation)

    def _timed_out(self, event: LogEvent) -> None:
        assert event.seat is not None
        if event.data["effect"] == "computer":
            self._taken_over(event)
        elif event.data["effect"] == "resign":
            self._resigned(event)
        else:
            winners = [seat for seat in range(self.players) if seat != event.seat]
            self._end("timeout", winners)
            self.position_seq = event.seq

    def _taken_over(self, event: LogEvent) -> None:
        assert event.seat is not None
        data, before = event.data, self.seats[event.seat]
        self.seats[event.seat] = Seat(
            "computer",
            before.name or data.get("name"),
            data.get("level", DEFAULT_LEVEL),
            True,
            character=data.get("character"),
        )

    def _vacated(self, event: LogEvent) -> None:
        assert event.seat is not None
        self.seats[event.seat] = Seat("open")

    def _offered(self, event: LogEvent) -> None:
        assert event.seat is not None
        others = tuple(offer for offer in self.offers if offer.kind != event.data["offer"])
        self.offers = (*others, Offer(event.data["offer"], event.seat, (event.seat,)))

    def _answered(self, event: LogEvent) -> None:
        assert event.seat is not None
        kept = []
        for offer in self.offers:
            if offer.kind != event.data["offer"]:
                kept.append(offer)
            elif event.data["accept"]:
                kept.append(replace(offer, accepted=(*offer.accepted, event.seat)))
        self.offers = tuple(kept)

    def _taken_back(self, event: LogEvent) -> None:
        keep = event.data["turns"]
        if "resignations" in event.data:
            resignations = event.data["resignations"]
        else:
            # Old logs have one number for turns and resignations together.
            played = sorted(
                [(turn.seq, 1) for turn in self.turns] + [(one.seq, 0) for one in self.resignations]
            )[:keep]
            keep = sum(is_turn for _, is_turn in played)
            resignations = len(played) - keep
        self.resignations = self.resignations[:resignations]
        self.position = self.position_at(keep)
        self._undone |= {turn.seq: turn for turn in self.turns[keep:]}
        self.turns, self._marks = self.turns.view(keep), self._marks.view(keep // _MARK)
        self.position_seq, self.offers = event.seq, ()

    def _agreed(self, event: LogEvent) -> None:
        self._end("agreement", event.data["winners"])
        self.position_seq, self.offers = event.seq, ()

    def _aborted(self, event: LogEvent) -> None:
        self.is_aborted, self.offers, self.position_seq = True, (), event.seq
        self._end("aborted", [])

    def _rematched(self, event: LogEvent) -> None:
        self.rematch = event.data["id"]

    def _vacation(self, event: LogEvent) -> None:
        assert event.seat is not None
        if self.clock is not None:
            self.clock = self.clock.vacation(event.seat, event.data["on"], event.at)

    def _end(self, reason: str, winners: list[int]) -> None:
        self.ending = {"winners": winners, "reason": reason, "scores": self.scores}


def _played_out(position: Position, actions: Sequence[str]) -> PlayedOut:
    after, events = position.step_all(actions)
    return PlayedOut(after, tuple(event for some in events for event in some))


_FOLD = {
    "sat": Table._sat,
    "resigned": Table._resigned,
    "timed-out": Table._timed_out,
    "taken-over": Table._taken_over,
    "vacated": Table._vacated,
    "offered": Table._offered,
    "answered": Table._answered,
    "taken-back": Table._taken_back,
    "agreed": Table._agreed,
    "aborted": Table._aborted,
    "rematched": Table._rematched,
    "vacation": Table._vacation,
}


def _created(game_id: str, event: LogEvent) -> Table:
    data = event.data
    game = games[data["game"]]
    rules = game.rules(**data["rules"])
    board = board_from(game, data["board"]) if data["board"] else None
    text = data.get("position")
    start = game.begin(rules, board) if text is None else game.position(text, board)
    seats = [
        Seat(
            seat["kind"],
            seat["name"],
            seat["level"],
            seat["kind"] in ("device", "computer") or seat.get("taken", False),
            seat.get("account", False),
            seat.get("bot", False),
            seat.get("character"),
        )
        for seat in data["seats"]
    ]
    clock = Clock.start(data["clock"], len(seats)) if data["clock"] else None
    table = Table(
        game_id,
        data["game"],
        rules,
        board,
        start,
        start,
        seats,
        data["visibility"],
        data["on_timeout"],
        event.at,
        event.at,
        clock,
        event.seq,
        event.seq,
        rematch_of=data.get("rematch_of"),
        log=SharedList([event]),
    )
    if table.clock is not None:
        table.clock = table.clock.switch(table._clock_seat(), event.at)
    return table
