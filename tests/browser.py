"""Install the distribution's Chromium for the tests of the page: `python tests/browser.py`. With `firefox-esr`, Firefox for the long tests.

Most tests use the headless shell, which takes about a third less time. Features that it lacks, such as notifications, are tested
in the full browser. Debian packages the shell, Ubuntu does not: without it, all tests use the full browser.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

OPTIONAL = "chromium-headless-shell"
PACKAGES = (OPTIONAL, "chromium")


def main(packages: Sequence[str]) -> int:
    """Install what is missing. Return 0 if all required browsers are installed then; otherwise print what to do."""
    how = f"The tests of the page need a browser: apt-get install {' '.join(packages)}"
    if all(map(shutil.which, packages)):
        return 0
    if not shutil.which("apt-get"):
        print(how, file=sys.stderr)
        return 1
    root = [] if os.geteuid() == 0 else ["sudo"]
    quiet = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    for arguments in (["update", "-qq"], ["install", "-y", "-qq", *packages]):
        if subprocess.run([*root, "apt-get", *arguments], env=quiet).returncode:
            break
    if all(shutil.which(package) for package in packages if package != OPTIONAL):
        return 0
    print(how, file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:] or PACKAGES))
