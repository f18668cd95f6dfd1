"""Terra Nova: turns that close territories to the mover's gain, with a move and one or two stones (TN-16).

First it finds the cells from which a pioneer could close something, looking only at the borders. Then it plays every
move to these cells by the rules.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy, memset

from terrarium.core.kernel cimport Ops
from terrarium.engine.brain cimport Mind, Turn
from terrarium.nova.kernel cimport (
    EMPTY,
    MAX_CELLS,
    MAX_WORDS,
    NOWHERE,
    PLAY,
    STONE,
    Ctx,
    State,
    Trace,
    apply_traced,
    holds,
    is_legal,
    legal,
    open_sites,
    region_at,
)


cdef extern from *:
    int popcount "__builtin_popcount"(unsigned int) nogil


cdef enum:
    LARGEST_STATE = 8192        # bytes
    MOST_LEGAL = 4096
    KEPT = 32                   # the most turns
    NO_STONE = -1


cdef struct Closings:
    const Ctx *ctx
    const State *start
    State *board                # scratch: the start position with trial stones
    size_t size                 # bytes of a state
    int ids[MOST_LEGAL]         # the legal moves; empty if the first action of the turn has been played
    int moves
    Turn *turns                 # turns found so far, and the gain of each
    int gains[KEPT]
    int count
    int limit


cdef int closings(const Mind *mind, const void *state, Turn *turns, int limit) noexcept nogil:
    cdef const Ops *ops = mind.ops
    cdef const Ctx *ctx = <const Ctx *>ops.ctx
    cdef const State *st = <const State *>state
    cdef Closings found
    cdef char scratch[LARGEST_STATE]
    cdef uint8_t is_target[MAX_CELLS]
    cdef int i, cell
    if st.phase != PLAY or ops.state_size > LARGEST_STATE or ops.max_legal > MOST_LEGAL or st.supply == 0:
        return 0
    found.ctx = ctx
    found.start = st
    found.board = <State *>scratch
    found.size = ops.state_size
    found.moves = 0
    found.turns = turns
    found.count = 0
    found.limit = min(limit, <int>KEPT)
    memcpy(scratch, state, found.size)
    memset(is_target, 0, ctx.cells)
    if st.step == 0:
        found.moves = legal(ctx, state, found.ids)
        for i in range(found.moves):
            is_target[target_of(ctx, found.ids[i])] = 1
    else:
        for i in range(2):
            if st.moved[i] != NOWHERE:
                is_target[st.moved[i]] = 1
    for cell in range(ctx.cells):
        if is_target[cell]:
            close_from(&found, cell)
    return found.count


cdef inline int target_of(const Ctx *ctx, int id) noexcept nogil:
    """The target cell of a move."""
    return ctx.move[id - 2 * ctx.cells].target


cdef void close_from(Closings *found, int target) noexcept nogil:
    """Keep the turns in which a pioneer on `target` closes something with one stone, or with two if one is not enough."""
    cdef const Ctx *ctx = found.ctx
    cdef const State *st = found.start
    cdef State *board = found.board
    cdef uint8_t *what = holds(board)
    cdef uint8_t below_one, below_two
    cdef int d, e, one, two
    cdef bint is_cut
    for d in range(6):
        one = ctx.cell[target].near[d]
        if not takes_stone(ctx, st, what, one):
            continue
        below_one = what[one]
        is_cut = divides(ctx, what, one)
        cover(ctx, board, one, STONE)
        if is_cut and closes(ctx, board, one):
            try_moves(found, target, one, NO_STONE)
        elif st.supply > 1 and st.step < 2:
            for e in range(6):
                two = ctx.cell[target].near[e]
                if not takes_stone(ctx, st, what, two) or not divides(ctx, what, two):
                    continue
                below_two = what[two]
                cover(ctx, board, two, STONE)
                if closes(ctx, board, two):
                    try_moves(found, target, one, two)
                cover(ctx, board, two, below_two)
        cover(ctx, board, one, below_one)


cdef inline bint takes_stone(const Ctx *ctx, const State *st, const uint8_t *what, int cell) noexcept nogil:
    """Whether a cell is empty, or might be: the mover's pioneer on it can be the one that moves."""
    return cell < ctx.cells and (what[cell] == EMPTY or what[cell] == st.seat + 1)


cdef inline void cover(const Ctx *ctx, State *st, int cell, uint8_t what) noexcept nogil:
    """Set the content of a cell on a scratch board; of the derived values only the open land is updated."""
    cdef uint64_t mask = <uint64_t>1 << (ctx.cell[cell].site & 63)
    holds(st)[cell] = what
    if what < STONE:
        open_sites(ctx, st)[ctx.cell[cell].site >> 6] |= mask
    else:
        open_sites(ctx, st)[ctx.cell[cell].site >> 6] &= ~mask


cdef bint divides(const Ctx *ctx, const uint8_t *what, int cell) noexcept nogil:
    """Whether a stone here could divide a region: its open neighbours form more than one stretch around it."""
    cdef int d, other, stretches = 0
    cdef bint before, here
    other = ctx.cell[cell].near[5]
    before = other < ctx.cells and what[other] < STONE
    for d in range(6):
        other = ctx.cell[cell].near[d]
        here = other < ctx.cells and what[other] < STONE
        stretches += here and not before
        before = here
    return stretches > 1


cdef bint closes(const Ctx *ctx, const State *st, int cell) noexcept nogil:
    """Whether a region next to a newly covered cell is a territory."""
    cdef const uint8_t *what = holds(st)
    cdef uint64_t sites[MAX_WORDS]
    cdef uint64_t seen[MAX_WORDS]
    cdef int d, other, i, site
    memset(seen, 0, sizeof(seen))
    for d in range(6):
        other = ctx.cell[cell].near[d]
        if other >= ctx.cells or what[other] >= STONE:
            continue
        site = ctx.cell[other].site
        if seen[1 + (site >> 6)] >> (site & 63) & 1:
            continue
        if popcount(region_at(ctx, st, other, sites)) < 4:
            return True
        for i in range(ctx.words + 1):
            seen[i] |= sites[i]
    return False


cdef void try_moves(Closings *found, int target, int one, int two) noexcept nogil:
    """Play every move to `target` with the stones after it, and keep the turns that gain points."""
    cdef const Ctx *ctx = found.ctx
    cdef char scratch[LARGEST_STATE]
    cdef State *board = <State *>scratch
    cdef Turn turn
    cdef int i, gain
    for i in range(max(1, found.moves)):
        if found.moves > 0 and target_of(ctx, found.ids[i]) != target:
            continue
        memcpy(board, found.start, found.size)
        memset(&turn, 0, sizeof(Turn))
        gain = 0
        if found.moves > 0:
            apply_traced(ctx, board, found.ids[i], NULL)
            append(&turn, found.ids[i])
        if not place_stone(ctx, board, found.start.seat, one, &turn, &gain):
            continue
        if two != NO_STONE and not place_stone(ctx, board, found.start.seat, two, &turn, &gain):
            continue
        if gain > 0:
            keep(found, &turn, gain)


cdef inline void append(Turn *turn, int id) noexcept nogil:
    turn.ids[turn.length] = id
    turn.length += 1


cdef bint place_stone(const Ctx *ctx, State *st, int seat, int cell, Turn *turn, int *gain) noexcept nogil:
    """Place a stone if the rules allow it, and add the seat's gain."""
    cdef int id = ctx.cells + cell
    cdef Trace trace
    if st.seat != seat or st.phase != PLAY or not is_legal(ctx, st, id):
        return False
    trace.territories = 0
    trace.passes = 0
    trace.forfeited = 0
    trace.turn_ended = False
    apply_traced(ctx, st, id, &trace)
    append(turn, id)
    gain[0] += gain_of(&trace, seat, ctx.players)
    return True


cdef int gain_of(const Trace *trace, int seat, int players) noexcept nogil:
    """The points of the seat from the closed territories, minus those of its best rival."""
    cdef int t, s, gain = 0, rival
    for t in range(trace.territories):
        rival = 0
        for s in range(players):
            if s != seat:
                rival = max(rival, trace.territory[t].awards[s])
        gain += trace.territory[t].awards[seat] - rival
    return gain


cdef void keep(Closings *found, const Turn *turn, int gain) noexcept nogil:
    """Keep a turn if it is among the best."""
    cdef int i, place = 0
    if found.count < found.limit:
        place = found.count
        found.count += 1
    else:
        for i in range(1, found.count):
            if found.gains[i] < found.gains[place]:
                place = i
        if gain <= found.gains[place]:
            return
    found.gains[place] = gain
    found.turns[place] = turn[0]
