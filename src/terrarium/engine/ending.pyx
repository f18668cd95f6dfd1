"""Exact search of the last turns: does the seat to move win, whatever the others do?

It tries every legal action of every seat, so a win that it finds is proven. That is possible only where few actions are left, as
in Terra Nova when pioneers are nearly blocked (TN-23). Lines that are not over after the given number of turns count as not won.
"""

from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from terrarium.core.kernel cimport KernelPosition, Ops
from terrarium.engine.brain cimport MAX_SEATS, MAX_TURN, Turn, mixed


cdef bint prepare_ending(Ending *ending, const Ops *ops) noexcept nogil:
    ending.ops = ops
    ending.states = <char *>malloc((MOST_PLIES + 1) * ops.state_size)
    ending.ids = <int *>malloc(<size_t>MOST_PLIES * ops.max_legal * sizeof(int))
    ending.seen = <uint64_t *>calloc(MOST_SEEN, sizeof(uint64_t))
    return ending.states != NULL and ending.ids != NULL and ending.seen != NULL


cdef void free_ending(Ending *ending) noexcept nogil:
    free(ending.states)
    free(ending.ids)
    free(ending.seen)


cdef bint finds_win(Ending *ending, const void *state, int turns, int effort, Turn *turn) noexcept nogil:
    cdef const Ops *ops = ending.ops
    cdef int limit, i, s
    ending.seat = ops.to_move(ops.ctx, state)
    ending.effort = effort
    if ending.seat < 0:
        return False
    memset(ending.seen, 0, MOST_SEEN * sizeof(uint64_t))
    memcpy(ending.states, state, ops.state_size)
    # short wins first: most are, and they need few actions
    for limit in range(1, turns + 1):
        ending.own = 0
        if wins(ending, 0, limit, True):
            turn.length = min(ending.own, <int>MAX_TURN)
            memcpy(turn.ids, ending.line, turn.length * sizeof(int))
            turn.is_final = True
            for s in range(MAX_SEATS):
                turn.shares[s] = s == ending.seat
                turn.points[s] = 0
            for i in range(turn.length):
                ops.apply(ops.ctx, ending.states, turn.ids[i])
            turn.key = ops.key(ops.ctx, ending.states)
            return True
        if ending.effort <= 0:
            return False
    return False


cdef bint wins(Ending *ending, int ply, int turns, bint is_first) noexcept nogil:
    """Whether the seat wins within this many turns from the position at `ply`; `is_first` during its present turn."""
    cdef const Ops *ops = ending.ops
    cdef char *state = ending.states + ply * ops.state_size
    cdef char *after = state + ops.state_size
    cdef int *ids
    cdef int i, found, left
    cdef bint is_own, is_won, ends_turn
    cdef double shares[MAX_SEATS]
    cdef uint64_t key
    cdef uint64_t *spot
    if ops.is_over(ops.ctx, state):
        ops.shares(ops.ctx, state, shares)
        return shares[ending.seat] >= 1
    if turns == 0 or ply == MOST_PLIES:
        return False
    # the last bit of a stored key is the result
    key = mixed(ops.key(ops.ctx, state), turns) | 1
    spot = &ending.seen[key >> 1 & (MOST_SEEN - 1)]
    if (spot[0] | 1) == key:
        return spot[0] & 1
    is_own = ops.to_move(ops.ctx, state) == ending.seat
    ids = ending.ids + ply * ops.max_legal
    found = ops.legal(ops.ctx, state, ids)
    is_won = not is_own
    for i in range(found):
        if ending.effort <= 0:
            return False
        ending.effort -= 1
        memcpy(after, state, ops.state_size)
        ops.apply(ops.ctx, after, ids[i])
        ends_turn = ops.is_over(ops.ctx, after) or ops.at_turn_start(ops.ctx, after)
        left = turns - 1 if ends_turn else turns
        is_won = wins(ending, ply + 1, left, is_first and not ends_turn)
        if is_won == is_own:
            break
    if ending.effort <= 0 and not (is_won and is_own):
        return False
    if is_won and is_first:
        # the line of the first turn is needed, so a win in it is not stored: it ends the search anyway
        ending.line[ply] = ids[i]
        ending.own = max(ending.own, ply + 1)
        return True
    spot[0] = key if is_won else key ^ 1
    return is_won


def winning_turn(KernelPosition position, int turns=3, int effort=1_000_000):
    """The actions of a turn after which the seat to move certainly wins within this many turns, as texts; None if none is found."""
    cdef Ending ending
    cdef Turn turn
    cdef bint found = False
    cdef bint is_ready
    with nogil:
        is_ready = prepare_ending(&ending, &position.kernel.ops)
        if is_ready:
            found = finds_win(&ending, position.state, turns, effort, &turn)
        free_ending(&ending)
    if not is_ready:
        raise MemoryError
    if not found:
        return None
    return [str(position.kernel.action(turn.ids[i])) for i in range(turn.length)]
