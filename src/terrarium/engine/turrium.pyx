"""Evaluation of Terra Turrium: how many turns is each seat away from standing on 1, 2, 3, 4, 5 and 6?

For every flag and every height a small plan is made: climb (or descend) one height a step over free cells, and count the
cubes that must be moved so that each cell on the way has the height it needs. The cheapest assignment of the six
flags to the six heights, in cubes and steps, is the seat's distance. Distances of all seats become win shares.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy, memset

from terrarium.core.kernel cimport KernelPosition, Ops
from terrarium.engine.brain cimport KNOWN_PLANS, MAX_SEATS, Brain, Mind, Plans, Turn, squash
from terrarium.engine.towers cimport around, finds_towers, neighbour
from terrarium.turrium.kernel cimport (
    FLAGS,
    ID_CUBE,
    ID_STEP,
    MOVE,
    OVER,
    Cells,
    Ctx,
    State,
    begin_play,
    count,
    exterior_cells,
    first,
    height_of,
)

from terrarium.engine.brain import learnt


cdef void climb(const Notes *notes, const State *st, Cells free_land, Cells robbable, int start, int way, uint8_t *cubes) noexcept nogil:
    """Cubes to move so that a flag on `start` can go up (way 1) or down (-1) to each height; steps are the difference."""
    cdef uint8_t cost[101]
    cdef uint8_t next_cost[101]
    cdef uint8_t frontier[101]
    cdef uint8_t reached[101]
    cdef int h = height_of(st, start), level = h, size = 1, grown, i, k, z, price, have, best
    frontier[0] = start
    memset(cost, FAR, 101)
    cost[start] = 0
    while True:
        level += way
        if level < 1 or level > 6:
            return
        memset(next_cost, FAR, 101)
        grown = 0
        best = FAR
        for i in range(size):
            for k in range(4):
                z = notes.near[frontier[i]][k]
                if z == NONE or not (free_land >> z) & 1:
                    continue
                have = height_of(st, z)
                price = cost[frontier[i]]
                if have <= level:
                    price += level - have
                elif (robbable >> z) & 1:
                    price += have - level
                else:
                    price += 2 * (have - level) + 2
                if price >= FAR:
                    continue
                if next_cost[z] == FAR:
                    reached[grown] = z
                    grown += 1
                if price < next_cost[z]:
                    next_cost[z] = price
                    if price < best:
                        best = price
        cubes[level] = best
        if grown == 0:
            return
        memcpy(cost, next_cost, 101)
        memcpy(frontier, reached, grown)
        size = grown


cdef float distance(const Mind *mind, const State *st, int seat, int *missing) noexcept nogil:
    """Turns that the seat needs to win if nobody interferes, roughly; `missing` is the highest height it has not."""
    cdef const Ctx *facts = <const Ctx *>mind.ops.ctx
    cdef const Notes *notes = <const Notes *>mind.facts
    cdef const Weights *w = &notes.weights
    cdef uint8_t cubes[FLAG_COUNT][8]
    cdef float price[FLAG_COUNT][FLAG_COUNT]
    cdef float best[64]
    cdef Cells flags = st.flags[seat]
    cdef Cells towers = st.flags[0] | st.flags[1] | st.flags[2] | st.flags[3]
    cdef Cells free_land = facts.used & ~towers
    cdef Cells exterior = exterior_cells(st)
    cdef Cells robbable = free_land & (facts.own[seat] | exterior)
    cdef Cells doors = exterior & ~towers
    cdef int i = 0, j, c, h, t, mask, carried, used, held = 0
    cdef uint8_t gap[8]
    cdef float value, step
    memset(cubes, FAR, sizeof(cubes))
    while flags and i < FLAG_COUNT:
        c = first(flags)
        flags &= flags - 1
        h = height_of(st, c)
        held |= 1 << (h if h < 7 else 7)
        climb(notes, st, free_land, robbable, c, 1, cubes[i])
        climb(notes, st, free_land, robbable, c, -1, cubes[i])
        for t in range(1, 7):
            if t == h:
                price[i][t - 1] = 0
            else:
                step = t - h if t > h else h - t
                price[i][t - 1] = w.cube * min(<int>cubes[i][t], 18) + w.step * step + w.away + w.high * t
        i += 1
    if i < FLAG_COUNT:
        # a flag in hand enters on any exterior construction
        memset(gap, 9, sizeof(gap))
        while doors:
            c = first(doors)
            doors &= doors - 1
            h = height_of(st, c)
            for t in range(1, 7):
                j = t - h if t > h else h - t
                if j < gap[t]:
                    gap[t] = j
        while i < FLAG_COUNT:
            for t in range(1, 7):
                price[i][t - 1] = w.hand + w.cube * gap[t] + w.step + w.high * t
            i += 1
    best[0] = 0
    for mask in range(1, 64):
        best[mask] = 1e9
        used = count(mask)
        for t in range(6):
            if (mask >> t) & 1:
                value = best[mask ^ (1 << t)] + price[used - 1][t]
                if value < best[mask]:
                    best[mask] = value
    value = best[63]
    missing[0] = 6
    while missing[0] > 0 and (held >> missing[0]) & 1:
        missing[0] -= 1
    if st.to_move == seat and st.cubes:
        carried = st.cubes
        value -= w.carried * carried if value > w.carried * carried else value * 0.5
    return value


cdef int in_danger(const Mind *mind, const State *st, int seat) noexcept nogil:
    """How many of the seat's flags a rival's flag could step onto within two steps."""
    cdef const Ctx *facts = <const Ctx *>mind.ops.ctx
    cdef const Notes *notes = <const Notes *>mind.facts
    cdef Cells rivals = 0, flags = st.flags[seat]
    cdef int s, c, k, z, j, y, found = 0, h, hz
    cdef bint is_hit
    for s in range(facts.players):
        if s != seat and not (st.resigned >> s) & 1:
            rivals |= st.flags[s]
    while flags:
        c = first(flags)
        flags &= flags - 1
        h = height_of(st, c)
        is_hit = False
        for k in range(4):
            z = notes.near[c][k]
            if z == NONE:
                continue
            hz = height_of(st, z)
            if hz == 0 or hz - h > 1 or h - hz > 1:
                continue
            if (rivals >> z) & 1:
                is_hit = True
                break
            if (st.towers >> z) & 1:
                continue
            for j in range(4):
                y = notes.near[z][j]
                if y != NONE and (rivals >> y) & 1 and -1 <= height_of(st, y) - hz <= 1:
                    is_hit = True
                    break
            if is_hit:
                break
        found += is_hit
    return found


cdef void evaluate(const Mind *mind, const void *state, float *shares, float *points) noexcept nogil:
    cdef const Ctx *facts = <const Ctx *>mind.ops.ctx
    cdef const Notes *notes = <const Notes *>mind.facts
    cdef const Weights *w = &notes.weights
    cdef const State *st = <const State *>state
    cdef float turns[MAX_SEATS]
    cdef float rival
    cdef float late = <float>st.rounds / facts.max_rounds
    cdef bint is_late = late > w.patience
    cdef float rivalry = 0 if is_late else w.rivalry
    cdef float lock = w.late_lock if is_late else w.lock
    cdef float room = w.room if is_late else 0
    # who went round in circles for long should try something else: the same cells look a little different each round
    cdef float unrest = w.unrest * max(<float>0, late - w.patience)
    cdef uint64_t key = mind.ops.key(mind.ops.ctx, state) if unrest > 0 else 0
    cdef Cells land = st.built & ~st.towers
    cdef int s, o, missing, loose = st.cubes
    while land:
        loose += height_of(st, first(land))
        land &= land - 1
    for s in range(facts.players):
        shares[s] = 0
        points[s] = 0
        if (st.resigned >> s) & 1:
            continue
        missing = 0
        if (st.declared >> s) & 1:
            turns[s] = -4
        else:
            turns[s] = distance(mind, st, s, &missing)
            if st.phase != FLAGS and st.to_move != s:
                turns[s] += w.threat * in_danger(mind, st, s)
        if st.to_move == s:
            turns[s] -= w.tempo
        points[s] = turns[s]
        # with too few free cubes nobody gets on
        turns[s] += lock * max(<float>0, missing + room - loose) + unrest * <float>((key >> (8 * s)) & 255) / 255
    for s in range(facts.players):
        if (st.resigned >> s) & 1:
            continue
        rival = 1e9
        for o in range(facts.players):
            if o != s and not (st.resigned >> o) & 1 and turns[o] < rival:
                rival = turns[o]
        # shares need not add up to one: who only hinders others gets nowhere
        shares[s] = squash((rivalry * rival + (1 - rivalry) * w.par - turns[s]) / w.spread)


cdef int propose(const Mind *mind, const void *state, int width, int *ids) noexcept nogil:
    """Legal actions near the flags; takes from where they are not needed."""
    cdef const Ops *ops = mind.ops
    cdef const Ctx *facts = <const Ctx *>ops.ctx
    cdef const State *st = <const State *>state
    cdef int found = ops.legal(ops.ctx, state, ids)
    cdef int i, kept = 0, c, seat = st.to_move, most
    cdef Cells mine, theirs = 0, ring, second, rivals_ring
    cdef int s, takes = 0
    if found <= 4 or st.phase == MOVE or st.phase == FLAGS:
        return found
    for s in range(facts.players):
        if s != seat:
            theirs |= st.flags[s]
    mine = st.flags[seat]
    ring = around(mine) & facts.used
    second = ring | (around(ring) & facts.used)
    rivals_ring = around(theirs) & facts.used
    most = 3 + 2 * width
    for i in range(found):
        c = ids[i] % 100
        if ids[i] < ID_CUBE:
            # take what stands low and away from the own flags, or what a rival needs
            if (ring >> c) & 1 and not (rivals_ring >> c) & 1 and width < 8:
                continue
            if takes >= most and not (rivals_ring >> c) & 1:
                continue
            takes += 1
        elif ids[i] < ID_STEP:
            if not (second >> c) & 1 and not (rivals_ring >> c) & 1:
                continue
        ids[kept] = ids[i]
        kept += 1
    if kept == 0:
        return ops.legal(ops.ctx, state, ids)
    return kept


cdef int tactics(const Mind *mind, const void *state, Turn *turns, int limit) noexcept nogil:
    """The turn that completes the own towers, where there is one."""
    return finds_towers(<const Ctx *>mind.ops.ctx, <const State *>state, WIN_EFFORT, &turns[0])


cdef int threats(const Mind *mind, const void *state, int seats, Plans *known) noexcept nogil:
    """Which of these seats would complete their towers if it were their turn now, as bits.

    After many rounds nobody is told any more: who only stops others never gets on.
    """
    cdef const Ctx *facts = <const Ctx *>mind.ops.ctx
    cdef const Notes *notes = <const Notes *>mind.facts
    cdef const State *st = <const State *>state
    cdef State copy
    cdef int seat, found = 0
    if st.phase == FLAGS or st.phase == OVER or st.declared:
        return 0
    if st.rounds > notes.weights.patience * facts.max_rounds:
        return 0
    for seat in range(facts.players):
        if not (seats >> seat) & 1 or (st.resigned >> seat) & 1:
            continue
        memcpy(&copy, st, sizeof(State))
        begin_play(facts, &copy, seat, NULL)
        if copy.to_move == seat and (is_known(mind.ops, &copy, seat, known) or is_found(facts, &copy, seat, known)):
            found |= 1 << seat
    return found


cdef bint is_known(const Ops *ops, const State *start, int seat, const Plans *known) noexcept nogil:
    """Whether a winning turn found before still works: cheaper than to hunt for one."""
    cdef State state
    cdef const Turn *turn
    cdef int i, j
    for i in range(min(known.count, KNOWN_PLANS)):
        if known.seats[i] != seat:
            continue
        turn = &known.turns[i]
        memcpy(&state, start, sizeof(State))
        for j in range(turn.length):
            if state.to_move != seat or not ops.is_legal(ops.ctx, &state, turn.ids[j]):
                break
            ops.apply(ops.ctx, &state, turn.ids[j])
        if (state.declared >> seat) & 1:
            return True
    return False


cdef bint is_found(const Ctx *facts, const State *start, int seat, Plans *known) noexcept nogil:
    cdef int slot = known.count % KNOWN_PLANS
    if not finds_towers(facts, start, THREAT_EFFORT, &known.turns[slot]):
        return False
    known.seats[slot] = seat
    known.count += 1
    return True


cdef class TurriumBrain(Brain):
    """What the engine knows of Terra Turrium for one set of rules."""

    def __init__(self, KernelPosition position, weights):
        cdef const Ctx *facts
        cdef int c, k, other
        self.kernel = position.kernel
        facts = <const Ctx *>self.kernel.ops.ctx
        self.notes.weights = weights
        for c in range(100):
            for k in range(4):
                other = neighbour(facts, c, k)
                self.notes.near[c][k] = other if other >= 0 else NONE
        self.mind.ops = &self.kernel.ops
        self.mind.facts = &self.notes
        self.mind.even = 0.02   # here nobody wins it, and to block everything is easy
        self.mind.hostility = 0.5 if facts.players == 2 else 0  # measured for two only: docs/methods.md
        self.mind.evaluate = evaluate
        self.mind.propose = propose
        self.mind.tactics = tactics
        self.mind.threats = threats

    def extras(self, KernelPosition position):
        """`turns_to_win`: about how many turns each seat still needs."""
        return {"turns_to_win": [round(max(0.0, turns), 1) for turns in self.evaluate(position)[1]]}


def brain(position, weights=None):
    """The evaluation for this position's rules."""
    return TurriumBrain(position, learnt("turrium") if weights is None else weights)
