"""Reconnecting converges: whatever the network does, every client ends with the same game."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
from typing import Any

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from terrarium import games
from tests.server.playing import random_turn
from tests.server.proxy import MISFORTUNES, Proxy
from tests.server.running import PATIENCE, Server

TURNS = 24


class Client:
    """A client that works like the page: it keeps the last seq, and requests what it missed."""

    def __init__(self, url: str, game: str, secret: str | None = None) -> None:
        self.url, self.game = url, game
        self.headers = {"Origin": url, "Connection": "close"}
        if secret is not None:
            self.headers["Authorization"] = f"Bearer {secret}"
        self.seq = 0
        self.turns: list[dict[str, Any]] = []
        self.position = ""
        self.connections = 0
        self.changed = asyncio.Event()

    def digest(self) -> str:
        played = [(turn["seat"], turn["actions"], turn["seq"]) for turn in self.turns]
        state = json.dumps([self.seq, played, self.position])
        return hashlib.sha256(state.encode()).hexdigest()

    async def watch(self) -> None:
        address = self.url.replace("http", "ws") + f"/api/games/{self.game}/live"
        while True:
            try:
                since = f"?since={self.seq}" if self.seq else ""
                headers = {"Authorization": self.headers.get("Authorization", "Bearer -")}
                async with connect(
                    address + since,
                    additional_headers=headers,
                    origin=self.url,  # type: ignore[arg-type]
                    open_timeout=PATIENCE,
                ) as socket:
                    self.connections += 1
                    async for text in socket:
                        self._receive(json.loads(text))
            except (OSError, WebSocketException, TimeoutError):
                await asyncio.sleep(0.01)

    def _receive(self, message: dict[str, Any]) -> None:
        kind = message["type"]
        if kind in ("snapshot", "takeback"):
            self.turns, self.position = message["turns"], message["position"]
        elif kind == "turn":
            assert message["seq"] > self.seq, "a message came twice"
            assert message["turn_number"] == len(self.turns) + 1, "a message is missing"
            self.turns.append(message["turn"])
            self.position = message["position"]
        self.seq = max(self.seq, message.get("seq", 0))
        self.changed.set()

    async def play(self, seat: int, name: str) -> None:
        """Play whenever it is this seat's turn; repeat unanswered requests with the same key."""
        rng = random.Random(seat)
        async with httpx.AsyncClient(
            base_url=self.url, headers=self.headers, timeout=20, verify=False, trust_env=False
        ) as http:
            while len(self.turns) < TURNS:
                self.changed.clear()
                if not self.position or games[name].position(self.position).to_move != seat:
                    try:
                        await asyncio.wait_for(self.changed.wait(), 0.5)
                    except TimeoutError:
                        continue
                    continue
                actions, _ = random_turn(games[name].position(self.position), rng)
                body = {"seq": self.seq, "actions": actions, "key": f"{seat}-{rng.getrandbits(64)}"}
                await self._send(http, body)

    async def _send(self, http: httpx.AsyncClient, body: dict[str, Any]) -> None:
        while True:
            try:
                answer = await http.post(f"/api/games/{self.game}/turns", json=body)
            except httpx.TransportError:
                continue
            assert answer.status_code in (200, 409), answer.text
            seq = answer.json()["seq"]
            while self.seq < seq:
                self.changed.clear()
                try:
                    await asyncio.wait_for(self.changed.wait(), 0.2)
                except TimeoutError:
                    continue
            return


async def converge(server: Server, name: str, seed: int) -> None:
    with server.person() as person:
        created = person.create(name, rules={"players": 3})
    async with Proxy(server.port, seed) as proxy:
        url = f"http://127.0.0.1:{proxy.port}"
        players = [Client(url, created["id"], secret) for secret in created["secrets"]]
        watchers = [Client(url, created["id"]) for _ in range(3)]
        watching = [asyncio.create_task(client.watch()) for client in [*players, *watchers]]
        try:
            async with asyncio.timeout(PATIENCE):
                await asyncio.gather(
                    *(player.play(seat, name) for seat, player in enumerate(players))
                )
                proxy.is_bad = False
                with server.person() as person:
                    truth = person.snapshot(created["id"])
                while any(client.seq < truth["seq"] for client in [*players, *watchers]):
                    await asyncio.sleep(0.05)
        finally:
            for task in watching:
                task.cancel()
            await asyncio.gather(*watching, return_exceptions=True)
    clients = [*players, *watchers]
    assert len({client.digest() for client in clients}) == 1
    assert players[0].turns == truth["turns"]
    assert players[0].position == truth["position"]
    assert len(truth["turns"]) == TURNS
    assert sum(client.connections for client in clients) > len(clients), "no connection was cut"
    assert {*MISFORTUNES, "socket cut"} <= set(proxy.did)


def test_every_client_ends_with_the_same_game_whatever_the_network_does(server: Server) -> None:
    asyncio.run(converge(server, "nova", seed=5))
    asyncio.run(converge(server, "turrium", seed=6))
