"""Makes every request of the page once, and imports only what the tab needs."""

from __future__ import annotations

import json
from typing import Any

from terrarium import games
from tests.tab.page import Page


async def everything() -> None:
    """Set up, play, take back, resign, review, record, draw, export and import a game of each kind."""
    page = await Page.opened()
    await page.ask("GET", "/meta")
    await page.ask("GET", "/me")
    for name, game in games.items():
        clock = {"kind": "game", "seconds": 60, "increment": 1}
        seats = [{"kind": "device", "name": "Zoë"}, {"kind": "computer", "level": 2}]
        order: dict[str, Any] = {"game": name, "rules": {"players": 2}, "seats": seats}
        made = await page.ask("POST", "/games", order | {"clock": clock, "starter": "first"})
        id, position = made["id"], made["game"]["position"]
        socket = await page.watch(id)
        hint = await page.ask("POST", f"/games/{id}/hint", {"seat": 0})
        await page.ask("POST", f"/games/{id}/try", {"seq": 1, "actions": hint["turn"]})
        await page.ask("POST", f"/games/{id}/turns", {"seq": 1, "actions": hint["turn"]})
        await page.until(socket, lambda message: message.get("turn_number") == 2)
        await page.ask("POST", f"/games/{id}/offers", {"kind": "takeback", "seat": 0})
        status, _ = await page.send("POST", f"/games/{id}/turns", {"seq": 99, "actions": ["x"]})
        assert status == 409
        await page.ask("POST", f"/games/{id}/resign", {"seat": 0})
        await page.ask("POST", f"/games/{id}/review")
        await page.ask("POST", f"/games/{id}/rematch", {})
        await page.ask("GET", f"/games/{id}/turns")
        _, text = await page.send("GET", f"/games/{id}/record.terra")
        await page.ask("POST", "/records/read", {"text": text})
        tree = await page.ask("POST", "/records/tree", {"text": text})
        await page.ask("POST", "/records/tree", {"tree": tree["tree"], "views": False})
        await page.ask("GET", f"/games/{id}/record.json")
        status, _ = await page.send("GET", f"/games/{id}/picture.svg?theme=dark")
        assert status == 200
        judged = {"position": position, "actions": hint["turn"]}
        await page.ask("POST", "/positions/review", judged)
        question = {"position": position, "seconds": 0.2, "lines": 3}
        status, text = await page.send("POST", "/analysis", question)
        assert json.loads(text.splitlines()[-1])["done"]
        await page.ask("POST", "/positions/try", {"start": position, "actions": hint["turn"]})
        page.tab.hear(socket, '{"type":"ping","at":1}')
        for board in list(game.boards)[:1]:
            view = await page.ask("GET", f"/boards/{board}")
            await page.ask("POST", "/boards/check", {"text": view["map"]})
            await page.ask("POST", "/boards/check", {"text": "name = 'x'\nmap = 1"})
            await page.ask("POST", "/boards/new", {"seed": 1, "cells": 60})
            status, _ = await page.send("GET", f"/boards/{board}/picture.svg")
            assert status == 200
        source = {"name": "One", "source": {"game_id": id}}
        study = await page.ask("POST", "/studies", {"name": "All", "chapters": [source]})
        path = f"/studies/{study['id']}"
        await page.ask("POST", f"{path}/chapters", {"name": "Two", "source": {"start": position}})
        said = {"type": "node", "chapter": "1", "id": "", "set": {"comment": "x"}, "time": 1}
        changes = {"key": "k", "changes": [said | {"by": "a"}]}
        await page.ask("POST", f"{path}/changes", changes)
        await page.ask("GET", f"{path}/chapters/1")
        await page.send("GET", f"{path}/terra")
        await page.ask("POST", f"{path}/copy")
        await page.watch(study["id"], 1)
    await page.ask("GET", "/studies")
    await page.ask("GET", "/games?mine=1")
    exported = await page.ask("GET", "/local/export")
    await page.ask("POST", "/local/import", exported)
    status, _ = await page.send("POST", "/games", {"game": "?"})
    assert status == 422
