"""Positions of Terra Nova as Python values, on top of the C functions of the kernel."""

from functools import lru_cache

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from terrarium.core.event import GameEnded, Passed, Resigned, TurnEnded
from terrarium.core.kernel cimport KernelPosition, bare
from terrarium.core.outcome import Outcome
from terrarium.errors import IllegalAction, InvalidPosition
from terrarium.nova import text as texts
from terrarium.nova.board import Board
from terrarium.nova.events import Forfeited, Moved, Placed, StonePlaced, TerritoryScored
from terrarium.nova.kernel cimport (
    BLOCKED, DEAD, DEPLETED, DIVIDED, EMPTY, MAX_WORDS, NOWHERE, OVER, PLACE, PLAY, RESIGNED, STALLED,
    STONE, STONES, THREE_MOVES, TURN_END, Ctx, NovaKernel, State, Territory, Trace,
    apply_traced, appraise, can_move, has_action, holds, is_home, is_return, open_sites, reach,
    rebuild, region_at, resign_traced, settle, winners,
)
from terrarium.nova.region import Region
from terrarium.nova.text import MAX_SCORE, REASONS, Facts


@lru_cache(maxsize=32)
def _kernel(rules, text_map):
    return NovaKernel(rules, Board(text_map))


def kernel_of(rules, board):
    """The kernel for these rules and this board's map, cached; the board's labels have no effect on play."""
    return _kernel(rules, board.map)


cdef class Position(KernelPosition):
    """A position of Terra Nova, immutable: `play` and `resign` return a new one.

    Positions are equal when they have the same rules, map, pieces, scores and supply, the same stage of the turn, the same
    moved pioneers as far as TN-12 and TN-13 need them, and the same stall count (TN-27). The labels of the board, such as
    its name, do not matter.
    """

    cdef inline Ctx *ctx(self):
        return &(<NovaKernel>self.kernel).ctx

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
        """The position at the start of a turn with these facts, after what follows automatically."""
        cdef Position position = blank(facts)
        cdef State *st = position.st()
        if facts.stage != "1" or facts.moved:
            raise InvalidPosition("composition", "a composed position is at the start of a turn", "TN-6")
        check_pieces(position, facts)
        left = facts.rules.players - len(facts.resigned)
        if left == 0:
            raise InvalidPosition("composition", "every seat has resigned; at least one must be left", "TN-28")
        if left == 1:
            st.phase = OVER
            st.reason = RESIGNED
            st.seat = 0
            st.stall = 0
        else:
            settle(position.ctx(), st, facts.seat, True, NULL)
        return position

    @classmethod
    def from_text(cls, text, board=None):
        """The position that a text of `to_text` describes; raises InvalidPosition with the reason if it is invalid.

        A text contains the map of the board without its labels; `board` is the same board with labels.
        """
        return Position.from_facts(texts.read(text, board))

    def to_text(self):
        """The position as one line, like FEN in chess; `from_text` reads it back."""
        return texts.write(self.facts())

    def facts(self):
        """Everything that distinguishes this position from others."""
        cdef State *st = self.st()
        cdef Ctx *ctx = self.ctx()
        cdef int i
        if st.phase == OVER:
            stage = REASONS[st.reason - 1]
        else:
            stage = "place" if st.phase == PLACE else str(st.step + 1)
        moved = tuple(
            (st.moved[i], None if st.origin[i] == NOWHERE else st.origin[i])
            for i in range(2) if st.moved[i] != NOWHERE
        )
        return Facts(
            rules=self.rules,
            board=self.board,
            cells=tuple([holds(st)[i] for i in range(ctx.cells)]),
            seat=st.seat,
            stage=stage,
            moved=moved,
            scores=self.scores,
            supply=st.supply,
            hand=self.hand,
            stall=st.stall,
            resigned=self.resigned,
        )

    def __reduce__(self):
        # with the board, because the text contains only its map
        return Position.from_text, (self.to_text(), None if self.board.is_builtin else self.board)

    def __repr__(self):
        return f"<nova.Position {self.to_text()}>"

    def same_game(self, other):
        return self.rules == other.rules and self.board.map == other.board.map


    @property
    def board(self):
        """The board it is played on."""
        return self.place

    @property
    def game(self):
        """Terra Nova in `terrarium.games`."""
        from terrarium.nova.game import GAME    # imported on first use, because playing does not need it

        return GAME

    @property
    def phase(self):
        """`place` until all pioneers are placed, then `play`, at the end `over`."""
        return ("place", "play", "over")[self.st().phase]

    @property
    def scores(self):
        """The points of each seat."""
        return tuple([self.st().scores[seat] for seat in range(self.ctx().players)])

    @property
    def supply(self):
        """How many stones are left to place (TN-2)."""
        return self.st().supply

    @property
    def hand(self):
        """How many pioneers each seat still has to place (TN-5)."""
        return tuple([self.st().hand[seat] for seat in range(self.ctx().players)])

    @property
    def stall(self):
        """How many turns in a row had no stone; 0 as soon as one is placed (TN-27)."""
        return max(self.st().stall, 0)

    @property
    def stones(self):
        """The covered cells, in reading order."""
        return self.cells_holding(STONE)

    @property
    def dead(self):
        """The cells of scored territories, in reading order (TN-19)."""
        return self.cells_holding(DEAD)

    @property
    def pioneers(self):
        """The seat of the pioneer on each cell that has one."""
        cdef State *st = self.st()
        cdef int cell
        names = self.board.cells
        return {
            names[cell]: holds(st)[cell] - 1
            for cell in range(self.ctx().cells) if EMPTY < holds(st)[cell] < STONE
        }

    @property
    def moved(self):
        """The present cells of the pioneers moved this turn, in reading order (TN-13)."""
        cdef State *st = self.st()
        cdef int i
        names = self.board.cells
        return tuple([names[st.moved[i]] for i in range(2) if st.moved[i] != NOWHERE])

    @property
    def actions_left(self):
        """How many actions the turn still has: 1 while placing, at most 3 in play, 0 at the end (TN-6)."""
        cdef State *st = self.st()
        if st.phase == PLAY:
            return 3 - st.step
        return 1 if st.phase == PLACE else 0

    @property
    def resigned(self):
        """The seats that have resigned (TN-28)."""
        return tuple([s for s in range(self.ctx().players) if self.st().resigned >> s & 1])

    @property
    def outcome(self):
        """Who won and why the game ended; None while it is not over (TN-22 to TN-28)."""
        cdef State *st = self.st()
        if st.phase != OVER:
            return None
        cdef int won = winners(self.ctx(), st)
        seats = tuple([seat for seat in range(self.ctx().players) if won >> seat & 1])
        return Outcome(winners=seats, reason=REASONS[st.reason - 1], scores=self.scores)

    def cells_holding(self, int what):
        cdef State *st = self.st()
        cdef int cell
        names = self.board.cells
        return tuple([names[cell] for cell in range(self.ctx().cells) if holds(st)[cell] == what])

    def regions(self):
        """All regions in play: cells, landscapes, pioneers, and the points if closed now (TN-16 to TN-18)."""
        cdef State *st = self.st()
        cdef Ctx *ctx = self.ctx()
        cdef uint64_t seen[MAX_WORDS]
        cdef uint64_t sites[MAX_WORDS]
        cdef Territory territory
        cdef uint32_t landscapes
        cdef int cell, site, i
        memset(seen, 0, sizeof(seen))
        found = []
        for cell in range(ctx.cells):
            site = ctx.cell[cell].site
            if holds(st)[cell] >= STONE or seen[1 + (site >> 6)] >> (site & 63) & 1:
                continue
            landscapes = region_at(ctx, st, cell, sites)
            for i in range(MAX_WORDS):
                seen[i] |= sites[i]
            appraise(ctx, st, sites, landscapes, &territory)
            facts = self.territory(&territory)
            found.append(Region(*facts, is_closable=len(facts[1]) < 4))
        return tuple(found)

    cdef tuple territory(self, const Territory *territory):
        # cells, landscapes, pioneers, points, awards
        cdef Ctx *ctx = self.ctx()
        cdef int cell, site, kind, seat
        board = self.board
        names, letters, keys = board.cells, board.letters, board.landscapes
        cells = []
        for cell in range(ctx.cells):
            site = ctx.cell[cell].site
            if territory.sites[1 + (site >> 6)] >> (site & 63) & 1:
                cells.append(names[cell])
        landscapes = [keys[letters[kind]] for kind in range(ctx.landscapes) if territory.landscapes >> kind & 1]
        pioneers = [territory.pioneers[seat] for seat in range(ctx.players)]
        awards = [territory.awards[seat] for seat in range(ctx.players)]
        return tuple(cells), tuple(landscapes), tuple(pioneers), territory.points, tuple(awards)

    def view(self):
        """Everything an interface needs to draw the position, ready for JSON."""
        outcome, limit = self.outcome, self.rules.stall_limit
        return {
            "game": "nova",
            "phase": self.phase,
            "to_move": self.to_move,
            "at_turn_start": self.at_turn_start,
            "actions_left": self.actions_left,
            "pioneers": self.pioneers,
            "stones": list(self.stones),
            "dead": list(self.dead),
            "supply": self.supply,
            "hand": list(self.hand),
            "scores": list(self.scores),
            "moved": list(self.moved),
            "stall": self.stall,
            "stall_left": max(0, limit - self.stall) if limit else None,
            "resigned": list(self.resigned),
            "regions": [region.to_dict() for region in self.regions()],
            "outcome": None if outcome is None else outcome.to_dict(),
        }


    cdef KernelPosition resigning(self, seat):
        if type(seat) is not int or not 0 <= seat < self.ctx().players:
            raise IllegalAction(
                "no-such-seat", f"{seat!r:.20}: seats here run from 0 to {self.ctx().players - 1}", "TN-28"
            )
        if self.st().phase == OVER:
            raise IllegalAction("game-over", f"seat {seat} can't resign: the game is over", "TN-28")
        if self.st().resigned >> <int>seat & 1:
            raise IllegalAction("already-resigned", f"seat {seat} has already resigned", "TN-28")
        return self.fresh()

    def described(self, int id):
        cdef State *st = self.st()
        cdef Position after = self.fresh()
        cdef Trace trace
        cdef int i
        memset(&trace, 0, sizeof(trace))
        apply_traced(after.ctx(), after.st(), id, &trace)
        what = self.kernel.action(id)
        seat = st.seat
        if what.kind == "place":
            told = [Placed(seat, what.target)]
        elif what.kind == "move":
            told = [Moved(seat, what.source, what.target)]
        else:
            told = [StonePlaced(seat, what.target)]
        standing = self.pioneers
        for i in range(trace.territories):
            cells, landscapes, pioneers, points, awards = self.territory(&trace.territory[i])
            removed = tuple((cell, standing[cell]) for cell in cells if cell in standing)
            told.append(TerritoryScored(cells, landscapes, points, pioneers, awards, removed))
        if trace.forfeited > 0:
            told.append(Forfeited(seat, trace.forfeited))
        return after, after.sequel(told, seat, &trace)

    def step_resignation(self, seat):
        """The position after a seat resigned, and the events that describe it (TN-28)."""
        cdef Position after = self.resigning(seat)
        cdef Trace trace
        memset(&trace, 0, sizeof(trace))
        resign_traced(after.ctx(), after.st(), seat, &trace)
        return after, after.sequel([Resigned(seat)], seat, &trace)

    cdef tuple sequel(self, list told, seat, const Trace *trace):
        # the end of the turn, the passes and the end of the game that led to this position
        cdef int i
        if trace.turn_ended:
            told.append(TurnEnded(seat))
        for i in range(trace.passes):
            told.append(Passed(trace.passed[i]))
        if self.st().phase == OVER:
            told.append(GameEnded(self.outcome))
        return tuple(told)

    def refusal(self, int id):
        """The IllegalAction that says why this action is not legal here."""
        action = self.kernel.action(id)
        code, message, rule, *cell = self.reason_against(action, id)
        return IllegalAction(code, f"{action}: {message}", rule, facts={"cell": cell[0]} if cell else None)

    cdef tuple reason_against(self, action, int id):
        cdef State *st = self.st()
        cdef Ctx *ctx = self.ctx()
        if st.phase == OVER:
            return "game-over", "the game is over", None
        if (st.phase == PLACE) != (action.kind == "place"):
            if st.phase == PLACE:
                return "wrong-phase", "moves and stones are possible only after all pioneers are placed", "TN-5"
            return "wrong-phase", "pioneers are placed only before the first turn", "TN-5"
        if st.phase == PLACE:
            return self.obstacle(id, "TN-5")
        if action.kind == "stone":
            return self.reason_against_stone(action.target, id - ctx.cells)
        return self.reason_against_move(action, id)

    cdef tuple reason_against_stone(self, target, int cell):
        cdef State *st = self.st()
        if st.step == 0:
            return "first-action-must-move", "the first action of a turn is a move", "TN-7"
        if st.supply == 0:
            return "no-stones-left", "no stones are left", "TN-21"
        if holds(st)[cell] != EMPTY:
            return self.obstacle(cell, "TN-13")
        if is_home(self.ctx(), st) and cell in [self.ctx().cell[st.moved[0]].near[d] for d in range(6)]:
            return self.must_leave()
        return (
            "stone-not-adjacent",
            f"no pioneer moved this turn stands next to {target}",
            "TN-13",
            target,
        )

    cdef tuple reason_against_move(self, action, int id):
        cdef State *st = self.st()
        cdef Ctx *ctx = self.ctx()
        cdef int d, k, target
        cdef int source = ctx.move[id - 2 * ctx.cells].source
        cdef int what = holds(st)[source]
        if what == EMPTY or what >= STONE:
            return "no-pioneer", f"no pioneer stands on {action.source}", "TN-10", action.source
        if what != st.seat + 1:
            return "not-your-pioneer", f"the pioneer on {action.source} belongs to seat {what - 1}", "TN-10", action.source
        d = 5
        while ctx.cell[source].reach[d] == 0 or <uint32_t>id < ctx.cell[source].base[d]:
            d -= 1
        k = reach(ctx, st, source, d)
        if k <= <int>(id - ctx.cell[source].base[d]):
            target = ctx.move[ctx.cell[source].base[d] + k - 2 * ctx.cells].target
            if self.board.cells[target] == action.target:
                return self.obstacle(target, "TN-10")
            return "path-blocked", f"{self.obstacle(target, '')[1]}, which is in the way", "TN-10", self.board.cells[target]
        if is_home(ctx, st) and source != st.moved[0]:
            return self.must_leave()
        return (
            "returns-to-start",
            f"the pioneer started the turn on {action.target} and may not end a move there now",
            "TN-12",
            action.target,
        )

    cdef tuple must_leave(self):
        name = self.board.cells[self.st().moved[0]]
        return (
            "must-leave-start",
            f"the third action must take the pioneer from {name}, where it started the turn",
            "TN-12",
            name,
        )

    cdef tuple obstacle(self, int cell, rule):
        cdef int what = holds(self.st())[cell]
        name = self.board.cells[cell]
        if what == STONE:
            return "cell-covered", f"a stone covers {name}", "TN-14", name
        if what == DEAD:
            return "cell-dead", f"{name} lies in a scored territory", "TN-19", name
        return "cell-occupied", f"a pioneer already stands on {name}", rule, name


include "checks.pxi"
