# The tree of a search: nodes are positions in which a seat begins (or continues) a turn, edges are whole turns.

from terrarium.core.kernel cimport Ops
from terrarium.engine.brain cimport MAX_SEATS, Turn

ctypedef struct Node

ctypedef struct Edge:
    Turn turn
    Node *child                 # NULL until visited
    int visits
    int pending                 # unfinished descents through this edge
    float prior
    double total[MAX_SEATS]     # sum of the shares from all visits
    bint is_proven              # the turn's shares are exact

ctypedef struct Node:
    void *state
    Edge *edges                 # best first by their first value
    int count
    int visits
    int seat                    # -1 when the game is over
    int width                   # of the beam that found its turns
    bint is_expanded
    bint is_busy                # a thread is finding its turns
    bint is_proven
    float shares[MAX_SEATS]     # exact when proven, otherwise the first estimate

ctypedef struct Tree:
    const Ops *ops
    Node *root
    size_t used                 # bytes
    size_t node_bytes           # size of a node without its edges

# The node of the position after a turn, or of `state` itself if `turn` is NULL; NULL if there is no memory.
cdef Node *new_node(Tree *tree, const void *state, const Turn *turn) noexcept nogil
cdef void free_node(Tree *tree, Node *node) noexcept nogil

# Gives a node its candidate turns and sorts them; False if there is no memory.
cdef bint add_edges(Tree *tree, Node *node, Turn *turns, int count) noexcept nogil
# Moves the results of visits from the edges of the node's earlier version to edges that lead to the same positions, and drops the old edges.
cdef void take_over(Tree *tree, Node *node, Node *before) noexcept nogil
cdef void drop_edges(Tree *tree, Node *node) noexcept nogil

# The edge to visit next; each unfinished descent through an edge counts as `loss` lost visits.
cdef Edge *promising(const Node *node, int loss) noexcept nogil

# Marks a node as proven if the mover has a turn that certainly wins.
cdef void settle(Node *node) noexcept nogil

# Whether the result of every turn that was found is known.
cdef bint is_settled(const Node *node) noexcept nogil

# The value of a turn for a seat after all visits; each unfinished descent counts as `loss` lost visits.
cdef inline double share_of(const Edge *edge, int seat, int loss) noexcept nogil:
    if edge.is_proven:
        return edge.turn.shares[seat]
    return (edge.total[seat] + edge.turn.shares[seat]) / (edge.visits + loss * edge.pending + 1)
