"""The program that `bench.tab` runs natively, in Node.js and in Chromium: it measures how fast the engine searches."""

from __future__ import annotations

import json
import sys
import time
from random import Random
from typing import Any

import terrarium
from terrarium.engine.engine import brain_for
from terrarium.engine.search import Search

RUNS, NODES = 8, {"nova": 3_000, "turrium": 15_000}

try:  # Node.js measures processor time; a browser only measures elapsed time
    from js import process  # type: ignore[import-not-found]

    def spent() -> float:
        """Seconds of processor time so far."""
        used = process.cpuUsage()
        return float(used.user + used.system) / 1e6
except ImportError:
    spent = time.perf_counter if sys.platform == "emscripten" else time.process_time


def middle(name: str, actions: int = 60) -> Any:
    """A position from the middle of a random game."""
    random, position = Random(1), terrarium.games[name].start()
    while actions > 0 or not position.at_turn_start:
        position = position.play(random.choice(position.legal_ids()))
        actions -= 1
    return position


def nodes_per_second(name: str) -> float:
    """The highest rate of several short runs: other work on the machine can only slow them down."""
    position = middle(name)
    brain, best = brain_for(position), 0.0
    for _ in range(RUNS):
        search, begun = Search(position, brain), spent()
        search.run(60, NODES[name])
        best = max(best, search.nodes / (spent() - begun))
    return best


def speeds() -> str:
    """Nodes per second of each game, as JSON."""
    return json.dumps({name: nodes_per_second(name) for name in terrarium.games})
