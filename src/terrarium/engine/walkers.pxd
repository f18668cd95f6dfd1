# Terra Nova: steps of the walkers and the values computed from them, as vectorised loops. Values are by cell, by place or by site: see land.pxd.

from libc.stdint cimport uint8_t, uint16_t

from terrarium.engine.land cimport FIELDS, MOST_CELLS

cdef extern from *:
    """
    #include <math.h>
    #include <stdint.h>
    #ifdef __wasm_simd128__
    #include <wasm_simd128.h>
    /* The high halves of the products of eight sums with 9363. WebAssembly has no instruction for this, and compilers use ten others. It can
    multiply signed numbers in pairs; here one of each pair is multiplied by 0: (sum - 32768) * 9363 + 32768 * 9363. */
    #define NOVA_SEVENTHS_CONSTANTS \
        v128_t sign = wasm_i16x8_splat(-32768), even = wasm_i32x4_splat(9363), odd = wasm_i32x4_splat(9363 << 16), \
            half = wasm_i32x4_splat(32768 * 9363); \
        /* keep them in registers: otherwise the compiler creates them again for every sum */ \
        __asm__("" : "+r"(sign), "+r"(even), "+r"(odd), "+r"(half))
    #define NOVA_HIDE(pointer) __asm__("" : "+r"(pointer))
    #define NOVA_SEVENTHS(sum) nova_sevenths(sum, sign, even, odd, half)
    static inline v128_t nova_sevenths(v128_t sum, v128_t sign, v128_t even, v128_t odd, v128_t half) {
        v128_t less = wasm_v128_xor(sum, sign);
        v128_t low = wasm_u32x4_shr(wasm_i32x4_add(wasm_i32x4_dot_i16x8(less, even), half), 16);
        v128_t high = wasm_i32x4_add(wasm_i32x4_dot_i16x8(less, odd), half);
        return wasm_i16x8_shuffle(low, high, 0, 9, 2, 11, 4, 13, 6, 15);
    }
    #endif
    /* Not inlined, because browsers run out of registers in large functions. */
    #define NOVA_APART __attribute__((noinline))
    /* In C because of `restrict`: without it the compiler can't add sixteen fields at once. */
    static NOVA_APART void nova_step(
        int cells, int fields, const uint8_t *is_open, const uint16_t (*around)[6],
        const uint16_t (*restrict source)[16], uint16_t (*restrict target)[16]
    ) {
    #ifdef __wasm_simd128__
        NOVA_SEVENTHS_CONSTANTS;
    #endif
        for (int c = 0; c < cells; c++) {
            if (!is_open[c]) continue;
            const uint16_t *own = source[c], *a = source[around[c][0]], *b = source[around[c][1]],
                *d = source[around[c][2]], *e = source[around[c][3]], *f = source[around[c][4]],
                *g = source[around[c][5]];
            uint16_t *restrict out = target[c];
            /* the sum of seven fits in 16 bits; division by 7 is the high half of a product */
    #ifdef __wasm_simd128__
            for (int k = 0; k < fields; k += 8) {
                v128_t sum = wasm_i16x8_add(wasm_v128_load(own + k), wasm_v128_load(a + k));
                sum = wasm_i16x8_add(sum, wasm_i16x8_add(wasm_v128_load(b + k), wasm_v128_load(d + k)));
                sum = wasm_i16x8_add(sum, wasm_i16x8_add(wasm_v128_load(e + k), wasm_v128_load(f + k)));
                sum = wasm_i16x8_add(sum, wasm_v128_load(g + k));
                wasm_v128_store(out + k, NOVA_SEVENTHS(sum));
            }
    #else
            for (int k = 0; k < 16; k++) {
                uint16_t sum = own[k] + a[k] + b[k] + d[k] + e[k] + f[k] + g[k];
                out[k] = (uint16_t)(((uint32_t)sum * 9363u) >> 16);
            }
    #endif
        }
    }
    /* The same for the pioneers of one seat, by site: the neighbours of a site are at three distances on both sides. */
    static NOVA_APART void nova_seat_step(
        int sites, int stride, const uint16_t *restrict stays, const uint16_t *restrict is_open,
        const uint16_t *restrict source, uint16_t *restrict target
    ) {
        const uint16_t *above = source - stride - 1, *left = source - 1, *below = source + stride;
    #ifdef __wasm_simd128__
        /* Sixteen sites at a time (`sites` is a multiple of 16), at constant distances from a few pointers. NOVA_HIDE prevents the compiler from
           using a separate instruction for every address. */
        NOVA_SEVENTHS_CONSTANTS;
        #define NOVA_SEAT_STEP(i) do { \
            v128_t sum = wasm_i16x8_mul(wasm_v128_load(left + i + 1), wasm_v128_load(stays + i)); \
            v128_t beside = wasm_i16x8_add(wasm_v128_load(left + i), wasm_v128_load(left + i + 2)); \
            v128_t over = wasm_i16x8_add(wasm_v128_load(above + i), wasm_v128_load(above + i + 1)); \
            v128_t under = wasm_i16x8_add(wasm_v128_load(below + i), wasm_v128_load(below + i + 1)); \
            sum = wasm_i16x8_add(wasm_i16x8_add(sum, beside), wasm_i16x8_add(over, under)); \
            wasm_v128_store(target + i, wasm_v128_and(NOVA_SEVENTHS(sum), wasm_v128_load(is_open + i))); \
        } while (0)
        for (const uint16_t *end = target + sites; target < end; target += 16) {
            NOVA_SEAT_STEP(0);
            NOVA_SEAT_STEP(8);
            above += 16; left += 16; below += 16; stays += 16; is_open += 16;
            NOVA_HIDE(above); NOVA_HIDE(left); NOVA_HIDE(below); NOVA_HIDE(stays); NOVA_HIDE(is_open); NOVA_HIDE(target);
        }
    #else
        for (long i = 0; i < sites; i++) {
            uint16_t sum = source[i] * stays[i] + left[i] + left[i + 2] + above[i] + above[i + 1] + below[i] + below[i + 1];
            target[i] = (uint16_t)(((uint32_t)sum * 9363u) >> 16) & is_open[i];
        }
    #endif
    }

    /* The sum of squares of the walkers of all landscapes on a cell. */
    static inline uint32_t nova_squares(const uint16_t *walkers, int landscapes) {
    #ifdef __wasm_simd128__
        v128_t some = wasm_v128_load(walkers), sums = wasm_i32x4_dot_i16x8(some, some);
        if (landscapes > 8) {
            v128_t others = wasm_v128_load64_zero(walkers + 8);
            sums = wasm_i32x4_add(sums, wasm_i32x4_dot_i16x8(others, others));
        }
        sums = wasm_i32x4_add(sums, wasm_i32x4_shuffle(sums, sums, 2, 3, 0, 1));
        return wasm_i32x4_extract_lane(sums, 0) + wasm_i32x4_extract_lane(sums, 1);
    #else
        uint32_t total = 0;
        for (int k = 0; k < 12; k++) total += (uint32_t)walkers[k] * walkers[k];
        return total;
    #endif
    }

    /* `squash` of brain.pxd in single precision: a vector holds twice as many values */
    #define NOVA_SQUASH(x) (0.5f + 0.5f * (x) / sqrtf(1.0f + (x) * (x)))

    /* The number of a seat's pioneers near each place, and farther around it. */
    static NOVA_APART void nova_gather(
        int count, int sites, const uint16_t *restrict site_of, const uint16_t *restrict near, const uint16_t *restrict far,
        float *restrict near_out, float *restrict far_out
    ) {
    #ifdef __wasm_simd128__
        /* both in one word, so that each place is looked up once */
        uint32_t words[64 * 30], found[1024 + 4];
        for (int i = 0; i < sites; i += 8) {
            v128_t a = wasm_v128_load(near + i), b = wasm_v128_load(far + i);
            wasm_v128_store(words + i, wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11));
            wasm_v128_store(words + i + 4, wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15));
        }
        uint32_t *to = found;
        const uint16_t *from = site_of;
        for (int i = 0; i < count; i += 4) {
            to[0] = words[from[0]]; to[1] = words[from[1]]; to[2] = words[from[2]]; to[3] = words[from[3]];
            to += 4; from += 4;
            NOVA_HIDE(to); NOVA_HIDE(from);
        }
        v128_t part = wasm_f32x4_splat((float)(1.0 / 9362)), low = wasm_i32x4_splat(0xFFFF);
        for (int i = 0; i < count; i += 4) {
            v128_t both = wasm_v128_load(found + i);
            wasm_v128_store(near_out + i, wasm_f32x4_mul(wasm_f32x4_convert_i32x4(wasm_v128_and(both, low)), part));
            wasm_v128_store(far_out + i, wasm_f32x4_mul(wasm_f32x4_convert_i32x4(wasm_u32x4_shr(both, 16)), part));
        }
    #else
        uint16_t found[1025];
        for (long i = 0; i < count; i++) found[i] = near[site_of[i]];
        for (long i = 0; i < count; i++) near_out[i] = found[i] * (float)(1.0 / 9362);
        for (long i = 0; i < count; i++) found[i] = far[site_of[i]];
        for (long i = 0; i < count; i++) far_out[i] = found[i] * (float)(1.0 / 9362);
    #endif
    }

    static inline __attribute__((always_inline)) void nova_weigh(
        const int players, int count, float most, float nobody, float crowd_pay, float open_pay,
        const float *restrict pay_before, const float *restrict size_pay, const float *restrict grounds_pay,
        const float *restrict near_lead, const float *restrict far_lead, const float *restrict count_lead,
        const float (*restrict region_lead)[1025],
        const float (*restrict near)[1025], const float (*restrict far)[1025],
        float *restrict pay, float (*restrict lead)[1025]
    ) {
        float near_weight[1025], far_weight[1025];
        for (long i = 0; i < count; i++) {
            float crowd = 0;
            for (int s = 0; s < players; s++) crowd += far[s][i];
            float z = pay_before[i] + crowd_pay * crowd + open_pay;
            if (players > 2) z = z + size_pay[i] + grounds_pay[i];
            pay[i] = most * NOVA_SQUASH(z);
        }
        for (long i = 0; i < count; i++) {
            float near_sum = nobody, far_sum = nobody;
            for (int s = 0; s < players; s++) {
                near_sum += near[s][i];
                far_sum += far[s][i];
            }
            near_weight[i] = near_lead[i] / near_sum;
            far_weight[i] = far_lead[i] / far_sum + 10.0f * count_lead[i];
        }
        if (players == 2) {
            for (long i = 0; i < count; i++) {
                float x = near_weight[i] * (near[0][i] - near[1][i]) + far_weight[i] * (far[0][i] - far[1][i]);
                lead[0][i] = NOVA_SQUASH(x);
                lead[1][i] = 1 - lead[0][i];
            }
            return;
        }
        for (int s = 0; s < players; s++) {
            for (long i = 0; i < count; i++) {
                float best_near = 0, best_far = 0;
                for (int o = 1; o < players; o++) {
                    float there = near[(s + o) % players][i], farther = far[(s + o) % players][i];
                    best_near = there > best_near ? there : best_near;
                    best_far = farther > best_far ? farther : best_far;
                }
                float x = near_weight[i] * (near[s][i] - best_near) + far_weight[i] * (far[s][i] - best_far)
                    + region_lead[s][i];
                lead[s][i] = NOVA_SQUASH(x);
            }
        }
        for (long i = 0; i < count; i++) {
            float total = 0;
            for (int s = 0; s < players; s++) total += lead[s][i];
            for (int s = 0; s < players; s++) lead[s][i] /= total;
        }
    }

    #define NOVA_WEIGH(players) nova_weigh(players, count, most, nobody, crowd_pay, open_pay, pay_before, size_pay, \
        grounds_pay, near_lead, far_lead, count_lead, region_lead, near, far, pay, lead)

    static NOVA_APART void nova_weigh_cells(
        int players, int count, float most, float nobody, float crowd_pay, float open_pay,
        const float *pay_before, const float *size_pay, const float *grounds_pay,
        const float *near_lead, const float *far_lead, const float *count_lead,
        const float (*region_lead)[1025],
        const float (*near)[1025], const float (*far)[1025], float *pay, float (*lead)[1025]
    ) {
        if (players == 2) NOVA_WEIGH(2);
        else if (players == 3) NOVA_WEIGH(3);
        else NOVA_WEIGH(4);
    }

    /* Adds to the points of each seat its expected points from all places, and returns the expected points of all places. */
    #ifdef __wasm_simd128__
    /* A vector holds the sums of all seats, so that they need not be stored after every place. */
    static inline __attribute__((always_inline)) float nova_add_pay_of(
        const int players, int count, const float *restrict pay, const float (*restrict lead)[1025], float *restrict points
    ) {
        const float *one = lead[0], *two = lead[1], *three = lead[2], *four = lead[3], *end = pay + count;
        float total = 0, sums[4] = {0};
        for (int s = 0; s < players; s++) sums[s] = points[s];
        v128_t all = wasm_v128_load(sums);
        for (; pay < end; pay++, one++, two++, three++, four++) {
            v128_t leads = wasm_v128_load32_lane(two, wasm_v128_load32_zero(one), 1);
            if (players > 2) leads = wasm_v128_load32_lane(three, leads, 2);
            if (players > 3) leads = wasm_v128_load32_lane(four, leads, 3);
            all = wasm_f32x4_add(all, wasm_f32x4_mul(wasm_v128_load32_splat(pay), leads));
            total += *pay;
        }
        wasm_v128_store(sums, all);
        for (int s = 0; s < players; s++) points[s] = sums[s];
        return total;
    }

    #else
    static inline __attribute__((always_inline)) float nova_add_pay_of(
        const int players, int count, const float *restrict pay, const float (*restrict lead)[1025], float *restrict points
    ) {
        float total = 0, sums[4] = {0};
        for (int s = 0; s < players; s++) sums[s] = points[s];
        for (int i = 0; i < count; i++) {
            total += pay[i];
            for (int s = 0; s < players; s++) sums[s] += pay[i] * lead[s][i];
        }
        for (int s = 0; s < players; s++) points[s] = sums[s];
        return total;
    }
    #endif

    // The number of players is a constant in each call, which keeps the sums in registers.
    static NOVA_APART float nova_add_pay(int players, int count, const float *pay, const float (*lead)[1025], float *points) {
        if (players == 2) return nova_add_pay_of(2, count, pay, lead, points);
        if (players == 3) return nova_add_pay_of(3, count, pay, lead, points);
        return nova_add_pay_of(4, count, pay, lead, points);
    }
    """
    float nova_add_pay(int players, int count, const float *pay, const float (*lead)[MOST_CELLS], float *points) noexcept nogil
    void nova_seat_step(
        int sites, int stride, const uint16_t *stays, const uint16_t *is_open, const uint16_t *source, uint16_t *target
    ) noexcept nogil
    void nova_gather(
        int count, int sites, const uint16_t *site_of, const uint16_t *near, const uint16_t *far, float *near_out, float *far_out
    ) noexcept nogil
    void nova_weigh_cells(
        int players, int count, float most, float nobody, float crowd_pay, float open_pay,
        const float *pay_before, const float *size_pay, const float *grounds_pay,
        const float *near_lead, const float *far_lead, const float *count_lead,
        const float (*region_lead)[MOST_CELLS],
        const float (*near)[MOST_CELLS], const float (*far)[MOST_CELLS], float *pay, float (*lead)[MOST_CELLS]
    ) noexcept nogil
    unsigned int nova_squares(const uint16_t *walkers, int landscapes) noexcept nogil
    void nova_step(
        int cells, int fields, const uint8_t *is_open, const uint16_t (*around)[6],
        const uint16_t (*source)[FIELDS], uint16_t (*target)[FIELDS]
    ) noexcept nogil
