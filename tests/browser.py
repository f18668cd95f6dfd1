"""Install the distribution's Chromium for the tests of the page: `python tests/browser.py`.

Most tests use the headless shell, which takes about a third less time; what it lacks, such as notifications, is tried
in the whole browser.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

PACKAGES = ("chromium-headless-shell", "chromium")
HOW = f"The tests of the page need Chromium: apt-get install {' '.join(PACKAGES)}"


def main() -> int:
    """0 when Chromium is there afterwards; otherwise says what to do."""
    if all(map(shutil.which, PACKAGES)):
        return 0
    if not shutil.which("apt-get"):
        print(HOW, file=sys.stderr)
        return 1
    root = [] if os.geteuid() == 0 else ["sudo"]
    quiet = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    for arguments in (["update", "-qq"], ["install", "-y", "-qq", *PACKAGES]):
        if subprocess.run([*root, "apt-get", *arguments], env=quiet).returncode:
            print(HOW, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
