"""Writes the folder: the page, everything that runs in it, a service worker, and compressed copies for hosts that serve them."""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import json
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from terrarium import __version__
from terrarium.site.errors import SiteError
from terrarium.site.kernels import SOURCE, compiled
from terrarium.site.pack import library_files, packs, standard_library
from terrarium.site.packages import pyodide, pyodide_version
from terrarium.tab.meta import meta_json

__all__ = ["POLICY", "Built", "build", "tab_files"]

PAGE = SOURCE / "terrarium" / "server" / "static"
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; "
    "worker-src 'self'; media-src 'self'; base-uri 'none'; form-action 'self'"
)
"""The content security policy: what the page may load. It is also written into the page itself."""
COMPRESSED = {
    ".css",
    ".html",
    ".js",
    ".json",
    ".mjs",
    ".pack",
    ".svg",
    ".wasm",
    ".webmanifest",
    ".zip",
}
_RUNTIME = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.mjs", "pyodide.asm.wasm")


@dataclass(frozen=True)
class Built:
    """A finished build: the folder, its version, its files and how many bytes a browser downloads."""

    folder: Path
    version: str
    files: int
    bytes: int
    brotli_bytes: int


def build(out: Path, cache: Path, page: Path = PAGE, *, for_server: bool = False) -> Built:
    """Write the folder; an earlier build in it is replaced.

    `for_server`: build the page for `terrarium serve --page`; the browser then computes turns where it can.
    """
    pyodide_version()  # refuses an unsupported Python before anything is downloaded
    _check(out, page)
    tab = tab_files(cache)
    digest = _digest(tab)
    files = {f"tab/{digest}/{name}": data for name, data in tab.items()}
    for path in sorted(page.rglob("*")):
        if path.is_file():
            files[path.relative_to(page).as_posix()] = path.read_bytes()
    index = files["index.html"].decode()
    if for_server:
        files["index.html"] = _marked(index, f'data-tab="/tab/{digest}/"').encode()
    else:
        files["index.html"] = _index(index, f"tab/{digest}/").encode()
        files["manifest.webmanifest"] = _manifest(files["manifest.webmanifest"])
    version = f"{__version__}-{_digest(files)}"
    worker = Path(__file__).with_name("service-worker.js").read_text()
    unlisted = {"index.html", "robots.txt", "sw.js", "screenshot-wide.png", "screenshot-narrow.png"}
    # With a server not every visitor needs Python, so its files are cached only when they are used.
    listed = [
        "./",
        *sorted(
            n for n in files if n not in unlisted and not (for_server and n.startswith("tab/"))
        ),
    ]
    constants = f"const VERSION = {json.dumps(version)};\nconst FILES = {json.dumps(listed)};\n"
    pushes = files["sw.js"].decode() if for_server else ""
    files["sw.js"] = (constants + worker + pushes).encode()
    copies = _compressed(files, cache)
    _write(out, files | copies)
    small = sum(len(copies.get(f"{name}.br", data)) for name, data in files.items())
    return Built(out, version, len(files), sum(map(len, files.values())), small)


def tab_files(cache: Path) -> dict[str, bytes]:
    """The files for the Web Worker: Pyodide, a reduced standard library, this library with its kernels, and the answer to `GET /meta`."""
    runtime = pyodide(cache)
    files = {name: (runtime / name).read_bytes() for name in _RUNTIME if (runtime / name).is_file()}
    lock = json.loads((runtime / "pyodide-lock.json").read_bytes())
    files["pyodide-lock.json"] = json.dumps(lock | {"packages": {}}).encode()
    files["python_stdlib.zip"] = standard_library(runtime, cache)
    files |= packs(library_files(cache) | compiled(cache))
    files["meta.json"] = meta_json()
    return files


def _check(out: Path, page: Path) -> None:
    if not (page / "index.html").is_file():
        message = f"{page}: the page has not been built; run `make page`"
        raise SiteError("site-page", message)
    if out.exists() and any(out.iterdir()) and not (out / "sw.js").is_file():
        message = f"{out}: not empty, and not a page built by this command"
        raise SiteError("site-folder", message)
    if importlib.util.find_spec("brotli") is None:
        message = "the package brotli is missing: pip install 'terrarium-games[site]'"
        raise SiteError("site-package", message)


def _index(text: str, tab: str) -> str:
    """The page with relative addresses, and marks that say where the Web Worker's files are and that there is no server."""
    text = re.sub(r'((?:href|src)=")/(?!/)', r"\1./", text)
    text = _marked(text, f'data-tab="{tab}" data-server="none"')
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}" />'
    return text.replace("<head>", f"<head>\n    {policy}", 1)


def _marked(text: str, marks: str) -> str:
    """The page with more attributes on its root element, from which its scripts know how it was built."""
    if "<html " not in text or "<head>" not in text:
        raise SiteError("site-page", "index.html: not the page that was expected")
    return text.replace("<html ", f"<html {marks} ", 1)


def _manifest(data: bytes) -> bytes:
    """The manifest with addresses relative to itself."""
    facts = json.loads(data)
    facts["start_url"], facts["scope"], facts["id"] = "./", "./", "./"
    for picture in [*facts["icons"], *facts.get("screenshots", [])]:
        picture["src"] = "./" + picture["src"].removeprefix("/")
    return json.dumps(facts, ensure_ascii=False, indent=1).encode()


def _compressed(files: Mapping[str, bytes], cache: Path) -> dict[str, bytes]:
    """A `.br` and a `.gz` copy of each file worth compressing; brotli is slow, so its results are cached."""
    import brotli

    folder = cache / "compressed"
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, bytes] = {}
    for name, data in files.items():
        if Path(name).suffix not in COMPRESSED or len(data) < 512:
            continue
        kept = folder / f"{hashlib.sha256(data).hexdigest()[:32]}.br"
        if not kept.is_file():
            temporary = kept.with_suffix(".new")
            temporary.write_bytes(brotli.compress(data, quality=11, lgwin=24))
            temporary.replace(kept)
        found[f"{name}.br"] = kept.read_bytes()
        found[f"{name}.gz"] = gzip.compress(data, 9, mtime=0)
    return found


def _write(out: Path, files: Mapping[str, bytes]) -> None:
    """Write a new folder and put it in place of the old one, so that a server never sees a mixture of two versions."""
    out = out.resolve()
    out.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    fresh.chmod(0o755)
    for name, data in files.items():
        path = fresh / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    old = fresh.with_name(f"{fresh.name}.old")
    if out.exists():
        out.rename(old)
    fresh.rename(out)
    shutil.rmtree(old, ignore_errors=True)


def _digest(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name}\0{len(files[name])}\0".encode() + files[name])
    return digest.hexdigest()[:12]
