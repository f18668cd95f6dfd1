"""Best-first search over whole turns.

A node is a position in which somebody begins (or goes on with) a turn. Its edges are whole turns found by a beam over
single actions: unfinished turns are kept by their value for the mover, finished ones are candidates. Children
are chosen by PUCT with the static value as first guess, values are win shares of all seats (max^n). A leaf is
worth what the best turn found there leads to. Proven wins travel up.

Abbreviations: `share` = expected part of the win of a seat; `width` = how many unfinished turns the beam keeps.
"""

from libc.math cimport exp, sqrt
from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from terrarium.core.kernel cimport KernelPosition, Ops
from terrarium.engine.brain cimport MAX_SEATS, MAX_TURN, Brain, Mind, Plans, Turn
from terrarium.engine.clock cimport now


cdef enum:
    WIDEST = 48                 # unfinished turns kept when every turn found so far loses

cdef float UNSTOPPED = 0.2      # what is left of the hope of seats that let another one win at once


cdef struct Edge:
    Turn turn
    Node *child
    int visits
    float prior
    double total[MAX_SEATS]
    bint is_proven              # the shares are exact


cdef struct Node:
    void *state
    Edge *edges
    int count
    int visits
    int seat                    # -1 when the game is over
    bint is_expanded
    bint is_proven
    float shares[MAX_SEATS]     # exact when proven, otherwise the first estimate
    float points[MAX_SEATS]


cdef struct Partial:
    Turn turn
    float value
    int slot                    # which state block holds the position


cdef struct Beam:
    # Scratch space of one expansion, allocated once per search.
    Partial *kept
    Partial *found
    char *states                # two banks of `width` states
    char *trial
    int *ids
    int capacity


cdef class Search:
    """A growing tree over one position. Run it in slices and ask for the best turns in between."""
    cdef KernelPosition root_position
    cdef Brain brain
    cdef Node *root
    cdef Beam beam
    cdef Plans plans
    cdef int root_width, width, root_limit, limit
    cdef float exploration, temperature
    cdef bint alert                     # asks the game for what must not be overlooked
    cdef readonly long nodes            # positions evaluated
    cdef readonly long expansions
    cdef size_t used, allowed           # bytes of the tree
    cdef volatile int stopped
    cdef double deadline
    cdef long node_limit

    def __cinit__(
        self,
        KernelPosition position,
        Brain brain,
        *,
        int root_width=12,
        int width=6,
        int root_limit=48,
        int limit=16,
        float exploration=0.6,
        float temperature=0.04,
        bint alert=True,
        long memory=256 << 20,
    ):
        self.root_position = position
        self.brain = brain
        self.root_width = root_width
        self.width = width
        self.root_limit = root_limit
        self.limit = limit
        self.exploration = exploration
        self.temperature = temperature
        self.alert = alert
        self.allowed = memory
        self.used = 0
        self.stopped = 0
        self.nodes = 0
        self.expansions = 0
        self.plans.count = 0
        cdef const Ops *ops = brain.mind.ops
        cdef int most = max(root_width, width, WIDEST)
        self.beam.capacity = most
        self.beam.kept = <Partial *>malloc(most * sizeof(Partial))
        self.beam.found = <Partial *>malloc(most * sizeof(Partial))
        self.beam.states = <char *>malloc(2 * most * ops.state_size)
        self.beam.trial = <char *>malloc(ops.state_size)
        self.beam.ids = <int *>malloc(ops.max_legal * sizeof(int))
        if not (self.beam.kept and self.beam.found and self.beam.states and self.beam.trial and self.beam.ids):
            raise MemoryError
        self.root = self.make_node(position.state)
        if self.root == NULL:
            raise MemoryError

    def __dealloc__(self):
        self.free_node(self.root)
        free(self.beam.kept)
        free(self.beam.found)
        free(self.beam.states)
        free(self.beam.trial)
        free(self.beam.ids)

    cdef void free_node(self, Node *node) noexcept nogil:
        cdef int i
        if node == NULL:
            return
        for i in range(node.count):
            self.free_node(node.edges[i].child)
        free(node.edges)
        free(node.state)
        free(node)

    cdef Node *make_node(self, const void *state) noexcept nogil:
        cdef const Ops *ops = self.brain.mind.ops
        cdef size_t size = sizeof(Node) + ops.state_size + 64
        cdef Node *node = <Node *>calloc(1, sizeof(Node))
        if node == NULL:
            return NULL
        node.state = malloc(ops.state_size)
        if node.state == NULL:
            free(node)
            return NULL
        memcpy(node.state, state, ops.state_size)
        self.used += size
        node.seat = -1
        if ops.is_over(ops.ctx, state):
            final_shares(&self.brain.mind, state, node.shares, node.points)
            node.is_proven = True
            node.is_expanded = True
        else:
            node.seat = ops.to_move(ops.ctx, state)
        return node

    cdef void measure(self, const void *state, Turn *turn) noexcept nogil:
        """Fill in what a turn leads to: exact at the end of the game, estimated before."""
        cdef const Mind *mind = &self.brain.mind
        cdef const Ops *ops = mind.ops
        self.nodes += 1
        turn.is_final = ops.is_over(ops.ctx, state)
        if turn.is_final:
            final_shares(mind, state, turn.shares, turn.points)
        else:
            mind.evaluate(mind, state, turn.shares, turn.points)

    cdef void heed(self, const void *state, Turn *turn, int threatening) noexcept nogil:
        """Lower the hopes of a turn that lets one of these seats (bits) win at once."""
        cdef const Mind *mind = &self.brain.mind
        cdef int s
        threatening = mind.threats(mind, state, threatening, &self.plans)
        if threatening:
            for s in range(mind.ops.seats):
                turn.shares[s] *= UNSTOPPED
                if (threatening >> s) & 1:
                    turn.shares[s] += 1 - UNSTOPPED

    cdef bint is_late(self) noexcept nogil:
        return self.stopped or now() >= self.deadline

    cdef bint out_of_budget(self) noexcept nogil:
        return self.nodes >= self.node_limit or self.is_late()

    cdef bint expand(self, Node *node, int width, int limit) noexcept nogil:
        """Find the candidate turns of a node; False when stopped half-way before any was found."""
        cdef const Mind *mind = &self.brain.mind
        cdef const Ops *ops = mind.ops
        cdef int seat = node.seat
        cdef int kept = 1, found, depth, i, j, k, count, spots, threatening
        cdef size_t size = ops.state_size
        cdef char *here = self.beam.states
        cdef char *there = self.beam.states + self.beam.capacity * size
        cdef char *swap
        cdef Partial *pswap
        cdef Partial *parent
        cdef Turn turn
        cdef float value
        cdef bint is_done
        cdef Edge *edges = <Edge *>calloc(limit + 1, sizeof(Edge))
        if edges == NULL:
            return False
        count = 0
        threatening = 0
        if self.alert:
            count = self.tactical(node, edges, limit)
        if self.alert and mind.threats != NULL:
            threatening = mind.threats(mind, node.state, ~(1 << seat), &self.plans)
        memcpy(here, node.state, size)
        memset(&self.beam.kept[0].turn, 0, sizeof(Turn))
        self.beam.kept[0].slot = 0
        for depth in range(MAX_TURN):
            found = 0
            for i in range(kept):
                parent = &self.beam.kept[i]
                spots = mind.propose(mind, here + parent.slot * size, width, self.beam.ids)
                for j in range(spots):
                    if (j & 15) == 15 and count > 0 and self.is_late():
                        break
                    memcpy(self.beam.trial, here + parent.slot * size, size)
                    ops.apply(ops.ctx, self.beam.trial, self.beam.ids[j])
                    turn = parent.turn
                    turn.ids[turn.length] = self.beam.ids[j]
                    turn.length += 1
                    turn.key = ops.key(ops.ctx, self.beam.trial)
                    self.measure(self.beam.trial, &turn)
                    is_done = turn.is_final or ops.at_turn_start(ops.ctx, self.beam.trial)
                    if threatening and not turn.is_final and not self.is_late():
                        # a hunt is dear: only for what is new and would be kept otherwise
                        if is_done and has_edge(edges, count, turn.key):
                            continue
                        if not is_done and not self.is_wanted(found, width, &turn, turn.shares[seat]):
                            continue
                        self.heed(self.beam.trial, &turn, threatening)
                    value = turn.shares[seat]
                    if is_done or turn.length == MAX_TURN:
                        count = keep_edge(edges, count, limit, &turn, value, seat)
                    else:
                        found = self.keep_partial(found, width, &turn, value, there, size)
            if found == 0:
                break
            swap = here
            here = there
            there = swap
            pswap = self.beam.kept
            self.beam.kept = self.beam.found
            self.beam.found = pswap
            kept = found
            if count > 0 and self.is_late():
                break
        if count == 0:
            free(edges)
            return False
        self.weigh(node, edges, count, seat)
        self.expansions += 1
        return True

    cdef int tactical(self, Node *node, Edge *edges, int limit) noexcept nogil:
        """Candidates that the game insists on, each begun as told and finished greedily."""
        cdef const Mind *mind = &self.brain.mind
        cdef const Ops *ops = mind.ops
        cdef Turn turns[24]
        cdef Turn turn, best
        cdef int told = mind.tactics(mind, node.state, turns, 24)
        cdef int count = 0, i, j, k, spots
        cdef char *state = self.beam.states
        cdef char *after = self.beam.states + ops.state_size * self.beam.capacity
        for i in range(told):
            memcpy(state, node.state, ops.state_size)
            turn = turns[i]
            for j in range(turn.length):
                ops.apply(ops.ctx, state, turn.ids[j])
            while turn.length < MAX_TURN and not (
                turn.length > 0 and (ops.is_over(ops.ctx, state) or ops.at_turn_start(ops.ctx, state))
            ):
                spots = mind.propose(mind, state, 4, self.beam.ids)
                for k in range(spots):
                    memcpy(after, state, ops.state_size)
                    ops.apply(ops.ctx, after, self.beam.ids[k])
                    self.measure(after, &turn)
                    if k == 0 or turn.shares[node.seat] > best.shares[node.seat]:
                        best = turn
                        best.ids[best.length] = self.beam.ids[k]
                ops.apply(ops.ctx, state, best.ids[turn.length])
                turn.ids[turn.length] = best.ids[turn.length]
                turn.length += 1
            turn.key = ops.key(ops.ctx, state)
            self.measure(state, &turn)
            count = keep_edge(edges, count, limit, &turn, turn.shares[node.seat], node.seat)
        return count

    cdef bint is_wanted(self, int found, int width, const Turn *turn, float value) noexcept nogil:
        """Whether an unfinished turn reaches something new and is among the `width` best."""
        cdef bint is_better = found < width
        cdef int i
        for i in range(found):
            if self.beam.found[i].turn.key == turn.key:
                return False
            if self.beam.found[i].value < value:
                is_better = True
        return is_better

    cdef int keep_partial(
        self, int found, int width, Turn *turn, float value, char *bank, size_t size
    ) noexcept nogil:
        """Keep an unfinished turn if it is wanted, in place of the worst."""
        cdef Partial *kept = self.beam.found
        cdef int i, slot, worst
        if not self.is_wanted(found, width, turn, value):
            return found
        if found < width:
            slot = found
            worst = found
            found += 1
        else:
            worst = 0
            for i in range(1, found):
                if kept[i].value < kept[worst].value:
                    worst = i
            slot = kept[worst].slot
        kept[worst].turn = turn[0]
        kept[worst].value = value
        kept[worst].slot = slot
        memcpy(bank + slot * size, self.beam.trial, size)
        return found

    cdef void weigh(self, Node *node, Edge *edges, int count, int seat) noexcept nogil:
        """Sort the edges by their first value and give them priors."""
        cdef int i, j
        cdef Edge held
        cdef double total = 0
        cdef float best
        for i in range(1, count):
            held = edges[i]
            j = i - 1
            while j >= 0 and edges[j].turn.shares[seat] < held.turn.shares[seat]:
                edges[j + 1] = edges[j]
                j -= 1
            edges[j + 1] = held
        best = edges[0].turn.shares[seat]
        for i in range(count):
            edges[i].prior = exp((edges[i].turn.shares[seat] - best) / self.temperature)
            total += edges[i].prior
        for i in range(count):
            edges[i].prior /= total
        node.edges = <Edge *>realloc(edges, count * sizeof(Edge))
        if node.edges == NULL:
            node.edges = edges
        node.count = count
        node.is_expanded = True
        memcpy(node.shares, node.edges[0].turn.shares, sizeof(node.shares))
        memcpy(node.points, node.edges[0].turn.points, sizeof(node.points))
        self.used += count * sizeof(Edge)

    cdef void visit(self, Node *node, double *result, int depth) noexcept nogil:
        """One descent: choose, expand at the leaf, and carry the shares back up."""
        cdef const Ops *ops = self.brain.mind.ops
        cdef Edge *edge
        cdef Edge *best = NULL
        cdef double score, top = -1e9, spread, q
        cdef int i, j, s, allowed
        if node.is_proven or depth > 60:
            for s in range(ops.seats):
                result[s] = node.shares[s]
            node.visits += 1
            return
        if not node.is_expanded:
            if self.used > self.allowed or not self.expand(node, self.width, self.limit):
                # no memory or no time left for this leaf: its first estimate must do
                for s in range(ops.seats):
                    result[s] = node.shares[s]
                return
            node.visits += 1
            self.settle(node)
            for s in range(ops.seats):
                result[s] = node.shares[s]
            return
        spread = self.exploration * sqrt(node.visits + 1.0)
        allowed = 3 + <int>(2 * sqrt(<double>node.visits))
        for i in range(min(allowed, node.count)):
            edge = &node.edges[i]
            q = (edge.total[node.seat] + edge.turn.shares[node.seat]) / (edge.visits + 1)
            if edge.is_proven:
                q = edge.turn.shares[node.seat]
            score = q + spread * edge.prior / (1 + edge.visits)
            if score > top:
                top = score
                best = edge
        if best.child == NULL:
            memcpy(self.beam.trial, node.state, ops.state_size)
            for j in range(best.turn.length):
                ops.apply(ops.ctx, self.beam.trial, best.turn.ids[j])
            best.child = self.make_node(self.beam.trial)
            if best.child == NULL:
                for s in range(ops.seats):
                    result[s] = best.turn.shares[s]
                return
            memcpy(best.child.shares, best.turn.shares, sizeof(best.turn.shares))
            memcpy(best.child.points, best.turn.points, sizeof(best.turn.points))
        self.visit(best.child, result, depth + 1)
        best.visits += 1
        node.visits += 1
        for s in range(ops.seats):
            best.total[s] += result[s]
        if best.child.is_proven and not best.is_proven:
            best.is_proven = True
            memcpy(best.turn.shares, best.child.shares, sizeof(best.turn.shares))
            self.settle(node)

    cdef bint is_lost(self) noexcept nogil:
        """Whether every turn found at the root is known, and none wins."""
        cdef int i
        for i in range(self.root.count):
            if not self.root.edges[i].is_proven:
                return False
        return True

    cdef bint widen(self) noexcept nogil:
        """Look again at the root with a wider beam: what was found is not all there is."""
        cdef int i
        if self.root_width >= WIDEST:
            return False
        self.root_width = min(WIDEST, 2 * self.root_width)
        self.root_limit *= 2
        for i in range(self.root.count):
            self.free_node(self.root.edges[i].child)
        free(self.root.edges)
        self.root.edges = NULL
        self.root.count = 0
        self.root.is_expanded = False
        return self.expand(self.root, self.root_width, self.root_limit)

    cdef void settle(self, Node *node) noexcept nogil:
        """A node in which the mover has a turn that surely wins alone is won."""
        cdef int i
        for i in range(node.count):
            if node.edges[i].is_proven and node.edges[i].turn.shares[node.seat] >= 1:
                node.is_proven = True
                memcpy(node.shares, node.edges[i].turn.shares, sizeof(node.shares))
                return

    def run(self, double seconds=1e9, long nodes=1 << 60):
        """Search on until so much more time or so many more positions are spent, or `stop` is called.

        True when more searching could change something.
        """
        cdef double result[MAX_SEATS]
        cdef long before
        cdef int idle = 0
        self.deadline = now() + seconds
        self.node_limit = self.nodes + nodes if nodes < (1 << 60) else nodes
        with nogil:
            # even a search that is stopped at once must know a turn
            if not self.root.is_expanded:
                self.expand(self.root, self.root_width, self.root_limit)
                self.settle(self.root)
            while not self.out_of_budget():
                if self.root.is_proven or self.root.count == 0 or self.used > self.allowed:
                    break
                if self.root.count == 1 and self.root.visits > 0:
                    break
                if self.is_lost() and not self.widen():
                    break
                before = self.nodes
                self.visit(self.root, result, 0)
                # descents that end in known results cost nothing and teach little: enough of them is enough
                idle = idle + 1 if self.nodes == before else 0
                if idle > 200:
                    break
        return not (
            self.stopped or self.root.is_proven or self.root.count <= 1 or self.used > self.allowed
        )

    def stop(self):
        """End a running `run` from any thread, within milliseconds."""
        self.stopped = 1

    @property
    def memory(self):
        """Bytes the tree takes."""
        return self.used

    @property
    def is_proven(self):
        """Whether the result of the position is known for sure."""
        return bool(self.root.is_proven)

    cdef tuple shares_of(self, Edge *edge):
        cdef int s
        cdef int seats = self.brain.mind.ops.seats
        if edge.is_proven:
            return tuple(edge.turn.shares[s] for s in range(seats))
        return tuple(
            (edge.total[s] + edge.turn.shares[s]) / (edge.visits + 1) for s in range(seats)
        )

    def turns(self):
        """Every candidate as (ids, visits, shares, first shares, expected points, is_proven), best first."""
        cdef int i, j, s
        cdef int seats = self.brain.mind.ops.seats
        cdef Edge *edge
        found = []
        for i in range(self.root.count):
            edge = &self.root.edges[i]
            found.append((
                tuple(edge.turn.ids[j] for j in range(edge.turn.length)),
                edge.visits,
                self.shares_of(edge),
                tuple(edge.turn.shares[s] for s in range(seats)),
                tuple(edge.turn.points[s] for s in range(seats)),
                bool(edge.is_proven),
            ))
        seat = self.root.seat
        if seat >= 0:
            found.sort(key=lambda t: (
                t[5] and t[2][seat] >= 1, not (t[5] and t[2][seat] <= 0), t[1], t[2][seat]
            ), reverse=True)
        return found

    def line(self, ids, int depth=6):
        """The turns expected after the candidate `ids`, as tuples of ids."""
        cdef Node *node = self.root
        cdef Edge *edge = NULL
        cdef int i, j
        found = []
        for i in range(node.count):
            if tuple(node.edges[i].turn.ids[j] for j in range(node.edges[i].turn.length)) == tuple(ids):
                edge = &node.edges[i]
        while edge != NULL and len(found) < depth:
            found.append(tuple(edge.turn.ids[j] for j in range(edge.turn.length)))
            node = edge.child
            if node == NULL or node.count == 0:
                break
            edge = &node.edges[0]
            for i in range(1, node.count):
                if node.edges[i].visits > edge.visits:
                    edge = &node.edges[i]
        return found


cdef void final_shares(const Mind *mind, const void *state, float *shares, float *points) noexcept nogil:
    """The result of a finished game. A game that nobody won alone and nobody lost is worth less than its share."""
    cdef const Ops *ops = mind.ops
    cdef double exact[MAX_SEATS]
    cdef int counted[MAX_SEATS]
    cdef bint is_even = True
    cdef int s
    ops.shares(ops.ctx, state, exact)
    ops.points(ops.ctx, state, counted)
    for s in range(ops.seats):
        is_even = is_even and exact[s] == exact[0]
    for s in range(ops.seats):
        shares[s] = exact[s] * (mind.even if is_even else 1)
        points[s] = counted[s]


cdef bint has_edge(const Edge *edges, int count, uint64_t key) noexcept nogil:
    cdef int i
    for i in range(count):
        if edges[i].turn.key == key:
            return True
    return False


cdef int keep_edge(Edge *edges, int count, int limit, Turn *turn, float value, int seat) noexcept nogil:
    """Keep a finished turn if it is among the `limit` best and reaches something new."""
    cdef int i, worst
    if has_edge(edges, count, turn.key):
        return count
    if count < limit:
        worst = count
        count += 1
    else:
        worst = 0
        for i in range(1, count):
            if edges[i].turn.shares[seat] < edges[worst].turn.shares[seat]:
                worst = i
        if value <= edges[worst].turn.shares[seat]:
            return count
    memset(&edges[worst], 0, sizeof(Edge))
    edges[worst].turn = turn[0]
    edges[worst].is_proven = turn.is_final
    return count
