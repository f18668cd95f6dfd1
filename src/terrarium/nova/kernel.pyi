from typing import Any

from terrarium.core.action import Action
from terrarium.core.kernel import Kernel
from terrarium.nova.board import Board
from terrarium.nova.rules import Rules

def sites_of(
    axial: tuple[tuple[int, int], ...], neighbours: tuple[tuple[int, ...], ...]
) -> tuple[int, list[int]]: ...
def packed_lines(
    rays: tuple[tuple[tuple[int, ...], ...], ...],
) -> tuple[list[list[tuple[int, int]]], int]: ...

class NovaKernel(Kernel):
    board: Board
    def __init__(self, rules: Rules, board: Board) -> None: ...
    def cell(self, action: Action, name: Any) -> int: ...
    def move_id(self, action: Action, source: int, target: int) -> int: ...
