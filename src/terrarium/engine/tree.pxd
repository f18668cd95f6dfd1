# The tree of a search: positions in which somebody begins (or continues) a turn, joined by whole turns.

from terrarium.core.kernel cimport Ops
from terrarium.engine.brain cimport MAX_SEATS, Turn

ctypedef struct Node

ctypedef struct Edge:
    Turn turn
    Node *child                 # NULL until visited
    int visits
    int pending                 # unfinished descents of threads
    float prior
    double total[MAX_SEATS]     # sum of the shares that visits brought back
    bint is_proven              # the turn's shares are exact

ctypedef struct Node:
    void *state
    Edge *edges                 # best first by their first value
    int count
    int visits
    int seat                    # -1 when the game is over
    bint is_expanded
    bint is_busy                # a thread looks for its turns
    bint is_proven
    float shares[MAX_SEATS]     # exact when proven, otherwise the first estimate

ctypedef struct Tree:
    const Ops *ops
    Node *root
    size_t used                 # bytes
    size_t node_bytes           # what a node without its edges takes

# The position after a turn, which is NULL for the root; NULL when there is no memory.
cdef Node *new_node(Tree *tree, const void *state, const Turn *turn) noexcept nogil
cdef void free_node(Tree *tree, Node *node) noexcept nogil

# Give a node its candidate turns, which are sorted on the way; False when there is no memory.
cdef bint add_edges(Tree *tree, Node *node, Turn *turns, int count) noexcept nogil
# Move what visits found from the edges of a node's earlier form to those that reach the same positions, and drop those edges.
cdef void take_over(Tree *tree, Node *node, Node *before) noexcept nogil
cdef void drop_edges(Tree *tree, Node *node) noexcept nogil

# The edge to visit next.
cdef Edge *promising(const Node *node) noexcept nogil

# A node in which the mover has a turn that surely wins alone is won.
cdef void settle(Node *node) noexcept nogil

# What a turn is worth to a seat after all visits; an unfinished one counts as a loss.
cdef inline double share_of(const Edge *edge, int seat) noexcept nogil:
    if edge.is_proven:
        return edge.turn.shares[seat]
    return (edge.total[seat] + edge.turn.shares[seat]) / (edge.visits + edge.pending + 1)
