"""The candidate turns of a position, found by a beam search over single actions.

Of each length it keeps the few unfinished turns with the best value for the mover; finished turns are candidates. Turns that
lead to the same position count once. The turns that the game's `tactics` returns are always candidates.
"""

from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from terrarium.core.kernel cimport Ops
from terrarium.engine.brain cimport MAX_SEATS, MAX_TURN, Brain, Mind, Turn, new_workspace
from terrarium.engine.clock cimport now
from terrarium.engine.ending cimport finds_win, free_ending, prepare_ending


cdef enum:
    MOST_TACTICS = 24               # the most turns that `tactics` may return
    VALUES = 1 << 14            # number of stored evaluations, a power of two
    LAST_TURNS = 3              # turns of a proven win, including those of rivals
    MOST_CHOOSY = 16            # the largest `choosy`
    GREEDY_WIDTH = 4            # `width` for `propose` when such a turn is finished

cdef float LEEWAY = 1.02        # an estimated share may be too low by this factor
cdef float UNSTOPPED = 0.2      # factor for all shares after a turn that lets another seat win at once


cdef class Beam:
    def __cinit__(self, Brain brain, int searcher, int width, bint alert, float regard, int exact, bint thorough):
        cdef const Ops *ops = brain.mind.ops
        cdef int most = max(width, WIDEST)
        self.brain = brain
        self.searcher = searcher
        self.alert = alert
        self.exact = exact
        self.is_lazy = thorough and brain.mind.estimate != NULL
        self.mind = brain.mind
        self.mind.regard = regard
        self.mind.is_thorough = thorough
        self.mind.workspace = new_workspace(&self.mind)
        self.shorter = <Turn *>malloc(most * sizeof(Turn))
        self.longer = <Turn *>malloc(most * sizeof(Turn))
        self.shorter_states = <char *>malloc(most * ops.state_size)
        self.longer_states = <char *>malloc(most * ops.state_size)
        self.trial = <char *>malloc(ops.state_size)
        self.ids = <int *>malloc(ops.max_legal * sizeof(int))
        self.tried = <float *>malloc(ops.max_legal * sizeof(float))
        self.poor = <int *>calloc(ops.num_actions, sizeof(int))
        self.values = <Value *>calloc(VALUES, sizeof(Value))
        if not (
            self.shorter and self.longer and self.shorter_states and self.longer_states and self.trial and self.ids and self.tried and self.poor
            and self.values and self.mind.workspace
        ):
            raise MemoryError
        if exact > 0 and not prepare_ending(&self.ending, ops):
            raise MemoryError

    def __dealloc__(self):
        free_ending(&self.ending)
        free(self.shorter)
        free(self.longer)
        free(self.shorter_states)
        free(self.longer_states)
        free(self.trial)
        free(self.ids)
        free(self.tried)
        free(self.poor)
        free(self.values)
        free(self.mind.workspace)

    cdef bint is_late(self) noexcept nogil:
        return self.stopped or self.is_spent() or now() >= self.deadline

    cdef bint is_spent(self) noexcept nogil:
        """Whether only one more position may be evaluated; it is reserved for the first candidate."""
        return self.nodes + 1 >= self.most

    cdef int find(self, const void *state, int seat, int width, int limit, bint is_root, Turn *candidates) noexcept nogil:
        cdef const Mind *mind = &self.mind
        cdef size_t size = mind.ops.state_size
        cdef Turn *begun
        cdef int kept = 1, i
        self.seat = seat
        self.width = width
        self.limit = limit
        self.mind.is_root = is_root
        self.choosy = 0 if is_root else mind.choosy
        self.before = self.step
        self.threatening = 0
        self.candidates = candidates
        self.count = 0
        if self.exact > 0 and self.add_proven_win(state):
            return self.count
        if self.alert:
            self.add_tactics(state)
            if self.count > 0 and mind.is_thorough and mind.are_tactics_wins:
                return self.count
            if mind.threats != NULL:
                self.threatening = mind.threats(mind, state, ~(1 << seat), False, &self.plans)
        memset(&self.shorter[0], 0, sizeof(Turn))
        memcpy(self.shorter_states, state, size)
        if self.is_lazy:
            self.value(state, self.shorter[0].shares, self.shorter[0].points)
        for _ in range(MAX_TURN):
            self.step += 1
            self.unfinished = 0
            for i in range(kept):
                self.lengthen(&self.shorter[i], self.shorter_states + i * size)
            if self.unfinished == 0 or (self.count > 0 and self.is_late()):
                break
            kept = self.unfinished
            self.shorter, self.longer = self.longer, self.shorter
            self.shorter_states, self.longer_states = self.longer_states, self.shorter_states
            if self.is_spent():
                break
        if self.count == 0:
            begun = best_of(self.shorter, kept, seat)
            self.finish(state, begun)
            self.keep_candidate(begun)
        if mind.assess != NULL:
            self.assess(state)
        return self.count

    cdef void assess(self, const void *state) noexcept nogil:
        """Give the candidates better shares."""
        cdef const Mind *mind = &self.mind
        cdef const Ops *ops = mind.ops
        cdef Turn *turn
        cdef int i, k
        for i in range(self.count):
            turn = &self.candidates[i]
            if turn.is_final:
                continue
            memcpy(self.trial, state, ops.state_size)
            for k in range(turn.length):
                ops.apply(ops.ctx, self.trial, turn.ids[k])
            mind.assess(mind, self.trial, turn.shares)
            if self.threatening:  # `assess` searches less for a rival's win
                self.discount_threats(self.trial, turn)

    cdef bint add_proven_win(self, const void *state) noexcept nogil:
        """Make a turn the only candidate if the seat certainly wins with it; only where few actions are legal."""
        cdef const Ops *ops = self.mind.ops
        cdef Turn turn
        cdef int i, s
        if ops.legal(ops.ctx, state, self.ids) > self.exact:
            return False
        if not finds_win(&self.ending, state, LAST_TURNS, self.effort, &turn):
            return False
        # the points are estimated, or exact if the turn ends the game; the win is certain
        memcpy(self.trial, state, ops.state_size)
        for i in range(turn.length):
            ops.apply(ops.ctx, self.trial, turn.ids[i])
        self.measure(self.trial, &turn)
        turn.is_final = True
        for s in range(MAX_SEATS):
            turn.shares[s] = s == self.seat
        self.keep_candidate(&turn)
        return True

    cdef void add_tactics(self, const void *state) noexcept nogil:
        """Add the turns of the game's `tactics` to the candidates."""
        cdef const Mind *mind = &self.mind
        cdef Turn turns[MOST_TACTICS]
        cdef int i
        for i in range(mind.tactics(mind, state, turns, MOST_TACTICS)):
            if self.is_spent() and self.count > 0:
                break
            self.finish(state, &turns[i])
            self.keep_candidate(&turns[i])

    cdef void finish(self, const void *start, Turn *turn) noexcept nogil:
        """Complete an unfinished turn greedily: each time with the action that looks best."""
        cdef const Mind *mind = &self.mind
        cdef const Ops *ops = mind.ops
        cdef char *state = self.shorter_states
        cdef int i, best
        cdef float top
        memcpy(state, start, ops.state_size)
        for i in range(turn.length):
            ops.apply(ops.ctx, state, turn.ids[i])
        while turn.length < MAX_TURN and not (
            turn.length > 0 and (ops.is_over(ops.ctx, state) or ops.at_turn_start(ops.ctx, state))
        ):
            best = -1
            top = 0
            for i in range(mind.propose(mind, state, GREEDY_WIDTH, self.ids)):
                if self.is_spent():
                    best = self.ids[0] if best < 0 else best
                    break
                memcpy(self.trial, state, ops.state_size)
                ops.apply(ops.ctx, self.trial, self.ids[i])
                self.measure(self.trial, turn)
                if best < 0 or turn.shares[self.seat] > top:
                    top = turn.shares[self.seat]
                    best = self.ids[i]
            ops.apply(ops.ctx, state, best)
            turn.ids[turn.length] = best
            turn.length += 1
        turn.key = ops.key(ops.ctx, state)
        self.measure(state, turn)

    cdef void lengthen(self, const Turn *begun, const void *state) noexcept nogil:
        """Try every proposed action after an unfinished turn."""
        cdef const Mind *mind = &self.mind
        cdef const Ops *ops = mind.ops
        cdef int proposed = mind.propose(mind, state, self.width, self.ids)
        cdef int i
        cdef Turn turn
        cdef bint is_done
        for i in range(proposed):
            self.tried[i] = -1
            if self.choosy and self.before < self.poor[self.ids[i]] < self.step:
                continue
            if self.is_spent() or ((i & 15) == 15 and self.count > 0 and self.is_late()):
                return
            memcpy(self.trial, state, ops.state_size)
            ops.apply(ops.ctx, self.trial, self.ids[i])
            turn = begun[0]
            turn.ids[turn.length] = self.ids[i]
            turn.length += 1
            turn.key = ops.key(ops.ctx, self.trial)
            if self.is_lazy and self.is_hopeless(begun, &turn, &self.tried[i]):
                self.nodes += 1
                continue
            self.measure(self.trial, &turn)
            is_done = turn.is_final or ops.at_turn_start(ops.ctx, self.trial)
            if not is_done:
                self.tried[i] = turn.shares[self.seat]
            if self.threatening and not turn.is_final and not self.is_late():
                # the search for an immediate win is expensive: only for new turns that would otherwise be kept
                if is_done and is_among(self.candidates, self.count, &turn):
                    continue
                if not is_done and place_among(self.longer, self.unfinished, self.width, &turn, self.seat) < 0:
                    continue
                self.discount_threats(self.trial, &turn)
            if is_done or turn.length == MAX_TURN:
                self.keep_candidate(&turn)
            else:
                self.keep_unfinished(&turn)
        if self.choosy:
            self.remember_poor(proposed)

    cdef bint is_hopeless(self, const Turn *begun, const Turn *turn, float *share) noexcept nogil:
        """Whether a turn would hardly be kept, by an estimate from the values of the turn before its last action; then `share` gets the mover's."""
        cdef const Mind *mind = &self.mind
        cdef const Ops *ops = mind.ops
        cdef const Turn *kept = self.longer
        cdef int count = self.unfinished, limit = self.width
        cdef float shares[MAX_SEATS]
        cdef bint is_done
        if ops.is_over(ops.ctx, self.trial):
            return False
        is_done = ops.at_turn_start(ops.ctx, self.trial)
        if is_done:
            kept, count, limit = self.candidates, self.count, self.limit
        if count < limit or not self.guess(begun, turn.ids[turn.length - 1], shares):
            return False
        if mind.hostility > 0:
            self.expect_hindrance(shares)
        if not is_done:
            share[0] = shares[self.seat]
        return LEEWAY * shares[self.seat] <= kept[worst_of(kept, count, self.seat)].shares[self.seat]

    cdef void remember_poor(self, int proposed) noexcept nogil:
        """Mark the actions that are not among the best `choosy` of a step, so that later steps do not try them again."""
        cdef float best[MOST_CHOOSY]
        cdef int i, j, count = 0
        for i in range(proposed):
            if self.tried[i] < 0 or (count == self.choosy and self.tried[i] <= best[count - 1]):
                continue
            j = count if count < self.choosy else count - 1
            while j > 0 and best[j - 1] < self.tried[i]:
                best[j] = best[j - 1]
                j -= 1
            best[j] = self.tried[i]
            count = min(count + 1, self.choosy)
        if count == self.choosy:
            for i in range(proposed):
                if 0 <= self.tried[i] < best[count - 1]:
                    self.poor[self.ids[i]] = self.step

    cdef void measure(self, const void *state, Turn *turn) noexcept nogil:
        """Set the shares and points after a turn: exact at the end of the game, otherwise estimated."""
        cdef const Mind *mind = &self.mind
        cdef const Ops *ops = mind.ops
        self.nodes += 1
        turn.is_final = ops.is_over(ops.ctx, state)
        if turn.is_final:
            final_shares(mind, state, turn.shares, turn.points)
        else:
            self.value(state, turn.shares, turn.points)
            if mind.hostility > 0:
                self.expect_hindrance(turn.shares)

    cdef bint guess(self, const Turn *begun, int action, float *shares) noexcept nogil:
        """Estimate the shares in `trial`, which an unfinished turn leads to with one more action; False if its evaluation is stored, or if that is not possible."""
        cdef const Mind *mind = &self.mind
        cdef uint64_t value_key = mind.value_key(mind, self.trial) | 1
        cdef Value *known = &self.values[value_key >> 1 & (VALUES - 1)]
        if known.value_key != value_key:
            if not mind.estimate(mind, self.trial, action, self.seat, begun.points, known.shares):
                known.value_key = 0
                return False
            known.value_key = value_key
            known.is_estimate = True
        elif not known.is_estimate:
            return False
        memcpy(shares, known.shares, sizeof(known.shares))
        return True

    cdef void value(self, const void *state, float *shares, float *points) noexcept nogil:
        """Evaluate a position, or use its stored evaluation: actions in another order often lead to the same position."""
        cdef const Mind *mind = &self.mind
        cdef uint64_t value_key = mind.value_key(mind, state) | 1
        cdef Value *known = &self.values[value_key >> 1 & (VALUES - 1)]
        if known.value_key != value_key or known.is_estimate:
            mind.evaluate(mind, state, known.shares, known.points)
            known.value_key = value_key
            known.is_estimate = False
        memcpy(shares, known.shares, sizeof(known.shares))
        memcpy(points, known.points, sizeof(known.points))

    cdef void expect_hindrance(self, float *shares) noexcept nogil:
        """Count part of the searcher's loss as the rivals' gain, so that plans must also work against rivals who hinder them."""
        cdef const Mind *mind = &self.mind
        cdef int s
        for s in range(mind.ops.seats):
            if s != self.searcher:
                shares[s] += mind.hostility * (1 - shares[self.searcher] - shares[s])

    cdef void discount_threats(self, const void *state, Turn *turn) noexcept nogil:
        """Lower the value of a turn that lets one of the threatening seats win at once."""
        cdef const Mind *mind = &self.mind
        cdef int unstopped = mind.threats(mind, state, self.threatening, True, &self.plans)
        cdef int s
        if unstopped:
            for s in range(mind.ops.seats):
                turn.shares[s] *= UNSTOPPED
                if (unstopped >> s) & 1:
                    turn.shares[s] += 1 - UNSTOPPED

    cdef void keep_candidate(self, const Turn *turn) noexcept nogil:
        cdef int place = place_among(self.candidates, self.count, self.limit, turn, self.seat)
        if place >= 0:
            self.count = max(self.count, place + 1)
            self.candidates[place] = turn[0]

    cdef void keep_unfinished(self, const Turn *turn) noexcept nogil:
        """Keep an unfinished turn and the position it leads to, which is in `trial`."""
        cdef int place = place_among(self.longer, self.unfinished, self.width, turn, self.seat)
        cdef size_t size = self.mind.ops.state_size
        if place >= 0:
            self.unfinished = max(self.unfinished, place + 1)
            self.longer[place] = turn[0]
            memcpy(self.longer_states + place * size, self.trial, size)


cdef Turn *best_of(Turn *turns, int count, int seat) noexcept nogil:
    cdef int i, best = 0
    for i in range(1, count):
        if turns[i].shares[seat] > turns[best].shares[seat]:
            best = i
    return &turns[best]


cdef bint is_among(const Turn *turns, int count, const Turn *turn) noexcept nogil:
    cdef int i
    for i in range(count):
        if turns[i].key == turn.key:
            return True
    return False


cdef int place_among(const Turn *turns, int count, int limit, const Turn *turn, int seat) noexcept nogil:
    """The index for a turn if only the seat's `limit` best are kept: at the end, or in place of the worst.

    -1 if it is not better than those, or leads to a position that is already among them.
    """
    cdef int worst
    if is_among(turns, count, turn):
        return -1
    if count < limit:
        return count
    worst = worst_of(turns, count, seat)
    return worst if turn.shares[seat] > turns[worst].shares[seat] else -1


cdef int worst_of(const Turn *turns, int count, int seat) noexcept nogil:
    cdef int i, worst = 0
    for i in range(1, count):
        if turns[i].shares[seat] < turns[worst].shares[seat]:
            worst = i
    return worst


cdef void final_shares(const Mind *mind, const void *state, float *shares, float *points) noexcept nogil:
    """The result of a finished game. In a draw each share is reduced by the factor `mind.even`."""
    cdef const Ops *ops = mind.ops
    cdef double exact[MAX_SEATS]
    cdef int counted[MAX_SEATS]
    cdef bint is_even = not (mind.is_thorough and mind.has_winners != NULL and mind.has_winners(mind, state))
    cdef int s
    ops.shares(ops.ctx, state, exact)
    ops.points(ops.ctx, state, counted)
    for s in range(ops.seats):
        is_even = is_even and exact[s] == exact[0]
    for s in range(ops.seats):
        shares[s] = exact[s] * (mind.even if is_even else 1)
        points[s] = counted[s]
