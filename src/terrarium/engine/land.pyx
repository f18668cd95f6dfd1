"""Terra Nova: what each open cell will probably pay, and to whom.

Walkers take random steps from every open cell, a short walk and a long one: a step leads to one of the six neighbours
or stays, all seven alike, and a border throws the walker back. The landscape of every cell and the pioneer on it walk
as separate fields, all at once. The values of each cell follow from where they end.

Where landscapes end depends on the open cells alone, and most turns tried move pioneers without a stone. So this part is
kept for the grounds seen lately, and only pioneers walk for every position. The results are the same, bit for bit.
"""

from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from terrarium.engine.brain cimport mixed
from terrarium.nova.kernel cimport EMPTY, STONE, Ctx, State, holds, list_of, open_sites


cdef extern from *:
    int popcount "__builtin_popcount"(unsigned int) nogil

cdef extern from *:
    """
    #include <math.h>
    #include <stdint.h>
    #ifdef __wasm_simd128__
    #include <wasm_simd128.h>
    /* The high halves of the products of eight sums with 9363. WebAssembly has no instruction for them, and compilers take ten others;
       it multiplies signed numbers in pairs, of which one is multiplied by 0 here: (sum - 32768) * 9363 + 32768 * 9363. */
    #define NOVA_SEVENTHS_CONSTANTS \
        v128_t sign = wasm_i16x8_splat(-32768), even = wasm_i32x4_splat(9363), odd = wasm_i32x4_splat(9363 << 16), \
            half = wasm_i32x4_splat(32768 * 9363); \
        /* in registers: otherwise they are made again for every sum */ \
        __asm__("" : "+r"(sign), "+r"(even), "+r"(odd), "+r"(half))
    #define NOVA_SEVENTHS(sum) nova_sevenths(sum, sign, even, odd, half)
    static inline v128_t nova_sevenths(v128_t sum, v128_t sign, v128_t even, v128_t odd, v128_t half) {
        v128_t less = wasm_v128_xor(sum, sign);
        v128_t low = wasm_u32x4_shr(wasm_i32x4_add(wasm_i32x4_dot_i16x8(less, even), half), 16);
        v128_t high = wasm_i32x4_add(wasm_i32x4_dot_i16x8(less, odd), half);
        return wasm_i16x8_shuffle(low, high, 0, 9, 2, 11, 4, 13, 6, 15);
    }
    #endif
    /* Not inlined: browsers run out of registers in large functions. */
    #define NOVA_APART __attribute__((noinline))
    /* In C for `restrict`: without it the compiler can't add sixteen fields at once. */
    static NOVA_APART void nova_step(
        int cells, const uint8_t *is_open, const uint16_t (*around)[6],
        const uint16_t (*restrict source)[16], uint16_t (*restrict target)[16]
    ) {
    #ifdef __wasm_simd128__
        NOVA_SEVENTHS_CONSTANTS;
    #endif
        for (int c = 0; c < cells; c++) {
            if (!is_open[c]) continue;
            const uint16_t *own = source[c], *a = source[around[c][0]], *b = source[around[c][1]],
                *d = source[around[c][2]], *e = source[around[c][3]], *f = source[around[c][4]],
                *g = source[around[c][5]];
            uint16_t *restrict out = target[c];
            /* the sum of seven fits in 16 bits; times 1/7 is a product of which the high half is kept */
    #ifdef __wasm_simd128__
            for (int k = 0; k < 16; k += 8) {
                v128_t sum = wasm_i16x8_add(wasm_v128_load(own + k), wasm_v128_load(a + k));
                sum = wasm_i16x8_add(sum, wasm_i16x8_add(wasm_v128_load(b + k), wasm_v128_load(d + k)));
                sum = wasm_i16x8_add(sum, wasm_i16x8_add(wasm_v128_load(e + k), wasm_v128_load(f + k)));
                sum = wasm_i16x8_add(sum, wasm_v128_load(g + k));
                wasm_v128_store(out + k, NOVA_SEVENTHS(sum));
            }
    #else
            for (int k = 0; k < 16; k++) {
                uint16_t sum = own[k] + a[k] + b[k] + d[k] + e[k] + f[k] + g[k];
                out[k] = (uint16_t)(((uint32_t)sum * 9363u) >> 16);
            }
    #endif
        }
    }
    /* The same for the pioneers of one seat, by site: all neighbours of a site lie at three distances on both sides. */
    static NOVA_APART void nova_seat_step(
        int sites, int p, int q, int r, const uint16_t *restrict stays, const uint16_t *restrict is_open,
        const uint16_t *restrict source, uint16_t *restrict target
    ) {
        const uint16_t *a = source - p, *b = source + p, *c = source - q, *d = source + q, *e = source - r, *f = source + r;
    #ifdef __wasm_simd128__
        NOVA_SEVENTHS_CONSTANTS;
        /* there are a multiple of 64 sites */
        #pragma clang loop unroll_count(4)
        for (long i = 0; i < sites; i += 8) {
            v128_t sum = wasm_i16x8_mul(wasm_v128_load(source + i), wasm_v128_load(stays + i));
            sum = wasm_i16x8_add(sum, wasm_i16x8_add(wasm_v128_load(a + i), wasm_v128_load(b + i)));
            sum = wasm_i16x8_add(sum, wasm_i16x8_add(wasm_v128_load(c + i), wasm_v128_load(d + i)));
            sum = wasm_i16x8_add(sum, wasm_i16x8_add(wasm_v128_load(e + i), wasm_v128_load(f + i)));
            wasm_v128_store(target + i, wasm_v128_and(NOVA_SEVENTHS(sum), wasm_v128_load(is_open + i)));
        }
    #else
        for (long i = 0; i < sites; i++) {
            uint16_t sum = source[i] * stays[i] + a[i] + b[i] + c[i] + d[i] + e[i] + f[i];
            target[i] = (uint16_t)(((uint32_t)sum * 9363u) >> 16) & is_open[i];
        }
    #endif
    }

    /* `squash` of brain.pxd in single precision, of which a vector holds twice as many */
    #define NOVA_SQUASH(x) (0.5f + 0.5f * (x) / sqrtf(1.0f + (x) * (x)))

    static NOVA_APART void nova_gather(
        int count, const uint16_t *restrict sites, const uint16_t *restrict walkers, float *restrict out
    ) {
        uint16_t found[1025];
        for (long i = 0; i < count; i++) found[i] = walkers[sites[i]];
        for (long i = 0; i < count; i++) out[i] = found[i] * (float)(1.0 / 9362);
    }

    static inline __attribute__((always_inline)) void nova_weigh(
        const int players, int count, float most, float nobody, float crowd_pay, float open_pay,
        const float *restrict pay_before, const float *restrict size_pay, const float *restrict grounds_pay,
        const float *restrict near_lead, const float *restrict far_lead, const float *restrict count_lead,
        const float (*restrict region_lead)[1025],
        const float (*restrict near)[1025], const float (*restrict far)[1025],
        float *restrict pay, float (*restrict lead)[1025]
    ) {
        float near_weight[1025], far_weight[1025];
        for (long i = 0; i < count; i++) {
            float crowd = 0;
            for (int s = 0; s < players; s++) crowd += far[s][i];
            float z = pay_before[i] + crowd_pay * crowd + open_pay;
            if (players > 2) z = z + size_pay[i] + grounds_pay[i];
            pay[i] = most * NOVA_SQUASH(z);
        }
        for (long i = 0; i < count; i++) {
            float near_sum = nobody, far_sum = nobody;
            for (int s = 0; s < players; s++) {
                near_sum += near[s][i];
                far_sum += far[s][i];
            }
            near_weight[i] = near_lead[i] / near_sum;
            far_weight[i] = far_lead[i] / far_sum + 10.0f * count_lead[i];
        }
        if (players == 2) {
            for (long i = 0; i < count; i++) {
                float x = near_weight[i] * (near[0][i] - near[1][i]) + far_weight[i] * (far[0][i] - far[1][i]);
                lead[0][i] = NOVA_SQUASH(x);
                lead[1][i] = 1 - lead[0][i];
            }
            return;
        }
        for (int s = 0; s < players; s++) {
            for (long i = 0; i < count; i++) {
                float best_near = 0, best_far = 0;
                for (int o = 1; o < players; o++) {
                    float there = near[(s + o) % players][i], farther = far[(s + o) % players][i];
                    best_near = there > best_near ? there : best_near;
                    best_far = farther > best_far ? farther : best_far;
                }
                float x = near_weight[i] * (near[s][i] - best_near) + far_weight[i] * (far[s][i] - best_far)
                    + region_lead[s][i];
                lead[s][i] = NOVA_SQUASH(x);
            }
        }
        for (long i = 0; i < count; i++) {
            float total = 0;
            for (int s = 0; s < players; s++) total += lead[s][i];
            for (int s = 0; s < players; s++) lead[s][i] /= total;
        }
    }

    #define NOVA_WEIGH(players) nova_weigh(players, count, most, nobody, crowd_pay, open_pay, pay_before, size_pay, \
        grounds_pay, near_lead, far_lead, count_lead, region_lead, near, far, pay, lead)

    static NOVA_APART void nova_weigh_cells(
        int players, int count, float most, float nobody, float crowd_pay, float open_pay,
        const float *pay_before, const float *size_pay, const float *grounds_pay,
        const float *near_lead, const float *far_lead, const float *count_lead,
        const float (*region_lead)[1025],
        const float (*near)[1025], const float (*far)[1025], float *pay, float (*lead)[1025]
    ) {
        if (players == 2) NOVA_WEIGH(2);
        else if (players == 3) NOVA_WEIGH(3);
        else NOVA_WEIGH(4);
    }
    """
    void nova_seat_step(
        int sites, int p, int q, int r, const uint16_t *stays, const uint16_t *is_open, const uint16_t *source, uint16_t *target
    ) noexcept nogil
    void nova_gather(int count, const uint16_t *sites, const uint16_t *walkers, float *out) noexcept nogil
    void nova_weigh_cells(
        int players, int count, float most, float nobody, float crowd_pay, float open_pay,
        const float *pay_before, const float *size_pay, const float *grounds_pay,
        const float *near_lead, const float *far_lead, const float *count_lead,
        const float (*region_lead)[MOST_CELLS],
        const float (*near)[MOST_CELLS], const float (*far)[MOST_CELLS], float *pay, float (*lead)[MOST_CELLS]
    ) noexcept nogil
    void nova_step(
        int cells, const uint8_t *is_open, const uint16_t (*around)[6],
        const uint16_t (*source)[FIELDS], uint16_t (*target)[FIELDS]
    ) noexcept nogil


cdef inline void step(const Walk *f, uint16_t (*source)[FIELDS], uint16_t (*target)[FIELDS]) noexcept nogil:
    nova_step(f.cells, f.is_open, f.around, source, target)


cdef void walk(const Ctx *ctx, const State *st, Walk *f) noexcept nogil:
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


cdef inline float prevails(const uint16_t *walkers) noexcept nogil:
    """How much one landscape prevails: the sum of squares, 1 if there is no other."""
    cdef unsigned int total = 0
    cdef int k
    for k in range(GROUNDS):
        total += <unsigned int>walkers[k] * walkers[k]
    return total * <float>(1.0 / ONE / ONE)


cdef void pay_inputs(const Ctx *ctx, const State *st, const Walk *f, int c, float *x) noexcept nogil:
    cdef float near = prevails(f.near[c])
    cdef float far = prevails(f.far[c])
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
    """A part of a block of memory, aligned for vectors."""
    cdef void *part = memory[0]
    memory[0] += (size + 63) & ~<size_t>63
    return part


cdef Desk *lay_out(const Ctx *ctx, char *memory, int kept, size_t *used) noexcept nogil:
    """A desk in this memory, which is not touched if it is NULL, and how much of it is used."""
    cdef char *rest = memory
    cdef Desk *desk = <Desk *>take(&rest, sizeof(Desk))
    cdef Ground *grounds = <Ground *>take(&rest, kept * sizeof(Ground))
    cdef Ground ground
    cdef Desk laid
    cdef int sites = 64 * ctx.words, edge = ctx.stride + 1, i
    # the numbers of a place: with room for whole vectors
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
    laid.grounds = grounds
    if memory != NULL:
        desk[0] = laid
    used[0] = rest - memory
    return desk


cdef size_t desk_bytes(const Ctx *ctx, int kept) noexcept nogil:
    cdef size_t used
    lay_out(ctx, NULL, kept, &used)
    return used


cdef Desk *desk_at(const Ctx *ctx, void *memory, int kept) noexcept nogil:
    cdef size_t used
    cdef Desk *desk = <Desk *>memory
    return desk if desk.kept else lay_out(ctx, <char *>memory, kept, &used)


cdef const Ground *ground_of(const Ctx *ctx, const State *st, const Weights *w, Desk *desk) noexcept nogil:
    """What follows from the open cells and the supply, known already or worked out."""
    cdef const uint64_t *sites = open_sites(ctx, st)
    cdef uint64_t key = st.supply
    cdef Ground *ground
    cdef int i
    for i in range(ctx.words):
        key = mixed(key, sites[i])
    ground = &desk.grounds[key % <unsigned int>desk.kept]
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
    walk(ctx, st, &f)
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


cdef void walk_pioneers(const Ctx *ctx, const State *st, const Ground *ground, Desk *desk, int seat) noexcept nogil:
    cdef int sites = 64 * ctx.words, i
    cdef const uint16_t *cells = list_of(ctx, st, seat)
    cdef uint16_t *near = desk.near[seat]
    cdef uint16_t *far = desk.far[seat]
    memset(far, 0, sites * sizeof(uint16_t))
    for i in range(st.count[seat]):
        far[ctx.cell[cells[i]].site] = ONE
    # three steps to `near`, five more to `far`
    step_pioneers(ctx, ground, far, desk.bank[0])
    step_pioneers(ctx, ground, desk.bank[0], desk.bank[1])
    step_pioneers(ctx, ground, desk.bank[1], near)
    step_pioneers(ctx, ground, near, desk.bank[0])
    step_pioneers(ctx, ground, desk.bank[0], desk.bank[1])
    step_pioneers(ctx, ground, desk.bank[1], desk.bank[0])
    step_pioneers(ctx, ground, desk.bank[0], desk.bank[1])
    step_pioneers(ctx, ground, desk.bank[1], far)


cdef inline void step_pioneers(const Ctx *ctx, const Ground *ground, const uint16_t *source, uint16_t *target) noexcept nogil:
    nova_seat_step(
        64 * ctx.words, ctx.delta[0], ctx.delta[1], ctx.delta[2], ground.stays, ground.is_open, source, target
    )


cdef void survey(const Ctx *ctx, const State *st, const Weights *w, Desk *desk, Field *f) noexcept nogil:
    cdef const Ground *ground = ground_of(ctx, st, w, desk)
    cdef float region_lead[4][MOST_CELLS]
    cdef int s
    f.ground = ground
    f.most = 3
    # open land scores nothing when the game stalls (TN-27), so waiting must cost something; with two players it makes no difference
    if ctx.players > 2 and ctx.stall_limit > 0 and st.stall > 0:
        f.most -= f.most * st.stall / ctx.stall_limit
    for s in range(ctx.players):
        walk_pioneers(ctx, st, ground, desk, s)
        nova_gather(ground.count, ground.sites, desk.near[s], f.near[s])
        nova_gather(ground.count, ground.sites, desk.far[s], f.far[s])
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
    """What the lead of each seat in a whole region is worth, by place."""
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
