#include "CWebImageRotate.h"

#include <string.h>

// Two pixels, side by side, as 16-bit channels.
typedef uint8_t __attribute__((vector_size(8))) cwebimage_eight;
typedef int16_t __attribute__((vector_size(16))) cwebimage_words;
typedef int32_t __attribute__((vector_size(32))) cwebimage_integers;

#define CONVERT(value, Type) __builtin_convertvector(value, Type)
#define WORDS_AT(bytes) CONVERT(bytes, cwebimage_words)

// The coordinates grow or shrink steadily: the ends say all.
static int is_inside(int64_t first, int64_t step, size_t count, size_t length) {
    const int64_t last = first + step * (int64_t)(count - 1);
    const int64_t end = ((int64_t)length - 1) << 32;
    return first >= 0 && last >= 0 && first < end && last < end;
}

static inline const uint8_t *place_of(const uint8_t *source, size_t bytes_per_row, int64_t x, int64_t y) {
    return source + (size_t)(y >> 32) * bytes_per_row + (size_t)(x >> 32) * 4;
}

// Down in parts of 128, then across: 6 bits of fraction are kept in between.
static inline int16_t part_down(int64_t y) { return (int16_t)((y >> 25) & 127); }
static inline int16_t part_across(int64_t x) { return (int16_t)((x >> 17) & 32767); }

static void sample_pixels(
    const struct cwebimage_line *line, const uint8_t *source, size_t bytes_per_row, uint8_t *target, size_t count
) {
    int64_t x = line->x, y = line->y;
    for (size_t index = 0; index < count; index++, x += line->step_x, y += line->step_y) {
        const uint8_t *place = place_of(source, bytes_per_row, x, y);
        cwebimage_eight above, below;
        memcpy(&above, place, 8);
        memcpy(&below, place + bytes_per_row, 8);
        cwebimage_words upper = WORDS_AT(above);
        cwebimage_words column = (upper * 128 + (WORDS_AT(below) - upper) * part_down(y)) >> 1;
        cwebimage_words difference = __builtin_shufflevector(column, column, 4, 5, 6, 7, 4, 5, 6, 7) - column;
        cwebimage_integers product = CONVERT(difference * 2, cwebimage_integers) * part_across(x);
        cwebimage_words pixel = (column + CONVERT(product >> 16, cwebimage_words) + 32) >> 6;
        cwebimage_eight bytes = CONVERT(pixel, cwebimage_eight);
        memcpy(target + index * 4, &bytes, 4);
    }
}

#if defined(__x86_64__)

#include <immintrin.h>

#define FAST __attribute__((target("avx2")))

// Eight bytes at each of two places, as channels of 16 bits.
FAST static inline __m256i words_at(const uint8_t *first, const uint8_t *second) {
    const __m128i low = _mm_loadl_epi64((const __m128i *)first), high = _mm_loadl_epi64((const __m128i *)second);
    return _mm256_cvtepu8_epi16(_mm_unpacklo_epi64(low, high));
}

// A number for the eight channels of one pixel, another for those of the other.
FAST static inline __m256i for_each(int16_t first, int16_t second) {
    return _mm256_set_m128i(_mm_set1_epi16(second), _mm_set1_epi16(first));
}

// As above, two target pixels at a time, as many whole pairs as there are.
FAST static void sample_pairs(
    const struct cwebimage_line *line, const uint8_t *source, size_t bytes_per_row, uint8_t *target, size_t count
) {
    int64_t x = line->x, y = line->y;
    for (size_t index = 0; index + 2 <= count; index += 2, x += 2 * line->step_x, y += 2 * line->step_y) {
        const int64_t next_x = x + line->step_x, next_y = y + line->step_y;
        const uint8_t *place = place_of(source, bytes_per_row, x, y);
        const uint8_t *next = place_of(source, bytes_per_row, next_x, next_y);
        const __m256i upper = words_at(place, next);
        const __m256i rise = _mm256_sub_epi16(words_at(place + bytes_per_row, next + bytes_per_row), upper);
        const __m256i down = _mm256_mullo_epi16(rise, for_each(part_down(y), part_down(next_y)));
        const __m256i column = _mm256_srai_epi16(_mm256_add_epi16(_mm256_slli_epi16(upper, 7), down), 1);
        const __m256i difference = _mm256_sub_epi16(_mm256_unpackhi_epi64(column, column), column);
        const __m256i step = _mm256_mulhi_epi16(
            _mm256_slli_epi16(difference, 1), for_each(part_across(x), part_across(next_x)));
        const __m256i pixels = _mm256_srai_epi16(
            _mm256_add_epi16(_mm256_add_epi16(column, step), _mm256_set1_epi16(32)), 6);
        const __m128i both = _mm_unpacklo_epi64(_mm256_castsi256_si128(pixels), _mm256_extracti128_si256(pixels, 1));
        _mm_storel_epi64((__m128i *)(target + index * 4), _mm_packus_epi16(both, both));
    }
}

// The last pixel of an odd number is left to the loop for one.
static void sample(
    const struct cwebimage_line *line, const uint8_t *source, size_t bytes_per_row, uint8_t *target, size_t count
) {
    const size_t paired = __builtin_cpu_supports("avx2") ? count / 2 * 2 : 0;
    if (paired > 0) sample_pairs(line, source, bytes_per_row, target, paired);
    struct cwebimage_line rest = *line;
    rest.x += rest.step_x * (int64_t)paired;
    rest.y += rest.step_y * (int64_t)paired;
    sample_pixels(&rest, source, bytes_per_row, target + paired * 4, count - paired);
}

#else
#define sample sample_pixels
#endif

int cwebimage_sample_line(
    const struct cwebimage_line *line, const uint8_t *source, size_t byte_count, size_t bytes_per_row, size_t width,
    size_t height, uint8_t *target, size_t count
) {
    if (count == 0) return 1;
    if (height < 2 || width < 2 || (height - 1) * bytes_per_row + width * 4 > byte_count) return 0;
    if (!is_inside(line->x, line->step_x, count, width) || !is_inside(line->y, line->step_y, count, height)) return 0;
    sample(line, source, bytes_per_row, target, count);
    return 1;
}
