"""Plain Monte-Carlo tree search over single actions with random play-outs: the baseline for measuring strength.

UCB1 selection, one new node per play-out; the kind of each random action is drawn first (core's `random_action`). It
uses no knowledge of a game beyond its rules.
"""

from libc.math cimport log, sqrt
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

from terrarium.core.kernel cimport KernelPosition, Ops, random_below, seed_rng
from terrarium.engine.clock cimport now


cdef enum:
    SEATS = 4
    UNTRIED = -1


cdef struct Leaf:
    int action          # the action that led here
    int parent
    int first_child     # children are consecutive; UNTRIED until listed
    int children
    int seat            # the seat that chose `action`
    int visits
    float won[SEATS]


cdef class Uct:
    """A growing tree of single actions."""
    cdef KernelPosition position
    cdef Leaf *leaves
    cdef size_t count, room, most
    cdef uint64_t rng
    cdef float exploration
    cdef volatile int stopped
    cdef readonly long long nodes   # number of play-outs so far

    def __cinit__(self, KernelPosition position, *, uint64_t seed=1, float exploration=1.0, long long memory=256 << 20):
        self.position = position
        self.rng = seed_rng(seed)
        self.exploration = exploration
        self.most = max(1024, memory // sizeof(Leaf))
        self.room = min(self.most, 4096)
        self.leaves = <Leaf *>malloc(self.room * sizeof(Leaf))
        if self.leaves == NULL:
            raise MemoryError
        self.count = 1
        self.leaves[0].action = UNTRIED
        self.leaves[0].parent = -1
        self.leaves[0].first_child = UNTRIED
        self.leaves[0].visits = 0
        self.nodes = 0
        self.stopped = 0

    def __dealloc__(self):
        free(self.leaves)

    cdef bint list_children(self, int leaf, const void *state, int *ids) noexcept nogil:
        cdef const Ops *ops = &self.position.kernel.ops
        cdef int found = ops.legal(ops.ctx, state, ids)
        cdef int i, s
        cdef size_t room = self.room
        cdef Leaf *grown
        if found == 0:
            return False
        while self.count + found > room:
            room *= 2
        if room > self.most:
            return False
        if room != self.room:
            grown = <Leaf *>realloc(self.leaves, room * sizeof(Leaf))
            if grown == NULL:
                return False
            self.leaves = grown
            self.room = room
        # shuffled, so that first visits do not follow the order of the ids
        for i in range(found - 1, 0, -1):
            s = random_below(&self.rng, i + 1)
            ids[i], ids[s] = ids[s], ids[i]
        self.leaves[leaf].first_child = <int>self.count
        self.leaves[leaf].children = found
        for i in range(found):
            grown = &self.leaves[self.count + i]
            grown.action = ids[i]
            grown.parent = leaf
            grown.first_child = UNTRIED
            grown.children = 0
            grown.visits = 0
            grown.seat = ops.to_move(ops.ctx, state)
            for s in range(SEATS):
                grown.won[s] = 0
        self.count += found
        return True

    cdef void play_out(self, void *state, int *ids) noexcept nogil:
        cdef const Ops *ops = &self.position.kernel.ops
        cdef int at = 0, i, best, id
        cdef double top, score, reach
        cdef Leaf *leaf
        cdef Leaf *child
        cdef double shares[SEATS]
        memcpy(state, self.position.state, ops.state_size)
        while True:
            leaf = &self.leaves[at]
            if leaf.first_child == UNTRIED:
                if at != 0 and leaf.visits == 0:
                    break
                if not self.list_children(at, state, ids):
                    break
                leaf = &self.leaves[at]
            best = -1
            top = -1
            reach = log(leaf.visits + 1.0)
            for i in range(leaf.children):
                child = &self.leaves[leaf.first_child + i]
                if child.visits == 0:
                    best = leaf.first_child + i
                    break
                score = child.won[child.seat] / child.visits + self.exploration * sqrt(reach / child.visits)
                if score > top:
                    top = score
                    best = leaf.first_child + i
            at = best
            ops.apply(ops.ctx, state, self.leaves[at].action)
        while True:
            id = ops.random_action(ops.ctx, state, &self.rng)
            if id < 0:
                break
            ops.apply(ops.ctx, state, id)
        ops.shares(ops.ctx, state, shares)
        while at >= 0:
            self.leaves[at].visits += 1
            for i in range(ops.seats):
                self.leaves[at].won[i] += shares[i]
            at = self.leaves[at].parent
        self.nodes += 1

    def run(self, double seconds=1e9, long long nodes=1 << 60):
        """Make play-outs for this many more seconds or play-outs, or until `stop` is called."""
        cdef const Ops *ops = &self.position.kernel.ops
        cdef double deadline = now() + seconds
        cdef long long most = self.nodes + nodes if nodes < (1 << 60) else nodes
        cdef void *state = malloc(ops.state_size)
        cdef int *ids = <int *>malloc(ops.max_legal * sizeof(int))
        if state == NULL or ids == NULL:
            free(state)
            free(ids)
            raise MemoryError
        with nogil:
            while self.nodes < most and not self.stopped and now() < deadline:
                self.play_out(state, ids)
        free(state)
        free(ids)

    def stop(self):
        """End a running `run` from any thread."""
        self.stopped = 1

    def best_action(self):
        """The id of the action tried most often; None before the first play-out."""
        cdef int i, best = -1
        cdef Leaf *root = self.leaves
        if root.first_child == UNTRIED:
            return None
        for i in range(root.children):
            if best < 0 or self.leaves[root.first_child + i].visits > self.leaves[best].visits:
                best = root.first_child + i
        return self.leaves[best].action
