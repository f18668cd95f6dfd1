# Part of kernel.pyx: constructions, towers, edges that can be climbed, exterior constructions (TT-7, TT-10).


cdef inline bint can_climb(int a, int b) noexcept nogil:
    """Whether a flag can step between two heights (TT-10)."""
    return a > 0 and b > 0 and <unsigned int>(a - b + 1) <= 2

cdef inline void put_bit(Cells *cells, int i, bint on) noexcept nogil:
    cells[0] = (cells[0] & ~bit(i)) | (bit(i) if on else 0)

cdef inline void refresh_climbs(State *st, int i) noexcept nogil:
    cdef const uint16_t *h = &st.heights[CELL + i]
    put_bit(&st.climb_v, i, can_climb(h[0], (h - 10)[0]))
    put_bit(&st.climb_v, i + 10, can_climb(h[0], h[10]))
    put_bit(&st.climb_h, i, can_climb(h[0], (h - 1)[0]))
    put_bit(&st.climb_h, i + 1, can_climb(h[0], h[1]))
    st.climb_h &= NOT_A

cdef inline Cells around(Cells cells) noexcept nogil:
    return (cells << 10) | (cells >> 10) | ((cells << 1) & NOT_A) | ((cells >> 1) & NOT_J)

cdef Cells path_exterior(const Ctx *ctx, const State *st) noexcept nogil:
    """Constructions from which a path over empty cells leads to the edge (TT-7, option `path`)."""
    cdef Cells empty = ctx.used & ~st.built
    cdef Cells reached = empty & ctx.edge
    cdef Cells grown = reached
    cdef Cells beside
    while True:
        beside = around(grown)
        grown = reached | (beside & empty)
        if grown == reached:
            return st.built & (beside | ctx.edge)
        reached = grown

cdef void refresh_exterior(const Ctx *ctx, State *st, int i) noexcept nogil:
    """Update the exterior constructions after one was built or removed; only its row and its column can change."""
    if ctx.is_path:
        st.open_rows = path_exterior(ctx, st)
        st.open_columns = 0
        return
    cdef int column = i % 10
    cdef int shift = i - column
    cdef unsigned int row = <unsigned int>word_from(st.built, shift) & 1023
    cdef Cells line = st.built & COLUMN[column]
    st.open_rows &= ~shifted(1023, shift)
    if row:
        row = (row & -row) | (<unsigned int>1 << last(row))
        st.open_rows |= shifted(row, shift)
    st.open_columns &= ~COLUMN[column]
    if line:
        st.open_columns |= bit(first(line)) | bit(last(line))

cdef inline int level(int height) noexcept nogil:
    return height if height < 7 else 7

cdef inline void add_cube(const Ctx *ctx, State *st, int i) noexcept nogil:
    cdef int height = st.heights[CELL + i]
    st.levels[level(height)] &= ~bit(i)
    st.levels[level(height + 1)] |= bit(i)
    st.heights[CELL + i] = <uint16_t>(height + 1)
    st.board_key += CUBE_KEY[i]
    if height == 0:
        st.built |= bit(i)
        refresh_exterior(ctx, st, i)
    refresh_climbs(st, i)

cdef inline void remove_cube(const Ctx *ctx, State *st, int i) noexcept nogil:
    cdef int height = st.heights[CELL + i]
    st.levels[level(height)] &= ~bit(i)
    st.levels[level(height - 1)] |= bit(i)
    st.heights[CELL + i] = <uint16_t>(height - 1)
    st.board_key -= CUBE_KEY[i]
    if height == 1:
        st.built &= ~bit(i)
        refresh_exterior(ctx, st, i)
    refresh_climbs(st, i)

cdef inline void add_flag(State *st, int seat, int i) noexcept nogil:
    st.flags[seat] |= bit(i)
    st.towers |= bit(i)
    st.board_key += FLAG_KEY[seat][i]

cdef inline void remove_flag(State *st, int seat, int i) noexcept nogil:
    st.flags[seat] &= ~bit(i)
    st.towers &= ~bit(i)
    st.board_key -= FLAG_KEY[seat][i]

cdef void refresh(const Ctx *ctx, State *st) noexcept nogil:
    """Derive everything that follows from heights and flags from scratch."""
    cdef int i, seat
    st.built = st.towers = st.climb_v = st.climb_h = st.open_rows = st.open_columns = 0
    st.board_key = 0
    memset(st.levels, 0, sizeof(st.levels))
    for i in range(100):
        st.levels[level(st.heights[CELL + i])] |= bit(i)
        if st.heights[CELL + i]:
            st.built |= bit(i)
            st.board_key += CUBE_KEY[i] * st.heights[CELL + i]
        for seat in range(4):
            if st.flags[seat] & bit(i):
                st.towers |= bit(i)
                st.board_key += FLAG_KEY[seat][i]
    for i in range(100):
        refresh_climbs(st, i)
        refresh_exterior(ctx, st, i)
