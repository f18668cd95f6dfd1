# Exact search of the last turns of a game.

from libc.stdint cimport uint64_t

from terrarium.core.kernel cimport Ops
from terrarium.engine.brain cimport Turn

cdef enum:
    MOST_PLIES = 40             # the longest line, in actions
    MOST_SEEN = 1 << 12         # number of stored results

ctypedef struct Ending:
    const Ops *ops
    int seat                    # the seat that should win
    int effort                  # actions that may still be tried
    int own                     # actions of the first turn in `line`
    int line[MOST_PLIES]
    char *states                # the position after each action of the line
    int *ids                    # the legal actions in each of them
    uint64_t *seen              # stored results

# Memory for searches with these rules; False if there is not enough.
cdef bint prepare_ending(Ending *ending, const Ops *ops) noexcept nogil
cdef void free_ending(Ending *ending) noexcept nogil

# Whether the seat to move certainly wins alone within this many turns, its own included; `turn` gets its turn.
# False also if more than `effort` actions would have to be tried.
cdef bint finds_win(Ending *ending, const void *state, int turns, int effort, Turn *turn) noexcept nogil
