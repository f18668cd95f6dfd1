"""The tests of the kernels, with kernels compiled with address and undefined-behaviour checks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project whose kernels are built with every check the compiler has."""
    copy = tmp_path_factory.mktemp("checked")
    ignored = shutil.ignore_patterns("*.so", "*.c", "static", "__pycache__")
    shutil.copytree(ROOT / "src", copy / "src", ignore=ignored)
    shutil.copytree(ROOT / "tests", copy / "tests", ignore=ignored)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy / name)
    build = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
    settings = os.environ | {"TERRARIUM_CHECKED": "1"}
    subprocess.run(build, cwd=copy, env=settings, check=True, timeout=1800)
    built = list((copy / "src").rglob("*.so"))
    assert len(built) == len(list((copy / "src").rglob("*.pyx")))
    for kernel in built:
        code = kernel.read_bytes()
        assert b"__asan_init" in code, kernel
        assert b"__ubsan_handle" in code, kernel
    return copy


def library(name: str) -> str:
    found = subprocess.run(
        ["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True
    )
    return found.stdout.strip()


@pytest.mark.parametrize(
    "tests",
    [
        "tests/nova/test_hostile.py",
        "tests/turrium/test_hostile.py",
        "tests/nova/test_rollouts.py",
        "tests/turrium/test_rollouts.py",
        "tests/nova/test_perft.py",
        "tests/turrium/test_perft.py",
        "tests/envs/test_batch.py",
    ],
)
def test_the_checks_find_no_invalid_memory_access_or_undefined_behaviour(
    checked: Path, tests: str
) -> None:
    settings = os.environ | {
        "LD_PRELOAD": f"{library('libasan.so')} {library('libubsan.so')}",
        "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
        "PYTHONPATH": str(checked / "src"),
        "PYTHONMALLOC": "malloc",
        "TERRARIUM_LONG": "1",
    }
    where = "import terrarium.core.kernel as k; print(k.__file__)"
    loaded = subprocess.run(
        [sys.executable, "-c", where], cwd=checked, env=settings, capture_output=True, text=True
    )
    assert loaded.stdout.startswith(str(checked)), loaded.stdout + loaded.stderr
    # no capture in the inner run: a finding aborts it at once, and a captured report would be lost
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--capture=no", tests]
    ran = subprocess.run(
        command, cwd=checked, env=settings, capture_output=True, text=True, timeout=3600
    )
    assert ran.returncode == 0, (ran.stdout + ran.stderr)[-8000:]
    assert "runtime error" not in ran.stderr
