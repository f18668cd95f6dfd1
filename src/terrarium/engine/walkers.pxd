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
    /* The same for sums below 32768. */
    static inline v128_t nova_small_sevenths(v128_t sum, v128_t even, v128_t odd) {
        v128_t low = wasm_u32x4_shr(wasm_i32x4_dot_i16x8(sum, even), 16), high = wasm_i32x4_dot_i16x8(sum, odd);
        return wasm_i16x8_shuffle(low, high, 0, 9, 2, 11, 4, 13, 6, 15);
    }
    #endif
    /* Not inlined, because browsers run out of registers in large functions. */
    #define NOVA_APART __attribute__((noinline))
    /* In C because of `restrict`: without it the compiler can't add sixteen fields at once. */
    static inline __attribute__((always_inline)) void nova_step_of(
        int cells, const int fields, const uint8_t *is_open, const uint16_t (*around)[6],
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
    /* The number of fields is a constant in each call; most boards need one vector for each cell. */
    static NOVA_APART void nova_step(
        int cells, int fields, const uint8_t *is_open, const uint16_t (*around)[6],
        const uint16_t (*source)[16], uint16_t (*target)[16]
    ) {
        if (fields == 8) nova_step_of(cells, 8, is_open, around, source, target);
        else nova_step_of(cells, 16, is_open, around, source, target);
    }
    /* The same for the pioneers of one seat, by site: the neighbours of a site are at three distances on both sides. */
    static NOVA_APART void nova_seat_step(
        int sites, int stride, const uint16_t *restrict stays, const uint16_t *restrict is_open,
        const uint16_t *restrict source, uint16_t *restrict target
    ) {
        const uint16_t *above = source - stride - 1, *left = source - 1, *below = source + stride;
        for (long i = 0; i < sites; i++) {
            uint16_t sum = source[i] * stays[i] + left[i] + left[i + 2] + above[i] + above[i + 1] + below[i] + below[i + 1];
            target[i] = (uint16_t)(((uint32_t)sum * 9363u) >> 16) & is_open[i];
        }
    }
    #ifdef __wasm_simd128__
    /* The same for a stride of 15, with `stays` minus 2. A site and its six neighbours form two parallelograms of four sites, which share the
       site and are 16 sites (two vectors) apart. So the sum of each parallelogram is computed once and kept in a register until it is used
       again. 32 sites at a time (`sites` is a multiple of 32), at constant distances from a few pointers. NOVA_HIDE prevents the compiler from
       using a separate instruction for every address.
       If no value in `source` is above NOVA_SMALL, sums fit in 15 bits and their sign need not be changed. Returns whether none in `target` is. */
    #define NOVA_STRIDE 15
    #define NOVA_SITES 32
    #define NOVA_SMALL 4681
    #define NOVA_PAIR(at) wasm_i16x8_add(wasm_v128_load(at), wasm_v128_load((at) + 1))
    static inline __attribute__((always_inline)) int nova_seat_step_by_16(
        const int is_small, int sites, const uint16_t *stays, const uint16_t *is_open, const uint16_t *source, uint16_t *target
    ) {
        NOVA_SEVENTHS_CONSTANTS;
        v128_t most = wasm_i16x8_splat(0), own_a = wasm_v128_load(source), own_b = wasm_v128_load(source + 8);
        v128_t before_a = wasm_i16x8_add(NOVA_PAIR(source - 16), NOVA_PAIR(source - 1)), half_a = NOVA_PAIR(source);
        v128_t before_b = wasm_i16x8_add(NOVA_PAIR(source - 8), NOVA_PAIR(source + 7)), half_b = NOVA_PAIR(source + 8);
        #define NOVA_SEAT_STEP(i, before, half_sum, own) do { \
            v128_t next = wasm_v128_load(source + i + 16); \
            v128_t four = wasm_i16x8_add(half_sum, wasm_i16x8_add(wasm_v128_load(source + i + 15), next)); \
            v128_t sum = wasm_i16x8_add(wasm_i16x8_add(wasm_i16x8_mul(own, wasm_v128_load(stays + i)), before), four); \
            v128_t found = wasm_v128_and(is_small ? nova_small_sevenths(sum, even, odd) : NOVA_SEVENTHS(sum), wasm_v128_load(is_open + i)); \
            if (!is_small) most = wasm_u16x8_max(most, found); \
            wasm_v128_store(target + i, found); \
            own = next; \
            before = four; \
            half_sum = wasm_i16x8_add(next, wasm_v128_load(source + i + 17)); \
        } while (0)
        for (const uint16_t *end = target + sites; target < end; target += 32) {
            NOVA_SEAT_STEP(0, before_a, half_a, own_a);
            NOVA_SEAT_STEP(8, before_b, half_b, own_b);
            NOVA_SEAT_STEP(16, before_a, half_a, own_a);
            NOVA_SEAT_STEP(24, before_b, half_b, own_b);
            source += 32; stays += 32; is_open += 32;
            NOVA_HIDE(source); NOVA_HIDE(stays); NOVA_HIDE(is_open); NOVA_HIDE(target);
        }
        return is_small || !wasm_v128_any_true(wasm_u16x8_gt(most, wasm_i16x8_splat(NOVA_SMALL)));
    }
    static NOVA_APART int nova_any_step(int sites, const uint16_t *stays, const uint16_t *is_open, const uint16_t *source, uint16_t *target) {
        return nova_seat_step_by_16(0, sites, stays, is_open, source, target);
    }
    static NOVA_APART void nova_small_step(int sites, const uint16_t *stays, const uint16_t *is_open, const uint16_t *source, uint16_t *target) {
        nova_seat_step_by_16(1, sites, stays, is_open, source, target);
    }
    #else
    /* Native code has wider vectors and uses the loop above. */
    #define NOVA_STRIDE 0
    #define NOVA_SITES 16
    #endif

    /* All steps of one seat's pioneers, which are in `far`: three steps to `near`, then five to `far`. */
    static void nova_walk_seat(
        int sites, int stride, const uint16_t *stays, const uint16_t *is_open, uint16_t *near, uint16_t *far, uint16_t *one, uint16_t *two
    ) {
        uint16_t *stations[9] = {far, one, two, near, one, two, one, two, far};
        int step = 0;
    #ifdef __wasm_simd128__
        if (stride == NOVA_STRIDE) {
            int is_small = 0;
            for (; step < 8 && !is_small; step++)
                is_small = nova_any_step(sites, stays, is_open, stations[step], stations[step + 1]);
            for (; step < 8; step++) nova_small_step(sites, stays, is_open, stations[step], stations[step + 1]);
        }
    #endif
        for (; step < 8; step++) nova_seat_step(sites, stride, stays, is_open, stations[step], stations[step + 1]);
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

    /* Whether the walkers of this many players are looked up by `nova_weigh_cells`, not by `nova_gather`. */
    #ifdef __wasm_simd128__
    #define NOVA_GATHERS_LATER(players) ((players) == 2)
    #else
    #define NOVA_GATHERS_LATER(players) 0
    #endif

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

    #ifdef __wasm_simd128__
    /* `nova_gather`, `nova_weigh` and `nova_add_pay_of` in one loop for two players. Each sum waits for the one before it; lookups and divisions of the
       next places run in the meantime. */
    static inline __attribute__((always_inline)) v128_t nova_squash4(v128_t x) {
        v128_t half = wasm_f32x4_splat(0.5f), one = wasm_f32x4_splat(1.0f);
        v128_t root = wasm_f32x4_sqrt(wasm_f32x4_add(one, wasm_f32x4_mul(x, x)));
        return wasm_f32x4_add(half, wasm_f32x4_div(wasm_f32x4_mul(half, x), root));
    }
    static NOVA_APART float nova_weigh_two(
        int count, int sites, const uint16_t *site_of, uint16_t *const *walkers_near, uint16_t *const *walkers_far,
        float most, float nobody, float crowd_pay, float open_pay, const float *pay_before,
        const float *near_lead, const float *far_lead, const float *count_lead,
        float (*far)[1025], float *pay, float (*lead)[1025], float *points
    ) {
        /* the four values of a site in one word: one lookup for each place */
        uint64_t words[64 * 30];
        for (int i = 0; i < sites; i += 8) {
            v128_t a = wasm_v128_load(walkers_near[0] + i), b = wasm_v128_load(walkers_far[0] + i);
            v128_t c = wasm_v128_load(walkers_near[1] + i), d = wasm_v128_load(walkers_far[1] + i);
            v128_t one = wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11), two = wasm_i16x8_shuffle(c, d, 0, 8, 1, 9, 2, 10, 3, 11);
            wasm_v128_store(words + i, wasm_i32x4_shuffle(one, two, 0, 4, 1, 5));
            wasm_v128_store(words + i + 2, wasm_i32x4_shuffle(one, two, 2, 6, 3, 7));
            one = wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
            two = wasm_i16x8_shuffle(c, d, 4, 12, 5, 13, 6, 14, 7, 15);
            wasm_v128_store(words + i + 4, wasm_i32x4_shuffle(one, two, 0, 4, 1, 5));
            wasm_v128_store(words + i + 6, wasm_i32x4_shuffle(one, two, 2, 6, 3, 7));
        }
        v128_t part = wasm_f32x4_splat((float)(1.0 / 9362)), low = wasm_i32x4_splat(0xFFFF);
        v128_t sums = wasm_f32x4_make(points[0], points[1], 0, 0);
        for (int i = 0; i < count; i += 4) {
            v128_t a = wasm_v128_load64_lane(words + site_of[i + 1], wasm_v128_load64_zero(words + site_of[i]), 1);
            v128_t b = wasm_v128_load64_lane(words + site_of[i + 3], wasm_v128_load64_zero(words + site_of[i + 2]), 1);
            v128_t first = wasm_i32x4_shuffle(a, b, 0, 2, 4, 6), second = wasm_i32x4_shuffle(a, b, 1, 3, 5, 7);
            v128_t near_one = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(wasm_v128_and(first, low)), part);
            v128_t far_one = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(wasm_u32x4_shr(first, 16)), part);
            v128_t near_two = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(wasm_v128_and(second, low)), part);
            v128_t far_two = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(wasm_u32x4_shr(second, 16)), part);
            wasm_v128_store(far[0] + i, far_one);
            wasm_v128_store(far[1] + i, far_two);
            v128_t crowd = wasm_f32x4_mul(wasm_f32x4_splat(crowd_pay), wasm_f32x4_add(far_one, far_two));
            v128_t z = wasm_f32x4_add(wasm_f32x4_add(wasm_v128_load(pay_before + i), crowd), wasm_f32x4_splat(open_pay));
            v128_t pays = wasm_f32x4_mul(wasm_f32x4_splat(most), nova_squash4(z));
            v128_t near_sum = wasm_f32x4_add(wasm_f32x4_add(wasm_f32x4_splat(nobody), near_one), near_two);
            v128_t far_sum = wasm_f32x4_add(wasm_f32x4_add(wasm_f32x4_splat(nobody), far_one), far_two);
            v128_t near_weight = wasm_f32x4_div(wasm_v128_load(near_lead + i), near_sum);
            v128_t far_weight = wasm_f32x4_add(
                wasm_f32x4_div(wasm_v128_load(far_lead + i), far_sum),
                wasm_f32x4_mul(wasm_f32x4_splat(10.0f), wasm_v128_load(count_lead + i))
            );
            v128_t one = nova_squash4(wasm_f32x4_add(
                wasm_f32x4_mul(near_weight, wasm_f32x4_sub(near_one, near_two)),
                wasm_f32x4_mul(far_weight, wasm_f32x4_sub(far_one, far_two))
            ));
            v128_t two = wasm_f32x4_sub(wasm_f32x4_splat(1.0f), one);
            wasm_v128_store(pay + i, pays);
            wasm_v128_store(lead[0] + i, one);
            wasm_v128_store(lead[1] + i, two);
            v128_t to_one = wasm_f32x4_mul(pays, one), to_two = wasm_f32x4_mul(pays, two);
            v128_t both = wasm_i32x4_shuffle(to_one, to_two, 0, 4, 1, 5), paid = wasm_i32x4_shuffle(pays, pays, 0, 0, 1, 1);
            sums = wasm_f32x4_add(sums, wasm_i64x2_shuffle(both, paid, 0, 2));
            if (i + 1 < count) sums = wasm_f32x4_add(sums, wasm_i64x2_shuffle(both, paid, 1, 3));
            both = wasm_i32x4_shuffle(to_one, to_two, 2, 6, 3, 7);
            paid = wasm_i32x4_shuffle(pays, pays, 2, 2, 3, 3);
            if (i + 2 < count) sums = wasm_f32x4_add(sums, wasm_i64x2_shuffle(both, paid, 0, 2));
            if (i + 3 < count) sums = wasm_f32x4_add(sums, wasm_i64x2_shuffle(both, paid, 1, 3));
        }
        points[0] = wasm_f32x4_extract_lane(sums, 0);
        points[1] = wasm_f32x4_extract_lane(sums, 1);
        return wasm_f32x4_extract_lane(sums, 2);
    }
    #endif

    /* Computes the expected points and shares of each place, adds them to the points of each seat, and returns the expected points of all places. */
    #define NOVA_WEIGH(players) do { \
            nova_weigh(players, count, most, nobody, crowd_pay, open_pay, pay_before, size_pay, \
                grounds_pay, near_lead, far_lead, count_lead, region_lead, near, far, pay, lead); \
            return nova_add_pay_of(players, count, pay, lead, points); \
        } while (0)
    // The number of players is a constant in each call, which keeps the sums in registers.
    static NOVA_APART float nova_weigh_cells(
        int players, int count, int sites, const uint16_t *site_of, uint16_t *const *walkers_near, uint16_t *const *walkers_far,
        float most, float nobody, float crowd_pay, float open_pay,
        const float *pay_before, const float *size_pay, const float *grounds_pay,
        const float *near_lead, const float *far_lead, const float *count_lead,
        const float (*region_lead)[1025], const float (*near)[1025], float (*far)[1025], float *pay, float (*lead)[1025], float *points
    ) {
    #ifdef __wasm_simd128__
        if (players == 2)
            return nova_weigh_two(
                count, sites, site_of, walkers_near, walkers_far, most, nobody, crowd_pay, open_pay, pay_before, near_lead, far_lead,
                count_lead, far, pay, lead, points
            );
    #endif
        if (players == 2) NOVA_WEIGH(2);
        else if (players == 3) NOVA_WEIGH(3);
        else NOVA_WEIGH(4);
    }
    """
    int NOVA_STRIDE         # the stride that has a faster version of `nova_seat_step`; 0 if none has
    int NOVA_SITES          # the number of sites must be a multiple of this
    void nova_walk_seat(
        int sites, int stride, const uint16_t *stays, const uint16_t *is_open, uint16_t *near, uint16_t *far, uint16_t *one, uint16_t *two
    ) noexcept nogil
    bint NOVA_GATHERS_LATER(int players) nogil
    void nova_gather(
        int count, int sites, const uint16_t *site_of, const uint16_t *near, const uint16_t *far, float *near_out, float *far_out
    ) noexcept nogil
    float nova_weigh_cells(
        int players, int count, int sites, const uint16_t *site_of, uint16_t **walkers_near, uint16_t **walkers_far,
        float most, float nobody, float crowd_pay, float open_pay,
        const float *pay_before, const float *size_pay, const float *grounds_pay,
        const float *near_lead, const float *far_lead, const float *count_lead,
        const float (*region_lead)[MOST_CELLS], const float (*near)[MOST_CELLS], float (*far)[MOST_CELLS], float *pay, float (*lead)[MOST_CELLS],
        float *points
    ) noexcept nogil
    unsigned int nova_squares(const uint16_t *walkers, int landscapes) noexcept nogil
    void nova_step(
        int cells, int fields, const uint8_t *is_open, const uint16_t (*around)[6],
        const uint16_t (*source)[FIELDS], uint16_t (*target)[FIELDS]
    ) noexcept nogil
