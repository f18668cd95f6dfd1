# Part of kernel.pyx: random play. The kind of action is drawn first, then a cell. Three times out of four it prefers
# cells that lead towards 1 to 6; without this, fewer than one game in a hundred would be won.


cdef enum:                   # the weights of the kinds of moves
    STEP_WEIGHT = 4
    CAPTURE_WEIGHT = 1
    ENTRY_WEIGHT = 2
    END_WEIGHT = 1

cdef inline int any_of(Cells cells, uint64_t *rng) noexcept nogil:
    return nth(cells, random_below(rng, count(cells)))

cdef int any_way(const Cells *sources, int block, uint64_t *rng) noexcept nogil:
    cdef int ends[4]
    cdef int d, n
    cdef int total = 0
    for d in range(4):
        total += count(sources[d])
        ends[d] = total
    n = random_below(rng, total)
    d = (n >= ends[0]) + (n >= ends[1]) + (n >= ends[2])
    if d:
        n -= ends[d - 1]
    return block + 4 * nth(sources[d], n) + d


cdef inline bint is_eager(uint64_t *rng) noexcept nogil:
    return next_random(rng) >> 62 != 0

cdef Cells building_sites(const Ctx *ctx, const State *st) noexcept nogil:
    """The cells where a cube helps the seat to move most: next to its highest flag that could climb to a height the seat misses."""
    cdef Cells flags = st.flags[st.to_move]
    cdef Cells near, found
    cdef int height, below
    for height in range(5, 0, -1):
        if flags & st.levels[height] and not flags & st.levels[height + 1]:
            near = around(flags & st.levels[height]) & ctx.used & ~st.towers
            for below in range(height, -1, -1):
                found = near & st.levels[below]
                if found:
                    return found
    return 0

cdef bint rising_steps(const State *st, Cells *steps) noexcept nogil:
    """The steps of flags that share their height, or are above 6, to a height on which the seat has no flag."""
    cdef Cells flags = st.flags[st.to_move]
    cdef Cells spare = flags & st.levels[7]
    cdef Cells wanted = 0
    cdef Cells here
    cdef Cells found = 0
    cdef int height, d
    for height in range(1, 7):
        here = flags & st.levels[height]
        if here == 0:
            wanted |= st.levels[height]
        elif here & (here - 1):
            spare |= here
    wanted &= ~st.towers
    for d in range(4):
        steps[d] = reaching(st, spare, wanted, d)
        found |= steps[d]
    return found != 0

cdef int random_move(const Ctx *ctx, const State *st, uint64_t *rng) noexcept nogil:
    cdef Cells flags = st.flags[st.to_move]
    cdef Cells steps[4]
    cdef Cells captures[4]
    cdef Cells rising[4]
    cdef Cells targets, entering
    cdef Cells stepping = 0
    cdef Cells capturing = 0
    cdef int d, kind
    if has_towers(st, st.to_move):
        return ID_END
    for d in range(4):
        steps[d] = reaching(st, flags, ~st.towers, d)
        stepping |= steps[d]
    targets = capture_targets(ctx, st) & around(flags)
    if targets:
        for d in range(4):
            captures[d] = capture_sources(st, targets, d)
            capturing |= captures[d]
    entering = entries(st)
    kind = END_WEIGHT
    kind += STEP_WEIGHT if stepping else 0
    kind += CAPTURE_WEIGHT if capturing else 0
    kind += ENTRY_WEIGHT if entering else 0
    kind = random_below(rng, kind) - END_WEIGHT
    if kind < 0:
        return ID_END
    if stepping:
        if kind < STEP_WEIGHT:
            if is_eager(rng) and rising_steps(st, rising):
                return any_way(rising, ID_STEP, rng)
            return any_way(steps, ID_STEP, rng)
        kind -= STEP_WEIGHT
    if capturing and kind < CAPTURE_WEIGHT:
        return any_way(captures, ID_CAPTURE, rng)
    return any_of(entering, rng)

cdef int random_action(const void *opaque, const void *state, uint64_t *rng) noexcept nogil:
    cdef const Ctx *ctx = <const Ctx *>opaque
    cdef const State *st = <const State *>state
    cdef Cells cells, better
    if st.phase == MOVE:
        return random_move(ctx, st, rng)
    if st.phase == FLAGS:
        return any_of(settable(ctx, st), rng)
    if st.phase == OVER:
        return -1
    if st.phase == TAKE and (st.cubes == 0 or next_random(rng) >> 63):
        cells = takable(ctx, st)
        if is_eager(rng):
            better = cells & ~around(st.flags[st.to_move])
            if better:
                cells = better
        return ID_TAKE + any_of(cells, rng)
    cells = placeable(ctx, st)
    if is_eager(rng):
        better = building_sites(ctx, st)
        if better:
            cells = better
    return ID_CUBE + any_of(cells, rng)
