"""Many games in parallel in the kernel, for training: single calls list the legal actions, step and observe all games.

It uses core's table of C functions, so it works for every game with a kernel. The GIL is released meanwhile.
"""

from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from terrarium.core.kernel cimport KernelPosition, Ops, bare, random_below, seed_rng
from terrarium.envs.planes cimport Planes

import numpy

from terrarium.errors import IllegalAction, InvalidArgument


cdef class Batch:
    """Many games that are played in parallel and restart when they end.

    All games start at one position, or each at its own: then `start` is a sequence of positions with the same rules and
    board. A batch can be pickled and copied; a pickle can be read only by the same version of this package.

    >>> from terrarium import nova
    >>> batch = Batch(nova.start(), 4, seed=1)
    >>> rewards, ended = batch.step(batch.sample())
    >>> rewards.shape, ended.tolist()
    ((4, 2), [False, False, False, False])
    """
    cdef KernelPosition start
    cdef readonly tuple starts
    cdef readonly Planes planes
    cdef readonly int size
    cdef readonly int players
    cdef readonly int num_actions
    cdef char *states
    cdef char *origins
    cdef int *ids
    cdef uint64_t rng

    def __cinit__(self, start, size=None, *, seed=0):
        cdef KernelPosition each
        cdef int i
        self.starts = (start,) if start is None or isinstance(start, KernelPosition) else tuple(start)
        if size is None:
            size = len(self.starts)
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= 1_000_000:
            raise InvalidArgument("invalid-argument", f"size={size!r:.40}: must be from 1 to 1000000 games")
        if len(self.starts) not in (1, size):
            raise InvalidArgument("bad-shape", f"{len(self.starts)} positions for {size} games")
        for each in self.starts:
            check_start(each, seed)
            if each.to_move is None:
                raise InvalidArgument("game-over", "the game is over: a batch can't start there")
            if each.kernel is not (<KernelPosition>self.starts[0]).kernel and not (
                type(each) is type(self.starts[0]) and each.same_game(self.starts[0])
            ):
                raise InvalidArgument("other-game", "all games of a batch must have the same rules and board")
        start = self.starts[0]
        self.start = start
        self.planes = Planes(start)
        self.size = size
        self.players = self.start.kernel.ops.seats
        self.num_actions = self.start.kernel.ops.num_actions
        self.rng = seed_rng(seed & 0x7FFFFFFFFFFFFFFF)
        self.states = <char *>calloc(self.size, self.start.kernel.ops.state_size)
        self.origins = <char *>calloc(self.size, self.start.kernel.ops.state_size)
        self.ids = <int *>malloc(self.start.kernel.ops.max_legal * sizeof(int))
        if self.states == NULL or self.origins == NULL or self.ids == NULL:
            raise MemoryError
        for i in range(self.size):
            each = self.starts[i % len(self.starts)]
            memcpy(self.origins + i * each.kernel.ops.state_size, each.state, each.kernel.ops.state_size)
        self.reset()

    def __dealloc__(self):
        free(self.states)
        free(self.origins)
        free(self.ids)

    def reset(self, which=None):
        """Restart all games, or those for which `which` is true; it is a boolean array with a value for each game."""
        cdef size_t size = self.start.kernel.ops.state_size
        cdef unsigned char[::1] chosen
        cdef int i
        if which is None:
            memcpy(self.states, self.origins, self.size * size)
            return
        given = numpy.asarray(which)
        if given.shape != (self.size,) or given.dtype != numpy.bool_:
            raise InvalidArgument("bad-shape", f"{which!r:.60}: expected a truth value for each of {self.size} games")
        chosen = numpy.ascontiguousarray(given).view(numpy.uint8)
        for i in range(self.size):
            if chosen[i]:
                memcpy(self.states + i * size, self.origins + i * size, size)

    def __reduce__(self):
        cdef size_t size = self.start.kernel.ops.state_size
        states = (<char *>self.states)[:self.size * size]
        return _restored, (self.starts, self.size, states, self.rng)

    def _restore(self, bytes states, rng):
        cdef size_t size = self.start.kernel.ops.state_size
        if <size_t>len(states) != self.size * size:
            raise InvalidArgument("bad-shape", "the batch was pickled by another version of this package")
        memcpy(self.states, <const char *>states, len(states))
        self.rng = rng

    def position(self, int index):
        """Game number `index` as a Position."""
        cdef size_t size = self.start.kernel.ops.state_size
        cdef KernelPosition found, start
        if not 0 <= index < self.size:
            raise InvalidArgument("invalid-argument", f"{index}: games run from 0 to {self.size - 1}")
        start = self.starts[index % len(self.starts)]
        found = bare(type(start), self.start.kernel, start.place)
        memcpy(found.state, self.states + index * size, size)
        return found

    def to_move(self):
        """The seat to move in each game, as int32."""
        cdef const Ops *ops = &self.start.kernel.ops
        out = numpy.empty(self.size, dtype=numpy.int32)
        cdef int[::1] seats = out
        cdef int i
        for i in range(self.size):
            seats[i] = ops.to_move(ops.ctx, self.states + i * ops.state_size)
        return out

    def masks(self, out=None):
        """The legal actions of each game as uint8: a row for each game, a column for each id."""
        cdef const Ops *ops = &self.start.kernel.ops
        if out is None:
            out = numpy.zeros((self.size, self.num_actions), dtype=numpy.uint8)
        else:
            out.fill(0)
        cdef unsigned char[:, ::1] rows = out
        cdef int i, j, count
        if rows.shape[0] != self.size or rows.shape[1] != self.num_actions:
            raise InvalidArgument("bad-shape", f"out is {out.shape}, not {(self.size, self.num_actions)}")
        with nogil:
            for i in range(self.size):
                count = ops.legal(ops.ctx, self.states + i * ops.state_size, self.ids)
                for j in range(count):
                    rows[i, self.ids[j]] = 1
        return out

    def observe(self, out=None, seats=None):
        """The planes of every game: float32 (games, planes, rows, columns).

        Each game is seen from the seat to move, or from its seat in `seats`.
        """
        cdef const Ops *ops = &self.start.kernel.ops
        cdef Planes planes = self.planes
        shape = (self.size, *planes.shape)
        if out is None:
            out = numpy.empty(shape, dtype=numpy.float32)
        if out.shape != shape:
            raise InvalidArgument("bad-shape", f"out is {out.shape}, not {shape}")
        seen_by = self.to_move() if seats is None else numpy.ascontiguousarray(seats, dtype=numpy.int32)
        if seen_by.shape != (self.size,):
            raise InvalidArgument("bad-shape", f"{seats!r:.60}: expected a seat for each of {self.size} games")
        if seats is not None and not ((0 <= seen_by) & (seen_by < self.players)).all():
            raise InvalidArgument("no-such-seat", f"seats run from 0 to {self.players - 1}")
        cdef int[::1] viewers = seen_by
        cdef float[::1] flat = out.reshape(-1)
        cdef size_t each = planes.size
        cdef int i
        with nogil:
            for i in range(self.size):
                planes.fill(self.states + i * ops.state_size, max(0, viewers[i]), &flat[i * each])
        return out

    def sample(self):
        """A random legal action for each game (the kind is drawn first); 0 for a game that is over."""
        cdef const Ops *ops = &self.start.kernel.ops
        out = numpy.empty(self.size, dtype=numpy.int32)
        cdef int[::1] actions = out
        cdef int i
        with nogil:
            for i in range(self.size):
                if ops.is_over(ops.ctx, self.states + i * ops.state_size):
                    actions[i] = 0
                else:
                    actions[i] = ops.random_action(ops.ctx, self.states + i * ops.state_size, &self.rng)
        return out

    def step(self, actions, *, restart=True):
        """Play an action in each game; returns the reward of each seat (0 before the end), and which games ended and were restarted.

        Without `restart` ended games stay at their end until `reset`.
        A win is worth 1, shared among the winners; the others together lose as much. If an action is not legal, raises
        IllegalAction that names the first such game, and plays nothing in any game.
        """
        cdef const Ops *ops = &self.start.kernel.ops
        given = numpy.asarray(actions)
        if given.ndim != 1 or given.dtype.kind not in "iu":
            raise InvalidArgument("bad-shape", f"{actions!r:.60}: expected a whole number for each game")
        cdef long long[::1] chosen = numpy.ascontiguousarray(given, dtype=numpy.int64)
        if chosen.shape[0] != self.size:
            raise InvalidArgument("bad-shape", f"{chosen.shape[0]} actions for {self.size} games")
        rewards = numpy.zeros((self.size, self.players), dtype=numpy.float32)
        ended = numpy.zeros(self.size, dtype=numpy.bool_)
        cdef float[:, ::1] won = rewards
        cdef unsigned char[::1] over = ended.view(numpy.uint8)
        cdef double shares[8]
        cdef char *state
        cdef int i, s, wrong = -1
        cdef bint again = restart
        with nogil:
            for i in range(self.size):
                if not (
                    0 <= chosen[i] < ops.num_actions
                    and ops.is_legal(ops.ctx, self.states + i * ops.state_size, <int>chosen[i])
                ):
                    wrong = i
                    break
        if wrong >= 0:
            position = self.position(wrong)
            refusal = position.refusal(position.resolve(chosen[wrong]))
            raise IllegalAction(refusal.code, f"game {wrong}: {refusal.message}", refusal.rule)
        with nogil:
            for i in range(self.size):
                state = self.states + i * ops.state_size
                ops.apply(ops.ctx, state, <int>chosen[i])
                if not ops.is_over(ops.ctx, state):
                    continue
                over[i] = 1
                ops.shares(ops.ctx, state, shares)
                for s in range(self.players):
                    won[i, s] = (self.players * shares[s] - 1) / (self.players - 1)
                if again:
                    memcpy(state, self.origins + i * ops.state_size, ops.state_size)
        return rewards, ended


def _restored(starts, size, states, rng):
    batch = Batch(starts, size)
    batch._restore(states, rng)
    return batch


cdef check_start(position, seed):
    if position is None:
        raise InvalidArgument("not-a-position", "None: games start from a position")
    if isinstance(seed, bool) or not hasattr(type(seed), "__index__"):
        raise InvalidArgument("invalid-argument", f"seed={seed!r:.40}: must be a whole number")


def random_game(KernelPosition position, seed):
    """The reward of each seat in one game of uniformly random legal actions from this position, played in the kernel."""
    check_start(position, seed)
    cdef const Ops *ops = &position.kernel.ops
    cdef uint64_t rng = seed_rng(seed & 0x7FFFFFFFFFFFFFFF)
    cdef void *state = malloc(ops.state_size)
    cdef int *ids = <int *>malloc(ops.max_legal * sizeof(int))
    cdef double shares[8]
    cdef int count, s
    if state == NULL or ids == NULL:
        free(state)
        free(ids)
        raise MemoryError
    memcpy(state, position.state, ops.state_size)
    with nogil:
        while True:
            count = ops.legal(ops.ctx, state, ids)
            if count == 0:
                break
            ops.apply(ops.ctx, state, ids[random_below(&rng, count)])
        ops.shares(ops.ctx, state, shares)
    free(state)
    free(ids)
    return [(ops.seats * shares[s] - 1) / (ops.seats - 1) for s in range(ops.seats)]
