from terrarium.core.kernel import Kernel
from terrarium.turrium.rules import Rules

class TurriumKernel(Kernel):
    def __init__(self, rules: Rules) -> None: ...
