"""Terra Nova: what each open cell will probably pay, and to whom.

Walkers take random steps from every open cell, a short walk and a long one: a step leads to one of the six neighbours
or stays, all seven alike, and a border throws the walker back. The landscape of every cell and the pioneer on it walk
as separate fields, all at once. From where they end comes what is written of each cell.
"""

from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memcpy, memset

from terrarium.engine.brain cimport MAX_SEATS, squash
from terrarium.nova.kernel cimport EMPTY, STONE, Ctx, State, holds


cdef extern from *:
    int popcount "__builtin_popcount"(unsigned int) nogil

cdef extern from *:
    """
    #include <stdint.h>
    /* In C for `restrict`: without it the compiler can't add sixteen fields at once. */
    static void nova_step(
        int cells, const uint8_t *is_open, const uint16_t (*around)[6],
        const uint16_t (*restrict source)[16], uint16_t (*restrict target)[16]
    ) {
        for (int c = 0; c < cells; c++) {
            if (!is_open[c]) continue;
            const uint16_t *own = source[c], *a = source[around[c][0]], *b = source[around[c][1]],
                *d = source[around[c][2]], *e = source[around[c][3]], *f = source[around[c][4]],
                *g = source[around[c][5]];
            uint16_t *restrict out = target[c];
            for (int k = 0; k < 16; k++) {
                /* the sum of seven fits in 16 bits; times 1/7 is a product of which the high half is kept */
                uint16_t sum = own[k] + a[k] + b[k] + d[k] + e[k] + f[k] + g[k];
                out[k] = (uint16_t)(((uint32_t)sum * 9363u) >> 16);
            }
        }
    }
    """
    void nova_step(
        int cells, const uint8_t *is_open, const uint16_t (*around)[6],
        const uint16_t (*source)[FIELDS], uint16_t (*target)[FIELDS]
    ) noexcept nogil


cdef inline void step(const Field *f, uint16_t (*source)[FIELDS], uint16_t (*target)[FIELDS]) noexcept nogil:
    nova_step(f.cells, f.is_open, f.around, source, target)


cdef void walk(const Ctx *ctx, const State *st, Field *f) noexcept nogil:
    cdef const uint8_t *what = holds(st)
    cdef Rows bank
    cdef uint16_t other
    cdef int c, d, cells = ctx.cells
    f.cells = cells
    for c in range(cells):
        f.is_open[c] = what[c] < STONE
        memset(f.near[c], 0, FIELDS * sizeof(uint16_t))
        if not f.is_open[c]:
            continue
        for d in range(6):
            other = ctx.cell[c].near[d]
            f.around[c][d] = other if other < cells and what[other] < STONE else c
        f.near[c][ctx.cell[c].landscape % GROUNDS] = ONE
        if what[c] != EMPTY:
            f.near[c][GROUNDS + what[c] - 1] = ONE
    # three steps to `near`, five more to `far`
    step(f, f.near, bank)
    step(f, bank, f.near)
    step(f, f.near, bank)
    memcpy(f.near, bank, cells * FIELDS * sizeof(uint16_t))
    step(f, bank, f.far)
    step(f, f.far, bank)
    step(f, bank, f.far)
    step(f, f.far, bank)
    step(f, bank, f.far)


cdef void find_regions(const Ctx *ctx, const State *st, Field *f) noexcept nogil:
    """The regions: how large, with which landscapes, and who is in them."""
    cdef const uint8_t *what = holds(st)
    cdef uint16_t queue[MOST_CELLS]
    cdef uint16_t other
    cdef Region *region
    cdef int c, d, first, last, count = 0
    for c in range(f.cells):
        f.region[c] = MOST_CELLS
    for c in range(f.cells):
        if not f.is_open[c] or f.region[c] != MOST_CELLS:
            continue
        region = &f.regions[count]
        memset(region, 0, sizeof(Region))
        f.region[c] = count
        queue[0] = c
        first = 0
        last = 1
        while first < last:
            region.grounds |= <unsigned int>1 << (ctx.cell[queue[first]].landscape % 32)
            if what[queue[first]] != EMPTY:
                region.pioneers[what[queue[first]] - 1] += 1
            for d in range(6):
                other = f.around[queue[first]][d]
                if f.region[other] == MOST_CELLS:
                    f.region[other] = count
                    queue[last] = other
                    last += 1
            first += 1
        region.cells = last
        count += 1


cdef inline float prevails(const uint16_t *walkers) noexcept nogil:
    """How much one landscape prevails: the sum of squares, 1 if there is no other."""
    cdef unsigned int total = 0
    cdef int k
    for k in range(GROUNDS):
        total += <unsigned int>walkers[k] * walkers[k]
    return total * <float>(1.0 / ONE / ONE)


cdef inline void pay_inputs(const Ctx *ctx, const State *st, Field *f, int c, float *x) noexcept nogil:
    cdef float near = prevails(f.near[c])
    cdef float far = prevails(f.far[c])
    cdef float supply = st.supply * <float>(1.0 / 80)
    cdef float crowd = 0
    cdef int s
    for s in range(ctx.players):
        crowd += part(f.far[c][GROUNDS + s])
    f.closed[c] = far
    x[0] = 1
    x[1] = near
    x[2] = far
    x[3] = far * far
    x[4] = near * far
    x[5] = supply
    x[6] = supply * far
    x[7] = near * near
    x[8] = crowd
    x[9] = st.in_play / <float>ctx.cells
    x[10] = 0
    x[11] = 0
    if ctx.players > 2:
        x[10] = f.regions[f.region[c]].cells / <float>ctx.cells
        x[11] = popcount(f.regions[f.region[c]].grounds) * <float>(1.0 / GROUNDS)


cdef inline void share_out(const Ctx *ctx, const Weights *w, Field *f, int c) noexcept nogil:
    """To whom a cell's pay should go: who leads near it, farther around it and, among more than two, in its whole region."""
    cdef float near_sum = w.crowd, far_sum = w.crowd
    cdef float near_weight, far_weight, region_weight, best_near, best_far, total = 0
    cdef float near[MAX_SEATS]
    cdef float far[MAX_SEATS]
    cdef const Region *region
    cdef int s, o, best_here, here = 1
    for s in range(ctx.players):
        near[s] = part(f.near[c][GROUNDS + s])
        far[s] = part(f.far[c][GROUNDS + s])
        near_sum += near[s]
        far_sum += far[s]
    near_weight = (w.near_lead + w.near_closed * f.closed[c]) / near_sum
    far_weight = (w.far_lead + w.far_closed * f.closed[c]) / far_sum
    far_weight += 10 * (w.count_lead + w.count_closed * f.closed[c])
    if ctx.players == 2:
        f.lead[c][0] = squash(near_weight * (near[0] - near[1]) + far_weight * (far[0] - far[1]))
        f.lead[c][1] = 1 - f.lead[c][0]
        return
    region = &f.regions[f.region[c]]
    for s in range(ctx.players):
        here += region.pioneers[s]
    region_weight = w.region_lead + w.region_part / here
    for s in range(ctx.players):
        best_near = 0
        best_far = 0
        best_here = 0
        for o in range(ctx.players):
            if o != s:
                best_near = max(best_near, near[o])
                best_far = max(best_far, far[o])
                best_here = max(best_here, region.pioneers[o])
        f.lead[c][s] = squash(
            near_weight * (near[s] - best_near)
            + far_weight * (far[s] - best_far)
            + region_weight * (region.pioneers[s] - best_here)
        )
        total += f.lead[c][s]
    for s in range(ctx.players):
        f.lead[c][s] /= total


cdef void weigh_cells(const Ctx *ctx, const State *st, const Weights *w, Field *f) noexcept nogil:
    """What each cell should pay, and to whom."""
    cdef float x[PAY_INPUTS]
    cdef float z
    cdef int c, k
    f.most = 3
    # nobody is paid for land that is open when the game stalls (TN-27): who hopes for it should not wait; two never did
    if ctx.players > 2 and ctx.stall_limit > 0 and st.stall > 0:
        f.most -= f.most * st.stall / ctx.stall_limit
    for c in range(f.cells):
        if not f.is_open[c]:
            f.pay[c] = 0
            continue
        pay_inputs(ctx, st, f, c, x)
        z = 0
        for k in range(PAY_INPUTS):
            z += w.pay[k] * x[k]
        f.pay[c] = f.most * squash(z)
        share_out(ctx, w, f, c)


cdef void survey(const Ctx *ctx, const State *st, const Weights *w, Field *f) noexcept nogil:
    walk(ctx, st, f)
    if ctx.players > 2:
        find_regions(ctx, st, f)
    weigh_cells(ctx, st, w, f)
