# A small neural network over the open cells of Terra Nova. It predicts the points of each cell and, from them, the win shares.
#
# Every cell has sixteen channels. A layer adds to them what the cell and its open neighbours imply; the last step turns
# them into the cell's points and each seat's part. Sums over all cells, with facts of the position, then give the win shares.

from libc.stdint cimport int8_t, uint16_t

cdef enum:
    CHANNELS = 16
    HIDDEN = 32
    MOST_INPUTS = 32        # of a cell
    MOST_FACTS = 32         # of a position, including four sums for each seat
    MOST_LAYERS = 4
    SUMS = 4                # sums over the cells, for each seat

cdef extern from *:
    """
    #include <math.h>
    #include <stdint.h>
    #include <string.h>
    /* The channels of a cell. The compiler divides it into vectors of the processor's size; the order of sums is the same on all processors. */
    typedef float NovaRow __attribute__((vector_size(64), aligned(16)));
    typedef int32_t NovaMask __attribute__((vector_size(64), aligned(16)));
    #define NOVA_POSITIVE(row) ((NovaRow)((NovaMask)(row) & (NovaMask)((row) > 0)))

    typedef struct {
        int seats, layers, inputs, facts;
        NovaRow input[32], input_bias, fact[32];
        NovaRow own[4][16], around[4][16], bias[4];
        NovaRow output[16], output_bias;
        NovaRow hidden[32][2], hidden_bias[2];
        float share[32][4], share_bias[4];
    } NovaNetwork;

    static inline float nova_net_squash(float x) {
        return 0.5f + 0.5f * x / sqrtf(1 + x * x);
    }

    /* The sum of the rows of `weights`, each times one of the sixteen numbers. */
    #define NOVA_ADD_PRODUCTS(sum, numbers, weights) \
        for (int k = 0; k < 16; k++) sum += (numbers)[k] * (weights)[k]

    /* The channels of each place after all layers, in `one` or `two`, which have room for one more place. A neighbour `count` stands for none. */
    static __attribute__((noinline)) NovaRow *nova_net_layers(
        const NovaNetwork *net, int count, const float (*inputs)[32], const uint16_t *around, const float *facts,
        NovaRow *one, NovaRow *two
    ) {
        const NovaRow zero = {0};
        NovaRow start = net->input_bias;
        for (int k = 0; k < net->facts; k++) start += facts[k] * net->fact[k];
        for (int i = 0; i < count; i++) {
            NovaRow sum = start;
            for (int k = 0; k < net->inputs; k++) sum += inputs[i][k] * net->input[k];
            one[i] = NOVA_POSITIVE(sum);
        }
        for (int l = 0; l < net->layers; l++) {
            NovaRow *last = one;
            one[count] = zero;
            for (int i = 0; i < count; i++) {
                const uint16_t *to = around + 6 * i;
                NovaRow near = one[to[0]] + one[to[1]] + one[to[2]] + one[to[3]] + one[to[4]] + one[to[5]];
                NovaRow first = net->bias[l], second = zero;
                float numbers[16];
                memcpy(numbers, &near, sizeof(near));
                NOVA_ADD_PRODUCTS(first, (const float *)&one[i], net->own[l]);
                NOVA_ADD_PRODUCTS(second, numbers, net->around[l]);
                first += second;
                two[i] = one[i] + NOVA_POSITIVE(first);
            }
            one = two;
            two = last;
        }
        return one;
    }

    /* `stands`: the seat of the pioneer on each place, counted from the mover, or -1. The sums over the cells are written behind `facts`.
       `rows` is overwritten: its memory then holds pay and leads, an array each. */
    static __attribute__((noinline)) void nova_net_sums(
        const NovaNetwork *net, int count, NovaRow *rows, const int8_t *stands, const float *scores, float *facts
    ) {
        const int seats = net->seats;
        float *pay = (float *)rows, sums[16] = {0}, *total = facts + net->facts;
        float out[5][1028];
        for (int i = 0; i < count; i++) {
            NovaRow sum = net->output_bias;
            NOVA_ADD_PRODUCTS(sum, (const float *)&rows[i], net->output);
            for (int s = 0; s <= seats; s++) out[s][i] = sum[s];
        }
        for (int s = 0; s <= seats; s++)
            for (int i = 0; i < count; i++) out[s][i] = nova_net_squash(out[s][i]);
        for (int i = 0; i < count; i++) {
            float leads = 0;
            pay[i] = 3 * out[0][i];
            for (int s = 1; s <= seats; s++) leads += out[s][i];
            out[0][i] = 1 / leads;
        }
        for (int i = 0; i < count; i++) {
            int is_late = pay[i] < 1.2f;
            for (int s = 0; s < seats; s++) {
                float part = out[1 + s][i] * out[0][i], points = pay[i] * part;
                sums[s] += points;
                sums[4 + s] += points * part;
                sums[8 + s] += is_late ? points : 0;
            }
            if (stands[i] >= 0) sums[12 + stands[i]] += 3 - pay[i];
        }
        for (int s = 0; s < seats; s++) {
            total[s] = sums[s] * (1 / 30.0f) + scores[s];
            total[seats + s] = sums[4 + s] * (1 / 30.0f);
            total[2 * seats + s] = sums[8 + s] * (1 / 30.0f);
            total[3 * seats + s] = sums[12 + s] * 0.1f;
        }
    }

    /* The win shares, counted from the mover. */
    static __attribute__((noinline)) void nova_net_shares(const NovaNetwork *net, const float *facts, float *shares) {
        NovaRow hidden[2] = {net->hidden_bias[0], net->hidden_bias[1]};
        double logit[4], top = -1e30, sum = 0;
        for (int k = 0; k < net->facts + 4 * net->seats; k++) {
            hidden[0] += facts[k] * net->hidden[k][0];
            hidden[1] += facts[k] * net->hidden[k][1];
        }
        for (int s = 0; s < net->seats; s++) {
            logit[s] = net->share_bias[s];
            for (int k = 0; k < 32; k++) {
                float value = hidden[k >> 4][k & 15];
                if (value > 0) logit[s] += value * net->share[k][s];
            }
            if (logit[s] > top) top = logit[s];
        }
        for (int s = 0; s < net->seats; s++) sum += logit[s] = exp(logit[s] - top);
        for (int s = 0; s < net->seats; s++) shares[s] = logit[s] / sum;
    }
    """
    ctypedef struct Row "NovaRow":
        pass
    ctypedef struct Network "NovaNetwork":
        int seats
        int layers
        int inputs              # of a cell
        int facts               # of a position, without the sums over the cells
        Row input[MOST_INPUTS]
        Row input_bias
        Row fact[MOST_FACTS]
        Row own[MOST_LAYERS][CHANNELS]
        Row around[MOST_LAYERS][CHANNELS]
        Row bias[MOST_LAYERS]
        Row output[CHANNELS]
        Row output_bias
        Row hidden[MOST_FACTS][2]
        Row hidden_bias[2]
        float share[HIDDEN][4]
        float share_bias[4]
    Row *nova_net_layers(
        const Network *net, int count, const float (*inputs)[MOST_INPUTS], const uint16_t *around, const float *facts, Row *one, Row *two
    ) nogil
    void nova_net_sums(
        const Network *net, int count, Row *rows, const int8_t *stands, const float *scores, float *facts
    ) nogil
    void nova_net_shares(const Network *net, const float *facts, float *shares) nogil
