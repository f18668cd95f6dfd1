"""The engine on an event loop."""

from __future__ import annotations

import asyncio

import pytest

from terrarium import nova, turrium
from terrarium.engine import AsyncEngine, Engine, Limit
from terrarium.errors import EngineError


def test_it_chooses_what_the_engine_chooses() -> None:
    async def chosen() -> str:
        return str(await AsyncEngine(level=2, seed=3).choose(turrium.start(), Limit(nodes=300)))

    assert asyncio.run(chosen()) == str(
        Engine(level=2, seed=3).choose(turrium.start(), Limit(nodes=300))
    )


def test_the_event_loop_runs_while_the_engine_thinks() -> None:
    async def ticks() -> int:
        engine, count = AsyncEngine(level=8), 0
        thinking = asyncio.ensure_future(engine.choose(nova.start(), 1.0))
        while not thinking.done():
            await asyncio.sleep(0.01)
            count += 1
        return count

    assert asyncio.run(ticks()) > 3


def test_analysis_comes_in_steps_and_ends_with_the_final_one() -> None:
    async def seen() -> list[bool]:
        engine = AsyncEngine(level=8)
        return [found.is_final async for found in engine.analyse(nova.start(), 0.5, lines=2)]

    found = asyncio.run(seen())
    assert found[-1]
    assert not any(found[:-1])


def test_cancelling_stops_the_search_and_leaves_the_engine_usable() -> None:
    async def play() -> int:
        engine = AsyncEngine(level=8, seed=1)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(engine.choose(nova.start(), 3600), 0.2)
        return len(await engine.choose(nova.start(), Limit(nodes=200)))

    assert asyncio.run(play()) == 1


def test_leaving_an_analysis_early_leaves_the_engine_usable() -> None:
    async def play() -> int:
        engine = AsyncEngine(level=8, seed=1)
        analysis = engine.analyse(nova.start(), 3600)
        async for _ in analysis:
            break
        await analysis.aclose()  # type: ignore[attr-defined]
        return len(await engine.choose(nova.start(), Limit(nodes=200)))

    assert asyncio.run(play()) == 1


def test_errors_reach_the_caller() -> None:
    async def ask() -> None:
        await AsyncEngine().choose(nova.start(), -1)

    with pytest.raises(EngineError):
        asyncio.run(ask())
