"""Terra Nova: the expected points of each open cell, and each seat's share of them.

Walkers start on every open cell and make random steps, a short walk and a long one. A step leads to one of the six neighbours
or stays, each with the same probability; where a border blocks the step, the walker stays. Each landscape and each seat's
pioneers have their own walkers. The values of a cell are computed from the walkers on it.

The walkers of landscapes depend only on the open cells, and most turns that are tried move pioneers without placing a stone. So their
results are stored for recently used grounds. The pioneers' walkers of a seat are computed only if its pioneers or the open cells differ
from the position before. The results are bit-identical.
"""

from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

from terrarium.engine.brain cimport mixed
from terrarium.engine.walkers cimport (
    NOVA_GATHERS_LATER,
    NOVA_SITES,
    NOVA_STRIDE,
    nova_gather,
    nova_squares,
    nova_step,
    nova_walk_seat,
    nova_weigh_cells,
)
from terrarium.nova.kernel cimport EMPTY, STONE, Cell, Ctx, State, holds, list_of, open_sites


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


cdef int number_sites(const Ctx *ctx, int stride, int most, uint16_t *site) noexcept nogil:
    """Number the cells so that the numbers of neighbours, and of no other cells, differ by 1, `stride` or `stride` + 1.

    Returns the number of sites, or 0 if this stride does not allow it with at most `most` sites.
    """
    cdef bint taken[MOST_SITES]
    cdef int steps[3]
    cdef int c, d, at, first = 0, last = 0, pairs = 0
    cdef bint is_turned = ctx.delta[0] != 1
    for c in range(ctx.cells):
        at = numbered(&ctx.cell[c], stride, is_turned)
        first = at if c == 0 else min(first, at)
        last = at if c == 0 else max(last, at)
    if last - first >= min(most, <int>MOST_SITES):
        return 0
    memset(taken, 0, sizeof(taken))
    for c in range(ctx.cells):
        at = numbered(&ctx.cell[c], stride, is_turned) - first
        if taken[at]:
            return 0
        taken[at] = True
        site[c] = at
        for d in range(6):
            pairs += ctx.cell[c].near[d] < ctx.cells
    # neighbours are at these distances; no other pair of cells may be
    steps[:] = [1, stride, stride + 1]
    for c in range(ctx.cells):
        for d in range(3):
            at = site[c] + steps[d]
            pairs -= 2 * (at < MOST_SITES and taken[at])
    return last - first + 1 if pairs == 0 else 0


cdef inline int numbered(const Cell *cell, int stride, bint is_turned) noexcept nogil:
    return cell.number * stride + cell.row if is_turned else cell.row * stride + cell.number


cdef Workspace *lay_out(const Ctx *ctx, char *memory, int kept, size_t *used) noexcept nogil:
    """Lay out a workspace in this memory and set `used` to its size; if `memory` is NULL, only compute the size."""
    cdef char *rest = memory
    cdef Workspace *workspace = <Workspace *>take(&rest, sizeof(Workspace))
    cdef Ground *grounds = <Ground *>take(&rest, kept * sizeof(Ground))
    cdef Ground ground
    cdef Workspace laid
    cdef size_t around
    cdef uint16_t *site = <uint16_t *>take(&rest, ctx.cells * sizeof(uint16_t))
    cdef uint16_t numbers[MOST_CELLS]
    cdef int stride = NOVA_STRIDE, sites = 0, known = 0, edge, i
    for i in range(ctx.cells):
        known = max(known, ctx.cell[i].site + 1)
    if NOVA_STRIDE:
        sites = number_sites(ctx, NOVA_STRIDE, known + known // 2, numbers)
    if sites == 0:
        stride = ctx.stride
        sites = known
        for i in range(ctx.cells):
            numbers[i] = ctx.cell[i].site
    sites = (sites + NOVA_SITES - 1) & ~(NOVA_SITES - 1)
    edge = stride + 1
    # size of the walkers of a seat, with a margin for neighbours outside the board and one vector
    around = (sites + 2 * edge + 8) * sizeof(uint16_t)
    # sizes of arrays by place, rounded up to whole vectors
    cdef size_t shorts = (ctx.cells + 16) * sizeof(uint16_t), floats = (ctx.cells + 16) * sizeof(float)
    ground.number = 0
    ground.count = ground.regions = ground.main_region = ground.apart = 0
    ground.supply = -1
    for i in range(kept):
        ground.open_sites = <uint64_t *>take(&rest, ctx.words * sizeof(uint64_t))
        ground.cells = <uint16_t *>take(&rest, shorts)
        ground.sites = <uint16_t *>take(&rest, shorts)
        ground.region = <uint16_t *>take(&rest, shorts)
        ground.apart_places = <uint16_t *>take(&rest, shorts)
        ground.around = <uint16_t *>take(&rest, 6 * shorts)
        ground.places = <uint16_t *>take(&rest, shorts)
        ground.stays = <uint16_t *>take(&rest, sites * sizeof(uint16_t))
        ground.is_open = <uint16_t *>take(&rest, sites * sizeof(uint16_t))
        ground.closed = <float *>take(&rest, floats)
        ground.near_closed = <float *>take(&rest, floats)
        ground.size = <float *>take(&rest, floats)
        ground.kinds = <float *>take(&rest, floats)
        ground.pay = <float *>take(&rest, floats)
        ground.size_pay = <float *>take(&rest, floats)
        ground.grounds_pay = <float *>take(&rest, floats)
        ground.near_lead = <float *>take(&rest, floats)
        ground.far_lead = <float *>take(&rest, floats)
        ground.count_lead = <float *>take(&rest, floats)
        if memory != NULL:
            grounds[i] = ground
    for i in range(4):
        laid.near[i] = <uint16_t *>take(&rest, around) + edge
        laid.far[i] = <uint16_t *>take(&rest, around) + edge
        laid.walked[i] = <uint16_t *>take(&rest, (1 + ctx.pioneers) * sizeof(uint16_t))
        laid.walked_ground[i] = 0
    for i in range(2):
        laid.bank[i] = <uint16_t *>take(&rest, around) + edge
    laid.near_places = <float (*)[MOST_CELLS]>take(&rest, 4 * MOST_CELLS * sizeof(float))
    laid.far_places = <float (*)[MOST_CELLS]>take(&rest, 4 * MOST_CELLS * sizeof(float))
    laid.kept = kept
    laid.prepared = 0
    laid.stride = stride
    laid.sites = sites
    laid.site = site
    laid.grounds = grounds
    if memory != NULL:
        workspace[0] = laid
        memcpy(site, numbers, ctx.cells * sizeof(uint16_t))
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
    cdef uint64_t key = st.supply, differs
    cdef Ground *ground
    cdef int i
    for i in range(ctx.words):
        key = mixed(key, sites[i])
    ground = &workspace.grounds[key % <unsigned int>workspace.kept]
    differs = ground.supply ^ st.supply
    for i in range(ctx.words):
        differs |= ground.open_sites[i] ^ sites[i]
    if differs:
        memcpy(ground.open_sites, sites, ctx.words * sizeof(uint64_t))
        ground.supply = st.supply
        workspace.prepared += 1
        ground.number = workspace.prepared
        prepare(ctx, st, w, workspace, ground)
    return ground


cdef void prepare(const Ctx *ctx, const State *st, const Weights *w, const Workspace *workspace, Ground *ground) noexcept nogil:
    cdef Walk f
    cdef float x[PAY_INPUTS]
    cdef float z
    cdef int c, d, k, other, stays, place = 0
    walk(ctx, st, 8 if ctx.landscapes <= 8 else FIELDS, &f)
    if ctx.players > 2:
        ground.regions = find_regions(ctx, st, &f)
    memset(ground.stays, 0, workspace.sites * sizeof(uint16_t))
    memset(ground.is_open, 0, workspace.sites * sizeof(uint16_t))
    for c in range(ctx.cells):
        ground.places[c] = NO_PLACE
        if f.is_open[c]:
            ground.places[c] = place
            ground.cells[place] = c
            place += 1
    ground.count = place
    for place in range(ground.count):
        c = ground.cells[place]
        stays = -1 if workspace.stride == NOVA_STRIDE else 1
        for d in range(6):
            other = f.around[c][d]
            stays += other == c
            ground.around[6 * place + d] = ground.places[other]
        ground.sites[place] = workspace.site[c]
        ground.stays[workspace.site[c]] = stays
        ground.is_open[workspace.site[c]] = 0xFFFF
        pay_inputs(ctx, st, &f, c, x)
        z = 0
        for k in range(8):
            z += w.pay[k] * x[k]
        ground.pay[place] = z
        ground.size_pay[place] = w.pay[10] * x[10]
        ground.grounds_pay[place] = w.pay[11] * x[11]
        ground.closed[place] = x[2]
        ground.near_closed[place] = x[1]
        ground.size[place] = x[10]
        ground.kinds[place] = x[11]
        ground.near_lead[place] = w.near_lead + w.near_closed * x[2]
        ground.far_lead[place] = w.far_lead + w.far_closed * x[2]
        ground.count_lead[place] = w.count_lead + w.count_closed * x[2]
        if ctx.players > 2:
            ground.region[place] = f.region[c]
    if ctx.players > 2:
        ground.main_region = 0
        for k in range(1, ground.regions):
            if f.regions[k].cells > f.regions[ground.main_region].cells:
                ground.main_region = k
        ground.apart = 0
        for place in range(ground.count):
            if ground.region[place] != ground.main_region:
                ground.apart_places[ground.apart] = place
                ground.apart += 1


cdef void walk_pioneers(const Ctx *ctx, const State *st, const Ground *ground, Workspace *workspace, int seat) noexcept nogil:
    """Compute the walkers of a seat's pioneers, unless they are the same as last time: most turns that are tried move pioneers of one seat."""
    cdef const uint16_t *cells = list_of(ctx, st, seat)
    cdef uint16_t *walked = workspace.walked[seat]
    cdef uint16_t *far = workspace.far[seat]
    cdef unsigned int differs = workspace.walked_ground[seat] != ground.number or walked[0] != st.count[seat]
    cdef int i
    for i in range(st.count[seat]):
        differs |= walked[1 + i] ^ cells[i]
    if not differs:
        return
    workspace.walked_ground[seat] = ground.number
    walked[0] = st.count[seat]
    memset(far, 0, workspace.sites * sizeof(uint16_t))
    for i in range(st.count[seat]):
        walked[1 + i] = cells[i]
        far[workspace.site[cells[i]]] = ONE
    nova_walk_seat(
        workspace.sites, workspace.stride, ground.stays, ground.is_open, workspace.near[seat], far, workspace.bank[0], workspace.bank[1]
    )
    if not NOVA_GATHERS_LATER(ctx.players):
        nova_gather(
            ground.count, workspace.sites, ground.sites, workspace.near[seat], far, workspace.near_places[seat], workspace.far_places[seat]
        )


cdef void survey(const Ctx *ctx, const State *st, const Weights *w, Workspace *workspace, Field *f) noexcept nogil:
    cdef const Ground *ground = ground_of(ctx, st, w, workspace)
    cdef float region_lead[4][MOST_CELLS]
    cdef int s
    f.ground = ground
    f.far = workspace.far_places
    f.most = 3
    # Open land scores nothing when the game stalls (TN-27), so waiting must have a cost; with two players it makes no difference.
    if ctx.players > 2 and ctx.stall_limit > 0 and st.stall > 0:
        f.most -= f.most * st.stall / ctx.stall_limit
    for s in range(ctx.players):
        walk_pioneers(ctx, st, ground, workspace, s)
        f.points[s] = st.scores[s]
    if ctx.players > 2:
        compare_regions(ctx, st, w, ground, region_lead)
    f.still_open = nova_weigh_cells(
        ctx.players, ground.count, workspace.sites, ground.sites, workspace.near, workspace.far, f.most, w.crowd, w.pay[8], w.pay[9] * (st.in_play / <float>ctx.cells),
        ground.pay, ground.size_pay, ground.grounds_pay, ground.near_lead, ground.far_lead, ground.count_lead,
        region_lead, workspace.near_places, workspace.far_places, f.pay, f.lead, f.points,
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
        fill(lead[s], ground.count, worth[ground.main_region][s])
        for i in range(ground.apart):
            lead[s][ground.apart_places[i]] = worth[ground.region[ground.apart_places[i]]][s]


cdef inline void fill(float *values, long count, float value) noexcept nogil:
    cdef long i
    for i in range(count):
        values[i] = value
