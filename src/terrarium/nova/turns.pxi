# Part of kernel.pyx: stones, turns and the end of the game (TN-5 to TN-9, TN-13, TN-21 to TN-28).


cdef bint frees_home(const Ctx *ctx, const State *st, int cell) noexcept nogil:
    """Whether a stone would score the region of the pioneer that is back where it started; the pioneer then leaves the board (TN-12)."""
    cdef uint64_t sites[MAX_WORDS]
    cdef uint64_t open[MAX_WORDS]
    cdef int site = ctx.cell[cell].site
    memcpy(open, open_sites(ctx, st), ctx.words * sizeof(uint64_t))
    open[site >> 6] &= ~(<uint64_t>1 << (site & 63))
    memset(sites, 0, (ctx.words + 2) * sizeof(uint64_t))
    site = ctx.cell[st.moved[0]].site
    sites[1 + (site >> 6)] = <uint64_t>1 << (site & 63)
    return popcount(flood(ctx, open, sites, False)) < 4


cdef int stone_cells(const Ctx *ctx, const State *st, uint16_t *found) noexcept nogil:
    """The cells where the seat to move may place a stone, in ascending order, at most twelve (TN-7, TN-13, TN-21)."""
    cdef const uint8_t *what = holds(st)
    cdef const uint16_t *near
    cdef bint home
    cdef int i, j, d, cell, count = 0
    if st.supply == 0 or st.step == 0:
        return 0
    home = is_home(ctx, st)
    for i in range(2):
        if st.moved[i] == NOWHERE:
            break
        near = ctx.cell[st.moved[i]].near
        for d in range(6):
            cell = near[d]
            if what[cell] != EMPTY or (home and not frees_home(ctx, st, cell)):
                continue
            j = count
            while j > 0 and found[j - 1] > cell:
                j -= 1
            if j > 0 and found[j - 1] == cell:
                continue
            insert(found, count, j, cell)
            count += 1
    return count


cdef inline void insert(uint16_t *cells, int count, int place, int cell) noexcept nogil:
    while count > place:
        cells[count] = cells[count - 1]
        count -= 1
    cells[place] = cell


cdef bint has_action(const Ctx *ctx, const State *st) noexcept nogil:
    """Whether the turn can continue with a 2nd or 3rd action (TN-6)."""
    cdef uint16_t found[12]
    cdef int i
    if st.supply != 0 and not is_home(ctx, st):
        for i in range(2):
            if st.moved[i] != NOWHERE and empty_ring(ctx, st, st.moved[i]) != 0:
                return True
        return has_move(ctx, st)
    return has_move(ctx, st) or stone_cells(ctx, st, found) > 0


cdef inline void forget_turn(State *st) noexcept nogil:
    st.step = 0
    st.moved[0] = st.moved[1] = NOWHERE
    st.origin[0] = st.origin[1] = NOWHERE


cdef void end_game(State *st, int reason) noexcept nogil:
    forget_turn(st)
    st.phase = OVER
    st.reason = reason
    st.seat = 0
    st.stall = 0


cdef void settle(const Ctx *ctx, State *st, int first, bint after_turn, Trace *trace) noexcept nogil:
    """Test the reasons for an end in their order, then give the turn to the first seat from `first` on that can move.

    Before the first turn only `divided` and `blocked` are possible (TN-23); the others are tested after a turn.
    """
    cdef int seat, i, able = 0, count = 0
    forget_turn(st)
    if st.in_play == 0:                                             # TN-22
        end_game(st, DIVIDED)
        return
    for seat in range(ctx.players):
        if is_able(ctx, st, seat):
            able |= 1 << seat
            count += 1
    if count < 2:                                                   # TN-23
        end_game(st, BLOCKED)
        return
    if after_turn:
        if ctx.depletion:                                           # TN-24
            for seat in range(ctx.players):
                if st.count[seat] == 0 and not (st.resigned >> seat & 1):
                    end_game(st, DEPLETED)
                    return
        if st.supply == 0:                                          # TN-26
            end_game(st, STONES)
            return
        if ctx.stall_limit != 0 and st.stall >= ctx.stall_limit:    # TN-27
            end_game(st, STALLED)
            return
    for i in range(ctx.players):                                    # TN-9
        seat = first + i
        if seat >= ctx.players:
            seat -= ctx.players
        if able >> seat & 1:
            st.seat = seat
            return
        if trace != NULL and not (st.resigned >> seat & 1):
            trace.passed[trace.passes] = seat
            trace.passes += 1


cdef void next_placement(const Ctx *ctx, State *st, Trace *trace) noexcept nogil:
    """Give the turn to the next seat with pioneers in hand; if there is none, begin play (TN-5)."""
    cdef int i, seat = st.seat
    for i in range(ctx.players):
        seat += 1
        if seat == ctx.players:
            seat = 0
        if st.hand[seat] != 0 and not (st.resigned >> seat & 1):
            st.seat = seat
            return
    st.phase = PLAY
    settle(ctx, st, 0, False, trace)


cdef inline void after_action(const Ctx *ctx, State *st, bint continues, Trace *trace) noexcept nogil:
    """End the turn unless it continues: it is complete, or the rest is impossible (TN-6)."""
    if continues:
        return
    if trace != NULL:
        trace.forfeited = 3 - st.step
        trace.turn_ended = True
    if ctx.stall_limit != 0:
        st.stall += 1                                               # TN-27
    settle(ctx, st, st.seat + 1, True, trace)


cdef inline void note_move(const Ctx *ctx, State *st, int source, int target) noexcept nogil:
    """Record the pioneers moved this turn, as far as TN-12 and TN-13 still need them."""
    if st.step == 0:
        st.moved[0] = target
        st.origin[0] = source
    elif st.step == 1:
        if st.moved[0] == source:
            st.moved[0] = target
            return
        if ctx.returning == THREE_MOVES:
            # two pioneers have moved, so none can make all three moves
            st.origin[0] = NOWHERE
            source = NOWHERE
        if st.moved[0] < target:
            st.moved[1] = target
            st.origin[1] = source
        else:
            st.moved[1] = st.moved[0]
            st.origin[1] = st.origin[0]
            st.moved[0] = target
            st.origin[0] = source


cdef inline void note_stone(const Ctx *ctx, State *st) noexcept nogil:
    # after a 2nd action that is a stone, one pioneer counts as moved, unless it has just left the game (TN-13)
    if st.step == 1:
        if holds(st)[st.moved[0]] == DEAD:
            st.moved[0] = NOWHERE
            st.origin[0] = NOWHERE
        elif ctx.returning == THREE_MOVES:
            st.origin[0] = NOWHERE


cdef inline void put_pioneer(const Ctx *ctx, State *st, int cell, int seat) noexcept nogil:
    list_of(ctx, st, seat)[st.count[seat]] = cell
    slots(ctx, st)[cell] = st.count[seat]
    st.count[seat] += 1
    holds(st)[cell] = seat + 1
    block(ctx, st, cell)


cdef inline void play_placement(const Ctx *ctx, State *st, int cell, Trace *trace) noexcept nogil:
    put_pioneer(ctx, st, cell, st.seat)
    st.hand[st.seat] -= 1
    if trace != NULL:
        trace.turn_ended = True
    next_placement(ctx, st, trace)


cdef inline void play_move(const Ctx *ctx, State *st, int source, int target, Trace *trace) noexcept nogil:
    cdef int slot = slots(ctx, st)[source]
    cdef bint continues
    list_of(ctx, st, st.seat)[slot] = target
    slots(ctx, st)[target] = slot
    holds(st)[source] = EMPTY
    holds(st)[target] = st.seat + 1
    unblock(ctx, st, source)
    block(ctx, st, target)
    note_move(ctx, st, source, target)
    st.step += 1
    # the cell before the target is empty after a move, so while stones are left one can be placed
    continues = st.step < 3 and ((st.supply != 0 and not is_home(ctx, st)) or has_action(ctx, st))
    after_action(ctx, st, continues, trace)


cdef inline void play_stone(const Ctx *ctx, State *st, int cell, Trace *trace) noexcept nogil:
    cdef int site = ctx.cell[cell].site
    holds(st)[cell] = STONE
    block(ctx, st, cell)
    open_sites(ctx, st)[site >> 6] &= ~(<uint64_t>1 << (site & 63))
    st.supply -= 1
    st.in_play -= 1
    if ctx.stall_limit != 0:
        st.stall = -1
    score(ctx, st, cell, trace)
    note_stone(ctx, st)
    st.step += 1
    after_action(ctx, st, st.step < 3 and has_action(ctx, st), trace)


cdef void apply_traced(const Ctx *ctx, State *st, int id, Trace *trace) noexcept nogil:
    """Play a legal action and everything that follows automatically."""
    cdef Move move
    if id >= 2 * ctx.cells:
        move = ctx.move[id - 2 * ctx.cells]
        play_move(ctx, st, move.source, move.target, trace)
    elif id >= ctx.cells:
        play_stone(ctx, st, id - ctx.cells, trace)
    else:
        play_placement(ctx, st, id, trace)


cdef void resign_traced(const Ctx *ctx, State *st, int seat, Trace *trace) noexcept nogil:
    """A seat resigns: during its own turn the turn ends, during another seat's turn nothing else changes yet (TN-28)."""
    st.resigned |= 1 << seat
    if ctx.players - popcount(st.resigned) == 1:
        end_game(st, RESIGNED)
        return
    if seat != st.seat:
        return
    if trace != NULL:
        trace.turn_ended = True
    if st.phase == PLACE:
        next_placement(ctx, st, trace)
        return
    if st.stall < 0:
        st.stall = 0            # the stone resets the count, but the unfinished turn is not counted (TN-27)
    settle(ctx, st, seat + 1, True, trace)


cdef int winners(const Ctx *ctx, const State *st) noexcept nogil:
    """The seats that share the win, one bit each: those with most points that did not resign (TN-25, TN-28)."""
    cdef int seat, found = 0, best = -1
    for seat in range(ctx.players):
        if st.resigned >> seat & 1:
            continue
        if st.scores[seat] > best:
            best = st.scores[seat]
            found = 0
        if st.scores[seat] == best:
            found |= 1 << seat
    return found
