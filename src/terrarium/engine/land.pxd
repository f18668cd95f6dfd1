# Terra Nova: what each open cell will probably pay, and to whom.

from libc.stdint cimport uint8_t, uint16_t

from terrarium.nova.kernel cimport MAX_CELLS, Ctx, State

cdef enum:
    FIELDS = 16             # walkers on a cell: 12 landscapes (further ones share), then a field for each seat
    GROUNDS = 12
    ONE = 9362              # a whole walker; seven of them fit in 16 bits
    MOST_CELLS = MAX_CELLS + 1
    PAY_INPUTS = 12

cdef extern from *:
    """
    #include <stdint.h>
    /* aligned, so that the sixteen fields of a cell lie in one cache line */
    typedef uint16_t nova_rows[1025][16] __attribute__((aligned(32)));
    """
    ctypedef uint16_t Rows "nova_rows"[MOST_CELLS][FIELDS]

ctypedef struct Weights:
    float pay[PAY_INPUTS]   # see `pay_inputs`
    float near_lead         # how much leading nearby counts for the majority on open land ...
    float near_closed       # ... and how much more where few landscapes are in reach
    float far_lead
    float far_closed
    float count_lead        # the same for the number of pioneers ahead, not their ratio
    float count_closed
    float region_lead       # the same for pioneers ahead in the whole region, wherever they stand; with three or four seats
    float region_part       # ... and for their part of all pioneers in it
    float crowd             # pioneers per cell that count as nobody
    float spread_base       # points of difference that make a win half sure ...
    float spread_open       # ... per point still open
    float reserve           # points that one pioneer is worth beside its seat's hopes while all land is open and no wall near it, four pioneers
                            # twice that: rivals' luck can be answered; none for two
    float tempo             # points that being to move is worth

ctypedef struct Region:
    int cells
    unsigned int grounds                    # its landscapes, as bits
    int pioneers[4]                         # of each seat

ctypedef struct Field:
    # What the evaluation thinks of every open cell.
    int cells
    uint16_t around[MOST_CELLS][6]          # neighbours, a blocked one replaced by the cell itself
    Rows near                              # walkers after the short and the long walk, in parts of ONE
    Rows far
    float closed[MOST_CELLS]                # 1 where a single landscape is in reach, towards 0 where many are
    float most                              # points a cell can bring, less and less when nobody builds
    float pay[MOST_CELLS]                   # points a cell is expected to bring to somebody
    float lead[MOST_CELLS][4]               # which part of them goes to each seat
    uint8_t is_open[MOST_CELLS]
    uint16_t region[MOST_CELLS]             # which region an open cell belongs to; with three or four seats
    Region regions[MOST_CELLS]

# Fill in everything.
cdef void survey(const Ctx *ctx, const State *st, const Weights *w, Field *f) noexcept nogil

# The parts of it that training looks at: where walkers end, the regions, and from what the pay of a cell is computed.
cdef void walk(const Ctx *ctx, const State *st, Field *f) noexcept nogil
cdef void find_regions(const Ctx *ctx, const State *st, Field *f) noexcept nogil
cdef void pay_inputs(const Ctx *ctx, const State *st, Field *f, int c, float *x) noexcept nogil


cdef inline float part(uint16_t walkers) noexcept nogil:
    return walkers * <float>(1.0 / ONE)
