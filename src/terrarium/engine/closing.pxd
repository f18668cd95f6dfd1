# Terra Nova: turns that close a territory and score for the seat to move.

from terrarium.engine.brain cimport Mind, Turn

# Fills `turns` with the beginnings of the best `limit` such turns and returns how many; 0 if the board is too large.
cdef int closings(const Mind *mind, const void *state, Turn *turns, int limit) noexcept nogil
