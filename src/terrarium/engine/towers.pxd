# Terra Turrium: search for a turn that completes the towers of the seat to move.

from terrarium.engine.brain cimport Turn
from terrarium.turrium.kernel cimport Cells, Ctx, State, has

cdef enum:
    OUT_OF_REACH = 6    # the flags need more points than a turn has
    OUT_OF_CUBES = 7    # the heights need more cubes than a turn can move

# Whether there is such a turn, which is written to `turn`. `effort` limits the number of plans tried; if it is small, a win may be missed.
# With `clears` it also tries plans in which a flag enters where no line to the edge is free before the turn.
cdef bint finds_towers(const Ctx *facts, const State *state, int effort, bint clears, Turn *turn) noexcept nogil

# Several such turns, at most `limit`; returns how many. Besides the first they differ in the cubes that they don't need, which they move near rivals' flags.
cdef int find_wins(const Ctx *facts, const State *state, int effort, bint clears, Turn *turns, int limit) noexcept nogil

# A lower bound of the points that the seat to move needs for a win, OUT_OF_REACH or OUT_OF_CUBES; and whether a win was found.
cdef int prospect(const Ctx *facts, const State *state, int effort, bint clears, bint *wins) noexcept nogil

# The neighbours of these cells, including unused cells.
cdef Cells around(Cells cells) noexcept nogil


cdef inline int neighbour(const Ctx *facts, int cell, int direction) noexcept nogil:
    """The neighbour in a direction (0 to 3 as in the ids of steps), or -1."""
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
