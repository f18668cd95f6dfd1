"""`terrarium bot`: connects an engine to a server, where it plays for an account."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection
from typing import Annotated, Any
from urllib.parse import quote

import typer

from terrarium import games
from terrarium.cli.remote import Refused, Remote, Unreachable, pause
from terrarium.engine import Client
from terrarium.errors import EngineError

__all__ = ["Bot", "bot"]

_FAULTS = 3
"""After this many failures of the engine in one turn, the bot resigns the game."""


class Bot:
    """Follows all games of an account and plays those of the chosen kinds."""

    def __init__(
        self,
        remote: Remote,
        command: str,
        *,
        seconds: float = 2.0,
        kinds: Collection[str] = (),
        challengers: Collection[str] = (),
        is_accepting: bool = True,
        max_games: int = 8,
    ) -> None:
        self._remote = remote
        self._command = command
        self._engine: Client | None = None
        self._seconds = seconds
        self._kinds = frozenset(kinds)
        self._challengers = frozenset(name.casefold() for name in challengers)
        self._is_accepting = is_accepting
        self._max_games = max_games
        self._playing: set[str] = set()
        self.ended = 0

    def run(self, stop_after: int | None = None) -> None:
        """Play until `stop_after` games have ended; forever if it is None."""
        self._start()
        since, attempt = None, 0
        while stop_after is None or self.ended < stop_after:
            query = "" if since is None else f"?since={quote(since)}"
            try:
                for event in self._remote.lines(f"/api/stream/events{query}"):
                    since, attempt = event["at"], 0
                    self._handle(event)
                    if stop_after is not None and self.ended >= stop_after:
                        return
                _say("the stream ended; connecting again")
            except Unreachable as error:
                _say(str(error))
            except Refused as error:
                if error.status in (401, 403):
                    raise
                _say(str(error))
            pause(attempt)
            attempt = min(attempt + 1, 6)

    def close(self) -> None:
        """Stop the engine."""
        if self._engine is not None:
            self._engine.close()

    def _start(self) -> Client:
        if self._engine is None:
            self._engine = Client(self._command)
        return self._engine

    def _handle(self, event: dict[str, Any]) -> None:
        if event["type"] == "challenge":
            self._answer(event["challenge"])
        elif event["type"].startswith("game-"):
            self._game(event)

    def _answer(self, challenge: dict[str, Any]) -> None:
        if challenge["is_yours"] or challenge["status"] != "open":
            return
        name = challenge["challenger"]["name"]
        is_wanted = (
            self._is_accepting
            and self._is_kind(challenge["game"])
            and (not self._challengers or name.casefold() in self._challengers)
            and len(self._playing) < self._max_games
        )
        answer = "accept" if is_wanted else "decline"
        try:
            done = self._remote.ask("POST", f"/api/challenges/{challenge['id']}/{answer}")
            if is_wanted:
                self._playing.add(done["game_id"])
            _say(f"challenge of {name}: {done['status']}")
        except Refused as error:
            _say(f"challenge of {name}: {error}")  # for example, it was withdrawn

    def _is_kind(self, game: str) -> bool:
        return game in games and (not self._kinds or game in self._kinds)

    def _game(self, event: dict[str, Any]) -> None:
        id = event["id"]
        if not self._is_kind(event["game"]):
            return
        if event["status"] in ("over", "aborted") or not event["seats"]:
            if event["type"] == "game-over":
                self.ended += 1
                _say(f"game {id}: over, {event['outcome']['reason']}")
            self._playing.discard(id)
            return
        self._playing.add(id)
        try:
            if event["status"] == "waiting":
                self._sit(id)
            if event["is_your_turn"]:
                self._play(id)
        except Refused as error:
            # The game has changed since the event; its next event has the new state.
            _say(f"game {id}: {error}")

    def _sit(self, id: str) -> None:
        snapshot = self._remote.ask("GET", f"/api/games/{id}")
        for seat in snapshot["you"]:
            if not snapshot["seats"][seat]["is_taken"]:
                self._remote.ask("POST", f"/api/games/{id}/seats/{seat}", {})

    def _play(self, id: str) -> None:
        """Play one turn; the next event says when it is our turn again."""
        faults = 0
        while True:
            snapshot = self._remote.ask("GET", f"/api/games/{id}")
            seat = snapshot["view"]["to_move"]
            if seat not in snapshot["you"] or snapshot["status"] not in ("waiting", "playing"):
                return
            try:
                turn = self._turn(snapshot)
            except EngineError as error:
                _say(f"game {id}: {error}")
                self.close()
                self._engine, faults = None, faults + 1
                if faults == _FAULTS:
                    self._remote.ask("POST", f"/api/games/{id}/resign", {"seat": seat})
                    return
                continue
            seq = snapshot["seq"]
            order = {"seq": seq, "actions": turn, "key": f"bot-{seq}"}
            try:
                self._remote.ask("POST", f"/api/games/{id}/turns", order)
                return
            except Refused as error:
                if error.code != "stale-turn":
                    raise
                # The position changed while the engine was thinking: look again.

    def _turn(self, snapshot: dict[str, Any]) -> list[str]:
        """The engine's actions for a whole turn; an engine may answer with a part of a turn at a time."""
        position = games[snapshot["game"]].position(snapshot["position"])
        seat, turn = position.to_move, list[str]()
        until = time.monotonic() + self._time(snapshot, seat)
        while position.to_move == seat and (not turn or not position.at_turn_start):
            seconds = max(0.05, until - time.monotonic())
            for action in self._start().choose(position, seconds):
                turn.append(str(action))
                position = position.play(action)
        return turn

    def _time(self, snapshot: dict[str, Any], seat: int | None) -> float:
        clock = snapshot["clock"]
        if clock is None or seat is None or clock["kind"] == "correspondence":
            return self._seconds
        left: float = clock["remaining_ms"][seat] / 1000
        increment: float = clock.get("increment", 0)
        return max(0.05, min(self._seconds, left / 20 + increment / 2))


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def bot(
    engine: Annotated[
        str,
        typer.Option("--engine", metavar="CMD", help="A program that speaks the engine protocol."),
    ],
    token: Annotated[
        str,
        typer.Option(
            "--token",
            envvar="TERRARIUM_TOKEN",
            help="A token with the scopes play and follow; see terrarium token.",
        ),
    ],
    server: Annotated[
        str, typer.Option("--server", metavar="URL", help="The server.")
    ] = "http://127.0.0.1:8000",
    game: Annotated[
        list[str] | None,
        typer.Option("--game", metavar="NAME", help="Play only this game; may be repeated."),
    ] = None,
    challenger: Annotated[
        list[str] | None,
        typer.Option(
            "--from",
            metavar="NAME",
            help="Accept challenges only from this account; may be repeated.",
        ),
    ] = None,
    challenges: Annotated[
        bool, typer.Option(help="Accept challenges, or decline all of them.")
    ] = True,
    max_games: Annotated[
        int,
        typer.Option(
            "--max-games", metavar="N", min=1, help="Decline challenges beyond this many games."
        ),
    ] = 8,
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="S", min=0.05, help="Time for a turn.")
    ] = 2.0,
    stop_after: Annotated[
        int | None,
        typer.Option("--stop-after", metavar="N", min=1, help="Exit after this many games."),
    ] = None,
) -> None:
    """Let an engine play on a server, in all games in which an account has a seat."""
    for name in game or ():
        if name not in games:
            raise typer.BadParameter(f"{name!r:.60}: the games are {', '.join(games)}")
    player = Bot(
        Remote(server, token),
        engine,
        seconds=seconds,
        kinds=game or (),
        challengers=challenger or (),
        is_accepting=challenges,
        max_games=max_games,
    )
    try:
        player.run(stop_after)
    finally:
        player.close()
