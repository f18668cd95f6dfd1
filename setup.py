"""Compile the kernels. TERRARIUM_NATIVE=1 tunes them for this machine's processor; wheels stay generic."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from setuptools.errors import CCompilerError, ExecError, PlatformError

SOURCE = Path("src")
PAGE = SOURCE / "terrarium" / "server" / "static" / "index.html"
# No fused multiply-add: WebAssembly has none and rounds differently, and the engine must choose the same turns everywhere.
FLAGS = ["-O3", "-g0", "-fno-strict-aliasing", "-Wno-unused-function", "-ffp-contract=off"]
# errno is not used, and without it the compiler can vectorise square roots.
FLAGS.append("-fno-math-errno")
LINK: list[str] = []
if os.environ.get("TERRARIUM_NATIVE") == "1":
    FLAGS.append("-march=native")
if os.environ.get("TERRARIUM_CHECKED") == "1":
    FLAGS = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-omit-frame-pointer"]
    LINK = ["-fsanitize=address,undefined"]

NO_COMPILER = """
Terrarium's kernels are compiled when it is installed, and no working C compiler was found.
Install one and try again:
    Debian, Ubuntu   apt-get install gcc libc6-dev
    Fedora           dnf install gcc
    macOS            xcode-select --install
"""


class BuildKernels(build_ext):
    """build_ext that explains what to do if there is no C compiler."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def run(self) -> None:
        try:
            super().run()
        except (CCompilerError, ExecError, PlatformError, FileNotFoundError) as error:
            print(f"{error}\n{NO_COMPILER}", file=sys.stderr)
            raise SystemExit(1) from error


def ensure_page() -> None:
    """Build the page if it is missing or older than its sources. A source distribution contains it."""
    sources = [path for folder in ("src", "public") for path in Path("web", folder).rglob("*")]
    built = PAGE.stat().st_mtime if PAGE.is_file() else 0.0
    if any(path.is_file() and path.stat().st_mtime > built for path in sources):
        subprocess.run([sys.executable, "web/page.py", "build"], check=True)
    if not PAGE.is_file():
        raise SystemExit(f"{PAGE} is missing: build the page first (python web/page.py build)")


class BuildPage(build_py):
    """build_py that puts the page into the wheel, and fails without it."""

    def run(self) -> None:
        if not self.editable_mode:
            ensure_page()
        super().run()


class SourceWithPage(sdist):
    """sdist with the built page, so that an install from it needs no Node.js."""

    def run(self) -> None:
        ensure_page()
        super().run()


def extensions() -> list[Extension]:
    return [
        Extension(
            ".".join(path.relative_to(SOURCE).with_suffix("").parts),
            [str(path)],
            extra_compile_args=FLAGS,
            extra_link_args=LINK,
        )
        for path in sorted(SOURCE.rglob("*.pyx"))
    ]


DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "embedsignature": True,
}

setup(
    ext_modules=cythonize(
        extensions(), compiler_directives=DIRECTIVES, include_path=[str(SOURCE)], quiet=True
    ),
    cmdclass={"build_ext": BuildKernels, "build_py": BuildPage, "sdist": SourceWithPage},
)
