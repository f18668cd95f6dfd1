"""Terra Turrium: the win shares of a position by a neural network.

The evaluation in `turrium` compares the seats' distances to a win, which says little about who wins. The network sees the same plans of all seats in more
detail: what each height costs, which flags are in danger, who could complete the towers next, and in which order the seats play. It is slower than
the evaluation, so a search asks it only about whole turns. `terrarium arena train turrium --by network` trains it.
"""

from libc.string cimport memcpy, memset

from terrarium.engine.brain cimport read_weights
from terrarium.engine.towers cimport OUT_OF_CUBES, OUT_OF_REACH, around, prospect
from terrarium.engine.ways cimport cheapest
from terrarium.turrium.kernel cimport (
    FLAGS,
    MAX_ATTACKS,
    POINTS,
    Cells,
    Ctx,
    State,
    begin_play,
    count,
    exterior_cells,
    first,
    flags_in_hand,
    height_of,
)


cdef enum:
    OWN_FACTS = 11              # facts of the position, besides the mover's place in the order of seats
    SEAT_FACTS = 41
    NEXT_EFFORT = 60            # plans tried for a win of the mover
    LATER_EFFORT = 30           # and for one of another seat


cdef int facts_of(int players) noexcept nogil:
    return OWN_FACTS + (SEAT_FACTS + 1) * players


cdef inline Cells one_step(const State *st, Cells cells) noexcept nogil:
    """The constructions that flags on these cells can step onto, flags there or not."""
    cdef Cells up = st.climb_v, across = st.climb_h
    return ((cells << 10) & up) | ((cells & up) >> 10) | ((cells << 1) & across) | ((cells & across) >> 1)


cdef int cubes_on(const State *st, Cells cells) noexcept nogil:
    cdef int found = 0
    while cells:
        found += height_of(st, first(cells))
        cells &= cells - 1
    return found


cdef void describe_seat(const Ctx *ctx, const State *st, const Needs *needs, int seat, bint clears, Cells endangered, Cells soon, float *x) noexcept nogil:
    cdef float price[6][6]
    cdef Cells mine = st.flags[seat], theirs = st.towers & ~mine, reached = mine, free = st.built & ~st.towers
    cdef State copy
    cdef bint wins = False
    cdef int i, t, least, missing = 0, highest = 0
    cdef float best
    # the distance, and the cheapest plans by cubes, by steps and by both
    x[0] = needs.turns * <float>0.1
    for i in range(6):
        for t in range(6):
            price[i][t] = min(<int>needs.cubes[i][t], 18)
    x[1] = cheapest(price) * <float>0.05
    for i in range(6):
        for t in range(6):
            price[i][t] = needs.steps[i][t]
    x[2] = cheapest(price) * <float>0.1
    for i in range(6):
        for t in range(6):
            price[i][t] = min(<int>needs.cubes[i][t], 18) * <float>(1.0 / 3) + needs.steps[i][t] * <float>0.2
    x[3] = cheapest(price) * <float>0.2
    # by height: the cheapest flag, whether it is held, and by how many flags
    for t in range(6):
        best = price[0][t]
        for i in range(1, 6):
            best = min(best, price[i][t])
        x[4 + t] = best * <float>0.5
        i = count(mine & st.levels[t + 1])
        x[10 + t] = i > 0
        x[16 + t] = i * <float>0.5
        if i == 0:
            missing += 1
            highest = t + 1
    x[22] = count(mine & st.levels[7]) * <float>0.5
    x[23] = missing * <float>0.2
    x[24] = highest * <float>0.2
    x[25] = flags_in_hand(st, seat) * <float>0.5
    # flags that rivals can capture after at most two steps and after four, and rivals' flags within reach
    x[26] = count(mine & endangered) * <float>0.5
    x[27] = count(mine & soon) * <float>0.5
    for i in range(4):
        reached |= one_step(st, reached) & ~st.towers
    x[28] = count(one_step(st, reached) & theirs) * <float>0.3
    x[29] = count(reached & ~mine) * <float>0.05
    # cubes that the seat can take, and cells around its flags
    x[30] = cubes_on(st, ctx.own[seat] & free) * <float>0.05
    x[31] = count(exterior_cells(st) & free & ~ctx.own[seat]) * <float>0.1
    x[32] = count(around(mine) & free) * <float>0.1
    x[33] = count(around(mine) & ctx.used & ~st.built) * <float>0.1
    x[34] = st.attacks[seat] / <float>MAX_ATTACKS
    x[35] = (st.resigned >> seat) & 1
    x[36] = cubes_on(st, mine) * <float>0.05
    # whether it could complete its towers if it were to move
    memset(x + 37, 0, 4 * sizeof(float))
    if st.phase != FLAGS and not (st.resigned >> seat) & 1:
        memcpy(&copy, st, sizeof(State))
        begin_play(ctx, &copy, seat, NULL)
        if copy.to_move == seat:
            least = prospect(ctx, &copy, NEXT_EFFORT if seat == st.to_move else LATER_EFFORT, clears, &wins)
            x[37] = least == OUT_OF_CUBES
            x[38] = least == OUT_OF_REACH
            x[39] = least * <float>0.2 if least <= POINTS else 0
            x[40] = wins


cdef void describe(const Ctx *ctx, const State *st, const Needs *needs, bint clears, float *facts) noexcept nogil:
    cdef Cells hits[4]
    cdef Cells soon[4]
    cdef Cells endangered, later, reached, free = st.built & ~st.towers
    cdef int n = ctx.players, s, o, i
    facts[0] = st.phase == FLAGS
    facts[1] = min(<int>st.rounds, 12) * <float>0.2
    facts[2] = min(<int>st.rounds, 50) * <float>0.05
    facts[3] = cubes_on(st, free) * <float>0.02
    for i in range(1, 8):
        facts[3 + i] = count(free & st.levels[i]) * <float>0.1
    for s in range(n):
        reached = st.flags[s]
        for i in range(4):
            if i == 2:
                hits[s] = one_step(st, reached) & st.towers
            reached |= one_step(st, reached) & ~st.towers
        soon[s] = one_step(st, reached) & st.towers
    facts += OWN_FACTS
    for s in range(n):
        facts[s] = s == st.to_move
    facts += n
    for s in range(n):
        o = (st.to_move + s) % n
        endangered = later = 0
        for i in range(n):
            if i != o and not (st.resigned >> i) & 1:
                endangered |= hits[i]
                later |= soon[i]
        describe_seat(ctx, st, &needs[o], o, clears, endangered, later, facts)
        facts += SEAT_FACTS


cdef void outlook(const Ctx *ctx, const State *st, const Network *net, const float *facts, float *shares) noexcept nogil:
    cdef float found[4]
    cdef float total = 0
    cdef int s, o
    race_net_shares(net, facts, found)
    for s in range(ctx.players):
        o = (st.to_move + s) % ctx.players
        shares[o] = 0 if (st.resigned >> o) & 1 else found[s]
        total += shares[o]
    for s in range(ctx.players):
        shares[s] /= total


cdef int load(Network *net, int players, list numbers) except -1:
    cdef int facts = facts_of(players), k, at = 0
    cdef int wanted = WIDTH * (facts + 1) + DEPTH * (WIDTH + 1) + players * (DEPTH + 1)
    if len(numbers) != wanted:
        raise ValueError(f"a network for {players} seats has {wanted} weights, not {len(numbers)}")
    memset(net, 0, sizeof(Network))
    net.seats = players
    net.facts = facts
    at = read_weights(numbers, at, UNIT, <float *>net.first, WIDTH * facts)
    at = read_weights(numbers, at, UNIT, <float *>net.first_bias, WIDTH)
    at = read_weights(numbers, at, UNIT, <float *>net.second, DEPTH * WIDTH)
    at = read_weights(numbers, at, UNIT, <float *>net.second_bias, DEPTH)
    for k in range(DEPTH):
        at = read_weights(numbers, at, UNIT, net.share[k], players)
    read_weights(numbers, at, UNIT, net.share_bias, players)
    return 0
