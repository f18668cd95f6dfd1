# Terra Nova as C structs and functions without Python.
#
# Words and abbreviations:
#   cell     index of a cell in reading order, below ctx.cells; ctx.cells itself is the sea
#   site     number of a cell's bit in a bit board; neighbours differ by 1, ctx.stride or ctx.stride + 1
#   line     the cells in a row on one of three axes; the occupancy of lines is packed in 64-bit words, with a set bit
#            wherever a pioneer, a stone, a dead cell or the sea stops a move
#   ring     the six neighbours of a cell as six bits, in the order of the directions
#   moved    the present cells of the pioneers moved this turn; `origin` are the cells where they started the turn
#   stall    turns in a row without a stone; -1 if the present turn has had one (it becomes 0 when the turn ends)
#   tame     every region in play has four landscapes or more; only a composed position can be otherwise
#
# A state is one flat block: State, the cells, then derived values that are kept for speed. Two states of
# one game are equal if and only if their first ctx.fact_bytes bytes are equal.

from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from terrarium.core.kernel cimport Kernel, KernelPosition, Ops

cdef enum:
    MAX_SEATS = 4
    MAX_CELLS = 1024
    MAX_PIONEERS = 255
    MAX_WORDS = 32          # of a bit board, including two guard words
    MAX_LANDSCAPES = 32
    NOWHERE = 0xFFFF        # no cell

cdef enum:                  # what a cell holds; a pioneer of seat s is s + 1
    EMPTY = 0
    STONE = 5
    DEAD = 6
    SEA = 7

cdef enum:                  # phases
    PLACE = 0
    PLAY = 1
    OVER = 2

cdef enum:                  # why a game ended, in the order of the tests
    DIVIDED = 1
    BLOCKED = 2
    DEPLETED = 3
    STONES = 4
    STALLED = 5
    RESIGNED = 6

cdef enum:                  # TN-12
    THREE_MOVES = 0
    TURN_END = 1
    NEVER = 2

ctypedef struct Cell:       # 64 bytes, one cache line
    uint8_t word[3]         # which word of the occupancy, by axis
    uint8_t bit[3]          # which bit in it
    uint8_t landscape
    uint8_t same            # the neighbours of the same landscape, as a ring
    uint16_t site
    uint16_t near[6]        # the neighbours, ctx.cells for the sea
    uint8_t row
    uint8_t number
    uint32_t base[6]        # id of the move by one cell, by direction
    uint8_t reach[6]        # number of cells before the sea, by direction
    uint8_t spare[10]

ctypedef struct Move:
    uint16_t source
    uint16_t target

ctypedef struct Ctx:
    int cells
    int players
    int pioneers
    int returning
    bint depletion
    int stall_limit
    int landscapes
    int moves               # number of ids for moves
    int longest             # the longest reach on the board
    int stride
    int delta[3]            # difference of sites for a step along an axis
    int words               # of a bit board
    int lines               # words of the occupancy
    size_t fact_bytes
    size_t mobile_at        # offsets of the derived parts
    size_t open_at
    size_t lines_at
    size_t lists_at
    size_t slots_at
    size_t state_bytes
    uint8_t nth[64][6]      # the n-th set bit of a ring
    Cell *cell
    Move *move              # by id - 2 * cells
    uint16_t *cell_of_site
    uint64_t *landscape_mask    # `words` words for each landscape

ctypedef struct State:
    uint8_t phase
    uint8_t seat
    uint8_t step            # actions done in this turn
    uint8_t reason
    uint8_t resigned        # a bit per seat
    uint8_t is_tame
    int16_t stall
    uint16_t supply
    uint16_t in_play        # cells that are neither covered nor dead
    uint16_t moved[2]       # in ascending order, then NOWHERE
    uint16_t origin[2]      # NOWHERE when it no longer matters (TN-12)
    uint8_t hand[4]         # pioneers still to place
    uint8_t count[4]        # pioneers on the board
    int32_t scores[4]

ctypedef struct Territory:
    uint64_t sites[32]
    uint32_t landscapes     # a bit per landscape
    int cells
    int points
    int pioneers[4]
    int awards[4]

ctypedef struct Trace:        # what an action did, from which events are made
    int territories
    Territory territory[3]
    int forfeited           # actions
    bint turn_ended
    int passes
    int passed[8]


cdef inline uint8_t *holds(const State *st) noexcept nogil:
    # the content of each cell, including the sea
    return <uint8_t *>st + sizeof(State)

cdef inline uint8_t *mobile(const Ctx *ctx, const State *st) noexcept nogil:
    # for each seat the index, in its list, of a pioneer that could move at the last check
    return <uint8_t *>st + ctx.mobile_at

cdef inline uint64_t *open_sites(const Ctx *ctx, const State *st) noexcept nogil:
    # the cells in play as a bit board
    return <uint64_t *>(<uint8_t *>st + ctx.open_at)

cdef inline uint64_t *lines(const Ctx *ctx, const State *st) noexcept nogil:
    return <uint64_t *>(<uint8_t *>st + ctx.lines_at)

cdef inline uint16_t *list_of(const Ctx *ctx, const State *st, int seat) noexcept nogil:
    # the cells of a seat's pioneers, st.count[seat] of them, unordered
    return <uint16_t *>(<uint8_t *>st + ctx.lists_at) + seat * ctx.pioneers

cdef inline uint8_t *slots(const Ctx *ctx, const State *st) noexcept nogil:
    # the index of the pioneer on a cell in its seat's list
    return <uint8_t *>st + ctx.slots_at

cdef int legal(const void *ctx, const void *state, int *ids) noexcept nogil
cdef bint is_legal(const void *ctx, const void *state, int id) noexcept nogil
cdef void apply_traced(const Ctx *ctx, State *st, int id, Trace *trace) noexcept nogil
cdef void resign_traced(const Ctx *ctx, State *st, int seat, Trace *trace) noexcept nogil
cdef int reach(const Ctx *ctx, const State *st, int cell, int direction) noexcept nogil
cdef bint can_move(const Ctx *ctx, const State *st, int seat) noexcept nogil
cdef bint is_return(const Ctx *ctx, const State *st, int source, int target) noexcept nogil
cdef bint is_home(const Ctx *ctx, const State *st) noexcept nogil
cdef int stone_cells(const Ctx *ctx, const State *st, uint16_t *found) noexcept nogil
cdef bint has_action(const Ctx *ctx, const State *st) noexcept nogil
cdef uint32_t region_at(const Ctx *ctx, const State *st, int cell, uint64_t *sites) noexcept nogil
cdef void appraise(const Ctx *ctx, const State *st, const uint64_t *sites, uint32_t landscapes, Territory *out) noexcept nogil
cdef int winners(const Ctx *ctx, const State *st) noexcept nogil
cdef void rebuild(const Ctx *ctx, State *st) noexcept nogil
cdef void settle(const Ctx *ctx, State *st, int first, bint after_turn, Trace *trace) noexcept nogil


cdef class NovaKernel(Kernel):
    cdef readonly object board
    cdef Ctx ctx
    cdef dict index            # cell by name
