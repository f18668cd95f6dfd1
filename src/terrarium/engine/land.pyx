"""Terra Nova: the expected points of each open cell, and each seat's share of them.

Walkers start on every open cell and make random steps, a short walk and a long one. A step leads to one of the six neighbours
or stays, each with the same probability; where a border blocks the step, the walker stays. Each landscape and each seat's
pioneers have their own walkers. The values of a cell are computed from the walkers on it.

The walkers of landscapes depend only on the open cells, and most turns that are tried move pioneers without placing a stone. So their
results are stored for recently used grounds, and only the pioneers' walkers are computed for every position. The results are bit-identical.
"""

from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from terrarium.engine.brain cimport mixed
from terrarium.engine.walkers cimport nova_gather, nova_seat_step, nova_squares, nova_step, nova_weigh_cells
from terrarium.nova.kernel cimport EMPTY, STONE, Ctx, State, holds, list_of, open_sites


cdef extern from *:
    int popcount "__builtin_popcount"(unsigned int) nogil

cdef inline void step(const Walk *f, int fields, uint16_t (*source)[FIELDS], uint16_t (*target)[FIELDS]) noexcept nogil:
    nova_step(f.cells, fields, f.is_open, f.around, source, target)


cdef void walk(const Ctx *ctx, const State *st, int fields, Walk *f) noexcept nogil:
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
    step(f, fields, f.near, bank)
    step(f, fields, bank, f.near)
    step(f, fields, f.near, bank)
    memcpy(f.near, bank, cells * FIELDS * sizeof(uint16_t))
    step(f, fields, bank, f.far)
    step(f, fields, f.far, bank)
    step(f, fields, bank, f.far)
    step(f, fields, f.far, bank)
    step(f, fields, bank, f.far)


cdef int find_regions(const Ctx *ctx, const State *st, Walk *f) noexcept nogil:
    """The regions: their sizes, landscapes and pioneers. Returns how many."""
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
    return count


cdef inline float prevails(const uint16_t *walkers, int landscapes) noexcept nogil:
    """How much one landscape dominates: the sum of squares, 1 if there is no other."""
    return nova_squares(walkers, landscapes) * <float>(1.0 / ONE / ONE)


cdef void pay_inputs(const Ctx *ctx, const State *st, const Walk *f, int c, float *x) noexcept nogil:
    cdef float near = prevails(f.near[c], ctx.landscapes)
    cdef float far = prevails(f.far[c], ctx.landscapes)
    cdef float supply = st.supply * <float>(1.0 / 80)
    cdef float crowd = 0
    cdef int s
    for s in range(ctx.players):
        crowd += part(f.far[c][GROUNDS + s])
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


cdef inline void *take(char **memory, size_t size) noexcept nogil:
    """Reserve a part of a block of memory, aligned for vectors."""
    cdef void *part = memory[0]
    memory[0] += (size + 63) & ~<size_t>63
    return part


cdef Workspace *lay_out(const Ctx *ctx, char *memory, int kept, size_t *used) noexcept nogil:
    """Lay out a workspace in this memory and set `used` to its size; if `memory` is NULL, only compute the size."""
    cdef char *rest = memory
    cdef Workspace *workspace = <Workspace *>take(&rest, sizeof(Workspace))
    cdef Ground *grounds = <Ground *>take(&rest, kept * sizeof(Ground))
    cdef Ground ground
    cdef Workspace laid
    cdef int sites = 64 * ctx.words, edge = ctx.stride + 1, i
    # sizes of arrays by place, rounded up to whole vectors
    cdef size_t shorts = (ctx.cells + 16) * sizeof(uint16_t), floats = (ctx.cells + 16) * sizeof(float)
    ground.count = ground.regions = 0
    ground.supply = -1
    for i in range(kept):
        ground.open_sites = <uint64_t *>take(&rest, ctx.words * sizeof(uint64_t))
        ground.cells = <uint16_t *>take(&rest, shorts)
        ground.sites = <uint16_t *>take(&rest, shorts)
        ground.region = <uint16_t *>take(&rest, shorts)
        ground.around = <uint16_t *>take(&rest, 6 * shorts)
        ground.places = <uint16_t *>take(&rest, shorts)
        ground.stays = <uint16_t *>take(&rest, sites * sizeof(uint16_t))
        ground.is_open = <uint16_t *>take(&rest, sites * sizeof(uint16_t))
        ground.closed = <float *>take(&rest, floats)
        ground.pay = <float *>take(&rest, floats)
        ground.size_pay = <float *>take(&rest, floats)
        ground.grounds_pay = <float *>take(&rest, floats)
        ground.near_lead = <float *>take(&rest, floats)
        ground.far_lead = <float *>take(&rest, floats)
        ground.count_lead = <float *>take(&rest, floats)
        if memory != NULL:
            grounds[i] = ground
    for i in range(4):
        laid.near[i] = <uint16_t *>take(&rest, (sites + 2 * edge) * sizeof(uint16_t)) + edge
        laid.far[i] = <uint16_t *>take(&rest, (sites + 2 * edge) * sizeof(uint16_t)) + edge
    for i in range(2):
        laid.bank[i] = <uint16_t *>take(&rest, (sites + 2 * edge) * sizeof(uint16_t)) + edge
    laid.kept = kept
    laid.sites = 0
    for i in range(ctx.cells):
        laid.sites = max(laid.sites, (ctx.cell[i].site + 16) & ~15)
    laid.grounds = grounds
    if memory != NULL:
        workspace[0] = laid
    used[0] = rest - memory
    return workspace


cdef size_t workspace_bytes(const Ctx *ctx, int kept) noexcept nogil:
    cdef size_t used
    lay_out(ctx, NULL, kept, &used)
    return used


cdef Workspace *workspace_at(const Ctx *ctx, void *memory, int kept) noexcept nogil:
    cdef size_t used
    cdef Workspace *workspace = <Workspace *>memory
    return workspace if workspace.kept else lay_out(ctx, <char *>memory, kept, &used)


cdef const Ground *ground_of(const Ctx *ctx, const State *st, const Weights *w, Workspace *workspace) noexcept nogil:
    """The values that depend only on the open cells and the supply, stored or computed."""
    cdef const uint64_t *sites = open_sites(ctx, st)
    cdef uint64_t key = st.supply
    cdef Ground *ground
    cdef int i
    for i in range(ctx.words):
        key = mixed(key, sites[i])
    ground = &workspace.grounds[key % <unsigned int>workspace.kept]
    if ground.supply != st.supply or memcmp(ground.open_sites, sites, ctx.words * sizeof(uint64_t)) != 0:
        memcpy(ground.open_sites, sites, ctx.words * sizeof(uint64_t))
        ground.supply = st.supply
        prepare(ctx, st, w, ground)
    return ground


cdef void prepare(const Ctx *ctx, const State *st, const Weights *w, Ground *ground) noexcept nogil:
    cdef Walk f
    cdef float x[PAY_INPUTS]
    cdef float z
    cdef int c, d, k, other, stays, place = 0
    walk(ctx, st, 8 if ctx.landscapes <= 8 else FIELDS, &f)
    if ctx.players > 2:
        ground.regions = find_regions(ctx, st, &f)
    memset(ground.stays, 0, 64 * ctx.words * sizeof(uint16_t))
    memset(ground.is_open, 0, 64 * ctx.words * sizeof(uint16_t))
    for c in range(ctx.cells):
        ground.places[c] = NO_PLACE
        if f.is_open[c]:
            ground.places[c] = place
            ground.cells[place] = c
            place += 1
    ground.count = place
    for place in range(ground.count):
        c = ground.cells[place]
        stays = 1
        for d in range(6):
            other = f.around[c][d]
            stays += other == c
            ground.around[6 * place + d] = ground.places[other]
        ground.sites[place] = ctx.cell[c].site
        ground.stays[ctx.cell[c].site] = stays
        ground.is_open[ctx.cell[c].site] = 0xFFFF
        pay_inputs(ctx, st, &f, c, x)
        z = 0
        for k in range(8):
            z += w.pay[k] * x[k]
        ground.pay[place] = z
        ground.size_pay[place] = w.pay[10] * x[10]
        ground.grounds_pay[place] = w.pay[11] * x[11]
        ground.closed[place] = x[2]
        ground.near_lead[place] = w.near_lead + w.near_closed * x[2]
        ground.far_lead[place] = w.far_lead + w.far_closed * x[2]
        ground.count_lead[place] = w.count_lead + w.count_closed * x[2]
        if ctx.players > 2:
            ground.region[place] = f.region[c]


cdef void walk_pioneers(const Ctx *ctx, const State *st, const Ground *ground, Workspace *workspace, int seat) noexcept nogil:
    cdef int sites = 64 * ctx.words, i
    cdef const uint16_t *cells = list_of(ctx, st, seat)
    cdef uint16_t *near = workspace.near[seat]
    cdef uint16_t *far = workspace.far[seat]
    memset(far, 0, sites * sizeof(uint16_t))
    for i in range(st.count[seat]):
        far[ctx.cell[cells[i]].site] = ONE
    # three steps to `near`, five more to `far`
    step_pioneers(ctx, ground, workspace.sites, far, workspace.bank[0])
    step_pioneers(ctx, ground, workspace.sites, workspace.bank[0], workspace.bank[1])
    step_pioneers(ctx, ground, workspace.sites, workspace.bank[1], near)
    step_pioneers(ctx, ground, workspace.sites, near, workspace.bank[0])
    step_pioneers(ctx, ground, workspace.sites, workspace.bank[0], workspace.bank[1])
    step_pioneers(ctx, ground, workspace.sites, workspace.bank[1], workspace.bank[0])
    step_pioneers(ctx, ground, workspace.sites, workspace.bank[0], workspace.bank[1])
    step_pioneers(ctx, ground, workspace.sites, workspace.bank[1], far)


cdef inline void step_pioneers(
    const Ctx *ctx, const Ground *ground, int sites, const uint16_t *source, uint16_t *target
) noexcept nogil:
    nova_seat_step(sites, ctx.stride, ground.stays, ground.is_open, source, target)


cdef void survey(const Ctx *ctx, const State *st, const Weights *w, Workspace *workspace, Field *f) noexcept nogil:
    cdef const Ground *ground = ground_of(ctx, st, w, workspace)
    cdef float region_lead[4][MOST_CELLS]
    cdef int s
    f.ground = ground
    f.most = 3
    # Open land scores nothing when the game stalls (TN-27), so waiting must have a cost; with two players it makes no difference.
    if ctx.players > 2 and ctx.stall_limit > 0 and st.stall > 0:
        f.most -= f.most * st.stall / ctx.stall_limit
    for s in range(ctx.players):
        walk_pioneers(ctx, st, ground, workspace, s)
        nova_gather(ground.count, workspace.sites, ground.sites, workspace.near[s], workspace.far[s], f.near[s], f.far[s])
    if ctx.players > 2:
        compare_regions(ctx, st, w, ground, region_lead)
    nova_weigh_cells(
        ctx.players, ground.count, f.most, w.crowd, w.pay[8], w.pay[9] * (st.in_play / <float>ctx.cells),
        ground.pay, ground.size_pay, ground.grounds_pay, ground.near_lead, ground.far_lead, ground.count_lead,
        region_lead, f.near, f.far, f.pay, f.lead,
    )


cdef void compare_regions(
    const Ctx *ctx, const State *st, const Weights *w, const Ground *ground, float (*lead)[MOST_CELLS]
) noexcept nogil:
    """The value of each seat's lead in a whole region, by place."""
    cdef int here[MOST_CELLS][4]
    cdef float worth[MOST_CELLS][4]
    cdef const uint16_t *cells
    cdef float weight
    cdef int i, s, o, best, pioneers
    memset(here, 0, ground.regions * sizeof(here[0]))
    for s in range(ctx.players):
        cells = list_of(ctx, st, s)
        for i in range(st.count[s]):
            here[ground.region[ground.places[cells[i]]]][s] += 1
    for i in range(ground.regions):
        pioneers = 1
        for s in range(ctx.players):
            pioneers += here[i][s]
        weight = w.region_lead + w.region_part / pioneers
        for s in range(ctx.players):
            best = 0
            for o in range(ctx.players):
                if o != s:
                    best = max(best, here[i][o])
            worth[i][s] = weight * (here[i][s] - best)
    for s in range(ctx.players):
        for i in range(ground.count):
            lead[s][i] = worth[ground.region[i]][s]
