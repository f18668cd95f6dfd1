"""Best-first search over whole turns.

A node is a position in which somebody begins (or goes on with) a turn. Its edges are whole turns found by a beam over
single actions. Children are chosen by PUCT with the static value as first guess, values are win shares of all seats
(max^n). A leaf is worth what the best turn found there leads to. Proven wins travel up.

Abbreviations: `share` = expected part of the win of a seat; `width` = how many unfinished turns the beam keeps.
"""

from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from terrarium.core.kernel cimport KernelPosition, Ops
from terrarium.engine.beam cimport WIDEST, Beam
from terrarium.engine.brain cimport MAX_SEATS, Brain, Turn
from terrarium.engine.clock cimport now
from terrarium.engine.tree cimport (
    Edge,
    Node,
    Tree,
    add_edges,
    drop_edges,
    free_node,
    new_node,
    promising,
    settle,
    share_of,
)


cdef enum:
    CANDIDATES = 16             # of a position below the root
    DEEPEST = 60                # turns that a descent may go down
    IDLE = 200                  # descents in a row without a new position after which all is said


cdef class Search:
    """A growing tree over one position. Run it in slices and ask for the best turns in between."""
    cdef Beam beam
    cdef Tree tree
    cdef int root_width, width, root_limit
    cdef int seats
    cdef size_t allowed                 # bytes of the tree
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
        long long memory=256 << 20,
        long long most=1 << 60,
    ):
        cdef const Ops *ops = brain.mind.ops
        self.beam = Beam(brain, ops.to_move(ops.ctx, position.state), max(root_width, width), alert, regard)
        self.beam.most = most
        self.root_width = root_width
        self.width = width
        self.root_limit = root_limit
        self.seats = ops.seats
        self.allowed = memory
        self.tree.ops = ops
        self.tree.root = new_node(&self.tree, position.state, NULL)
        if self.tree.root == NULL:
            raise MemoryError

    def __dealloc__(self):
        free_node(&self.tree, self.tree.root)

    cdef bint expand(self, Node *node, int width, int limit) noexcept nogil:
        """Give a node its candidate turns; False when memory is short, or when no more positions may be evaluated."""
        cdef Turn *turns = <Turn *>malloc(limit * sizeof(Turn))
        cdef bint is_done = False
        cdef int count
        if turns == NULL:
            return False
        count = self.beam.find(node.state, node.seat, width, limit, turns)
        if self.beam.is_spent() and node != self.tree.root:
            count = 0  # a turn that was not looked at could be the best
        if count > 0 and add_edges(&self.tree, node, turns, count):
            self.expansions += 1
            is_done = True
        free(turns)
        return is_done

    cdef void visit(self, Node *node, double *result, int depth) noexcept nogil:
        """One descent: choose, expand at the leaf, and carry the shares back up."""
        cdef Edge *edge
        cdef int s
        if node.is_proven or depth > DEEPEST:
            self.tell(node.shares, result)
            node.visits += 1
            return
        if not node.is_expanded:
            # a leaf that can't be expanded keeps its first estimate
            if self.tree.used <= self.allowed and self.expand(node, self.width, CANDIDATES):
                node.visits += 1
                settle(node)
            self.tell(node.shares, result)
            return
        edge = promising(node)
        if edge.child == NULL:
            edge.child = new_node(&self.tree, node.state, &edge.turn)
            if edge.child == NULL:
                self.tell(edge.turn.shares, result)
                return
        self.visit(edge.child, result, depth + 1)
        edge.visits += 1
        node.visits += 1
        for s in range(self.seats):
            edge.total[s] += result[s]
        if edge.child.is_proven and not edge.is_proven:
            edge.is_proven = True
            memcpy(edge.turn.shares, edge.child.shares, sizeof(edge.turn.shares))
            settle(node)

    cdef void tell(self, const float *shares, double *result) noexcept nogil:
        cdef int s
        for s in range(self.seats):
            result[s] = shares[s]

    cdef bint is_lost(self) noexcept nogil:
        """Whether every turn found at the root is known, and none wins."""
        cdef int i
        for i in range(self.tree.root.count):
            if not self.tree.root.edges[i].is_proven:
                return False
        return True

    cdef bint widen(self) noexcept nogil:
        """Look again at the root with a wider beam: what was found is not all there is."""
        if self.root_width >= WIDEST:
            return False
        self.root_width = min(WIDEST, 2 * self.root_width)
        self.root_limit *= 2
        drop_edges(&self.tree, self.tree.root)
        if not self.expand(self.tree.root, self.root_width, self.root_limit):
            return False
        settle(self.tree.root)
        return True

    def run(self, double seconds=1e9, long long nodes=1 << 60):
        """Search until this much more time or this number of further positions is spent, or `stop` is called.

        A look that has begun is finished, whatever `nodes` says; only `most` is never exceeded. True when more searching could change something.
        """
        cdef Node *root = self.tree.root
        cdef double result[MAX_SEATS]
        cdef long long most = self.beam.nodes + nodes if nodes < (1 << 60) else nodes
        cdef long long before
        cdef int idle = 0
        self.beam.deadline = now() + seconds
        with nogil:
            # even a search that is stopped at once must know a turn
            if not root.is_expanded:
                self.expand(root, self.root_width, self.root_limit)
                settle(root)
            while self.beam.nodes < most and not self.beam.is_late():
                if root.is_proven or root.count == 0 or self.tree.used > self.allowed:
                    break
                if root.count == 1 and root.visits > 0:
                    break
                if self.is_lost() and not self.widen():
                    break
                before = self.beam.nodes
                self.visit(root, result, 0)
                # descents that end in known results add little: stop after IDLE of them in a row
                idle = idle + 1 if self.beam.nodes == before else 0
                if idle > IDLE:
                    break
        return not (
            self.beam.stopped or root.is_proven or root.count <= 1 or self.tree.used > self.allowed
        )

    def stop(self):
        """End a running `run` from any thread, within milliseconds."""
        self.beam.stopped = 1

    @property
    def nodes(self):
        """Positions evaluated."""
        return self.beam.nodes

    @property
    def memory(self):
        """Bytes the tree takes."""
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
                tuple([share_of(edge, s) for s in range(self.seats)]),
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
