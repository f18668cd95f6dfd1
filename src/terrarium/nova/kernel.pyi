from typing import Any

from terrarium.core.action import Action
from terrarium.core.kernel import Kernel
from terrarium.nova.board import Board
from terrarium.nova.rules import Rules

class NovaKernel(Kernel):
    board: Board
    def __init__(self, rules: Rules, board: Board) -> None: ...
    def cell(self, action: Action, name: Any) -> int: ...
    def move_id(self, action: Action, source: int, target: int) -> int: ...
