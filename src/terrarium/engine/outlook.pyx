"""Terra Nova with three and four seats: the win shares of a position by a neural network.

The evaluation of `land` adds up expected points and compares the sums. The network sees the same walkers, but learns from games what they mean
together: the points of a cell, each seat's part of them, and from these the chance of every seat to win. It is slower than the evaluation, so a
search asks it only about whole turns that the evaluation has found. `terrarium arena train nova --by network` trains it.
"""

from libc.stdint cimport int8_t, uint16_t
from libc.string cimport memset

from terrarium.engine.brain cimport read_weights
from terrarium.engine.land cimport MOST_CELLS, PAY_INPUTS, Ground, Weights, Workspace, ground_of, walk_pioneers
from terrarium.engine.network cimport (
    CHANNELS,
    HIDDEN,
    MOST_INPUTS,
    MOST_LAYERS,
    SUMS,
    Network,
    Row,
    nova_net_layers,
    nova_net_shares,
    nova_net_sums,
)
from terrarium.nova.kernel cimport Ctx, State, list_of


cdef enum:
    OWN_FACTS = 4               # facts that do not depend on seats
    SEAT_FACTS = 3
    SEAT_INPUTS = 4


cdef int inputs_of(int players) noexcept nogil:
    """The number of inputs of a cell."""
    return PAY_INPUTS + SEAT_INPUTS * players


cdef int facts_of(int players) noexcept nogil:
    """The number of facts of a position."""
    return OWN_FACTS + SEAT_FACTS * players


cdef size_t scene_bytes(const Ctx *ctx) noexcept nogil:
    return (ctx.cells + 1) * (MOST_INPUTS * sizeof(float) + 6 * sizeof(uint16_t) + sizeof(int8_t) + 2 * sizeof(Row)) + 5 * 64


cdef void lay_scene(const Ctx *ctx, char *memory, Scene *scene) noexcept nogil:
    cdef size_t rows = ctx.cells + 1
    cdef char *rest = <char *>((<size_t>memory + 63) & ~<size_t>63)
    scene.one = <Row *>rest
    scene.two = scene.one + rows
    scene.inputs = <float (*)[MOST_INPUTS]>(scene.two + rows)
    scene.around = <uint16_t *>(scene.inputs + rows)
    scene.stands = <int8_t *>(scene.around + 6 * rows)


cdef void describe(const Ctx *ctx, const State *st, const Weights *w, Workspace *workspace, Scene *scene) noexcept nogil:
    cdef const Ground *ground = ground_of(ctx, st, w, workspace)
    cdef const uint16_t *cells
    cdef int here[MOST_CELLS][4]
    cdef float in_play = st.in_play / <float>ctx.cells
    cdef float near, far, crowd
    cdef float *x
    cdef int n = ctx.players, i, d, s, o, other
    scene.count = ground.count
    memset(scene.stands, -1, ground.count)
    memset(here, 0, ground.regions * sizeof(here[0]))
    for s in range(n):
        o = (st.seat + s) % n
        walk_pioneers(ctx, st, ground, workspace, o)
        cells = list_of(ctx, st, o)
        for i in range(st.count[o]):
            scene.stands[ground.places[cells[i]]] = s
            here[ground.region[ground.places[cells[i]]]][s] += 1
        scene.facts[OWN_FACTS + s] = st.scores[o] * <float>(1.0 / 30)
        scene.facts[OWN_FACTS + n + s] = st.count[o] * <float>(1.0 / 10)
        scene.facts[OWN_FACTS + 2 * n + s] = st.hand[o] * <float>(1.0 / 10)
    scene.facts[0] = st.supply * <float>(1.0 / 80)
    scene.facts[1] = ground.count * <float>(1.0 / 168)
    scene.facts[2] = st.stall / <float>ctx.stall_limit if ctx.stall_limit > 0 and st.stall > 0 else 0
    scene.facts[3] = ctx.depletion
    for i in range(ground.count):
        x = scene.inputs[i]
        near = ground.near_closed[i]
        far = ground.closed[i]
        crowd = 0
        for s in range(n):
            o = (st.seat + s) % n
            x[PAY_INPUTS + s] = workspace.near_places[o][i]
            x[PAY_INPUTS + n + s] = workspace.far_places[o][i]
            x[PAY_INPUTS + 2 * n + s] = here[ground.region[i]][s]
            x[PAY_INPUTS + 3 * n + s] = scene.stands[i] == s
            crowd += workspace.far_places[o][i]
        x[0] = 1
        x[1] = near
        x[2] = far
        x[3] = far * far
        x[4] = near * far
        x[5] = scene.facts[0]
        x[6] = scene.facts[0] * far
        x[7] = near * near
        x[8] = crowd
        x[9] = in_play
        x[10] = ground.size[i]
        x[11] = ground.kinds[i]
        for d in range(6):
            other = ground.around[6 * i + d]
            scene.around[6 * i + d] = ground.count if other == i else other


cdef void outlook(const Ctx *ctx, const State *st, const Network *net, Scene *scene, float *shares) noexcept nogil:
    cdef Row *rows = nova_net_layers(net, scene.count, scene.inputs, scene.around, scene.facts, scene.one, scene.two)
    cdef float found[4]
    cdef float total = 0
    cdef int s, o
    nova_net_sums(net, scene.count, rows, scene.stands, scene.facts + OWN_FACTS, scene.facts)
    nova_net_shares(net, scene.facts, found)
    for s in range(ctx.players):
        o = (st.seat + s) % ctx.players
        shares[o] = 0 if st.resigned >> o & 1 else found[s]
        total += shares[o]
    for s in range(ctx.players):
        shares[s] /= total


cdef int load(Network *net, int players, int layers, list numbers) except -1:
    cdef int inputs = inputs_of(players), facts = facts_of(players), l, at = 0
    cdef int wanted = CHANNELS * (inputs + facts + 1 + layers * (2 * CHANNELS + 1) + CHANNELS + 1)
    wanted += HIDDEN * (facts + SUMS * players + 1) + 4 * (HIDDEN + 1)
    if not 0 <= layers <= MOST_LAYERS or len(numbers) != wanted:
        raise ValueError(f"a network of {layers} layers for {players} seats has {wanted} weights, not {len(numbers)}")
    memset(net, 0, sizeof(Network))
    net.seats = players
    net.layers = layers
    net.inputs = inputs
    net.facts = facts
    at = read_weights(numbers, at, UNIT, <float *>net.input, CHANNELS * inputs)
    at = read_weights(numbers, at, UNIT, <float *>&net.input_bias, CHANNELS)
    at = read_weights(numbers, at, UNIT, <float *>net.fact, CHANNELS * facts)
    for l in range(layers):
        at = read_weights(numbers, at, UNIT, <float *>net.own[l], CHANNELS * CHANNELS)
        at = read_weights(numbers, at, UNIT, <float *>net.around[l], CHANNELS * CHANNELS)
        at = read_weights(numbers, at, UNIT, <float *>&net.bias[l], CHANNELS)
    at = read_weights(numbers, at, UNIT, <float *>net.output, CHANNELS * CHANNELS)
    at = read_weights(numbers, at, UNIT, <float *>&net.output_bias, CHANNELS)
    at = read_weights(numbers, at, UNIT, <float *>net.hidden, HIDDEN * (facts + SUMS * players))
    at = read_weights(numbers, at, UNIT, <float *>net.hidden_bias, HIDDEN)
    at = read_weights(numbers, at, UNIT, <float *>net.share, 4 * HIDDEN)
    read_weights(numbers, at, UNIT, net.share_bias, 4)
    return 0
