"""The tree of a search: adds and removes nodes, chooses the turn to visit next, and passes wins up."""

from libc.math cimport exp, sqrt
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from terrarium.core.kernel cimport Ops
from terrarium.engine.brain cimport Turn


cdef enum:
    ALLOCATION = 80             # rough overhead of the allocator for a node, in bytes

cdef float EXPLORATION = 0.6
cdef float BUSY = 1e6           # more than any score
cdef float TEMPERATURE = 0.04   # a difference of this much win share makes a prior e times smaller


cdef Node *new_node(Tree *tree, const void *state, const Turn *turn) noexcept nogil:
    cdef const Ops *ops = tree.ops
    cdef Node *node = <Node *>calloc(1, sizeof(Node))
    cdef int i
    if node == NULL:
        return NULL
    node.state = malloc(ops.state_size)
    if node.state == NULL:
        free(node)
        return NULL
    memcpy(node.state, state, ops.state_size)
    if turn != NULL:
        for i in range(turn.length):
            ops.apply(ops.ctx, node.state, turn.ids[i])
        memcpy(node.shares, turn.shares, sizeof(node.shares))
    node.seat = ops.to_move(ops.ctx, node.state)
    node.is_proven = node.is_expanded = ops.is_over(ops.ctx, node.state)
    tree.node_bytes = sizeof(Node) + ops.state_size + ALLOCATION
    tree.used += tree.node_bytes
    return node


cdef void free_node(Tree *tree, Node *node) noexcept nogil:
    if node != NULL:
        drop_edges(tree, node)
        free(node.state)
        free(node)
        tree.used -= tree.node_bytes


cdef void drop_edges(Tree *tree, Node *node) noexcept nogil:
    cdef int i
    for i in range(node.count):
        free_node(tree, node.edges[i].child)
    free(node.edges)
    tree.used -= node.count * sizeof(Edge)
    node.edges = NULL
    node.count = 0
    node.visits = 0
    node.is_expanded = False


cdef void sort_turns(Turn *turns, int count, int seat) noexcept nogil:
    """Sort the turns, best for the seat first; the sort is stable."""
    cdef int i, j
    cdef Turn held
    for i in range(1, count):
        held = turns[i]
        j = i - 1
        while j >= 0 and turns[j].shares[seat] < held.shares[seat]:
            turns[j + 1] = turns[j]
            j -= 1
        turns[j + 1] = held


cdef bint add_edges(Tree *tree, Node *node, Turn *turns, int count) noexcept nogil:
    cdef Edge *edges = <Edge *>calloc(count, sizeof(Edge))
    cdef double total = 0
    cdef int i
    if edges == NULL:
        return False
    sort_turns(turns, count, node.seat)
    for i in range(count):
        edges[i].turn = turns[i]
        edges[i].is_proven = turns[i].is_final
        edges[i].prior = exp((turns[i].shares[node.seat] - turns[0].shares[node.seat]) / TEMPERATURE)
        total += edges[i].prior
    for i in range(count):
        edges[i].prior /= total
    node.edges = edges
    node.count = count
    node.is_expanded = True
    memcpy(node.shares, turns[0].shares, sizeof(node.shares))
    tree.used += count * sizeof(Edge)
    return True


cdef void take_over(Tree *tree, Node *node, Node *before) noexcept nogil:
    cdef Edge *old
    cdef Edge *edge
    cdef int i, j
    for i in range(before.count):
        old = &before.edges[i]
        for j in range(node.count):
            edge = &node.edges[j]
            if old.child != NULL and edge.turn.key == old.turn.key:
                if old.is_proven:
                    memcpy(edge.turn.shares, old.turn.shares, sizeof(edge.turn.shares))
                edge.is_proven = old.is_proven
                edge.child = old.child
                edge.visits = old.visits
                memcpy(edge.total, old.total, sizeof(edge.total))
                old.child = NULL
    drop_edges(tree, before)


cdef Edge *promising(const Node *node, int loss) noexcept nogil:
    """PUCT: the value so far plus a prior that decreases with visits. The more visits, the more turns are considered.

    A turn whose replies another thread is finding comes after all others.
    """
    cdef double spread = EXPLORATION * sqrt(node.visits + 1.0)
    cdef int allowed = 3 + <int>(2 * sqrt(<double>node.visits))
    cdef double score, top = -1e9
    cdef Edge *best = NULL
    cdef Edge *edge
    cdef int i
    for i in range(min(allowed, node.count)):
        edge = &node.edges[i]
        score = share_of(edge, node.seat, loss) + spread * edge.prior / (1 + edge.visits + edge.pending)
        if edge.child != NULL and edge.child.is_busy:
            score -= BUSY
        if score > top:
            top = score
            best = edge
    return best


cdef void settle(Node *node) noexcept nogil:
    cdef int i
    for i in range(node.count):
        if node.edges[i].is_proven and node.edges[i].turn.shares[node.seat] >= 1:
            node.is_proven = True
            memcpy(node.shares, node.edges[i].turn.shares, sizeof(node.shares))
            return


cdef bint is_settled(const Node *node) noexcept nogil:
    cdef int i
    for i in range(node.count):
        if not node.edges[i].is_proven:
            return False
    return True
