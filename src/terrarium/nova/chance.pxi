# Part of kernel.pyx: random play. The kind of each action is drawn first.


cdef struct Choice:
    int source              # NOWHERE for a stone
    int target
    int id


cdef inline int stretch(const Cell *cell, const uint64_t *line, int axis, int *ahead) noexcept nogil:
    # the number of empty cells on both sides of a cell on one axis; `ahead` gets those in the direction of the axis
    cdef uint64_t word = line[cell.word[axis]]
    cdef int bit = cell.bit[axis]
    cdef uint64_t guard = <uint64_t>1 << (63 - bit)
    ahead[0] = ctz((word >> bit >> 1) | guard)
    return ahead[0] + clz((word << (63 - bit) << 1) | guard)


cdef inline int target_on(const Ctx *ctx, const Cell *cell, int axis, int ahead, int k) noexcept nogil:
    # the target of the k-th move on a stretch: first the moves ahead, then those in the other direction
    cdef int far = k + 1 if k < ahead else ahead - k - 1
    return ctx.cell_of_site[cell.site + far * ctx.delta[axis]]


cdef inline int move_on(const Cell *cell, int axis, int ahead, int k) noexcept nogil:
    # the id of the k-th move on a stretch
    return cell.base[axis] + k if k < ahead else cell.base[axis + 3] + k - ahead


cdef bint counted_move(const Ctx *ctx, const State *st, uint64_t *rng, Choice *out) noexcept nogil:
    # a random legal move, found by counting all of them; false if there are none
    cdef const uint64_t *line = lines(ctx, st)
    cdef const uint16_t *own = list_of(ctx, st, st.seat)
    cdef uint8_t lengths[3 * MAX_PIONEERS]
    cdef const Cell *at
    cdef bint home = is_home(ctx, st)
    cdef int i, j, axis, k, ahead, total = 0, forbidden = 0, count = st.count[st.seat]
    for j in range(count):
        at = &ctx.cell[own[j]]
        lengths[3 * j] = stretch(at, line, 0, &ahead)
        lengths[3 * j + 1] = stretch(at, line, 1, &ahead)
        lengths[3 * j + 2] = stretch(at, line, 2, &ahead)
        total += lengths[3 * j] + lengths[3 * j + 1] + lengths[3 * j + 2]
    if st.step != 0:
        # moves that the return rule forbids are counted separately, because it affects few pioneers
        for i in range(count):
            if home or own[i] == st.moved[0] or own[i] == st.moved[1]:
                at = &ctx.cell[own[i]]
                for axis in range(3):
                    stretch(at, line, axis, &ahead)
                    for k in range(lengths[3 * i + axis]):
                        forbidden += is_refused(ctx, st, home, own[i], target_on(ctx, at, axis, ahead, k))
    if total == forbidden:
        return False
    while True:
        k = random_below(rng, total)
        j = 0
        while k >= lengths[j]:
            k -= lengths[j]
            j += 1
        out.source = own[j // 3]
        at = &ctx.cell[out.source]
        axis = j % 3
        stretch(at, line, axis, &ahead)
        out.target = target_on(ctx, at, axis, ahead, k)
        if forbidden == 0 or not is_refused(ctx, st, home, out.source, out.target):
            out.id = move_on(at, axis, ahead, k)
            return True


cdef inline bint is_refused(const Ctx *ctx, const State *st, bint home, int source, int target) noexcept nogil:
    # whether TN-12 forbids a move that lines and pioneers allow
    return returns(ctx, st, source, target) or (home and source != st.moved[0])


cdef inline bint random_move(const Ctx *ctx, const State *st, uint64_t *rng, Choice *out) noexcept nogil:
    """A random legal move, each with the same probability; false if there is none.

    A guess is a pioneer, an axis and a place on the longest stretch of the board. Guesses that are not legal
    moves are discarded, which leaves the others equally likely. After TRIES misses all moves are counted.
    """
    cdef const uint64_t *line = lines(ctx, st)
    cdef const uint16_t *own = list_of(ctx, st, st.seat)
    cdef const Cell *at
    cdef uint64_t part, count = st.count[st.seat]
    cdef uint64_t longest = ctx.longest
    cdef int source, axis, k, i, ahead
    if count == 0:
        return False
    for i in range(TRIES):
        part = (next_random(rng) >> 32) * count
        source = own[part >> 32]
        at = &ctx.cell[source]
        part = (part & <uint32_t>0xFFFFFFFF) * 3
        axis = part >> 32
        part = (part & <uint32_t>0xFFFFFFFF) * longest
        k = part >> 32
        if k < stretch(at, line, axis, &ahead):
            out.source = source
            out.target = target_on(ctx, at, axis, ahead, k)
            if st.step == 0 or not is_refused(ctx, st, is_home(ctx, st), source, out.target):
                out.id = move_on(at, axis, ahead, k)
                return True
    return counted_move(ctx, st, rng, out)


cdef inline bint random_stone(const Ctx *ctx, const State *st, uint64_t *rng, Choice *out) noexcept nogil:
    """A random legal stone, each with the same probability; false if there is none."""
    cdef uint16_t cells[12]
    cdef int ring, other, k, count
    out.source = NOWHERE
    if st.supply == 0 or st.moved[0] == NOWHERE:
        return False
    if is_home(ctx, st):
        count = stone_cells(ctx, st, cells)
        if count == 0:
            return False
        out.target = cells[random_below(rng, count)]
        out.id = ctx.cells + out.target
        return True
    ring = empty_ring(ctx, st, st.moved[0])
    count = popcount(ring)
    other = 0
    if st.moved[1] != NOWHERE:
        other = empty_ring(ctx, st, st.moved[1]) & ~shared_ring(ctx, st.moved[1], st.moved[0])
    k = popcount(other) + count
    if k == 0:
        return False
    k = random_below(rng, k)
    if k < count:
        out.target = ctx.cell[st.moved[0]].near[ctx.nth[ring][k]]
    else:
        out.target = ctx.cell[st.moved[1]].near[ctx.nth[other][k - count]]
    out.id = ctx.cells + out.target
    return True


cdef inline int shared_ring(const Ctx *ctx, int cell, int other) noexcept nogil:
    # the neighbours of a cell that are also neighbours of another one
    cdef const uint16_t *near = ctx.cell[cell].near
    cdef const uint16_t *far = ctx.cell[other].near
    cdef int d, k, ring = 0
    cdef int apart = ctx.cell[cell].site - ctx.cell[other].site
    if apart > 2 * ctx.stride + 2 or apart < -2 * ctx.stride - 2:
        return 0
    for d in range(6):
        for k in range(6):
            ring |= (near[d] == far[k]) << d
    return ring


cdef inline void choose(const Ctx *ctx, const State *st, uint64_t *rng, Choice *out) noexcept nogil:
    """Draw move or stone with the same probability, then one action of that kind.

    If the drawn kind is impossible the other one is played, so neither has to be checked beforehand.
    """
    cdef bint is_stone = st.step != 0 and next_random(rng) >> 63
    if is_stone and random_stone(ctx, st, rng, out):
        return
    if not random_move(ctx, st, rng, out) and not is_stone:
        random_stone(ctx, st, rng, out)


cdef inline int random_cell(const Ctx *ctx, const State *st, uint64_t *rng) noexcept nogil:
    cdef int cell
    while True:
        cell = random_below(rng, ctx.cells)
        if holds(st)[cell] == EMPTY:
            return cell


cdef int random_action(const void *context, const void *state, uint64_t *rng) noexcept nogil:
    cdef const Ctx *ctx = <const Ctx *>context
    cdef const State *st = <const State *>state
    cdef Choice choice
    if st.phase == OVER:
        return -1
    if st.phase == PLACE:
        return random_cell(ctx, st, rng)
    choice.id = -1
    choose(ctx, st, rng, &choice)
    return choice.id


cdef long long playout(const void *context, void *state, uint64_t *rng) noexcept nogil:
    # the same choices as random_action, but played without converting them to ids and back
    cdef const Ctx *ctx = <const Ctx *>context
    cdef State *st = <State *>state
    cdef Choice choice
    cdef long long actions = 0
    while st.phase == PLACE:
        play_placement(ctx, st, random_cell(ctx, st, rng), NULL)
        actions += 1
    while st.phase == PLAY:
        choose(ctx, st, rng, &choice)
        if choice.source == NOWHERE:
            play_stone(ctx, st, choice.target, NULL)
        else:
            play_move(ctx, st, choice.source, choice.target, NULL)
        actions += 1
    return actions
