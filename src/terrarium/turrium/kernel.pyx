"""The rules of Terra Turrium as C structures and functions; `position.pyx` makes values of them."""

from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memcmp, memset

from terrarium.core.kernel cimport Kernel, Ops, next_random, random_below

from terrarium.turrium import notation

cdef enum:                   # how kinds of moves are tossed in random play
    STEP_WEIGHT = 4
    CAPTURE_WEIGHT = 1
    ENTRY_WEIGHT = 2
    END_WEIGHT = 1

cdef enum:
    COMPARED = 328           # bytes of a State that make it equal to another; checked on import

cdef inline void note(Trace *trace, int kind, int a, int b) noexcept nogil:
    if trace != NULL and trace.length < 64:
        trace.kinds[trace.length] = kind
        trace.firsts[trace.length] = a
        trace.seconds[trace.length] = b
        trace.length += 1


# Constants of the 10x10 cells.
cdef Cells COLUMN[10]
cdef Cells NOT_A
cdef Cells NOT_J
cdef uint64_t CUBE_KEY[100]
cdef uint64_t FLAG_KEY[4][100]

cdef uint64_t scramble(uint64_t x) noexcept nogil:
    x = (x ^ (x >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t>0x94D049BB133111EB
    return x ^ (x >> 31)

cdef void fill_constants() noexcept:
    cdef int i, seat
    cdef uint64_t x = 0
    for i in range(10):
        COLUMN[i] = 0
    for i in range(100):
        COLUMN[i % 10] |= bit(i)
        x += <uint64_t>0x9E3779B97F4A7C15
        CUBE_KEY[i] = scramble(x) | 1
        for seat in range(4):
            x += <uint64_t>0x9E3779B97F4A7C15
            FLAG_KEY[seat][i] = scramble(x)
    global NOT_A, NOT_J
    NOT_A = ~COLUMN[0]
    NOT_J = ~COLUMN[9]

cdef size_t compared_bytes() noexcept:
    cdef State st
    return <char *>&st.board_key - <char *>&st

fill_constants()
assert compared_bytes() == COMPARED


# The board: constructions, towers, edges that can be climbed, exterior constructions.

cdef inline bint can_climb(int a, int b) noexcept nogil:
    """Whether a flag can step between two heights (TT-10)."""
    return a > 0 and b > 0 and <unsigned int>(a - b + 1) <= 2

cdef inline void put_bit(Cells *cells, int i, bint on) noexcept nogil:
    cells[0] = (cells[0] & ~bit(i)) | (<Cells>on << i)

cdef inline void refresh_climbs(State *st, int i) noexcept nogil:
    cdef const uint16_t *h = &st.heights[CELL + i]
    put_bit(&st.climb_v, i, can_climb(h[0], (h - 10)[0]))
    put_bit(&st.climb_v, i + 10, can_climb(h[0], h[10]))
    put_bit(&st.climb_h, i, can_climb(h[0], (h - 1)[0]))
    put_bit(&st.climb_h, i + 1, can_climb(h[0], h[1]))
    st.climb_h &= NOT_A

cdef inline Cells around(Cells cells) noexcept nogil:
    return (cells << 10) | (cells >> 10) | ((cells << 1) & NOT_A) | ((cells >> 1) & NOT_J)

cdef Cells path_exterior(const Ctx *ctx, const State *st) noexcept nogil:
    """Constructions from which a path over empty cells leads to the edge (TT-7, option `path`)."""
    cdef Cells empty = ctx.used & ~st.built
    cdef Cells reached = empty & ctx.edge
    cdef Cells grown = reached
    cdef Cells beside
    while True:
        beside = around(grown)
        grown = reached | (beside & empty)
        if grown == reached:
            return st.built & (beside | ctx.edge)
        reached = grown

cdef void refresh_exterior(const Ctx *ctx, State *st, int i) noexcept nogil:
    """A construction came or went: only its row and its column look different from the edge."""
    if ctx.is_path:
        st.open_rows = path_exterior(ctx, st)
        st.open_columns = 0
        return
    cdef int column = i % 10
    cdef int shift = i - column
    cdef unsigned int row = <unsigned int>(st.built >> shift) & 1023
    cdef Cells line = st.built & COLUMN[column]
    st.open_rows &= ~(<Cells>1023 << shift)
    if row:
        row = (row & -row) | (<unsigned int>1 << last(row))
        st.open_rows |= <Cells>row << shift
    st.open_columns &= ~COLUMN[column]
    if line:
        st.open_columns |= bit(first(line)) | bit(last(line))

cdef inline int level(int height) noexcept nogil:
    return height if height < 7 else 7

cdef inline void add_cube(const Ctx *ctx, State *st, int i) noexcept nogil:
    cdef int height = st.heights[CELL + i]
    st.levels[level(height)] &= ~bit(i)
    st.levels[level(height + 1)] |= bit(i)
    st.heights[CELL + i] = <uint16_t>(height + 1)
    st.board_key += CUBE_KEY[i]
    if height == 0:
        st.built |= bit(i)
        refresh_exterior(ctx, st, i)
    refresh_climbs(st, i)

cdef inline void remove_cube(const Ctx *ctx, State *st, int i) noexcept nogil:
    cdef int height = st.heights[CELL + i]
    st.levels[level(height)] &= ~bit(i)
    st.levels[level(height - 1)] |= bit(i)
    st.heights[CELL + i] = <uint16_t>(height - 1)
    st.board_key -= CUBE_KEY[i]
    if height == 1:
        st.built &= ~bit(i)
        refresh_exterior(ctx, st, i)
    refresh_climbs(st, i)

cdef inline void add_flag(State *st, int seat, int i) noexcept nogil:
    st.flags[seat] |= bit(i)
    st.towers |= bit(i)
    st.board_key += FLAG_KEY[seat][i]

cdef inline void remove_flag(State *st, int seat, int i) noexcept nogil:
    st.flags[seat] &= ~bit(i)
    st.towers &= ~bit(i)
    st.board_key -= FLAG_KEY[seat][i]

cdef void refresh(const Ctx *ctx, State *st) noexcept nogil:
    """Everything that follows from heights and flags, from nothing."""
    cdef int i, seat
    st.built = st.towers = st.climb_v = st.climb_h = st.open_rows = st.open_columns = 0
    st.board_key = 0
    memset(st.levels, 0, sizeof(st.levels))
    for i in range(100):
        st.levels[level(st.heights[CELL + i])] |= bit(i)
        if st.heights[CELL + i]:
            st.built |= bit(i)
            st.board_key += CUBE_KEY[i] * st.heights[CELL + i]
        for seat in range(4):
            if st.flags[seat] & bit(i):
                st.towers |= bit(i)
                st.board_key += FLAG_KEY[seat][i]
    for i in range(100):
        refresh_climbs(st, i)
        refresh_exterior(ctx, st, i)


# What can be done.

cdef Cells takable(const Ctx *ctx, const State *st) noexcept nogil:
    """Where the seat to move may take a cube, hand apart (TT-5, TT-6, TT-7)."""
    cdef Cells own = ctx.own[st.to_move]
    return st.built & ~st.towers & (own | (exterior_cells(st) & ~ctx.closed[st.taken_from]))

cdef inline Cells placeable(const Ctx *ctx, const State *st) noexcept nogil:
    """Where a cube may be placed (TT-8)."""
    return ctx.used & ~st.towers

cdef inline Cells settable(const Ctx *ctx, const State *st) noexcept nogil:
    """Where the seat to move may set a flag before the first turn (TT-3)."""
    return st.built & ~st.towers & ctx.own[st.to_move]

cdef Cells entries(const State *st) noexcept nogil:
    """Where the seat to move may re-enter a flag (TT-13)."""
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
    """The own flags that can make a step in a direction (TT-10)."""
    return reaching(st, st.flags[st.to_move], ~st.towers, direction)

cdef Cells capture_targets(const Ctx *ctx, const State *st) noexcept nogil:
    """The enemy flags that may be captured, reach and points apart (TT-11, TT-12, TT-17)."""
    cdef int seat = st.to_move
    cdef Cells enemies = st.towers & ~st.flags[seat]
    if ctx.is_burgenland:
        return enemies if st.unlocked and st.captures[seat] < MAX_CAPTURES else 0
    if st.attacks[seat] < MAX_ATTACKS or st.attacking:
        return enemies
    return enemies & ~ctx.attack_land[seat]

cdef int capture_cost(const State *st, int source, int target) noexcept nogil:
    """1 point, and 0, 1 or 2 more for a flag that stands lower, equal or higher (TT-11)."""
    return 2 + st.heights[CELL + target] - st.heights[CELL + source]

cdef Cells capture_sources(const State *st, Cells targets, int direction) noexcept nogil:
    """The own flags that can capture one of the targets in a direction with the points left (TT-11)."""
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

cdef bint has_key(const State *st, int seat) noexcept nogil:
    """Whether the six flags of a seat stand on 5, 4, 4, 3, 2, 1 (TT-17)."""
    cdef Cells flags = st.flags[seat]
    return (
        count(flags & st.levels[4]) == 2
        and flags & st.levels[5]
        and flags & st.levels[3]
        and flags & st.levels[2]
        and flags & st.levels[1]
    )

cdef bint shows_unlocking(const Ctx *ctx, const State *st) noexcept nogil:
    """Whether the flags of some seat stand on 5, 4, 4, 3, 2, 1 (TT-17)."""
    cdef int seat
    for seat in range(ctx.players):
        if has_key(st, seat):
            return True
    return False


# What follows.

cdef inline uint8_t later_seats(const Ctx *ctx, const State *st) noexcept nogil:
    """The seats still playing whose turn comes later in this round, as bits."""
    cdef int all_seats = (1 << ctx.players) - 1
    return <uint8_t>(all_seats & ~st.resigned & ~((2 << st.to_move) - 1))

cdef void end_game(State *st) noexcept nogil:
    st.phase = OVER
    st.to_move = 0
    st.cubes = st.taken_from = st.points = st.attacking = st.fresh = 0

cdef bint begin_turn(const Ctx *ctx, State *st, int seat, Trace *trace) noexcept nogil:
    """Give a seat its turn; whether it can do anything in it (TT-4, TT-16)."""
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
    """The next seat's turn, or the end of the game (TT-15, TT-18); whether somebody can do something or it is over."""
    cdef int later = later_seats(ctx, st)
    if not later:
        st.rounds += 1
        if st.declared or st.rounds >= ctx.max_rounds:
            end_game(st)
            return True
        later = ((1 << ctx.players) - 1) & ~st.resigned
    return begin_turn(ctx, st, first(later), trace)

cdef void pass_turns(const Ctx *ctx, State *st, Trace *trace) noexcept nogil:
    """End the turns of seats that can do nothing until one can, or nobody ever will (TT-16)."""
    cdef int idle = 0
    while True:
        if idle == ctx.players and not st.declared:
            # nothing will change any more: the rounds up to the limit are empty
            st.rounds = <uint16_t>ctx.max_rounds
            end_game(st)
            return
        idle += 1
        if close_turn(ctx, st, PASSED, trace):
            return

cdef bint close_turn(const Ctx *ctx, State *st, int how, Trace *trace) noexcept nogil:
    """The end of a turn and what it brings (TT-14, TT-15); whether somebody can do something or it is over."""
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
    """The next seat sets its six flags, or the first one still playing opens play (TT-3)."""
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
    """The seat plays no more; the last one left wins at once (TT-19)."""
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


# The table of functions.

cdef int legal(const void *opaque, const void *state, int *ids) noexcept nogil:
    cdef const Ctx *ctx = <const Ctx *>opaque
    cdef const State *st = <const State *>state
    cdef int n = 0
    cdef int i, d
    cdef Cells sources[4]
    cdef Cells cells, targets
    if st.phase == FLAGS:
        return listed(settable(ctx, st), 0, ids, 0)
    if st.phase == TAKE or st.phase == PLACE:
        if st.phase == TAKE:
            n = listed(takable(ctx, st), ID_TAKE, ids, 0)
        if st.cubes:
            n = listed(placeable(ctx, st), ID_CUBE, ids, n)
        return n
    if st.phase == MOVE:
        n = listed(entries(st), 0, ids, 0)
        cells = 0
        for d in range(4):
            sources[d] = step_sources(st, d)
            cells |= sources[d]
        n = listed_ways(cells, sources, ID_STEP, ids, n)
        targets = capture_targets(ctx, st)
        if targets:
            cells = 0
            for d in range(4):
                sources[d] = capture_sources(st, targets, d)
                cells |= sources[d]
            n = listed_ways(cells, sources, ID_CAPTURE, ids, n)
        ids[n] = ID_END
        return n + 1
    return 0

cdef int listed(Cells cells, int block, int *ids, int n) noexcept nogil:
    while cells:
        ids[n] = block + first(cells)
        n += 1
        cells &= cells - 1
    return n

cdef int listed_ways(Cells cells, const Cells *sources, int block, int *ids, int n) noexcept nogil:
    cdef int i, d
    while cells:
        i = first(cells)
        cells &= cells - 1
        for d in range(4):
            if sources[d] & bit(i):
                ids[n] = block + 4 * i + d
                n += 1
    return n

cdef bint is_legal(const void *opaque, const void *state, int id) noexcept nogil:
    cdef const Ctx *ctx = <const Ctx *>opaque
    cdef const State *st = <const State *>state
    cdef Cells found = 0
    if id < 0 or id > ID_END:
        return False
    if id < ID_TAKE:
        if st.phase == FLAGS:
            found = settable(ctx, st)
        elif st.phase == MOVE:
            found = entries(st)
        return (found & bit(id)) != 0
    if id < ID_CUBE:
        return st.phase == TAKE and (takable(ctx, st) & bit(id - ID_TAKE)) != 0
    if id < ID_STEP:
        if (st.phase == TAKE or st.phase == PLACE) and st.cubes:
            found = placeable(ctx, st)
        return (found & bit(id - ID_CUBE)) != 0
    if st.phase != MOVE:
        return False
    if id < ID_CAPTURE:
        return (step_sources(st, id & 3) & bit((id - ID_STEP) >> 2)) != 0
    if id < ID_END:
        found = capture_sources(st, capture_targets(ctx, st), id & 3)
        return (found & bit((id - ID_CAPTURE) >> 2)) != 0
    return True

cdef void apply(const void *opaque, void *state, int id) noexcept nogil:
    apply_traced(<const Ctx *>opaque, <State *>state, id, NULL)

cdef void resign(const void *opaque, void *state, int seat) noexcept nogil:
    resign_traced(<const Ctx *>opaque, <State *>state, seat, NULL)

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

# Random play tosses the kind of action first, then a cell; three times out of four it prefers what leads towards 1 to
# 6, for without that hardly a game in a hundred would be won.

cdef inline bint is_eager(uint64_t *rng) noexcept nogil:
    return next_random(rng) >> 62 != 0

cdef Cells building_sites(const Ctx *ctx, const State *st) noexcept nogil:
    """Where a cube helps the seat to move most: next to its highest flag that could climb to a height it misses."""
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
    """The steps of flags that share their height, or stand above 6, to a height that no own flag has."""
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

cdef int to_move(const void *opaque, const void *state) noexcept nogil:
    cdef const State *st = <const State *>state
    return -1 if st.phase == OVER else st.to_move

cdef bint at_turn_start(const void *opaque, const void *state) noexcept nogil:
    cdef const State *st = <const State *>state
    if st.phase == FLAGS:
        return st.flags[st.to_move] == 0
    return (st.phase == TAKE and st.cubes == 0) or (st.phase == MOVE and st.fresh)

cdef bint is_over(const void *opaque, const void *state) noexcept nogil:
    return (<const State *>state).phase == OVER

cdef int winners_of(const Ctx *ctx, const State *st) noexcept nogil:
    """The seats that won a game that is over, as bits: a win declared stands, else the last one left (TT-15, TT-19)."""
    cdef int left = ((1 << ctx.players) - 1) & ~st.resigned
    if st.declared:
        return st.declared
    return left if left & (left - 1) == 0 else 0

cdef void shares(const void *opaque, const void *state, double *out) noexcept nogil:
    cdef const Ctx *ctx = <const Ctx *>opaque
    cdef int winners = winners_of(ctx, <const State *>state)
    cdef int seat
    if winners == 0:
        winners = (1 << ctx.players) - 1
    for seat in range(ctx.players):
        out[seat] = ((winners >> seat) & 1) / <double>count(winners)

cdef void points(const void *opaque, const void *state, int *out) noexcept nogil:
    cdef int seat
    for seat in range((<const Ctx *>opaque).players):
        out[seat] = 0

cdef bint equal(const void *opaque, const void *a, const void *b) noexcept nogil:
    return memcmp(a, b, COMPARED) == 0

cdef uint64_t key(const void *opaque, const void *state) noexcept nogil:
    cdef const State *st = <const State *>state
    cdef const uint64_t *words = <const uint64_t *>&st.captures[0]
    cdef uint64_t x = st.board_key
    x = scramble(x ^ words[0]) + words[1]
    x = scramble(x) ^ words[2]
    return scramble(x + <uint64_t>0x9E3779B97F4A7C15)


cdef class TurriumKernel(Kernel):
    """The fixed ctx of Terra Turrium with certain rules."""

    def __init__(self, rules):
        cdef Ctx *ctx = &self.ctx
        cdef int margin = (10 - rules.side) // 2
        cdef int i, seat, quarter, row, column, mask
        self.rules = rules
        memset(ctx, 0, sizeof(Ctx))
        ctx.players = rules.players
        ctx.is_burgenland = rules.variant == "burgenland"
        ctx.is_path = rules.line == "path"
        ctx.max_rounds = rules.max_rounds
        cdef bint is_total = rules.enemy_takes == "total"
        if rules.players == 2:
            owners = (0, 1, 1, 0) if rules.two_player_sides == "adjacent" else (0, 1, 0, 1)
        else:
            owners = (0, 1, 2, 3 if rules.players == 4 else -1)
        for i in range(100):
            row, column = i // 10, i % 10
            quarter = (0 if column < 5 else 3) if row < 5 else (1 if column < 5 else 2)
            ctx.mark[i] = <uint8_t>(1 if is_total else 1 << quarter)
            if not (margin <= row < 10 - margin and margin <= column < 10 - margin):
                continue
            ctx.used |= bit(i)
            ctx.lands[quarter] |= bit(i)
            if row in (margin, 9 - margin) or column in (margin, 9 - margin):
                ctx.edge |= bit(i)
        for quarter in range(4):
            if owners[quarter] >= 0:
                ctx.own[<int>owners[quarter]] |= ctx.lands[quarter]
        for seat in range(rules.players):
            ctx.attack_land[seat] = ctx.used & ~ctx.own[seat]
            if rules.players == 3 and not rules.vacant_attack:
                ctx.attack_land[seat] &= ~ctx.lands[3]
        for mask in range(16):
            for quarter in range(4):
                if mask and is_total or mask >> quarter & 1:
                    ctx.closed[mask] |= ctx.lands[quarter]
        self.ops = Ops(
            ctx=ctx,
            state_size=sizeof(State),
            seats=rules.players,
            num_actions=NUM_IDS,
            max_legal=256,
            legal=legal,
            is_legal=is_legal,
            apply=apply,
            random_action=random_action,
            playout=NULL,
            resign=resign,
            to_move=to_move,
            at_turn_start=at_turn_start,
            is_over=is_over,
            shares=shares,
            points=points,
            equal=equal,
            key=key,
        )

    def make_action(self, int id):
        return notation.make_action(id)

    def notation(self, text):
        return notation.parse_action(text)

    def action_id(self, action):
        return notation.action_id(action)
