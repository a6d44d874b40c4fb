#include "CWebImageBlur.h"

#include <string.h>

// A fused product would round otherwise on Arm than on x86.
#pragma STDC FP_CONTRACT OFF

// A strip is a column of the picture, 16 pixels wide, laid out without gaps: it stays in the cache through all passes,
// and neighbouring bytes are different sums. Rows of the picture become columns of a strip by transposing.
enum { STRIP = 64, STRIP_PIXELS = 16, LANES = 32 };

typedef uint8_t __attribute__((vector_size(LANES), aligned(1))) cwebimage_bytes;
typedef uint16_t __attribute__((vector_size(2 * LANES))) cwebimage_words;
typedef uint32_t __attribute__((vector_size(4 * LANES))) cwebimage_sums;
typedef int32_t __attribute__((vector_size(4 * LANES))) cwebimage_integers;
typedef float __attribute__((vector_size(4 * LANES))) cwebimage_floats;
typedef uint32_t __attribute__((vector_size(16), aligned(1))) cwebimage_quad;

#define INLINE inline __attribute__((always_inline))
#define CONVERT(value, Type) __builtin_convertvector(value, Type)

// No function: a vector that is passed or returned would be part of a calling convention.
#define WORDS_AT(place) CONVERT(*(const cwebimage_bytes *)(place), cwebimage_words)

// A running sum of at most 128 bytes and its rounding fit 16 bits, and so does the reciprocal's error.
static INLINE void box_small(const uint8_t *from, uint8_t *to, size_t rows, size_t window) {
    const uint32_t reciprocal = (uint32_t)((65536 + window / 2) / window);
    for (size_t lane = 0; lane < STRIP; lane += LANES) {
        const uint8_t *first = from + lane, *last = first;
        cwebimage_words sum = (cwebimage_words){} + (uint16_t)(window / 2);
        for (size_t row = 1; row < window; row++, last += STRIP) sum += WORDS_AT(last);
        uint8_t *out = to + lane;
        for (size_t row = 0; row < rows; row++, first += STRIP, last += STRIP, out += STRIP) {
            sum += WORDS_AT(last);
            cwebimage_sums product = CONVERT(sum, cwebimage_sums) * reciprocal >> 16;
            *(cwebimage_bytes *)out = CONVERT(CONVERT(product, cwebimage_words), cwebimage_bytes);
            sum -= WORDS_AT(first);
        }
    }
}

static INLINE void box_large(const uint8_t *from, uint8_t *to, size_t rows, size_t window) {
    const float reciprocal = 1.0f / (float)window;
    for (size_t lane = 0; lane < STRIP; lane += LANES) {
        const uint8_t *first = from + lane, *last = first;
        cwebimage_integers sum = {};
        for (size_t row = 1; row < window; row++, last += STRIP) sum += CONVERT(WORDS_AT(last), cwebimage_integers);
        uint8_t *out = to + lane;
        for (size_t row = 0; row < rows; row++, first += STRIP, last += STRIP, out += STRIP) {
            sum += CONVERT(WORDS_AT(last), cwebimage_integers);
            cwebimage_floats mean = CONVERT(sum, cwebimage_floats) * reciprocal + 0.5f;
            cwebimage_words result = CONVERT(CONVERT(mean, cwebimage_integers), cwebimage_words);
            *(cwebimage_bytes *)out = CONVERT(result, cwebimage_bytes);
            sum -= CONVERT(WORDS_AT(first), cwebimage_integers);
        }
    }
}

static INLINE void weigh(const uint8_t *from, uint8_t *to, size_t rows, const uint16_t *weights, size_t count) {
    for (size_t row = 0; row < rows; row++) {
        for (size_t lane = 0; lane < STRIP; lane += LANES) {
            const uint8_t *place = from + row * STRIP + lane;
            cwebimage_sums sum = (cwebimage_sums){} + 32768u;
            for (size_t tap = 0; tap < count; tap++, place += STRIP) {
                sum += CONVERT(WORDS_AT(place), cwebimage_sums) * weights[tap];
            }
            cwebimage_words result = CONVERT(sum >> 16, cwebimage_words);
            *(cwebimage_bytes *)(to + row * STRIP + lane) = CONVERT(result, cwebimage_bytes);
        }
    }
}

// How many rows a strip needs above and below, together.
static size_t reach(const struct cwebimage_blur *blur) {
    if (blur->weight_count) return blur->weight_count - 1;
    return blur->boxes[0] + blur->boxes[1] + blur->boxes[2] - 3;
}

size_t cwebimage_blur_scratch_count(const struct cwebimage_blur *blur, size_t length) {
    return 2 * (length + reach(blur)) * STRIP;
}

// The edge row goes on for ever: what is flat stays flat up to the edge.
static void extend(uint8_t *strip, size_t length, size_t margin) {
    for (size_t row = 0; row < margin; row++) {
        memcpy(strip + row * STRIP, strip + margin * STRIP, STRIP);
        memcpy(strip + (margin + length + row) * STRIP, strip + (margin + length - 1) * STRIP, STRIP);
    }
}

static INLINE uint8_t *smooth(const struct cwebimage_blur *blur, uint8_t *strip, uint8_t *other, size_t length) {
    const size_t around = reach(blur);
    extend(strip, length, around / 2);
    if (blur->weight_count) {
        weigh(strip, other, length, blur->weights, blur->weight_count);
        return other;
    }
    size_t rows = length + around;
    for (int pass = 0; pass < 3; pass++) {
        rows -= blur->boxes[pass] - 1;
        if (blur->boxes[pass] < 128) box_small(strip, other, rows, blur->boxes[pass]);
        else box_large(strip, other, rows, blur->boxes[pass]);
        uint8_t *swapped = strip;
        strip = other;
        other = swapped;
    }
    return strip;
}

// Four rows of four pixels become four columns.
static INLINE void transpose(const uint8_t *from, size_t from_stride, uint8_t *to, size_t to_stride) {
    cwebimage_quad a = *(const cwebimage_quad *)from, b = *(const cwebimage_quad *)(from + from_stride);
    cwebimage_quad c = *(const cwebimage_quad *)(from + 2 * from_stride);
    cwebimage_quad d = *(const cwebimage_quad *)(from + 3 * from_stride);
    cwebimage_quad ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    cwebimage_quad cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    cwebimage_quad ef = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    cwebimage_quad gh = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    *(cwebimage_quad *)to = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    *(cwebimage_quad *)(to + to_stride) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    *(cwebimage_quad *)(to + 2 * to_stride) = __builtin_shufflevector(ef, gh, 0, 1, 4, 5);
    *(cwebimage_quad *)(to + 3 * to_stride) = __builtin_shufflevector(ef, gh, 2, 3, 6, 7);
}

// `width` × `height` pixels, exchanged.
static INLINE void turn(
    const uint8_t *from, size_t from_stride, uint8_t *to, size_t to_stride, size_t width, size_t height
) {
    size_t y = 0;
    for (; y + 4 <= height; y += 4) {
        size_t x = 0;
        for (; x + 4 <= width; x += 4) {
            transpose(from + y * from_stride + x * 4, from_stride, to + x * to_stride + y * 4, to_stride);
        }
        for (; x < width; x++) {
            for (size_t row = y; row < y + 4; row++) {
                memcpy(to + x * to_stride + row * 4, from + row * from_stride + x * 4, 4);
            }
        }
    }
    for (; y < height; y++) {
        for (size_t x = 0; x < width; x++) memcpy(to + x * to_stride + y * 4, from + y * from_stride + x * 4, 4);
    }
}

static INLINE void columns(
    const struct cwebimage_blur *blur, const uint8_t *source, uint8_t *target, size_t stride, size_t width,
    size_t height, uint8_t *scratch
) {
    uint8_t *other = scratch + (height + reach(blur)) * STRIP;
    uint8_t *inner = scratch + reach(blur) / 2 * STRIP;
    for (size_t x = 0; x < width; x += STRIP_PIXELS) {
        const size_t bytes = 4 * (width - x < STRIP_PIXELS ? width - x : STRIP_PIXELS);
        for (size_t y = 0; y < height; y++) memcpy(inner + y * STRIP, source + y * stride + x * 4, bytes);
        const uint8_t *result = smooth(blur, scratch, other, height);
        for (size_t y = 0; y < height; y++) memcpy(target + y * stride + x * 4, result + y * STRIP, bytes);
    }
}

static INLINE void rows(
    const struct cwebimage_blur *blur, const uint8_t *source, uint8_t *target, size_t stride, size_t width,
    size_t height, uint8_t *scratch
) {
    uint8_t *other = scratch + (width + reach(blur)) * STRIP;
    uint8_t *inner = scratch + reach(blur) / 2 * STRIP;
    for (size_t y = 0; y < height; y += STRIP_PIXELS) {
        const size_t count = height - y < STRIP_PIXELS ? height - y : STRIP_PIXELS;
        turn(source + y * stride, stride, inner, STRIP, width, count);
        turn(smooth(blur, scratch, other, width), STRIP, target + y * stride, stride, count, width);
    }
}

typedef void (*cwebimage_direction)(
    const struct cwebimage_blur *blur, const uint8_t *source, uint8_t *target, size_t stride, size_t width,
    size_t height, uint8_t *scratch);

#if defined(__x86_64__)
#define COMPILED(name, suffix, attributes)                                                                           \
    attributes static void name##suffix(                                                                             \
        const struct cwebimage_blur *blur, const uint8_t *source, uint8_t *target, size_t stride, size_t width,      \
        size_t height, uint8_t *scratch                                                                              \
    ) {                                                                                                              \
        name(blur, source, target, stride, width, height, scratch);                                                  \
    }
COMPILED(columns, _avx2, __attribute__((target("avx2"))))
COMPILED(rows, _avx2, __attribute__((target("avx2"))))
COMPILED(columns, _baseline, )
COMPILED(rows, _baseline, )
#define CHOSEN(name) (!blur->is_baseline && __builtin_cpu_supports("avx2") ? name##_avx2 : name##_baseline)
#else
#define CHOSEN(name) name
#endif

static int run(
    cwebimage_direction direction, const struct cwebimage_blur *blur, const uint8_t *source, uint8_t *target,
    size_t byte_count, size_t stride, size_t width, size_t height, uint8_t *scratch, size_t scratch_count
) {
    if (width == 0 || height == 0 || (height - 1) * stride + width * 4 > byte_count) return 0;
    if (cwebimage_blur_scratch_count(blur, width > height ? width : height) > scratch_count) return 0;
    direction(blur, source, target, stride, width, height, scratch);
    return 1;
}

int cwebimage_blur_columns(
    const struct cwebimage_blur *blur, const uint8_t *source, uint8_t *target, size_t byte_count, size_t bytes_per_row,
    size_t width, size_t height, uint8_t *scratch, size_t scratch_count
) {
    return run(
        CHOSEN(columns), blur, source, target, byte_count, bytes_per_row, width, height, scratch, scratch_count);
}

int cwebimage_blur_rows(
    const struct cwebimage_blur *blur, const uint8_t *source, uint8_t *target, size_t byte_count, size_t bytes_per_row,
    size_t width, size_t height, uint8_t *scratch, size_t scratch_count
) {
    return run(CHOSEN(rows), blur, source, target, byte_count, bytes_per_row, width, height, scratch, scratch_count);
}
