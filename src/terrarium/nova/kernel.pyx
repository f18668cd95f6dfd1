"""The rules of Terra Nova, decided here and nowhere else. See kernel.pxd for the words used."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy, memset

from terrarium.core.action import Action
from terrarium.core.kernel cimport Kernel, next_random, random_below
from terrarium.errors import InvalidAction
from terrarium.nova import notation

cdef extern from *:
    int ctz "__builtin_ctzll"(uint64_t) noexcept nogil
    int clz "__builtin_clzll"(uint64_t) noexcept nogil
    int popcount "__builtin_popcountll"(uint64_t) noexcept nogil

cdef enum:
    BLOCK = 16              # ids written at once
    TRIES = 24              # blind guesses at a random move before all are counted


# --- Lines: where pioneers can go (TN-10) ---------------------------------------------------------------------------


cdef inline int ray(const Cell *cell, const uint64_t *line, int direction) noexcept nogil:
    # empty cells next to each other in one direction; the guard bit stands for the end of the word
    cdef int axis = direction if direction < 3 else direction - 3
    cdef uint64_t word = line[cell.word[axis]]
    cdef int bit = cell.bit[axis]
    cdef uint64_t guard = <uint64_t>1 << (63 - bit)
    if direction < 3:
        return ctz((word >> bit >> 1) | guard)
    return clz((word << (63 - bit) << 1) | guard)


cdef int reach(const Ctx *ctx, const State *st, int cell, int direction) noexcept nogil:
    return ray(&ctx.cell[cell], lines(ctx, st), direction)


cdef inline void block(const Ctx *ctx, State *st, int cell) noexcept nogil:
    cdef uint64_t *line = lines(ctx, st)
    cdef const Cell *at = &ctx.cell[cell]
    line[at.word[0]] |= <uint64_t>1 << at.bit[0]
    line[at.word[1]] |= <uint64_t>1 << at.bit[1]
    line[at.word[2]] |= <uint64_t>1 << at.bit[2]


cdef inline void unblock(const Ctx *ctx, State *st, int cell) noexcept nogil:
    cdef uint64_t *line = lines(ctx, st)
    cdef const Cell *at = &ctx.cell[cell]
    line[at.word[0]] &= ~(<uint64_t>1 << at.bit[0])
    line[at.word[1]] &= ~(<uint64_t>1 << at.bit[1])
    line[at.word[2]] &= ~(<uint64_t>1 << at.bit[2])


cdef inline int empty_ring(const Ctx *ctx, const State *st, int cell) noexcept nogil:
    # the empty neighbours of a cell
    cdef const uint16_t *near = ctx.cell[cell].near
    cdef const uint8_t *what = holds(st)
    return (
        (what[near[0]] == EMPTY) | (what[near[1]] == EMPTY) << 1 | (what[near[2]] == EMPTY) << 2
        | (what[near[3]] == EMPTY) << 3 | (what[near[4]] == EMPTY) << 4 | (what[near[5]] == EMPTY) << 5
    )


cdef bint can_move(const Ctx *ctx, const State *st, int seat) noexcept nogil:
    """Whether a seat could make a 1st action (TN-7, TN-9); who resigned cannot (TN-28)."""
    cdef const uint16_t *own = list_of(ctx, st, seat)
    cdef int j
    if st.resigned >> seat & 1:
        return False
    for j in range(st.count[seat]):
        if empty_ring(ctx, st, own[j]) != 0:
            return True
    return False


cdef inline bint is_able(const Ctx *ctx, State *st, int seat) noexcept nogil:
    # can_move, asked every turn: the pioneer that could move last time mostly still can
    cdef const uint16_t *own = list_of(ctx, st, seat)
    cdef int j = mobile(ctx, st)[seat]
    if st.resigned >> seat & 1:
        return False
    if j < st.count[seat] and empty_ring(ctx, st, own[j]) != 0:
        return True
    for j in range(st.count[seat]):
        if empty_ring(ctx, st, own[j]) != 0:
            mobile(ctx, st)[seat] = j
            return True
    return False


cdef inline bint returns(const Ctx *ctx, const State *st, int source, int target) noexcept nogil:
    """Whether TN-12 forbids this move because it ends where the pioneer started the turn.

    `never` forbids it to every move, the others to the 3rd action only; which pioneers still have an origin then
    is decided when they move (see `note_move`, `note_stone`).
    """
    if st.step == 0 or (st.step == 1 and ctx.returning != NEVER):
        return False
    return (st.moved[0] == source and st.origin[0] == target) or (
        st.moved[1] == source and st.origin[1] == target
    )


cdef bint is_return(const Ctx *ctx, const State *st, int source, int target) noexcept nogil:
    return returns(ctx, st, source, target)


cdef bint is_home(const Ctx *ctx, const State *st) noexcept nogil:
    """Whether the 3rd action must take a pioneer from the cell it started the turn on (TN-12, `turn_end`)."""
    # only a pioneer that has moved twice can stand there, and then it is the only one moved
    return ctx.returning == TURN_END and st.step == 2 and st.moved[0] == st.origin[0] != NOWHERE


cdef bint has_move(const Ctx *ctx, const State *st) noexcept nogil:
    # whether the seat to move has a legal move
    cdef const uint64_t *line = lines(ctx, st)
    cdef const uint16_t *own = list_of(ctx, st, st.seat)
    cdef const Cell *at
    cdef bint home = is_home(ctx, st)
    cdef int j, d, length
    for j in range(st.count[st.seat]):
        if home and own[j] != st.moved[0]:
            continue
        at = &ctx.cell[own[j]]
        for d in range(6):
            length = ray(at, line, d)
            # of two cells or more at most one is where it started
            if length > 1 or (length == 1 and not returns(ctx, st, own[j], at.near[d])):
                return True
    return False


# --- Regions (TN-15) -------------------------------------------------------------------------------------------------
#
# A bit board that is being filled has a guard word at either end, so that words 1 to `words` hold the sites.


cdef inline bint spread_any(uint64_t *sites, const uint64_t *open, int words, int stride) noexcept nogil:
    """Add every open neighbour; whether there were any."""
    cdef uint64_t up[MAX_WORDS]
    cdef uint64_t down[MAX_WORDS]
    cdef uint64_t more, gained = 0
    cdef int i
    up[0] = 0
    down[words + 1] = 0
    for i in range(1, words + 1):
        up[i] = sites[i] | sites[i] << 1 | sites[i - 1] >> 63
        down[i] = sites[i] | sites[i] >> 1 | sites[i + 1] << 63
    for i in range(1, words + 1):
        # one step along the row, or one row on and then perhaps along: all six neighbours
        more = (
            up[i] | down[i]
            | up[i] << stride | up[i - 1] >> (64 - stride)
            | down[i] >> stride | down[i + 1] << (64 - stride)
        ) & open[i - 1]
        gained |= more ^ sites[i]
        sites[i] = more
    return gained != 0


cdef inline uint32_t landscapes_in(const Ctx *ctx, const uint64_t *sites, int words) noexcept nogil:
    cdef const uint64_t *mask = ctx.landscape_mask
    cdef uint32_t found = 0
    cdef uint64_t both
    cdef int kind, i
    for kind in range(ctx.landscapes):
        both = 0
        for i in range(words):
            both |= mask[i] & sites[i + 1]
        found |= <uint32_t>(both != 0) << kind
        mask += words
    return found


cdef inline uint32_t fill(
    const Ctx *ctx, const uint64_t *open, uint64_t *sites, int words, bint whole
) noexcept nogil:
    """Grow `sites` to its region, or, if it need not be whole, until it holds four landscapes."""
    cdef uint32_t found
    cdef bint grows = True
    while grows:
        grows = spread(sites, open, words, ctx.stride)
        if grows and not whole:
            grows = spread(sites, open, words, ctx.stride)
        if not whole or not grows:
            found = landscapes_in(ctx, sites, words)
            if not whole and popcount(found) > 3:
                break
    return found


cdef inline bint spread_four(uint64_t *x, const uint64_t *open, int stride) noexcept nogil:
    # `spread` for boards of the usual size, written out so that everything stays in registers
    cdef int back = 64 - stride
    cdef uint64_t u0 = x[1] | x[1] << 1
    cdef uint64_t u1 = x[2] | x[2] << 1 | x[1] >> 63
    cdef uint64_t u2 = x[3] | x[3] << 1 | x[2] >> 63
    cdef uint64_t u3 = x[4] | x[4] << 1 | x[3] >> 63
    cdef uint64_t d0 = x[1] | x[1] >> 1 | x[2] << 63
    cdef uint64_t d1 = x[2] | x[2] >> 1 | x[3] << 63
    cdef uint64_t d2 = x[3] | x[3] >> 1 | x[4] << 63
    cdef uint64_t d3 = x[4] | x[4] >> 1
    cdef uint64_t y0 = (u0 | d0 | u0 << stride | d0 >> stride | d1 << back) & open[0]
    cdef uint64_t y1 = (u1 | d1 | u1 << stride | u0 >> back | d1 >> stride | d2 << back) & open[1]
    cdef uint64_t y2 = (u2 | d2 | u2 << stride | u1 >> back | d2 >> stride | d3 << back) & open[2]
    cdef uint64_t y3 = (u3 | d3 | u3 << stride | u2 >> back | d3 >> stride) & open[3]
    cdef bint grows = ((x[1] ^ y0) | (x[2] ^ y1) | (x[3] ^ y2) | (x[4] ^ y3)) != 0
    x[1] = y0
    x[2] = y1
    x[3] = y2
    x[4] = y3
    return grows


cdef inline bint spread(uint64_t *sites, const uint64_t *open, int words, int stride) noexcept nogil:
    if words == 4:
        return spread_four(sites, open, stride)
    return spread_any(sites, open, words, stride)


cdef uint32_t flood(const Ctx *ctx, const uint64_t *open, uint64_t *sites, bint whole) noexcept nogil:
    # the same twice, so that the compiler unrolls it for boards of the usual size
    if ctx.words == 4:
        return fill(ctx, open, sites, 4, whole)
    return fill(ctx, open, sites, ctx.words, whole)


cdef uint32_t region_at(const Ctx *ctx, const State *st, int cell, uint64_t *sites) noexcept nogil:
    """The landscapes of the region around a cell in play, and the region itself in `sites`, guarded."""
    cdef int site = ctx.cell[cell].site
    memset(sites, 0, MAX_WORDS * sizeof(uint64_t))
    sites[1 + (site >> 6)] = <uint64_t>1 << (site & 63)
    return flood(ctx, open_sites(ctx, st), sites, True)


cdef bint is_tame(const Ctx *ctx, const State *st) noexcept nogil:
    # whether every region in play holds four landscapes or more
    cdef uint64_t seen[MAX_WORDS]
    cdef uint64_t sites[MAX_WORDS]
    cdef const uint64_t *open = open_sites(ctx, st)
    cdef uint64_t rest
    cdef int i, k
    memset(seen, 0, sizeof(seen))
    for i in range(ctx.words):
        while True:
            rest = open[i] & ~seen[i + 1]
            if rest == 0:
                break
            if popcount(region_at(ctx, st, ctx.cell_of_site[64 * i + ctz(rest)], sites)) < 4:
                return False
            for k in range(MAX_WORDS):
                seen[k] |= sites[k]
    return True


# --- Territories (TN-16 to TN-19) ------------------------------------------------------------------------------------


cdef void appraise(
    const Ctx *ctx, const State *st, const uint64_t *sites, uint32_t landscapes, Territory *out
) noexcept nogil:
    """What a region is worth and who gets it, if it is closed as it is."""
    cdef int kinds = popcount(landscapes)
    cdef int seat, i, j, site, most = 0, tied = 0
    cdef const uint16_t *own
    memset(out, 0, sizeof(Territory))
    memcpy(out.sites, sites, (ctx.words + 2) * sizeof(uint64_t))
    out.landscapes = landscapes
    for i in range(1, ctx.words + 1):
        out.cells += popcount(sites[i])
    out.points = out.cells * (4 - kinds) if kinds < 4 else 0        # TN-17
    for seat in range(ctx.players):
        own = list_of(ctx, st, seat)
        for j in range(st.count[seat]):
            site = ctx.cell[own[j]].site
            out.pioneers[seat] += sites[1 + (site >> 6)] >> (site & 63) & 1
        if out.pioneers[seat] > most:
            most = out.pioneers[seat]
            tied = 0
        if out.pioneers[seat] == most:
            tied += 1
    if most > 0:                                                    # TN-18
        for seat in range(ctx.players):
            if out.pioneers[seat] == most:
                out.awards[seat] = out.points // tied


cdef void close_territory(
    const Ctx *ctx, State *st, const uint64_t *sites, uint32_t landscapes, Log *log
) noexcept nogil:
    """Pay a territory; its pioneers leave and its cells die (TN-17 to TN-19)."""
    cdef Territory territory
    cdef uint8_t *what = holds(st)
    cdef uint8_t *slot = slots(ctx, st)
    cdef uint64_t *open = open_sites(ctx, st)
    cdef uint16_t *own
    cdef uint64_t rest
    cdef int seat, i, cell, last
    appraise(ctx, st, sites, landscapes, &territory)
    if log != NULL:
        log.territory[log.territories] = territory
        log.territories += 1
    for seat in range(ctx.players):
        st.scores[seat] += territory.awards[seat]
    st.in_play -= territory.cells
    for i in range(ctx.words):
        rest = sites[i + 1]
        open[i] &= ~rest
        while rest != 0:
            cell = ctx.cell_of_site[64 * i + ctz(rest)]
            rest &= rest - 1
            if what[cell] != EMPTY:
                seat = what[cell] - 1
                own = list_of(ctx, st, seat)
                st.count[seat] -= 1
                last = own[st.count[seat]]
                own[slot[cell]] = last
                slot[last] = slot[cell]
            else:
                block(ctx, st, cell)
            what[cell] = DEAD


cdef inline int open_ring(const Ctx *ctx, const State *st, int cell) noexcept nogil:
    # the neighbours in play: empty or with a pioneer
    cdef const uint16_t *near = ctx.cell[cell].near
    cdef const uint8_t *what = holds(st)
    return (
        (what[near[0]] < STONE) | (what[near[1]] < STONE) << 1 | (what[near[2]] < STONE) << 2
        | (what[near[3]] < STONE) << 3 | (what[near[4]] < STONE) << 4 | (what[near[5]] < STONE) << 5
    )


cdef inline void score(const Ctx *ctx, State *st, int cell, Log *log) noexcept nogil:
    """Every region next to the new stone that holds three landscapes or fewer is a territory (TN-16)."""
    cdef int ring = open_ring(ctx, st, cell)
    # the first cell of each stretch of open neighbours; cells of one stretch are in one region
    cdef int starts = ring & ~(ring << 1 | ring >> 5)
    if ring == 63:
        starts = 1
    # One stretch: nothing is divided. If a neighbour also has the landscape covered now, the region keeps all it had.
    if st.is_tame and (starts & (starts - 1)) == 0 and (ring & ctx.cell[cell].same) != 0:
        return
    score_around(ctx, st, cell, starts, log)


cdef void score_around(const Ctx *ctx, State *st, int cell, int starts, Log *log) noexcept nogil:
    cdef uint64_t seen[MAX_WORDS]
    cdef uint64_t sites[MAX_WORDS]
    cdef const uint16_t *near = ctx.cell[cell].near
    cdef uint32_t landscapes
    cdef int site, i
    memset(seen, 0, (ctx.words + 2) * sizeof(uint64_t))
    while starts != 0:
        site = ctx.cell[near[ctz(starts)]].site
        starts &= starts - 1
        # already seen: in a region that was closed just now, or in one with four landscapes at least
        if seen[1 + (site >> 6)] >> (site & 63) & 1:
            continue
        memset(sites, 0, (ctx.words + 2) * sizeof(uint64_t))
        sites[1 + (site >> 6)] = <uint64_t>1 << (site & 63)
        landscapes = flood(ctx, open_sites(ctx, st), sites, False)
        for i in range(1, ctx.words + 1):
            seen[i] |= sites[i]
        if popcount(landscapes) < 4:
            close_territory(ctx, st, sites, landscapes, log)
    if not st.is_tame:
        st.is_tame = is_tame(ctx, st)


# --- Stones (TN-13, TN-14, TN-21) ------------------------------------------------------------------------------------


cdef bint frees_home(const Ctx *ctx, const State *st, int cell) noexcept nogil:
    """Whether a stone would score the region of the pioneer that stands where it started (TN-12: it then stands nowhere)."""
    cdef uint64_t sites[MAX_WORDS]
    cdef uint64_t open[MAX_WORDS]
    cdef int site = ctx.cell[cell].site
    memcpy(open, open_sites(ctx, st), ctx.words * sizeof(uint64_t))
    open[site >> 6] &= ~(<uint64_t>1 << (site & 63))
    memset(sites, 0, (ctx.words + 2) * sizeof(uint64_t))
    site = ctx.cell[st.moved[0]].site
    sites[1 + (site >> 6)] = <uint64_t>1 << (site & 63)
    return popcount(flood(ctx, open, sites, False)) < 4


cdef int stone_cells(const Ctx *ctx, const State *st, uint16_t *found) noexcept nogil:
    """The cells where the seat to move may place a stone, rising, at most twelve (TN-7, TN-13, TN-21)."""
    cdef const uint8_t *what = holds(st)
    cdef const uint16_t *near
    cdef bint home
    cdef int i, j, d, cell, count = 0
    if st.supply == 0 or st.step == 0:
        return 0
    home = is_home(ctx, st)
    for i in range(2):
        if st.moved[i] == NOWHERE:
            break
        near = ctx.cell[st.moved[i]].near
        for d in range(6):
            cell = near[d]
            if what[cell] != EMPTY or (home and not frees_home(ctx, st, cell)):
                continue
            j = count
            while j > 0 and found[j - 1] > cell:
                j -= 1
            if j > 0 and found[j - 1] == cell:
                continue
            insert(found, count, j, cell)
            count += 1
    return count


cdef inline void insert(uint16_t *cells, int count, int place, int cell) noexcept nogil:
    while count > place:
        cells[count] = cells[count - 1]
        count -= 1
    cells[place] = cell


cdef bint has_action(const Ctx *ctx, const State *st) noexcept nogil:
    """Whether the turn can go on with a 2nd or 3rd action (TN-6)."""
    cdef uint16_t found[12]
    cdef int i
    if st.supply != 0 and not is_home(ctx, st):
        for i in range(2):
            if st.moved[i] != NOWHERE and empty_ring(ctx, st, st.moved[i]) != 0:
                return True
        return has_move(ctx, st)
    return has_move(ctx, st) or stone_cells(ctx, st, found) > 0


# --- Turns and the end (TN-5, TN-6, TN-9, TN-22 to TN-28) ------------------------------------------------------------


cdef inline void forget_turn(State *st) noexcept nogil:
    st.step = 0
    st.moved[0] = st.moved[1] = NOWHERE
    st.origin[0] = st.origin[1] = NOWHERE


cdef void end_game(State *st, int reason) noexcept nogil:
    forget_turn(st)
    st.phase = OVER
    st.reason = reason
    st.seat = 0
    st.stall = 0


cdef void settle(const Ctx *ctx, State *st, int first, bint after_turn, Log *log) noexcept nogil:
    """Test the ends in their order, then give the turn to the first seat from `first` on that can move.

    Before the first turn only `divided` and `blocked` can be (TN-23); the other ends come after a turn.
    """
    cdef int seat, i, able = 0, count = 0
    forget_turn(st)
    if st.in_play == 0:                                             # TN-22
        end_game(st, DIVIDED)
        return
    for seat in range(ctx.players):
        if is_able(ctx, st, seat):
            able |= 1 << seat
            count += 1
    if count < 2:                                                   # TN-23
        end_game(st, BLOCKED)
        return
    if after_turn:
        if ctx.depletion:                                           # TN-24
            for seat in range(ctx.players):
                if st.count[seat] == 0 and not (st.resigned >> seat & 1):
                    end_game(st, DEPLETED)
                    return
        if st.supply == 0:                                          # TN-26
            end_game(st, STONES)
            return
        if ctx.stall_limit != 0 and st.stall >= ctx.stall_limit:    # TN-27
            end_game(st, STALLED)
            return
    for i in range(ctx.players):                                    # TN-9
        seat = first + i
        if seat >= ctx.players:
            seat -= ctx.players
        if able >> seat & 1:
            st.seat = seat
            return
        if log != NULL and not (st.resigned >> seat & 1):
            log.passed[log.passes] = seat
            log.passes += 1


cdef void next_placement(const Ctx *ctx, State *st, Log *log) noexcept nogil:
    """The next seat with pioneers in hand places one; when there is none, play begins (TN-5)."""
    cdef int i, seat = st.seat
    for i in range(ctx.players):
        seat += 1
        if seat == ctx.players:
            seat = 0
        if st.hand[seat] != 0 and not (st.resigned >> seat & 1):
            st.seat = seat
            return
    st.phase = PLAY
    settle(ctx, st, 0, False, log)


cdef inline void after_action(const Ctx *ctx, State *st, bint goes_on, Log *log) noexcept nogil:
    """Go on with the turn, or end it when it is complete or the rest is impossible (TN-6)."""
    if goes_on:
        return
    if log != NULL:
        log.forfeited = 3 - st.step
        log.turn_ended = True
    if ctx.stall_limit != 0:
        st.stall += 1                                               # TN-27
    settle(ctx, st, st.seat + 1, True, log)


cdef inline void note_move(const Ctx *ctx, State *st, int source, int target) noexcept nogil:
    """Keep of the pioneers moved this turn what TN-12 and TN-13 may still ask for."""
    if st.step == 0:
        st.moved[0] = target
        st.origin[0] = source
    elif st.step == 1:
        if st.moved[0] == source:
            st.moved[0] = target
            return
        if ctx.returning == THREE_MOVES:
            # no pioneer makes all three moves any more
            st.origin[0] = NOWHERE
            source = NOWHERE
        if st.moved[0] < target:
            st.moved[1] = target
            st.origin[1] = source
        else:
            st.moved[1] = st.moved[0]
            st.origin[1] = st.origin[0]
            st.moved[0] = target
            st.origin[0] = source


cdef inline void note_stone(const Ctx *ctx, State *st) noexcept nogil:
    # a stone is a 2nd action here: so one pioneer has moved, unless it has just left the game (TN-13)
    if st.step == 1:
        if holds(st)[st.moved[0]] == DEAD:
            st.moved[0] = NOWHERE
            st.origin[0] = NOWHERE
        elif ctx.returning == THREE_MOVES:
            st.origin[0] = NOWHERE


cdef inline void put_pioneer(const Ctx *ctx, State *st, int cell, int seat) noexcept nogil:
    list_of(ctx, st, seat)[st.count[seat]] = cell
    slots(ctx, st)[cell] = st.count[seat]
    st.count[seat] += 1
    holds(st)[cell] = seat + 1
    block(ctx, st, cell)


cdef inline void play_placement(const Ctx *ctx, State *st, int cell, Log *log) noexcept nogil:
    put_pioneer(ctx, st, cell, st.seat)
    st.hand[st.seat] -= 1
    if log != NULL:
        log.turn_ended = True
    next_placement(ctx, st, log)


cdef inline void play_move(const Ctx *ctx, State *st, int source, int target, Log *log) noexcept nogil:
    cdef int slot = slots(ctx, st)[source]
    cdef bint goes_on
    list_of(ctx, st, st.seat)[slot] = target
    slots(ctx, st)[target] = slot
    holds(st)[source] = EMPTY
    holds(st)[target] = st.seat + 1
    unblock(ctx, st, source)
    block(ctx, st, target)
    note_move(ctx, st, source, target)
    st.step += 1
    # a move leaves an empty cell behind it, so while there are stones one can be placed
    goes_on = st.step < 3 and ((st.supply != 0 and not is_home(ctx, st)) or has_action(ctx, st))
    after_action(ctx, st, goes_on, log)


cdef inline void play_stone(const Ctx *ctx, State *st, int cell, Log *log) noexcept nogil:
    cdef int site = ctx.cell[cell].site
    holds(st)[cell] = STONE
    block(ctx, st, cell)
    open_sites(ctx, st)[site >> 6] &= ~(<uint64_t>1 << (site & 63))
    st.supply -= 1
    st.in_play -= 1
    if ctx.stall_limit != 0:
        st.stall = -1
    score(ctx, st, cell, log)
    note_stone(ctx, st)
    st.step += 1
    after_action(ctx, st, st.step < 3 and has_action(ctx, st), log)


cdef void play(const Ctx *ctx, State *st, int id, Log *log) noexcept nogil:
    """Play a legal action and everything that follows by itself."""
    cdef Move move
    if id >= 2 * ctx.cells:
        move = ctx.move[id - 2 * ctx.cells]
        play_move(ctx, st, move.source, move.target, log)
    elif id >= ctx.cells:
        play_stone(ctx, st, id - ctx.cells, log)
    else:
        play_placement(ctx, st, id, log)


cdef void give_up(const Ctx *ctx, State *st, int seat, Log *log) noexcept nogil:
    """A seat resigns: at its own turn the turn ends there, and at another's nothing else changes yet (TN-28)."""
    st.resigned |= 1 << seat
    if ctx.players - popcount(st.resigned) == 1:
        end_game(st, RESIGNED)
        return
    if seat != st.seat:
        return
    if log != NULL:
        log.turn_ended = True
    if st.phase == PLACE:
        next_placement(ctx, st, log)
        return
    if st.stall < 0:
        st.stall = 0            # its stone counts, but a turn cut short is not one really played (TN-27)
    settle(ctx, st, seat + 1, True, log)


cdef int winners(const Ctx *ctx, const State *st) noexcept nogil:
    """The seats that share the win, a bit each: most points of those who did not resign (TN-25, TN-28)."""
    cdef int seat, found = 0, best = -1
    for seat in range(ctx.players):
        if st.resigned >> seat & 1:
            continue
        if st.scores[seat] > best:
            best = st.scores[seat]
            found = 0
        if st.scores[seat] == best:
            found |= 1 << seat
    return found


# --- What is legal ---------------------------------------------------------------------------------------------------


cdef inline void write_run(int *ids, int first, size_t length) noexcept nogil:
    # a block at once, mostly more than wanted and overwritten by the next run: short loops are badly predicted
    cdef size_t i
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


# --- Random play -----------------------------------------------------------------------------------------------------


cdef struct Choice:
    int source              # NOWHERE for a stone
    int target
    int id


cdef inline int stretch(const Cell *cell, const uint64_t *line, int axis, int *ahead) noexcept nogil:
    # empty cells on both sides of a cell on one axis, together; those in the direction of the axis in `ahead`
    cdef uint64_t word = line[cell.word[axis]]
    cdef int bit = cell.bit[axis]
    cdef uint64_t guard = <uint64_t>1 << (63 - bit)
    ahead[0] = ctz((word >> bit >> 1) | guard)
    return ahead[0] + clz((word << (63 - bit) << 1) | guard)


cdef inline int target_on(const Ctx *ctx, const Cell *cell, int axis, int ahead, int k) noexcept nogil:
    # where the k-th move on a stretch leads: first those ahead, then those the other way
    cdef int far = k + 1 if k < ahead else ahead - k - 1
    return ctx.cell_of_site[cell.site + far * ctx.delta[axis]]


cdef inline int move_on(const Cell *cell, int axis, int ahead, int k) noexcept nogil:
    # its id
    return cell.base[axis] + k if k < ahead else cell.base[axis + 3] + k - ahead


cdef bint counted_move(const Ctx *ctx, const State *st, uint64_t *rng, Choice *out) noexcept nogil:
    # one of all legal moves, if there are any
    cdef const uint64_t *line = lines(ctx, st)
    cdef const uint16_t *own = list_of(ctx, st, st.seat)
    cdef uint8_t lengths[3 * MAX_PIONEERS]
    cdef const Cell *at
    cdef bint home = is_home(ctx, st)
    cdef int i, j, axis, k, ahead, total = 0, forbidden = 0, count = st.count[st.seat]
    for j in range(count):
        at = &ctx.cell[own[j]]
        lengths[3 * j] = stretch(at, line, 0, &ahead)
        lengths[3 * j + 1] = stretch(at, line, 1, &ahead)
        lengths[3 * j + 2] = stretch(at, line, 2, &ahead)
        total += lengths[3 * j] + lengths[3 * j + 1] + lengths[3 * j + 2]
    if st.step != 0:
        # what the return rule takes away is counted separately: it concerns few pioneers
        for i in range(count):
            if home or own[i] == st.moved[0] or own[i] == st.moved[1]:
                at = &ctx.cell[own[i]]
                for axis in range(3):
                    stretch(at, line, axis, &ahead)
                    for k in range(lengths[3 * i + axis]):
                        forbidden += is_refused(ctx, st, home, own[i], target_on(ctx, at, axis, ahead, k))
    if total == forbidden:
        return False
    while True:
        k = random_below(rng, total)
        j = 0
        while k >= lengths[j]:
            k -= lengths[j]
            j += 1
        out.source = own[j // 3]
        at = &ctx.cell[out.source]
        axis = j % 3
        stretch(at, line, axis, &ahead)
        out.target = target_on(ctx, at, axis, ahead, k)
        if forbidden == 0 or not is_refused(ctx, st, home, out.source, out.target):
            out.id = move_on(at, axis, ahead, k)
            return True


cdef inline bint is_refused(const Ctx *ctx, const State *st, bint home, int source, int target) noexcept nogil:
    # whether TN-12 forbids a move that lines and pioneers allow
    return returns(ctx, st, source, target) or (home and source != st.moved[0])


cdef inline bint random_move(const Ctx *ctx, const State *st, uint64_t *rng, Choice *out) noexcept nogil:
    """A legal move, all with the same chance, if there is one.

    A guess names a pioneer, an axis and a place on the longest stretch that the board has; those that are no legal
    moves are thrown away, which leaves the others equally likely. After some misses all moves are counted.
    """
    cdef const uint64_t *line = lines(ctx, st)
    cdef const uint16_t *own = list_of(ctx, st, st.seat)
    cdef const Cell *at
    cdef uint64_t part, count = st.count[st.seat]
    cdef uint64_t longest = ctx.longest
    cdef int source, axis, k, i, ahead
    if count == 0:
        return False
    for i in range(TRIES):
        part = (next_random(rng) >> 32) * count
        source = own[part >> 32]
        at = &ctx.cell[source]
        part = (part & <uint32_t>0xFFFFFFFF) * 3
        axis = part >> 32
        part = (part & <uint32_t>0xFFFFFFFF) * longest
        k = part >> 32
        if k < stretch(at, line, axis, &ahead):
            out.source = source
            out.target = target_on(ctx, at, axis, ahead, k)
            if st.step == 0 or not is_refused(ctx, st, is_home(ctx, st), source, out.target):
                out.id = move_on(at, axis, ahead, k)
                return True
    return counted_move(ctx, st, rng, out)


cdef inline bint random_stone(const Ctx *ctx, const State *st, uint64_t *rng, Choice *out) noexcept nogil:
    """A legal stone, all with the same chance, if there is one."""
    cdef uint16_t cells[12]
    cdef int ring, other, k, count
    out.source = NOWHERE
    if st.supply == 0 or st.moved[0] == NOWHERE:
        return False
    if is_home(ctx, st):
        count = stone_cells(ctx, st, cells)
        if count == 0:
            return False
        out.target = cells[random_below(rng, count)]
        out.id = ctx.cells + out.target
        return True
    ring = empty_ring(ctx, st, st.moved[0])
    count = popcount(ring)
    other = 0
    if st.moved[1] != NOWHERE:
        other = empty_ring(ctx, st, st.moved[1]) & ~shared_ring(ctx, st.moved[1], st.moved[0])
    k = popcount(other) + count
    if k == 0:
        return False
    k = random_below(rng, k)
    if k < count:
        out.target = ctx.cell[st.moved[0]].near[ctx.nth[ring][k]]
    else:
        out.target = ctx.cell[st.moved[1]].near[ctx.nth[other][k - count]]
    out.id = ctx.cells + out.target
    return True


cdef inline int shared_ring(const Ctx *ctx, int cell, int other) noexcept nogil:
    # the neighbours of a cell that are also neighbours of another one
    cdef const uint16_t *near = ctx.cell[cell].near
    cdef const uint16_t *far = ctx.cell[other].near
    cdef int d, k, ring = 0
    cdef int apart = ctx.cell[cell].site - ctx.cell[other].site
    if apart > 2 * ctx.stride + 2 or apart < -2 * ctx.stride - 2:
        return 0
    for d in range(6):
        for k in range(6):
            ring |= (near[d] == far[k]) << d
    return ring


cdef inline void choose(const Ctx *ctx, const State *st, uint64_t *rng, Choice *out) noexcept nogil:
    """Move or stone with the same chance when both can be, then all of the kind alike."""
    # a tossed kind that is impossible leaves the other, so nothing need be known beforehand
    if st.step != 0 and next_random(rng) >> 63:
        if not random_stone(ctx, st, rng, out):
            random_move(ctx, st, rng, out)
    elif not random_move(ctx, st, rng, out):
        random_stone(ctx, st, rng, out)


cdef inline int random_cell(const Ctx *ctx, const State *st, uint64_t *rng) noexcept nogil:
    cdef int cell
    while True:
        cell = random_below(rng, ctx.cells)
        if holds(st)[cell] == EMPTY:
            return cell


cdef int random_action(const void *context, const void *state, uint64_t *rng) noexcept nogil:
    cdef const Ctx *ctx = <const Ctx *>context
    cdef const State *st = <const State *>state
    cdef Choice choice
    if st.phase == OVER:
        return -1
    if st.phase == PLACE:
        return random_cell(ctx, st, rng)
    choice.id = -1
    choose(ctx, st, rng, &choice)
    return choice.id


cdef long playout(const void *context, void *state, uint64_t *rng) noexcept nogil:
    # the same choices as random_action makes, played without going through their ids
    cdef const Ctx *ctx = <const Ctx *>context
    cdef State *st = <State *>state
    cdef Choice choice
    cdef long actions = 0
    while st.phase == PLACE:
        play_placement(ctx, st, random_cell(ctx, st, rng), NULL)
        actions += 1
    while st.phase == PLAY:
        choose(ctx, st, rng, &choice)
        if choice.source == NOWHERE:
            play_stone(ctx, st, choice.target, NULL)
        else:
            play_move(ctx, st, choice.source, choice.target, NULL)
        actions += 1
    return actions


# --- The table of functions ------------------------------------------------------------------------------------------


cdef void apply_action(const void *ctx, void *state, int id) noexcept nogil:
    play(<const Ctx *>ctx, <State *>state, id, NULL)


cdef void resign_seat(const void *ctx, void *state, int seat) noexcept nogil:
    give_up(<const Ctx *>ctx, <State *>state, seat, NULL)


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
    """Derive counts, lists, lines and bit boards from what the cells hold."""
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


# --- A game with its rules and board prepared ------------------------------------------------------------------------


cdef inline size_t padded(size_t size) noexcept:
    return (size + 7) // 8 * 8


def sites_of(axial, neighbours):
    """Bit numbers for the cells such that neighbours, and no others, differ by 1, s or s + 1.

    Gives s, what a step along each axis adds, and the numbers.

    Rows may overlap the gaps of other rows; the tightest of both orientations is taken.
    """
    best = None
    for turned in (False, True):
        places = [(b, a) if turned else (a, b) for a, b in axial]
        order = (2, 1, 0, 5, 4, 3) if turned else (0, 1, 2, 3, 4, 5)
        for stride in range(1, 64):
            sites = [row * stride + column for row, column in places]
            first = min(sites)
            at = {site: cell for cell, site in enumerate(sites)}
            if len(at) < len(sites):
                continue
            steps = (1, stride + 1, stride, -1, -stride - 1, -stride)
            if all(
                at.get(site + step, -1) == near[order[d]]
                for site, near in zip(sites, neighbours)
                for d, step in enumerate(steps)
            ):
                size = max(sites) - first + 1
                if best is None or size < best[0]:
                    deltas = (stride, stride + 1, 1) if turned else (1, stride + 1, stride)
                    best = size, stride, deltas, [site - first for site in sites]
                break
    return best[1:]


def packed_lines(rays):
    """Word and bit of each cell on each of three axes, and the number of words: lines share words, a bit apart."""
    places = [[None] * 3 for _ in rays]
    word = 0
    for axis in range(3):
        free = 0
        for cell, ray in enumerate(rays):
            if ray[axis + 3]:
                continue
            line = (cell, *ray[axis])
            if free + len(line) > 64:
                word, free = word + 1, 0
            for step, other in enumerate(line):
                places[other][axis] = word, free + step
            free += len(line) + 1
        word += 1
    return places, word


cdef class NovaKernel(Kernel):
    """The fixed facts of one game of Terra Nova: its rules and its board, prepared for C."""

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
        ctx.words = max(sites) // 64 + 1
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
        """Hand the functions of this module to the core."""
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
            return Action("place", None, cells[id], id)
        if id < 2 * self.ctx.cells:
            return Action("stone", None, cells[id - self.ctx.cells], id)
        move = self.ctx.move[id - 2 * self.ctx.cells]
        return Action("move", cells[move.source], cells[move.target], id)

    def notation(self, text):
        return notation.parse(text)

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
            "not-an-action", f"{action!s:.80}: actions of Terra Nova place, move or cover with a stone"
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
            raise InvalidAction(
                "not-in-line", f"{action}: a move goes at least one cell far", "TN-10"
            )
        raise InvalidAction(
            "not-in-line",
            f"{action}: no straight line of cells leads from {action.source} to {action.target}",
            "TN-10",
        )
