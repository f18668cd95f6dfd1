# Terra Turrium: can the seat to move complete its towers within this turn?

from terrarium.engine.brain cimport Turn
from terrarium.turrium.kernel cimport Cells, Ctx, State

# Whether it can, and with which actions; `effort` bounds the plans looked at, so "no" may be wrong when it is small.
cdef bint finds_towers(const Ctx *facts, const State *state, int effort, Turn *turn) noexcept nogil

# The cells beside these, those out of use among them.
cdef Cells around(Cells cells) noexcept nogil
