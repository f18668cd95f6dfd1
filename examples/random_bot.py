"""A bot for a server: accepts challenges, and plays random legal turns in every game of its account.

pip install httpx
python examples/random_bot.py --token terrarium_… [--server http://127.0.0.1:8000]
"""

from __future__ import annotations

import argparse
import json
import random
import time

import httpx


class Refused(Exception):
    """The server refused a request; `code` is the reason."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class RandomBot:
    def __init__(self, server: str, token: str) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        # A stream sends an empty line every 15 seconds; after a minute without one, the connection is lost.
        self.http = httpx.Client(base_url=server, headers=headers, timeout=60)

    def ask(self, method: str, path: str, body: dict | None = None) -> dict:
        """The answer to a request that may be sent twice; repeats the request while the server is busy or restarts."""
        pause = 0.25
        while True:
            try:
                answer = self.http.request(method, path, json=body)
            except httpx.TransportError:
                wait = pause
            else:
                if answer.is_success:
                    return answer.json()
                error = answer.json()
                if answer.status_code not in (429, 503):
                    raise Refused(error["code"], error["message"])
                wait = error.get("retry_after", pause)
            time.sleep(wait)
            pause = min(2 * pause, 15)

    def run(self) -> None:
        """Follow all games; after a lost connection, connect again and continue after the last event."""
        since, pause = {}, 0.25
        while True:
            try:
                with self.http.stream("GET", "/api/stream/events", params=since) as events:
                    if events.status_code in (401, 403):
                        raise SystemExit(events.read().decode())
                    if events.is_success:
                        for line in filter(None, events.iter_lines()):
                            event = json.loads(line)
                            since, pause = {"since": event["at"]}, 0.25
                            self.handle(event)
            except httpx.TransportError as error:
                print("connecting again:", error)
            time.sleep(pause)
            pause = min(2 * pause, 15)

    def handle(self, event: dict) -> None:
        try:
            if event["type"] == "challenge" and not event["challenge"]["is_yours"]:
                self.ask("POST", f"/api/challenges/{event['challenge']['id']}/accept")
            elif event.get("status") == "waiting":
                self.sit(event["id"])
            if event.get("is_your_turn"):
                self.play(event["id"])
        except Refused as error:
            print(
                "refused:", error
            )  # such as a challenge that was withdrawn, or a game that just ended

    def sit(self, game: str) -> None:
        """Take the seats that are reserved for us, such as in a rematch."""
        snapshot = self.ask("GET", f"/api/games/{game}")
        for seat in snapshot["you"]:
            if not snapshot["seats"][seat]["is_taken"]:
                self.ask("POST", f"/api/games/{game}/seats/{seat}")

    def play(self, game: str) -> None:
        """Play one turn; the next event says when it is our turn again."""
        while True:
            snapshot = self.ask("GET", f"/api/games/{game}")
            if snapshot["outcome"] or snapshot["view"]["to_move"] not in snapshot["you"]:
                return
            try:
                seq = snapshot["seq"]
                turn = {"seq": seq, "actions": self.turn(game, seq), "key": f"turn after {seq}"}
                # The key makes it safe to send a turn again whose answer was lost.
                self.ask("POST", f"/api/games/{game}/turns", turn)
                return
            except Refused as error:
                if error.code != "stale-turn":  # 409: the position has changed, so look again
                    raise

    def turn(self, game: str, seq: int) -> list[str]:
        """A random legal turn; `try` answers with the legal next actions."""
        actions: list[str] = []
        while True:
            body = {"seq": seq, "actions": actions}
            tried = self.ask("POST", f"/api/games/{game}/try", body)
            if tried["turn_complete"]:
                return actions
            actions.append(random.choice(tried["legal"])["text"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", default="http://127.0.0.1:8000")
    parser.add_argument("--token", required=True)
    chosen = parser.parse_args()
    RandomBot(chosen.server, chosen.token).run()
