"""Logs: one line per entry, as text for people or JSON for programs. They never contain secrets."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

from terrarium.server.settings import Settings

__all__ = ["configure"]


class _Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            entry["error"] = self.formatException(record.exc_info)
        return json.dumps(entry, ensure_ascii=False)


class _Text(logging.Formatter):
    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s: %(message)s", "%Y-%m-%d %H:%M:%S")


def _is_news(record: logging.LogRecord) -> bool:
    # uvicorn logs this for every socket that was refused with a response, which is not an error.
    return not str(record.msg).startswith("ASGI callable returned without completing handshake")


def configure(settings: Settings) -> None:
    """Write logs to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Json() if settings.log_format == "json" else _Text())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.log_level.upper())
    # Addresses and queries of requests are private; statistics are in /metrics.
    logging.getLogger("uvicorn.access").disabled = True
    for noisy in ("procrastinate", "aiosqlite", "asyncio"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    # At debug level these log whole frames and headers, including cookies.
    for talkative in ("uvicorn", "websockets"):
        logging.getLogger(talkative).setLevel(max(logging.WARNING, root.level))
    logging.getLogger("uvicorn.error").addFilter(_is_news)
    logging.getLogger("alembic").setLevel(logging.WARNING)
