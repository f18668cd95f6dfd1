/* memcpy, memmove and memset as part of each WebAssembly module. Browsers carry out the instructions memory.copy and memory.fill by a
   call out of WebAssembly, which costs more than the few hundred bytes of a position are worth. */

#include <stddef.h>
#include <stdint.h>
#include <wasm_simd128.h>

/* Sizes below 16: the first and the last bytes may overlap. */
#define SMALL(type, to, from, size)                              \
    do {                                                         \
        type first, last;                                        \
        __builtin_memcpy_inline(&first, from, sizeof(type));     \
        __builtin_memcpy_inline(&last, from + size - sizeof(type), sizeof(type)); \
        __builtin_memcpy_inline(to, &first, sizeof(type));       \
        __builtin_memcpy_inline(to + size - sizeof(type), &last, sizeof(type)); \
    } while (0)

static void copy_small(uint8_t *to, const uint8_t *from, size_t size)
{
    if (size >= 8) SMALL(uint64_t, to, from, size);
    else if (size >= 4) SMALL(uint32_t, to, from, size);
    else if (size >= 2) SMALL(uint16_t, to, from, size);
    else if (size) *to = *from;
}

void *memmove(void *target, const void *source, size_t size)
{
    uint8_t *to = target;
    const uint8_t *from = source;
    if (size < 16) {
        copy_small(to, from, size);
    } else if ((uintptr_t)to - (uintptr_t)from >= size) {
        v128_t last = wasm_v128_load(from + size - 16);
        for (size_t i = 0; i + 16 < size; i += 16) wasm_v128_store(to + i, wasm_v128_load(from + i));
        wasm_v128_store(to + size - 16, last);
    } else {
        v128_t first = wasm_v128_load(from);
        for (size_t i = size - 16; i > 0 && i < size; i -= 16) wasm_v128_store(to + i, wasm_v128_load(from + i));
        wasm_v128_store(to, first);
    }
    return target;
}

void *memcpy(void *restrict target, const void *restrict source, size_t size)
{
    uint8_t *to = target;
    const uint8_t *from = source;
    if (size < 16) {
        copy_small(to, from, size);
    } else {
        for (size_t i = 0; i + 16 < size; i += 16) wasm_v128_store(to + i, wasm_v128_load(from + i));
        wasm_v128_store(to + size - 16, wasm_v128_load(from + size - 16));
    }
    return target;
}

void *memset(void *target, int byte, size_t size)
{
    uint8_t *to = target;
    if (size < 16) {
        for (size_t i = 0; i < size; i++) ((volatile uint8_t *)to)[i] = (uint8_t)byte;
    } else {
        v128_t all = wasm_i8x16_splat((int8_t)byte);
        for (size_t i = 0; i + 16 < size; i += 16) wasm_v128_store(to + i, all);
        wasm_v128_store(to + size - 16, all);
    }
    return target;
}
