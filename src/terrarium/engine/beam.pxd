# The beam: finds the whole turns of a position that are worth a place in the tree.

from libc.stdint cimport uint64_t

from terrarium.engine.brain cimport MAX_SEATS, Brain, Mind, Plans, Turn

cdef enum:
    WIDEST = 48             # unfinished turns a beam can always keep

ctypedef struct Value:
    # The stored evaluation of a position.
    uint64_t sight
    float shares[MAX_SEATS]
    float points[MAX_SEATS]


cdef class Beam:
    cdef Brain brain
    cdef int searcher                   # the seat whose turn is sought at the root
    cdef Mind mind                      # the brain's, with the settings of this searcher
    cdef bint alert                     # asks the game for turns that must not be missed
    cdef Plans plans
    cdef Value *values                  # stored evaluations, indexed by their sight
    cdef long long nodes                # positions evaluated, stored ones included
    cdef long long most                 # positions that may be evaluated
    cdef double deadline                # when `find` ends early
    cdef volatile int stopped
    # of the running `find`
    cdef int seat, width, limit
    cdef int threatening                # seats (bits) that would win at once if it were their turn
    cdef Turn *candidates               # finished turns, the caller's
    cdef int count
    # unfinished turns and the positions they lead to: those of one length, and those with one action more
    cdef Turn *shorter
    cdef Turn *longer
    cdef char *shorter_states
    cdef char *longer_states
    cdef int unfinished                 # how many longer ones
    cdef char *trial
    cdef int *ids

    # Fills in the best turns of a seat, `limit` at most, and returns how many. Of the unfinished ones it keeps `width`.
    # If it is stopped or late, it ends as soon as it has one. If no more positions may be evaluated, it still finds at least one turn.
    cdef int find(self, const void *state, int seat, int width, int limit, Turn *candidates) noexcept nogil

    cdef bint is_late(self) noexcept nogil
    cdef bint is_spent(self) noexcept nogil
    cdef void insist(self, const void *state) noexcept nogil
    cdef void finish(self, const void *start, Turn *turn) noexcept nogil
    cdef void lengthen(self, const Turn *begun, const void *state) noexcept nogil
    cdef void measure(self, const void *state, Turn *turn) noexcept nogil
    cdef void value(self, const void *state, float *shares, float *points) noexcept nogil
    cdef void expect_hindrance(self, float *shares) noexcept nogil
    cdef void heed(self, const void *state, Turn *turn) noexcept nogil
    cdef void keep_candidate(self, const Turn *turn) noexcept nogil
    cdef void keep_unfinished(self, const Turn *turn) noexcept nogil


# Whether one of the turns reaches the same position.
cdef bint is_among(const Turn *turns, int count, const Turn *turn) noexcept nogil
