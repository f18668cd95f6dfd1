"""Reads lines that a person types in the terminal."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator

__all__ = ["typed"]

WAKE = 0.2
"""Seconds between checks for Ctrl-C while `input` waits for a key."""


def typed(prompt: str) -> str:
    """A line typed after a prompt, with editing and history; Ctrl-C works at any moment."""
    with contextlib.suppress(
        ImportError
    ):  # not every Python has this module; `input` works without it
        import readline  # noqa: F401  gives `input` its editing and history
    with _interrupting():
        return input(prompt)


@contextlib.contextmanager
def _interrupting() -> Iterator[None]:
    """Interrupts `input` at intervals, so that it handles signals.

    `input` handles a signal only when one interrupts its wait for a key. A Ctrl-C just before the wait begins would have
    no effect until the next key. The alarm interrupts the wait, so the Ctrl-C takes effect after at most `WAKE` seconds.
    """
    if not hasattr(signal, "setitimer"):  # Windows has no such timer
        yield
        return
    # The handler is never removed: without one, an alarm that is already pending would end the program.
    signal.signal(signal.SIGALRM, _nothing)
    signal.setitimer(signal.ITIMER_REAL, WAKE, WAKE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _nothing(number: int, frame: object) -> None:
    """Handle an alarm: nothing to do, because the signal itself interrupts the wait."""
