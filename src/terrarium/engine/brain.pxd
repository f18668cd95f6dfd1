# What a game's evaluation supplies to the search, beside the rules in core's Ops.

from libc.math cimport sqrtf
from libc.stdint cimport uint64_t

from terrarium.core.kernel cimport Kernel, Ops

cdef enum:
    MAX_TURN = 16       # no turn of any game has more actions
    MAX_SEATS = 4
    KNOWN_PLANS = 16

ctypedef struct Turn:
    int length
    int ids[MAX_TURN]
    float shares[MAX_SEATS]     # expected win share of each seat after the turn
    float points[MAX_SEATS]     # expected final points of each seat
    uint64_t key                # of the position reached
    bint is_final               # the game is over after it: the shares are exact

ctypedef struct Plans:
    # Winning turns seen lately; they often still work a moment later.
    int count                   # of all so far; the newest replace the oldest
    int seats[KNOWN_PLANS]
    Turn turns[KNOWN_PLANS]

ctypedef struct Mind:
    const Ops *ops
    const void *facts           # weights and what was prepared for this board
    size_t desk_bytes           # working memory that the evaluation needs, zeroed at first
    void *desk                  # that memory, of one search or of the brain
    float even                  # a draw is worth this part of its share, so that players avoid it
    float regard                # how much rivals' progress counts: 1 fully, 0 not at all
    float hostility             # how much rivals are expected to hinder the searching seat instead of playing for themselves
    # Expected win shares and final points; also called in the middle of a turn, where what the mover can still do counts.
    void (*evaluate)(const Mind *mind, const void *state, float *shares, float *points) noexcept nogil
    # A key of what `evaluate` looks at, so that positions that look alike to it are evaluated once.
    uint64_t (*sight)(const Mind *mind, const void *state) noexcept nogil
    # Legal actions worth a look, best first where that is cheap; `width` says how generous to be. Never empty before the end.
    int (*propose)(const Mind *mind, const void *state, int width, int *ids) noexcept nogil
    # Beginnings of turns that must never be overlooked (closing, capturing, winning, stopping a win); may be none.
    int (*tactics)(const Mind *mind, const void *state, Turn *turns, int limit) noexcept nogil
    # Which of the seats (bits) would win at once if it were their turn; NULL where the game can't tell.
    int (*threats)(const Mind *mind, const void *state, int seats, Plans *known) noexcept nogil


# Zeroed working memory for a mind; NULL when there is none.
cdef void *new_desk(const Mind *mind) noexcept nogil


cdef class Brain:
    """Evaluation of one game on one board, ready for C."""
    cdef Mind mind
    cdef Kernel kernel

    # The mind with working memory for questions from Python, one at a time.
    cdef const Mind *ready(self) except NULL


cdef inline uint64_t mixed(uint64_t key, uint64_t word) noexcept nogil:
    """A key of one word more."""
    key = ((key << 23 | key >> 41) ^ word) * <uint64_t>0x9E3779B97F4A7C15
    return key ^ key >> 32


cdef inline float squash(float x) noexcept nogil:
    """An S from 0 to 1 without an exponential."""
    return 0.5 + 0.5 * x / sqrtf(1 + x * x)
