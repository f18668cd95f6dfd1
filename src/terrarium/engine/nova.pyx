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
from libc.stdint cimport uint16_t, uint8_t
from libc.string cimport memcpy, memset

from terrarium.core.kernel cimport KernelPosition, Ops
from terrarium.engine.brain cimport MAX_SEATS, MAX_TURN, Brain, Mind, Turn
from terrarium.nova.kernel cimport (
    DEAD,
    EMPTY,
    PLACE,
    PLAY,
    STONE,
    Cell,
    Ctx,
    Log,
    State,
    holds,
    legal,
    list_of,
    play,
    reach,
    stone_cells,
)


cdef inline float squash(float x) noexcept nogil:
    # an S from 0 to 1 without an exponential
    return 0.5 + 0.5 * x / sqrtf(1 + x * x)


cdef void walk(const Field *f, float (*source)[FIELDS], float (*target)[FIELDS]) noexcept nogil:
    """One random step of every field at once."""
    cdef int c, k
    cdef const float *s0
    cdef const float *s1
    cdef const float *s2
    cdef const float *s3
    cdef const float *s4
    cdef const float *s5
    cdef const float *own
    cdef float *out
    for c in range(f.cells):
        if not f.is_open[c]:
            continue
        own = source[c]
        s0 = source[f.around[c][0]]
        s1 = source[f.around[c][1]]
        s2 = source[f.around[c][2]]
        s3 = source[f.around[c][3]]
        s4 = source[f.around[c][4]]
        s5 = source[f.around[c][5]]
        out = target[c]
        for k in range(FIELDS):
            out[k] = (own[k] + s0[k] + s1[k] + s2[k] + s3[k] + s4[k] + s5[k]) * <float>(1.0 / 7)


cdef void spread_fields(const Ctx *ctx, const State *st, Field *f) noexcept nogil:
    """Where walkers from each cell end after a short and a long walk."""
    cdef int c, d, t, n = ctx.cells
    cdef const uint8_t *what = holds(st)
    cdef uint16_t other
    cdef float other_bank[MOST_CELLS][FIELDS]
    f.cells = n
    for c in range(n):
        f.is_open[c] = what[c] < STONE
        memset(f.near[c], 0, FIELDS * sizeof(float))
        if not f.is_open[c]:
            continue
        for d in range(6):
            other = ctx.cell[c].near[d]
            f.around[c][d] = other if other < n and what[other] < STONE else c
        f.near[c][ctx.cell[c].landscape % GROUNDS] = 1
        if what[c] != EMPTY:
            f.near[c][GROUNDS + what[c] - 1] = 1
    # banks: near -> other -> near -> other after SHORT = 3 steps, then to `far`
    walk(f, f.near, other_bank)
    walk(f, other_bank, f.near)
    walk(f, f.near, other_bank)
    memcpy(f.near, other_bank, n * FIELDS * sizeof(float))
    walk(f, other_bank, f.far)
    walk(f, f.far, other_bank)
    walk(f, other_bank, f.far)
    walk(f, f.far, other_bank)
    walk(f, other_bank, f.far)


cdef inline void pay_inputs(const Ctx *ctx, const State *st, Field *f, int c, float *x) noexcept nogil:
    cdef float near = 0, far = 0, crowd = 0, supply = st.supply / 80.0
    cdef int k
    for k in range(GROUNDS):
        near += f.near[c][k] * f.near[c][k]
        far += f.far[c][k] * f.far[c][k]
    for k in range(ctx.players):
        crowd += f.far[c][GROUNDS + k]
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
    cdef const float *near
    cdef const float *far
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
        near = &f.near[c][GROUNDS]
        far = &f.far[c][GROUNDS]
        near_sum = w.crowd
        far_sum = w.crowd
        for s in range(ctx.players):
            near_sum += near[s]
            far_sum += far[s]
        near_weight = (w.near_lead + w.near_closed * f.closed[c]) / near_sum
        far_weight = (w.far_lead + w.far_closed * f.closed[c]) / far_sum
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
                sum_ += f.far[c][GROUNDS + o]
            p = f.lead[c][s]
            worth[c] = f.pay[c] * p * (1 - p) * (w.far_lead + w.far_closed * f.closed[c]) / sum_
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
    """All stones, and the moves or placements that promise most by the gradient."""
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
    if found <= most:
        return found
    spread_fields(ctx, st, &f)
    weigh_cells(ctx, st, <const Weights *>mind.facts, &f)
    one_more(ctx, st, <const Weights *>mind.facts, &f, worth)
    if st.phase == PLAY:
        # ids of stones come before those of moves
        while stones < found and ids[stones] < 2 * ctx.cells:
            stones += 1
    for i in range(stones, found):
        id = ids[i]
        if st.phase == PLACE:
            value = worth[id]
        else:
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


cdef int tactics(const Mind *mind, const void *state, Turn *turns, int limit) noexcept nogil:
    """Turns that close territories to the mover's gain: a move and one stone, or a move and two."""
    cdef const Ops *ops = mind.ops
    cdef const Ctx *ctx = <const Ctx *>ops.ctx
    cdef const State *st = <const State *>state
    cdef char moved[8192]
    cdef char first[8192]
    cdef char second[8192]
    cdef uint16_t stones[16]
    cdef uint16_t more[16]
    cdef int ids[4096]
    cdef float gains[32]
    cdef Log log
    cdef int found, i, j, k, n, m, moves, gain, before, count = 0
    cdef size_t size = ops.state_size
    if st.phase != PLAY or size > sizeof(moved) or ops.max_legal > 4096 or st.supply == 0:
        return 0
    if st.step == 0:
        moves = legal(ctx, state, ids)
    else:
        moves = 1
    for i in range(moves):
        memcpy(moved, state, size)
        if st.step == 0:
            play(ctx, <State *>moved, ids[i], NULL)
            if (<State *>moved).seat != st.seat or (<State *>moved).step != 1:
                continue
        n = stone_cells(ctx, <State *>moved, stones)
        for j in range(n):
            memcpy(first, moved, size)
            log.territories = 0
            play(ctx, <State *>first, ctx.cells + stones[j], &log)
            gain = gain_of(&log, st.seat, ctx.players)
            if log.territories > 0 and gain > 0:
                count = keep_tactic(turns, gains, count, limit, gain, ids[i] if st.step == 0 else -1,
                                    ctx.cells + stones[j], -1)
            if (<State *>first).seat != st.seat or (<State *>first).step == 0 or (<State *>first).step > 2:
                continue
            before = gain
            m = stone_cells(ctx, <State *>first, more)
            for k in range(m):
                if before == 0 and more[k] < stones[j]:
                    continue        # the same two stones in the other order
                memcpy(second, first, size)
                log.territories = 0
                play(ctx, <State *>second, ctx.cells + more[k], &log)
                if log.territories > 0:
                    gain = before + gain_of(&log, st.seat, ctx.players)
                    if gain > 0:
                        count = keep_tactic(turns, gains, count, limit, gain, ids[i] if st.step == 0 else -1,
                                            ctx.cells + stones[j], ctx.cells + more[k])
    return count


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
        self.weights.crowd = weights["crowd"]
        self.weights.spread_base = weights["spread_base"]
        self.weights.spread_open = weights["spread_open"]
        self.weights.tempo = weights["tempo"]
        self.mind.ops = &self.kernel.ops
        self.mind.facts = &self.weights
        self.mind.evaluate = evaluate
        self.mind.propose = propose
        self.mind.tactics = tactics

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
                    out[PAY_INPUTS + s] = f.near[c][GROUNDS + s]
                    out[PAY_INPUTS + ctx.players + s] = f.far[c][GROUNDS + s]
                out += wide
        return cells, numbers[: len(cells) * wide]


def brain(position, weights=None):
    """The evaluation for this position's rules and board."""
    if weights is None:
        text = files("terrarium.engine").joinpath("weights/nova.json").read_text()
        weights = json.loads(text)["weights"]
    return NovaBrain(position, weights)
