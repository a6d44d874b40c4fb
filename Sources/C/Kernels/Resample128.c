#include "CWebImageResample.h"

/* Registers of 16 bytes, for processors without AVX2: SSE4.1 on x86, NEON on Arm, from one text. Each step is one or
 * two instructions on both, chosen by the compiler; the layouts are those of the wide loops in Resample.c. */

#if defined(__x86_64__) || defined(__aarch64__)

#include <string.h>

#if defined(__x86_64__)
#define FAST __attribute__((target("sse4.1")))
#else
#define FAST
#endif
#define INLINE inline __attribute__((always_inline)) FAST

typedef uint8_t __attribute__((vector_size(8))) cwebimage_bytes8;
typedef uint8_t __attribute__((vector_size(16))) cwebimage_bytes16;
typedef uint16_t __attribute__((vector_size(16))) cwebimage_unsigned8;
typedef int16_t __attribute__((vector_size(16))) cwebimage_words8;
typedef int32_t __attribute__((vector_size(16))) cwebimage_integers4;
typedef int32_t __attribute__((vector_size(32))) cwebimage_integers8;
typedef int32_t __attribute__((vector_size(64))) cwebimage_integers16;

#define CONVERT(value, Type) __builtin_convertvector(value, Type)
/* Kept within the range of another type. No function: a vector that is passed may be wider than a register. */
#define CLAMPED(value, Type, low, high)                                                                              \
    __builtin_elementwise_min(__builtin_elementwise_max(value, (Type){} + (low)), (Type){} + (high))

/* Two neighbouring products each, added. */
static INLINE cwebimage_integers4 weighted(const int16_t *samples, cwebimage_words8 weights) {
    cwebimage_words8 loaded;
    memcpy(&loaded, samples, sizeof loaded);
    const cwebimage_integers8 products = CONVERT(loaded, cwebimage_integers8) * CONVERT(weights, cwebimage_integers8);
    return __builtin_shufflevector(products, products, 0, 2, 4, 6)
        + __builtin_shufflevector(products, products, 1, 3, 5, 7);
}

static INLINE cwebimage_words8 repeated(int16_t one, int16_t other) {
    return (cwebimage_words8){ one, other, one, other, one, other, one, other };
}

/* (t + 128 + (t + 128) / 256) / 256 is t / 255 rounded, for every t up to 255 * 255, and t never leaves 16 bits. */
static INLINE cwebimage_unsigned8 premultiplied(cwebimage_unsigned8 pixels) {
    const cwebimage_unsigned8 all = (cwebimage_unsigned8){} + 255;
    const cwebimage_unsigned8 alphas = __builtin_shufflevector(pixels, all, 6, 7, 6, 7, 6, 7, 8, 8);
    const cwebimage_unsigned8 products = pixels * alphas + 128;
    return (products + (products >> 8)) >> 8;
}

FAST static void spread(
    const uint8_t *row, size_t byte_count, int16_t *samples, size_t sample_count, bool is_straight) {
    const size_t count = byte_count < sample_count ? byte_count : sample_count;
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        cwebimage_bytes8 two;
        memcpy(&two, row + i, sizeof two);
        two = __builtin_shufflevector(two, two, 0, 4, 1, 5, 2, 6, 3, 7);
        cwebimage_unsigned8 pixels = CONVERT(two, cwebimage_unsigned8);
        if (is_straight) pixels = premultiplied(pixels);
        memcpy(samples + i, &pixels, sizeof pixels);
    }
    for (; i < count; i++)
        samples[i / 8 * 8 + i % 4 * 2 + i / 4 % 2] =
            is_straight ? cwebimage_premultiplied_sample(row, byte_count, i) : row[i];
}

/* The sums of two rows, interleaved, rounded and stored. */
static INLINE void store_pair(int16_t *pair, cwebimage_integers4 one, cwebimage_integers4 two) {
    const cwebimage_integers8 both = __builtin_shufflevector(one, two, 0, 4, 1, 5, 2, 6, 3, 7);
    const cwebimage_integers8 rounded = CLAMPED((both + (1 << 7)) >> 8, cwebimage_integers8, -32768, 32767);
    const cwebimage_words8 words = CONVERT(rounded, cwebimage_words8);
    memcpy(pair, &words, sizeof words);
}

FAST static void across(
    const int16_t *rows, size_t samples_per_row, const cwebimage_axis *axis, int16_t *group, size_t group_count,
    const uint8_t *next, size_t next_count) {
    const size_t stride = axis->stride, count = axis->target_count;
    if (!count || count * 16 > group_count) return;
    const size_t fetched_each = next_count / count + 1;
    for (size_t t = 0, fetched = 0; t < count; t++) {
        for (; fetched < next_count && fetched < (t + 1) * fetched_each; fetched += 64)
            __builtin_prefetch(next + fetched);
        const size_t start = (size_t)axis->starts[t] * 4;
        if (start + stride * 4 > samples_per_row) return;
        const int16_t *weights = axis->weights + t * stride, *row = rows + start;
        cwebimage_integers4 a = {}, b = {}, c = {}, d = {};
        for (size_t i = 0; i < stride; i += 2, row += 8) {
            const cwebimage_words8 two = repeated(weights[i], weights[i + 1]);
            a += weighted(row, two);
            b += weighted(row + samples_per_row, two);
            c += weighted(row + samples_per_row * 2, two);
            d += weighted(row + samples_per_row * 3, two);
        }
        store_pair(group + t * 8, a, b);
        store_pair(group + (count + t) * 8, c, d);
    }
}

FAST static void add(const int16_t *group, const int16_t weights[4], int32_t *sums, size_t sum_count) {
    const int16_t *other = group + sum_count * 2;
    const cwebimage_words8 first = repeated(weights[0], weights[1]), second = repeated(weights[2], weights[3]);
    size_t i = 0;
    for (; i + 4 <= sum_count; i += 4) {
        cwebimage_integers4 sum;
        memcpy(&sum, sums + i, sizeof sum);
        sum += weighted(group + i * 2, first) + weighted(other + i * 2, second);
        memcpy(sums + i, &sum, sizeof sum);
    }
    for (; i < sum_count; i++)
        sums[i] += group[i * 2] * weights[0] + group[i * 2 + 1] * weights[1] + other[i * 2] * weights[2]
            + other[i * 2 + 1] * weights[3];
}

/* Up to four pixels. */
static INLINE cwebimage_bytes16 settled(cwebimage_bytes16 pixels, bool is_opaque) {
    const cwebimage_bytes16 all = (cwebimage_bytes16){} + 255;
    if (is_opaque)
        return __builtin_shufflevector(pixels, all, 0, 1, 2, 16, 4, 5, 6, 16, 8, 9, 10, 16, 12, 13, 14, 16);
    return __builtin_elementwise_min(
        pixels, __builtin_shufflevector(pixels, pixels, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15));
}

FAST static void round_sums(
    const int32_t *sums, size_t sum_count, uint8_t *row, size_t byte_count, bool is_opaque) {
    const size_t count = byte_count < sum_count ? byte_count : sum_count;
    for (size_t i = 0; i + 4 <= count; i += 16) {
        /* The last pixels may be fewer than four. */
        const size_t part = count - i < 16 ? (count - i) / 4 * 4 : 16;
        cwebimage_integers16 four = {};
        memcpy(&four, sums + i, part * sizeof *sums);
        four = CLAMPED((four + (1 << 19)) >> 20, cwebimage_integers16, 0, 255);
        const cwebimage_bytes16 pixels = settled(CONVERT(four, cwebimage_bytes16), is_opaque);
        memcpy(row + i, &pixels, part);
    }
}

static const cwebimage_resample_bytes loops = { spread, across, add, round_sums };

#if defined(__x86_64__)
const cwebimage_resample_bytes *cwebimage_resample_bytes_128(void) {
    return __builtin_cpu_supports("sse4.1") ? &loops : NULL;
}
#else
const cwebimage_resample_bytes *cwebimage_resample_bytes_128(void) { return &loops; }
#endif

#else

const cwebimage_resample_bytes *cwebimage_resample_bytes_128(void) { return NULL; }

#endif
