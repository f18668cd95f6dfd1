"""How much a test tries: a sample in `make test`, all of it in `make long`.

The tested property is the same in both; only the numbers differ. A test that takes a number from here has the mark `long`, by which
`make long` finds it. A test that takes many seconds and repeats a quicker test with other input has the mark `slow`: it
runs in `make slow` and `.ci/run`. A test that is too long for both has the mark `only_long`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

IS_LONG = os.environ.get("TERRARIUM_LONG") == "1"


def verified(name: str, full: int) -> int:
    """The size of a long test of `make verify`: `full`, or the value of the variable `VERIFY_` and the name in capitals."""
    return int(os.environ.get(f"VERIFY_{name.upper()}", full))


def size(sample: int, long: int) -> int:
    """The number to try in this run."""
    return long if IS_LONG else sample


def sampled(ones: Iterable[Any], others: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Pairs from both lists: in a sample, each element at least once; otherwise all pairs.

    >>> sampled("ab", "xyz")
    [('a', 'x'), ('b', 'y'), ('a', 'z')]
    """
    rows = list(ones)
    if IS_LONG:
        return [(one, other) for one in rows for other in others]
    count = max(len(rows), len(others))
    return [(rows[i % len(rows)], others[i % len(others)]) for i in range(count)]


def mostly_slow(ones: Iterable[Any], *quick: Any) -> list[Any]:
    """Parameters of a test; `make test` uses only the `quick` ones."""
    return [one if one in quick else pytest.param(one, marks=pytest.mark.slow) for one in ones]
