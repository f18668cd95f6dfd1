"""Hostile requests in large numbers: mutated documented requests, over a few persistent connections.

`python -m tests.server.hostile_requests COUNT [SEED]` sends them to a server of its own and counts the answers.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.nova.hostile import NUMBERS, mutated, noise
from tests.server.running import Person, Server

__all__ = ["attack"]

_CONNECTIONS = 8
_PIPELINE = 8
_LEFT_OUT = ("/stream", "/live", "animation", "picture", "/api/me", "sessions", "accounts", "push")
"""Streams never end, pictures and passwords take long on purpose; the generated requests of `fuzzing` try them."""


def attack(server: Server, person: Person, count: int, seed: int) -> Counter[int]:
    """Send hostile requests. Return how often each status came; a status of 500 or more, or no answer, raises."""
    described = person.get("/api/openapi.json").json()
    paths = [
        (method.upper(), path, _fields(described, operation))
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
        if not any(word in path for word in _LEFT_OUT)
    ]
    game = person.create(seats=[{"kind": "device"}, {"kind": "device"}])
    source = {"name": "One", "source": {"text": '[Game "nova"]\n\n1. @e7 *\n'}}
    study = person.post("/api/studies", {"name": "Attacked", "chapters": [source]}).json()
    known = {"{game_id}": game["id"], "{study_id}": study["id"]}
    known["{chapter_id}"] = study["chapters"][0]["id"]
    cookie = f"terrarium={person.http.cookies['terrarium']}"
    texts = Texts(paths, known, game["game"]["position"], cookie, server.port)
    found = asyncio.run(_attack(server.port, texts, count, seed))
    # A server may close a few connections after refusals; it must not close them instead of answering.
    assert found[0] * 1_000 <= count, found
    for path in (f"/api/games/{game['id']}", f"/api/studies/{study['id']}"):
        assert person.get(path).status_code == 200, path
    return found


Fields = dict[str, str]
"""The fields of a body, each with its type."""


def _fields(described: dict[str, Any], operation: dict[str, Any]) -> Fields:
    content = operation.get("requestBody", {}).get("content", {})
    found = content.get("application/json", {}).get("schema", {})
    name = found.get("$ref", "").rpartition("/")[2]
    properties = described["components"]["schemas"].get(name, {}).get("properties", {})
    return {name: _type(facts) for name, facts in properties.items()}


def _type(facts: dict[str, Any]) -> str:
    for one in (facts, *facts.get("oneOf", ()), *facts.get("anyOf", ())):
        if one.get("type") not in (None, "null"):
            return str(one["type"])
    return "object"


class Texts:
    """Generates requests."""

    def __init__(
        self,
        paths: list[tuple[str, str, Fields]],
        known: dict[str, str],
        position: str,
        cookie: str,
        port: int,
    ) -> None:
        self.paths, self.known, self.position = paths, known, position
        self.head = (
            f"Host: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nCookie: {cookie}\r\n"
        )

    def request(self, rng: random.Random) -> bytes:
        method, path, fields = rng.choice(self.paths)
        # The study must exist until the end, so that the other requests reach it.
        is_deletion = (method, path) == ("DELETE", "/api/studies/{study_id}")
        for part in [piece for piece in path.split("/") if piece.startswith("{")]:
            path = path.replace(part, self.segment(rng, "" if is_deletion else part))
        if rng.random() < 0.3:
            path += f"?{rng.choice(('seat', 'turn', 'page', 'q', 'before', 'status'))}={quote(noise(rng)[:40].encode('utf-8', 'replace'))}"
        body = b"" if method == "GET" else self.body(rng, fields)
        kind = "application/json" if rng.random() < 0.95 else "text/plain"
        head = f"{method} {path} HTTP/1.1\r\n{self.head}Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        return head.encode() + body

    def segment(self, rng: random.Random, part: str) -> str:
        if part in self.known and rng.random() < 0.8:
            return self.known[part]
        return quote(noise(rng)[:30].encode("utf-8", "replace"), safe="") or "x"

    def body(self, rng: random.Random, fields: Fields) -> bytes:
        facts = {
            name: self.typed(rng, kind) if rng.random() < 0.8 else self.value(rng)
            for name, kind in fields.items()
            if rng.random() < 0.85
        }
        if rng.random() < 0.1:
            facts[rng.choice(_NAMES)] = self.value(rng)
        text = json.dumps(facts)
        if rng.random() < 0.2:
            text = mutated(rng, text)
        return text.encode("utf-8", "replace")

    def typed(self, rng: random.Random, kind: str) -> Any:
        """A value of the right type with arbitrary content."""
        match kind:
            case "integer":
                return rng.choice((0, 1, 1, 2, 3, rng.randint(-2, 100), rng.choice(NUMBERS)))
            case "number":
                return rng.choice((0, 0.1, 1))
            case "boolean":
                return rng.random() < 0.5
            case "array":
                words = ("@e7", "@a1", "e7-e8", "+a2", mutated(rng, "@e7"))
                return [rng.choice(words) for _ in range(rng.randint(0, 3))]
            case "string":
                texts = (self.position, mutated(rng, self.position), noise(rng), *_WORDS)
                return rng.choice(texts)
            case _:
                return self.value(rng, 1)

    def value(self, rng: random.Random, depth: int = 0) -> Any:
        match rng.randrange(9 if depth < 3 else 6):
            case 0:
                return rng.choice(NUMBERS)
            case 1:
                return noise(rng)
            case 2:
                return mutated(rng, self.position)
            case 3:
                return rng.choice((None, True, False, 0, 1, -1, 0.5, 1e308))
            case 4:
                return rng.choice(_WORDS)
            case 5:
                return mutated(rng, "@e7")
            case 6:
                return [self.value(rng, depth + 1) for _ in range(rng.randint(0, 4))]
            case _:
                return {
                    rng.choice(_NAMES): self.value(rng, depth + 1) for _ in range(rng.randint(0, 3))
                }


_WORDS = ("nova", "turrium", "draw", "takeback", "device", "computer", "@e7", "e7-e8", "private")
_NAMES = (
    *(
        "game",
        "rules",
        "board",
        "seats",
        "clock",
        "seq",
        "actions",
        "key",
        "seat",
        "kind",
        "accept",
    ),
    *(
        "text",
        "start",
        "position",
        "turns",
        "secret",
        "name",
        "level",
        "to",
        "map",
        "seed",
        "cells",
    ),
    *("landscapes", "players", "seconds", "lag_ms", "harder", "reason", "visibility", "id"),
)


async def _attack(port: int, texts: Texts, count: int, seed: int) -> Counter[int]:
    found: Counter[int] = Counter()

    async def client(number: int, share: int) -> None:
        rng = random.Random(f"{seed} {number}")
        left = share
        while left > 0:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                while left > 0:
                    sent = [texts.request(rng) for _ in range(min(_PIPELINE, left))]
                    writer.write(b"".join(sent))
                    for request in sent:
                        status = await _answer(reader)
                        assert 200 <= status < 500, (status, request[:2_000])
                        found[status] += 1
                        left -= 1
            except (asyncio.IncompleteReadError, ConnectionError):
                found[0] += 1  # the server may close the connection after a refusal
                left -= 1
            finally:
                writer.close()

    each = -(-count // _CONNECTIONS)
    await asyncio.gather(*(client(number, each) for number in range(_CONNECTIONS)))
    return found


async def _answer(reader: asyncio.StreamReader) -> int:
    async with asyncio.timeout(60):
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.lower().split(b"\r\n")
        length = next(
            (int(line[15:]) for line in lines if line.startswith(b"content-length:")), None
        )
        if length is not None:
            await reader.readexactly(length)
        elif any(b"chunked" in line for line in lines):
            while (size := int(await reader.readline(), 16)) or await reader.readline() != b"\r\n":
                await reader.readexactly(size + 2)
        return int(head[9:12])


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    with (
        tempfile.TemporaryDirectory(prefix="terrarium-hostile-") as name,
        Server(Path(name)) as running,
        running.person() as somebody,
    ):
        print(attack(running, somebody, numbers[0], numbers[1] if len(numbers) > 1 else 1))
        assert "Traceback" not in running.log, running.log[-3_000:]
