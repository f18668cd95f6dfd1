# Terra Turrium: the cubes needed to bring flags to heights, as vectorised loops.

from libc.stdint cimport uint8_t

from terrarium.engine.turrium cimport SLOTS

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    #define TT_SLOTS 128
    #define TT_EDGE 16
    #define TT_FAR 60

    /* Cubes to move so that a flag on a slot of height h can climb or descend to height t: ways[h][t - 1], one height a step over
       free cells. The plans are computed backwards, for all slots at once: the cost of the cheapest way from a slot is the price of a neighbour plus
       the cheapest way from there. In C, because compilers vectorise loops of constant size. */
    #ifdef __wasm_simd128__
    #include <wasm_simd128.h>
    /* The same with shifted vectors, which is faster here than storing them and loading them with four offsets. */
    /* sixteen bytes of two vectors, starting at the k-th */
    #define TT_FROM(k, a, b) wasm_i8x16_shuffle(a, b, \
        k, k + 1, k + 2, k + 3, k + 4, k + 5, k + 6, k + 7, k + 8, k + 9, k + 10, k + 11, k + 12, k + 13, k + 14, k + 15)
    #define TT_EACH(i, count) _Pragma("clang loop unroll(full)") for (int i = 0; i < count; i++)
    static inline v128_t tt_price(v128_t height, int level, v128_t is_free, v128_t can_take) {
        v128_t wanted = wasm_i8x16_splat(level), far = wasm_i8x16_splat(TT_FAR);
        v128_t more = wasm_u8x16_sub_sat(wanted, height), less = wasm_u8x16_sub_sat(height, wanted);
        v128_t costly = wasm_i8x16_add(wasm_i8x16_add(less, less), wasm_i8x16_splat(2));
        v128_t cubes = wasm_v128_bitselect(more, wasm_v128_bitselect(less, costly, can_take), wasm_u8x16_le(height, wanted));
        return wasm_v128_bitselect(wasm_u8x16_min(cubes, far), far, is_free);
    }
    /* For areas of `width` slots in a row that fill `count` vectors. */
    #define TT_WAYS(width, count) \
    static inline __attribute__((always_inline)) void tt_step_##width(const v128_t *here, v128_t far, v128_t *next, uint8_t *out) { \
        TT_EACH(i, count) { \
            v128_t before = i ? here[i - 1] : far, after = i < count - 1 ? here[i + 1] : far; \
            v128_t x = wasm_u8x16_min(TT_FROM(16 - width, before, here[i]), TT_FROM(width, here[i], after)); \
            v128_t y = wasm_u8x16_min(TT_FROM(15, before, here[i]), TT_FROM(1, here[i], after)); \
            next[i] = wasm_u8x16_min(x, y); \
            wasm_v128_store(out + 16 * i, next[i]); \
        } \
    } \
    static __attribute__((noinline)) void tt_ways_##width( \
        int low, int top, const uint8_t *height, const uint8_t *is_free, const uint8_t *can_take, uint8_t ways[8][6][TT_SLOTS] \
    ) { \
        v128_t far = wasm_i8x16_splat(TT_FAR), price[6][count], here[count], next[count]; \
        for (int t = 1; t <= 6; t++) TT_EACH(i, count) \
            price[t - 1][i] = tt_price(wasm_v128_load(height + 16 * i), t, wasm_v128_load(is_free + 16 * i), wasm_v128_load(can_take + 16 * i)); \
        for (int t = 1; t <= 6; t++) { \
            TT_EACH(i, count) here[i] = price[t - 1][i]; \
            for (int h = t - 1; h >= low; h--) { \
                tt_step_##width(here, far, next, ways[h][t - 1]); \
                TT_EACH(i, count) here[i] = wasm_u8x16_min(wasm_i8x16_add(price[h - 1][i], next[i]), far); \
            } \
            TT_EACH(i, count) here[i] = price[t - 1][i]; \
            for (int h = t + 1; h <= top; h++) { \
                tt_step_##width(here, far, next, ways[h][t - 1]); \
                if (h < 7) TT_EACH(i, count) here[i] = wasm_u8x16_min(wasm_i8x16_add(price[h - 1][i], next[i]), far); \
            } \
        } \
    }
    TT_WAYS(7, 3)
    TT_WAYS(9, 5)
    TT_WAYS(11, 7)

    static void tt_ways(
        int slots, int width, int low, int top, const uint8_t *height, const uint8_t *is_free,
        const uint8_t *can_take, uint8_t ways[8][6][TT_SLOTS]
    ) {
        if (width == 7) tt_ways_7(low, top, height, is_free, can_take, ways);
        else if (width == 9) tt_ways_9(low, top, height, is_free, can_take, ways);
        else tt_ways_11(low, top, height, is_free, can_take, ways);
    }
    #else
    static inline __attribute__((always_inline)) void tt_ways_of(
        const int slots, int width, int low, int top, const uint8_t *restrict height, const uint8_t *restrict is_free,
        const uint8_t *restrict can_take, uint8_t ways[8][6][TT_SLOTS]
    ) {
        uint8_t price[6][TT_SLOTS], plans[12][TT_EDGE + TT_SLOTS + TT_EDGE];
        memset(plans, TT_FAR, sizeof(plans));
        /* `is_free` and `can_take` are masks. With conditions instead, compilers make a jump for each slot. */
        for (uint8_t level = 1; level <= 6; level++) {
            uint8_t *restrict out = price[level - 1];
            for (int i = 0; i < slots; i++) {
                uint8_t higher = height[i] > level ? height[i] : level, more = higher - height[i], less = higher - level;
                uint8_t is_above = height[i] > level ? 0xFF : 0, costly = less + 2;
                uint8_t cubes = more + less + (costly & is_above & (uint8_t)~can_take[i]);
                cubes = cubes < TT_FAR ? cubes : TT_FAR;
                out[i] = (cubes & is_free[i]) | (TT_FAR & (uint8_t)~is_free[i]);
            }
        }
        for (int t = 1; t <= 6; t++) {
            memcpy(plans[2 * t - 2] + TT_EDGE, price[t - 1], slots);
            memcpy(plans[2 * t - 1] + TT_EDGE, price[t - 1], slots);
        }
        /* All plans are extended in turn, because the next step of a plan has to wait until the last one is stored. */
        for (int away = 1; away <= 6; away++) {
            for (int p = 0; p < 12; p++) {
                int t = p / 2 + 1, h = p & 1 ? t + away : t - away;
                if (p & 1 ? h > top : h < low) continue;
                uint8_t *here = plans[p] + TT_EDGE;
                const uint8_t *a = here - width, *b = here + width, *c = here - 1, *d = here + 1;
                uint8_t *restrict out = ways[h][t - 1];
                for (int i = 0; i < slots; i++) {
                    uint8_t x = a[i] < b[i] ? a[i] : b[i], y = c[i] < d[i] ? c[i] : d[i];
                    out[i] = x < y ? x : y;
                }
                if (h == 7) continue;
                const uint8_t *restrict own = price[h - 1];
                for (int i = 0; i < slots; i++) {
                    uint8_t sum = own[i] + out[i];
                    here[i] = sum < TT_FAR ? sum : TT_FAR;
                }
            }
        }
    }

    static void tt_ways(
        int slots, int width, int low, int top, const uint8_t *height, const uint8_t *is_free,
        const uint8_t *can_take, uint8_t ways[8][6][TT_SLOTS]
    ) {
        if (slots <= 64) tt_ways_of(64, width, low, top, height, is_free, can_take, ways);
        else if (slots <= 96) tt_ways_of(96, width, low, top, height, is_free, can_take, ways);
        else tt_ways_of(TT_SLOTS, width, low, top, height, is_free, can_take, ways);
    }
    #endif

    /* The cheapest assignment of six flags to the six heights: the heights in `mask` belong to the first flags. Unrolled, because
    a loop over masks would spend most of its time on finding the heights in them. */
    #ifdef __wasm_simd128__
    /* Browsers compile the minimum of two floats to a jump, and of two vectors to one instruction. */
    typedef v128_t tt_sum;
    #define TT_NUMBER(x) wasm_f32x4_splat(x)
    #define TT_PLUS(a, b) wasm_f32x4_add(a, b)
    #define TT_LESS(a, b) wasm_f32x4_pmin(b, a)
    #define TT_FLOAT(a) wasm_f32x4_extract_lane(a, 0)
    #else
    typedef float tt_sum;
    #define TT_NUMBER(x) (x)
    #define TT_PLUS(a, b) ((a) + (b))
    #define TT_LESS(a, b) ((a) < (b) ? (a) : (b))
    #define TT_FLOAT(a) (a)
    #endif
    #define TT_LAST(mask, t) (((mask) >> (t)) & 1 ? TT_PLUS(best[(mask) ^ 1 << (t)], TT_NUMBER(row[t])) : TT_NUMBER(1e9f))
    static inline __attribute__((always_inline)) void tt_assign_mask(tt_sum *restrict best, const float price[6][6], const int mask) {
        const float *row = price[__builtin_popcount(mask) - 1];
        tt_sum a = TT_LESS(TT_LAST(mask, 0), TT_LAST(mask, 1)), b = TT_LESS(TT_LAST(mask, 2), TT_LAST(mask, 3));
        tt_sum c = TT_LESS(TT_LAST(mask, 4), TT_LAST(mask, 5));
        a = TT_LESS(a, b);
        best[mask] = TT_LESS(a, c);
    }

    static float tt_assign(const float price[6][6]) {
        tt_sum best[64];
        best[0] = TT_NUMBER(0.0f);
        #pragma GCC unroll 64
        for (int mask = 1; mask < 64; mask++) tt_assign_mask(best, price, mask);
        return TT_FLOAT(best[63]);
    }
    """
    float cheapest "tt_assign"(const float (*price)[6]) noexcept nogil
    void find_ways "tt_ways"(
        int slots, int width, int low, int top, const uint8_t *height, const uint8_t *is_free,
        const uint8_t *can_take, uint8_t (*ways)[6][SLOTS]
    ) noexcept nogil
