# Terra Turrium: the win shares of a position by a neural network.

from libc.stdint cimport uint8_t

from terrarium.turrium.kernel cimport Ctx, State

cdef enum:
    UNIT = 512                  # weights are stored as integers: this number stands for 1
    WIDTH = 64                  # units of the first hidden layer
    DEPTH = 32                  # units of the second
    MOST_FACTS = 200

cdef extern from *:
    """
    #include <math.h>
    #include <string.h>
    typedef float RaceRow __attribute__((vector_size(64), aligned(4)));
    #define RACE_FIRST 4
    #define RACE_SECOND 2
    typedef struct {
        int seats, facts;
        RaceRow first[200][RACE_FIRST], first_bias[RACE_FIRST];
        RaceRow second[16 * RACE_FIRST][RACE_SECOND], second_bias[RACE_SECOND];
        float share[16 * RACE_SECOND][4], share_bias[4];
    } RaceNetwork;

    /* The win shares, counted from the mover. */
    static __attribute__((noinline)) void race_net_shares(const RaceNetwork *net, const float *facts, float *shares) {
        RaceRow one[RACE_FIRST], two[RACE_SECOND];
        float numbers[16 * RACE_FIRST];
        double logit[4], top = -1e30, sum = 0;
        memcpy(one, net->first_bias, sizeof(one));
        memcpy(two, net->second_bias, sizeof(two));
        for (int k = 0; k < net->facts; k++) {
            if (facts[k] == 0) continue;
            for (int i = 0; i < RACE_FIRST; i++) one[i] += facts[k] * net->first[k][i];
        }
        memcpy(numbers, one, sizeof(one));
        for (int k = 0; k < 16 * RACE_FIRST; k++) {
            if (numbers[k] <= 0) continue;
            for (int i = 0; i < RACE_SECOND; i++) two[i] += numbers[k] * net->second[k][i];
        }
        memcpy(numbers, two, sizeof(two));
        for (int s = 0; s < net->seats; s++) {
            logit[s] = net->share_bias[s];
            for (int k = 0; k < 16 * RACE_SECOND; k++)
                if (numbers[k] > 0) logit[s] += numbers[k] * net->share[k][s];
            if (logit[s] > top) top = logit[s];
        }
        for (int s = 0; s < net->seats; s++) sum += logit[s] = exp(logit[s] - top);
        for (int s = 0; s < net->seats; s++) shares[s] = logit[s] / sum;
    }
    """
    ctypedef struct Row "RaceRow":
        pass
    ctypedef struct Network "RaceNetwork":
        int seats
        int facts
        Row first[MOST_FACTS][4]
        Row first_bias[4]
        Row second[WIDTH][2]
        Row second_bias[2]
        float share[DEPTH][4]
        float share_bias[4]
    void race_net_shares(const Network *net, const float *facts, float *shares) nogil

ctypedef struct Needs:
    # What a seat's flags need for each height, by flag and height - 1; flags in hand come last.
    float turns                 # the seat's distance
    uint8_t cubes[6][6]
    uint8_t steps[6][6]

cdef int facts_of(int players) noexcept nogil

# Fills in the inputs for a position in which a turn begins. Seats are counted from the mover.
cdef void describe(const Ctx *ctx, const State *st, const Needs *needs, bint clears, float *facts) noexcept nogil

# The win shares by seat.
cdef void outlook(const Ctx *ctx, const State *st, const Network *net, const float *facts, float *shares) noexcept nogil

# Reads a network from whole numbers; raises ValueError if there are too few or too many.
cdef int load(Network *net, int players, list numbers) except -1
