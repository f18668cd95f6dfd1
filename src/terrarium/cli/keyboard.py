"""What somebody types at the terminal, a line at a time."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator

__all__ = ["typed"]

WAKE = 0.2
"""Seconds after which a wait for the keyboard looks up whether Ctrl-C was pressed."""


def typed(prompt: str) -> str:
    """A line typed after a prompt, with editing and history; Ctrl-C works at any moment."""
    with contextlib.suppress(ImportError):  # not every Python has it; typing works without
        import readline  # noqa: F401  gives `input` its editing and history
    with _interrupting():
        return input(prompt)


@contextlib.contextmanager
def _interrupting() -> Iterator[None]:
    """Interrupts `input` from time to time, so that it handles signals.

    `input` handles a signal only when one interrupts its waiting. A Ctrl-C in the moment between showing the prompt, or
    taking a key, and waiting again would have no effect until the next key; with the alarm it takes effect at once.
    """
    if not hasattr(signal, "setitimer"):  # Windows waits in another way
        yield
        return
    # The handler stays: an alarm that is already on its way must find one, or it would end the program.
    signal.signal(signal.SIGALRM, _nothing)
    signal.setitimer(signal.ITIMER_REAL, WAKE, WAKE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _nothing(number: int, frame: object) -> None:
    """Handle an alarm: it only has to interrupt the waiting."""
