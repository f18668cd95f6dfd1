"""The base class of positions with a kernel: playing, listing, comparing, counting and random play through a table of C functions."""

import sys
from dataclasses import dataclass
from operator import index
from os import urandom

from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from terrarium.core.action import Action
from terrarium.errors import InvalidAction, InvalidArgument, TerrariumError

cdef extern from "Python.h":
    long PyLong_AsLongAndOverflow(object number, int *overflow) except? -1
    ctypedef struct PyObject
    ctypedef struct PyListObject:
        PyObject **ob_item
    list PyList_New(Py_ssize_t length)
    void Py_INCREF(PyObject *)
    ctypedef struct PyTypeObject:
        object (*tp_new)(PyTypeObject *cls, object args, PyObject *named)


cdef uint64_t seed_rng(uint64_t seed) noexcept nogil:
    # splitmix64 spreads neighbouring seeds; xorshift must not start at zero
    seed += <uint64_t>0x9E3779B97F4A7C15
    seed = (seed ^ (seed >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    seed = (seed ^ (seed >> 27)) * <uint64_t>0x94D049BB133111EB
    seed ^= seed >> 31
    return seed if seed != 0 else 1


cdef class Kernel:
    def action(self, id):
        """The action with this id."""
        if self.actions is None:
            self.actions = [None] * self.ops.num_actions
        if not isinstance(id, int) or isinstance(id, bool) or not 0 <= id < self.ops.num_actions:
            raise InvalidAction(
                "no-such-action", f"{id!r:.80}: ids of actions here run from 0 to {self.ops.num_actions - 1}"
            )
        found = self.actions[id]
        if found is None:
            found = self.actions[id] = self.make_action(id)
        return found

    def make_action(self, int id):
        """Build the action with this id; each game has its own numbering."""
        raise NotImplementedError

    def notation(self, text):
        """The action that a text describes, without an id; raises InvalidAction if it isn't one."""
        raise NotImplementedError

    def action_id(self, action):
        """The id of an action on this board; raises InvalidAction if the board has no such action."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Rollouts:
    """Totals of a number of random games."""

    games: int
    actions: int
    shares: tuple[float, ...]      # wins per seat; a shared win counts in parts
    points: tuple[int, ...]        # points per seat, all games together
    scored: int                    # games in which somebody has points

    def __add__(self, other):
        return Rollouts(
            self.games + other.games,
            self.actions + other.actions,
            tuple(a + b for a, b in zip(self.shares, other.shares)),
            tuple(a + b for a, b in zip(self.points, other.points)),
            self.scored + other.scored,
        )


cdef enum:
    MAX_DEPTH = 1000
    MAX_GAMES = 2_000_000_000
    MAX_THREADS = 256
    SMALL = 2048        # up to this many ids are kept on the stack


cdef whole(name, value, low=None, high=None):
    # an integer of any library, such as NumPy's, within its inclusive bounds
    if isinstance(value, bool) or not hasattr(type(value), "__index__"):
        raise InvalidArgument("invalid-argument", f"{name}={value!r:.40}: must be a whole number")
    number = index(value)
    if low is not None and not low <= number <= high:
        raise InvalidArgument(
            "invalid-argument", f"{name}={number!r:.40}: must be a whole number from {low} to {high}"
        )
    return number


cdef fresh_seed():
    return int.from_bytes(urandom(8), "little") >> 1


cdef bint is_making = False    # true while `made` creates a position, so that Python code can't create one directly
cdef tuple NOTHING = ()


cdef inline KernelPosition made(type cls, Kernel kernel, place):
    global is_making
    cdef KernelPosition position
    is_making = True
    try:
        position = (<PyTypeObject *>cls).tp_new(<PyTypeObject *>cls, NOTHING, NULL)
    finally:
        is_making = False
    position.kernel = kernel
    position.place = place
    return position


cdef KernelPosition bare(type cls, Kernel kernel, place=None):
    cdef KernelPosition position = made(cls, kernel, place)
    position.state = calloc(1, kernel.ops.state_size)
    if position.state == NULL:
        raise MemoryError
    return position


cdef class KernelPosition:
    def __cinit__(self):
        self.state = NULL
        if not is_making:
            # the methods of a position without a kernel would read invalid memory
            raise TypeError("positions are made by start, compose and Position.from_text")

    def __dealloc__(self):
        free(self.state)

    cdef KernelPosition fresh(self):
        cdef KernelPosition copy = made(type(self), self.kernel, self.place)
        copy.state = malloc(self.kernel.ops.state_size)
        if copy.state == NULL:
            raise MemoryError
        memcpy(copy.state, self.state, self.kernel.ops.state_size)
        return copy

    def __sizeof__(self):
        return object.__sizeof__(self) + self.kernel.ops.state_size

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    @property
    def game(self):
        """The game in `terrarium.games` that this is a position of."""
        raise NotImplementedError

    @property
    def rules(self):
        """The options this game is played with."""
        return self.kernel.rules

    @property
    def players(self):
        """How many seats there are."""
        return self.kernel.ops.seats

    @property
    def num_actions(self):
        """Every action's id here is below this."""
        return self.kernel.ops.num_actions

    @property
    def to_move(self):
        """The seat to move; None when the game is over."""
        cdef int seat = self.kernel.ops.to_move(self.kernel.ops.ctx, self.state)
        return None if seat < 0 else seat

    @property
    def at_turn_start(self):
        """Whether nothing has been done in the present turn yet."""
        return bool(self.kernel.ops.at_turn_start(self.kernel.ops.ctx, self.state))

    @property
    def key(self):
        """A 64-bit key that equal positions share."""
        return self.kernel.ops.key(self.kernel.ops.ctx, self.state)

    def legal_ids(self):
        """The ids of all legal actions in ascending order; empty only when the game is over."""
        cdef Ops *ops = &self.kernel.ops
        cdef int few[SMALL]
        cdef int *ids = few
        cdef list numbers = self.kernel.numbers
        cdef list found
        cdef PyObject **ready
        cdef PyObject **places
        cdef Py_ssize_t i, count
        if numbers is None:
            # made once: reusing integer objects is several times as fast as creating them
            numbers = self.kernel.numbers = list(range(ops.num_actions))
        if ops.max_legal > SMALL:
            ids = <int *>malloc(ops.max_legal * sizeof(int))
            if ids == NULL:
                raise MemoryError
        count = ops.legal(ops.ctx, self.state, ids)
        try:
            found = PyList_New(count)
            ready = (<PyListObject *>numbers).ob_item
            places = (<PyListObject *>found).ob_item
            for i in range(count):
                Py_INCREF(ready[ids[i]])
                places[i] = ready[ids[i]]
        finally:
            if ids != few:
                free(ids)
        return found

    def legal_actions(self):
        """All legal actions, in the order of their ids; empty only when the game is over."""
        kernel = self.kernel
        return [kernel.action(id) for id in self.legal_ids()]

    def is_legal(self, action):
        """Whether `play` would accept this action, text or id."""
        try:
            id = self.resolve(action)
        except TerrariumError:
            return False
        return bool(self.kernel.ops.is_legal(self.kernel.ops.ctx, self.state, id))

    def action(self, id):
        """The action with this id on this board."""
        return self.kernel.action(id)

    def parse(self, text):
        """The action that a text means on this board, legal or not."""
        return self.kernel.action(self.resolve(text))

    cpdef int resolve(self, action) except -1:
        """The id of an action given as Action, text or id; raises InvalidAction if this board has no such action."""
        cdef int overflow = 0
        cdef long number
        if type(action) is int:
            number = PyLong_AsLongAndOverflow(action, &overflow)
            if not overflow and 0 <= number < self.kernel.ops.num_actions:
                return number
        if isinstance(action, int) and not isinstance(action, bool):
            if 0 <= action < self.kernel.ops.num_actions:
                return action
            raise InvalidAction(
                "no-such-action",
                f"{action}: ids of actions here run from 0 to {self.kernel.ops.num_actions - 1}",
            )
        if isinstance(action, str):
            return self.kernel.action_id(self.kernel.notation(action))
        if isinstance(action, Action):
            # an action that this kernel made need not be looked up
            if type(action) is Action and self.kernel.actions is not None:
                number = action.id
                if 0 <= number < self.kernel.ops.num_actions and self.kernel.actions[number] is action:
                    return number
            return self.kernel.action_id(action)
        if hasattr(type(action), "__index__") and not isinstance(action, bool):
            return self.resolve(index(action))      # integers of other libraries, such as NumPy's
        raise InvalidAction(
            "not-an-action", f"{action!r:.80}: an action is an Action, its text or its id"
        )

    def play(self, action):
        """The position after an action, given as Action, text or id; raises IllegalAction with the reason if it isn't legal."""
        cdef int id = self.resolve(action)
        cdef const Ops *ops = &self.kernel.ops
        if not ops.is_legal(ops.ctx, self.state, id):
            raise self.refusal(id)
        cdef KernelPosition after = self.fresh()
        ops.apply(ops.ctx, after.state, id)
        return after

    def play_all(self, actions):
        """The position after several actions; a text may hold several, separated by spaces."""
        position = self
        for action in actions.split() if isinstance(actions, str) else actions:
            position = position.play(action)
        return position

    def step(self, action):
        """The position after an action, and the events that describe it in order."""
        cdef int id = self.resolve(action)
        cdef const Ops *ops = &self.kernel.ops
        if not ops.is_legal(ops.ctx, self.state, id):
            raise self.refusal(id)
        return self.described(id)

    def step_all(self, actions):
        """The position after several actions, and the events of each of them."""
        position, told = self, []
        for action in actions.split() if isinstance(actions, str) else actions:
            position, events = position.step(action)
            told.append(events)
        return position, tuple(told)

    def events(self, action):
        """The events of an action in order, with everything that follows automatically."""
        return self.step(action)[1]

    def described(self, int id):
        """The position after a legal action, and its events; implemented by each game."""
        raise NotImplementedError

    def step_resignation(self, seat):
        """The position after a seat resigned, and the events that describe it."""
        raise NotImplementedError

    def resign(self, seat):
        """The position after a seat resigned."""
        return self.step_resignation(seat)[0]

    def resignation_events(self, seat):
        """The events of a seat's resignation, in order."""
        return self.step_resignation(seat)[1]

    def refusal(self, int id):
        """The IllegalAction that says why this action is not legal here."""
        raise NotImplementedError

    def __eq__(self, other):
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        cdef KernelPosition that = other
        cdef Ops *ops = &self.kernel.ops
        if self.kernel is not that.kernel and not self.same_game(that):
            return False
        return bool(ops.equal(ops.ctx, self.state, that.state))

    def same_game(self, other):
        """Whether another position belongs to a game with the same rules (and board)."""
        return self.kernel.rules == other.rules

    def __hash__(self):
        return hash(self.kernel.ops.key(self.kernel.ops.ctx, self.state))

    def __reduce__(self):
        return type(self).from_text, (self.to_text(),)

    def __str__(self):
        """The board and what each seat has, in several lines for people; `to_text` is the single line that programs read back."""
        from terrarium.core.terminal import plain_text

        return plain_text(self)

    def _repr_svg_(self):
        """The position as SVG, as notebooks show it."""
        return self.game.draw.draw(self)

    def perft(self, depth):
        """How many sequences of `depth` actions there are; shorter ones that end the game do not count."""
        cdef int levels = whole("depth", depth, 0, MAX_DEPTH)
        cdef Ops *ops = &self.kernel.ops
        cdef char *states = <char *>malloc((levels + 1) * ops.state_size)
        cdef int *ids = <int *>malloc((levels + 1) * ops.max_legal * sizeof(int))
        if states == NULL or ids == NULL:
            free(states)
            free(ids)
            raise MemoryError
        memcpy(states, self.state, ops.state_size)
        cdef uint64_t total
        with nogil:
            total = count_sequences(ops, states, ids, levels)
        free(states)
        free(ids)
        return total

    def rollouts(self, games=1000, seed=None, threads=1):
        """Totals of random games from here to the end; the kind of each action is drawn first. The GIL is released."""
        games = whole("games", games, 0, MAX_GAMES)
        threads = whole("threads", threads, 1, MAX_THREADS)
        start = fresh_seed() if seed is None else whole("seed", seed) & 0x7FFFFFFFFFFFFFFF
        # Small parts, because games differ in length and no thread should wait long for another. The parts do not depend
        # on `threads`, so a seed gives the same totals with any number of threads.
        count = max(1, min(games // 8, 128))
        parts = [games // count + (i < games % count) for i in range(count)]
        seeds = [(start * 31 + i * 0x632BE59BD9B4E019) & 0x7FFFFFFFFFFFFFFF for i in range(count)]
        if threads == 1 or count == 1 or sys.platform == "emscripten":   # WebAssembly in a browser has no threads
            totals = list(map(self.roll, parts, seeds))
            return sum(totals[1:], totals[0])
        from concurrent.futures import ThreadPoolExecutor   # imported here, because the import is slow

        with ThreadPoolExecutor(threads) as pool:
            totals = list(pool.map(self.roll, parts, seeds))
        return sum(totals[1:], totals[0])

    def roll(self, int games, uint64_t seed):
        """One part of `rollouts`."""
        cdef Ops *ops = &self.kernel.ops
        cdef void *state = malloc(ops.state_size)
        if state == NULL:
            raise MemoryError
        cdef double shares[8]
        cdef double won[8]
        cdef int points[8]
        cdef long long gained[8]
        cdef long long actions = 0
        cdef int scored = 0
        cdef int i, seat
        cdef bint any_points
        cdef uint64_t rng = seed_rng(seed)
        for seat in range(8):
            won[seat] = 0
            gained[seat] = 0
        with nogil:
            for i in range(games):
                memcpy(state, self.state, ops.state_size)
                actions += play_out(ops, state, &rng)
                ops.shares(ops.ctx, state, shares)
                ops.points(ops.ctx, state, points)
                any_points = False
                for seat in range(ops.seats):
                    won[seat] += shares[seat]
                    gained[seat] += points[seat]
                    if points[seat] > 0:
                        any_points = True
                scored += any_points
        free(state)
        seats = range(ops.seats)
        return Rollouts(
            games, actions, tuple(won[s] for s in seats), tuple(gained[s] for s in seats), scored
        )


cdef long long play_out(const Ops *ops, void *state, uint64_t *rng) noexcept nogil:
    cdef long long actions = 0
    cdef int id
    if ops.playout != NULL:
        return ops.playout(ops.ctx, state, rng)
    while True:
        id = ops.random_action(ops.ctx, state, rng)
        if id < 0:
            return actions
        ops.apply(ops.ctx, state, id)
        actions += 1


cdef uint64_t count_sequences(Ops *ops, char *states, int *ids, int depth) noexcept nogil:
    if depth == 0:
        return 1
    cdef int count = ops.legal(ops.ctx, states, ids)
    if depth == 1:
        return count
    cdef uint64_t total = 0
    cdef int i
    for i in range(count):
        memcpy(states + ops.state_size, states, ops.state_size)
        ops.apply(ops.ctx, states + ops.state_size, ids[i])
        total += count_sequences(ops, states + ops.state_size, ids + ops.max_legal, depth - 1)
    return total
