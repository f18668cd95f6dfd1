"""The rules of Terra Nova, implemented only here. kernel.pxd explains the terms.

The parts are included, not imported, so that the compiler can inline across them.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy, memset

from terrarium.core.action import Action
from terrarium.core.kernel cimport Kernel, next_random, random_below
from terrarium.errors import ImpossibleAction, InvalidAction
from terrarium.nova import notation
from terrarium.nova.layout import packed_lines, sites_of

cdef extern from *:
    int ctz "__builtin_ctzll"(uint64_t) noexcept nogil
    int clz "__builtin_clzll"(uint64_t) noexcept nogil
    int popcount "__builtin_popcountll"(uint64_t) noexcept nogil

cdef enum:
    BLOCK = 16              # ids written at once
    TRIES = 24              # guesses at a random move before all moves are counted


include "lines.pxi"
include "regions.pxi"
include "turns.pxi"
include "chance.pxi"


cdef inline void write_run(int *ids, int first, Py_ssize_t length) noexcept nogil:
    # always writes a whole block, because branches of short loops are badly predicted; the next run overwrites the excess
    cdef Py_ssize_t i
    for i in range(BLOCK):
        ids[i] = first + <int>i
    for i in range(BLOCK, length):
        ids[i] = first + <int>i


cdef int legal(const void *context, const void *state, int *ids) noexcept nogil:
    cdef const Ctx *ctx = <const Ctx *>context
    cdef const State *st = <const State *>state
    cdef const uint64_t *line = lines(ctx, st)
    cdef const uint8_t *what = holds(st)
    cdef const uint16_t *own
    cdef const Cell *at
    cdef uint16_t cells[MAX_PIONEERS]
    cdef bint home, is_moved
    cdef int i, j, d, k, cell, length, first, count = 0
    if st.phase == PLACE:
        for cell in range(ctx.cells):
            ids[count] = cell
            count += what[cell] == EMPTY
        return count
    if st.phase == OVER:
        return 0
    count = stone_cells(ctx, st, cells)
    for i in range(count):
        ids[i] = ctx.cells + cells[i]
    own = list_of(ctx, st, st.seat)
    for i in range(st.count[st.seat]):
        cell = own[i]
        j = i
        while j > 0 and cells[j - 1] > cell:
            j -= 1
        insert(cells, i, j, cell)
    home = is_home(ctx, st)
    for j in range(st.count[st.seat]):
        cell = cells[j]
        is_moved = cell == st.moved[0] or cell == st.moved[1]
        if home and not is_moved:
            continue
        at = &ctx.cell[cell]
        for d in range(6):
            length = ray(at, line, d)
            first = at.base[d]
            if not is_moved:
                write_run(ids + count, first, length)
                count += length
                continue
            for k in range(length):
                if not returns(ctx, st, cell, ctx.move[first + k - 2 * ctx.cells].target):
                    ids[count] = first + k
                    count += 1
    return count


cdef bint is_legal(const void *context, const void *state, int id) noexcept nogil:
    cdef const Ctx *ctx = <const Ctx *>context
    cdef const State *st = <const State *>state
    cdef uint16_t cells[12]
    cdef const Cell *at
    cdef Move move
    cdef int i, d, count
    if st.phase == OVER or id < 0 or id >= 2 * ctx.cells + ctx.moves:
        return False
    if id < ctx.cells:
        return st.phase == PLACE and holds(st)[id] == EMPTY
    if st.phase == PLACE:
        return False
    if id < 2 * ctx.cells:
        count = stone_cells(ctx, st, cells)
        for i in range(count):
            if cells[i] == id - ctx.cells:
                return True
        return False
    move = ctx.move[id - 2 * ctx.cells]
    if holds(st)[move.source] != st.seat + 1 or returns(ctx, st, move.source, move.target):
        return False
    if is_home(ctx, st) and move.source != st.moved[0]:
        return False
    at = &ctx.cell[move.source]
    for d in range(5, -1, -1):
        if at.reach[d] != 0 and <uint32_t>id >= at.base[d]:
            return <int>(id - at.base[d]) < ray(at, lines(ctx, st), d)
    return False


cdef void apply_action(const void *ctx, void *state, int id) noexcept nogil:
    apply_traced(<const Ctx *>ctx, <State *>state, id, NULL)


cdef void resign_seat(const void *ctx, void *state, int seat) noexcept nogil:
    resign_traced(<const Ctx *>ctx, <State *>state, seat, NULL)


cdef int seat_to_move(const void *ctx, const void *state) noexcept nogil:
    cdef const State *st = <const State *>state
    return -1 if st.phase == OVER else st.seat


cdef bint is_turn_start(const void *ctx, const void *state) noexcept nogil:
    return (<const State *>state).step == 0


cdef bint is_over(const void *ctx, const void *state) noexcept nogil:
    return (<const State *>state).phase == OVER


cdef void write_shares(const void *ctx, const void *state, double *out) noexcept nogil:
    cdef int found = winners(<const Ctx *>ctx, <const State *>state)
    cdef int seat
    for seat in range((<const Ctx *>ctx).players):
        out[seat] = (found >> seat & 1) / <double>popcount(found)


cdef void write_points(const void *ctx, const void *state, int *out) noexcept nogil:
    cdef int seat
    for seat in range((<const Ctx *>ctx).players):
        out[seat] = (<const State *>state).scores[seat]


cdef bint is_equal(const void *ctx, const void *a, const void *b) noexcept nogil:
    return memcmp(a, b, (<const Ctx *>ctx).fact_bytes) == 0


cdef uint64_t key_of(const void *ctx, const void *state) noexcept nogil:
    cdef const uint64_t *word = <const uint64_t *>state
    cdef uint64_t key = 0
    cdef size_t i
    for i in range((<const Ctx *>ctx).fact_bytes // 8):
        key = ((key << 23 | key >> 41) ^ word[i]) * <uint64_t>0x9E3779B97F4A7C15
    key = (key ^ key >> 32) * <uint64_t>0xD6E8FEB86659FD93
    return key ^ key >> 32


cdef void rebuild(const Ctx *ctx, State *st) noexcept nogil:
    """Derive counts, lists, lines and bit boards from the content of the cells."""
    cdef uint8_t *what = holds(st)
    cdef uint64_t *open = open_sites(ctx, st)
    cdef int cell, site, content
    memset(<uint8_t *>st + ctx.fact_bytes, 0, ctx.state_bytes - ctx.fact_bytes)
    memset(lines(ctx, st), 0xFF, ctx.lines * sizeof(uint64_t))
    memset(st.count, 0, sizeof(st.count))
    st.in_play = 0
    what[ctx.cells] = SEA
    for cell in range(ctx.cells):
        unblock(ctx, st, cell)
    for cell in range(ctx.cells):
        content = what[cell]
        if content < STONE:
            site = ctx.cell[cell].site
            open[site >> 6] |= <uint64_t>1 << (site & 63)
            st.in_play += 1
        if content != EMPTY:
            block(ctx, st, cell)
        if EMPTY < content < STONE:
            put_pioneer(ctx, st, cell, content - 1)
    st.is_tame = is_tame(ctx, st)


cdef inline size_t padded(size_t size) noexcept:
    return (size + 7) // 8 * 8


cdef class NovaKernel(Kernel):
    """The fixed facts of one game of Terra Nova: its rules and its board as C structs."""

    def __cinit__(self, rules, board):
        self.rules = rules
        self.board = board
        self.index = {name: cell for cell, name in enumerate(board.cells)}
        cdef Ctx *ctx = &self.ctx
        cdef Cell *at
        neighbours, rays = board.neighbours, board.rays
        ctx.cells = len(board.cells)
        ctx.players = rules.players
        ctx.pioneers = rules.pioneers
        ctx.returning = ("three_moves", "turn_end", "never").index(rules.returning)
        ctx.depletion = rules.depletion
        ctx.stall_limit = rules.stall_limit
        ctx.landscapes = len(board.letters)
        stride, deltas, sites = sites_of(board.axial, neighbours)
        places, ctx.lines = packed_lines(rays)
        ctx.stride = stride
        ctx.delta[0], ctx.delta[1], ctx.delta[2] = deltas
        ctx.words = max(max(sites) // 64 + 1, 4)     # at least four, for which `spread_four` is unrolled
        ctx.moves = sum(len(ray) for cell in rays for ray in cell)
        ctx.longest = max(len(ray) for cell in rays for ray in cell)
        if ctx.words + 2 > MAX_WORDS or ctx.cells > MAX_CELLS or ctx.landscapes > MAX_LANDSCAPES:
            raise ValueError(f"{board!r} is larger than the kernel can hold")
        ctx.cell = <Cell *>calloc(ctx.cells, sizeof(Cell))
        ctx.move = <Move *>calloc(ctx.moves + 1, sizeof(Move))
        ctx.cell_of_site = <uint16_t *>calloc(64 * ctx.words, sizeof(uint16_t))
        ctx.landscape_mask = <uint64_t *>calloc(ctx.landscapes * ctx.words, sizeof(uint64_t))
        if not (ctx.cell and ctx.move and ctx.cell_of_site and ctx.landscape_mask):
            raise MemoryError
        cdef int cell, d, axis, site, other, moves = 0
        for cell in range(ctx.cells):
            at = &ctx.cell[cell]
            site = sites[cell]
            at.site = site
            at.row, at.number = board.axial[cell]
            at.landscape = board.landscape_of[cell]
            ctx.cell_of_site[site] = cell
            ctx.landscape_mask[at.landscape * ctx.words + (site >> 6)] |= <uint64_t>1 << (site & 63)
            for axis in range(3):
                at.word[axis], at.bit[axis] = places[cell][axis]
            for d in range(6):
                other = neighbours[cell][d]
                at.near[d] = ctx.cells if other < 0 else other
                if other >= 0 and board.landscape_of[other] == at.landscape:
                    at.same |= 1 << d
                at.base[d] = 2 * ctx.cells + moves
                at.reach[d] = len(rays[cell][d])
                for target in rays[cell][d]:
                    ctx.move[moves].source = cell
                    ctx.move[moves].target = target
                    moves += 1
        for ring in range(64):
            for place, d in enumerate([d for d in range(6) if ring >> d & 1]):
                ctx.nth[<int>ring][<int>place] = d
        ctx.fact_bytes = padded(sizeof(State) + ctx.cells + 1)
        ctx.mobile_at = ctx.fact_bytes
        ctx.open_at = ctx.mobile_at + 8
        ctx.lines_at = ctx.open_at + ctx.words * sizeof(uint64_t)
        ctx.lists_at = ctx.lines_at + ctx.lines * sizeof(uint64_t)
        ctx.slots_at = ctx.lists_at + ctx.players * ctx.pioneers * sizeof(uint16_t)
        ctx.state_bytes = padded(ctx.slots_at + ctx.cells)
        self.fill_table()

    def fill_table(self):
        """Fill the core's table with the functions of this module."""
        cdef Ctx *ctx = &self.ctx
        most = max(sum(len(ray) for ray in cell) for cell in self.board.rays)
        self.ops.ctx = ctx
        self.ops.state_size = ctx.state_bytes
        self.ops.seats = ctx.players
        self.ops.num_actions = 2 * ctx.cells + ctx.moves
        self.ops.max_legal = max(ctx.cells, min(12 + ctx.pioneers * most, self.ops.num_actions)) + BLOCK
        self.ops.legal = legal
        self.ops.is_legal = is_legal
        self.ops.apply = apply_action
        self.ops.random_action = random_action
        self.ops.playout = playout
        self.ops.resign = resign_seat
        self.ops.to_move = seat_to_move
        self.ops.at_turn_start = is_turn_start
        self.ops.is_over = is_over
        self.ops.shares = write_shares
        self.ops.points = write_points
        self.ops.equal = is_equal
        self.ops.key = key_of

    def __dealloc__(self):
        free(self.ctx.cell)
        free(self.ctx.move)
        free(self.ctx.cell_of_site)
        free(self.ctx.landscape_mask)

    def make_action(self, int id):
        cells = self.board.cells
        if id < self.ctx.cells:
            return Action("place", None, cells[id], id, "@")
        if id < 2 * self.ctx.cells:
            return Action("stone", None, cells[id - self.ctx.cells], id, "+")
        move = self.ctx.move[id - 2 * self.ctx.cells]
        return Action("move", cells[move.source], cells[move.target], id, "-")

    def notation(self, text):
        return notation.parse_action(text)

    def action_id(self, action):
        kind = action.kind
        if kind == "move":
            return self.move_id(
                action, self.cell(action, action.source), self.cell(action, action.target)
            )
        if kind == "place":
            return self.cell(action, action.target)
        if kind == "stone":
            return self.ctx.cells + self.cell(action, action.target)
        raise InvalidAction(
            "no-such-action", f"{action!s:.80}: an action of Terra Nova places a pioneer, moves one or places a stone"
        )

    def cell(self, action, name):
        """The index of a cell that an action names."""
        found = self.index.get(name) if isinstance(name, str) else None
        if found is None:
            raise InvalidAction(
                "no-such-cell", f"{action!s:.80}: the board has no cell {name!s:.20}", "TN-1"
            )
        return found

    def move_id(self, action, int source, int target):
        """The id of a move between two cells, which must lie in a line (TN-10)."""
        cdef const Cell *at = &self.ctx.cell[source]
        cdef int d, k
        for d in range(6):
            for k in range(at.reach[d]):
                if self.ctx.move[at.base[d] + k - 2 * self.ctx.cells].target == target:
                    return at.base[d] + k
        if source == target:
            raise ImpossibleAction(
                "not-in-line", f"{action}: a move goes at least one cell", "TN-10"
            )
        raise ImpossibleAction(
            "not-in-line",
            f"{action}: no straight line of cells leads from {action.source} to {action.target}",
            "TN-10",
        )
