"""Metrics in Prometheus' text format."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

__all__ = ["Family", "Metrics", "as_text"]

_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Family(Struct):
    """One metric of one process: its samples, each with its suffix, labels and value."""

    name: str
    kind: str
    text: str
    samples: list[tuple[str, dict[str, str], float]]


class Metrics:
    """Counters, and gauges that are read on demand."""

    def __init__(self) -> None:
        self.refused = 0
        self.gauges: dict[str, tuple[str, str, Callable[[], float]]] = {}
        self._requests: Counter[tuple[str, int]] = Counter()
        self._buckets = [0] * (len(_BOUNDS) + 1)
        self._seconds = 0.0

    def gauge(self, name: str, text: str, value: Callable[[], float], kind: str = "gauge") -> None:
        """Add a metric that is computed when it is read."""
        self.gauges[name] = (kind, text, value)

    def request(self, scope: Any, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        self._requests[scope["method"] if len(scope["method"]) < 8 else "OTHER", status] += 1
        if not scope["path"].endswith(("/stream", "/events", "/analysis")):
            self._buckets[bisect_left(_BOUNDS, seconds)] += 1
            self._seconds += seconds

    def families(self) -> list[Family]:
        """All metrics of this process."""
        requests = [
            ("", {"method": method, "status": str(status)}, float(count))
            for (method, status), count in sorted(self._requests.items())
        ]
        times: list[tuple[str, dict[str, str], float]] = []
        total = 0
        for bound, count in zip((*_BOUNDS, "+Inf"), self._buckets, strict=True):
            total += count
            times.append(("_bucket", {"le": str(bound)}, total))
        times += [("_sum", {}, round(self._seconds, 6)), ("_count", {}, total)]
        return [
            Family(
                "requests_total", "counter", "Requests answered, by method and status.", requests
            ),
            Family(
                "refused_total",
                "counter",
                "Requests refused by their origin or rate.",
                [("", {}, self.refused)],
            ),
            Family("request_seconds", "histogram", "Time to answer a request.", times),
            *(
                Family(name, kind, text, [("", {}, value())])
                for name, (kind, text, value) in sorted(self.gauges.items())
            ),
        ]


def as_text(workers: Mapping[int, Sequence[Family]]) -> str:
    """The metrics of all workers in Prometheus' text format; with several workers each sample has the worker's number."""
    found: dict[str, tuple[Family, list[str]]] = {}
    for worker, families in sorted(workers.items()):
        own = {"worker": str(worker)} if len(workers) > 1 else {}
        for family in families:
            _, lines = found.setdefault(family.name, (family, []))
            for suffix, labels, value in family.samples:
                pairs = ",".join(f'{name}="{word}"' for name, word in (labels | own).items())
                marks = f"{{{pairs}}}" if pairs else ""
                lines.append(f"terrarium_{family.name}{suffix}{marks} {_number(value)}")
    text: list[str] = []
    for name, (family, lines) in found.items():
        text.append(f"# HELP terrarium_{name} {family.text}")
        text.append(f"# TYPE terrarium_{name} {family.kind}")
        text += lines
    return "\n".join(text) + "\n"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
