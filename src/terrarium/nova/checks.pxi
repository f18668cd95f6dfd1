# Part of position.pyx: makes positions from facts, and checks the facts.


cdef Position blank(facts):
    # the position that facts describe; it is well-formed, but not checked against the rules yet
    if not isinstance(facts, Facts):
        raise InvalidPosition("position-facts", f"{facts!r:.40}: a position is made from nova.text.Facts")
    facts.check()
    cdef NovaKernel kernel = kernel_of(facts.rules, facts.board)
    cdef Ctx *ctx = &kernel.ctx
    cdef Position position = bare(Position, kernel, facts.board)
    cdef State *st
    cdef int i
    st = position.st()
    if facts.stage == "place":
        st.phase = PLACE
    elif facts.stage in REASONS:
        st.phase = OVER
        st.reason = REASONS.index(facts.stage) + 1
    else:
        st.phase = PLAY
        st.step = int(facts.stage) - 1
    st.seat = facts.seat
    st.stall = facts.stall
    st.supply = facts.supply
    st.moved[0] = st.moved[1] = st.origin[0] = st.origin[1] = NOWHERE
    for i, (cell, origin) in enumerate(facts.moved[:2]):
        st.moved[i] = cell
        st.origin[i] = NOWHERE if origin is None else origin
    for i in range(ctx.players):
        st.hand[i] = facts.hand[i]
        st.scores[i] = facts.scores[i]
    for seat in facts.resigned:
        st.resigned |= 1 << <int>seat
    standing = [0] * 8
    for i, what in enumerate(facts.cells):
        holds(st)[i] = what
        standing[what] += 1
    for i in range(4):
        allowed = ctx.pioneers if i < ctx.players else 0
        if standing[i + 1] > allowed:
            refuse(f"seat {i} has {standing[i + 1]} pioneers on the board; at most {allowed} are allowed", "TN-3")
    rebuild(ctx, st)
    return position


cdef refuse(message, rule=None):
    raise InvalidPosition("impossible-position", message, rule)


cdef check_pieces(Position position, facts):
    """Refuse more pieces than the box has (TN-2, TN-3)."""
    cdef State *st = position.st()
    cdef int seat
    stones = len(position.stones)
    if stones + st.supply > facts.rules.stones:
        refuse(f"{stones} stones on the board and {st.supply} left; the game has {facts.rules.stones}", "TN-2")
    for seat in range(facts.rules.players):
        total = st.count[seat] + st.hand[seat]
        if total > facts.rules.pioneers:
            refuse(f"seat {seat} has {total} pioneers; the game has {facts.rules.pioneers}", "TN-3")
        if st.scores[seat] + 3 * st.in_play > MAX_SCORE:
            # so that the points that play can still add don't exceed MAX_SCORE
            refuse(f"seat {seat} has {st.scores[seat]} points; at most {MAX_SCORE} minus 3 for each open cell are allowed", "TN-17")


cdef check(Position position, facts):
    """Refuse a position that neither a game nor `compose` can lead to."""
    cdef State *st = position.st()
    check_pieces(position, facts)
    left = [seat for seat in range(facts.rules.players) if seat not in facts.resigned]
    if st.phase == OVER:
        check_end(position, facts, left)
        return
    if len(left) < 2:
        refuse("a game with fewer than two seats left is over", "TN-28")
    if facts.seat not in left:
        refuse(f"seat {facts.seat} has resigned and can't be to move", "TN-28")
    if st.phase == PLACE:
        check_placement(position, facts, left)
        return
    for seat in left:
        if facts.hand[seat]:
            refuse(f"seat {seat} has pioneers in hand, but all pioneers must be placed before the first turn", "TN-5")
    check_turn(position, facts)
    if not (has_action(position.ctx(), st) if st.step else can_move(position.ctx(), st, st.seat)):
        refuse(f"seat {facts.seat} is to move but has no legal action", "TN-9")


cdef check_placement(Position position, facts, left):
    cdef State *st = position.st()
    if st.in_play < position.ctx().cells or facts.supply != facts.rules.stones or any(facts.scores):
        refuse("stones, dead cells or points before all pioneers are placed", "TN-5")
    if facts.moved or facts.stall:
        refuse("a turn is in progress before all pioneers are placed", "TN-5")
    hand = facts.hand[facts.seat]
    for seat in range(facts.rules.players):
        if st.count[seat] + facts.hand[seat] != facts.rules.pioneers:
            refuse(f"seat {seat} must have {facts.rules.pioneers} pioneers, on the board and in hand", "TN-3")
        if seat in left and facts.hand[seat] != hand - (seat < facts.seat):
            refuse("seats place their pioneers in turn, one each", "TN-5")
    if hand == 0:
        refuse(f"seat {facts.seat} has no pioneer left to place", "TN-5")
    if sum([facts.hand[seat] for seat in left]) > facts.cells.count(0):
        refuse("the board has no room for all pioneers", "TN-5")


cdef check_turn(Position position, facts):
    """The facts about pioneers moved this turn must fit the number of actions done (TN-6, TN-12, TN-13)."""
    cdef State *st = position.st()
    cdef Ctx *ctx = position.ctx()
    moved = facts.moved
    cells = [cell for cell, _ in moved]
    origins = [origin for _, origin in moved if origin is not None]
    for cell in cells:
        if facts.cells[cell] != facts.seat + 1:
            refuse(f"{facts.board.cells[cell]} holds no pioneer of seat {facts.seat} moved this turn", "TN-13")
    if cells != sorted(set(cells)) or len(cells) > 2 or len(origins) != len(set(origins)):
        refuse("the pioneers moved this turn must be named once each, in reading order", "TN-13")
    has_stone = facts.stall < 0
    if has_stone and (st.step != 2 or ctx.stall_limit == 0 or len(moved) == 2):
        refuse("a stone can have been placed this turn only as the second action", "TN-27")
    if st.step == 0:
        if moved:
            refuse("a pioneer is marked as moved before the first action", "TN-7")
        return
    if st.step == 1:
        if len(moved) != 1 or len(origins) != 1:
            refuse("after the first action exactly one moved pioneer and its starting cell must be given", "TN-7")
        if not is_path(position, cells[0], origins[0]):
            refuse("no straight line of empty cells leads back to where the pioneer started", "TN-10")
        return
    if ctx.returning == THREE_MOVES:
        if origins and (len(moved) == 2 or has_stone):
            refuse("only a pioneer that made both moves has a starting cell here", "TN-12")
        if len(moved) == 1 and not origins and ctx.stall_limit and not has_stone:
            refuse("the starting cell of the pioneer that made both moves is missing", "TN-12")
    else:
        if len(origins) != len(moved):
            refuse("the starting cell of a pioneer moved this turn is missing", "TN-12")
        if ctx.returning != TURN_END or len(moved) == 2 or has_stone:
            if any([cell == origin for cell, origin in moved]):
                refuse("a pioneer moved this turn stands on its starting cell", "TN-12")
    if not moved and not has_stone and ctx.stall_limit:
        refuse("two actions were made, but neither a moved pioneer nor a stone is given", "TN-7")


cdef bint is_path(Position position, int cell, int origin):
    # whether all cells from the pioneer back to its origin are empty
    cdef Ctx *ctx = position.ctx()
    cdef int d, k
    for d in range(6):
        for k in range(reach(ctx, position.st(), cell, d)):
            if ctx.move[ctx.cell[cell].base[d] + k - 2 * ctx.cells].target == origin:
                return True
    return False


cdef check_end(Position position, facts, left):
    """The reason given must hold (TN-22 to TN-28)."""
    cdef State *st = position.st()
    cdef Ctx *ctx = position.ctx()
    if facts.moved or facts.stall:
        refuse("a turn is in progress, but the game is over", "TN-22")
    if (st.reason == RESIGNED) != (len(left) == 1) or not left:
        refuse("the game ends `resigned` if and only if one seat is left", "TN-28")
    if st.reason == RESIGNED:
        return
    able = sum([can_move(ctx, st, seat) for seat in left])
    empty_handed = [seat for seat in left if st.count[seat] == 0]
    holds_true = {
        DIVIDED: st.in_play == 0,
        BLOCKED: st.in_play > 0 and able < 2,
        DEPLETED: bool(ctx.depletion) and bool(empty_handed) and able > 1,
        STONES: st.supply == 0 and able > 1,
        STALLED: ctx.stall_limit > 0 and able > 1,
    }[st.reason]
    if not holds_true:
        refuse(f"the game has not ended `{facts.stage}`", "TN-23")
    if any([facts.hand[seat] for seat in left]):
        refuse("a seat has pioneers in hand, but all pioneers must be placed before the first turn", "TN-5")
