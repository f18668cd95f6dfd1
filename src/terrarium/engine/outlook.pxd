# Terra Nova with three and four seats: the win shares of a position by a neural network.

from libc.stdint cimport int8_t, uint16_t

from terrarium.engine.land cimport Weights, Workspace
from terrarium.engine.network cimport MOST_FACTS, MOST_INPUTS, Network, Row
from terrarium.nova.kernel cimport Ctx, State

cdef enum:
    UNIT = 4096             # weights are stored as integers: this number stands for 1

ctypedef struct Scene:
    # The inputs of the network for a position: facts, and inputs of each open cell, by place. Seats are counted from the mover.
    int count
    float (*inputs)[MOST_INPUTS]
    uint16_t *around        # six places for each; `count` for a blocked one
    int8_t *stands          # the seat of the pioneer there, or -1
    Row *one                # working memory
    Row *two
    float facts[MOST_FACTS]

# The size of a scene's arrays, and a scene in that memory.
cdef size_t scene_bytes(const Ctx *ctx) noexcept nogil
cdef void lay_scene(const Ctx *ctx, char *memory, Scene *scene) noexcept nogil

cdef int inputs_of(int players) noexcept nogil
cdef int facts_of(int players) noexcept nogil

# Fills in the inputs for a position in which a turn begins.
cdef void describe(const Ctx *ctx, const State *st, const Weights *w, Workspace *workspace, Scene *scene) noexcept nogil

# The win shares by seat.
cdef void outlook(const Ctx *ctx, const State *st, const Network *net, Scene *scene, float *shares) noexcept nogil

# Reads a network from whole numbers; raises ValueError if there are too few or too many.
cdef int load(Network *net, int players, int layers, list numbers) except -1
