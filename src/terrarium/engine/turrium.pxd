# The data of Terra Turrium's evaluation for one game.

from libc.stdint cimport uint8_t

from terrarium.engine.brain cimport Brain
from terrarium.engine.race cimport Network

cdef enum:
    FLAG_COUNT = 6
    NONE = 100                  # no cell
    # plans tried for a win of the mover, once for every expanded position; more in the position to be played
    WIN_EFFORT = 2_000
    ROOT_WIN_EFFORT = 50_000
    # the same for a rival's win before the turn
    THREAT_EFFORT = 30
    ROOT_THREAT_EFFORT = 5_000
    # and after every action while there is a threat
    AGAIN_EFFORT = 12
    ROOT_AGAIN_EFFORT = 60
    # and for a win in the last round after somebody else's
    LAST_EFFORT = 200
    ROOT_LAST_EFFORT = 2_000
    FAR = 60                    # more cubes than any plan needs

ctypedef struct Weights:
    float cube                  # turns per cube still to be moved
    float step                  # turns per step still to be made
    float away                  # turns per flag not yet on its height
    float high                  # turns per unit of a missing height, because high towers need many free cubes
    float lock                  # turns per free cube that is lacking for a missing height
    float hand                  # turns per flag in hand
    float threat                # turns per flag that the next players can capture
    float carried               # turns saved per cube in hand
    float tempo                 # turns saved by being to move
    float spread                # scale, in turns, of the difference that decides the win
    float rivalry               # weight of the nearest rival's distance
    float par                   # constant that the rest of the comparison uses instead of a rival's distance
    float patience              # fraction of the rounds after which hindering rivals no longer counts
    float late_lock             # value of `lock` after that
    float room                  # additional free cubes that count as needed, after that
    float urge                  # growth of `late_lock` some rounds later, from then to the last round
    float unrest                # random variation of the values from round to round, in turns, in the last round

cdef enum:
    SLOTS = 128                 # cells of the used area row by row, with one more column, so that rows are not adjacent

ctypedef struct Notes:
    Weights weights
    const Network *network      # or NULL
    float trust                 # the weight of its shares; the rest are those of the evaluation
    int used                    # cells in use
    int rows
    int width                   # slots in a row
    uint8_t cells[100]          # the cells in use
    uint8_t slots[100]          # the slot of each cell
    uint8_t own[4][SLOTS]       # by seat and slot: all bits set on the seat's own land
    uint8_t near[100][4]        # neighbours in use, or NONE


cdef class TurriumBrain(Brain):
    cdef Notes notes
    cdef Notes steady           # the same without `unrest`
    cdef Network network
