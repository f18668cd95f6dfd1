# What the kernel of every game supplies, as a table of C functions over an opaque state.
#
# Words: ctx = the fixed facts of a game (rules and board prepared for C); state = the changing facts, one flat block of
# `state_size` bytes without pointers, so that a copy is a memcpy; id = number of an action, below `num_actions`.

from libc.stdint cimport uint64_t

ctypedef struct Ops:
    const void *ctx
    size_t state_size
    int seats
    int num_actions
    int max_legal      # no position has more legal actions than this
    # Fills `ids` in rising order and returns how many; 0 exactly when the game is over.
    int (*legal)(const void *ctx, const void *state, int *ids) noexcept nogil
    bint (*is_legal)(const void *ctx, const void *state, int id) noexcept nogil
    # Plays a legal action and everything that follows automatically (forfeits, passes, scoring, end of game).
    void (*apply)(const void *ctx, void *state, int id) noexcept nogil
    # One random legal action, its kind drawn first; -1 when the game is over.
    int (*random_action)(const void *ctx, const void *state, uint64_t *rng) noexcept nogil
    # Random actions to the end, and how many: what random_action and apply give with the same numbers, only faster;
    # NULL where there is nothing faster. Call it through play_out.
    long long (*playout)(const void *ctx, void *state, uint64_t *rng) noexcept nogil
    void (*resign)(const void *ctx, void *state, int seat) noexcept nogil
    int (*to_move)(const void *ctx, const void *state) noexcept nogil          # -1 when the game is over
    bint (*at_turn_start)(const void *ctx, const void *state) noexcept nogil
    bint (*is_over)(const void *ctx, const void *state) noexcept nogil
    # What part of the win each seat has, `seats` doubles; only called when the game is over.
    void (*shares)(const void *ctx, const void *state, double *out) noexcept nogil
    # Points per seat where the game counts points, else zeros.
    void (*points)(const void *ctx, const void *state, int *out) noexcept nogil
    # Equal states have equal keys; everything that matters for the rest of the game is in both.
    bint (*equal)(const void *ctx, const void *a, const void *b) noexcept nogil
    uint64_t (*key)(const void *ctx, const void *state) noexcept nogil


cdef uint64_t seed_rng(uint64_t seed) noexcept nogil

# Here, not in the .pyx, so that the kernels of the games can inline them.

cdef inline uint64_t next_random(uint64_t *rng) noexcept nogil:
    # xorshift64*
    cdef uint64_t x = rng[0]
    x ^= x >> 12
    x ^= x << 25
    x ^= x >> 27
    rng[0] = x
    return x * <uint64_t>2685821657736338717

cdef inline int random_below(uint64_t *rng, int bound) noexcept nogil:
    # multiply and shift: no division, and the bias is below 2**-32
    return <int>(((next_random(rng) >> 32) * <uint64_t>bound) >> 32)


cdef class Kernel:
    """The fixed facts of one game in C form; shared by all its positions."""
    cdef Ops ops
    cdef readonly object rules
    cdef list actions              # Action by id, filled as they are asked for
    cdef list numbers              # the ids themselves as Python numbers
    cdef public object brain       # the engine's evaluation for this kernel, once it has been asked for


cdef class KernelPosition:
    """A position as a value: a state block and the kernel that understands it."""
    cdef readonly Kernel kernel
    cdef object place                  # the board with its labels, which the kernel does not know; None without boards
    cdef void *state
    cpdef int resolve(self, action) except -1
    cdef KernelPosition fresh(self)    # a new position of the same type with a copy of the state


# A position of this type with room for its state, all zeros; the only way to make one.
cdef KernelPosition bare(type cls, Kernel kernel, place=*)

# Random actions from a state to the end of its game, and how many there were.
cdef long long play_out(const Ops *ops, void *state, uint64_t *rng) noexcept nogil
