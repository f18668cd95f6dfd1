# Terra Turrium's evaluation: what it keeps for one game.

from libc.stdint cimport uint8_t

from terrarium.engine.brain cimport Brain

cdef enum:
    FLAG_COUNT = 6
    NONE = 100                  # no cell
    FAR = 60                    # more cubes than any plan needs
    WIN_EFFORT = 2_000          # plans tried for the mover's win, once for every position expanded
    THREAT_EFFORT = 12          # the same for a rival's, asked after every action while there is a threat

ctypedef struct Weights:
    float cube                  # turns that a cube still to be moved costs
    float step                  # turns that a step still to be made costs
    float away                  # turns that a flag not yet on its height costs
    float high                  # turns that each unit of a height still missing costs: high towers need the free cubes first
    float lock                  # turns that each cube costs by which the free ones are too few for a missing height
    float hand                  # turns that a flag in hand costs
    float threat                # turns that a flag the next players can capture costs
    float carried               # turns that a cube in hand saves its holder
    float tempo                 # turns that being to move is worth
    float spread                # turns of difference that make a win half sure
    float rivalry               # weight of a rival's distance against the seat's own
    float par                   # what the rest of the seat's distance is compared with
    float patience              # the part of the rounds after which hindering others counts for nothing
    float late_lock             # `lock` after that
    float room                  # free cubes wanted beyond those of the missing height, after that
    float unrest                # turns by which positions look different from round to round, at the last round

cdef enum:
    SLOTS = 128                 # cells of the used area, row by row with one more column, so that no row touches the next

ctypedef struct Notes:
    Weights weights
    int used                    # cells in use
    int rows
    int width                   # slots in a row
    uint8_t cells[100]          # the cells in use
    uint8_t slots[100]          # the slot of each cell
    uint8_t own[4][SLOTS]       # by seat and slot: all bits set on its own land
    uint8_t near[100][4]        # neighbours in use, NONE where there is none


cdef class TurriumBrain(Brain):
    cdef Notes notes
