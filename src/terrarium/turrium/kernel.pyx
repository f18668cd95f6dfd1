"""The rules of Terra Turrium as C structures and functions, and the immutable `Position` around them."""

from collections.abc import Mapping
from functools import lru_cache

from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.stdlib cimport malloc
from libc.string cimport memcmp, memset

from terrarium.core.kernel cimport Kernel, KernelPosition, Ops, random_below

from terrarium.core.outcome import Outcome
from terrarium.errors import IllegalAction, InvalidPosition, InvalidRules
from terrarium.turrium import notation
from terrarium.turrium.notation import CELLS, INDEX, PHASES, TERRITORIES, Snapshot
from terrarium.turrium.rules import Rules
from terrarium.turrium.telling import Ladder, explain, tell, tell_resignation


cdef enum:
    WINNING = 0x1111110      # one flag each on 1 to 6 (TT-14)
    UNLOCKING = 0x0121110    # 5, 4, 4, 3, 2, 1 (TT-17)

cdef enum:
    MAX_CUBES = 9999         # in a composition; a box has 116 (TT-1)
    COMPARED = 328           # bytes of a State that make it equal to another; checked on import

# What follows an action by itself, written down only when somebody asks for events.
cdef enum:
    SKIPPED = 0              # seat, phase
    UNLOCKED = 1             # seat
    COMPLETED = 2            # seat
    LAST_ROUND = 3           # seats as bits
    TURN_ENDED = 4           # seat
    PASSED = 5               # seat

ctypedef struct Trace:
    int length
    int kinds[64]
    int firsts[64]
    int seconds[64]

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

cdef Cells path_exterior(const Facts *facts, const State *st) noexcept nogil:
    """Constructions from which a path over empty cells leads to the edge (TT-7, option `path`)."""
    cdef Cells empty = facts.used & ~st.built
    cdef Cells reached = empty & facts.edge
    cdef Cells grown = reached
    cdef Cells around
    while True:
        around = (grown << 10) | (grown >> 10) | ((grown << 1) & NOT_A) | ((grown >> 1) & NOT_J)
        grown = reached | (around & empty)
        if grown == reached:
            return st.built & (around | facts.edge)
        reached = grown

cdef void refresh_exterior(const Facts *facts, State *st, int i) noexcept nogil:
    """A construction came or went: only its row and its column look different from the edge."""
    if facts.is_path:
        st.open_rows = path_exterior(facts, st)
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

cdef inline void add_cube(const Facts *facts, State *st, int i) noexcept nogil:
    st.heights[CELL + i] += 1
    st.board_key += CUBE_KEY[i]
    if st.heights[CELL + i] == 1:
        st.built |= bit(i)
        refresh_exterior(facts, st, i)
    refresh_climbs(st, i)

cdef inline void remove_cube(const Facts *facts, State *st, int i) noexcept nogil:
    st.heights[CELL + i] -= 1
    st.board_key -= CUBE_KEY[i]
    if st.heights[CELL + i] == 0:
        st.built &= ~bit(i)
        refresh_exterior(facts, st, i)
    refresh_climbs(st, i)

cdef inline void add_flag(State *st, int seat, int i) noexcept nogil:
    st.flags[seat] |= bit(i)
    st.towers |= bit(i)
    st.board_key += FLAG_KEY[seat][i]

cdef inline void remove_flag(State *st, int seat, int i) noexcept nogil:
    st.flags[seat] &= ~bit(i)
    st.towers &= ~bit(i)
    st.board_key -= FLAG_KEY[seat][i]

cdef void refresh(const Facts *facts, State *st) noexcept nogil:
    """Everything that follows from heights and flags, from nothing."""
    cdef int i, seat
    st.built = st.towers = st.climb_v = st.climb_h = st.open_rows = st.open_columns = 0
    st.board_key = 0
    for i in range(100):
        if st.heights[CELL + i]:
            st.built |= bit(i)
            st.board_key += CUBE_KEY[i] * st.heights[CELL + i]
        for seat in range(4):
            if st.flags[seat] & bit(i):
                st.towers |= bit(i)
                st.board_key += FLAG_KEY[seat][i]
    for i in range(100):
        refresh_climbs(st, i)
        refresh_exterior(facts, st, i)


# What can be done.

cdef Cells takable(const Facts *facts, const State *st) noexcept nogil:
    """Where the seat to move may take a cube, hand apart (TT-5, TT-6, TT-7)."""
    cdef Cells own = facts.own[st.to_move]
    return st.built & ~st.towers & (own | (exterior_cells(st) & ~facts.closed[st.taken_from]))

cdef inline Cells placeable(const Facts *facts, const State *st) noexcept nogil:
    """Where a cube may be placed (TT-8)."""
    return facts.used & ~st.towers

cdef inline Cells settable(const Facts *facts, const State *st) noexcept nogil:
    """Where the seat to move may set a flag before the first turn (TT-3)."""
    return st.built & ~st.towers & facts.own[st.to_move]

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

cdef Cells capture_targets(const Facts *facts, const State *st) noexcept nogil:
    """The enemy flags that may be captured, reach and points apart (TT-11, TT-12, TT-17)."""
    cdef int seat = st.to_move
    cdef Cells enemies = st.towers & ~st.flags[seat]
    if facts.is_burgenland:
        return enemies if st.unlocked and st.captures[seat] < MAX_CAPTURES else 0
    if st.attacks[seat] < MAX_ATTACKS or st.attacking:
        return enemies
    return enemies & ~facts.attack_land[seat]

cdef inline int capture_cost(const State *st, int source, int target) noexcept nogil:
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

cdef bint can_move(const Facts *facts, const State *st) noexcept nogil:
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
    targets = capture_targets(facts, st)
    if targets:
        for d in range(4):
            if capture_sources(st, targets, d):
                return True
    return False

cdef uint64_t ladder_of(const State *st, int seat) noexcept nogil:
    cdef Cells rest = st.flags[seat]
    cdef uint64_t found = 0
    cdef int height
    while rest:
        height = st.heights[CELL + first(rest)]
        rest &= rest - 1
        found += <uint64_t>1 << (4 * (height if height < 7 else 7))
    return found


# What follows.

cdef inline uint8_t later_seats(const Facts *facts, const State *st) noexcept nogil:
    """The seats still playing whose turn comes later in this round, as bits."""
    cdef int all_seats = (1 << facts.players) - 1
    return <uint8_t>(all_seats & ~st.resigned & ~((2 << st.to_move) - 1))

cdef void end_game(State *st) noexcept nogil:
    st.phase = OVER
    st.to_move = 0
    st.cubes = st.taken_from = st.points = st.attacking = st.fresh = 0

cdef bint begin_turn(const Facts *facts, State *st, int seat, Trace *trace) noexcept nogil:
    """Give a seat its turn; whether it can do anything in it (TT-4, TT-16)."""
    st.to_move = <uint8_t>seat
    st.phase = TAKE
    st.cubes = st.taken_from = st.points = st.attacking = st.fresh = 0
    if takable(facts, st):
        return True
    st.phase = MOVE
    st.points = POINTS
    if not can_move(facts, st):
        return False
    st.fresh = 1
    note(trace, SKIPPED, seat, TAKE)
    note(trace, SKIPPED, seat, PLACE)
    return True

cdef bint next_turn(const Facts *facts, State *st, Trace *trace) noexcept nogil:
    """The next seat's turn, or the end of the game (TT-15, TT-18); whether somebody can do something or it is over."""
    cdef int later = later_seats(facts, st)
    if not later:
        st.rounds += 1
        if st.declared or st.rounds >= facts.max_rounds:
            end_game(st)
            return True
        later = ((1 << facts.players) - 1) & ~st.resigned
    return begin_turn(facts, st, first(later), trace)

cdef void pass_turns(const Facts *facts, State *st, Trace *trace) noexcept nogil:
    """End the turns of seats that can do nothing until one can, or nobody ever will (TT-16)."""
    cdef int idle = 0
    while True:
        if idle == facts.players and not st.declared:
            # nothing will change any more: the rounds up to the limit are empty
            st.rounds = <uint16_t>facts.max_rounds
            end_game(st)
            return
        idle += 1
        if close_turn(facts, st, PASSED, trace):
            return

cdef bint close_turn(const Facts *facts, State *st, int how, Trace *trace) noexcept nogil:
    """The end of a turn and what it brings (TT-14, TT-15); whether somebody can do something or it is over."""
    cdef int seat = st.to_move
    cdef int later
    cdef bint is_first_win = False
    if ladder_of(st, seat) == WINNING:
        is_first_win = st.declared == 0
        st.declared |= <uint8_t>(1 << seat)
        note(trace, COMPLETED, seat, 0)
    note(trace, how, seat, 0)
    if is_first_win and trace != NULL:
        later = later_seats(facts, st)
        if later:
            note(trace, LAST_ROUND, later, 0)
    return next_turn(facts, st, trace)

cdef inline void end_turn(const Facts *facts, State *st, Trace *trace) noexcept nogil:
    if not close_turn(facts, st, TURN_ENDED, trace):
        pass_turns(facts, st, trace)

cdef void begin_play(const Facts *facts, State *st, int seat, Trace *trace) noexcept nogil:
    if not begin_turn(facts, st, seat, trace):
        pass_turns(facts, st, trace)

cdef void next_to_set(const Facts *facts, State *st, Trace *trace) noexcept nogil:
    """The next seat sets its six flags, or the first one still playing opens play (TT-3)."""
    cdef int later = later_seats(facts, st)
    if later:
        st.to_move = <uint8_t>first(later)
    else:
        begin_play(facts, st, first(((1 << facts.players) - 1) & ~st.resigned), trace)

cdef inline void unlock(const Facts *facts, State *st, Trace *trace) noexcept nogil:
    if facts.is_burgenland and not st.unlocked and ladder_of(st, st.to_move) == UNLOCKING:
        st.unlocked = 1
        note(trace, UNLOCKED, st.to_move, 0)

cdef inline void after_move(const Facts *facts, State *st, int cost, Trace *trace) noexcept nogil:
    st.points -= <uint8_t>cost
    st.fresh = 0
    unlock(facts, st, trace)
    if not can_move(facts, st):
        end_turn(facts, st, trace)

cdef void apply_traced(const Facts *facts, State *st, int id, Trace *trace) noexcept nogil:
    cdef int seat = st.to_move
    cdef int source, target, victim, cost
    if id < ID_TAKE:
        add_flag(st, seat, id)
        if st.phase == FLAGS:
            unlock(facts, st, trace)
            if count(st.flags[seat]) == 6:
                note(trace, TURN_ENDED, seat, 0)
                next_to_set(facts, st, trace)
        else:
            after_move(facts, st, 1, trace)
    elif id < ID_CUBE:
        target = id - ID_TAKE
        remove_cube(facts, st, target)
        st.cubes += 1
        if not facts.own[seat] & bit(target):
            st.taken_from |= facts.mark[target]
        if st.cubes == MAX_TAKES or not takable(facts, st):
            st.phase = PLACE
            st.taken_from = 0
    elif id < ID_STEP:
        add_cube(facts, st, id - ID_CUBE)
        st.phase = PLACE
        st.taken_from = 0
        st.cubes -= 1
        if st.cubes == 0:
            st.phase = MOVE
            st.points = POINTS
            if not can_move(facts, st):
                note(trace, SKIPPED, seat, MOVE)
                end_turn(facts, st, trace)
    elif id < ID_CAPTURE:
        source = (id - ID_STEP) >> 2
        remove_flag(st, seat, source)
        add_flag(st, seat, toward(source, id & 3))
        after_move(facts, st, 1, trace)
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
        if not st.attacking and facts.attack_land[seat] & bit(target):
            st.attacking = 1
            st.attacks[seat] += 1
        after_move(facts, st, cost, trace)
    else:
        end_turn(facts, st, trace)

cdef void resign_traced(const Facts *facts, State *st, int seat, Trace *trace) noexcept nogil:
    """The seat plays no more; the last one left wins at once (TT-19)."""
    cdef int left
    st.resigned |= <uint8_t>(1 << seat)
    left = ((1 << facts.players) - 1) & ~st.resigned
    if left & (left - 1) == 0:
        end_game(st)
    elif seat == st.to_move:
        note(trace, TURN_ENDED, seat, 0)
        if st.phase == FLAGS:
            next_to_set(facts, st, trace)
        elif not next_turn(facts, st, trace):
            pass_turns(facts, st, trace)


# The table of functions.

cdef int legal(const void *ctx, const void *state, int *ids) noexcept nogil:
    cdef const Facts *facts = <const Facts *>ctx
    cdef const State *st = <const State *>state
    cdef int n = 0
    cdef int i, d
    cdef Cells sources[4]
    cdef Cells cells, targets
    if st.phase == FLAGS:
        return listed(settable(facts, st), 0, ids, 0)
    if st.phase == TAKE or st.phase == PLACE:
        if st.phase == TAKE:
            n = listed(takable(facts, st), ID_TAKE, ids, 0)
        if st.cubes:
            n = listed(placeable(facts, st), ID_CUBE, ids, n)
        return n
    if st.phase == MOVE:
        n = listed(entries(st), 0, ids, 0)
        cells = 0
        for d in range(4):
            sources[d] = step_sources(st, d)
            cells |= sources[d]
        n = listed_ways(cells, sources, ID_STEP, ids, n)
        targets = capture_targets(facts, st)
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

cdef bint is_legal(const void *ctx, const void *state, int id) noexcept nogil:
    cdef const Facts *facts = <const Facts *>ctx
    cdef const State *st = <const State *>state
    cdef Cells found = 0
    if id < 0 or id > ID_END:
        return False
    if id < ID_TAKE:
        if st.phase == FLAGS:
            found = settable(facts, st)
        elif st.phase == MOVE:
            found = entries(st)
        return (found & bit(id)) != 0
    if id < ID_CUBE:
        return st.phase == TAKE and (takable(facts, st) & bit(id - ID_TAKE)) != 0
    if id < ID_STEP:
        if (st.phase == TAKE or st.phase == PLACE) and st.cubes:
            found = placeable(facts, st)
        return (found & bit(id - ID_CUBE)) != 0
    if st.phase != MOVE:
        return False
    if id < ID_CAPTURE:
        return (step_sources(st, id & 3) & bit((id - ID_STEP) >> 2)) != 0
    if id < ID_END:
        found = capture_sources(st, capture_targets(facts, st), id & 3)
        return (found & bit((id - ID_CAPTURE) >> 2)) != 0
    return True

cdef void apply(const void *ctx, void *state, int id) noexcept nogil:
    apply_traced(<const Facts *>ctx, <State *>state, id, NULL)

cdef void resign(const void *ctx, void *state, int seat) noexcept nogil:
    resign_traced(<const Facts *>ctx, <State *>state, seat, NULL)

cdef inline int any_of(Cells cells, uint64_t *rng) noexcept nogil:
    return nth(cells, random_below(rng, count(cells)))

cdef int any_way(const Cells *sources, int total, int block, uint64_t *rng) noexcept nogil:
    cdef int n = random_below(rng, total)
    cdef int d = 0
    cdef int here = count(sources[0])
    while n >= here:
        n -= here
        d += 1
        here = count(sources[d])
    return block + 4 * nth(sources[d], n) + d

cdef int random_action(const void *ctx, const void *state, uint64_t *rng) noexcept nogil:
    cdef const Facts *facts = <const Facts *>ctx
    cdef const State *st = <const State *>state
    cdef Cells steps[4]
    cdef Cells captures[4]
    cdef Cells targets, entering
    cdef int kinds, d
    cdef int num_steps = 0
    cdef int num_captures = 0
    if st.phase == FLAGS:
        return any_of(settable(facts, st), rng)
    if st.phase == TAKE:
        if st.cubes == 0 or random_below(rng, 2):
            return ID_TAKE + any_of(takable(facts, st), rng)
        return ID_CUBE + any_of(placeable(facts, st), rng)
    if st.phase == PLACE:
        return ID_CUBE + any_of(placeable(facts, st), rng)
    if st.phase == OVER:
        return -1
    for d in range(4):
        steps[d] = step_sources(st, d)
        num_steps += count(steps[d])
    targets = capture_targets(facts, st)
    if targets:
        for d in range(4):
            captures[d] = capture_sources(st, targets, d)
            num_captures += count(captures[d])
    entering = entries(st)
    kinds = random_below(rng, 1 + (num_steps != 0) + (num_captures != 0) + (entering != 0))
    if num_steps:
        if kinds == 0:
            return any_way(steps, num_steps, ID_STEP, rng)
        kinds -= 1
    if num_captures:
        if kinds == 0:
            return any_way(captures, num_captures, ID_CAPTURE, rng)
        kinds -= 1
    if entering:
        if kinds == 0:
            return any_of(entering, rng)
    return ID_END

cdef int to_move(const void *ctx, const void *state) noexcept nogil:
    cdef const State *st = <const State *>state
    return -1 if st.phase == OVER else st.to_move

cdef bint at_turn_start(const void *ctx, const void *state) noexcept nogil:
    cdef const State *st = <const State *>state
    if st.phase == FLAGS:
        return st.flags[st.to_move] == 0
    return (st.phase == TAKE and st.cubes == 0) or (st.phase == MOVE and st.fresh)

cdef bint is_over(const void *ctx, const void *state) noexcept nogil:
    return (<const State *>state).phase == OVER

cdef int winners_of(const Facts *facts, const State *st) noexcept nogil:
    """The seats that won a game that is over, as bits: a win declared stands, else the last one left (TT-15, TT-19)."""
    cdef int left = ((1 << facts.players) - 1) & ~st.resigned
    if st.declared:
        return st.declared
    return left if left & (left - 1) == 0 else 0

cdef void shares(const void *ctx, const void *state, double *out) noexcept nogil:
    cdef const Facts *facts = <const Facts *>ctx
    cdef int winners = winners_of(facts, <const State *>state)
    cdef int seat
    if winners == 0:
        winners = (1 << facts.players) - 1
    for seat in range(facts.players):
        out[seat] = ((winners >> seat) & 1) / <double>count(winners)

cdef void points(const void *ctx, const void *state, int *out) noexcept nogil:
    cdef int seat
    for seat in range((<const Facts *>ctx).players):
        out[seat] = 0

cdef bint equal(const void *ctx, const void *a, const void *b) noexcept nogil:
    return memcmp(a, b, COMPARED) == 0

cdef uint64_t key(const void *ctx, const void *state) noexcept nogil:
    cdef const State *st = <const State *>state
    cdef const uint64_t *words = <const uint64_t *>&st.captures[0]
    cdef uint64_t x = st.board_key
    x = scramble(x ^ words[0]) + words[1]
    x = scramble(x) ^ words[2]
    return scramble(x + <uint64_t>0x9E3779B97F4A7C15)


cdef class TurriumKernel(Kernel):
    """The fixed facts of Terra Turrium with certain rules."""

    def __init__(self, rules):
        cdef Facts *facts = &self.facts
        cdef int margin = (10 - rules.side) // 2
        cdef int i, seat, quarter, row, column, mask
        cdef Cells lands[4]
        self.rules = rules
        memset(facts, 0, sizeof(Facts))
        memset(lands, 0, sizeof(lands))
        facts.players = rules.players
        facts.is_burgenland = rules.variant == "burgenland"
        facts.is_path = rules.line == "path"
        facts.max_rounds = rules.max_rounds
        cdef bint is_total = rules.enemy_takes == "total"
        if rules.players == 2:
            owners = (0, 1, 1, 0) if rules.two_player_sides == "adjacent" else (0, 1, 0, 1)
        else:
            owners = (0, 1, 2, 3 if rules.players == 4 else -1)
        for i in range(100):
            row, column = i // 10, i % 10
            quarter = (0 if column < 5 else 3) if row < 5 else (1 if column < 5 else 2)
            facts.quarter[i] = <uint8_t>quarter
            facts.mark[i] = <uint8_t>(1 if is_total else 1 << quarter)
            if not (margin <= row < 10 - margin and margin <= column < 10 - margin):
                continue
            facts.used |= bit(i)
            lands[quarter] |= bit(i)
            if row in (margin, 9 - margin) or column in (margin, 9 - margin):
                facts.edge |= bit(i)
        for quarter in range(4):
            if owners[quarter] >= 0:
                facts.own[<int>owners[quarter]] |= lands[quarter]
        for seat in range(rules.players):
            facts.attack_land[seat] = facts.used & ~facts.own[seat]
            if rules.players == 3 and not rules.vacant_attack:
                facts.attack_land[seat] &= ~lands[3]
        for mask in range(16):
            for quarter in range(4):
                if mask and is_total or mask >> quarter & 1:
                    facts.closed[mask] |= lands[quarter]
        self.ops = Ops(
            ctx=facts,
            state_size=sizeof(State),
            seats=rules.players,
            num_actions=NUM_IDS,
            max_legal=256,
            legal=legal,
            is_legal=is_legal,
            apply=apply,
            random_action=random_action,
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


@lru_cache(maxsize=256)
def kernel_of(rules):
    """The kernel of a game with these rules, made once."""
    return TurriumKernel(rules)


cdef TurriumKernel checked_kernel(rules):
    if not isinstance(rules, Rules):
        raise InvalidRules("not-rules", f"{rules!r:.80}: rules must be a turrium.Rules")
    return kernel_of(rules)


cdef tuple seats_of(int bits):
    return tuple([seat for seat in range(4) if bits >> seat & 1])

cdef tuple cells_of(Cells cells):
    cdef list found = []
    while cells:
        found.append(CELLS[first(cells)])
        cells &= cells - 1
    return tuple(found)

cdef Position blank(TurriumKernel kernel):
    cdef Position position = Position.__new__(Position)
    position.kernel = kernel
    position.state = malloc(sizeof(State))
    if position.state == NULL:
        raise MemoryError
    memset(position.state, 0, sizeof(State))
    return position


cdef class Position(KernelPosition):
    """A position of Terra Turrium: an immutable value; `play` gives a new one.

    >>> from terrarium import turrium
    >>> position = turrium.start(turrium.Rules(players=4)).play("@c3")
    >>> position.flags, position.hand
    ({'c3': 0}, (5, 6, 6, 6))
    >>> position.play("@c3")
    Traceback (most recent call last):
    terrarium.errors.IllegalAction: @c3: a flag already stands on c3: choose another construction of yours (TT-3)
    """

    def __init__(self, *args, **kwargs):
        raise TypeError("a Position comes from turrium.start, turrium.compose or Position.from_text")

    cdef State *st(self):
        return <State *>self.state

    cdef const Facts *facts(self):
        return &(<TurriumKernel>self.kernel).facts

    @property
    def phase(self):
        """What is being done: flags, take, place or move; over when nothing is (TT-3, TT-4)."""
        return PHASES[self.st().phase]

    @property
    def heights(self):
        """The height of every construction, by cell."""
        cdef State *st = self.st()
        return {CELLS[i]: st.heights[CELL + i] for i in range(100) if st.heights[CELL + i]}

    @property
    def flags(self):
        """The seat of every flag on the board, by cell."""
        cdef State *st = self.st()
        cdef int seat
        cdef dict found = {}
        for seat in range(self.players):
            for cell in cells_of(st.flags[seat]):
                found[cell] = seat
        return found

    @property
    def hand(self):
        """How many flags each seat has off the board (TT-3, TT-13)."""
        return tuple([flags_in_hand(self.st(), seat) for seat in range(self.players)])

    @property
    def cubes_in_hand(self):
        """How many cubes have been taken and not placed yet (TT-8)."""
        return self.st().cubes

    @property
    def points_left(self):
        """The points of this turn not spent yet: five until the move phase; 0 when no turn is played (TT-9)."""
        cdef State *st = self.st()
        return POINTS if st.phase == TAKE or st.phase == PLACE else st.points

    @property
    def attacks(self):
        """In how many turns each seat has attacked (TT-12)."""
        return tuple([self.st().attacks[seat] for seat in range(self.players)])

    @property
    def captures(self):
        """How many captures each seat has made, defences included (TT-11, TT-17)."""
        return tuple([self.st().captures[seat] for seat in range(self.players)])

    @property
    def rounds(self):
        """How many rounds are complete: every seat still playing has had its turn in each (TT-18)."""
        return self.st().rounds

    @property
    def unlocked(self):
        """Burgenland: whether captures are allowed; False in the standard game, which locks nothing (TT-17)."""
        return bool(self.st().unlocked)

    @property
    def declared(self):
        """The seats that have won so far; those with fewer turns may still join them (TT-15)."""
        return seats_of(self.st().declared)

    @property
    def is_last_round(self):
        """Whether somebody has won and others are taking their last turn (TT-15)."""
        cdef State *st = self.st()
        return st.declared != 0 and st.phase != OVER

    @property
    def resigned(self):
        """The seats that have resigned (TT-19)."""
        return seats_of(self.st().resigned)

    @property
    def cells(self):
        """The cells in use, row by row from a1 (TT-1)."""
        return cells_of(self.facts().used)

    @property
    def territories(self):
        """Whose territory each cell in use is; None where it is vacant (TT-2)."""
        cdef int seat
        cdef dict owners = dict.fromkeys(self.cells)
        for seat in range(self.players):
            for cell in cells_of(self.facts().own[seat]):
                owners[cell] = seat
        return owners

    @property
    def exterior(self):
        """The cells whose construction is exterior (TT-7)."""
        return cells_of(exterior_cells(self.st()))

    @property
    def taken_from(self):
        """The enemy territories that gave a cube in this turn; `enemy` when all count as one (TT-5)."""
        cdef int bits = self.st().taken_from
        if self.rules.enemy_takes == "total":
            return ("enemy",) if bits else ()
        return tuple([TERRITORIES[quarter] for quarter in seats_of(bits)])

    @property
    def is_attacking(self):
        """Whether the present turn has been counted as an attack (TT-12)."""
        return bool(self.st().attacking)

    @property
    def ladders(self):
        """For every seat the heights its flags stand on, rising, and those of 1 to 6 it misses (TT-14)."""
        cdef State *st = self.st()
        cdef int seat
        found = []
        for seat in range(self.players):
            held = sorted([st.heights[CELL + <int>INDEX[cell]] for cell in cells_of(st.flags[seat])])
            missing = [height for height in range(1, 7) if height not in held]
            found.append(Ladder(tuple(held), tuple(missing)))
        return tuple(found)

    @property
    def outcome(self):
        """Who won and why the game ended; None while it goes on (TT-14, TT-15, TT-18, TT-19)."""
        cdef State *st = self.st()
        cdef int left
        if st.phase != OVER:
            return None
        left = self.players - count(st.resigned)
        reason = "resigned" if left == 1 else "towers" if st.declared else "limit"
        return Outcome(winners=seats_of(winners_of(self.facts(), st)), reason=reason)

    def resign(self, seat):
        """The position after a seat resigned (TT-19). Cubes the seat had in hand leave the game."""
        self.check_resignation(seat)
        cdef Position after = <Position>self.fresh()
        resign_traced(self.facts(), after.st(), seat, NULL)
        return after

    def check_resignation(self, seat):
        if type(seat) is not int or not 0 <= seat < self.players:
            raise IllegalAction(
                "no-such-seat", f"{seat!r:.40}: seats here run from 0 to {self.players - 1}", "TT-19"
            )
        if self.st().phase == OVER:
            raise IllegalAction("game-over", f"seat {seat} can't resign: the game is over", "TT-19")
        if seat in self.resigned:
            raise IllegalAction("already-resigned", f"seat {seat} has resigned before", "TT-19")

    def events(self, action):
        """What an action does, in order, with everything that follows by itself."""
        cdef int id = self.resolve(action)
        cdef Trace trace
        if not is_legal(self.facts(), self.state, id):
            raise self.refusal(id)
        cdef Position after = <Position>self.fresh()
        trace.length = 0
        apply_traced(self.facts(), after.st(), id, &trace)
        return tell(self, self.kernel.action(id), after, traced(&trace))

    def resignation_events(self, seat):
        """What the resignation of a seat does, in order."""
        self.check_resignation(seat)
        cdef Trace trace
        cdef Position after = <Position>self.fresh()
        trace.length = 0
        resign_traced(self.facts(), after.st(), seat, &trace)
        return tell_resignation(seat, after, traced(&trace))

    def is_attack(self, cell):
        """Whether a capture on this cell by the seat to move would be an attack (TT-12)."""
        cdef int i = INDEX[cell]
        return (self.facts().attack_land[self.st().to_move] & bit(i)) != 0

    def capture_cost(self, source, target):
        """What capturing the flag on one cell from the next costs, limits apart (TT-11)."""
        return capture_cost(self.st(), INDEX[source], INDEX[target])

    def refusal(self, int id):
        """The IllegalAction that says why an action is not legal here, with the rule it breaks."""
        return explain(self, id)

    def view(self):
        """Everything an interface needs to show the position, ready for JSON."""
        outcome = self.outcome
        return {
            "game": "turrium",
            "phase": self.phase,
            "to_move": self.to_move,
            "at_turn_start": self.at_turn_start,
            "points_left": self.points_left,
            "cubes_in_hand": self.cubes_in_hand,
            "heights": self.heights,
            "flags": self.flags,
            "hand": list(self.hand),
            "attacks": list(self.attacks),
            "captures": list(self.captures),
            "rounds": self.rounds,
            "unlocked": self.unlocked,
            "declared": list(self.declared),
            "is_last_round": self.is_last_round,
            "cells": list(self.cells),
            "territories": self.territories,
            "exterior": list(self.exterior),
            "ladders": [ladder.to_dict() for ladder in self.ladders],
            "resigned": list(self.resigned),
            "outcome": None if outcome is None else outcome.to_dict(),
        }

    def to_text(self):
        """The position as one line (docs/formats.md); `from_text` reads it."""
        return notation.write(
            Snapshot(
                rules=self.rules,
                heights=self.heights,
                flags=self.flags,
                to_move=self.to_move,
                phase=self.phase,
                cubes_in_hand=self.cubes_in_hand,
                taken_from=self.taken_from,
                points_left=self.points_left,
                is_attacking=self.is_attacking,
                is_turn_start=self.at_turn_start,
                attacks=self.attacks,
                captures=self.captures,
                rounds=self.rounds,
                resigned=self.resigned,
                declared=self.declared,
                unlocked=self.unlocked,
            )
        )

    @staticmethod
    def from_text(text):
        """The position that a text describes; InvalidPosition says why there is none."""
        snapshot = notation.read(text)
        cdef Position position = built_from(
            snapshot.rules, snapshot.heights, snapshot.flags, snapshot.attacks, snapshot.captures, snapshot.rounds
        )
        cdef State *st = position.st()
        st.phase = PHASES.index(snapshot.phase)
        st.to_move = snapshot.to_move or 0
        st.cubes = snapshot.cubes_in_hand
        st.points = snapshot.points_left
        st.attacking = snapshot.is_attacking
        st.fresh = snapshot.is_turn_start and st.phase == MOVE
        st.unlocked = snapshot.unlocked
        for name in snapshot.taken_from:
            st.taken_from |= 1 if name == "enemy" else 1 << <int>TERRITORIES.index(name)
        for seat in snapshot.resigned:
            st.resigned |= <uint8_t>(1 << <int>seat)
        for seat in snapshot.declared:
            st.declared |= <uint8_t>(1 << <int>seat)
        check_position(position, snapshot, text)
        return position


cdef list traced(Trace *trace):
    return [(trace.kinds[i], trace.firsts[i], trace.seconds[i]) for i in range(trace.length)]


def counts_of(name, values, int players, int most):
    """A number for each seat, checked; zeros when None."""
    if values is None:
        return (0,) * players
    if (
        not isinstance(values, (tuple, list))
        or len(values) != players
        or not all(type(value) is int and 0 <= value <= most for value in values)
    ):
        raise InvalidPosition(
            f"invalid-{name}",
            f"{name}={values!r:.80}: must be {players} numbers from 0 to {most}, one per seat",
        )
    return tuple(values)


cdef Position built_from(rules, heights, flags, attacks, captures, rounds):
    """A position with these pieces and counts, everything else zero; InvalidPosition says what can't be."""
    cdef TurriumKernel kernel = checked_kernel(rules)
    cdef Position position = blank(kernel)
    cdef State *st = position.st()
    cdef int i, seat
    for name, pieces in (("heights", heights), ("flags", flags)):
        if not isinstance(pieces, Mapping):
            raise InvalidPosition(f"invalid-{name}", f"{name}={pieces!r:.80}: must be a mapping by cell")
        for cell in pieces:
            if not isinstance(cell, str) or cell not in INDEX:
                raise InvalidPosition("no-such-cell", f"{cell!r:.40}: cells run from a1 to j10", "TT-1")
            if not kernel.facts.used & bit(INDEX[cell]):
                raise InvalidPosition(
                    "cell-unused", f"{cell}: not in the used area of {rules.side}×{rules.side} cells", "TT-1"
                )
    cubes = 0
    for cell, height in heights.items():
        if type(height) is not int or height < 0:
            raise InvalidPosition(
                "invalid-height", f"{cell}: {height!r:.40} is no height: must be 0, 1, 2 …", "TT-1"
            )
        cubes += height
        if cubes > MAX_CUBES:
            raise InvalidPosition(
                "too-many-cubes", f"{cell}: more than {MAX_CUBES} cubes are too many to count with", "TT-1"
            )
        st.heights[CELL + <int>INDEX[cell]] = height
    for cell, owner in flags.items():
        if type(owner) is not int or not 0 <= owner < rules.players:
            raise InvalidPosition(
                "no-such-seat", f"{cell}: {owner!r:.40} is no seat: seats run from 0 to {rules.players - 1}"
            )
        i, seat = INDEX[cell], owner
        if st.heights[CELL + i] == 0:
            raise InvalidPosition(
                "flag-without-construction", f"{cell}: a flag needs a construction of one cube or more", "TT-10"
            )
        st.flags[seat] |= bit(i)
    for seat in range(rules.players):
        if count(st.flags[seat]) > 6:
            raise InvalidPosition(
                "too-many-flags", f"seat {seat} has {count(st.flags[seat])} flags: six are all", "TT-3"
            )
    if type(rounds) is not int or not 0 <= rounds <= rules.max_rounds:
        raise InvalidPosition(
            "invalid-rounds", f"rounds={rounds!r:.40}: must be a number from 0 to {rules.max_rounds}", "TT-18"
        )
    st.rounds = rounds
    # What a composition may begin with plus what play can add: whatever is reached can be written and read again.
    most = MAX_CAPTURES if kernel.facts.is_burgenland else 10_000 + 5 * (rounds + 1)
    for seat, value in enumerate(counts_of("captures", captures, rules.players, most)):
        st.captures[seat] = value
    for seat, value in enumerate(counts_of("attacks", attacks, rules.players, 2 * MAX_ATTACKS)):
        # in Burgenland nothing but captures limits attacks (TT-17)
        most = MAX_ATTACKS + (st.captures[seat] if kernel.facts.is_burgenland else 0)
        if value > most:
            raise InvalidPosition(
                "invalid-attacks",
                f"attacks={attacks!r:.80}: seat {seat} can have attacked in {most} turns at most",
                "TT-12",
            )
        st.attacks[seat] = value
    refresh(&kernel.facts, st)
    return position


cdef bint shows_unlocking(Position position):
    """Whether some flags stand on 5, 4, 4, 3, 2, 1 (TT-17)."""
    cdef int seat
    for seat in range(position.players):
        if ladder_of(position.st(), seat) == UNLOCKING:
            return True
    return False


cdef int check_position(Position position, snapshot, text) except -1:
    """InvalidPosition unless this is a position that waits for an action of the seat to move, or is over."""
    cdef State *st = position.st()
    cdef const Facts *facts = position.facts()
    cdef int everybody = (1 << facts.players) - 1
    cdef int left = everybody & ~st.resigned
    cdef int seat = st.to_move
    cdef int earlier = (1 << seat) - 1
    cdef int other
    problem = None
    if sum(snapshot.heights.values()) + st.cubes > MAX_CUBES:
        problem = f"more than {MAX_CUBES} cubes are too many to count with"
    elif st.unlocked and not facts.is_burgenland:
        problem = "only Burgenland has a lock (TT-17)"
    elif facts.is_burgenland and not st.unlocked and shows_unlocking(position):
        problem = "flags stand on 5, 4, 4, 3, 2, 1, so captures are unlocked (TT-17)"
    elif left == 0:
        problem = "the last seat can't resign (TT-19)"
    elif st.phase == OVER:
        if left & (left - 1) and not st.declared and st.rounds != facts.max_rounds:
            problem = "nobody has won and the rounds are not over, so the game is not"
    elif not left & (left - 1):
        problem = "only one seat is left, so the game is over (TT-19)"
    elif st.resigned & (1 << seat):
        problem = "the seat to move has resigned (TT-19)"
    elif st.rounds == facts.max_rounds:
        problem = "all rounds have been played, so the game is over (TT-18)"
    elif st.declared & ~earlier:
        problem = "a win is declared at the end of a turn of this round: of seats before the one to move (TT-15)"
    elif st.phase == FLAGS:
        if st.declared or st.rounds or any(snapshot.attacks) or any(snapshot.captures):
            problem = "nothing has been played while flags are being set (TT-3)"
        elif count(st.flags[seat]) == 6:
            problem = "the seat to move has set all its flags (TT-3)"
        for other in range(facts.players):
            if st.flags[other] & ~facts.own[other]:
                problem = "flags are set on own territory only (TT-3)"
            elif other > seat and st.flags[other]:
                problem = "flags are set in the order of the seats (TT-3)"
            elif other >= seat and not st.resigned >> other & 1 and (
                count(facts.own[other] & st.built) < 6
            ):
                problem = "a seat needs six constructions on its own territory to set its flags (TT-3)"
            elif other < seat and not st.resigned >> other & 1 and count(st.flags[other]) != 6:
                problem = "flags are set in the order of the seats (TT-3)"
    elif st.phase == TAKE:
        if not takable(facts, st):
            problem = "nothing can be taken, so the phase is another (TT-16)"
        elif len(set(snapshot.taken_from)) != len(snapshot.taken_from) or st.cubes < len(snapshot.taken_from):
            problem = "each territory gives at most one of the cubes in hand (TT-5)"
        elif ("enemy" in snapshot.taken_from) != (
            bool(snapshot.taken_from) and snapshot.rules.enemy_takes == "total"
        ):
            problem = "territories are named when each may give a cube, else it is enemy (TT-5)"
        elif list(snapshot.taken_from) != list(position.taken_from):
            problem = "territories are named in the order SW, NW, NE, SE (TT-5)"
        else:
            for name in snapshot.taken_from:
                if name != "enemy" and name in own_territories(position, seat):
                    problem = "only territories of others are named (TT-5)"
    elif st.phase == MOVE:
        if not can_move(facts, st):
            problem = "no move is possible, so the turn is over"
        elif st.fresh and (st.points != POINTS or st.attacking or takable(facts, st)):
            problem = "a turn starts by moving only when nothing can be taken (TT-16)"
        elif st.attacking and (st.points == POINTS or not st.attacks[seat] or not st.captures[seat]):
            problem = "an attack costs points and is counted (TT-12)"
    if problem is not None:
        raise InvalidPosition("impossible-position", f"{text!r:.240}: {problem}")
    return 0


cdef tuple own_territories(Position position, int seat):
    cdef const Facts *facts = position.facts()
    cdef int i
    cdef set found = set()
    for i in range(100):
        if facts.own[seat] & bit(i):
            found.add(TERRITORIES[facts.quarter[i]])
    return tuple(found)


def start(rules=None):
    """The first position: all cubes on the board, all flags in hand, the first seat to set its own (TT-1, TT-3)."""
    if rules is None:
        rules = Rules()
    cdef TurriumKernel kernel = checked_kernel(rules)
    cdef Position position = blank(kernel)
    cdef State *st = position.st()
    cdef int i
    for i in range(100):
        if kernel.facts.used & bit(i):
            st.heights[CELL + i] = 1
            if kernel.facts.players > 2 and 3 <= i // 10 <= 6 and 3 <= i % 10 <= 6:
                st.heights[CELL + i] = 2
    refresh(&kernel.facts, st)
    return position


def compose(
    rules=None, heights=None, flags=None, to_move=0, attacks=None, *, captures=None, rounds=0, unlocked=False
):
    """The start of a turn with these constructions and flags; flags left out are in hand.

    Cells left out, and heights of 0, are empty. What follows by itself happens: a seat that can do nothing passes
    (TT-16), and a Burgenland board that shows 5, 4, 4, 3, 2, 1 is unlocked (TT-17).
    """
    if rules is None:
        rules = Rules()
    cdef Position position = built_from(
        rules,
        {} if heights is None else heights,
        {} if flags is None else flags,
        attacks,
        captures,
        rounds,
    )
    if type(to_move) is not int or not 0 <= to_move < rules.players:
        raise InvalidPosition(
            "no-such-seat", f"to_move={to_move!r:.40}: seats here run from 0 to {rules.players - 1}"
        )
    cdef State *st = position.st()
    if position.facts().is_burgenland:
        st.unlocked = bool(unlocked) or shows_unlocking(position)
    if st.rounds == position.facts().max_rounds:
        end_game(st)
    else:
        begin_play(position.facts(), st, to_move, NULL)
    return position
