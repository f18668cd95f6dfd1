# Terra Nova: the expected points of each open cell, and each seat's share of them.

from libc.stdint cimport uint8_t, uint16_t, uint64_t

from terrarium.nova.kernel cimport MAX_CELLS, MAX_WORDS, Ctx, State

cdef enum:
    FIELDS = 16             # numbers of walkers on a cell: 12 landscapes (further ones share a field), then one field for each seat
    GROUNDS = 12
    ONE = 9362              # one walker; the sum of seven fits in 16 bits
    MOST_CELLS = MAX_CELLS + 1
    MOST_SITES = 64 * (MAX_WORDS - 2)
    PAY_INPUTS = 12
    NO_PLACE = 0xFFFF

cdef extern from *:
    """
    #include <stdint.h>
    /* aligned, so that the sixteen fields of a cell are in one cache line */
    typedef uint16_t nova_rows[1025][16] __attribute__((aligned(32)));
    """
    ctypedef uint16_t Rows "nova_rows"[MOST_CELLS][FIELDS]

ctypedef struct Weights:
    float pay[PAY_INPUTS]   # see `pay_inputs`
    float near_lead         # weight of a lead nearby for the majority on open land ...
    float near_closed       # ... and additional weight where few landscapes are in reach
    float far_lead
    float far_closed
    float count_lead        # the same for the difference in pioneers instead of the ratio
    float count_closed
    float region_lead       # the same for the whole region; with three or four seats
    float region_part       # ... and relative to all pioneers in it
    float crowd             # added to the number of pioneers around a cell; they belong to no seat
    float spread_base       # scale, in points, of the difference that decides the win ...
    float spread_open       # ... and its increase per point still open
    float reserve           # points that one free pioneer is worth in addition to its expected land while all land is open; four pioneers are
                                # worth twice that, because they can answer rivals' gains; not used with two seats
    float tempo             # points that being to move is worth

ctypedef struct Region:
    int cells
    unsigned int grounds                    # landscapes, as bits
    int pioneers[4]                         # of each seat

ctypedef struct Walk:
    # The distribution of walkers after their walks, by cell.
    int cells
    uint16_t around[MOST_CELLS][6]          # neighbours; a blocked one is replaced by the cell itself
    Rows near                              # walkers after the short and the long walk, in units of 1 / ONE
    Rows far
    uint8_t is_open[MOST_CELLS]
    uint16_t region[MOST_CELLS]             # region of an open cell
    Region regions[MOST_CELLS]

ctypedef struct Ground:
    # Values that depend only on the open cells and the supply, not on pioneers. Open cells are numbered from 0; such a number is a `place`.
    uint64_t number                         # its number among the grounds computed in this workspace, from 1
    int supply                              # -1 before the first use
    int count                               # number of open cells
    int regions
    int main_region                         # the largest region ...
    int apart                               # ... and the number of open cells outside it
    uint64_t *open_sites
    uint16_t *cells                         # by place
    uint16_t *sites
    uint16_t *region
    uint16_t *apart_places                  # the places outside the main region
    uint16_t *around                        # six places for each: the neighbours; a blocked one is replaced by the place itself
    uint16_t *places                        # by cell; NO_PLACE if it is not open
    uint16_t *stays                         # by site: how many of a walker's seven steps stay there, minus 2 with NOVA_STRIDE, ...
    uint16_t *is_open                       # ... and all bits set if it is open
    float *closed                           # 1 if a single landscape is in reach, nearly 0 if many are
    float *near_closed                      # the same after the short walk
    float *size                             # cells of the place's region, as a part of the board; with three or four seats
    float *kinds                            # landscapes of the region, in twelfths; with three or four seats
    float *pay                              # sum from which pay is computed, without the pioneers' part
    float *size_pay                         # ... and its region's part
    float *grounds_pay
    float *near_lead                        # weights of a lead near the cell, farther around it, and in numbers
    float *far_lead
    float *count_lead

ctypedef struct Workspace:
    # Working memory: recently used grounds, and the walkers of each seat by site, with a margin for neighbours outside the board.
    int kept                                # number of grounds
    uint64_t prepared                       # number of grounds computed so far
    int stride                              # of the numbering of sites: the kernel's, or NOVA_STRIDE
    int sites                               # number of sites that walkers can reach, rounded up to a multiple of NOVA_SITES
    uint16_t *site                          # by cell
    Ground *grounds
    uint16_t *near[4]
    uint16_t *far[4]
    uint64_t walked_ground[4]               # number of the ground on which a seat's walkers were computed last ...
    uint16_t *walked[4]                     # ... with the number of pioneers and their cells
    uint16_t *bank[2]
    float (*near_places)[MOST_CELLS]        # the same walkers by seat and place
    float (*far_places)[MOST_CELLS]

ctypedef struct Field:
    # The evaluation of every open cell, by place.
    const Ground *ground
    float most                              # most points per cell; decreases while no stones are placed
    const float (*far)[MOST_CELLS]          # walkers of each seat's pioneers
    float pay[MOST_CELLS]                   # expected points of a cell
    float lead[4][MOST_CELLS]               # each seat's share of them
    float points[4]                         # points of each seat so far plus its expected points from all places
    float still_open                        # expected points of all places

# The size of a workspace for this number of grounds, and such a workspace in zeroed memory.
cdef size_t workspace_bytes(const Ctx *ctx, int kept) noexcept nogil
cdef Workspace *workspace_at(const Ctx *ctx, void *memory, int kept) noexcept nogil

# The stored or computed values of the open cells, and the walkers of a seat's pioneers in the workspace.
cdef const Ground *ground_of(const Ctx *ctx, const State *st, const Weights *w, Workspace *workspace) noexcept nogil
cdef void walk_pioneers(const Ctx *ctx, const State *st, const Ground *ground, Workspace *workspace, int seat) noexcept nogil

# Fills in the whole field.
cdef void survey(const Ctx *ctx, const State *st, const Weights *w, Workspace *workspace, Field *f) noexcept nogil

# The parts that training uses: the distribution of walkers (at least the first `fields`), the regions, and the inputs of a cell's pay.
cdef void walk(const Ctx *ctx, const State *st, int fields, Walk *f) noexcept nogil
cdef int find_regions(const Ctx *ctx, const State *st, Walk *f) noexcept nogil
cdef void pay_inputs(const Ctx *ctx, const State *st, const Walk *f, int c, float *x) noexcept nogil


cdef inline float part(uint16_t walkers) noexcept nogil:
    return walkers * <float>(1.0 / ONE)
