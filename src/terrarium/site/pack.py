"""Packs Python modules as bytecode: the library, and those parts of the standard library that it imports."""

from __future__ import annotations

import ast
import importlib.util
import io
import json
import marshal
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from terrarium.site.kernels import SOURCE
from terrarium.site.packages import msgspec_source

__all__ = ["library_files", "needed_files", "packed", "packs", "standard_library"]

PARTS = ("core", "nova", "turrium", "engine", "play", "tab")
"""The packages of the library that run in a browser."""
DATA = (".toml", ".json", ".jsonl")
LATER = ("openings", "puzzles")
"""Data that a first game does not need: `NAME.jsonl` of every game is in `NAME.pack`, which the Web Worker loads when it is first asked for."""
ROOTS = ("_pyodide", "pyodide", "pyodide_js", "encodings", "importlib", "collections")
"""Packages that Pyodide and the interpreter import when they start."""
LAZY = (
    "_strptime",
    "contextvars",
    "linecache",
    "traceback",
    "tomllib",
)
"""Modules that functions of the standard library import while a request is answered."""
CODECS = ("aliases", "ascii", "cp437", "latin_1", "utf_8", "utf_8_sig")
"""The encodings that are packed; the standard library has more than a hundred."""
UNUSED = (
    "asyncio.proactor_events",
    "asyncio.windows_events",
    "asyncio.windows_utils",
    "concurrent.futures.process",
    "doctest",
    "multiprocessing",
    "pdb",
    "pyodide.console",
    "pyodide.http",
    "unittest",
)
"""Modules left out although others import them: only types, other processes, other systems and command lines need them."""


def library_files(cache: Path) -> dict[str, bytes]:
    """The files of the library and msgspec by path, with their Python sources compiled."""
    library, msgspec = SOURCE / "terrarium", msgspec_source(cache)
    found: dict[str, bytes] = {}
    for path in sorted(library.rglob("*")):
        name = path.relative_to(SOURCE)
        if len(name.parts) > 2 and name.parts[1] not in PARTS:
            continue
        if path.suffix == ".py":
            found[f"{name.as_posix()}c"] = bytecode(path.read_bytes(), f"/app/{name.as_posix()}")
        elif path.suffix in DATA:
            found[name.as_posix()] = path.read_bytes()
    for path in sorted(msgspec.glob("*.py")):
        name_text = f"msgspec/{path.name}"
        found[f"{name_text}c"] = bytecode(path.read_bytes(), f"/app/{name_text}")
    return found


def bytecode(source: bytes, name: str) -> bytes:
    """A source compiled to an unchecked, hash-based `.pyc` without docstrings; the same source always gives the same bytes."""
    code: Any = compile(source, name, "exec", dont_inherit=True, optimize=2)
    try:
        # Later versions of the format mark objects that are shared in memory, and these differ from run to run.
        data = marshal.dumps(code, 2)
    except ValueError:
        data = marshal.dumps(code)
    flags = (0b01).to_bytes(4, "little")
    return importlib.util.MAGIC_NUMBER + flags + importlib.util.source_hash(source) + data


def standard_library(pyodide: Path, cache: Path) -> bytes:
    """A zip file with the modules of Pyodide's standard library that the library needs, as bytecode."""
    with zipfile.ZipFile(pyodide / "python_stdlib.zip") as files:
        contents = {name: files.read(name) for name in files.namelist() if name.endswith(".py")}
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_STORED) as files:
        for name in needed_files(contents, msgspec_source(cache)):
            data = bytecode(contents[name], f"/lib/{name}")
            # With a fixed date, equal modules give equal bytes.
            files.writestr(zipfile.ZipInfo(f"{name}c", (2020, 1, 1, 0, 0, 0)), data)
    return result.getvalue()


def needed_files(library: Mapping[str, bytes], msgspec: Path) -> list[str]:
    """The files of a standard library that are needed.

    Our code's imports all count; those of the standard library count unless they are inside functions.
    """
    names = {
        name.removesuffix(".py").removesuffix("/__init__").replace("/", "."): name
        for name in library
    }
    waiting = [name for name in names if name.split(".")[0] in ROOTS and _is_kept(name)]
    waiting += [name for name in names if name in LAZY or name.startswith("_sysconfigdata")]
    own = SOURCE / "terrarium"
    parts = [path for part in PARTS for path in (own / part).rglob("*.py*")]
    for path in [*own.glob("*.py"), *parts, *msgspec.glob("*.py")]:
        if path.suffix == ".pyx":
            waiting += _lines(path.read_text())
        elif path.suffix == ".py":
            waiting += _imports(ast.parse(path.read_bytes()), "", everywhere=True)
    needed: set[str] = set()
    while waiting:
        name = waiting.pop()
        for parent in [name.rsplit(".", n)[0] for n in range(name.count(".") + 1)]:
            file = names.get(parent)
            if file is None or file in needed or not _is_kept(parent):
                continue
            needed.add(file)
            package = parent if file.endswith("/__init__.py") else parent.rpartition(".")[0]
            waiting += _imports(ast.parse(library[file]), package, everywhere=False)
    return sorted(needed)


def _is_kept(module: str) -> bool:
    package, _, name = module.partition(".")
    if package == "encodings" and name:
        return name in CODECS
    return module not in UNUSED and package not in UNUSED


def _lines(text: str) -> Iterator[str]:
    """The modules that a Cython source imports."""
    for line in text.splitlines():
        words = line.split()
        if len(words) > 1 and words[0] in ("import", "from") and "cimport" not in words:
            yield words[1]


def _imports(tree: ast.AST, package: str, *, everywhere: bool) -> Iterator[str]:
    """The dotted names that a module imports; `everywhere` includes imports inside functions."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parent = package.rsplit(".", node.level - 1)[0] if node.level > 1 else package
            module = ".".join(filter(None, [parent if node.level else "", node.module or ""]))
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif everywhere or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            waiting += ast.iter_child_nodes(node)


def packs(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files as `terrarium.pack`, and as one pack for each kind of data that is loaded later."""
    found = {"terrarium": dict(files)}
    for name in LATER:
        later = [path for path in files if path.endswith(f"/{name}.jsonl")]
        found[name] = {path: found["terrarium"].pop(path) for path in later}
    return {f"{name}.pack": packed(part) for name, part in found.items()}


def packed(files: Mapping[str, bytes]) -> bytes:
    """Files joined into one: the length of the index (4 bytes), the index (JSON: path and size of each), the contents."""
    index = json.dumps([[path, len(files[path])] for path in sorted(files)]).encode()
    contents = b"".join(files[path] for path in sorted(files))
    return len(index).to_bytes(4, "little") + index + contents
