# Terra Nova's evaluation: what it keeps and what it computes for one position.

from libc.stdint cimport uint16_t

from terrarium.engine.brain cimport Brain

cdef enum:
    FIELDS = 16             # walkers on a cell: 12 landscapes (further ones share), then a field for each seat
    GROUNDS = 12
    SHORT = 3               # steps of the short walk
    LONG = 8                # steps of the long walk
    PAY_INPUTS = 10
    MOST_CELLS = 1025

ctypedef struct Weights:
    float pay[PAY_INPUTS]   # see `weigh_cells`
    float near_lead         # how much leading nearby counts for the majority on open land ...
    float near_closed       # ... and how much more where few landscapes are in reach
    float far_lead
    float far_closed
    float crowd             # pioneers per cell that count as nobody
    float spread_base       # points of difference that make a win half sure ...
    float spread_open       # ... per point still open
    float tempo             # points that being to move is worth

ctypedef struct Field:
    # What the evaluation thinks of every cell.
    int cells
    uint16_t around[MOST_CELLS][6]          # neighbours, a blocked one replaced by the cell itself
    float near[MOST_CELLS][FIELDS]
    float far[MOST_CELLS][FIELDS]
    float closed[MOST_CELLS]                # 1 where a single landscape is in reach, towards 0 where many are
    float pay[MOST_CELLS]                   # points a cell is expected to bring to somebody
    float lead[MOST_CELLS][4]               # which part of them goes to each seat
    bint is_open[MOST_CELLS]


cdef class NovaBrain(Brain):
    cdef Weights weights
