"""Debian's headless Firefox, driven by WebDriver BiDi: Playwright drives only its own Firefox."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from websockets.sync.client import connect

__all__ = ["Firefox", "firefox"]

_PREFERENCES = {
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "dom.max_script_run_time": 0,
    "intl.accept_languages": "en-GB, en",
    "toolkit.telemetry.enabled": False,
}


def firefox() -> str | None:
    """The program, if there is one."""
    return shutil.which("firefox-esr") or shutil.which("firefox")


class Firefox:
    """A new Firefox with one window, used with `with`."""

    def __init__(self) -> None:
        self.complaints: list[str] = []
        """Errors that scripts of the page left unhandled."""
        self._numbers = itertools.count(1)
        self._open = ExitStack()

    def __enter__(self) -> Firefox:
        with self._open as stack:  # closes what is open if Firefox does not start
            profile = Path(
                stack.enter_context(
                    tempfile.TemporaryDirectory(prefix="firefox-", ignore_cleanup_errors=True)
                )
            )
            address = self._started(stack, profile)
            connection = connect(f"{address}/session", max_size=None, open_timeout=60)
            self._socket = stack.enter_context(connection)
            self.command("session.new", capabilities={})
            self.command("session.subscribe", events=["log.entryAdded"])
            self._window = self.command("browsingContext.getTree")["contexts"][0]["context"]
            self._open = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def _started(self, stack: ExitStack, profile: Path) -> str:
        """Start the program; returns the address of its remote control."""
        program = firefox()
        assert program is not None
        lines = [
            f"user_pref({json.dumps(name)}, {json.dumps(value)});"
            for name, value in _PREFERENCES.items()
        ]
        (profile / "user.js").write_text("\n".join(lines))
        options = ["--headless", "--no-remote", "--profile", str(profile)]
        process = stack.enter_context(
            subprocess.Popen(
                [program, *options, "--remote-debugging-port=0"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        stack.callback(process.terminate)
        assert process.stderr is not None
        for line in process.stderr:
            found = re.search(r"WebDriver BiDi listening on (ws://\S+)", line)
            if found:
                return found[1]
        raise AssertionError("Firefox does not start")

    def command(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The result of a command of WebDriver BiDi."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message: dict[str, Any] = json.loads(self._socket.recv())
            if message.get("method") == "log.entryAdded":
                entry = message["params"]
                if entry["type"] == "javascript" and entry["level"] == "error":
                    self.complaints.append(entry["text"])
            elif message.get("id") == number:
                assert message["type"] == "success", message
                found: dict[str, Any] = message["result"]
                return found

    def go(self, url: str) -> None:
        """Open an address and wait until it is loaded."""
        self.command("browsingContext.navigate", context=self._window, url=url, wait="complete")

    def reload(self) -> None:
        """Load the page again."""
        self.command("browsingContext.reload", context=self._window, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """The value of an expression, which may be a promise; text, a number, a truth value or null."""
        found = self.command(
            "script.evaluate",
            expression=expression,
            target={"context": self._window},
            awaitPromise=True,
        )
        assert found["type"] == "success", found
        return found["result"].get("value")

    def until(self, expression: str, seconds: float = 60) -> Any:
        """The value of an expression as soon as it is true."""
        deadline = time.monotonic() + seconds
        while not (value := self.evaluate(expression)):
            assert time.monotonic() < deadline, f"never true: {expression}"
            time.sleep(0.1)
        return value
