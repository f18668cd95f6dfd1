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
    # Plays random actions to the end and returns how many: the same game as with random_action and apply and the same
    # random numbers, but faster. NULL if there is no faster way. Call it through play_out.
    long long (*playout)(const void *ctx, void *state, uint64_t *rng) noexcept nogil
    void (*resign)(const void *ctx, void *state, int seat) noexcept nogil
    int (*to_move)(const void *ctx, const void *state) noexcept nogil          # -1 when the game is over
    bint (*at_turn_start)(const void *ctx, const void *state) noexcept nogil
    bint (*is_over)(const void *ctx, const void *state) noexcept nogil
    # Each seat's share of the win, `seats` doubles; only called when the game is over.
    void (*shares)(const void *ctx, const void *state, double *out) noexcept nogil
    # Points per seat; zeros if the game counts no points.
    void (*points)(const void *ctx, const void *state, int *out) noexcept nogil
    # Equal states have equal keys. Both functions cover everything that affects the rest of the game.
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
    cdef list actions              # Action by id, each made on first use
    cdef list numbers              # the ids as Python integers
    cdef public object brains      # the engine's evaluations for this kernel, made on first use


cdef class KernelPosition:
    """A position as a value: a state block and its kernel."""
    cdef readonly Kernel kernel
    cdef object place                  # the board with its labels, which the kernel does not have; None without boards
    cdef void *state
    cpdef int resolve(self, action) except -1
    cdef KernelPosition fresh(self)    # a new position of the same type with a copy of the state


# A position of this type whose state is all zeros. Positions are made only here and in `fresh`.
cdef KernelPosition bare(type cls, Kernel kernel, place=*)

# Plays random actions from a state to the end of its game; returns how many.
cdef long long play_out(const Ops *ops, void *state, uint64_t *rng) noexcept nogil
