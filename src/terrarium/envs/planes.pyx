"""Positions as planes of numbers, seen from one seat; `docs/envs.md` describes the layout.

Seats are counted from the observing seat: 0 is itself, 1 the next to play, and so on. A number that does not belong to a cell
fills a whole plane.
"""

from libc.string cimport memset

cimport terrarium.nova.kernel as nova
cimport terrarium.turrium.kernel as turrium
from terrarium.core.kernel cimport Kernel, KernelPosition
from terrarium.nova.kernel cimport NovaKernel
from terrarium.turrium.kernel cimport TurriumKernel

from terrarium.errors import InvalidArgument


cdef enum:
    TALLEST = 7         # planes of heights: 1 to 6 and above


cdef class Planes:
    """The planes of one game with its rules and board."""

    def __init__(self, KernelPosition position):
        cdef const nova.Ctx *board
        cdef int cell
        if position is None:
            raise InvalidArgument("not-a-position", "None: planes are made from a position")
        self.position = position
        self.kernel = position.kernel
        self.players = position.kernel.ops.seats
        self.is_nova = isinstance(position.kernel, NovaKernel)
        if self.is_nova:
            board = <const nova.Ctx *>position.kernel.ops.ctx
            numbers = [board.cell[cell].number for cell in range(board.cells)]
            self.first_number = min(numbers)
            self.columns = max(numbers) - self.first_number + 1
            self.rows = max([board.cell[cell].row for cell in range(board.cells)]) + 1
            self.most_pioneers = position.rules.pioneers
            self.most_stones = max(1, position.rules.stones)
            self.names = nova_names(self.players, board.landscapes)
        elif isinstance(position.kernel, TurriumKernel):
            self.rows = self.columns = 10
            self.names = turrium_names(self.players)
        else:
            raise TypeError(f"{type(position).__name__}: this game has no planes")
        self.count = len(self.names)
        self.size = self.count * self.rows * self.columns

    def __reduce__(self):
        return Planes, (self.position,)

    @property
    def shape(self):
        """Planes, rows, columns."""
        return self.count, self.rows, self.columns

    def observe(self, KernelPosition position, int seat, out=None):
        """The planes of a position as float32, seen from a seat; written to `out` if it is given."""
        import numpy

        if position.kernel is not self.kernel and not (
            type(position) is type(self.position) and position.same_game(self.position)
        ):
            raise InvalidArgument("other-game", "the position has other rules or another board")
        if not 0 <= seat < self.players:
            raise InvalidArgument("no-such-seat", f"seat={seat}: seats run from 0 to {self.players - 1}")
        if out is None:
            out = numpy.empty(self.shape, dtype=numpy.float32)
        cdef float[::1] flat = out.reshape(-1)
        if flat.shape[0] != self.size:
            raise InvalidArgument("bad-shape", f"out has {flat.shape[0]} numbers, not {self.size}")
        self.fill(position.state, seat, &flat[0])
        return out

    cdef void fill(self, const void *state, int seat, float *out) noexcept nogil:
        memset(out, 0, self.size * sizeof(float))
        if self.is_nova:
            fill_nova(self, state, seat, out)
        else:
            fill_turrium(self, state, seat, out)


def nova_names(int players, int landscapes):
    """The names of Terra Nova's planes."""
    seats = range(players)
    return (
        "board",
        *[f"landscape {number}" for number in range(landscapes)],
        "stone",
        "dead",
        *[f"pioneer of {seat}" for seat in seats],
        "moved",
        *[f"to move {seat}" for seat in seats],
        "placing",
        "actions left / 3",
        "supply / stones",
        *[f"score of {seat} / 100" for seat in seats],
        *[f"hand of {seat} / pioneers" for seat in seats],
        *[f"resigned {seat}" for seat in seats],
    )


def turrium_names(int players):
    """The names of Terra Turrium's planes."""
    seats = range(players)
    return (
        "board",
        *[f"height {height}" for height in range(1, TALLEST)],
        "higher",
        *[f"flag of {seat}" for seat in seats],
        *[f"land of {seat}" for seat in seats],
        "exterior",
        *[f"to move {seat}" for seat in seats],
        "setting flags",
        "taking",
        "placing",
        "moving",
        "cubes in hand / 3",
        "points left / 5",
        *[f"attacks of {seat} / 5, at most 1" for seat in seats],
        *[f"captures of {seat} / 2, at most 1" for seat in seats],
        *[f"flags in hand of {seat} / 6" for seat in seats],
        *[f"has won {seat}" for seat in seats],
        *[f"resigned {seat}" for seat in seats],
        "unlocked",
        "rounds / most",
    )


cdef inline bint has(turrium.Cells cells, int cell) noexcept nogil:
    return cells & turrium.bit(cell) != 0


cdef inline float *flood(float *plane, int cells, float value) noexcept nogil:
    """Fill a whole plane and return the next one."""
    cdef int i
    if value != 0:
        for i in range(cells):
            plane[i] = value
    return plane + cells


cdef void fill_nova(Planes planes, const void *state, int seat, float *out) noexcept nogil:
    cdef const nova.Ctx *ctx = <const nova.Ctx *>planes.kernel.ops.ctx
    cdef const nova.State *st = <const nova.State *>state
    cdef int cells = planes.rows * planes.columns
    cdef int players = planes.players
    cdef float *land = out + cells
    cdef float *stone = land + ctx.landscapes * cells
    cdef float *dead = stone + cells
    cdef float *pioneer = dead + cells
    cdef float *moved = pioneer + players * cells
    cdef float *plane = moved + cells
    cdef int cell, at, what, i, s
    for cell in range(ctx.cells):
        at = ctx.cell[cell].row * planes.columns + ctx.cell[cell].number - planes.first_number
        out[at] = 1
        land[ctx.cell[cell].landscape * cells + at] = 1
        what = nova.holds(st)[cell]
        if what == nova.STONE:
            stone[at] = 1
        elif what == nova.DEAD:
            dead[at] = 1
        elif what != nova.EMPTY:
            pioneer[(what - 1 - seat + players) % players * cells + at] = 1
    for i in range(2):
        cell = st.moved[i]
        if cell != nova.NOWHERE:
            moved[ctx.cell[cell].row * planes.columns + ctx.cell[cell].number - planes.first_number] = 1
    for s in range(players):
        plane = flood(plane, cells, st.phase != nova.OVER and st.seat == (seat + s) % players)
    plane = flood(plane, cells, st.phase == nova.PLACE)
    plane = flood(
        plane, cells, (3 - st.step) / <float>3 if st.phase == nova.PLAY else
        <float>(1 / 3.0) if st.phase == nova.PLACE else <float>0
    )
    plane = flood(plane, cells, st.supply / <float>planes.most_stones)
    for s in range(players):
        plane = flood(plane, cells, st.scores[(seat + s) % players] / <float>100)
    for s in range(players):
        plane = flood(plane, cells, st.hand[(seat + s) % players] / <float>planes.most_pioneers)
    for s in range(players):
        plane = flood(plane, cells, st.resigned >> ((seat + s) % players) & 1)


cdef void fill_turrium(Planes planes, const void *state, int seat, float *out) noexcept nogil:
    cdef const turrium.Ctx *ctx = <const turrium.Ctx *>planes.kernel.ops.ctx
    cdef const turrium.State *st = <const turrium.State *>state
    cdef int players = planes.players
    cdef float *height = out + 100
    cdef float *flag = height + TALLEST * 100
    cdef float *land = flag + players * 100
    cdef float *exterior = land + players * 100
    cdef float *plane = exterior + 100
    cdef turrium.Cells outside = turrium.exterior_cells(st)
    cdef int cell, tall, s, other
    for cell in range(100):
        if not has(ctx.used, cell):
            continue
        out[cell] = 1
        tall = turrium.height_of(st, cell)
        if tall > 0:
            height[min(tall, <int>TALLEST) * 100 - 100 + cell] = 1
        if has(outside, cell):
            exterior[cell] = 1
        for s in range(players):
            other = (seat + s) % players
            if has(st.flags[other], cell):
                flag[s * 100 + cell] = 1
            if has(ctx.own[other], cell):
                land[s * 100 + cell] = 1
    for s in range(players):
        plane = flood(plane, 100, st.phase != turrium.OVER and st.to_move == (seat + s) % players)
    plane = flood(plane, 100, st.phase == turrium.FLAGS)
    plane = flood(plane, 100, st.phase == turrium.TAKE)
    plane = flood(plane, 100, st.phase == turrium.PLACE)
    plane = flood(plane, 100, st.phase == turrium.MOVE)
    plane = flood(plane, 100, st.cubes / <float>3)
    plane = flood(plane, 100, st.points / <float>5 if st.phase == turrium.MOVE else
                  <float>1 if st.phase == turrium.TAKE or st.phase == turrium.PLACE else <float>0)
    for s in range(players):
        plane = flood(plane, 100, min(<float>1, st.attacks[(seat + s) % players] / <float>5))
    for s in range(players):
        plane = flood(plane, 100, min(<float>1, st.captures[(seat + s) % players] / <float>2))
    for s in range(players):
        plane = flood(plane, 100, turrium.flags_in_hand(st, (seat + s) % players) / <float>6)
    for s in range(players):
        plane = flood(plane, 100, st.declared >> ((seat + s) % players) & 1)
    for s in range(players):
        plane = flood(plane, 100, st.resigned >> ((seat + s) % players) & 1)
    plane = flood(plane, 100, st.unlocked)
    plane = flood(plane, 100, st.rounds / <float>ctx.max_rounds)
