"""The page's files. Any other path serves the page itself, which has its own routes."""

from __future__ import annotations

import gzip
import mimetypes
from pathlib import Path
from typing import Any

from litestar.types import Send

__all__ = ["FOLDER", "StaticFiles"]

FOLDER = Path(__file__).parent.parent / "static"
_MISSING = b"""<!doctype html><meta charset="utf-8"><title>Terrarium</title>
<h1>Terrarium</h1><p>The server runs, but its page has not been built: run <code>make setup</code>.</p>
"""
_TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
}
_COMPRESSED = {".js", ".mjs", ".css", ".html", ".svg", ".json", ".webmanifest"}
_FOREVER = b"public, max-age=31536000, immutable"


class StaticFiles:
    """Serves the files of one folder from memory; a file that changed on disk is read again."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder.resolve()
        self._cache: dict[Path, tuple[int, bytes, bytes | None]] = {}

    async def __call__(self, scope: Any, send: Send) -> None:
        if scope["method"] not in ("GET", "HEAD"):
            await _answer(scope, send, 405, [(b"allow", b"GET, HEAD")], b"")
            return
        path = self._file(scope["path"])
        try:
            body, compressed = self._read(path)
        except OSError:
            await _answer(
                scope, send, 503, [(b"content-type", b"text/html; charset=utf-8")], _MISSING
            )
            return
        kind = (
            _TYPES.get(path.suffix)
            or mimetypes.guess_type(path.name)[0]
            or "application/octet-stream"
        )
        if kind.startswith("text/"):
            kind += "; charset=utf-8"
        is_hashed = path.relative_to(self._folder).parts[0] in ("assets", "tab")
        headers = [
            (b"content-type", kind.encode()),
            (b"cache-control", _FOREVER if is_hashed else b"no-cache"),
            (b"vary", b"accept-encoding"),
        ]
        accepted = dict(scope["headers"]).get(b"accept-encoding", b"")
        smaller = path.with_name(f"{path.name}.br")
        if b"br" in accepted and smaller.is_file():
            headers.append((b"content-encoding", b"br"))
            body = self._read(smaller)[0]
        elif compressed is not None and b"gzip" in accepted:
            headers.append((b"content-encoding", b"gzip"))
            body = compressed
        await _answer(scope, send, 200, headers, body)

    def _file(self, path: str) -> Path:
        index = self._folder / "index.html"
        try:
            file = (self._folder / path.lstrip("/")).resolve()
            is_ours = file.is_relative_to(self._folder) and file.is_file()
        except (OSError, ValueError):  # the name is too long, or contains NUL
            return index
        return file if is_ours else index

    def _read(self, path: Path) -> tuple[bytes, bytes | None]:
        changed = path.stat().st_mtime_ns
        kept = self._cache.get(path)
        if kept is None or kept[0] != changed:
            body = path.read_bytes()
            compressed = gzip.compress(body, 6, mtime=0) if path.suffix in _COMPRESSED else None
            kept = self._cache[path] = (changed, body, compressed)
        return kept[1], kept[2]


async def _answer(
    scope: Any, send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes
) -> None:
    headers = [*headers, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    if scope["method"] == "HEAD":
        body = b""
    await send({"type": "http.response.body", "body": body, "more_body": False})
