"""Evaluation of Terra Nova: who will own which cell, and what will it pay?

From every open cell a walker takes a few random steps; borders throw it back. Where it may end gives two figures:
which landscapes will probably share a territory with the cell (few, if it is nearly walled in: then it will pay, and
pay well) and whose pioneers are near in the sense that counts, without a border between. So an unfinished wall already
has an effect, and a gap leaks in proportion to its width. The sum over cells of expected pay times expected
majority, added to the points already scored, is what a seat may expect. The weights are learnt from self-play
(`terrarium arena train nova`): each cell of each position is an example, with what it really paid and to whom. Two
players have weights of their own, three and four share theirs.

Walking is symmetric, so the same walk carries the gradient: spread backwards, it gives what one more pioneer on a cell
would be worth, and ranks all moves at once.
"""

import array

from cpython cimport array
from libc.math cimport sqrtf
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy

from terrarium.core.kernel cimport KernelPosition
from terrarium.engine.brain cimport MAX_SEATS, Brain, Mind, mixed, squash
from terrarium.engine.closing cimport closings
from terrarium.engine.land cimport (
    FIELDS,
    GROUNDS,
    MOST_CELLS,
    PAY_INPUTS,
    Field,
    Ground,
    Walk,
    Weights,
    desk_at,
    desk_bytes,
    find_regions,
    part,
    pay_inputs,
    survey,
    walk,
)
from terrarium.engine.walkers cimport nova_add_pay
from terrarium.nova.kernel cimport EMPTY, PLACE, Ctx, Move, State, holds, legal

from terrarium.engine.brain import learnt


cdef enum:
    MOST_MOVES = 250            # proposed at most
    DESK = 128                  # grounds that are stored


cdef void judge(const Ctx *ctx, const State *st, const Weights *w, const Field *f, float *shares, float *points) noexcept nogil:
    """Expected points, and from them expected parts of the win."""
    cdef float still_open, spread, total = 0
    cdef float prospects[MAX_SEATS]
    cdef float staying[MAX_SEATS]
    cdef float reserve = w.reserve / 3 * st.in_play / ctx.cells if ctx.players > 2 else 0
    cdef const uint8_t *what = holds(st)
    cdef const Ground *ground = f.ground
    cdef int i, s, o
    for s in range(ctx.players):
        points[s] = st.scores[s]
        staying[s] = 0
    still_open = nova_add_pay(ctx.players, ground.count, f.pay, f.lead, points)
    if ctx.players > 2:
        for i in range(ground.count):
            if what[ground.cells[i]] != EMPTY:
                # land that will pay takes the pioneer on it out of the game
                staying[what[ground.cells[i]] - 1] += f.most - f.pay[i]
    points[st.seat] += w.tempo
    for s in range(ctx.players):
        prospects[s] = points[s] + reserve * sqrtf(f.most * staying[s])
    spread = w.spread_base + w.spread_open * still_open
    for s in range(ctx.players):
        shares[s] = not st.resigned >> s & 1
        for o in range(ctx.players):
            if o != s and not st.resigned >> o & 1:
                shares[s] *= squash((prospects[s] - prospects[o]) / spread)
        total += shares[s]
    for s in range(ctx.players):
        shares[s] /= total


cdef void evaluate(const Mind *mind, const void *state, float *shares, float *points) noexcept nogil:
    cdef const Ctx *ctx = <const Ctx *>mind.ops.ctx
    cdef const State *st = <const State *>state
    cdef const Weights *w = <const Weights *>mind.facts
    cdef Field f
    survey(ctx, st, w, desk_at(ctx, mind.desk, DESK), &f)
    judge(ctx, st, w, &f, shares, points)


cdef uint64_t sight(const Mind *mind, const void *state) noexcept nogil:
    """A key of the cells, the points, the supply and the seat: the step and the pioneers moved this turn are not looked at."""
    cdef const Ctx *ctx = <const Ctx *>mind.ops.ctx
    cdef const State *st = <const State *>state
    cdef const uint64_t *scores = <const uint64_t *>&st.scores[0]
    cdef const uint64_t *cells = <const uint64_t *>holds(st)
    cdef uint64_t stall = st.stall if ctx.players > 2 and st.stall > 0 else 0
    cdef uint64_t key = <uint64_t>st.supply << 32 | stall << 16 | <uint64_t>st.resigned << 8 | st.seat
    cdef int i
    key = mixed(mixed(mixed(0, key), scores[0]), scores[1])
    # the block of facts ends after a whole word
    for i in range(ctx.cells // 8 + 1):
        key = mixed(key, cells[i])
    return key


cdef void one_more(const Ctx *ctx, const State *st, const Weights *w, const Field *f, float *worth) noexcept nogil:
    """What one more pioneer of the mover on each place would be worth, to first order."""
    cdef float bank[MOST_CELLS]
    cdef const Ground *ground = f.ground
    cdef int i, d, s
    cdef float total, lead
    for i in range(ground.count):
        total = w.crowd
        for s in range(ctx.players):
            total += f.far[s][i]
        lead = f.lead[st.seat][i]
        worth[i] = f.pay[i] * lead * (1 - lead) * (ground.far_lead[i] / total + 10 * ground.count_lead[i])
    for _ in range(4):
        for i in range(ground.count):
            total = worth[i]
            for d in range(6):
                total += worth[ground.around[6 * i + d]]
            bank[i] = total * <float>(1.0 / 7)
        memcpy(worth, bank, ground.count * sizeof(float))


cdef int propose(const Mind *mind, const void *state, int width, int *ids) noexcept nogil:
    """All placements, all stones, and the moves that promise most by the gradient."""
    cdef const Ctx *ctx = <const Ctx *>mind.ops.ctx
    cdef const State *st = <const State *>state
    cdef const Weights *w = <const Weights *>mind.facts
    cdef const Move *move
    cdef Field f
    cdef float worth[MOST_CELLS]
    cdef float kept[MOST_MOVES]
    cdef int found = legal(ctx, state, ids)
    cdef int most = min(4 + 4 * width, <int>MOST_MOVES)
    cdef int i, j, id, stones = 0, moves = 0
    cdef float value
    if found <= most or st.phase == PLACE:
        return found
    survey(ctx, st, w, desk_at(ctx, mind.desk, DESK), &f)
    one_more(ctx, st, w, &f, worth)
    # ids of stones come before those of moves
    while stones < found and ids[stones] < 2 * ctx.cells:
        stones += 1
    for i in range(stones, found):
        id = ids[i]
        move = &ctx.move[id - 2 * ctx.cells]
        value = worth[f.ground.places[move.target]] - worth[f.ground.places[move.source]]
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


cdef class NovaBrain(Brain):
    """The evaluation of Terra Nova on one board."""
    cdef Weights weights

    def __init__(self, KernelPosition position, weights):
        self.kernel = position.kernel
        self.weights = weights
        self.mind.ops = &self.kernel.ops
        self.mind.facts = &self.weights
        self.mind.even = 0.5
        self.mind.regard = 1
        self.mind.desk_bytes = desk_bytes(<const Ctx *>self.kernel.ops.ctx, DESK)
        self.mind.evaluate = evaluate
        self.mind.sight = sight
        self.mind.propose = propose
        self.mind.tactics = closings
        self.mind.threats = NULL

    def extras(self, KernelPosition position):
        """`ownership`: what each open cell is expected to pay when its region is closed, and each seat's part of it."""
        found = {}
        for cell, (pay, parts) in self.ownership(position).items():
            total = sum(parts) or 1
            found[cell] = {"pay": round(pay, 2), "shares": [round(part / total, 2) for part in parts]}
        return {"ownership": found}

    def ownership(self, KernelPosition position):
        """For every open cell: expected pay and the part of it that goes to each seat."""
        cdef const Ctx *ctx = <const Ctx *>self.mind.ops.ctx
        cdef Field f
        survey(ctx, <const State *>position.state, &self.weights, desk_at(ctx, self.ready().desk, DESK), &f)
        names = position.board.cells
        return {
            names[f.ground.cells[i]]: (f.pay[i], tuple([f.lead[s][i] for s in range(ctx.players)]))
            for i in range(f.ground.count)
        }

    def inputs(self, KernelPosition position):
        """What training needs: indices of the open cells, and per cell the inputs of the pay, and the seats' pioneers near, far and
        in the whole region.

        The numbers come as one flat array of C floats, PAY_INPUTS + 3 * players to a cell.
        """
        cdef const Ctx *ctx = <const Ctx *>self.mind.ops.ctx
        cdef const State *st = <const State *>position.state
        cdef Walk f
        cdef int c, s
        cdef int wide = PAY_INPUTS + 3 * ctx.players
        cdef array.array numbers = array.array("f", bytes(4 * wide * ctx.cells))
        cdef float *out = numbers.data.as_floats
        cells = []
        walk(ctx, st, FIELDS, &f)
        find_regions(ctx, st, &f)
        for c in range(f.cells):
            if f.is_open[c]:
                cells.append(c)
                pay_inputs(ctx, st, &f, c, out)
                for s in range(ctx.players):
                    out[PAY_INPUTS + s] = part(f.near[c][GROUNDS + s])
                    out[PAY_INPUTS + ctx.players + s] = part(f.far[c][GROUNDS + s])
                    out[PAY_INPUTS + 2 * ctx.players + s] = f.regions[f.region[c]].pioneers[s]
                out += wide
        return cells, numbers[: len(cells) * wide]


def brain(position, weights=None):
    """The evaluation for this position's rules and board."""
    if weights is None:
        weights = learnt("nova" if position.players == 2 else "nova_many")
    return NovaBrain(position, weights)
