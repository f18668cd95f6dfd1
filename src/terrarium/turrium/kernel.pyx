"""The rules of Terra Turrium, implemented only here. kernel.pxd explains the terms.

The parts are included, not imported, so that the compiler can inline across them.
"""

from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memcmp, memset

from terrarium.core.kernel cimport Kernel, Ops, next_random, random_below

from terrarium.turrium import notation

cdef enum:
    COMPARED = 328           # number of bytes of a State that are compared; checked on import

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


include "constructions.pxi"
include "reach.pxi"
include "turns.pxi"
include "chance.pxi"


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
    """The winners of a game that is over, as bits: those that declared a win, else the last seat left (TT-15, TT-19)."""
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
    """The fixed facts of one game of Terra Turrium: its rules as a C struct."""

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
