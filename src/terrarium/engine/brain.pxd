# What a game's evaluation supplies to the search, in addition to the rules in core's Ops.

from libc.math cimport sqrtf
from libc.stdint cimport uint64_t

from terrarium.core.kernel cimport Kernel, Ops

cdef enum:
    MAX_TURN = 16       # the most actions in a turn of any game
    MAX_SEATS = 4
    KNOWN_PLANS = 16

ctypedef struct Turn:
    int length
    int ids[MAX_TURN]
    float shares[MAX_SEATS]     # expected win share of each seat after the turn
    float points[MAX_SEATS]     # expected final points of each seat
    uint64_t key                # of the position reached
    bint is_final               # the game is over after the turn, or its win is proven, so the shares are exact

ctypedef struct Plans:
    # Winning turns found recently; they often still work in similar positions.
    int count                   # number of all turns so far; the newest replace the oldest
    int seats[KNOWN_PLANS]
    Turn turns[KNOWN_PLANS]

ctypedef struct Mind:
    const Ops *ops
    const void *facts           # weights and tables for this board
    size_t workspace_bytes           # size of the evaluation's working memory, which is zeroed at first
    void *workspace                  # the working memory, of one search or of the brain
    bint is_root                # the candidates of the position to be played are being found, which may take longer
    bint is_thorough            # the search is that of the strongest level
    bint are_tactics_wins       # `tactics` returns only turns that win; then a thorough search looks for no others
    float even                  # factor for the shares of a draw, so that players avoid it
    float regard                # how long rivals' progress counts, relative to the evaluation's own number of rounds
    int inner_width             # the most unfinished turns that the beam keeps below the root; 0 for no limit
    int leaf_width              # the same until a position has been visited a few times
    int choosy                  # how many of the actions of one step the next steps may try again, below the root; 0 for all
    float hostility             # how much rivals are expected to hinder the searching seat rather than play for themselves
    # Expected win shares and final points; also called in the middle of a turn.
    void (*evaluate)(const Mind *mind, const void *state, float *shares, float *points) noexcept nogil
    # Better shares of a position in which a turn begins, but slower than `evaluate`; asked about the turns that a search has found. NULL if the
    # game has none.
    void (*assess)(const Mind *mind, const void *state, float *shares) noexcept nogil
    # The shares if an action of a seat changes nothing for the others, whose points `before` it are known; cheaper than `evaluate`. False if that
    # can't be assumed. NULL if the game has no such estimate.
    bint (*estimate)(const Mind *mind, const void *state, int action, int seat, const float *before, float *shares) noexcept nogil
    # Whether a game that is over has winners, even if all seats won together; NULL if that counts as a draw.
    bint (*has_winners)(const Mind *mind, const void *state) noexcept nogil
    # A key of everything that `evaluate` depends on, so that positions with equal evaluations are evaluated once.
    uint64_t (*value_key)(const Mind *mind, const void *state) noexcept nogil
    # Legal actions worth trying, best first if that is cheap; a larger `width` allows more. Never empty before the end.
    int (*propose)(const Mind *mind, const void *state, int width, int *ids) noexcept nogil
    # Beginnings of turns that must not be missed (closings, wins); may be none.
    int (*tactics)(const Mind *mind, const void *state, Turn *turns, int limit) noexcept nogil
    # Which of the seats (bits) would win at once if it were their turn; NULL if the game can't decide that. `is_again` if their threats
    # before the turn are known: then a shorter search is enough.
    int (*threats)(const Mind *mind, const void *state, int seats, bint is_again, Plans *known) noexcept nogil


# Zeroed working memory for a mind; NULL if there is not enough memory.
cdef void *new_workspace(const Mind *mind) noexcept nogil


cdef class Brain:
    """The evaluation of one game with its rules and board, as C functions."""
    cdef Mind mind
    cdef Kernel kernel

    # The mind with working memory, for calls from Python, one at a time.
    cdef const Mind *ready(self) except NULL


# Reads the weights of a network, stored as multiples of 1 / unit, from an index on; returns the index after them.
cdef int read_weights(list numbers, int at, int unit, float *to, int count) except -1


cdef inline uint64_t mixed(uint64_t key, uint64_t word) noexcept nogil:
    """A key with one more word mixed in."""
    key = ((key << 23 | key >> 41) ^ word) * <uint64_t>0x9E3779B97F4A7C15
    return key ^ key >> 32


cdef inline float squash(float x) noexcept nogil:
    """A sigmoid from 0 to 1, computed without an exponential."""
    return 0.5 + 0.5 * x / sqrtf(1 + x * x)
