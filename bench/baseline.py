"""The engine of an earlier commit, built in a separate folder, as a program that speaks the engine protocol."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

__all__ = ["FOLDER", "TREE", "built", "commit_of", "program"]

TREE = Path(__file__).resolve().parents[1]
FOLDER = TREE / "build" / "baselines"
"""The folder in which commits are built, each once."""

_SERVE = """
import sys
sys.path.insert(0, {source!r})
import terrarium
assert terrarium.__file__.startswith({source!r}), terrarium.__file__
from terrarium.engine.protocol import Server
Server(level={level}).serve()
"""


def commit_of(name: str) -> str:
    """The full id of the commit that a branch, a tag or an abbreviated id names."""
    return _git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").decode().strip()


def built(commit: str, folder: Path = FOLDER) -> Path:
    """The folder `src` of this commit with its kernels compiled; compiles them on the first call for a commit."""
    target = folder / commit
    if target.is_dir():
        return target / "src"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        tree = Path(scratch) / commit
        archive = _git("archive", "--format=tar", commit, "src", "setup.py", "pyproject.toml")
        with tarfile.open(fileobj=BytesIO(archive)) as files:
            files.extractall(tree, filter="data")
        if not _copy_kernels(tree):
            command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
            environment = {"TERRARIUM_NATIVE": "1"} | os.environ
            subprocess.run(command, cwd=tree, env=environment, check=True, stdout=sys.stderr)
        try:
            tree.rename(target)
        except OSError:  # another process built it at the same time
            if not target.is_dir():
                raise
    return target / "src"


def program(source: Path, level: int) -> str:
    """The command that runs the engine in a folder `src` with this Python, without an installation."""
    code = _SERVE.format(source=str(source), level=level)
    return shlex.join([sys.executable, "-c", code])


def _git(*words: str) -> bytes:
    ran = subprocess.run(["git", *words], cwd=TREE, capture_output=True, check=False)
    if ran.returncode != 0:
        raise SystemExit(
            f"git {' '.join(words)}: {ran.stderr.decode().strip() or 'no such commit'}"
        )
    return ran.stdout


def _copy_kernels(tree: Path) -> bool:
    """Copy the compiled kernels of the working tree if they are up to date and come from the same sources."""
    if _fingerprint(tree) != _fingerprint(TREE):
        return False
    sources = list((TREE / "src").rglob("*.pyx"))
    kernels = [found for path in sources for found in path.parent.glob(f"{path.stem}.*.so")]
    newest = max(path.stat().st_mtime for path in _kernel_sources(TREE))
    if len(kernels) != len(sources) or min(path.stat().st_mtime for path in kernels) < newest:
        return False
    for path in kernels:
        shutil.copy2(path, tree / path.relative_to(TREE))
    return True


def _kernel_sources(tree: Path) -> Iterator[Path]:
    for kind in ("pyx", "pxd", "pxi"):
        yield from sorted((tree / "src").rglob(f"*.{kind}"))


def _fingerprint(tree: Path) -> str:
    found = hashlib.sha256((tree / "setup.py").read_bytes())
    for path in _kernel_sources(tree):
        found.update(f"{path.relative_to(tree)}\0".encode())
        found.update(path.read_bytes())
    return found.hexdigest()
