"""Run the benchmarks of the default topics, or of the named ones, and print every figure with its target."""

from __future__ import annotations

import argparse
import os
from importlib import import_module
from types import ModuleType

TOPICS = ("nova", "turrium", "envs", "server")
ON_DEMAND = ("disk", "lighthouse", "long", "scale", "tab")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "topics",
        nargs="*",
        metavar="TOPIC",
        help=f"{', '.join(TOPICS)} by default; {', '.join(ON_DEMAND)} on demand",
    )
    chosen = parser.parse_args().topics
    for name in chosen:
        if name not in TOPICS + ON_DEMAND:
            parser.error(f"{name!r}: the topics are {', '.join(TOPICS + ON_DEMAND)}")
    print(
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}: figures are reliable only on an idle machine"
    )
    for name in chosen or TOPICS:
        _report(name, import_module(f"bench.{name}"))


def _report(name: str, module: ModuleType) -> None:
    print(f"\n{name}", flush=True)
    targets = getattr(module, "TARGETS", {})
    for figure, value in module.run().items():
        shown = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3f}"
        print(
            f"  {figure:58} {shown:>12}{_verdict(value, *targets[figure]) if figure in targets else ''}"
        )


def _verdict(value: float, sense: str, limit: float) -> str:
    is_met = value >= limit if sense == "at least" else value <= limit
    return f"   {sense} {limit:g}: {'met' if is_met else 'MISSED'}"


if __name__ == "__main__":
    main()
