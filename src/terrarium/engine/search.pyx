"""Best-first search over whole turns.

A node is a position in which a seat begins (or continues) a turn. Its edges are whole turns, found by a beam search over
single actions. Children are chosen by PUCT with the static value as the first estimate. Values are win shares of all seats
(max^n). The value of a leaf is that of the best turn found there. Proven wins are passed up the tree.

Several threads share one tree. Each has its own beam and searches for candidate turns, which takes nearly all the time, without the tree's lock.
An unfinished descent counts as a visit without a result, and a node whose turns are being found is avoided. Only a thread that could not avoid such a node
then counts unfinished descents as lost (virtual loss), so that it looks elsewhere.

Terms: `share` = expected part of the win of a seat; `width` = how many unfinished turns the beam keeps.
"""

from threading import Thread

from cpython.pythread cimport (
    WAIT_LOCK,
    PyThread_acquire_lock,
    PyThread_allocate_lock,
    PyThread_free_lock,
    PyThread_release_lock,
    PyThread_type_lock,
)
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from terrarium.core.kernel cimport KernelPosition, Ops
from terrarium.engine.beam cimport WIDEST, Beam, is_among
from terrarium.engine.brain cimport MAX_SEATS, Brain, Turn
from terrarium.engine.clock cimport now
from terrarium.engine.tree cimport (
    Edge,
    Node,
    Tree,
    add_edges,
    drop_edges,
    free_node,
    is_settled,
    new_node,
    promising,
    settle,
    share_of,
    take_over,
)


cdef enum:
    CANDIDATES = 16             # the most candidates of a position below the root
    DEEPEST = 60                # the most turns of a descent
    ROOT_EFFORT = 40_000        # actions tried for a proven win in the position to be played
    EFFORT = 1_000              # the same in positions below it
    WIDER = 4                   # how many times wider a beam gets in a position in which every turn found loses
    FEW_VISITS = 4              # after this many visits a position gets the full width
    IDLE = 200                  # stop after this many descents in a row without a new position


cdef class Search:
    """A growing tree for one position. Run it in slices; the best turns are available in between."""
    cdef KernelPosition start           # the first root of the search
    cdef list beams                     # one for each thread
    cdef Beam beam                      # the first of them
    cdef PyThread_type_lock lock        # of the tree; NULL for one thread
    cdef long long spent                # positions evaluated, without those of unfinished expansions
    cdef long long until                # ... and their limit in the running `run`
    cdef Tree tree
    cdef int root_width, width, root_limit
    cdef int leaf_width                 # of the beam until the position has been visited a few times
    cdef int first_width, first_limit   # of the root, before `widen`
    cdef bint is_thorough               # look for more turns where every turn found loses
    cdef bint is_new                    # the root was an inner node before `follow`
    cdef int seats
    cdef size_t allowed                 # the most bytes of the tree
    cdef readonly long long expansions

    def __cinit__(
        self,
        KernelPosition position,
        Brain brain,
        *,
        int root_width=12,
        int width=6,
        int root_limit=48,
        bint alert=True,
        float regard=1,
        int exact=0,
        bint thorough=False,
        long long memory=256 << 20,
        long long most=1 << 60,
        int threads=1,
    ):
        cdef const Ops *ops = brain.mind.ops
        cdef Beam beam
        cdef int seat = ops.to_move(ops.ctx, position.state)
        self.start = position
        self.beams = [Beam(brain, seat, max(root_width, width), alert, regard, exact, thorough) for _ in range(threads)]
        for beam in self.beams:
            beam.most = most // threads
        self.beam = self.beams[0]
        self.beam.most += most % threads
        if threads > 1:
            self.lock = PyThread_allocate_lock()
            if self.lock == NULL:
                raise MemoryError
        self.root_width = self.first_width = root_width
        self.root_limit = self.first_limit = root_limit
        self.width = min(width, brain.mind.inner_width) if brain.mind.inner_width else width
        self.leaf_width = min(self.width, brain.mind.leaf_width) if brain.mind.leaf_width else self.width
        self.is_thorough = thorough
        self.seats = ops.seats
        self.allowed = memory
        self.tree.ops = ops
        self.tree.root = new_node(&self.tree, position.state, NULL)
        if self.tree.root == NULL:
            raise MemoryError

    def __dealloc__(self):
        free_node(&self.tree, self.tree.root)
        if self.lock != NULL:
            PyThread_free_lock(self.lock)

    cdef bint expand(self, Beam beam, Node *node, int width, int limit) noexcept nogil:
        """Find the candidate turns of a node; False if memory is short, or if no more positions may be evaluated."""
        cdef Turn *turns = <Turn *>malloc(limit * sizeof(Turn))
        cdef bint is_done = False
        cdef int count
        if turns == NULL:
            return False
        # other threads may work meanwhile: `is_busy` keeps them from changing this node
        node.is_busy = True
        self.leave()
        beam.effort = ROOT_EFFORT if node == self.tree.root else EFFORT
        count = beam.find(node.state, node.seat, width, limit, node == self.tree.root, turns)
        self.enter()
        node.is_busy = False
        if beam.is_late() and node != self.tree.root:
            count = 0  # discard an incomplete result: a turn that was not evaluated could be the best
        node.width = width
        if count > 0 and add_edges(&self.tree, node, turns, count):
            self.expansions += 1
            is_done = True
        free(turns)
        return is_done

    cdef void enter(self) noexcept nogil:
        """Wait until no other thread works on the tree."""
        if self.lock != NULL:
            PyThread_acquire_lock(self.lock, WAIT_LOCK)

    cdef void leave(self) noexcept nogil:
        if self.lock != NULL:
            PyThread_release_lock(self.lock)

    cdef bint look_again(self) noexcept nogil:
        """Expand a root that was an inner node with the width of a root, and keep the results of its turns.

        False if memory is short.
        """
        cdef Node *root = self.tree.root
        cdef Node before = root[0]
        cdef Turn *turns = <Turn *>malloc((self.root_limit + before.count) * sizeof(Turn))
        cdef int i, count
        if turns == NULL:
            return False
        self.beam.effort = ROOT_EFFORT
        count = self.beam.find(root.state, root.seat, self.root_width, self.root_limit, True, turns)
        for i in range(before.count):
            if before.edges[i].child != NULL and not is_among(turns, count, &before.edges[i].turn):
                turns[count] = before.edges[i].turn
                count += 1
        if not add_edges(&self.tree, root, turns, count):
            free(turns)
            return False
        free(turns)
        self.expansions += 1
        take_over(&self.tree, root, &before)
        return True

    cdef bint look_wider(self, Beam beam, Node *node, int width) noexcept nogil:
        """Expand a node with a wider beam and keep the results of its turns; False if that was not possible."""
        cdef int limit = CANDIDATES * max(width, self.width) // self.width
        cdef Turn *turns = <Turn *>malloc((limit + node.count) * sizeof(Turn))
        cdef Node before
        cdef bint is_done = False
        cdef int i, count
        if turns == NULL:
            return False
        node.is_busy = True
        self.leave()
        beam.effort = EFFORT
        count = beam.find(node.state, node.seat, width, limit, False, turns)
        self.enter()
        node.is_busy = False
        before = node[0]
        for i in range(before.count):
            if before.edges[i].pending > 0:
                count = 0  # another thread is below this node
        if count > 0 and not beam.is_late():
            for i in range(before.count):
                if before.edges[i].child != NULL and not is_among(turns, count, &before.edges[i].turn):
                    turns[count] = before.edges[i].turn
                    count += 1
            if add_edges(&self.tree, node, turns, count):
                take_over(&self.tree, node, &before)
                node.width = width
                self.expansions += 1
                is_done = True
        free(turns)
        return is_done

    cdef bint visit(self, Beam beam, int loss) noexcept nogil:
        """One descent: choose a leaf, expand it, and pass its shares back up. False if another thread is expanding that leaf.

        The descents of other threads count as `loss` lost visits each.
        """
        cdef Edge *edges[DEEPEST + 1]
        cdef Node *nodes[DEEPEST + 1]
        cdef Node *node = self.tree.root
        cdef Edge *edge
        cdef float shares[MAX_SEATS]
        cdef bint is_busy, is_doubted = False, is_thin = False
        cdef int depth = 0, s
        while node.is_expanded and not node.is_proven and depth <= DEEPEST:
            # a turn that was not found may be better than all that lose
            is_doubted = self.is_thorough and depth > 0 and node.width < min(WIDEST, WIDER * self.width) and is_settled(node)
            is_thin = depth > 0 and node.width < self.width and node.visits >= FEW_VISITS
            if is_doubted or is_thin:
                break
            edge = promising(node, loss)
            if edge.child == NULL:
                edge.child = new_node(&self.tree, node.state, &edge.turn)
                if edge.child == NULL:
                    break
            edge.pending += 1
            edges[depth] = edge
            nodes[depth] = node
            depth += 1
            node = edge.child
        is_busy = node.is_busy
        if node.is_proven or depth > DEEPEST:
            node.visits += 1
        elif (is_doubted or is_thin) and not is_busy and self.tree.used <= self.allowed:
            if self.look_wider(beam, node, self.width if is_thin else min(<int>WIDEST, 2 * node.width)):
                node.visits += 1
                settle(node)
            else:
                is_busy = self.lock != NULL
        elif not node.is_expanded and not is_busy and self.tree.used <= self.allowed:
            # if the expansion fails, the leaf keeps its first estimate
            if self.expand(beam, node, self.leaf_width, CANDIDATES):
                node.visits += 1
                settle(node)
        memcpy(shares, node.shares, sizeof(shares))
        while depth > 0:
            depth -= 1
            edge = edges[depth]
            node = nodes[depth]
            edge.pending -= 1
            if is_busy:
                continue
            edge.visits += 1
            node.visits += 1
            for s in range(self.seats):
                edge.total[s] += shares[s]
            if edge.child.is_proven and not edge.is_proven:
                edge.is_proven = True
                memcpy(edge.turn.shares, edge.child.shares, sizeof(edge.turn.shares))
                settle(node)
        return not is_busy

    cdef bint is_lost(self) noexcept nogil:
        """Whether the result of every turn found at the root is known; none of them wins."""
        cdef int i
        for i in range(self.tree.root.count):
            if not self.tree.root.edges[i].is_proven:
                return False
        return True

    cdef bint widen(self) noexcept nogil:
        """Expand the root again with a wider beam, to find more turns."""
        cdef long long before = self.beam.nodes
        if self.root_width >= WIDEST:
            return False
        self.root_width = min(WIDEST, 2 * self.root_width)
        self.root_limit *= 2
        drop_edges(&self.tree, self.tree.root)
        if not self.expand(self.beam, self.tree.root, self.root_width, self.root_limit):
            return False
        self.spent += self.beam.nodes - before
        settle(self.tree.root)
        return True

    def follow(self, KernelPosition position):
        """Make a position of the tree the new root, and count positions from 0 again.

        False if the tree does not contain the position, or if another seat is to move; then nothing changes.
        """
        cdef const Ops *ops = self.tree.ops
        cdef Node *found
        cdef Beam beam
        # The same game may have two kernels, because the cache of kernels is limited.
        if position.kernel is not self.start.kernel and not position.same_game(self.start):
            return False
        if ops.to_move(ops.ctx, position.state) != self.beam.searcher:
            return False
        found = self.known(self.tree.root, position.state, self.seats)
        if found == NULL:
            return False
        free_node(&self.tree, self.tree.root)
        self.tree.root = found
        self.is_new = found.is_expanded and not found.is_proven
        self.root_width = self.first_width
        self.root_limit = self.first_limit
        for beam in self.beams:
            beam.nodes = 0
            beam.stopped = 0
        self.expansions = 0
        return True

    cdef Node *known(self, Node *node, const void *state, int depth) noexcept nogil:
        """The node of a position at most `depth` turns below a node, removed from the tree; NULL if there is none."""
        cdef const Ops *ops = self.tree.ops
        cdef Node *found
        cdef int i
        for i in range(node.count if depth > 0 else 0):
            found = node.edges[i].child
            if found == NULL:
                continue
            if ops.equal(ops.ctx, found.state, state):
                node.edges[i].child = NULL
                return found
            found = self.known(found, state, depth - 1)
            if found != NULL:
                return found
        return NULL

    def run(self, double seconds=1e9, long long nodes=1 << 60):
        """Search for this many more seconds or positions, or until `stop` is called.

        A running expansion is completed even if that exceeds `nodes`; only `most` is never exceeded. Returns whether more searching could change the result.
        """
        cdef Node *root = self.tree.root
        cdef Beam beam
        cdef double deadline = now() + seconds
        cdef bint is_wider
        self.until = self.nodes + nodes if nodes < (1 << 60) else nodes
        for beam in self.beams:
            beam.deadline = deadline
        with nogil:
            self.enter()
            # even a search that is stopped at once must have a turn
            if not root.is_expanded:
                self.expand(self.beam, root, self.root_width, self.root_limit)
                settle(root)
            elif self.is_new:
                self.look_again()
                settle(root)
            self.is_new = False
            self.spent = self.beam.nodes
            self.leave()
        for beam in self.beams[1:]:
            self.spent += beam.nodes
        while True:
            # to start a thread takes longer than to expand a simple root
            beams = [] if self.is_finished(self.beam) else self.beams[1:]
            helpers = [Thread(target=self.work, args=(beam,)) for beam in beams]
            for helper in helpers:
                helper.start()
            self.work(self.beam)
            for helper in helpers:
                helper.join()
            with nogil:
                self.enter()
                is_wider = not self.is_finished(self.beam) and self.is_lost() and self.widen()
                self.leave()
            if not is_wider:
                break
        return not (
            self.beam.stopped or root.is_proven or root.count <= 1 or self.tree.used > self.allowed
        )

    cdef bint is_finished(self, Beam beam) noexcept nogil:
        cdef const Node *root = self.tree.root
        return (
            self.spent >= self.until
            or beam.is_late()
            or root.is_proven
            or root.count == 0
            or (root.count == 1 and root.visits > 0)
            or self.tree.used > self.allowed
        )

    def work(self, Beam beam):
        """The work of one thread in a run."""
        cdef long long before
        cdef int idle = 0
        cdef bint is_visited = True
        with nogil:
            self.enter()
            # descents that evaluate no new position add little: stop after IDLE of them in a row
            while idle <= IDLE and not self.is_finished(beam) and not self.is_lost():
                before = beam.nodes
                is_visited = self.visit(beam, 0 if is_visited else 1)
                self.spent += beam.nodes - before
                idle = idle + 1 if is_visited and beam.nodes == before else 0
                if not is_visited:
                    self.leave()
                    self.enter()
            self.leave()

    def stop(self):
        """End a running `run` from any thread, within milliseconds."""
        cdef Beam beam
        for beam in self.beams:
            beam.stopped = 1

    @property
    def nodes(self):
        """Positions evaluated."""
        cdef Beam beam
        cdef long long total = 0
        for beam in self.beams:
            total += beam.nodes
        return total

    @property
    def memory(self):
        """The size of the tree in bytes."""
        return self.tree.used

    def turns(self):
        """Every candidate as (ids, visits, shares, first shares, expected points, is_proven), best first."""
        cdef int i
        cdef int seat = self.tree.root.seat
        cdef Edge *edge
        found = []
        for i in range(self.tree.root.count):
            edge = &self.tree.root.edges[i]
            found.append((
                ids_of(&edge.turn),
                edge.visits,
                tuple([share_of(edge, s, 0) for s in range(self.seats)]),
                tuple([edge.turn.shares[s] for s in range(self.seats)]),
                tuple([edge.turn.points[s] for s in range(self.seats)]),
                bool(edge.is_proven),
            ))

        def rank(turn):
            _, visits, shares, _, _, is_proven = turn
            is_won, is_lost = is_proven and shares[seat] >= 1, is_proven and shares[seat] <= 0
            return is_won, not is_lost, visits, shares[seat]

        return sorted(found, key=rank, reverse=True)

    def line(self, ids, int depth=6):
        """The turns expected after the candidate `ids`, as tuples of ids."""
        cdef Node *node = self.tree.root
        cdef Edge *edge = NULL
        cdef int i
        found = []
        for i in range(node.count):
            if ids_of(&node.edges[i].turn) == tuple(ids):
                edge = &node.edges[i]
        while edge != NULL and len(found) < depth:
            found.append(ids_of(&edge.turn))
            node = edge.child
            if node == NULL or node.count == 0:
                break
            edge = &node.edges[0]
            for i in range(1, node.count):
                if node.edges[i].visits > edge.visits:
                    edge = &node.edges[i]
        return found


cdef tuple ids_of(const Turn *turn):
    return tuple([turn.ids[i] for i in range(turn.length)])
