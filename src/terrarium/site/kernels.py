"""Compiles the kernels and msgspec with zig, as WebAssembly modules that Pyodide can load.

Emscripten is not needed: zig brings clang, a linker and the headers of musl, the C library that Emscripten has too. Plain C without
files, threads and `setjmp` needs nothing else. A test compares hashes of native and WebAssembly results.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from terrarium.site.errors import SiteError
from terrarium.site.packages import msgspec_source, pyodide, zig

__all__ = ["compiled"]

SOURCE = Path(__file__).parent.parent.parent
PARTS = ("core", "nova", "turrium", "engine")
"""The packages of the library with kernels that run in a browser."""
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "embedsignature": True,
}
COMPILE = (
    "-target",
    "wasm32-emscripten",
    # Node.js 20 refuses modules with extended constant expressions. Bulk memory instructions are slow for small sizes: memory.h.
    "-mcpu=generic-extended_const-bulk_memory-bulk_memory_opt+simd128",
    "-O3",
    "-g0",
    "-fPIC",
    "-fno-strict-aliasing",
    "-fno-math-errno",
    "-fno-sanitize=undefined",
    "-fvisibility=hidden",
    "-Wno-unused-function",
    "-DNDEBUG",
    "-D__EMSCRIPTEN__",
    "-DPY_CALL_TRAMPOLINE",
)
MEMORY = Path(__file__).with_name("memory.h").resolve()
LINK = (
    "-shared",
    "--experimental-pic",
    "--unresolved-symbols=import-dynamic",
    "--gc-sections",
    "--strip-all",
    "--no-entry",
)


@dataclass(frozen=True)
class _Module:
    """A module to compile: its dotted name, its source, and all files that the result depends on."""

    name: str
    source: Path
    inputs: tuple[Path, ...]


def compiled(cache: Path) -> dict[str, bytes]:
    """Every WebAssembly module by its path in the library, such as `terrarium/engine/search.….so`."""
    values = _target(pyodide(cache))
    headers = _headers(cache, values)
    modules = _modules(cache)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        made = list(pool.map(lambda module: _compiled(module, cache, headers), modules))
    suffix = values["EXT_SUFFIX"]
    return {
        module.name.replace(".", "/") + suffix: data
        for module, data in zip(modules, made, strict=True)
    }


def _modules(cache: Path) -> list[_Module]:
    library = SOURCE / "terrarium"
    shared = tuple(
        path
        for part in PARTS
        for kind in ("*.pxd", "*.pxi")
        for path in sorted((library / part).rglob(kind))
    )
    found = [
        _Module(
            ".".join(path.relative_to(SOURCE).with_suffix("").parts),
            path.relative_to(SOURCE),
            (path, *shared),
        )
        for part in PARTS
        for path in sorted((library / part).rglob("*.pyx"))
    ]
    if not found:
        raise SiteError("site-package", f"{library}: the kernels' sources are missing")
    msgspec = msgspec_source(cache)
    inputs = (*sorted(msgspec.glob("*.c")), *sorted(msgspec.glob("*.h")))
    return [*found, _Module("msgspec._core", (msgspec / "_core.c").resolve(), inputs)]


def _target(folder: Path) -> dict[str, Any]:
    """The build settings of Pyodide's Python."""
    with zipfile.ZipFile(folder / "python_stdlib.zip") as files:
        name = next(name for name in files.namelist() if name.startswith("_sysconfigdata"))
        space: dict[str, Any] = {}
        exec(files.read(name), space)
    values: dict[str, Any] = space["build_time_vars"]
    return values


def _headers(cache: Path, values: dict[str, Any]) -> Path:
    """The folder with the headers of this Python, configured for WebAssembly."""
    headers = Path(sysconfig.get_paths()["include"])
    configured = Path(sysconfig.get_config_h_filename())
    if not (headers / "Python.h").is_file() or not configured.is_file():
        message = f"{headers}: the headers of Python are missing; install its development files"
        raise SiteError("site-package", message)
    names = set(re.findall(r"#\s*(?:define|undef)\s+(\w+)", configured.read_text()))
    lines = ["#ifndef Py_PYCONFIG_H", "#define Py_PYCONFIG_H"]
    for name in sorted(names - {"Py_PYCONFIG_H"}):
        value = values.get(name)
        if value is not None and (value != 0 or name.startswith("SIZEOF")):
            lines.append(f"#define {name} {value}")
    lines += ["#endif", ""]
    # Emscripten's C library is musl for a 32-bit machine with 64-bit time: the types of riscv32, except for addresses.
    musl = _musl() / "riscv32-linux-musl" / "bits" / "alltypes.h"
    types = musl.read_text() if musl.is_file() else ""
    if "#define _Addr int" not in types:
        version = importlib.metadata.version("ziglang")
        raise SiteError("site-package", f"ziglang {version}: its musl headers are unknown")
    folder = cache / f"include-{_digest(str(headers), *lines, types)}"
    if not folder.is_dir():
        temporary = folder.with_suffix(f".{os.getpid()}")
        shutil.copytree(headers, temporary)
        (temporary / "pyconfig.h").write_text("\n".join(lines))
        (temporary / "bits").mkdir()
        text = types.replace("#define _Addr int", "#define _Addr long")
        (temporary / "bits" / "alltypes.h").write_text(text)
        _move(temporary, folder)
    return folder


def _musl() -> Path:
    return zig().parent / "lib" / "libc" / "include"


def _compiled(module: _Module, cache: Path, headers: Path) -> bytes:
    """The WebAssembly of a module; from the cache if nothing that it depends on has changed."""
    if importlib.util.find_spec("Cython") is None:
        message = "the package Cython is missing: pip install 'terrarium-games[site]'"
        raise SiteError("site-package", message)
    versions = [f"{name} {importlib.metadata.version(name)}" for name in ("ziglang", "Cython")]
    inputs = [path.read_bytes().hex() for path in module.inputs]
    key = _digest(
        module.name, headers.name, *versions, *COMPILE, *LINK, *inputs, MEMORY.read_text()
    )
    result = cache / "wasm" / f"{module.name}-{key}.so"
    if not result.is_file():
        result.parent.mkdir(exist_ok=True)
        _compile(module, result, headers)
    return result.read_bytes()


def _compile(module: _Module, result: Path, headers: Path) -> None:
    temporary = result.with_suffix(f".{os.getpid()}")
    c, o, m = (Path(f"{temporary}.{end}").resolve() for end in ("c", "o", "memory.o"))
    try:
        if module.source.suffix == ".pyx":
            options = [w for name, on in DIRECTIVES.items() for w in ("-X", f"{name}={on}")]
            # Relative paths: the C source names its files, and equal sources must give equal bytes.
            options += ["-I", ".", "--module-name", module.name, "-o", str(c)]
            _run(module, [sys.executable, "-m", "cython", *options, str(module.source)])
        else:
            c = module.source
        musl = _musl()
        system = (headers.resolve(), musl / "riscv32-linux-musl", musl / "generic-musl")
        includes = [word for folder in system for word in ("-isystem", str(folder))]
        _run(module, [str(zig()), "cc", *COMPILE, "-c", str(c), "-o", str(o), *includes])
        own = [
            str(zig()),
            "cc",
            *COMPILE,
            "-fno-builtin",
            "-x",
            "c",
            "-c",
            str(MEMORY),
            "-o",
            str(m),
        ]
        _run(module, [*own, *includes])
        export = f"--export=PyInit_{module.name.rpartition('.')[2]}"
        so = temporary.resolve()
        _run(module, [str(zig()), "wasm-ld", *LINK, export, str(o), str(m), "-o", str(so)])
        _move(temporary, result)
    finally:
        if module.source.suffix == ".pyx":
            c.unlink(missing_ok=True)
        o.unlink(missing_ok=True)
        m.unlink(missing_ok=True)


def _run(module: _Module, command: list[str]) -> None:
    done = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True)
    if done.returncode:
        message = f"{module.name} can't be compiled: {done.stderr.strip()[-600:]}"
        raise SiteError("site-compile", message)


def _move(temporary: Path, result: Path) -> None:
    """Move a finished folder into place, unless another build that runs at the same time has already done it."""
    try:
        temporary.rename(result)
    except OSError:
        if not result.exists():
            raise
        shutil.rmtree(temporary, ignore_errors=True)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
