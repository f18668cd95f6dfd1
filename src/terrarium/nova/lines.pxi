# Part of kernel.pyx: lines, and the moves of pioneers along them (TN-9 to TN-12).


cdef inline int ray(const Cell *cell, const uint64_t *line, int direction) noexcept nogil:
    # the number of empty cells in one direction up to the first obstacle; the guard bit marks the end of the word
    cdef int axis = direction if direction < 3 else direction - 3
    cdef uint64_t word = line[cell.word[axis]]
    cdef int bit = cell.bit[axis]
    cdef uint64_t guard = <uint64_t>1 << (63 - bit)
    if direction < 3:
        return ctz((word >> bit >> 1) | guard)
    return clz((word << (63 - bit) << 1) | guard)


cdef int reach(const Ctx *ctx, const State *st, int cell, int direction) noexcept nogil:
    return ray(&ctx.cell[cell], lines(ctx, st), direction)


cdef inline void block(const Ctx *ctx, State *st, int cell) noexcept nogil:
    cdef uint64_t *line = lines(ctx, st)
    cdef const Cell *at = &ctx.cell[cell]
    line[at.word[0]] |= <uint64_t>1 << at.bit[0]
    line[at.word[1]] |= <uint64_t>1 << at.bit[1]
    line[at.word[2]] |= <uint64_t>1 << at.bit[2]


cdef inline void unblock(const Ctx *ctx, State *st, int cell) noexcept nogil:
    cdef uint64_t *line = lines(ctx, st)
    cdef const Cell *at = &ctx.cell[cell]
    line[at.word[0]] &= ~(<uint64_t>1 << at.bit[0])
    line[at.word[1]] &= ~(<uint64_t>1 << at.bit[1])
    line[at.word[2]] &= ~(<uint64_t>1 << at.bit[2])


cdef inline int empty_ring(const Ctx *ctx, const State *st, int cell) noexcept nogil:
    # the empty neighbours of a cell
    cdef const uint16_t *near = ctx.cell[cell].near
    cdef const uint8_t *what = holds(st)
    return (
        (what[near[0]] == EMPTY) | (what[near[1]] == EMPTY) << 1 | (what[near[2]] == EMPTY) << 2
        | (what[near[3]] == EMPTY) << 3 | (what[near[4]] == EMPTY) << 4 | (what[near[5]] == EMPTY) << 5
    )


cdef bint can_move(const Ctx *ctx, const State *st, int seat) noexcept nogil:
    """Whether a seat could make a 1st action (TN-7, TN-9); a seat that resigned can't (TN-28)."""
    cdef const uint16_t *own = list_of(ctx, st, seat)
    cdef int j
    if st.resigned >> seat & 1:
        return False
    for j in range(st.count[seat]):
        if empty_ring(ctx, st, own[j]) != 0:
            return True
    return False


cdef inline bint is_able(const Ctx *ctx, State *st, int seat) noexcept nogil:
    # can_move for every turn: first tries the pioneer that could move last time, because it usually still can
    cdef const uint16_t *own = list_of(ctx, st, seat)
    cdef int j = mobile(ctx, st)[seat]
    if st.resigned >> seat & 1:
        return False
    if j < st.count[seat] and empty_ring(ctx, st, own[j]) != 0:
        return True
    for j in range(st.count[seat]):
        if empty_ring(ctx, st, own[j]) != 0:
            mobile(ctx, st)[seat] = j
            return True
    return False


cdef inline bint returns(const Ctx *ctx, const State *st, int source, int target) noexcept nogil:
    """Whether TN-12 forbids this move because it ends where the pioneer started the turn.

    `never` applies to every move, the others only to the 3rd action. `note_move` and `note_stone` decide which pioneers
    still have an origin then.
    """
    if st.step == 0 or (st.step == 1 and ctx.returning != NEVER):
        return False
    return (st.moved[0] == source and st.origin[0] == target) or (
        st.moved[1] == source and st.origin[1] == target
    )


cdef bint is_return(const Ctx *ctx, const State *st, int source, int target) noexcept nogil:
    return returns(ctx, st, source, target)


cdef bint is_home(const Ctx *ctx, const State *st) noexcept nogil:
    """Whether the 3rd action must take a pioneer from the cell it started the turn on (TN-12, `turn_end`)."""
    # only a pioneer that has moved twice can be there, and then it is the only one that moved
    return ctx.returning == TURN_END and st.step == 2 and st.moved[0] == st.origin[0] != NOWHERE


cdef bint has_move(const Ctx *ctx, const State *st) noexcept nogil:
    # whether the seat to move has a legal move
    cdef const uint64_t *line = lines(ctx, st)
    cdef const uint16_t *own = list_of(ctx, st, st.seat)
    cdef const Cell *at
    cdef bint home = is_home(ctx, st)
    cdef int j, d, length
    for j in range(st.count[st.seat]):
        if home and own[j] != st.moved[0]:
            continue
        at = &ctx.cell[own[j]]
        for d in range(6):
            length = ray(at, line, d)
            # of two cells or more, at most one is its origin
            if length > 1 or (length == 1 and not returns(ctx, st, own[j], at.near[d])):
                return True
    return False
