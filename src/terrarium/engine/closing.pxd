# Terra Nova: turns that close a territory and score for the seat to move.

from terrarium.engine.brain cimport Mind, Turn

# Beginnings of such turns, the best `limit` of them, and how many; 0 where the board is too large to look.
cdef int closings(const Mind *mind, const void *state, Turn *turns, int limit) noexcept nogil
