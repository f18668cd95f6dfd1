# Terra Turrium: can the seat to move complete its towers within this turn?

from terrarium.engine.brain cimport Turn
from terrarium.turrium.kernel cimport Cells, Ctx, State, has

# Whether it can, and the actions; `effort` limits the plans tried, so "no" may be wrong when it is small.
cdef bint finds_towers(const Ctx *facts, const State *state, int effort, Turn *turn) noexcept nogil

# The cells beside these, those out of use among them.
cdef Cells around(Cells cells) noexcept nogil


cdef inline int neighbour(const Ctx *facts, int cell, int direction) noexcept nogil:
    """The cell in a direction as the rules count them, or -1."""
    cdef int column = cell % 10, found
    if direction == 0:
        found = cell + 10
    elif direction == 1:
        found = cell + 1 if column < 9 else -1
    elif direction == 2:
        found = cell - 10
    else:
        found = cell - 1 if column > 0 else -1
    if found < 0 or found > 99 or not has(facts.used, found):
        return -1
    return found
