"""Evaluation of Terra Turrium: an estimate of how many turns each seat needs to win.

For every flag and every height it makes a small plan: climb (or descend) one height per step over free cells, and count the
cubes that must be moved so that each cell on the way has the right height. The plans of all cells are computed at once. The cheapest assignment of the six
flags to the six heights, in cubes and steps, is the seat's distance. The distances of all seats are converted to win shares.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy, memset

from terrarium.core.kernel cimport KernelPosition, Ops
from terrarium.engine.brain cimport KNOWN_PLANS, MAX_SEATS, Brain, Mind, Plans, Turn, mixed, squash
from terrarium.engine.race cimport DEPTH as _DEPTH, MOST_FACTS, UNIT as _UNIT, WIDTH as _WIDTH, Needs, Network, describe, facts_of, load, outlook
from terrarium.engine.towers cimport around, find_wins, finds_towers, neighbour
from terrarium.engine.ways cimport cheapest, find_ways
from terrarium.turrium.kernel cimport (
    FLAGS,
    ID_CAPTURE,
    ID_CUBE,
    ID_END,
    ID_STEP,
    MOVE,
    OVER,
    TAKE,
    Cells,
    Ctx,
    State,
    begin_play,
    count,
    exterior_cells,
    first,
    has,
    height_of,
    winners_of,
)

from terrarium.engine.brain import trained_weights


cdef float UNLIKELY = 0.1       # the largest chance of a win this turn that a short search does not find
cdef float GRACE = 0.1          # fraction of the rounds after `patience` in which nothing is added to `late_lock`


cdef struct Land:
    # The used area by slot.
    uint8_t height[SLOTS]
    uint8_t is_free[SLOTS]      # all bits set if there is no flag


cdef struct Progress:
    # The position evaluated last, and the distances computed for it.
    uint64_t key                # its `value_key`, or 0
    int known                   # seats (bits) with a known distance
    float distance[MAX_SEATS]
    int missing[MAX_SEATS]      # the highest height that the seat misses
    int loose                   # cubes without a flag on them
    Land land


cdef void survey(const Notes *notes, const State *st, Land *land) noexcept nogil:
    cdef Cells towers = st.towers
    cdef int i
    memset(land, 0, sizeof(Land))
    for i in range(notes.used):
        land.height[notes.slots[notes.cells[i]]] = <uint8_t>height_of(st, notes.cells[i])
        land.is_free[notes.slots[notes.cells[i]]] = 0xFF
    while towers:
        land.is_free[notes.slots[first(towers)]] = 0
        towers &= towers - 1


cdef Progress *progress_in(const Mind *mind, const State *st) noexcept nogil:
    """What is known about a position, without distances unless it is the one of the last call."""
    cdef const Notes *notes = <const Notes *>mind.facts
    cdef Progress *found = <Progress *>mind.workspace
    cdef uint64_t key = value_key(mind, st) | 1
    cdef Cells land = st.built & ~st.towers
    if found.key != key:
        found.key = key
        found.known = 0
        found.loose = st.cubes
        while land:
            found.loose += height_of(st, first(land))
            land &= land - 1
        survey(notes, st, &found.land)
    return found


cdef void find_distance(const Mind *mind, const State *st, Progress *progress, int seat) noexcept nogil:
    if not (progress.known >> seat) & 1:
        progress.distance[seat] = distance(mind, st, &progress.land, seat, &progress.missing[seat], NULL)
        progress.known |= 1 << seat


cdef float distance(const Mind *mind, const State *st, const Land *land, int seat, int *missing, Needs *needs) noexcept nogil:
    """Roughly how many turns the seat needs to win if nobody interferes; `missing` gets the highest height it misses, `needs` the details unless it is NULL."""
    cdef const Ctx *facts = <const Ctx *>mind.ops.ctx
    cdef const Notes *notes = <const Notes *>mind.facts
    cdef const Weights *w = &notes.weights
    cdef uint8_t ways[8][FLAG_COUNT][SLOTS]
    cdef uint8_t can_take[SLOTS]
    cdef float price[FLAG_COUNT][FLAG_COUNT]
    cdef Cells flags = st.flags[seat]
    cdef Cells towers = st.flags[0] | st.flags[1] | st.flags[2] | st.flags[3]
    cdef Cells exterior = exterior_cells(st)
    cdef Cells doors = exterior & ~towers
    cdef Cells rest
    cdef int i = 0, j, c, h, t, carried, held = 0, low = 7, top = 0, cubes
    cdef uint8_t gap[8]
    cdef float value, step
    memcpy(can_take, notes.own[seat], SLOTS)
    rest = exterior & ~facts.own[seat]
    while rest:
        can_take[notes.slots[first(rest)]] = 0xFF
        rest &= rest - 1
    rest = flags
    while rest:
        h = height_of(st, first(rest))
        rest &= rest - 1
        low = min(low, h)
        top = max(top, h)
    find_ways(notes.rows * notes.width, notes.width, low, min(top, 7), land.height, land.is_free, can_take, ways)
    while flags and i < FLAG_COUNT:
        c = first(flags)
        flags &= flags - 1
        h = height_of(st, c)
        held |= 1 << (h if h < 7 else 7)
        for t in range(1, 7):
            if t == h:
                price[i][t - 1] = 0
            else:
                step = t - h if t > h else h - t
                cubes = ways[h][t - 1][notes.slots[c]] if h < 8 else FAR
                price[i][t - 1] = w.cube * min(cubes, 18) + w.step * step + w.away + w.high * t
            if needs != NULL:
                needs.cubes[i][t - 1] = <uint8_t>cubes if t != h else 0
                needs.steps[i][t - 1] = <uint8_t>(t - h if t > h else h - t)
        i += 1
    if i < FLAG_COUNT:
        # a flag in hand can enter on any exterior construction
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
                if needs != NULL:
                    needs.cubes[i][t - 1] = gap[t]
                    needs.steps[i][t - 1] = 1
            i += 1
    value = cheapest(price)
    if needs != NULL:
        needs.turns = value
    missing[0] = 6
    while missing[0] > 0 and (held >> missing[0]) & 1:
        missing[0] -= 1
    if st.to_move == seat and st.cubes:
        carried = st.cubes
        value -= w.carried * carried if value > w.carried * carried else value * 0.5
    return value


cdef int in_danger(const Mind *mind, const State *st, int seat) noexcept nogil:
    """How many of the seat's flags a rival's flag could capture within two steps."""
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
            if has(rivals, z):
                is_hit = True
                break
            if has(st.towers, z):
                continue
            for j in range(4):
                y = notes.near[z][j]
                if y != NONE and has(rivals, y) and -1 <= height_of(st, y) - hz <= 1:
                    is_hit = True
                    break
            if is_hit:
                break
        found += is_hit
    return found


cdef bint is_late_in(const Mind *mind, const State *st) noexcept nogil:
    """Whether it is so late in the game that hindering rivals no longer counts."""
    cdef const Ctx *facts = <const Ctx *>mind.ops.ctx
    cdef const Notes *notes = <const Notes *>mind.facts
    return <float>st.rounds / facts.max_rounds > notes.weights.patience * mind.regard


cdef void evaluate(const Mind *mind, const void *state, float *shares, float *points) noexcept nogil:
    cdef const Ctx *facts = <const Ctx *>mind.ops.ctx
    cdef const Notes *notes = <const Notes *>mind.facts
    cdef const Weights *w = &notes.weights
    cdef const State *st = <const State *>state
    cdef Progress *progress = progress_in(mind, st)
    cdef float turns[MAX_SEATS]
    cdef float late = <float>st.rounds / facts.max_rounds
    cdef float patience = w.patience * mind.regard
    cdef bint is_late = is_late_in(mind, st)
    # Some rounds later cubes under flags count against both sides, more with every round: a game in which neither gives up cubes stands still.
    # The share of `regard` leaves the lowest levels, whose games are short, as they are.
    cdef float lock = w.late_lock + w.urge * mind.regard * max(<float>0, late - patience - GRACE) if is_late else w.lock
    cdef float room = w.room if is_late else 0
    # vary the values a little from round to round, so that players do not repeat positions forever
    cdef float unrest = w.unrest * max(<float>0, late - patience)
    cdef uint64_t key = mind.ops.key(mind.ops.ctx, state) if unrest > 0 else 0
    cdef int s, missing
    for s in range(facts.players):
        shares[s] = 0
        points[s] = 0
        if (st.resigned >> s) & 1:
            continue
        missing = 0
        if (st.declared >> s) & 1:
            turns[s] = -4
        else:
            find_distance(mind, st, progress, s)
            turns[s] = progress.distance[s]
            missing = progress.missing[s]
            if st.phase != FLAGS and st.to_move != s:
                turns[s] += w.threat * in_danger(mind, st, s)
        if st.to_move == s:
            turns[s] -= w.tempo
        points[s] = turns[s]
        # with too few free cubes no seat makes progress
        turns[s] += lock * max(<float>0, missing + room - progress.loose) + unrest * <float>((key >> (8 * s)) & 255) / 255
    if st.declared and mind.is_thorough:
        divide(mind, st, turns, shares)
    else:
        compare(mind, st, turns, 0 if is_late else w.rivalry, shares)


cdef void compare(const Mind *mind, const State *st, const float *turns, float rivalry, float *shares) noexcept nogil:
    """Win shares from the turns that each seat still needs."""
    cdef const Ctx *facts = <const Ctx *>mind.ops.ctx
    cdef const Notes *notes = <const Notes *>mind.facts
    cdef const Weights *w = &notes.weights
    cdef float rival
    cdef int s, o
    for s in range(facts.players):
        if (st.resigned >> s) & 1:
            continue
        rival = 1e9
        for o in range(facts.players):
            if o != s and not (st.resigned >> o) & 1 and turns[o] < rival:
                rival = turns[o]
        # shares need not add up to 1, so that there is nothing to gain from only hindering others
        shares[s] = squash((rivalry * rival + (1 - rivalry) * w.par - turns[s]) / w.spread)


cdef void divide(const Mind *mind, const State *st, const float *turns, float *shares) noexcept nogil:
    """Win shares in the last round (TT-15): only the seats still to play can win too."""
    cdef const Ctx *facts = <const Ctx *>mind.ops.ctx
    cdef float chance[MAX_SEATS]
    cdef float part
    cdef State copy
    cdef Turn turn
    cdef int s, winners, effort = ROOT_LAST_EFFORT if mind.is_root else LAST_EFFORT
    cdef bint is_start = st.phase == TAKE and st.cubes == 0
    for s in range(facts.players):
        chance[s] = (st.declared >> s) & 1
        if chance[s] > 0 or (st.resigned >> s) & 1 or s < st.to_move:
            continue
        # a seat that is nearer to its towers has a better chance, so that the search for a last turn has a direction
        chance[s] = UNLIKELY * squash(2 * (1 - turns[s]))
        if is_start:
            memcpy(&copy, st, sizeof(State))
            begin_play(facts, &copy, s, NULL)
            if copy.to_move == s and finds_towers(facts, &copy, effort, clears_lines(mind), &turn):
                chance[s] = 1 - UNLIKELY
    for winners in range(1, 1 << facts.players):
        part = 1
        for s in range(facts.players):
            part *= chance[s] if (winners >> s) & 1 else 1 - chance[s]
        part /= count(winners)
        for s in range(facts.players):
            if (winners >> s) & 1:
                shares[s] += part


cdef void describe_in(const Mind *mind, const State *st, float *facts) noexcept nogil:
    """The inputs of the network for a position in which a turn begins."""
    cdef const Ctx *ctx = <const Ctx *>mind.ops.ctx
    cdef Needs needs[MAX_SEATS]
    cdef Land land
    cdef int s, missing
    survey(<const Notes *>mind.facts, st, &land)
    for s in range(ctx.players):
        distance(mind, st, &land, s, &missing, &needs[s])
    describe(ctx, st, needs, clears_lines(mind), facts)


cdef void assess(const Mind *mind, const void *state, float *shares) noexcept nogil:
    """The win shares by the network; in the last round, and after many rounds, those of the evaluation remain."""
    cdef const State *st = <const State *>state
    cdef const Notes *notes = <const Notes *>mind.facts
    cdef float facts[MOST_FACTS]
    cdef float found[MAX_SEATS]
    cdef int s
    if st.declared or is_late_in(mind, st):
        return
    describe_in(mind, st, facts)
    outlook(<const Ctx *>mind.ops.ctx, st, notes.network, facts, found)
    for s in range(mind.ops.seats):
        shares[s] = notes.trust * found[s] + (1 - notes.trust) * shares[s]


cdef bint has_winners(const Mind *mind, const void *state) noexcept nogil:
    return winners_of(<const Ctx *>mind.ops.ctx, <const State *>state) != 0


cdef bint estimate(const Mind *mind, const void *state, int action, int seat, const float *before, float *shares) noexcept nogil:
    """The shares if an action changes only the mover's distance; none for captures, and late in the game, when more than distances counts."""
    cdef const Notes *notes = <const Notes *>mind.facts
    cdef const Weights *w = &notes.weights
    cdef const State *st = <const State *>state
    cdef Progress *progress
    cdef float turns[MAX_SEATS]
    if ID_CAPTURE <= action < ID_END or st.declared or is_late_in(mind, st):
        return False
    progress = progress_in(mind, st)
    find_distance(mind, st, progress, seat)
    memcpy(turns, before, sizeof(turns))
    turns[seat] = progress.distance[seat] + w.lock * max(<float>0, <float>(progress.missing[seat] - progress.loose))
    if st.to_move == seat:
        turns[seat] -= w.tempo
    compare(mind, st, turns, w.rivalry, shares)
    return True


cdef uint64_t value_key(const Mind *mind, const void *state) noexcept nogil:
    """A key of cubes, flags, seat and round; the evaluation ignores the points left and the number of attacks."""
    cdef const Ctx *facts = <const Ctx *>mind.ops.ctx
    cdef const Notes *notes = <const Notes *>mind.facts
    cdef const State *st = <const State *>state
    if st.rounds > notes.weights.patience * mind.regard * facts.max_rounds:
        return mind.ops.key(mind.ops.ctx, state)  # after many rounds the value depends on the whole position: see `unrest`
    return mixed(
        st.board_key,
        <uint64_t>st.rounds << 40
        | <uint64_t>st.to_move << 32
        | <uint64_t>st.cubes << 24
        | <uint64_t>st.resigned << 16
        | <uint64_t>st.declared << 8
        | (st.phase == FLAGS),
    )


cdef int propose(const Mind *mind, const void *state, int width, int *ids) noexcept nogil:
    """Legal actions near the flags; cubes are taken from cells where they are not needed."""
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
            # take cubes away from the mover's flags, or near a rival's
            if has(ring, c) and not has(rivals_ring, c) and width < 8:
                continue
            if takes >= most and not has(rivals_ring, c):
                continue
            takes += 1
        elif ids[i] < ID_STEP:
            if not has(second, c) and not has(rivals_ring, c):
                continue
        ids[kept] = ids[i]
        kept += 1
    if kept == 0:
        return ops.legal(ops.ctx, state, ids)
    return kept


cdef bint clears_lines(const Mind *mind) noexcept nogil:
    """Whether a search for a win also clears lines for flags that enter; with three and four players nearly all wins need flags that enter."""
    return mind.is_thorough and mind.ops.seats > 2


cdef int tactics(const Mind *mind, const void *state, Turn *turns, int limit) noexcept nogil:
    """A turn that completes the mover's towers, if there is one; several if others could then complete theirs in the last round."""
    cdef const Ctx *facts = <const Ctx *>mind.ops.ctx
    cdef const State *st = <const State *>state
    cdef int later = ((1 << facts.players) - 1) & ~((2 << st.to_move) - 1) & ~st.resigned
    if mind.is_root and mind.is_thorough and later:
        return find_wins(facts, st, ROOT_WIN_EFFORT, clears_lines(mind), turns, limit)
    return finds_towers(facts, st, ROOT_WIN_EFFORT if mind.is_root else WIN_EFFORT, clears_lines(mind), &turns[0])


cdef int threats(const Mind *mind, const void *state, int seats, bint is_again, Plans *known) noexcept nogil:
    """Which of these seats would complete their towers if it were their turn now, as bits.

    None after many rounds, because a player who only stops others never wins.
    """
    cdef const Ctx *facts = <const Ctx *>mind.ops.ctx
    cdef const Notes *notes = <const Notes *>mind.facts
    cdef const State *st = <const State *>state
    cdef State copy
    cdef int seat, found = 0, effort = AGAIN_EFFORT if is_again else THREAT_EFFORT
    if mind.is_root:
        effort = ROOT_AGAIN_EFFORT if is_again else ROOT_THREAT_EFFORT
    if st.phase == FLAGS or st.phase == OVER or st.declared:
        return 0
    if st.rounds > notes.weights.patience * mind.regard * facts.max_rounds:
        return 0
    for seat in range(facts.players):
        if not (seats >> seat) & 1 or (st.resigned >> seat) & 1:
            continue
        memcpy(&copy, st, sizeof(State))
        begin_play(facts, &copy, seat, NULL)
        if copy.to_move == seat and (is_known(mind.ops, &copy, seat, known) or is_found(mind, &copy, seat, effort, known)):
            found |= 1 << seat
    return found


cdef bint is_known(const Ops *ops, const State *start, int seat, const Plans *known) noexcept nogil:
    """Whether a winning turn found earlier still works, which is cheaper to check than a new search."""
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


cdef bint is_found(const Mind *mind, const State *start, int seat, int effort, Plans *known) noexcept nogil:
    cdef int slot = known.count % KNOWN_PLANS
    if not finds_towers(<const Ctx *>mind.ops.ctx, start, effort, clears_lines(mind), &known.turns[slot]):
        return False
    known.seats[slot] = seat
    known.count += 1
    return True


cdef class TurriumBrain(Brain):
    """The evaluation of Terra Turrium for one set of rules."""

    def __init__(self, KernelPosition position, weights):
        cdef const Ctx *facts
        cdef int c, k, s, other, row
        network = weights.get("network")
        self.kernel = position.kernel
        facts = <const Ctx *>self.kernel.ops.ctx
        self.notes.weights = {name: value for name, value in weights.items() if name != "network"}
        row = first(facts.used) // 10  # the used area is a square around the centre
        self.notes.rows = 10 - 2 * row
        self.notes.width = self.notes.rows + 1
        for c in range(100):
            if has(facts.used, c):
                self.notes.cells[self.notes.used] = c
                self.notes.used += 1
                self.notes.slots[c] = (c // 10 - row) * self.notes.width + c % 10 - row
                for s in range(facts.players):
                    self.notes.own[s][self.notes.slots[c]] = 0xFF if has(facts.own[s], c) else 0
        for c in range(100):
            for k in range(4):
                other = neighbour(facts, c, k)
                self.notes.near[c][k] = other if other >= 0 else NONE
        self.steady = self.notes
        self.steady.weights.unrest = 0
        self.mind.ops = &self.kernel.ops
        self.mind.facts = &self.notes
        self.mind.even = 0.02   # very low, because wins are rare and it is easy to block every win
        self.mind.regard = 1
        self.mind.are_tactics_wins = True
        if facts.players > 2:
            # large boards have many actions: narrow beams look at more positions
            self.mind.inner_width = 3
            self.mind.leaf_width = 1
            self.mind.choosy = 8
        self.mind.hostility = 0.5 if facts.players == 2 else 0  # measured only for two players: docs/methods.md
        self.mind.workspace_bytes = sizeof(Progress)
        self.mind.evaluate = evaluate
        self.mind.estimate = estimate
        self.mind.has_winners = has_winners
        self.mind.value_key = value_key
        self.mind.propose = propose
        self.mind.tactics = tactics
        self.mind.threats = threats
        # it has seen no games of the variant, nor of two players on the larger area
        if network is not None and not facts.is_burgenland and not (facts.players == 2 and self.notes.rows > 6):
            load(&self.network, facts.players, network["weights"])
            self.notes.network = &self.network
            self.notes.trust = network.get("trust", 1)
            self.mind.assess = assess

    def evaluate(self, KernelPosition position):
        """Expected win share of each seat, and its turns to win, without the variation that a search adds after many rounds."""
        cdef float shares[MAX_SEATS]
        cdef float points[MAX_SEATS]
        cdef Mind mind = self.ready()[0]
        cdef int seats = mind.ops.seats
        mind.facts = &self.steady
        evaluate(&mind, position.state, shares, points)
        return tuple([shares[s] for s in range(seats)]), tuple([points[s] for s in range(seats)])

    def network_facts(self, KernelPosition position):
        """The inputs of the network for a position in which a turn begins. Seats are counted from the mover."""
        cdef float facts[MOST_FACTS]
        cdef Mind mind = self.ready()[0]
        mind.is_thorough = True
        describe_in(&mind, <const State *>position.state, facts)
        return [facts[i] for i in range(facts_of(mind.ops.seats))]

    def network_shares(self, KernelPosition position):
        """The win shares by the network for a position in which a turn begins."""
        cdef float facts[MOST_FACTS]
        cdef float shares[MAX_SEATS]
        cdef Mind mind = self.ready()[0]
        if self.notes.network == NULL:
            raise ValueError("these weights contain no network")
        if not position.at_turn_start:
            raise ValueError(f"{position.to_text()}: the network knows only starts of turns")
        mind.is_thorough = True
        describe_in(&mind, <const State *>position.state, facts)
        outlook(<const Ctx *>mind.ops.ctx, <const State *>position.state, self.notes.network, facts, shares)
        return tuple([shares[s] for s in range(mind.ops.seats)])

    def extras(self, KernelPosition position):
        """`turns_to_win`: roughly how many turns each seat still needs."""
        return {"turns_to_win": [round(max(0.0, turns), 1) for turns in self.evaluate(position)[1]]}


NETWORK_WIDTH, NETWORK_DEPTH, NETWORK_UNIT = _WIDTH, _DEPTH, _UNIT


def facts_count(players):
    """The number of inputs of the network."""
    return facts_of(players)


def learnt(players):
    """The weights that games train (`arena.train_play`).

    The weight of hindering rivals relative to own progress (`rivalry`, `par`, `spread`) and the changes late in the game are set by hand,
    because players who only hinder each other never finish.
    """
    return dict.fromkeys(("cube", "step", "away", "high", "lock", "hand", "threat", "carried", "tempo"), "factor")


def tuned_weights(players, network):
    """The weights that win most games; None without a network: then there are none besides the usual ones."""
    return trained_weights(f"turrium_network_{players}") if network else None


def brain(position, weights=None):
    """The evaluation for this position's rules, with a network if its weights contain one."""
    return TurriumBrain(position, trained_weights("turrium") if weights is None else weights)
