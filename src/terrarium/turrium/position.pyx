"""Positions of Terra Turrium as Python values, on top of the C functions of the kernel."""

from functools import lru_cache

from libc.stdint cimport uint8_t

from terrarium.core.kernel cimport KernelPosition, bare
from terrarium.turrium.kernel cimport (
    CELL, FLAGS, ID_STEP, ID_TAKE, MAX_ATTACKS, MAX_CAPTURES, MOVE, NODES, OVER, PLACE, POINTS, TAKE,
    UNREACHED, Cells, Ctx, Paths, State, Trace, TurriumKernel, apply_traced, begin_play, bit, can_move, capture_cost,
    count, end_game, exterior_cells, find_paths, first, flags_in_hand, height_of, in_reach, refresh, resign_traced,
    shows_unlocking, takable, winners_of,
)

from terrarium.core.outcome import Outcome
from terrarium.errors import IllegalAction, InvalidPosition
from terrarium.turrium import text as texts
from terrarium.turrium.events import events_of, events_of_resignation
from terrarium.turrium.ladder import Ladder
from terrarium.turrium.notation import CELLS, INDEX, PHASES, TERRITORIES
from terrarium.turrium.refusals import explain
from terrarium.turrium.text import MAX_CUBES, Facts


@lru_cache(maxsize=64)
def kernel_of(rules):
    """The kernel for these rules, cached."""
    return TurriumKernel(rules)


cdef tuple seats_of(int bits):
    return tuple([seat for seat in range(4) if bits >> seat & 1])


cdef tuple cells_of(Cells cells):
    cdef list found = []
    while cells:
        found.append(CELLS[first(cells)])
        cells &= cells - 1
    return tuple(found)


cdef set heights_of(const State *st, Cells cells):
    cdef set found = set()
    while cells:
        found.add(height_of(st, first(cells)))
        cells &= cells - 1
    return found


cdef list traced(const Trace *trace):
    return [(trace.kinds[i], trace.firsts[i], trace.seconds[i]) for i in range(trace.length)]


cdef class Position(KernelPosition):
    """A position of Terra Turrium, immutable: `play` and `resign` return a new one.

    >>> from terrarium import turrium
    >>> position = turrium.start(turrium.Rules(players=4)).play("@c3")
    >>> position.flags, position.hand
    ({'c3': 0}, (5, 6, 6, 6))
    >>> position.play("@c3")
    Traceback (most recent call last):
    terrarium.errors.IllegalAction: @c3: a flag already stands on c3: choose another construction of yours (TT-3)
    """

    cdef inline const Ctx *ctx(self):
        return &(<TurriumKernel>self.kernel).ctx

    cdef inline State *st(self):
        return <State *>self.state

    @staticmethod
    def from_facts(facts):
        """The position that facts describe; raises InvalidPosition with the reason if it is impossible."""
        cdef Position position = blank(facts)
        check(position, facts)
        return position

    @staticmethod
    def composed(facts):
        """The position at the start of a turn with these facts, after what follows automatically (TT-16, TT-17)."""
        cdef Position position = blank(facts)
        cdef State *st = position.st()
        cdef const Ctx *ctx = position.ctx()
        check_cubes(facts)
        if ctx.is_burgenland and shows_unlocking(ctx, st):
            st.unlocked = 1
        if st.rounds == ctx.max_rounds:
            end_game(st)
        else:
            begin_play(ctx, st, facts.to_move, NULL)
        return position

    @property
    def game(self):
        """Terra Turrium in `terrarium.games`."""
        from terrarium.turrium.game import GAME     # imported on first use, because playing does not need it

        return GAME

    @property
    def phase(self):
        """The phase of the turn: flags, take, place or move; over at the end of the game (TT-3, TT-4)."""
        return PHASES[self.st().phase]

    @property
    def heights(self):
        """The height of every construction, by cell."""
        cdef State *st = self.st()
        return {CELLS[i]: st.heights[CELL + i] for i in range(100) if st.heights[CELL + i]}

    @property
    def flags(self):
        """The seat of every flag on the board, by cell."""
        cdef State *st = self.st()
        cdef int seat
        cdef dict found = {}
        for seat in range(self.players):
            for cell in cells_of(st.flags[seat]):
                found[cell] = seat
        return found

    @property
    def hand(self):
        """How many flags each seat has off the board (TT-3, TT-13)."""
        return tuple([flags_in_hand(self.st(), seat) for seat in range(self.players)])

    @property
    def cubes_in_hand(self):
        """How many cubes have been taken and not placed yet (TT-8)."""
        return self.st().cubes

    @property
    def points_left(self):
        """The points left in this turn: five before the move phase; 0 while flags are set and after the game (TT-9)."""
        cdef State *st = self.st()
        return POINTS if st.phase == TAKE or st.phase == PLACE else st.points

    @property
    def attacks(self):
        """In how many turns each seat has attacked (TT-12)."""
        return tuple([self.st().attacks[seat] for seat in range(self.players)])

    @property
    def captures(self):
        """How many captures each seat has made, including those on its own land (TT-11, TT-17)."""
        return tuple([self.st().captures[seat] for seat in range(self.players)])

    @property
    def rounds(self):
        """How many rounds are complete: every seat still playing has had its turn in each (TT-18)."""
        return self.st().rounds

    @property
    def unlocked(self):
        """Burgenland: whether captures are allowed; always False in the standard game, where they are never locked (TT-17)."""
        return bool(self.st().unlocked)

    @property
    def declared(self):
        """The seats that have won so far; seats that have had fewer turns may still share the win (TT-15)."""
        return seats_of(self.st().declared)

    @property
    def is_last_round(self):
        """Whether a seat has won and others are taking their last turn (TT-15)."""
        cdef State *st = self.st()
        return st.declared != 0 and st.phase != OVER

    @property
    def resigned(self):
        """The seats that have resigned (TT-19)."""
        return seats_of(self.st().resigned)

    @property
    def cells(self):
        """The cells in use, row by row from a1 (TT-1)."""
        return cells_of(self.ctx().used)

    @property
    def territories(self):
        """The owner of the territory of each cell in use; None where it is vacant (TT-2)."""
        cdef int seat
        cdef dict owners = dict.fromkeys(self.cells)
        for seat in range(self.players):
            for cell in cells_of(self.ctx().own[seat]):
                owners[cell] = seat
        return owners

    @property
    def exterior(self):
        """The cells whose construction is exterior (TT-7)."""
        return cells_of(exterior_cells(self.st()))

    @property
    def taken_from(self):
        """The enemy territories from which a cube was taken this turn; `enemy` if all count as one (TT-5)."""
        cdef int bits = self.st().taken_from
        if self.rules.enemy_takes == "total":
            return ("enemy",) if bits else ()
        return tuple([TERRITORIES[quarter] for quarter in seats_of(bits)])

    @property
    def is_attacking(self):
        """Whether the present turn has been counted as an attack (TT-12)."""
        return bool(self.st().attacking)

    @property
    def ladders(self):
        """For every seat the heights of its flags in ascending order, and the heights of 1 to 6 that it misses (TT-14)."""
        cdef State *st = self.st()
        cdef int seat
        found = []
        for seat in range(self.players):
            held = sorted([st.heights[CELL + <int>INDEX[cell]] for cell in cells_of(st.flags[seat])])
            missing = [height for height in range(1, 7) if height not in held]
            found.append(Ladder(tuple(held), tuple(missing)))
        return tuple(found)

    @property
    def outcome(self):
        """Who won and why the game ended; None while it is not over (TT-14, TT-15, TT-18, TT-19)."""
        cdef State *st = self.st()
        cdef int left
        if st.phase != OVER:
            return None
        left = self.players - count(st.resigned)
        reason = "resigned" if left == 1 else "towers" if st.declared else "limit"
        return Outcome(winners=seats_of(winners_of(self.ctx(), st)), reason=reason)

    def check_resignation(self, seat):
        if type(seat) is not int or not 0 <= seat < self.players:
            raise IllegalAction(
                "no-such-seat", f"{seat!r:.40}: seats here run from 0 to {self.players - 1}", "TT-19"
            )
        if self.st().phase == OVER:
            raise IllegalAction("game-over", f"seat {seat} can't resign: the game is over", "TT-19")
        if seat in self.resigned:
            raise IllegalAction("already-resigned", f"seat {seat} has already resigned", "TT-19")

    def described(self, int id):
        cdef Trace trace
        cdef Position after = <Position>self.fresh()
        trace.length = 0
        apply_traced(self.ctx(), after.st(), id, &trace)
        return after, events_of(self, self.kernel.action(id), after, traced(&trace))

    def step_resignation(self, seat):
        """The position after a seat resigned, and its events (TT-19). Cubes the seat had in hand leave the game."""
        self.check_resignation(seat)
        cdef Trace trace
        cdef Position after = <Position>self.fresh()
        trace.length = 0
        resign_traced(self.ctx(), after.st(), seat, &trace)
        return after, events_of_resignation(seat, after, traced(&trace))

    def is_attack(self, cell):
        """Whether a capture on this cell by the seat to move would be an attack (TT-12)."""
        cdef int i = INDEX[cell]
        return (self.ctx().attack_land[self.st().to_move] & bit(i)) != 0

    def capture_cost(self, source, target):
        """The cost in points of a capture between two adjacent cells, without checking any limits (TT-11)."""
        return capture_cost(self.st(), INDEX[source], INDEX[target])

    def paths(self):
        """The cheapest paths of every flag that can move now, by its cell: (points, cells from start to target).

        Empty outside the move phase; a flag that can't move is left out (TT-9 to TT-11).
        """
        cdef State *st = self.st()
        cdef Paths paths
        cdef int source, node, cell, kind, best
        cdef dict found = {}
        cdef Cells rest
        if st.phase != MOVE:
            return found
        rest = st.flags[st.to_move]
        while rest:
            source = first(rest)
            rest &= rest - 1
            find_paths(self.ctx(), st, source, st.points, &paths)
            ways = []
            for cell in range(100):
                best = cell
                for kind in range(1, 4):
                    if paths.cost[100 * kind + cell] < paths.cost[best]:
                        best = 100 * kind + cell
                if cell == source or paths.cost[best] == UNREACHED:
                    continue
                node = best
                way = [CELLS[cell]]
                while node % 100 != source:
                    node = paths.came[node]
                    way.append(CELLS[node % 100])
                ways.append((paths.cost[best], tuple(reversed(way))))
            if ways:
                found[CELLS[source]] = sorted(ways)
        return found

    def reach_changes(self):
        """How taking or placing each cube would change the cells that flags of the seat to move can reach.

        By the id of the action: cells gained and lost, and heights gained and lost, as if the seat moved right after the
        action with all its points (TT-9 to TT-13). Actions that change nothing are left out.
        """
        cdef State *st = self.st()
        cdef Position after
        cdef State *then
        cdef Cells before, now
        cdef dict found = {}
        cdef int id
        if st.phase != TAKE and st.phase != PLACE:
            return found
        before = in_reach(self.ctx(), st, POINTS)
        levels = heights_of(st, before)
        for id in self.legal_ids():
            if not ID_TAKE <= id < ID_STEP:
                continue
            after = <Position>self.fresh()
            then = after.st()
            apply_traced(self.ctx(), then, id, NULL)
            then.to_move = st.to_move           # the action may have ended the turn
            now = in_reach(self.ctx(), then, POINTS)
            tall = heights_of(then, now)
            if now != before or tall != levels:
                found[id] = (
                    cells_of(now & ~before),
                    cells_of(before & ~now),
                    tuple(sorted(tall - levels)),
                    tuple(sorted(levels - tall)),
                )
        return found

    def refusal(self, int id):
        """The IllegalAction that says why an action is not legal here, with the rule it breaks."""
        return explain(self, id)

    def view(self):
        """Everything an interface needs to show the position, ready for JSON."""
        outcome = self.outcome
        return {
            "game": "turrium",
            "phase": self.phase,
            "to_move": self.to_move,
            "at_turn_start": self.at_turn_start,
            "points_left": self.points_left,
            "cubes_in_hand": self.cubes_in_hand,
            "heights": self.heights,
            "flags": self.flags,
            "hand": list(self.hand),
            "attacks": list(self.attacks),
            "captures": list(self.captures),
            "rounds": self.rounds,
            "rounds_left": self.ctx().max_rounds - self.rounds,
            "unlocked": self.unlocked,
            "declared": list(self.declared),
            "is_last_round": self.is_last_round,
            "cells": list(self.cells),
            "territories": self.territories,
            "exterior": list(self.exterior),
            "ladders": [ladder.to_dict() for ladder in self.ladders],
            "resigned": list(self.resigned),
            "outcome": None if outcome is None else outcome.to_dict(),
        }

    def facts(self):
        """Everything that distinguishes this position from others."""
        cdef State *st = self.st()
        return Facts(
            rules=self.rules,
            heights=self.heights,
            flags=self.flags,
            to_move=self.to_move,
            phase=self.phase,
            attacks=self.attacks,
            captures=self.captures,
            rounds=st.rounds,
            resigned=self.resigned,
            declared=self.declared,
            unlocked=self.unlocked,
            cubes_in_hand=st.cubes,
            taken_from=self.taken_from,
            points_left=st.points,
            is_turn_start=bool(st.fresh),
            is_attacking=self.is_attacking,
        )

    def to_text(self):
        """The position as one line (docs/formats.md); `from_text` reads it back."""
        return texts.write(self.facts())

    @classmethod
    def from_text(cls, text):
        """The position that a text describes; raises InvalidPosition with the reason if it is invalid."""
        return cls.from_facts(texts.read(text))

    def __repr__(self):
        return f"<turrium.Position {self.to_text()}>"


cdef Position blank(facts):
    """The position that facts describe; it is well-formed, but not checked against the rules yet."""
    cdef TurriumKernel kernel = kernel_of(facts.rules)
    cdef Position position = bare(Position, kernel)
    cdef State *st
    cdef int seat
    st = position.st()
    for cell, height in facts.heights.items():
        st.heights[CELL + <int>INDEX[cell]] = height
    for cell, owner in facts.flags.items():
        if cell not in facts.heights:
            refuse(f"{cell}: a flag needs a construction of one cube or more", "TT-10", "flag-without-construction")
        st.flags[<int>owner] |= bit(INDEX[cell])
    st.rounds = facts.rounds
    # The highest count that `compose` accepts plus what play can add, so that every position that play reaches is valid.
    most_captures = MAX_CAPTURES if kernel.ctx.is_burgenland else 10_000 + 5 * (facts.rounds + 1)
    for seat in range(kernel.ctx.players):
        if count(st.flags[seat]) > 6:
            refuse(f"seat {seat} has {count(st.flags[seat])} flags; the maximum is six", "TT-3", "too-many-flags")
        captures, attacks = facts.captures[seat], facts.attacks[seat]
        if captures > most_captures:
            refuse(f"captures {captures}: seat {seat} can have made {most_captures} at most", "TT-17", "invalid-captures")
        # in Burgenland only the number of captures limits attacks
        most_attacks = MAX_ATTACKS + (captures if kernel.ctx.is_burgenland else 0)
        if attacks > most_attacks:
            refuse(f"attacks {attacks}: seat {seat} can have attacked in {most_attacks} turns at most", "TT-12", "invalid-attacks")
        st.captures[seat] = captures
        st.attacks[seat] = attacks
    st.phase = PHASES.index(facts.phase)
    st.to_move = facts.to_move or 0
    st.cubes = facts.cubes_in_hand
    st.points = facts.points_left
    st.attacking = facts.is_attacking
    st.fresh = facts.is_turn_start
    st.unlocked = facts.unlocked
    for name in facts.taken_from:
        st.taken_from |= 1 if name == "enemy" else 1 << <int>TERRITORIES.index(name)
    for seat in facts.resigned:
        st.resigned |= <uint8_t>(1 << seat)
    for seat in facts.declared:
        st.declared |= <uint8_t>(1 << seat)
    refresh(&kernel.ctx, st)
    return position


cdef refuse(message, rule=None, code="impossible-position"):
    raise InvalidPosition(code, message, rule)


cdef check_cubes(facts):
    if sum(facts.heights.values()) + facts.cubes_in_hand > MAX_CUBES:
        refuse(f"at most {MAX_CUBES} cubes are supported", "TT-1", "too-many-cubes")


cdef check(Position position, facts):
    """Raise InvalidPosition unless the seat to move has a legal action or the game is over."""
    cdef State *st = position.st()
    cdef const Ctx *ctx = position.ctx()
    cdef int left = ((1 << ctx.players) - 1) & ~st.resigned
    cdef bint is_last_left = left & (left - 1) == 0
    check_cubes(facts)
    if st.unlocked and not ctx.is_burgenland:
        refuse("unlocked: only the variant burgenland locks captures", "TT-17")
    if ctx.is_burgenland and not st.unlocked and shows_unlocking(ctx, st):
        refuse("flags stand on 5, 4, 4, 3, 2, 1, so captures are unlocked", "TT-17")
    if left == 0:
        refuse("all seats have resigned, but the last one left wins and can't resign", "TT-19")
    if st.phase == OVER:
        if not is_last_left and not st.declared and st.rounds != ctx.max_rounds:
            refuse("nobody has won and rounds are left, so the game is not over", "TT-18")
        return
    if is_last_left:
        refuse("only one seat is left, so the game is over", "TT-19")
    if left >> st.to_move & 1 == 0:
        refuse(f"seat {st.to_move} is to move but has resigned", "TT-19")
    if st.rounds == ctx.max_rounds:
        refuse(f"{st.rounds} rounds have been played, so the game is over", "TT-18")
    if st.declared >> st.to_move:
        refuse("a seat that has declared a win in this round must come before the seat to move", "TT-15")
    if st.phase == FLAGS:
        check_flags(position, facts)
    elif st.phase == TAKE:
        check_take(position, facts)
    elif st.phase == MOVE:
        check_move(position)


cdef check_flags(Position position, facts):
    cdef State *st = position.st()
    cdef const Ctx *ctx = position.ctx()
    cdef int seat, on_board
    if st.declared or st.rounds or any(facts.attacks) or any(facts.captures):
        refuse("a round, a win, an attack or a capture is counted before all flags are set", "TT-3")
    for seat in range(ctx.players):
        on_board = count(st.flags[seat])
        if st.flags[seat] & ~ctx.own[seat]:
            refuse(f"seat {seat} has set a flag outside its own territory", "TT-3")
        if seat > st.to_move and on_board:
            refuse(f"seat {seat} has set flags before its turn", "TT-3")
        if st.resigned >> seat & 1:
            continue
        if seat < st.to_move and on_board < 6:
            refuse(f"seat {seat} has set {on_board} flags and must set six", "TT-3")
        if seat == st.to_move and on_board == 6:
            refuse(f"seat {seat} has set all its flags", "TT-3")
        if seat >= st.to_move and count(ctx.own[seat] & st.built) < 6:
            refuse(f"seat {seat} needs six constructions on its own territory", "TT-3")


cdef check_take(Position position, facts):
    cdef State *st = position.st()
    cdef const Ctx *ctx = position.ctx()
    cdef int quarter
    lands = facts.taken_from
    if not takable(ctx, st):
        refuse("no cube can be taken, so it can't be the take phase", "TT-16")
    if lands != position.taken_from:
        refuse(
            f"taken from {':'.join(lands)}: write enemy when one cube may come from enemy land, else SW, NW, NE, SE in"
            " this order",
            "TT-5",
        )
    if len(lands) > st.cubes:
        refuse(f"cubes from {len(lands)} enemy territories, but only {st.cubes} in hand", "TT-5")
    for quarter in range(4):
        if TERRITORIES[quarter] in lands and ctx.own[st.to_move] & ctx.lands[quarter]:
            refuse(f"{TERRITORIES[quarter]} is not an enemy territory of seat {st.to_move}", "TT-5")


cdef check_move(Position position):
    cdef State *st = position.st()
    cdef const Ctx *ctx = position.ctx()
    if not can_move(ctx, st):
        refuse("no move is possible, so the turn is over", "TT-9")
    if st.fresh and (st.points != POINTS or st.attacking or takable(ctx, st)):
        refuse("a turn starts with the move phase only if no cube can be taken", "TT-16")
    if st.attacking and (st.points == POINTS or not st.attacks[st.to_move] or not st.captures[st.to_move]):
        refuse("after an attack this turn, points, attacks and captures must have changed", "TT-12")
