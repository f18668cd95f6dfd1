# Terra Nova: what each open cell will probably pay, and to whom.

from libc.stdint cimport uint8_t, uint16_t, uint64_t

from terrarium.nova.kernel cimport MAX_CELLS, Ctx, State

cdef enum:
    FIELDS = 16             # walkers on a cell: 12 landscapes (further ones share), then a field for each seat
    GROUNDS = 12
    ONE = 9362              # a whole walker; seven of them fit in 16 bits
    MOST_CELLS = MAX_CELLS + 1
    PAY_INPUTS = 12
    NO_PLACE = 0xFFFF

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

ctypedef struct Walk:
    # Where walkers end, by cell.
    int cells
    uint16_t around[MOST_CELLS][6]          # neighbours, a blocked one replaced by the cell itself
    Rows near                              # walkers after the short and the long walk, in parts of ONE
    Rows far
    uint8_t is_open[MOST_CELLS]
    uint16_t region[MOST_CELLS]             # which region an open cell belongs to
    Region regions[MOST_CELLS]

ctypedef struct Ground:
    # What follows from the open cells and the supply, whoever stands on them. Open cells are numbered from 0: a `place`.
    int supply                              # -1 where nothing is known yet
    int count                               # of open cells
    int regions
    uint64_t *open_sites
    uint16_t *cells                         # by place
    uint16_t *sites
    uint16_t *region
    uint16_t *around                        # six places for each: the neighbours, a blocked one replaced by the place itself
    uint16_t *places                        # by cell; NO_PLACE where it is not open
    uint16_t *stays                         # by site: in how many of seven ways a walker stays there ...
    uint16_t *is_open                       # ... and all bits set where it is open
    float *closed                           # 1 where a single landscape is in reach, towards 0 where many are
    float *pay                              # what pay is computed from, before the pioneers count
    float *size_pay                         # ... and what its region adds to it
    float *grounds_pay
    float *near_lead                        # what a lead near the cell, farther around it, and in numbers is worth
    float *far_lead
    float *count_lead

ctypedef struct Desk:
    # Working memory: grounds seen lately, and walkers of one seat by site, with room for the neighbours of the outermost.
    int kept                                # grounds
    int sites                               # all that walkers reach: up to the last cell, a multiple of 16
    Ground *grounds
    uint16_t *near[4]
    uint16_t *far[4]
    uint16_t *bank[2]

ctypedef struct Field:
    # What the evaluation thinks of every open cell, by place.
    const Ground *ground
    float most                              # points a cell can bring, less and less when nobody builds
    float near[4][MOST_CELLS]               # pioneers of each seat in reach
    float far[4][MOST_CELLS]
    float pay[MOST_CELLS]                   # points a cell is expected to bring to somebody
    float lead[4][MOST_CELLS]               # which part of them goes to each seat

# The memory that a desk with room for this number of grounds takes, and such a desk in zeroed memory.
cdef size_t desk_bytes(const Ctx *ctx, int kept) noexcept nogil
cdef Desk *desk_at(const Ctx *ctx, void *memory, int kept) noexcept nogil

# Fill in everything.
cdef void survey(const Ctx *ctx, const State *st, const Weights *w, Desk *desk, Field *f) noexcept nogil

# The parts of it that training looks at: where walkers end (the first `fields`, and perhaps others too), the regions, and from what the pay
# of a cell is computed.
cdef void walk(const Ctx *ctx, const State *st, int fields, Walk *f) noexcept nogil
cdef int find_regions(const Ctx *ctx, const State *st, Walk *f) noexcept nogil
cdef void pay_inputs(const Ctx *ctx, const State *st, const Walk *f, int c, float *x) noexcept nogil


cdef inline float part(uint16_t walkers) noexcept nogil:
    return walkers * <float>(1.0 / ONE)
