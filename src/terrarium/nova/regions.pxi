# Part of kernel.pyx: regions, and territories that stones close (TN-15 to TN-20).


#
# A bit board that is being filled has a guard word at each end; words 1 to `words` contain the sites.


cdef inline bint spread_any(uint64_t *sites, const uint64_t *open, int words, int stride) noexcept nogil:
    """Add all open neighbours; returns whether there were any."""
    cdef uint64_t up[MAX_WORDS]
    cdef uint64_t down[MAX_WORDS]
    cdef uint64_t more, gained = 0
    cdef int i
    up[0] = 0
    down[words + 1] = 0
    for i in range(1, words + 1):
        up[i] = sites[i] | sites[i] << 1 | sites[i - 1] >> 63
        down[i] = sites[i] | sites[i] >> 1 | sites[i + 1] << 63
    for i in range(1, words + 1):
        # one step along the row, or one row up or down with or without a step along it: all six neighbours
        more = (
            up[i] | down[i]
            | up[i] << stride | up[i - 1] >> (64 - stride)
            | down[i] >> stride | down[i + 1] << (64 - stride)
        ) & open[i - 1]
        gained |= more ^ sites[i]
        sites[i] = more
    return gained != 0


cdef inline uint32_t landscapes_in(const Ctx *ctx, const uint64_t *sites, int words) noexcept nogil:
    cdef const uint64_t *mask = ctx.landscape_mask
    cdef uint32_t found = 0
    cdef uint64_t both
    cdef int kind, i
    for kind in range(ctx.landscapes):
        both = 0
        for i in range(words):
            both |= mask[i] & sites[i + 1]
        found |= <uint32_t>(both != 0) << kind
        mask += words
    return found


cdef inline uint32_t fill(
    const Ctx *ctx, const uint64_t *open, uint64_t *sites, int words, bint whole
) noexcept nogil:
    """Grow `sites` to its region; unless `whole`, stop when it has four landscapes. Returns its landscapes."""
    cdef uint32_t found
    cdef bint grows = True
    if whole:
        while grows:
            grows = spread(sites, open, words, ctx.stride)
        return landscapes_in(ctx, sites, words)
    spread(sites, open, words, ctx.stride)
    spread(sites, open, words, ctx.stride)
    while grows:
        # landscapes are counted only after every other step, because counting costs as much as a step
        spread(sites, open, words, ctx.stride)
        grows = spread(sites, open, words, ctx.stride)
        found = landscapes_in(ctx, sites, words)
        if popcount(found) > 3:
            break
    return found


cdef inline bint spread_four(uint64_t *x, const uint64_t *open, int stride) noexcept nogil:
    # `spread` for boards of the usual size, unrolled so that everything stays in registers
    cdef int back = 64 - stride
    cdef uint64_t u0 = x[1] | x[1] << 1
    cdef uint64_t u1 = x[2] | x[2] << 1 | x[1] >> 63
    cdef uint64_t u2 = x[3] | x[3] << 1 | x[2] >> 63
    cdef uint64_t u3 = x[4] | x[4] << 1 | x[3] >> 63
    cdef uint64_t d0 = x[1] | x[1] >> 1 | x[2] << 63
    cdef uint64_t d1 = x[2] | x[2] >> 1 | x[3] << 63
    cdef uint64_t d2 = x[3] | x[3] >> 1 | x[4] << 63
    cdef uint64_t d3 = x[4] | x[4] >> 1
    cdef uint64_t y0 = (u0 | d0 | u0 << stride | d0 >> stride | d1 << back) & open[0]
    cdef uint64_t y1 = (u1 | d1 | u1 << stride | u0 >> back | d1 >> stride | d2 << back) & open[1]
    cdef uint64_t y2 = (u2 | d2 | u2 << stride | u1 >> back | d2 >> stride | d3 << back) & open[2]
    cdef uint64_t y3 = (u3 | d3 | u3 << stride | u2 >> back | d3 >> stride) & open[3]
    cdef bint grows = ((x[1] ^ y0) | (x[2] ^ y1) | (x[3] ^ y2) | (x[4] ^ y3)) != 0
    x[1] = y0
    x[2] = y1
    x[3] = y2
    x[4] = y3
    return grows


cdef inline bint spread(uint64_t *sites, const uint64_t *open, int words, int stride) noexcept nogil:
    if words == 4:
        return spread_four(sites, open, stride)
    return spread_any(sites, open, words, stride)


cdef uint32_t flood(const Ctx *ctx, const uint64_t *open, uint64_t *sites, bint whole) noexcept nogil:
    # a constant argument lets the compiler unroll the loops for boards of the usual size
    if ctx.words == 4:
        return fill(ctx, open, sites, 4, whole)
    return fill(ctx, open, sites, ctx.words, whole)


cdef uint32_t region_at(const Ctx *ctx, const State *st, int cell, uint64_t *sites) noexcept nogil:
    """The landscapes of the region around a cell in play; `sites` gets the region, with guard words."""
    cdef int site = ctx.cell[cell].site
    memset(sites, 0, MAX_WORDS * sizeof(uint64_t))
    sites[1 + (site >> 6)] = <uint64_t>1 << (site & 63)
    return flood(ctx, open_sites(ctx, st), sites, True)


cdef bint is_tame(const Ctx *ctx, const State *st) noexcept nogil:
    # whether every region in play holds four landscapes or more
    cdef uint64_t seen[MAX_WORDS]
    cdef uint64_t sites[MAX_WORDS]
    cdef const uint64_t *open = open_sites(ctx, st)
    cdef uint64_t rest
    cdef int i, k
    memset(seen, 0, sizeof(seen))
    for i in range(ctx.words):
        while True:
            rest = open[i] & ~seen[i + 1]
            if rest == 0:
                break
            if popcount(region_at(ctx, st, ctx.cell_of_site[64 * i + ctz(rest)], sites)) < 4:
                return False
            for k in range(MAX_WORDS):
                seen[k] |= sites[k]
    return True


cdef void appraise(
    const Ctx *ctx, const State *st, const uint64_t *sites, uint32_t landscapes, Territory *out
) noexcept nogil:
    """The value of a region if it is closed now, and the points of each seat."""
    cdef int kinds = popcount(landscapes)
    cdef int seat, i, j, site, most = 0, tied = 0
    cdef const uint16_t *own
    memset(out, 0, sizeof(Territory))
    memcpy(out.sites, sites, (ctx.words + 2) * sizeof(uint64_t))
    out.landscapes = landscapes
    for i in range(1, ctx.words + 1):
        out.cells += popcount(sites[i])
    out.points = out.cells * (4 - kinds) if kinds < 4 else 0        # TN-17
    for seat in range(ctx.players):
        own = list_of(ctx, st, seat)
        for j in range(st.count[seat]):
            site = ctx.cell[own[j]].site
            out.pioneers[seat] += sites[1 + (site >> 6)] >> (site & 63) & 1
        if out.pioneers[seat] > most:
            most = out.pioneers[seat]
            tied = 0
        if out.pioneers[seat] == most:
            tied += 1
    if most > 0:                                                    # TN-18
        for seat in range(ctx.players):
            if out.pioneers[seat] == most:
                out.awards[seat] = out.points // tied


cdef void close_territory(
    const Ctx *ctx, State *st, const uint64_t *sites, uint32_t landscapes, Trace *trace
) noexcept nogil:
    """Score a territory, remove its pioneers and mark its cells as dead (TN-17 to TN-19)."""
    cdef Territory territory
    cdef uint8_t *what = holds(st)
    cdef uint8_t *slot = slots(ctx, st)
    cdef uint64_t *open = open_sites(ctx, st)
    cdef uint16_t *own
    cdef uint64_t rest
    cdef int seat, i, cell, last
    appraise(ctx, st, sites, landscapes, &territory)
    if trace != NULL:
        trace.territory[trace.territories] = territory
        trace.territories += 1
    for seat in range(ctx.players):
        st.scores[seat] += territory.awards[seat]
    st.in_play -= territory.cells
    for i in range(ctx.words):
        rest = sites[i + 1]
        open[i] &= ~rest
        while rest != 0:
            cell = ctx.cell_of_site[64 * i + ctz(rest)]
            rest &= rest - 1
            if what[cell] != EMPTY:
                seat = what[cell] - 1
                own = list_of(ctx, st, seat)
                st.count[seat] -= 1
                last = own[st.count[seat]]
                own[slot[cell]] = last
                slot[last] = slot[cell]
            else:
                block(ctx, st, cell)
            what[cell] = DEAD


cdef inline int open_ring(const Ctx *ctx, const State *st, int cell) noexcept nogil:
    # the neighbours in play: empty or with a pioneer
    cdef const uint16_t *near = ctx.cell[cell].near
    cdef const uint8_t *what = holds(st)
    return (
        (what[near[0]] < STONE) | (what[near[1]] < STONE) << 1 | (what[near[2]] < STONE) << 2
        | (what[near[3]] < STONE) << 3 | (what[near[4]] < STONE) << 4 | (what[near[5]] < STONE) << 5
    )


cdef inline void score(const Ctx *ctx, State *st, int cell, Trace *trace) noexcept nogil:
    """Score every region next to the new stone that has three landscapes or fewer (TN-16)."""
    cdef int ring = open_ring(ctx, st, cell)
    # the first cell of each stretch of open neighbours; cells of one stretch are in one region
    cdef int starts = ring & ~(ring << 1 | ring >> 5)
    if ring == 63:
        starts = 1
    # With one stretch nothing is divided. If a neighbour has the same landscape as the covered cell, the region also keeps
    # all its landscapes.
    if st.is_tame and (starts & (starts - 1)) == 0 and (ring & ctx.cell[cell].same) != 0:
        return
    score_around(ctx, st, cell, starts, trace)


cdef inline void score_within(
    const Ctx *ctx, State *st, int cell, int starts, int words, Trace *trace
) noexcept nogil:
    cdef uint64_t seen[MAX_WORDS]
    cdef uint64_t sites[MAX_WORDS]
    cdef const uint16_t *near = ctx.cell[cell].near
    cdef uint32_t landscapes
    cdef int site, i
    for i in range(words + 2):
        seen[i] = 0
    while starts != 0:
        site = ctx.cell[near[ctz(starts)]].site
        starts &= starts - 1
        # already seen: in a region that was just closed, or in one with at least four landscapes
        if seen[1 + (site >> 6)] >> (site & 63) & 1:
            continue
        for i in range(words + 2):
            sites[i] = 0
        sites[1 + (site >> 6)] = <uint64_t>1 << (site & 63)
        landscapes = fill(ctx, open_sites(ctx, st), sites, words, False)
        for i in range(1, words + 1):
            seen[i] |= sites[i]
        if popcount(landscapes) < 4:
            close_territory(ctx, st, sites, landscapes, trace)


cdef void score_around(const Ctx *ctx, State *st, int cell, int starts, Trace *trace) noexcept nogil:
    if ctx.words == 4:
        score_within(ctx, st, cell, starts, 4, trace)
    else:
        score_within(ctx, st, cell, starts, ctx.words, trace)
    if not st.is_tame:
        st.is_tame = is_tame(ctx, st)
