# Terra Nova: with which turns does the seat to move close a territory to its gain?

from terrarium.engine.brain cimport Mind, Turn

# Beginnings of such turns, the best `limit` of them, and how many; 0 where the board is too large to look.
cdef int closings(const Mind *mind, const void *state, Turn *turns, int limit) noexcept nogil
