"""Server and client of the engine protocol, a dialect of UCI over stdin and stdout. `docs/protocol.md` describes it."""

from __future__ import annotations

import json
import queue
import shlex
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock, Thread
from time import monotonic
from typing import TextIO

from terrarium import __version__
from terrarium.core.action import Action
from terrarium.core.game import GAMES
from terrarium.core.position import Position
from terrarium.core.record.tags import option_value
from terrarium.engine.engine import MOST_THREADS, Analysis, Engine
from terrarium.engine.explain import explained
from terrarium.engine.levels import LEVELS
from terrarium.engine.limit import Limit
from terrarium.errors import EngineError, TerrariumError

__all__ = ["Client", "Server"]

_START = 60.0
"""Seconds that an external engine may take to start; on a busy machine Python alone takes several."""
_ANSWER_SLACK = 10.0
"""Seconds after its time limit at which an external engine is considered dead."""


class Server:
    """Our engine behind the protocol."""

    def __init__(
        self,
        source: TextIO | None = None,
        target: TextIO | None = None,
        *,
        level: int = len(LEVELS),
        memory_mb: int = 256,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        # raises EngineError for an invalid value
        Engine(level=level, seed=seed, memory_mb=memory_mb, threads=threads)
        self._source = sys.stdin if source is None else source
        self._target = sys.stdout if target is None else target
        self._writing = Lock()
        self._options = {
            "Level": level,
            "Memory": memory_mb,
            "Lines": 1,
            "Seed": seed,
            "Explain": 0,
            "Threads": threads,
        }
        self._bounds = {
            "Level": (1, len(LEVELS)),
            "Memory": (1, 65_536),
            "Lines": (1, 64),
            "Seed": (0, 2**31 - 1),
            "Explain": (0, 1),
            "Threads": (1, MOST_THREADS),
        }
        self._position: Position | None = None
        self._engine: Engine | None = None
        self._asked: dict[str, int] = {}  # the options of `_engine`
        self._thinking: Thread | None = None

    def serve(self) -> None:
        """Answer commands until `quit` or the end of the input."""
        for line in self._source:
            words = line.split()
            if not words:
                continue
            if words[0] == "quit":
                break
            try:
                self._obey(words[0], words[1:])
            except TerrariumError as error:
                self._say(f"info error {error.code} {error}")
        self._stop()

    def _say(self, text: str) -> None:
        with self._writing:
            print(text, file=self._target, flush=True)

    def _obey(self, command: str, words: list[str]) -> None:
        if command == "uci":
            self._introduce()
        elif command == "isready":
            self._say("readyok")
        elif command == "setoption":
            self._set_option(words)
        elif command == "newgame":
            self._stop()
            self._position = self._engine = None
        elif command == "position":
            position = read_position(words)
            self._stop()
            self._position = position
        elif command == "go":
            self._go(words)
        elif command == "stop":
            self._stop()
        else:
            raise EngineError(
                "no-such-command",
                f"{command:.40}: commands are uci, isready, setoption, newgame, position, go, stop, quit",
            )

    def _introduce(self) -> None:
        self._say(f"id name Terrarium {__version__}")
        self._say("id author the Terrarium maintainers")
        for name, value in self._options.items():
            low, high = self._bounds[name]
            self._say(f"option name {name} type spin default {value} min {low} max {high}")
        self._say("uciok")

    def _set_option(self, words: list[str]) -> None:
        if len(words) != 4 or words[0] != "name" or words[2] != "value":
            raise EngineError("bad-command", "setoption name NAME value VALUE")
        name, value = words[1], words[3]
        if name not in self._options:
            raise EngineError(
                "no-such-option", f"{name:.40}: options are {', '.join(self._options)}"
            )
        low, high = self._bounds[name]
        if not _is_count(value) or not low <= int(value) <= high:
            raise EngineError("bad-option", f"{name} {value:.40}: a number from {low} to {high}")
        self._options[name] = int(value)

    def _go(self, words: list[str]) -> None:
        if self._position is None:
            raise EngineError("no-position", "go: send `position` first")
        if self._position.outcome is not None:
            raise EngineError("game-over", "go: the game is over")
        limit = read_limit(words)
        self._stop()
        if self._engine is None or self._asked != self._options or limit.nodes is not None:
            self._asked = dict(self._options)
            self._engine = Engine(
                level=self._options["Level"],
                seed=self._options["Seed"],
                memory_mb=self._options["Memory"],
                threads=self._options["Threads"],
            )
        self._thinking = Thread(target=self._think, args=(self._engine, self._position, limit))
        self._thinking.start()

    def _think(self, engine: Engine, position: Position, limit: Limit) -> None:
        try:
            choice = engine.choose(
                position,
                limit,
                on_report=lambda analysis: self._report(position, analysis),
                lines=self._options["Lines"],
            )
        except (TerrariumError, MemoryError) as error:
            code = getattr(error, "code", "out-of-memory")
            self._say(f"info error {code} {error}")
            return
        self._say("bestturn " + " ".join(map(str, choice.actions)))

    def _report(self, position: Position, analysis: Analysis) -> None:
        if analysis.is_final and self._options["Explain"]:
            analysis = explained(position, analysis)
        for rank, line in enumerate(analysis.lines, start=1):
            shares = " ".join(f"{share:.4f}" for share in line.shares)
            points = " ".join(f"{value:.1f}" for value in line.points)
            turn = " ".join(map(str, line.turn))
            replies = " / ".join(" ".join(reply) for reply in line.replies)
            self._say(
                f"info line {rank} nodes {analysis.nodes} time {analysis.seconds * 1000:.0f} "
                f"visits {line.visits} proven {line.is_proven:d} "
                f"shares {shares} points {points} turn {turn}"
                + (f" replies {replies}" if replies else "")
            )
        for rank, line in enumerate(analysis.lines, start=1):
            for reason in line.reasons:
                self._say(f"info reason {rank} {json.dumps(reason.to_dict())}")

    def _stop(self) -> None:
        if self._thinking is not None:
            if self._engine is not None:
                self._engine.stop()
            self._thinking.join()
            self._thinking = None
            if self._engine is not None:
                self._engine.forget_stop()  # the search may have ended before it was stopped


def read_position(words: list[str]) -> Position:
    """The position that a `position …` command describes: `start GAME option=value …` or `text POSITION`, then `actions …`."""
    played: list[str] = []
    if "actions" in words:
        at = words.index("actions")
        words, played = words[:at], words[at + 1 :]
    if len(words) >= 2 and words[0] == "start" and words[1] in GAMES:
        game = GAMES[words[1]]
        options: dict[str, object] = {}
        for word in words[2:]:
            name, equals, value = word.partition("=")
            if not equals:
                raise EngineError("bad-command", f"{word:.40}: options are written name=value")
            options[name] = option_value(value)
        position = game.start(**options)
    elif len(words) >= 2 and words[0] == "text":
        text = " ".join(words[1:])
        name = text.split(None, 1)[0].split("/")[0]
        if name not in GAMES:
            raise EngineError(
                "no-such-game", f"{name:.40}: a position begins with {' or '.join(GAMES)}"
            )
        position = GAMES[name].position(text)
    else:
        raise EngineError(
            "bad-command",
            f"position start {'|'.join(GAMES)} [option=value …] [actions …], or position text TEXT [actions …]",
        )
    return position.play_all(played)


def _is_count(text: str) -> bool:
    """Whether a word is a whole number with fewer than 16 digits."""
    return text.isascii() and text.isdecimal() and len(text) < 16


def read_limit(words: list[str]) -> Limit:
    """The limit of a `go …` command: `movetime MS`, `nodes N`, `infinite`; two seconds by default."""
    seconds: float | None = None
    nodes: int | None = None
    rest = iter(words)
    for word in rest:
        if word == "infinite":
            seconds = 86_400
            continue
        value = next(rest, "")
        if word not in ("movetime", "nodes") or not _is_count(value):
            raise EngineError("bad-command", "go [movetime MILLISECONDS] [nodes N] [infinite]")
        if word == "movetime":
            seconds = max(0.001, int(value) / 1000)
        else:
            nodes = int(value)
    if seconds is None and nodes is None:
        seconds = 2.0
    return Limit(seconds=seconds, nodes=nodes)


class Client:
    """An external engine, run as a program; `with` ends the program.

    >>> from terrarium import nova
    >>> from terrarium.engine import Client
    >>> with Client("terrarium engine --level 1") as engine:          # doctest: +SKIP
    ...     turn = engine.choose(nova.start(), 0.5)
    """

    def __init__(self, command: str, seed: int = 0) -> None:
        self._command = command
        try:
            self._process = subprocess.Popen(
                shlex.split(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",  # invalid UTF-8, for instance in the engine's name, must not stop the reading
                bufsize=1,
            )
        except (OSError, ValueError) as error:
            raise EngineError(
                "no-such-program", f"{command}: can't be started ({error})"
            ) from error
        self._lines: queue.Queue[str | None] = queue.Queue()
        Thread(target=self._listen, daemon=True).start()
        self._options: set[str] = set()
        try:
            self._tell("uci")
            self._await("uciok", _START)
            if "Seed" in self._options:
                self._tell(f"setoption name Seed value {seed % 2**31}")
            self._tell("isready")
            self._await("readyok", _ANSWER_SLACK)
        except EngineError:
            self.close()
            raise

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def choose(self, position: Position, limit: Limit | float | None = None) -> Sequence[Action]:
        """The turn that the engine plays within a limit, or within that many seconds (2 by default).

        Raises EngineError if its answer is empty or illegal.
        """
        if limit is None or isinstance(limit, int | float):
            limit = Limit(seconds=2.0 if limit is None else limit)
        self._tell(f"position text {position.to_text()}")
        words = ["go"]
        if limit.seconds is not None:
            words += ["movetime", str(max(1, round(limit.seconds * 1000)))]
        if limit.nodes is not None:
            words += ["nodes", str(limit.nodes)]
        self._tell(" ".join(words))
        answer = self._await("bestturn", (limit.seconds or 600) + _ANSWER_SLACK)
        actions: list[Action] = []
        for text in answer.split()[1:]:
            try:
                actions.append(position.parse(text))
                position = position.play(actions[-1])
            except TerrariumError as error:
                raise EngineError(
                    "illegal-turn", f"{self._command}: {answer:.200}: {error}"
                ) from error
        if not actions:
            raise EngineError("illegal-turn", f"{self._command}: did not answer with a turn")
        return actions

    def close(self) -> None:
        """Ask the program to end; kill it if it does not."""
        if self._process.poll() is None:
            try:
                self._tell("quit")
                self._process.wait(timeout=5)
            except (EngineError, subprocess.TimeoutExpired):
                self._process.kill()
                self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                # the program has ended, so the rest of the buffer can't be written
                with suppress(OSError):
                    stream.close()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        try:
            for line in self._process.stdout:
                self._lines.put(line.strip())
        except ValueError:
            pass  # the stream was closed during reading
        self._lines.put(None)

    def _tell(self, text: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(text + "\n")
            self._process.stdin.flush()
        except OSError as error:
            raise EngineError("program-died", f"{self._command}: exited unexpectedly") from error

    def _await(self, word: str, seconds: float) -> str:
        """The next line that begins with a word; other lines do not extend the time limit."""
        end = monotonic() + seconds
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, end - monotonic()))
            except queue.Empty:
                self._process.kill()
                raise EngineError(
                    "program-silent", f"{self._command}: no {word} within {seconds:.0f} seconds"
                ) from None
            if line is None:
                raise EngineError("program-died", f"{self._command}: exited before it said {word}")
            words = line.split()
            if words[:2] == ["option", "name"]:
                self._options.update(words[2:3])
            if words[:1] == [word]:
                return line
