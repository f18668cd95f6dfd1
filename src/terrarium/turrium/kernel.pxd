# The state of a Terra Turrium game, and the functions that the engine's search uses.
#
# Cells: a set of cells as 128 bits, bit 10 * row + column, `a1` = bit 0. Seats 0 to 3; directions north, east, south,
# west. Heights are kept with a row of zeros below and above, so that the neighbours of every cell can be read.

from libc.stdint cimport uint8_t, uint16_t, uint64_t

from terrarium.core.kernel cimport Kernel

cdef extern from *:
    """
    #ifndef TERRARIUM_TURRIUM_CELLS
    #define TERRARIUM_TURRIUM_CELLS
    #include <stdint.h>
    #ifdef __BMI2__
    #include <immintrin.h>
    #endif
    /* aligned like a 64-bit word, so that a state needs no stricter alignment than a uint64_t */
    typedef unsigned __int128 tt_cells __attribute__((aligned(8)));
    static inline uint64_t tt_low(tt_cells b) { return (uint64_t)b; }
    static inline uint64_t tt_high(tt_cells b) { return (uint64_t)(b >> 64); }
    /* WebAssembly has no 128-bit shift by a variable: the compiler would call a library function. TT_HIDE prevents it
    from turning these operations on two words back into such a shift. */
    #ifdef __wasm__
    #define TT_HIDE(w) __asm__("" : "+r"(w))
    static inline int tt_has(tt_cells b, int i) {
        uint64_t low = tt_low(b), high = tt_high(b);
        TT_HIDE(low);
        TT_HIDE(high);
        return ((i & 64 ? high : low) >> (i & 63)) & 1;
    }
    static inline tt_cells tt_bit(int i) {
        uint64_t one = (uint64_t)1 << (i & 63), low = i & 64 ? 0 : one, high = i & 64 ? one : 0;
        TT_HIDE(low);
        TT_HIDE(high);
        return (tt_cells)low | (tt_cells)high << 64;
    }
    static inline uint64_t tt_from(tt_cells b, int i) {
        uint64_t low = tt_low(b), high = tt_high(b);
        TT_HIDE(low);
        TT_HIDE(high);
        return i & 64 ? high >> (i & 63) : i ? low >> i | high << (64 - i) : low;
    }
    static inline tt_cells tt_up(uint64_t w, int i) {
        uint64_t low = i & 64 ? 0 : w << i, high = i & 64 ? w << (i & 63) : i ? w >> (64 - i) : 0;
        TT_HIDE(low);
        TT_HIDE(high);
        return (tt_cells)low | (tt_cells)high << 64;
    }
    #else
    static inline int tt_has(tt_cells b, int i) { return (b >> i) & 1; }
    static inline tt_cells tt_bit(int i) { return (tt_cells)1 << i; }
    static inline uint64_t tt_from(tt_cells b, int i) { return (uint64_t)(b >> i); }
    static inline tt_cells tt_up(uint64_t w, int i) { return (tt_cells)w << i; }
    #endif
    static inline int tt_count(tt_cells b) {
        return __builtin_popcountll(tt_low(b)) + __builtin_popcountll(tt_high(b));
    }
    static inline int tt_first(tt_cells b) {
        return tt_low(b) ? __builtin_ctzll(tt_low(b)) : 64 + __builtin_ctzll(tt_high(b));
    }
    static inline int tt_last(tt_cells b) {
        return tt_high(b) ? 127 - __builtin_clzll(tt_high(b)) : 63 - __builtin_clzll(tt_low(b));
    }
    static inline int tt_nth_of_word(uint64_t w, int n) {
    #ifdef __BMI2__
        return __builtin_ctzll(_pdep_u64(1ULL << n, w));
    #else
        while (n--) w &= w - 1;
        return __builtin_ctzll(w);
    #endif
    }
    static inline int tt_nth(tt_cells b, int n) {
        int low = __builtin_popcountll(tt_low(b));
        return n < low ? tt_nth_of_word(tt_low(b), n) : 64 + tt_nth_of_word(tt_high(b), n - low);
    }
    #endif
    """
    ctypedef unsigned long long Cells "tt_cells"
    uint64_t low_word "tt_low"(Cells b) nogil
    uint64_t high_word "tt_high"(Cells b) nogil
    bint has "tt_has"(Cells b, int i) nogil
    Cells bit "tt_bit"(int i) nogil
    uint64_t word_from "tt_from"(Cells b, int i) nogil  # 64 bits, starting at bit i
    Cells shifted "tt_up"(uint64_t w, int i) nogil
    int count "tt_count"(Cells b) nogil
    int first "tt_first"(Cells b) nogil      # of a set that is not empty
    int last "tt_last"(Cells b) nogil        # of a set that is not empty
    int nth "tt_nth"(Cells b, int n) nogil   # n below count


cdef enum:
    FLAGS = 0
    TAKE = 1
    PLACE = 2
    MOVE = 3
    OVER = 4

cdef enum:
    ID_TAKE = 100
    ID_CUBE = 200
    ID_STEP = 300
    ID_CAPTURE = 700
    ID_END = 1100
    NUM_IDS = 1101

cdef enum:
    CELL = 10          # heights[CELL + i] is the height of cell i
    POINTS = 5         # TT-9
    MAX_TAKES = 3      # TT-5
    MAX_ATTACKS = 5    # TT-12
    MAX_CAPTURES = 2   # TT-17


ctypedef struct State:
    # The fields that are compared when two positions are.
    uint16_t heights[120]
    Cells flags[4]
    uint16_t captures[4]
    uint16_t rounds
    uint8_t attacks[4]
    uint8_t to_move
    uint8_t phase
    uint8_t cubes          # in hand
    uint8_t taken_from     # enemy territories from which a cube was taken this turn; 0 unless the phase is TAKE
    uint8_t points         # 0 unless the phase is MOVE
    uint8_t attacking      # this turn has been counted as an attack
    uint8_t fresh          # the turn began with MOVE because nothing could be taken, and nothing has been done yet
    uint8_t unlocked
    uint8_t resigned       # seats as bits
    uint8_t declared       # seats as bits
    # Derived fields, updated with every change.
    uint64_t board_key
    Cells built            # cells with a construction
    Cells towers           # constructions with a flag
    Cells climb_v          # bit i: a flag can step between i - 10 and i, if no flag is in the way
    Cells climb_h          # bit i: the same between i - 1 and i
    Cells open_rows        # constructions with a free line along the row to the edge; with the option `path`, all exterior ones
    Cells open_columns
    Cells levels[8]        # all cells by height; 7 is for all heights above 6


ctypedef struct Ctx:    # the fixed facts
    int players
    bint is_burgenland
    bint is_path
    int max_rounds
    Cells used
    Cells edge             # used cells with fewer than four used neighbours
    Cells lands[4]         # the quarters SW, NW, NE, SE (TT-2)
    Cells own[4]           # the land of a seat (TT-2)
    Cells attack_land[4]   # where a capture by this seat is an attack (TT-12)
    Cells closed[16]       # enemy land from which no more cubes may be taken, by `taken_from` (TT-5)
    uint8_t mark[100]      # the bit that is set in `taken_from` when a cube is taken from this cell of an enemy


cdef inline Cells exterior_cells(const State *st) noexcept nogil:
    """Constructions that are exterior (TT-7)."""
    return st.open_rows | st.open_columns

cdef inline int height_of(const State *st, int cell) noexcept nogil:
    return st.heights[CELL + cell]

cdef inline int flags_in_hand(const State *st, int seat) noexcept nogil:
    return 6 - count(st.flags[seat])


# What follows an action automatically; recorded only if a trace is passed.
cdef enum:
    SKIPPED = 0            # seat, phase
    UNLOCKED = 1           # seat
    COMPLETED = 2          # seat
    LAST_ROUND = 3         # seats as bits
    TURN_ENDED = 4         # seat
    PASSED = 5             # seat

ctypedef struct Trace:
    int length
    int kinds[64]
    int firsts[64]
    int seconds[64]

# The cheapest paths of a flag: for each node the points, and the node before it. See reach.pxi.
cdef enum:
    LOCKED = 3
    NODES = 400
    UNREACHED = 255

ctypedef struct Paths:
    uint8_t cost[NODES]
    uint16_t came[NODES]

cdef bint has_towers(const State *st, int seat) noexcept nogil
cdef Cells takable(const Ctx *ctx, const State *st) noexcept nogil
cdef Cells step_sources(const State *st, int direction) noexcept nogil
cdef Cells capture_targets(const Ctx *ctx, const State *st) noexcept nogil
cdef Cells capture_sources(const State *st, Cells targets, int direction) noexcept nogil
cdef Cells entries(const State *st) noexcept nogil
cdef int capture_cost(const State *st, int source, int target) noexcept nogil
cdef void find_paths(const Ctx *ctx, const State *st, int source, int points, Paths *out) noexcept nogil
cdef Cells in_reach(const Ctx *ctx, const State *st, int points) noexcept nogil
cdef bint can_move(const Ctx *ctx, const State *st) noexcept nogil
cdef bint shows_unlocking(const Ctx *ctx, const State *st) noexcept nogil
cdef bint is_legal(const void *opaque, const void *state, int id) noexcept nogil
cdef int winners_of(const Ctx *ctx, const State *st) noexcept nogil
cdef void refresh(const Ctx *ctx, State *st) noexcept nogil
cdef void end_game(State *st) noexcept nogil
cdef void begin_play(const Ctx *ctx, State *st, int seat, Trace *trace) noexcept nogil
cdef void apply_traced(const Ctx *ctx, State *st, int id, Trace *trace) noexcept nogil
cdef void resign_traced(const Ctx *ctx, State *st, int seat, Trace *trace) noexcept nogil


cdef class TurriumKernel(Kernel):
    cdef Ctx ctx
