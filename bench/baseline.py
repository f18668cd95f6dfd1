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

__all__ = [
    "FOLDER",
    "TREE",
    "built",
    "by_processor_time",
    "commit_of",
    "program",
    "use_processor_time",
]

TREE = Path(__file__).resolve().parents[1]
FOLDER = TREE / "build" / "baselines"
"""The folder in which commits are built, each once."""

_KERNELS = ("pyx", "pxd", "pxi")
_ALL = (*_KERNELS, "py", "json", "toml")
"""The kinds of files that the kernels are made from, and those that the engine's play depends on."""

_PROCESSOR_TIME = (
    ("clock.pxd", "CLOCK_MONOTONIC", "CLOCK_PROCESS_CPUTIME_ID"),
    ("engine.py", "from time import monotonic", "from time import process_time as monotonic"),
)
"""The changes, each a file in the folder `engine`, a text and its replacement, after which limits are processor time."""

_SERVE = """
import sys
sys.path.insert(0, {source!r})
import terrarium
assert terrarium.__file__.startswith({source!r}), terrarium.__file__
from terrarium.engine.protocol import Server
Server(**{options}).serve()
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
            _compile(tree)
        _move(tree, target)
    return target / "src"


def by_processor_time(source: Path, folder: Path = FOLDER) -> Path:
    """A copy of a folder `src` whose engine measures its limits in the processor time of its process, compiled once.

    So a match at equal time is fair on a busy machine, where a program that waits for the processor would lose time.
    """
    tree = source.parent
    target = folder / f"{_fingerprint(tree, _ALL)[:40]}-processor"
    if target.is_dir():
        return target / "src"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        copy = Path(scratch) / "copy"
        # with the generated C files and their times, so that only those that include the clock are generated again
        shutil.copytree(
            source, copy / "src", ignore=shutil.ignore_patterns("static", "__pycache__")
        )
        for name in ("setup.py", "pyproject.toml"):
            shutil.copy2(tree / name, copy / name)
        use_processor_time(copy / "src")
        _compile(copy)
        _move(copy, target)
    return target / "src"


def use_processor_time(source: Path) -> None:
    """Change the engine in a folder `src` so that its limits are processor time."""
    for name, old, new in _PROCESSOR_TIME:
        path = source / "terrarium" / "engine" / name
        text = path.read_text(encoding="utf-8")
        if old not in text:
            raise SystemExit(f"{path}: {old!r} is not in it, so its clock can't be changed")
        path.write_text(text.replace(old, new), encoding="utf-8")


def _compile(tree: Path) -> None:
    command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
    environment = {"TERRARIUM_NATIVE": "1"} | os.environ
    subprocess.run(command, cwd=tree, env=environment, check=True, stdout=sys.stderr)


def _move(tree: Path, target: Path) -> None:
    try:
        tree.rename(target)
    except OSError:  # another process built it at the same time
        if not target.is_dir():
            raise


def program(source: Path, level: int, threads: int = 1) -> str:
    """The command that runs the engine in a folder `src` with this Python, without an installation."""
    options = {"level": level}
    if threads > 1:  # earlier commits don't have this option
        options["threads"] = threads
    code = _SERVE.format(source=str(source), options=options)
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
    generated = [path.with_suffix(".c") for path in sources]
    for path in [*kernels, *filter(Path.is_file, generated)]:
        shutil.copy2(path, tree / path.relative_to(TREE))
    return True


def _kernel_sources(tree: Path, kinds: tuple[str, ...] = _KERNELS) -> Iterator[Path]:
    for kind in kinds:
        yield from sorted((tree / "src").rglob(f"*.{kind}"))


def _fingerprint(tree: Path, kinds: tuple[str, ...] = _KERNELS) -> str:
    found = hashlib.sha256((tree / "setup.py").read_bytes())
    for path in _kernel_sources(tree, kinds):
        if "static" in path.parts:
            continue
        found.update(f"{path.relative_to(tree)}\0".encode())
        found.update(path.read_bytes())
    return found.hexdigest()
