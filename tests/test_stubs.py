"""The stubs of compiled modules have the same docstrings as the modules."""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).parent.parent / "src"
STUBS = ("core/kernel", "nova/position", "turrium/position", "envs/batch")


def documentation(value: Any, name: str) -> str:
    """The docstring of a compiled function or class, without the signature that Cython puts before it."""
    lines = (value.__doc__ or "").split("\n")
    if re.match(rf"(\w+\.)*{re.escape(name)}\(|self\.\w+: ", lines[0]):
        lines = lines[1:]
    return inspect.cleandoc("\n".join(lines))


@pytest.mark.parametrize("stub", STUBS)
def test_docstrings_in_a_stub_are_those_of_the_module(stub: str) -> None:
    module = import_module(f"terrarium.{stub.replace('/', '.')}")
    tree = ast.parse((SOURCE / "terrarium" / f"{stub}.pyi").read_text("utf-8"))
    wrong = []
    for owner, node in [(module, item) for item in tree.body] + [
        (getattr(module, item.name), inner)
        for item in tree.body
        if isinstance(item, ast.ClassDef)
        for inner in item.body
    ]:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("__"):
            told = documentation(getattr(owner, node.name), node.name)
            if told and ast.get_docstring(node) != told:
                wrong.append(f"{node.name}: {told!r}")
    assert not wrong
