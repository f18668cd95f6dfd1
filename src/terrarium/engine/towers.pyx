"""Terra Turrium: search for a turn that completes the towers of the seat to move (TT-14).

A turn moves cubes before flags, but the search plans the flags first. It moves flags step by step over cells whose heights are
not fixed yet. Every step fixes the height that its cell must have, and the search counts the cubes needed for that. Plans that
lead to the same flags and heights are searched once. A plan that brings the flags to 1, 2, 3, 4, 5 and 6 is
then played by the rules from the first cube on; it counts only if the rules allow all of it.
"""

from libc.stdint cimport int8_t, int16_t, uint8_t, uint64_t
from libc.stdlib cimport abs
from libc.string cimport memcpy, memset

from terrarium.core.kernel cimport KernelPosition
from terrarium.engine.brain cimport MAX_TURN, Turn
from terrarium.turrium.kernel cimport (
    FLAGS,
    ID_CAPTURE,
    ID_CUBE,
    ID_END,
    ID_STEP,
    ID_TAKE,
    MAX_TAKES,
    MOVE,
    OVER,
    PLACE,
    POINTS,
    TAKE,
    Cells,
    Ctx,
    State,
    apply_traced,
    bit,
    capture_targets,
    count,
    exterior_cells,
    first,
    has,
    height_of,
    is_legal,
    nth,
    takable,
)

cdef enum:
    SEEN = 1 << 13              # the most plans remembered, a power of two
    FEW_SEEN = 1 << 8           # the same in a search of few plans, which must begin quickly
    FEW = 500                   # plans of such a search, at most
    MORE_EFFORT = 300           # plans tried for more wins after the first
    VARIANTS = 8                # turns tried for each plan that wins, if several are wanted
    OPEN = -1                   # a height not fixed yet
    MOST_MOVES = 772            # of flags in one position of a plan: 6 flags to 4 neighbours with 3 heights, or entering 100 cells with 7 heights
    NOWHERE = 100               # more than the cost of any plan


cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    /* Lower bounds of the cost to bring a flag of height `have` from a cell to each height. In C, because the compiler vectorises loops of constant size. */
    static inline void tt_costs(const uint8_t *restrict ways, uint8_t have, uint8_t *restrict costs) {
        for (uint8_t t = 0; t < 8; t++) {
            uint8_t want = t + 1, away = have > want ? have - want : want - have, way = ways[t];
            uint8_t more = way > away ? way : away;
            costs[t] = away ? more : 0;
        }
    }

    /* Assignments of heights to flags: bit m of by_points[c] means that the flags so far can have the heights in m for c points. `none` stays empty, so that
    all sets can be shifted to more points at once. */
    typedef struct { uint64_t none[8], by_points[8]; } tt_sets;
    static const tt_sets tt_no_flags = {{0}, {1}};

    static inline void tt_add_flag(tt_sets *sets, const uint8_t costs[8], int limit) {
        static const uint64_t lacking[6] = {
            0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F, 0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF, 0x00000000FFFFFFFF
        };
        uint64_t next[8] = {0};
        for (int t = 0; t < 6; t++) {
            if (costs[t] > limit) continue;
            const uint64_t *before = (const uint64_t *)sets + 8 - costs[t];
            for (int c = 0; c < 8; c++) next[c] |= (before[c] & lacking[t]) << (uint64_t)(1 << t);
        }
        for (int c = 0; c < 8; c++) sets->by_points[c] = next[c];
    }

    /* A lower bound of the cost to bring all flags to the six heights; 100 if that is more than the limit, which is at most 5. */
    static inline int tt_total(const uint8_t costs[6][8], int limit) {
        tt_sets sets = tt_no_flags;
        for (int i = 0; i < 6; i++) tt_add_flag(&sets, costs[i], limit);
        for (int c = 0; c <= limit; c++)
            if (sets.by_points[c] >> 63) return c;
        return 100;
    }

    /* Lower bounds of the cost of all flags except one, by that flag and the height left for it; 100 if that is more than the limit. The last
    number of each row has a bit for each height whose bound is within the limit. */
    static inline void tt_others(const uint8_t costs[6][8], int limit, uint8_t others[6][8]) {
        for (int half = 0; half < 6; half += 3) {
            tt_sets base = tt_no_flags;
            for (int i = 3 - half; i < 6 - half; i++) tt_add_flag(&base, costs[i], limit);
            for (int i = half; i < half + 3; i++) {
                tt_sets sets = base;
                for (int j = half; j < half + 3; j++)
                    if (j != i) tt_add_flag(&sets, costs[j], limit);
                memset(others[i], 100, 6);
                others[i][7] = 0;
                for (int c = limit; c >= 0; c--) {
                    for (int t = 0; t < 6; t++) {
                        if (sets.by_points[c] >> (63 ^ 1 << t) & 1) {
                            others[i][t] = c;
                            others[i][7] |= 1 << t;
                        }
                    }
                }
            }
        }
    }

    static inline int tt_lowest(unsigned heights) { return __builtin_ctz(heights); }

    /* The same bounds if the flag has a height (the index plus one) and may go from it to any other without a detour. */
    static inline void tt_straight(const uint8_t *others, uint8_t *straight) {
        memcpy(straight, others, 6);
        for (int t = 1; t < 6; t++) straight[t] = straight[t - 1] < straight[t] ? straight[t - 1] + 1 : straight[t];
        for (int t = 4; t >= 0; t--) straight[t] = straight[t + 1] < straight[t] ? straight[t + 1] + 1 : straight[t];
    }

    /* A lower bound of the cost of all flags if one has the height `have` on a cell with these ways and the others cost `others`. If it is more than
    the limit, it may be too low. */
    static inline int tt_with(const uint8_t *ways, int have, const uint8_t *others, const uint8_t *straight, int limit) {
        int least = 100;
        if (have >= 1 && have <= 6) {
            int bound = straight[have - 1];
            if (bound > limit || bound == others[have - 1]) return bound;
        }
        for (unsigned heights = others[7]; heights; heights &= heights - 1) {
            int t = __builtin_ctz(heights), away = have > t + 1 ? have - t - 1 : t + 1 - have;
            int sum = others[t] + (away > 0 && ways[t] > away ? ways[t] : away);
            least = sum < least ? sum : least;
        }
        return least;
    }
    """
    int lowest "tt_lowest"(unsigned heights) noexcept nogil
    void costs_of "tt_costs"(const uint8_t *ways, uint8_t have, uint8_t *costs) noexcept nogil
    int total_of "tt_total"(const uint8_t (*costs)[8], int limit) noexcept nogil
    void others_of "tt_others"(const uint8_t (*costs)[8], int limit, uint8_t (*others)[8]) noexcept nogil
    void straight_of "tt_straight"(const uint8_t *others, uint8_t *straight) noexcept nogil
    int with_others "tt_with"(const uint8_t *ways, int have, const uint8_t *others, const uint8_t *straight, int limit) noexcept nogil


cdef Cells COLUMN_A = 0
cdef Cells COLUMN_J = 0
for _row in range(10):
    COLUMN_A |= bit(10 * _row)
    COLUMN_J |= bit(10 * _row + 9)


cdef struct Hunt:
    const Ctx *facts
    const State *start
    int seat
    int takes                   # cubes that may still be taken
    int hand                    # cubes in hand at the start
    bint must_take              # the turn has not begun, so at least one cube must be taken
    Cells exterior
    Cells own_land
    Cells fixed_land            # towers at the start: their heights can't change
    Cells targets               # flags of rivals that may be captured
    Cells flags                 # own flags in the plan
    Cells rivals                # flags of rivals in the plan
    uint8_t ways[100][8]        # steps from a cell to the nearest cell that can have a height, by height - 1
    int8_t needs[100]           # the height that a cell must have, or OPEN
    Cells planned               # cells whose height is fixed
    Cells indoors               # other cells where flags can enter if a line from them to the edge is cleared
    Cells lines[100]            # for each of these, the cells of that line
    Cells blocks[100]           # the constructions on it
    int8_t clearing[100]        # and their cubes
    int raised, lowered, from_enemies # cubes to place, to take, to take from enemies
    int moves[8]
    int length
    int effort
    int most_seen
    uint64_t seen[SEEN]         # of these `most_seen` are used
    Turn *turns                 # the winning turns found
    int found
    int limit                   # the most of them


cdef inline uint64_t mixed(uint64_t x) noexcept nogil:
    x *= <uint64_t>0x9E3779B97F4A7C15
    x ^= x >> 29
    x *= <uint64_t>0xBF58476D1CE4E5B9
    return x ^ (x >> 32)

cdef inline uint64_t flag_key(int cell) noexcept nogil:
    return mixed(cell + 1)

cdef inline uint64_t need_key(int cell, int height) noexcept nogil:
    return mixed(1000 + 100 * height + cell)

cdef inline uint64_t captured_key(int cell) noexcept nogil:
    return mixed(200 + cell)

cdef inline int height_in(const Hunt *hunt, int cell) noexcept nogil:
    return hunt.needs[cell] if hunt.needs[cell] != OPEN else height_of(hunt.start, cell)


cdef void price_flags(const Hunt *hunt, uint8_t (*costs)[8]) noexcept nogil:
    """Lower bounds of the points to bring each flag to each height, in the order of the flags' cells; flags in hand come last.

    A step leads to a neighbour and changes the height by at most one. A flag that must change its height needs a cell
    that can have the new height. An entry costs one point.
    """
    cdef int flags = 0, cell
    cdef Cells rest = hunt.flags
    while rest:
        cell = first(rest)
        rest &= rest - 1
        costs_of(hunt.ways[cell], <uint8_t>min(height_in(hunt, cell), <int>NOWHERE), costs[flags])
        flags += 1
    while flags < 6:
        memset(costs[flags], 1, 8)
        flags += 1


cdef inline int lowerable(const Hunt *hunt, int cell) noexcept nogil:
    """How many cubes may be taken from the cell in addition to those of the plan (TT-5, TT-7)."""
    cdef int left = hunt.takes - hunt.lowered
    if has(hunt.own_land, cell):
        return left
    return 1 if left > 0 and has(hunt.exterior, cell) and hunt.from_enemies < hunt.takes else 0


cdef void find_lines(Hunt *hunt) noexcept nogil:
    """Find the cells that can become exterior this turn (TT-7): for each the line to the edge with the fewest cubes to take away."""
    cdef const State *st = hunt.start
    cdef Cells rest = hunt.facts.used & ~hunt.exterior & ~(hunt.facts.edge & ~st.built)
    cdef Cells blocks, line
    cdef int z, k, c, cubes
    cdef bint is_enemys
    while rest:
        z = first(rest)
        rest &= rest - 1
        hunt.clearing[z] = NOWHERE
        for k in range(4):
            cubes = 0
            blocks = line = 0
            c = neighbour(hunt.facts, z, k)
            while c >= 0 and cubes <= hunt.takes:
                line |= bit(c)
                if has(st.built, c):
                    blocks |= bit(c)
                    is_enemys = not has(hunt.own_land, c)
                    cubes += height_of(st, c)
                    if has(hunt.fixed_land, c) or (is_enemys and (height_of(st, c) > 1 or not has(hunt.exterior, c))):
                        cubes = NOWHERE
                c = neighbour(hunt.facts, c, k)
            if cubes <= hunt.takes and cubes < hunt.clearing[z]:
                hunt.clearing[z] = <int8_t>cubes
                hunt.blocks[z] = blocks
                hunt.lines[z] = line
                hunt.indoors |= bit(z)


cdef bint can_clear(const Hunt *hunt, int cell) noexcept nogil:
    """Whether the plan so far leaves the line of a cell free."""
    cdef Cells rest = hunt.lines[cell] & hunt.planned
    while rest:
        if hunt.needs[first(rest)] > 0:
            return False
        rest &= rest - 1
    return True


cdef struct Move:
    # A move of a flag in a plan.
    int16_t id
    int8_t source, target       # cells; the source is -1 for a flag in hand
    int8_t price                # points
    int8_t bound                # a lower bound of the points needed after it
    int8_t need                 # the height that the target must get, or OPEN if that is already fixed
    int8_t cubes                # how many cubes that takes
    bint is_capture
    bint clears                 # the line from the target to the edge is cleared before


cdef inline void add_move(
    const Hunt *hunt, Move *moves, int *count, int source, int target, int id, int price, int bound, int need, bint is_capture
) noexcept nogil:
    cdef Move *move = &moves[count[0]]
    cdef int cubes = 0 if need == OPEN else abs(need - height_of(hunt.start, target))
    cdef bint clears = source < 0 and has(hunt.indoors, target)
    if clears:
        if not can_clear(hunt, target):
            return
        if need == OPEN or need >= height_of(hunt.start, target):
            cubes = max(cubes, <int>hunt.clearing[target])  # the cubes taken away are placed
        else:
            cubes += hunt.clearing[target]
    if cubes > MAX_TAKES:
        return
    move.id = <int16_t>id
    move.source = <int8_t>source
    move.target = <int8_t>target
    move.price = <int8_t>price
    move.bound = <int8_t>bound
    move.need = <int8_t>need
    move.cubes = <int8_t>cubes
    move.is_capture = is_capture
    move.clears = clears
    count[0] += 1


cdef bint follow(Hunt *hunt, int points, int missing, uint64_t key) noexcept nogil:
    """Try every move of a flag that leaves enough points for the rest; `missing` is a lower bound of the points needed.

    Moves that need few cubes come first: most wins need them elsewhere.
    """
    cdef uint8_t costs[6][8]
    cdef uint8_t others[6][8]
    cdef uint8_t straight[8]
    cdef Move moves[MOST_MOVES]
    cdef Cells rest, sites, flags = hunt.flags
    cdef unsigned useful = 0, choices  # sets of heights
    cdef int c, z, k, h, i, have, need, least, most, price, bound, raisable, found = 0, cubes
    cdef uint64_t mark
    cdef uint64_t *spot
    if missing == 0:
        return plays(hunt)
    if hunt.effort <= 0:
        return False
    hunt.effort -= 1
    mark = (mixed(key) & ~<uint64_t>7) | <uint64_t>points
    spot = &hunt.seen[(mark >> 8) & (hunt.most_seen - 1)]
    if (spot[0] | 7) == (mark | 7) and (spot[0] & 7) >= <uint64_t>points:
        return False
    spot[0] = mark
    price_flags(hunt, costs)
    others_of(costs, points - 1, others)
    i = -1
    rest = flags
    while rest:
        c = first(rest)
        rest &= rest - 1
        i += 1
        if not others[i][7]:
            continue
        straight_of(others[i], straight)
        h = height_in(hunt, c)
        for k in range(4):
            z = neighbour(hunt.facts, c, k)
            if z < 0 or has(flags, z):
                continue
            have = height_in(hunt, z)
            if has(hunt.rivals, z):
                price = 2 + have - h
                if price < 1 or price > 3 or price > points or not has(hunt.targets, z):
                    continue
                bound = with_others(hunt.ways[z], have, others[i], straight, points - price)
                if bound <= points - price:
                    add_move(hunt, moves, &found, c, z, ID_CAPTURE + 4 * c + k, price, bound, OPEN, True)
                continue
            if hunt.needs[z] != OPEN or has(hunt.fixed_land, z):
                if have == 0 or have - h > 1 or h - have > 1:
                    continue
                bound = with_others(hunt.ways[z], have, others[i], straight, points - 1)
                if bound < points:
                    add_move(hunt, moves, &found, c, z, ID_STEP + 4 * c + k, 1, bound, OPEN, False)
                continue
            least = h - 1 if h > 1 else 1
            for need in range(h + 1, least - 1, -1):
                bound = with_others(hunt.ways[z], need, others[i], straight, points - 1)
                if bound < points:
                    add_move(hunt, moves, &found, c, z, ID_STEP + 4 * c + k, 1, bound, need, False)
    if count(flags) < 6 and others[5][7]:
        straight_of(others[5], straight)
        # only cells that can get a useful height, because there are many cells
        raisable = min(<int>MAX_TAKES, hunt.takes + hunt.hand - hunt.raised)
        sites = hunt.planned | hunt.fixed_land
        for need in range(1, 7):
            if straight[need - 1] < points:
                useful |= 1 << need
                least = max(0, need - raisable)
                most = min(7, need + hunt.takes - hunt.lowered)
                for h in range(least, most + 1):
                    sites |= hunt.start.levels[h]
        rest = (hunt.exterior | hunt.indoors | (hunt.facts.edge & ~hunt.start.built)) & ~flags & ~hunt.rivals & sites
        while rest:
            z = first(rest)
            rest &= rest - 1
            have = height_in(hunt, z)
            if hunt.needs[z] != OPEN or has(hunt.fixed_land, z):
                if have == 0:
                    continue
                bound = with_others(hunt.ways[z], have, others[5], straight, points - 1)
                if bound < points:
                    add_move(hunt, moves, &found, -1, z, z, 1, bound, OPEN, False)
                continue
            least = max(1, have - lowerable(hunt, z))
            most = min(6, have + raisable)
            choices = useful & ((2 << most) - (1 << least)) if most >= least else 0
            while choices:
                need = lowest(choices)
                choices &= choices - 1
                bound = with_others(hunt.ways[z], need, others[5], straight, points - 1)
                if bound < points:
                    add_move(hunt, moves, &found, -1, z, z, 1, bound, need, False)
    for cubes in range(MAX_TAKES + 1):
        for i in range(found):
            if moves[i].cubes == cubes and tries(hunt, &moves[i], points, key):
                return True
    return False


cdef bint tries(Hunt *hunt, const Move *move, int points, uint64_t key) noexcept nogil:
    """Make a move of a plan, continue the search, and take it back."""
    cdef bint is_won
    cdef Cells cleared = 0
    if move.is_capture:
        hunt.rivals ^= bit(move.target)
        key += captured_key(move.target)
    elif move.need != OPEN:
        if not reserve(hunt, move.target, move.need):
            return False
        key += need_key(move.target, move.need)
    if move.clears and not clear(hunt, move.target, &cleared, &key):
        if move.need != OPEN:
            release(hunt, move.target)
        return False
    is_won = advance(hunt, move.source, move.target, move.id, points - move.price, move.bound, key)
    if move.is_capture:
        hunt.rivals ^= bit(move.target)
    elif move.need != OPEN:
        release(hunt, move.target)
    release_all(hunt, cleared)
    return is_won


cdef bint clear(Hunt *hunt, int cell, Cells *cleared, uint64_t *key) noexcept nogil:
    """Plan to take away the constructions on the line of a cell if the cubes allow it; otherwise returns False and reserves nothing."""
    cdef Cells rest = hunt.blocks[cell] & ~hunt.planned
    cdef int c
    while rest:
        c = first(rest)
        rest &= rest - 1
        if not reserve(hunt, c, 0):
            release_all(hunt, cleared[0])
            return False
        cleared[0] |= bit(c)
        key[0] += need_key(c, 0)
    return True


cdef bint reserve(Hunt *hunt, int cell, int need) noexcept nogil:
    """Fix the height of a cell if the cubes allow it; otherwise returns False and changes nothing."""
    cdef int change = need - height_of(hunt.start, cell)
    if change > 0:
        if hunt.raised + change > hunt.takes + hunt.hand:
            return False
        hunt.raised += change
    elif change < 0:
        if -change > lowerable(hunt, cell):
            return False
        hunt.lowered -= change
        hunt.from_enemies += not has(hunt.own_land, cell)
    hunt.needs[cell] = <int8_t>need
    hunt.planned |= bit(cell)
    return True


cdef void release(Hunt *hunt, int cell) noexcept nogil:
    cdef int change = hunt.needs[cell] - height_of(hunt.start, cell)
    if change > 0:
        hunt.raised -= change
    elif change < 0:
        hunt.lowered += change
        hunt.from_enemies -= not has(hunt.own_land, cell)
    hunt.needs[cell] = OPEN
    hunt.planned ^= bit(cell)


cdef void release_all(Hunt *hunt, Cells cells) noexcept nogil:
    while cells:
        release(hunt, first(cells))
        cells &= cells - 1


cdef bint advance(Hunt *hunt, int source, int target, int id, int points, int missing, uint64_t key) noexcept nogil:
    """Move a flag in the plan, continue the search, and move it back."""
    cdef bint found
    if hunt.length == 8:
        return False
    if source >= 0:
        hunt.flags ^= bit(source)
        key -= flag_key(source)
    hunt.flags ^= bit(target)
    key += flag_key(target)
    hunt.moves[hunt.length] = id
    hunt.length += 1
    found = follow(hunt, points, missing, key)
    hunt.length -= 1
    hunt.flags ^= bit(target)
    if source >= 0:
        hunt.flags ^= bit(source)
    return found


cdef inline bint acts(const Hunt *hunt, State *state, int id, Turn *turn) noexcept nogil:
    """Play an action of the plan if the rules allow it."""
    if turn.length == MAX_TURN or state.to_move != hunt.seat or not is_legal(hunt.facts, state, id):
        return False
    apply_traced(hunt.facts, state, id, NULL)
    turn.ids[turn.length] = id
    turn.length += 1
    return True


cdef bint plays(Hunt *hunt) noexcept nogil:
    """Keep the turn of the plan if the rules allow it, and variants of it; returns whether no more turns are wanted."""
    cdef int variant
    if not plays_variant(hunt, 0):
        return False
    if hunt.found == 1:
        hunt.effort = min(hunt.effort, <int>MORE_EFFORT)
    for variant in range(1, VARIANTS):
        if hunt.found < hunt.limit:
            plays_variant(hunt, variant)
    return hunt.found == hunt.limit


cdef int spare_cell(Cells spare, Cells preferred, int number) noexcept nogil:
    """One of the spare cells; if possible, a preferred one."""
    if spare & preferred:
        spare &= preferred
    return nth(spare, number % count(spare))


cdef bint plays_variant(Hunt *hunt, int variant) noexcept nogil:
    """Play the whole plan and keep the turn; returns whether the rules allow it.

    Cubes that the plan does not need are placed on cells outside it. Variants other than the first take as many cubes as possible,
    and take and place those near rivals' flags, because that may keep rivals from completing their towers.
    """
    cdef State state
    cdef Turn turn
    cdef Cells rest, planned = hunt.planned, spare
    cdef Cells nearby = around(hunt.start.towers & ~hunt.start.flags[hunt.seat])
    cdef int c, i, wanted
    memcpy(&state, hunt.start, sizeof(State))
    memset(&turn, 0, sizeof(Turn))
    if state.phase != MOVE:
        wanted = max(hunt.lowered, hunt.raised - hunt.hand, <int>hunt.must_take)
        if wanted > hunt.takes:
            return False
        rest = planned
        while rest:
            c = first(rest)
            rest &= rest - 1
            for _ in range(height_of(hunt.start, c) - hunt.needs[c]):
                if not acts(hunt, &state, ID_TAKE + c, &turn):
                    return False
        for i in range(hunt.takes - hunt.lowered if variant else wanted - hunt.lowered):
            spare = takable(hunt.facts, &state)
            if variant:
                spare &= ~planned
                if spare and acts(hunt, &state, ID_TAKE + spare_cell(spare, nearby, variant + i), &turn):
                    continue
                break
            # cubes from the seat's own land first, because only one may come from enemy land; a cube of the plan can be put back
            if spare & ~planned:
                spare &= ~planned
            if spare & hunt.own_land:
                spare &= hunt.own_land
            if not spare or not acts(hunt, &state, ID_TAKE + first(spare), &turn):
                return False
        rest = planned
        while rest:
            c = first(rest)
            rest &= rest - 1
            while height_of(&state, c) < hunt.needs[c]:
                if not acts(hunt, &state, ID_CUBE + c, &turn):
                    return False
        while state.to_move == hunt.seat and (state.phase == PLACE or state.phase == TAKE):
            spare = hunt.facts.used & ~state.towers & ~planned
            if variant and spare and acts(hunt, &state, ID_CUBE + spare_cell(spare, nearby, 5 * variant + turn.length), &turn):
                continue
            if spare & state.built:
                spare &= state.built
            if not spare or not acts(hunt, &state, ID_CUBE + first(spare), &turn):
                return False
    for i in range(hunt.length):
        if not acts(hunt, &state, hunt.moves[i], &turn):
            return False
    if not (state.declared >> hunt.seat) & 1 and not acts(hunt, &state, ID_END, &turn):
        return False
    if not (state.declared >> hunt.seat) & 1:
        return False
    hunt.turns[hunt.found].length = turn.length
    memcpy(hunt.turns[hunt.found].ids, turn.ids, sizeof(turn.ids))
    hunt.found += 1
    return True


cdef Cells around(Cells cells) noexcept nogil:
    return (cells << 10) | (cells >> 10) | ((cells & ~COLUMN_J) << 1) | ((cells & ~COLUMN_A) >> 1)


cdef bint survey(Hunt *hunt) noexcept nogil:
    """Find where each height is possible, and the distances to it; False if the cubes of one turn are not enough."""
    cdef const State *st = hunt.start
    cdef Cells free_land = hunt.facts.used & ~hunt.fixed_land
    cdef Cells can_give = free_land & (hunt.own_land | hunt.exterior)
    cdef Cells sites, reached, rest
    cdef int t, k, d, price, missing = 0
    memset(hunt.ways, NOWHERE, sizeof(hunt.ways))
    for t in range(1, 7):
        sites = st.levels[t] & hunt.facts.used
        price = 0 if sites else NOWHERE
        for k in range(1, hunt.takes + 1):
            if t + k < 7:
                sites |= st.levels[t + k] & can_give
            else:
                sites |= st.levels[7] & can_give
        if sites:
            price = 0
        for k in range(1, hunt.takes + hunt.hand + 1):
            if t - k >= 0:
                rest = st.levels[t - k] & free_land
                if rest and k < price:
                    price = k
                sites |= rest
        if not hunt.flags & st.levels[t]:
            missing += price
            if missing > hunt.takes + hunt.hand:
                return False
        reached = sites
        for d in range(1, POINTS + 1):
            rest = around(reached) & hunt.facts.used
            if d > 1:
                rest &= ~reached
            reached |= rest
            while rest:
                k = first(rest)
                rest &= rest - 1
                if hunt.ways[k][t - 1] == NOWHERE:
                    hunt.ways[k][t - 1] = <uint8_t>d
    return True


cdef bint finds_towers(const Ctx *facts, const State *state, int effort, bint clears, Turn *turn) noexcept nogil:
    return find_wins(facts, state, effort, clears, turn, 1) > 0


cdef int prepare(Hunt *hunt, const Ctx *facts, const State *state) noexcept nogil:
    """Fill in the facts of a position; returns a lower bound of the points for a win, OUT_OF_CUBES or OUT_OF_REACH."""
    cdef uint8_t costs[6][8]
    cdef int points = points_left(state), least
    hunt.facts = facts
    hunt.start = state
    hunt.seat = state.to_move
    hunt.takes = MAX_TAKES - state.cubes if state.phase == TAKE else 0
    hunt.hand = state.cubes
    hunt.must_take = state.phase == TAKE and state.cubes == 0
    hunt.flags = state.flags[hunt.seat]
    memset(hunt.needs, OPEN, sizeof(hunt.needs))
    hunt.exterior = exterior_cells(state)
    hunt.own_land = facts.own[hunt.seat]
    hunt.fixed_land = state.towers
    if not survey(hunt):
        return OUT_OF_CUBES
    price_flags(hunt, costs)
    least = total_of(costs, points)
    return least if least <= points else OUT_OF_REACH


cdef inline int points_left(const State *state) noexcept nogil:
    return state.points if state.phase == MOVE else POINTS


cdef int find_wins(const Ctx *facts, const State *state, int effort, bint clears, Turn *turns, int limit) noexcept nogil:
    cdef Hunt hunt
    cdef int least
    if state.phase == FLAGS or state.phase == OVER:
        return 0
    least = prepare(&hunt, facts, state)
    if least > POINTS:
        return 0
    hunt.turns = turns
    hunt.limit = limit
    return pursue(&hunt, least, effort, clears)


cdef int prospect(const Ctx *facts, const State *state, int effort, bint clears, bint *wins) noexcept nogil:
    cdef Hunt hunt
    cdef Turn turn
    cdef int least = prepare(&hunt, facts, state)
    hunt.turns = &turn
    hunt.limit = 1
    wins[0] = least <= POINTS and pursue(&hunt, least, effort, clears) > 0
    return least


cdef int pursue(Hunt *hunt, int least, int effort, bint clears) noexcept nogil:
    """Search for wins in a prepared position; returns how many were found."""
    cdef const State *state = hunt.start
    cdef int total
    cdef uint64_t key = 0
    cdef Cells rest
    hunt.effort = effort
    hunt.targets = capture_targets(hunt.facts, state)
    hunt.rivals = state.towers & ~hunt.flags
    hunt.raised = hunt.lowered = hunt.from_enemies = 0
    hunt.planned = 0
    hunt.length = 0
    hunt.found = 0
    hunt.indoors = 0
    if clears and count(hunt.flags) < 6 and not hunt.facts.is_path:
        find_lines(hunt)
    hunt.most_seen = FEW_SEEN if effort <= FEW else SEEN
    memset(hunt.seen, 0, hunt.most_seen * sizeof(uint64_t))
    rest = hunt.flags
    while rest:
        key += flag_key(first(rest))
        rest &= rest - 1
    # the shortest plans first, because most wins need no detour
    for total in range(least, points_left(state) + 1):
        if follow(hunt, total, least, key + mixed(5000 + total)) or hunt.effort <= 0:
            break
    return hunt.found


def winning_turn(KernelPosition position, int effort=200_000):
    """The actions that complete the towers of the seat to move in this turn, as texts; None if there are none."""
    cdef Turn turn
    cdef const State *state = <const State *>position.state
    cdef bint found
    turn.length = 0
    with nogil:
        found = finds_towers(<const Ctx *>position.kernel.ops.ctx, state, effort, True, &turn)
    if not found:
        return None
    return [str(position.kernel.action(turn.ids[i])) for i in range(turn.length)]
