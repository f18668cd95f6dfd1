"""A server that measures how long one callback blocks its event loop, in processor time, so that other programs do not count.

`python -m bench.holding FILE serve …` runs `terrarium serve …`. After SIGUSR1 the file holds the longest hold since the last
signal, in seconds. uvloop is not used, because its callbacks can't be measured.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from pathlib import Path

from terrarium.cli import main

__all__ = ["longest_hold", "note_holds"]


class _Longest:
    seconds = 0.0


def note_holds() -> None:
    """Measure every callback of event loops from now on."""
    run = asyncio.Handle._run

    def measured(self: asyncio.Handle) -> None:
        started = time.thread_time()
        run(self)
        _Longest.seconds = max(_Longest.seconds, time.thread_time() - started)

    asyncio.Handle._run = measured  # type: ignore[method-assign]


def longest_hold() -> float:
    """The longest hold since the last call, in seconds."""
    found, _Longest.seconds = _Longest.seconds, 0.0
    return found


if __name__ == "__main__":
    path = Path(sys.argv[1])
    sys.modules["uvloop"] = None  # type: ignore[assignment]
    note_holds()
    signal.signal(signal.SIGUSR1, lambda *_: path.write_text(str(longest_hold())) and None)
    sys.exit(main(sys.argv[2:]))
