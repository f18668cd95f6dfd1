# Part of kernel.pyx: what follows an action, turns, rounds and the end of the game (TT-3, TT-4, TT-14 to TT-19).


cdef inline uint8_t later_seats(const Ctx *ctx, const State *st) noexcept nogil:
    """The seats still playing whose turn comes later in this round, as bits."""
    cdef int all_seats = (1 << ctx.players) - 1
    return <uint8_t>(all_seats & ~st.resigned & ~((2 << st.to_move) - 1))

cdef void end_game(State *st) noexcept nogil:
    st.phase = OVER
    st.to_move = 0
    st.cubes = st.taken_from = st.points = st.attacking = st.fresh = 0

cdef bint begin_turn(const Ctx *ctx, State *st, int seat, Trace *trace) noexcept nogil:
    """Give a seat its turn; returns whether it has a legal action (TT-4, TT-16)."""
    st.to_move = <uint8_t>seat
    st.phase = TAKE
    st.cubes = st.taken_from = st.points = st.attacking = st.fresh = 0
    if takable(ctx, st):
        return True
    st.phase = MOVE
    st.points = POINTS
    if not can_move(ctx, st):
        return False
    st.fresh = 1
    note(trace, SKIPPED, seat, TAKE)
    note(trace, SKIPPED, seat, PLACE)
    return True

cdef bint next_turn(const Ctx *ctx, State *st, Trace *trace) noexcept nogil:
    """Begin the next seat's turn, or end the game (TT-15, TT-18); returns false if the next seat has no legal action."""
    cdef int later = later_seats(ctx, st)
    if not later:
        st.rounds += 1
        if st.declared or st.rounds >= ctx.max_rounds:
            end_game(st)
            return True
        later = ((1 << ctx.players) - 1) & ~st.resigned
    return begin_turn(ctx, st, first(later), trace)

cdef void pass_turns(const Ctx *ctx, State *st, Trace *trace) noexcept nogil:
    """Pass for seats without a legal action until one has an action, or until it is certain that none ever will (TT-16)."""
    cdef int idle = 0
    while True:
        if idle == ctx.players and not st.declared:
            # no seat can act, so nothing will change: skip the rounds up to the limit
            st.rounds = <uint16_t>ctx.max_rounds
            end_game(st)
            return
        idle += 1
        if close_turn(ctx, st, PASSED, trace):
            return

cdef bint close_turn(const Ctx *ctx, State *st, int how, Trace *trace) noexcept nogil:
    """End a turn and declare a win if there is one (TT-14, TT-15); returns false if the next seat has no legal action."""
    cdef int seat = st.to_move
    cdef int later
    cdef bint is_first_win = False
    if has_towers(st, seat):
        is_first_win = st.declared == 0
        st.declared |= <uint8_t>(1 << seat)
        note(trace, COMPLETED, seat, 0)
    note(trace, how, seat, 0)
    if is_first_win and trace != NULL:
        later = later_seats(ctx, st)
        if later:
            note(trace, LAST_ROUND, later, 0)
    return next_turn(ctx, st, trace)

cdef inline void end_turn(const Ctx *ctx, State *st, Trace *trace) noexcept nogil:
    if not close_turn(ctx, st, TURN_ENDED, trace):
        pass_turns(ctx, st, trace)

cdef void begin_play(const Ctx *ctx, State *st, int seat, Trace *trace) noexcept nogil:
    if not begin_turn(ctx, st, seat, trace):
        pass_turns(ctx, st, trace)

cdef void next_to_set(const Ctx *ctx, State *st, Trace *trace) noexcept nogil:
    """Give the turn to the next seat that sets its flags; if there is none, begin play (TT-3)."""
    cdef int later = later_seats(ctx, st)
    if later:
        st.to_move = <uint8_t>first(later)
    else:
        begin_play(ctx, st, first(((1 << ctx.players) - 1) & ~st.resigned), trace)

cdef inline void unlock(const Ctx *ctx, State *st, Trace *trace) noexcept nogil:
    if ctx.is_burgenland and not st.unlocked and has_key(st, st.to_move):
        st.unlocked = 1
        note(trace, UNLOCKED, st.to_move, 0)

cdef inline void after_move(const Ctx *ctx, State *st, int cost, Trace *trace) noexcept nogil:
    st.points -= <uint8_t>cost
    st.fresh = 0
    unlock(ctx, st, trace)
    if not can_move(ctx, st):
        end_turn(ctx, st, trace)

cdef void apply_traced(const Ctx *ctx, State *st, int id, Trace *trace) noexcept nogil:
    cdef int seat = st.to_move
    cdef int source, target, victim, cost
    if id < ID_TAKE:
        add_flag(st, seat, id)
        if st.phase == FLAGS:
            unlock(ctx, st, trace)
            if count(st.flags[seat]) == 6:
                note(trace, TURN_ENDED, seat, 0)
                next_to_set(ctx, st, trace)
        else:
            after_move(ctx, st, 1, trace)
    elif id < ID_CUBE:
        target = id - ID_TAKE
        remove_cube(ctx, st, target)
        st.cubes += 1
        if not ctx.own[seat] & bit(target):
            st.taken_from |= ctx.mark[target]
        if st.cubes == MAX_TAKES or not takable(ctx, st):
            st.phase = PLACE
            st.taken_from = 0
    elif id < ID_STEP:
        add_cube(ctx, st, id - ID_CUBE)
        st.phase = PLACE
        st.taken_from = 0
        st.cubes -= 1
        if st.cubes == 0:
            st.phase = MOVE
            st.points = POINTS
            if not can_move(ctx, st):
                note(trace, SKIPPED, seat, MOVE)
                end_turn(ctx, st, trace)
    elif id < ID_CAPTURE:
        source = (id - ID_STEP) >> 2
        remove_flag(st, seat, source)
        add_flag(st, seat, toward(source, id & 3))
        after_move(ctx, st, 1, trace)
    elif id < ID_END:
        source = (id - ID_CAPTURE) >> 2
        target = toward(source, id & 3)
        cost = capture_cost(st, source, target)
        victim = 0
        while not st.flags[victim] & bit(target):
            victim += 1
        remove_flag(st, victim, target)
        remove_flag(st, seat, source)
        add_flag(st, seat, target)
        st.captures[seat] += 1
        if not st.attacking and ctx.attack_land[seat] & bit(target):
            st.attacking = 1
            st.attacks[seat] += 1
        after_move(ctx, st, cost, trace)
    else:
        end_turn(ctx, st, trace)

cdef void resign_traced(const Ctx *ctx, State *st, int seat, Trace *trace) noexcept nogil:
    """Resign for a seat; if only one seat is left, it wins at once (TT-19)."""
    cdef int left
    st.resigned |= <uint8_t>(1 << seat)
    left = ((1 << ctx.players) - 1) & ~st.resigned
    if left & (left - 1) == 0:
        end_game(st)
    elif seat == st.to_move:
        note(trace, TURN_ENDED, seat, 0)
        if st.phase == FLAGS:
            next_to_set(ctx, st, trace)
        elif not next_turn(ctx, st, trace):
            pass_turns(ctx, st, trace)
