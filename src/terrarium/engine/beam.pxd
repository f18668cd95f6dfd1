# The beam search: finds the best whole turns of a position, the candidates for the tree.

from libc.stdint cimport uint64_t

from terrarium.engine.brain cimport MAX_SEATS, Brain, Mind, Plans, Turn
from terrarium.engine.ending cimport Ending

cdef enum:
    WIDEST = 48             # every beam has room for at least this many unfinished turns

ctypedef struct Value:
    # The stored evaluation of a position.
    uint64_t value_key
    bint is_estimate            # only the shares are known, and only roughly
    float shares[MAX_SEATS]
    float points[MAX_SEATS]


cdef class Beam:
    cdef Brain brain
    cdef int searcher                   # the seat to move at the root
    cdef Mind mind                      # a copy of the brain's, with this search's settings
    cdef bint alert                     # ask the game for turns that must not be missed
    cdef bint is_lazy                   # evaluate fully only those turns that may be kept
    cdef int exact                      # with at most this many legal actions, look for a proven win; 0 for never
    cdef int effort                     # actions tried for that
    cdef Ending ending
    cdef Plans plans
    cdef Value *values                  # stored evaluations, indexed by their key
    cdef long long nodes                # positions evaluated, including stored ones
    cdef long long most                 # positions that may be evaluated
    cdef double deadline                # when `find` ends early
    cdef volatile int stopped
    # state of the running `find`
    cdef int seat, width, limit
    cdef int threatening                # seats (bits) that would win at once if it were their turn
    cdef Turn *candidates               # finished turns, in the caller's memory
    cdef int count
    # unfinished turns of one length and those with one more action, and the positions they lead to
    cdef Turn *shorter
    cdef Turn *longer
    cdef char *shorter_states
    cdef char *longer_states
    cdef int unfinished                 # number of turns in `longer`
    cdef char *trial
    cdef int *ids
    cdef int choosy                     # how many of the actions of one step the next steps may try again; 0 for all
    cdef float *tried                   # the mover's share after each action of a step, or -1
    cdef int *poor                      # by action: the step in which it was last not among the best
    cdef int step                       # number of the running step, rising from one `find` to the next
    cdef int before                     # the last step before this `find`

    # Fills `candidates` with the best turns of a seat, at most `limit`, and returns how many. It keeps `width` unfinished turns.
    # `is_root` for the position to be played.
    # If it is stopped or late, it returns as soon as it has one turn. It finds at least one turn even if no more positions may be evaluated.
    cdef int find(self, const void *state, int seat, int width, int limit, bint is_root, Turn *candidates) noexcept nogil

    cdef void assess(self, const void *state) noexcept nogil
    cdef bint is_late(self) noexcept nogil
    cdef bint is_spent(self) noexcept nogil
    cdef bint add_proven_win(self, const void *state) noexcept nogil
    cdef void add_tactics(self, const void *state) noexcept nogil
    cdef void finish(self, const void *start, Turn *turn) noexcept nogil
    cdef void lengthen(self, const Turn *begun, const void *state) noexcept nogil
    cdef bint is_hopeless(self, const Turn *begun, const Turn *turn, float *share) noexcept nogil
    cdef void remember_poor(self, int proposed) noexcept nogil
    cdef void measure(self, const void *state, Turn *turn) noexcept nogil
    cdef bint guess(self, const Turn *begun, int action, float *shares) noexcept nogil
    cdef void value(self, const void *state, float *shares, float *points) noexcept nogil
    cdef void expect_hindrance(self, float *shares) noexcept nogil
    cdef void discount_threats(self, const void *state, Turn *turn) noexcept nogil
    cdef void keep_candidate(self, const Turn *turn) noexcept nogil
    cdef void keep_unfinished(self, const Turn *turn) noexcept nogil


# Whether one of the turns leads to the same position as `turn`.
cdef bint is_among(const Turn *turns, int count, const Turn *turn) noexcept nogil
