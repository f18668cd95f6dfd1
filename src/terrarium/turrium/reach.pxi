# Part of kernel.pyx: where the seat to move can take and place cubes and move flags, and completed towers (TT-3 to TT-14, TT-17).


cdef Cells takable(const Ctx *ctx, const State *st) noexcept nogil:
    """The cells where the seat to move may take a cube, not counting the cubes in hand (TT-5, TT-6, TT-7)."""
    cdef Cells own = ctx.own[st.to_move]
    return st.built & ~st.towers & (own | (exterior_cells(st) & ~ctx.closed[st.taken_from]))

cdef inline Cells placeable(const Ctx *ctx, const State *st) noexcept nogil:
    """The cells where a cube may be placed (TT-8)."""
    return ctx.used & ~st.towers

cdef inline Cells settable(const Ctx *ctx, const State *st) noexcept nogil:
    """The cells where the seat to move may set a flag before the first turn (TT-3)."""
    return st.built & ~st.towers & ctx.own[st.to_move]

cdef Cells entries(const State *st) noexcept nogil:
    """The cells where the seat to move may re-enter a flag (TT-13)."""
    if count(st.flags[st.to_move]) == 6:
        return 0
    return exterior_cells(st) & ~st.towers

cdef inline Cells reaching(const State *st, Cells flags, Cells targets, int direction) noexcept nogil:
    """The flags that can climb to one of the targets in a direction (TT-10)."""
    if direction == 0:
        return flags & (st.climb_v >> 10) & (targets >> 10)
    if direction == 1:
        return flags & (st.climb_h >> 1) & (targets >> 1)
    if direction == 2:
        return flags & st.climb_v & (targets << 10)
    return flags & st.climb_h & (targets << 1)

cdef inline int toward(int cell, int direction) noexcept nogil:
    if direction == 0:
        return cell + 10
    if direction == 1:
        return cell + 1
    if direction == 2:
        return cell - 10
    return cell - 1

cdef Cells step_sources(const State *st, int direction) noexcept nogil:
    """The seat's flags that can make a step in a direction (TT-10)."""
    return reaching(st, st.flags[st.to_move], ~st.towers, direction)

cdef Cells capture_targets(const Ctx *ctx, const State *st) noexcept nogil:
    """The enemy flags that may be captured, if they are in reach and points are left (TT-11, TT-12, TT-17)."""
    cdef int seat = st.to_move
    cdef Cells enemies = st.towers & ~st.flags[seat]
    if ctx.is_burgenland:
        return enemies if st.unlocked and st.captures[seat] < MAX_CAPTURES else 0
    if st.attacks[seat] < MAX_ATTACKS or st.attacking:
        return enemies
    return enemies & ~ctx.attack_land[seat]

cdef int capture_cost(const State *st, int source, int target) noexcept nogil:
    """The cost of a capture: 1, 2 or 3 points if the captured flag is lower, equal or higher (TT-11)."""
    return 2 + st.heights[CELL + target] - st.heights[CELL + source]

cdef Cells capture_sources(const State *st, Cells targets, int direction) noexcept nogil:
    """The seat's flags that can capture one of the targets in a direction with the points left (TT-11)."""
    cdef Cells found = reaching(st, st.flags[st.to_move], targets, direction)
    cdef Cells rest
    cdef int i
    if found and st.points < 3:
        rest = found
        while rest:
            i = first(rest)
            rest &= rest - 1
            if capture_cost(st, i, toward(i, direction)) > st.points:
                found &= ~bit(i)
    return found

cdef bint can_move(const Ctx *ctx, const State *st) noexcept nogil:
    """Whether a step, a capture or a re-entry is possible with the points left (TT-9)."""
    cdef Cells targets
    cdef int d
    if st.points == 0:
        return False
    for d in range(4):
        if step_sources(st, d):
            return True
    if entries(st):
        return True
    targets = capture_targets(ctx, st)
    if targets:
        for d in range(4):
            if capture_sources(st, targets, d):
                return True
    return False

cdef bint has_towers(const State *st, int seat) noexcept nogil:
    """Whether the six flags of a seat stand on 1, 2, 3, 4, 5, 6 (TT-14)."""
    cdef Cells flags = st.flags[seat]
    cdef int height
    for height in range(6, 0, -1):
        if not flags & st.levels[height]:
            return False
    return True

cdef bint is_key(const State *st, Cells flags) noexcept nogil:
    """Whether six flags stand on 5, 4, 4, 3, 2, 1 (TT-17)."""
    return (
        count(flags & st.levels[4]) == 2
        and flags & st.levels[5]
        and flags & st.levels[3]
        and flags & st.levels[2]
        and flags & st.levels[1]
    )

cdef bint has_key(const State *st, int seat) noexcept nogil:
    """Whether the six flags of a seat stand on 5, 4, 4, 3, 2, 1 (TT-17)."""
    return is_key(st, st.flags[seat])

cdef bint shows_unlocking(const Ctx *ctx, const State *st) noexcept nogil:
    """Whether the flags of some seat stand on 5, 4, 4, 3, 2, 1 (TT-17)."""
    cdef int seat
    for seat in range(ctx.players):
        if has_key(st, seat):
            return True
    return False


# How far flags get with the points left. The state of a path is its cell and its `kind`: in Burgenland the number of its
# captures, or LOCKED while captures are locked (TT-17), otherwise 0. A node is 100 * kind + cell.

cdef struct Buckets:
    int length[POINTS + 1]
    uint16_t node[POINTS + 1][4 * NODES]

cdef inline void visit(Buckets *queue, Paths *out, int node, int came, int cost) noexcept nogil:
    if cost < out.cost[node]:
        out.cost[node] = <uint8_t>cost
        out.came[node] = <uint16_t>came
        queue.node[cost][queue.length[cost]] = <uint16_t>node
        queue.length[cost] += 1

cdef inline Cells capturable(const Ctx *ctx, const State *st, int kind) noexcept nogil:
    """The enemy flags that a path may capture."""
    if not ctx.is_burgenland:
        return capture_targets(ctx, st)
    if kind == LOCKED or st.captures[st.to_move] + kind >= MAX_CAPTURES:
        return 0
    return st.towers & ~st.flags[st.to_move]

cdef void find_paths(const Ctx *ctx, const State *st, int source, int points, Paths *out) noexcept nogil:
    """The cheapest paths of the flag on `source`, or of a flag in hand if `source` is -1 (TT-9 to TT-13)."""
    cdef Buckets queue
    cdef Cells rest
    cdef Cells others = st.flags[st.to_move]
    cdef Cells free = ~st.towers
    cdef Cells targets
    cdef int cost, i, d, node, kind, cell, target
    cdef int begin = 100 * LOCKED if ctx.is_burgenland and not st.unlocked else 0
    memset(out.cost, UNREACHED, sizeof(out.cost))
    memset(queue.length, 0, sizeof(queue.length))
    if source >= 0:
        others &= ~bit(source)
        free |= bit(source)
        visit(&queue, out, begin + source, begin + source, 0)
    elif points > 0:
        rest = entries(st)
        while rest:
            i = first(rest)
            rest &= rest - 1
            visit(&queue, out, begin + i, begin + i, 1)
    for cost in range(points + 1):
        i = 0
        while i < queue.length[cost]:
            node = queue.node[cost][i]
            i += 1
            if out.cost[node] < cost:
                continue
            kind = node // 100
            cell = node % 100
            if kind == LOCKED and is_key(st, others | bit(cell)):
                # captures are unlocked here: continue on the same cell with kind 0
                if cost < out.cost[cell]:
                    visit(&queue, out, cell, out.came[node] if out.came[node] != node else cell, cost)
                continue
            targets = capturable(ctx, st, kind)
            for d in range(4):
                if reaching(st, bit(cell), free, d):
                    if cost < points:
                        visit(&queue, out, 100 * kind + toward(cell, d), node, cost + 1)
                elif reaching(st, bit(cell), targets, d):
                    target = toward(cell, d)
                    if cost + capture_cost(st, cell, target) <= points:
                        visit(
                            &queue, out,
                            100 * (kind + ctx.is_burgenland) + target, node, cost + capture_cost(st, cell, target),
                        )

cdef Cells in_reach(const Ctx *ctx, const State *st, int points) noexcept nogil:
    """The cells that flags of the seat to move occupy or could reach with these points (TT-9 to TT-13)."""
    cdef Paths paths
    cdef Cells found = st.flags[st.to_move]
    cdef Cells rest = found
    cdef int node, source
    cdef bint has_hand = count(found) < 6
    while rest or has_hand:
        source = -1
        if rest:
            source = first(rest)
            rest &= rest - 1
        else:
            has_hand = False
        find_paths(ctx, st, source, points, &paths)
        for node in range(NODES):
            if paths.cost[node] != UNREACHED:
                found |= bit(node % 100)
    return found
