# Terra Nova's evaluation: what it keeps and what it computes for one position.

from libc.stdint cimport uint8_t, uint16_t

from terrarium.engine.brain cimport Brain

cdef enum:
    FIELDS = 16             # walkers on a cell: 12 landscapes (further ones share), then a field for each seat
    GROUNDS = 12
    PAY_INPUTS = 10
    MOST_CELLS = 1025
    ONE = 9362              # a whole walker; seven of them fit in 16 bits

ctypedef struct Weights:
    float pay[PAY_INPUTS]   # see `weigh_cells`
    float near_lead         # how much leading nearby counts for the majority on open land ...
    float near_closed       # ... and how much more where few landscapes are in reach
    float far_lead
    float far_closed
    float count_lead        # the same for the number of pioneers ahead, not their ratio
    float count_closed
    float crowd             # pioneers per cell that count as nobody
    float spread_base       # points of difference that make a win half sure ...
    float spread_open       # ... per point still open
    float tempo             # points that being to move is worth

ctypedef struct Field:
    # What the evaluation thinks of every cell.
    int cells
    uint16_t around[MOST_CELLS][6]          # neighbours, a blocked one replaced by the cell itself
    uint16_t near[MOST_CELLS][FIELDS]       # walkers after the short and the long walk, in parts of ONE
    uint16_t far[MOST_CELLS][FIELDS]
    float closed[MOST_CELLS]                # 1 where a single landscape is in reach, towards 0 where many are
    float pay[MOST_CELLS]                   # points a cell is expected to bring to somebody
    float lead[MOST_CELLS][4]               # which part of them goes to each seat
    uint8_t is_open[MOST_CELLS]


cdef class NovaBrain(Brain):
    cdef Weights weights
