"""Evaluation of Terra Nova: the expected owner and the expected points of each open cell.

From every open cell a walker makes a few random steps; borders block it. The distribution of the walkers gives two values for
a cell: which landscapes will probably be in one territory with it (if there are few, the cell is nearly enclosed and will
pay well), and whose pioneers can reach it without crossing a border. So an unfinished border already has an effect,
and the effect of a gap grows with its width. The expected points of a seat are its points so far plus the sum over cells
of expected points times expected share. The weights are trained on self-play
(`terrarium arena train nova`): each cell of each position is an example, with the points it actually brought to each seat.
Games with two players have one set of weights, games with three or four another. The highest levels use weights for two players that are then tuned by play.

The random walk is symmetric, so the same walk propagates the gradient backwards: it gives the value of one more pioneer
on each cell, and this ranks all moves at once.
"""

import array

from cpython cimport array
from libc.math cimport sqrtf
from libc.stdint cimport uint16_t, uint64_t
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
    workspace_at,
    workspace_bytes,
    find_regions,
    ground_of,
    part,
    pay_inputs,
    survey,
    walk,
)
from terrarium.engine.network cimport CHANNELS as _CHANNELS, HIDDEN as _HIDDEN, Network
from terrarium.engine.outlook cimport UNIT, Scene, describe, facts_of, inputs_of, lay_scene, load, outlook, scene_bytes
from terrarium.nova.kernel cimport PLACE, Ctx, Move, State, holds, legal, list_of

from terrarium.engine.brain import trained_weights


cdef enum:
    MOST_MOVES = 250            # the most moves proposed
    STORED_GROUNDS = 128                  # number of stored grounds
    PAY_INPUTS_OF_TWO = 10      # the first of PAY_INPUTS, which games of two players use


ctypedef struct Knowledge:
    # The weights of the evaluation, and a network for whole turns or NULL.
    Weights weights
    Network *network


cdef float likely_to_stay(const Ctx *ctx, const State *st, const Field *f, int seat) noexcept nogil:
    """The seat's pioneers, each counted by the points that its cell will probably not score: a pioneer leaves the game when its land scores.

    They are added up in the order of their cells, because the order of the kernel's list depends on the game's history.
    """
    cdef const uint16_t *cells = list_of(ctx, st, seat)
    cdef uint16_t ordered[256]
    cdef int i, j
    cdef float total = 0
    for i in range(st.count[seat]):
        j = i
        while j > 0 and ordered[j - 1] > cells[i]:
            ordered[j] = ordered[j - 1]
            j -= 1
        ordered[j] = cells[i]
    for i in range(st.count[seat]):
        total += f.most - f.pay[f.ground.places[ordered[i]]]
    return total


cdef void judge(const Ctx *ctx, const State *st, const Weights *w, const Field *f, float *shares, float *points) noexcept nogil:
    """Expected points, and expected win shares derived from them."""
    cdef float spread, total = 0
    cdef float prospects[MAX_SEATS]
    cdef float staying[MAX_SEATS]
    cdef float reserve = w.reserve / 3 * st.in_play / ctx.cells if ctx.players > 2 else 0
    cdef int s, o
    for s in range(ctx.players):
        points[s] = f.points[s]
        staying[s] = likely_to_stay(ctx, st, f, s) if ctx.players > 2 else 0
    points[st.seat] += w.tempo
    for s in range(ctx.players):
        prospects[s] = points[s] + reserve * sqrtf(f.most * staying[s])
    spread = w.spread_base + w.spread_open * f.still_open
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
    cdef const Weights *w = &(<const Knowledge *>mind.facts).weights
    cdef Field f
    survey(ctx, st, w, workspace_at(ctx, mind.workspace, STORED_GROUNDS), &f)
    judge(ctx, st, w, &f, shares, points)


cdef void assess(const Mind *mind, const void *state, float *shares) noexcept nogil:
    """The win shares by the network."""
    cdef const Ctx *ctx = <const Ctx *>mind.ops.ctx
    cdef const State *st = <const State *>state
    cdef const Knowledge *known = <const Knowledge *>mind.facts
    cdef Scene scene
    lay_scene(ctx, <char *>mind.workspace + workspace_bytes(ctx, STORED_GROUNDS), &scene)
    describe(ctx, st, &known.weights, workspace_at(ctx, mind.workspace, STORED_GROUNDS), &scene)
    outlook(ctx, st, known.network, &scene, shares)


cdef uint64_t value_key(const Mind *mind, const void *state) noexcept nogil:
    """A key of the cells, points, supply and seat; the evaluation ignores the step and the pioneers moved this turn."""
    cdef const Ctx *ctx = <const Ctx *>mind.ops.ctx
    cdef const State *st = <const State *>state
    cdef const uint64_t *scores = <const uint64_t *>&st.scores[0]
    cdef const uint64_t *cells = <const uint64_t *>holds(st)
    cdef uint64_t stall = st.stall if ctx.players > 2 and st.stall > 0 else 0
    cdef uint64_t key = <uint64_t>st.supply << 32 | stall << 16 | <uint64_t>st.resigned << 8 | st.seat
    cdef int i
    key = mixed(mixed(mixed(0, key), scores[0]), scores[1])
    # the facts are padded to a whole word
    for i in range(ctx.cells // 8 + 1):
        key = mixed(key, cells[i])
    return key


cdef void one_more(const Ctx *ctx, const State *st, const Weights *w, const Field *f, float *worth) noexcept nogil:
    """The value of one more pioneer of the mover on each place, to first order."""
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
    """All placements, all stones, and the best moves by the gradient."""
    cdef const Ctx *ctx = <const Ctx *>mind.ops.ctx
    cdef const State *st = <const State *>state
    cdef const Weights *w = &(<const Knowledge *>mind.facts).weights
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
    survey(ctx, st, w, workspace_at(ctx, mind.workspace, STORED_GROUNDS), &f)
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
        # this overwrites only ids that were already read: moves <= i - stones
        kept[j] = value
        ids[stones + j] = id
        if moves < most:
            moves += 1
    return stones + moves


cdef class NovaBrain(Brain):
    """The evaluation of Terra Nova on one board, with a network if its weights contain one."""
    cdef Knowledge known
    cdef Network network

    def __init__(self, KernelPosition position, weights):
        cdef const Ctx *ctx = <const Ctx *>position.kernel.ops.ctx
        network = weights.get("network")
        self.kernel = position.kernel
        self.known.weights = {name: value for name, value in weights.items() if name != "network"}
        self.mind.ops = &self.kernel.ops
        self.mind.facts = &self.known
        self.mind.even = 0.5
        self.mind.regard = 1
        self.mind.workspace_bytes = workspace_bytes(ctx, STORED_GROUNDS) + (scene_bytes(ctx) if ctx.players > 2 else 0)
        self.mind.evaluate = evaluate
        self.mind.value_key = value_key
        self.mind.propose = propose
        self.mind.tactics = closings
        self.mind.threats = NULL
        if network is not None:
            if ctx.players == 2:
                raise ValueError("a network needs three or four seats")
            load(&self.network, ctx.players, network["layers"], network["weights"])
            self.known.network = &self.network
            self.mind.assess = assess
            # The beam finds hardly worse turns with less than half of the positions, which pays for the network.
            self.mind.choosy = 8

    def extras(self, KernelPosition position):
        """`ownership`: the expected points of each open cell when its region is closed, and each seat's share of them."""
        found = {}
        for cell, (pay, parts) in self.ownership(position).items():
            total = sum(parts) or 1
            found[cell] = {"pay": round(pay, 2), "shares": [round(part / total, 2) for part in parts]}
        return {"ownership": found}

    def ownership(self, KernelPosition position):
        """For every open cell: its expected points, and each seat's share of them."""
        cdef const Ctx *ctx = <const Ctx *>self.mind.ops.ctx
        cdef Field f
        survey(ctx, <const State *>position.state, &self.known.weights, workspace_at(ctx, self.ready().workspace, STORED_GROUNDS), &f)
        names = position.board.cells
        return {
            names[f.ground.cells[i]]: (f.pay[i], tuple([f.lead[s][i] for s in range(ctx.players)]))
            for i in range(f.ground.count)
        }

    def network_inputs(self, KernelPosition position):
        """The inputs of the network for a position, as flat arrays: those of each open cell, its six neighbours (the number of open cells for
        none), the seat of the pioneer on it (-1 for none), and the facts of the position. Seats are counted from the mover.
        """
        cdef const Ctx *ctx = <const Ctx *>self.mind.ops.ctx
        cdef const Mind *mind = self.ready()
        cdef Scene scene
        cdef int i
        lay_scene(ctx, <char *>mind.workspace + workspace_bytes(ctx, STORED_GROUNDS), &scene)
        describe(ctx, <const State *>position.state, &self.known.weights, workspace_at(ctx, mind.workspace, STORED_GROUNDS), &scene)
        inputs = array.array("f", [scene.inputs[i][k] for i in range(scene.count) for k in range(inputs_of(ctx.players))])
        around = array.array("H", [scene.around[i] for i in range(6 * scene.count)])
        stands = array.array("b", [scene.stands[i] for i in range(scene.count)])
        return inputs, around, stands, array.array("f", [scene.facts[i] for i in range(facts_of(ctx.players))])

    def network_cells(self, KernelPosition position):
        """The names of the open cells, in the order of `network_inputs`."""
        cdef const Ctx *ctx = <const Ctx *>self.mind.ops.ctx
        cdef const Ground *ground = ground_of(
            ctx, <const State *>position.state, &self.known.weights, workspace_at(ctx, self.ready().workspace, STORED_GROUNDS)
        )
        return [position.board.cells[ground.cells[i]] for i in range(ground.count)]

    def network_shares(self, KernelPosition position):
        """The win shares by the network; the position is the start of a turn."""
        cdef float shares[MAX_SEATS]
        if self.known.network == NULL:
            raise ValueError("these weights contain no network")
        if not position.at_turn_start:
            raise ValueError(f"{position.to_text()}: the network knows only starts of turns")
        assess(self.ready(), position.state, shares)
        return tuple([shares[s] for s in range(position.players)])

    def inputs(self, KernelPosition position):
        """The inputs for training: the indices of the open cells, and for each cell the inputs of its pay and the seats' pioneers near,
        far and in the whole region.

        The numbers are one flat array of C floats, PAY_INPUTS + 3 * players for each cell.
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


CHANNELS, HIDDEN, NETWORK_UNIT = _CHANNELS, _HIDDEN, UNIT


def learnt(players):
    """The weights that games train (`arena.train_play`)."""
    leads = ["near_lead", "near_closed", "far_lead", "far_closed", "count_lead", "count_closed"]
    factors = ["spread_base", "spread_open"]
    pays = PAY_INPUTS
    if players == 2:
        pays = PAY_INPUTS_OF_TWO
    else:
        leads += ["region_lead", "region_part"]
        factors += ["reserve"]
    found = dict.fromkeys([*leads, "tempo", *(f"pay.{i}" for i in range(pays))], "sum")
    return found | dict.fromkeys(factors, "factor")


def tuned_weights(players, network):
    """The weights that win most games; None if there are none besides those that predict best.

    With three and four seats these contain a network, which may be left out.
    """
    if players == 2:
        return trained_weights("nova_play")
    return trained_weights(f"nova_network_{players}") if network else None


def brain(position, weights=None):
    """The evaluation for this position's rules and board."""
    if weights is None:
        weights = trained_weights("nova" if position.players == 2 else "nova_many")
    return NovaBrain(position, weights)
