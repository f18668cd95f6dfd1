"""Evaluation of Terra Nova: who will own which cell, and what will it pay?

From every open cell a walker takes a few random steps; borders throw it back. Where it may end tells two things:
which landscapes will probably share a territory with the cell (few, if it is nearly walled in: then it will pay, and
pay well) and whose pioneers are near in the sense that counts, without a border between. So an unfinished wall already
has an effect, and a gap leaks in proportion to its width. The sum over cells of expected pay times expected
majority, added to the points in the bank, is what a seat may expect. The weights are learnt from self-play
(`terrarium arena train nova`): each cell of each position is an example, with what it really paid and to whom.

Walking is symmetric, so the same walk carries the gradient: spread backwards, it tells what one more pioneer on a cell
would be worth, and ranks all moves at once.
"""

import array
import json
from importlib.resources import files

from cpython cimport array
from libc.math cimport sqrtf
from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

from terrarium.core.kernel cimport KernelPosition, Ops
from terrarium.engine.brain cimport MAX_SEATS, MAX_TURN, Brain, Mind, Turn
from terrarium.nova.kernel cimport (
    EMPTY,
    MAX_WORDS,
    NOWHERE,
    PLACE,
    PLAY,
    STONE,
    Cell,
    Ctx,
    Log,
    State,
    holds,
    is_legal,
    legal,
    open_sites,
    play,
    region_at,
)


cdef extern from *:
    int popcount "__builtin_popcount"(unsigned int) nogil


cdef inline float squash(float x) noexcept nogil:
    # an S from 0 to 1 without an exponential
    return 0.5 + 0.5 * x / sqrtf(1 + x * x)


cdef inline float part(uint16_t walkers) noexcept nogil:
    return walkers * <float>(1.0 / ONE)


cdef extern from *:
    """
    #include <stdint.h>
    /* In C for `restrict`: without it the compiler can't add sixteen fields at once. */
    static void nova_walk(
        int cells, const uint8_t *is_open, const uint16_t (*around)[6],
        const uint16_t (*restrict source)[16], uint16_t (*restrict target)[16]
    ) {
        for (int c = 0; c < cells; c++) {
            if (!is_open[c]) continue;
            const uint16_t *own = source[c], *a = source[around[c][0]], *b = source[around[c][1]],
                *d = source[around[c][2]], *e = source[around[c][3]], *f = source[around[c][4]],
                *g = source[around[c][5]];
            uint16_t *restrict out = target[c];
            for (int k = 0; k < 16; k++) {
                /* the sum of seven fits in 16 bits; times 1/7 is a product of which the high half is kept */
                uint16_t sum = own[k] + a[k] + b[k] + d[k] + e[k] + f[k] + g[k];
                out[k] = (uint16_t)(((uint32_t)sum * 9363u) >> 16);
            }
        }
    }
    /* How much one landscape prevails: the sum of squares, ONE * ONE if there is no other. */
    static inline uint32_t nova_prevails(const uint16_t *walkers) {
        uint32_t sum = 0;
        for (int k = 0; k < 12; k++) sum += (uint32_t)walkers[k] * walkers[k];
        return sum;
    }
    """
    unsigned int nova_prevails(const uint16_t *walkers) noexcept nogil
    void nova_walk(
        int cells, const uint8_t *is_open, const uint16_t (*around)[6],
        const uint16_t (*source)[FIELDS], uint16_t (*target)[FIELDS]
    ) noexcept nogil


cdef inline void walk(const Field *f, uint16_t (*source)[FIELDS], uint16_t (*target)[FIELDS]) noexcept nogil:
    """One random step of every field at once."""
    nova_walk(f.cells, f.is_open, f.around, source, target)


cdef void spread_fields(const Ctx *ctx, const State *st, Field *f) noexcept nogil:
    """Where walkers from each cell end after a short and a long walk."""
    cdef int c, d, t, n = ctx.cells
    cdef const uint8_t *what = holds(st)
    cdef uint16_t other
    cdef uint16_t other_bank[MOST_CELLS][FIELDS]
    f.cells = n
    for c in range(n):
        f.is_open[c] = what[c] < STONE
        memset(f.near[c], 0, FIELDS * sizeof(uint16_t))
        if not f.is_open[c]:
            continue
        for d in range(6):
            other = ctx.cell[c].near[d]
            f.around[c][d] = other if other < n and what[other] < STONE else c
        f.near[c][ctx.cell[c].landscape % GROUNDS] = ONE
        if what[c] != EMPTY:
            f.near[c][GROUNDS + what[c] - 1] = ONE
    # banks: near -> other -> near -> other after SHORT = 3 steps, then to `far`
    walk(f, f.near, other_bank)
    walk(f, other_bank, f.near)
    walk(f, f.near, other_bank)
    memcpy(f.near, other_bank, n * FIELDS * sizeof(uint16_t))
    walk(f, other_bank, f.far)
    walk(f, f.far, other_bank)
    walk(f, other_bank, f.far)
    walk(f, f.far, other_bank)
    walk(f, other_bank, f.far)


cdef inline void pay_inputs(const Ctx *ctx, const State *st, Field *f, int c, float *x) noexcept nogil:
    cdef float near, far, crowd = 0, supply = st.supply * <float>(1.0 / 80)
    cdef int k
    near = nova_prevails(f.near[c]) * <float>(1.0 / ONE / ONE)
    far = nova_prevails(f.far[c]) * <float>(1.0 / ONE / ONE)
    for k in range(ctx.players):
        crowd += part(f.far[c][GROUNDS + k])
    f.closed[c] = far
    x[0] = 1
    x[1] = near
    x[2] = far
    x[3] = far * far
    x[4] = near * far
    x[5] = supply
    x[6] = supply * far
    x[7] = near * near
    x[8] = crowd
    x[9] = st.in_play / <float>ctx.cells


cdef void weigh_cells(const Ctx *ctx, const State *st, const Weights *w, Field *f) noexcept nogil:
    """What each cell should pay, and to whom."""
    cdef float x[PAY_INPUTS]
    cdef float near_weight, far_weight
    cdef float z, total, near_sum, far_sum, best_near, best_far
    cdef float near[4]
    cdef float far[4]
    cdef int c, k, s, o
    for c in range(f.cells):
        if not f.is_open[c]:
            f.pay[c] = 0
            continue
        pay_inputs(ctx, st, f, c, x)
        z = 0
        for k in range(PAY_INPUTS):
            z += w.pay[k] * x[k]
        f.pay[c] = 3 * squash(z)
        near_sum = w.crowd
        far_sum = w.crowd
        for s in range(ctx.players):
            near[s] = part(f.near[c][GROUNDS + s])
            far[s] = part(f.far[c][GROUNDS + s])
            near_sum += near[s]
            far_sum += far[s]
        near_weight = (w.near_lead + w.near_closed * f.closed[c]) / near_sum
        far_weight = (w.far_lead + w.far_closed * f.closed[c]) / far_sum
        far_weight += 10 * (w.count_lead + w.count_closed * f.closed[c])
        if ctx.players == 2:
            f.lead[c][0] = squash(near_weight * (near[0] - near[1]) + far_weight * (far[0] - far[1]))
            f.lead[c][1] = 1 - f.lead[c][0]
            continue
        total = 0
        for s in range(ctx.players):
            best_near = 0
            best_far = 0
            for o in range(ctx.players):
                if o != s:
                    best_near = max(best_near, near[o])
                    best_far = max(best_far, far[o])
            f.lead[c][s] = squash(near_weight * (near[s] - best_near) + far_weight * (far[s] - best_far))
            total += f.lead[c][s]
        for s in range(ctx.players):
            f.lead[c][s] /= total


cdef void judge(const Mind *mind, const State *st, const Field *f, float *shares, float *points) noexcept nogil:
    """Expected points, and from them expected parts of the win."""
    cdef const Ctx *ctx = <const Ctx *>mind.ops.ctx
    cdef const Weights *w = <const Weights *>mind.facts
    cdef float still_open = 0, spread, rival, total = 0
    cdef int c, s, o
    for s in range(ctx.players):
        points[s] = st.scores[s]
    for c in range(f.cells):
        if f.is_open[c]:
            still_open += f.pay[c]
            for s in range(ctx.players):
                points[s] += f.pay[c] * f.lead[c][s]
    points[st.seat] += w.tempo
    spread = w.spread_base + w.spread_open * still_open
    for s in range(ctx.players):
        shares[s] = 0
        if st.resigned >> s & 1:
            continue
        rival = -1e9
        for o in range(ctx.players):
            if o != s and not st.resigned >> o & 1:
                rival = max(rival, points[o])
        shares[s] = squash((points[s] - rival) / spread)
        total += shares[s]
    for s in range(ctx.players):
        shares[s] /= total


cdef void evaluate(const Mind *mind, const void *state, float *shares, float *points) noexcept nogil:
    cdef const Ctx *ctx = <const Ctx *>mind.ops.ctx
    cdef const State *st = <const State *>state
    cdef Field f
    spread_fields(ctx, st, &f)
    weigh_cells(ctx, st, <const Weights *>mind.facts, &f)
    judge(mind, st, &f, shares, points)


cdef void one_more(const Ctx *ctx, const State *st, const Weights *w, const Field *f, float *worth) noexcept nogil:
    """What one more pioneer of the mover on each cell would be worth, to first order."""
    cdef float bank[MOST_CELLS]
    cdef int c, t, d, s = st.seat, o
    cdef float sum_, best, p
    for c in range(f.cells):
        worth[c] = 0
        if f.is_open[c]:
            sum_ = w.crowd
            for o in range(ctx.players):
                sum_ += part(f.far[c][GROUNDS + o])
            p = f.lead[c][s]
            worth[c] = f.pay[c] * p * (1 - p) * (
                (w.far_lead + w.far_closed * f.closed[c]) / sum_ + 10 * (w.count_lead + w.count_closed * f.closed[c])
            )
    for t in range(4):
        for c in range(f.cells):
            if f.is_open[c]:
                sum_ = worth[c]
                for d in range(6):
                    sum_ += worth[f.around[c][d]]
                bank[c] = sum_ * <float>(1.0 / 7)
            else:
                bank[c] = 0
        memcpy(worth, bank, f.cells * sizeof(float))


cdef int propose(const Mind *mind, const void *state, int width, int *ids) noexcept nogil:
    """All placements, all stones, and the moves that promise most by the gradient."""
    cdef const Ctx *ctx = <const Ctx *>mind.ops.ctx
    cdef const State *st = <const State *>state
    cdef Field f
    cdef float worth[MOST_CELLS]
    cdef float kept[256]
    cdef int found = legal(ctx, state, ids)
    cdef int most = 4 + 4 * width
    cdef int i, j, id, stones = 0, moves = 0, source, target
    cdef float value
    if most > 250:
        most = 250
    if found <= most or st.phase == PLACE:
        return found
    spread_fields(ctx, st, &f)
    weigh_cells(ctx, st, <const Weights *>mind.facts, &f)
    one_more(ctx, st, <const Weights *>mind.facts, &f, worth)
    # ids of stones come before those of moves
    while stones < found and ids[stones] < 2 * ctx.cells:
        stones += 1
    for i in range(stones, found):
        id = ids[i]
        value = worth[ctx.move[id - 2 * ctx.cells].target] - worth[ctx.move[id - 2 * ctx.cells].source]
        if moves == most and value <= kept[moves - 1]:
            continue
        j = moves if moves < most else moves - 1
        while j > 0 and kept[j - 1] < value:
            kept[j] = kept[j - 1]
            ids[stones + j] = ids[stones + j - 1]
            j -= 1
        # what is overwritten here was looked at before: moves <= i - stones
        kept[j] = value
        ids[stones + j] = id
        if moves < most:
            moves += 1
    return stones + moves


cdef bint divides(const Ctx *ctx, const uint8_t *what, int cell) noexcept nogil:
    """Whether a stone here could cut something off: its open neighbours do not hang together around it."""
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
    """Whether a region next to a cell just covered is a territory."""
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


cdef inline void cover(const Ctx *ctx, State *st, int cell, uint8_t what) noexcept nogil:
    """Put a stone on a scratch board, or lift it (EMPTY); nothing but the open land follows."""
    cdef uint64_t mask = <uint64_t>1 << (ctx.cell[cell].site & 63)
    holds(st)[cell] = what
    if what < STONE:
        open_sites(ctx, st)[ctx.cell[cell].site >> 6] |= mask
    else:
        open_sites(ctx, st)[ctx.cell[cell].site >> 6] &= ~mask


cdef int tactics(const Mind *mind, const void *state, Turn *turns, int limit) noexcept nogil:
    """Turns that close territories to the mover's gain: a move and one stone, or a move and two.

    First the places where a pioneer could stand and close something, judged by the borders alone; then every move there,
    played for real.
    """
    cdef const Ops *ops = mind.ops
    cdef const Ctx *ctx = <const Ctx *>ops.ctx
    cdef const State *st = <const State *>state
    cdef char scratch[8192]
    cdef int ids[4096]
    cdef float gains[32]
    cdef uint8_t is_target[MOST_CELLS]
    cdef uint8_t what_first, what_second
    cdef uint8_t *what
    cdef int moves = 0, i, t, d, e, one, two, count = 0
    cdef bint is_cut
    if st.phase != PLAY or ops.state_size > sizeof(scratch) or ops.max_legal > 4096 or st.supply == 0:
        return 0
    memset(is_target, 0, ctx.cells)
    if st.step == 0:
        moves = legal(ctx, state, ids)
        for i in range(moves):
            is_target[ctx.move[ids[i] - 2 * ctx.cells].target] = 1
    else:
        for i in range(2):
            if st.moved[i] != NOWHERE:
                is_target[st.moved[i]] = 1
    memcpy(scratch, state, ops.state_size)
    what = holds(<State *>scratch)
    for t in range(ctx.cells):
        if not is_target[t]:
            continue
        for d in range(6):
            one = ctx.cell[t].near[d]
            if one >= ctx.cells or (what[one] != EMPTY and what[one] != st.seat + 1):
                continue
            what_first = what[one]
            is_cut = divides(ctx, what, one)
            cover(ctx, <State *>scratch, one, STONE)
            if is_cut and closes(ctx, <State *>scratch, one):
                count = try_moves(ops, st, turns, gains, count, limit, ids, moves, t, one, -1)
            elif st.supply > 1 and st.step < 2:
                for e in range(6):
                    two = ctx.cell[t].near[e]
                    if two >= ctx.cells or (what[two] != EMPTY and what[two] != st.seat + 1):
                        continue
                    if not divides(ctx, what, two):
                        continue
                    what_second = what[two]
                    cover(ctx, <State *>scratch, two, STONE)
                    if closes(ctx, <State *>scratch, two):
                        count = try_moves(ops, st, turns, gains, count, limit, ids, moves, t, one, two)
                    cover(ctx, <State *>scratch, two, what_second)
            cover(ctx, <State *>scratch, one, what_first)
    return count


cdef int try_moves(
    const Ops *ops, const State *st, Turn *turns, float *gains, int count, int limit,
    const int *ids, int moves, int target, int one, int two
) noexcept nogil:
    """Play every move to `target` and the stones after it, and keep what gains points."""
    cdef const Ctx *ctx = <const Ctx *>ops.ctx
    cdef char after[8192]
    cdef State *then = <State *>after
    cdef int i, gain
    for i in range(max(1, moves)):
        memcpy(after, st, ops.state_size)
        if moves > 0:
            if ctx.move[ids[i] - 2 * ctx.cells].target != target:
                continue
            play(ctx, then, ids[i], NULL)
        gain = 0
        if not place_stone(ctx, then, st.seat, one, &gain):
            continue
        if two >= 0 and not place_stone(ctx, then, st.seat, two, &gain):
            continue
        if gain > 0:
            count = keep_tactic(
                turns, gains, count, limit, gain, ids[i] if moves > 0 else -1,
                ctx.cells + one, ctx.cells + two if two >= 0 else -1,
            )
    return count


cdef bint place_stone(const Ctx *ctx, State *st, int seat, int cell, int *gain) noexcept nogil:
    cdef Log log
    if st.seat != seat or st.phase != PLAY or not is_legal(ctx, st, ctx.cells + cell):
        return False
    log.territories = 0
    log.passes = 0
    log.forfeited = 0
    log.turn_ended = False
    play(ctx, st, ctx.cells + cell, &log)
    gain[0] += gain_of(&log, seat, ctx.players)
    return True


cdef int gain_of(const Log *log, int seat, int players) noexcept nogil:
    cdef int t, s, gain = 0, rival
    for t in range(log.territories):
        rival = 0
        for s in range(players):
            if s != seat:
                rival = max(rival, log.territory[t].awards[s])
        gain += log.territory[t].awards[seat] - rival
    return gain


cdef int keep_tactic(
    Turn *turns, float *gains, int count, int limit, float gain, int move, int stone, int other
) noexcept nogil:
    cdef int i, worst = 0, length = 0
    if limit > 32:
        limit = 32
    if count < limit:
        worst = count
        count += 1
    else:
        for i in range(1, count):
            if gains[i] < gains[worst]:
                worst = i
        if gain <= gains[worst]:
            return count
    gains[worst] = gain
    memset(&turns[worst], 0, sizeof(Turn))
    if move >= 0:
        turns[worst].ids[length] = move
        length += 1
    turns[worst].ids[length] = stone
    length += 1
    if other >= 0:
        turns[worst].ids[length] = other
        length += 1
    turns[worst].length = length
    return count


cdef class NovaBrain(Brain):
    """What the engine knows of Terra Nova on one board."""

    def __init__(self, KernelPosition position, weights):
        self.kernel = position.kernel
        for i, value in enumerate(weights["pay"]):
            self.weights.pay[i] = value
        self.weights.near_lead = weights["near_lead"]
        self.weights.near_closed = weights["near_closed"]
        self.weights.far_lead = weights["far_lead"]
        self.weights.far_closed = weights["far_closed"]
        self.weights.count_lead = weights["count_lead"]
        self.weights.count_closed = weights["count_closed"]
        self.weights.crowd = weights["crowd"]
        self.weights.spread_base = weights["spread_base"]
        self.weights.spread_open = weights["spread_open"]
        self.weights.tempo = weights["tempo"]
        self.mind.ops = &self.kernel.ops
        self.mind.facts = &self.weights
        self.mind.even = 0.5
        self.mind.evaluate = evaluate
        self.mind.propose = propose
        self.mind.tactics = tactics
        self.mind.threats = NULL

    def ownership(self, KernelPosition position):
        """For every open cell: expected pay and the part of it that goes to each seat."""
        cdef const Ctx *ctx = <const Ctx *>self.mind.ops.ctx
        cdef Field f
        cdef int c, s
        spread_fields(ctx, <const State *>position.state, &f)
        weigh_cells(ctx, <const State *>position.state, &self.weights, &f)
        return {
            name: (f.pay[c], tuple(f.lead[c][s] for s in range(ctx.players)))
            for c, name in enumerate(position.board.cells)
            if f.is_open[c]
        }

    def inputs(self, KernelPosition position):
        """What training needs: indices of the open cells, and per cell the inputs of the pay, near and far pioneers.

        The numbers come as one flat array of C floats, PAY_INPUTS + 2 * players to a cell.
        """
        cdef const Ctx *ctx = <const Ctx *>self.mind.ops.ctx
        cdef const State *st = <const State *>position.state
        cdef Field f
        cdef int c, k, s, at = 0
        cdef int wide = PAY_INPUTS + 2 * ctx.players
        cdef array.array numbers = array.array("f", bytes(4 * wide * ctx.cells))
        cdef float *out = numbers.data.as_floats
        cells = []
        spread_fields(ctx, st, &f)
        for c in range(f.cells):
            if f.is_open[c]:
                cells.append(c)
                pay_inputs(ctx, st, &f, c, out)
                for s in range(ctx.players):
                    out[PAY_INPUTS + s] = part(f.near[c][GROUNDS + s])
                    out[PAY_INPUTS + ctx.players + s] = part(f.far[c][GROUNDS + s])
                out += wide
        return cells, numbers[: len(cells) * wide]


def brain(position, weights=None):
    """The evaluation for this position's rules and board."""
    if weights is None:
        text = files("terrarium.engine").joinpath("weights/nova.json").read_text()
        weights = json.loads(text)["weights"]
    return NovaBrain(position, weights)
