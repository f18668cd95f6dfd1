"""Figures for Prometheus, and for whoever reads text."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from typing import Any

__all__ = ["Metrics"]

_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """Counts what happened; gauges are asked when somebody reads them."""

    def __init__(self) -> None:
        self.refused = 0
        self.gauges: dict[str, tuple[str, str, Callable[[], float]]] = {}
        self._requests: Counter[tuple[str, int]] = Counter()
        self._buckets = [0] * (len(_BOUNDS) + 1)
        self._seconds = 0.0

    def gauge(self, name: str, text: str, value: Callable[[], float], kind: str = "gauge") -> None:
        """Add a figure that is looked up when it is read."""
        self.gauges[name] = (kind, text, value)

    def request(self, scope: Any, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        self._requests[scope["method"] if len(scope["method"]) < 8 else "OTHER", status] += 1
        if not scope["path"].endswith(("/stream", "/events", "/analysis")):
            self._buckets[bisect_left(_BOUNDS, seconds)] += 1
            self._seconds += seconds

    def text(self) -> str:
        """All figures in Prometheus' text format."""
        lines = [
            "# HELP terrarium_requests_total Requests answered, by method and status.",
            "# TYPE terrarium_requests_total counter",
        ]
        lines += [
            f'terrarium_requests_total{{method="{method}",status="{status}"}} {count}'
            for (method, status), count in sorted(self._requests.items())
        ]
        lines += [
            "# HELP terrarium_refused_total Requests refused before they were looked at.",
            "# TYPE terrarium_refused_total counter",
            f"terrarium_refused_total {self.refused}",
            "# HELP terrarium_request_seconds Time to answer a request.",
            "# TYPE terrarium_request_seconds histogram",
        ]
        total = 0
        for bound, count in zip((*_BOUNDS, "+Inf"), self._buckets, strict=True):
            total += count
            lines.append(f'terrarium_request_seconds_bucket{{le="{bound}"}} {total}')
        lines.append(f"terrarium_request_seconds_sum {self._seconds:.6f}")
        lines.append(f"terrarium_request_seconds_count {total}")
        for name, (kind, text, value) in sorted(self.gauges.items()):
            lines.append(f"# HELP terrarium_{name} {text}")
            lines.append(f"# TYPE terrarium_{name} {kind}")
            lines.append(f"terrarium_{name} {value():g}")
        return "\n".join(lines) + "\n"
