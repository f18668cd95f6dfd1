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


cdef void weigh_cells(const Ctx *ctx, const State *st, const Weights *w, Field *f) noexcept nogil:
    """What each cell should pay, and to whom."""
    cdef float x[PAY_INPUTS]
    cdef float near_weight, far_weight
    cdef float z, total, near_sum, far_sum, best_near, best_far
    cdef float near[MAX_SEATS]
    cdef float far[MAX_SEATS]
    cdef int c, k, s, o
    for c in range(f.cells):
        if not f.is_open[c]:
            f.pay[c] = 0
            continue
        pay_inputs(ctx, st, f, c, x)
        z = 0
        for k in range(PAY_INPUTS):
            z += w.pay[k] * x[k]
        f.pay[c] = 3 * squash(z)
        near_sum = w.crowd
        far_sum = w.crowd
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
            continue
        total = 0
        for s in range(ctx.players):
            best_near = 0
            best_far = 0
            for o in range(ctx.players):
                if o != s:
                    best_near = max(best_near, near[o])
                    best_far = max(best_far, far[o])
            f.lead[c][s] = squash(near_weight * (near[s] - best_near) + far_weight * (far[s] - best_far))
            total += f.lead[c][s]
        for s in range(ctx.players):
            f.lead[c][s] /= total


cdef void survey(const Ctx *ctx, const State *st, const Weights *w, Field *f) noexcept nogil:
    walk(ctx, st, f)
    weigh_cells(ctx, st, w, f)
