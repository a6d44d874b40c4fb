#include "CWebImagePNGRows.h"

#include <string.h>

// MARK: Filters
//
// A pixel is a vector, so that its channels go together; the compiler has SSE2 or NEON for these everywhere.

typedef __attribute__((vector_size(16))) uint8_t cwebimage_bytes16;
typedef __attribute__((vector_size(8))) uint8_t cwebimage_bytes8;
typedef __attribute__((vector_size(16))) int16_t cwebimage_words8;
typedef __attribute__((vector_size(16))) uint32_t cwebimage_ints4;

static inline cwebimage_bytes16 load(const uint8_t *bytes, size_t count) {
    uint32_t pixel = 0;
    memcpy(&pixel, bytes, count);
    // Straight into a register: a vector that is partly written in memory is read back late.
    return (cwebimage_bytes16)(cwebimage_ints4){ pixel, 0, 0, 0 };
}

static inline void store(uint8_t *target, cwebimage_bytes16 pixel, size_t count) {
    memcpy(target, &pixel, count);
}

static inline cwebimage_words8 widened(cwebimage_bytes16 pixel) {
    cwebimage_bytes8 low = __builtin_shufflevector(pixel, pixel, 0, 1, 2, 3, 4, 5, 6, 7);
    return __builtin_convertvector(low, cwebimage_words8);
}

static inline cwebimage_bytes16 narrowed(cwebimage_words8 pixel) {
    cwebimage_bytes8 low = __builtin_convertvector(pixel, cwebimage_bytes8);
    return __builtin_shufflevector(low, low, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
}

/// Adds bytes that each stand in a word, and keeps them bytes.
static inline cwebimage_words8 sum(cwebimage_words8 pixel, cwebimage_words8 guess) {
    return (cwebimage_words8)((cwebimage_bytes16)pixel + (cwebimage_bytes16)guess);
}

/// The pixel plus the one of its neighbours that is nearest to left + above - corner; of equals the one that is named
/// first. With `far` = 3 corner - above - left, the smaller of left and above is it where the larger is at most `far`,
/// the larger where the smaller is at least `far`, the corner in between. The left is known last, so as few steps as
/// can be stand between it and the result: that is why all three sums are made, and why the compiler is kept from
/// putting the difference together in another order (nothing here saturates).
static inline cwebimage_words8 paeth_sum(
    cwebimage_words8 pixel, cwebimage_words8 left, cwebimage_words8 above, cwebimage_words8 corner) {
    cwebimage_words8 far = __builtin_elementwise_sub_sat(corner * 3 - above, left);
    cwebimage_words8 low = __builtin_elementwise_min(left, above), high = __builtin_elementwise_max(left, above);
    cwebimage_words8 is_not_low = high > far, is_not_high = far > low;
    cwebimage_words8 sides = (~is_not_low & sum(pixel, low)) | (~is_not_high & sum(pixel, high));
    return sides | (is_not_low & is_not_high & sum(pixel, corner));
}

typedef struct {
    cwebimage_words8 left;
    cwebimage_words8 corner;
} cwebimage_png_neighbours;

static inline cwebimage_bytes16 unfilter_pixel(
    uint8_t filter, cwebimage_bytes16 pixel, cwebimage_bytes16 above, cwebimage_png_neighbours *known) {
    cwebimage_words8 wide = widened(pixel), up = widened(above);
    if (filter == 1) known->left = sum(wide, known->left);
    else if (filter == 3) known->left = sum(wide, (known->left + up) >> 1);
    else known->left = paeth_sum(wide, known->left, up, known->corner);
    known->corner = up;
    return narrowed(known->left);
}

static inline __attribute__((always_inline)) void unfilter_pixels(
    uint8_t filter, const uint8_t *row, const uint8_t *above, uint8_t *target, size_t count, const size_t step) {
    cwebimage_png_neighbours known = { { 0 }, { 0 } };
    size_t at = 0;
    // Four bytes of a pixel of three are read and written while that many are there.
    for (; at + 4 <= count; at += step) {
        store(target + at, unfilter_pixel(filter, load(row + at, 4), load(above + at, 4), &known), 4);
    }
    if (at == count) return;
    store(target + at, unfilter_pixel(filter, load(row + at, 3), load(above + at, 3), &known), 3);
}

static uint8_t paeth_byte(int left, int above, int corner) {
    int to_left = above - corner, to_above = left - corner, to_corner = to_left + to_above;
    if (to_left < 0) to_left = -to_left;
    if (to_above < 0) to_above = -to_above;
    if (to_corner < 0) to_corner = -to_corner;
    if (to_left <= to_above && to_left <= to_corner) return (uint8_t)left;
    return (uint8_t)(to_above <= to_corner ? above : corner);
}

/// Pixels of any size.
static void unfilter_bytes(
    uint8_t filter, const uint8_t *row, const uint8_t *above, uint8_t *target, size_t count, size_t step) {
    for (size_t at = 0; at < count; at++) {
        int left = at < step ? 0 : target[at - step], corner = at < step ? 0 : above[at - step];
        int guess = filter == 1 ? left : filter == 3 ? (left + above[at]) / 2 : paeth_byte(left, above[at], corner);
        target[at] = (uint8_t)(row[at] + guess);
    }
}

bool cwebimage_png_unfilter(
    uint8_t filter, const uint8_t *restrict row, const uint8_t *restrict above, uint8_t *restrict target, size_t count,
    size_t pixel_bytes) {
    if (filter > 4) return false;
    if (filter == 0) {
        memcpy(target, row, count);
    } else if (filter == 2) {
        for (size_t at = 0; at < count; at++) target[at] = (uint8_t)(row[at] + above[at]);
    } else if (pixel_bytes == 4 && count % 4 == 0) {
        if (filter == 1) unfilter_pixels(1, row, above, target, count, 4);
        else if (filter == 3) unfilter_pixels(3, row, above, target, count, 4);
        else unfilter_pixels(4, row, above, target, count, 4);
    } else if (pixel_bytes == 3 && count % 3 == 0) {
        if (filter == 1) unfilter_pixels(1, row, above, target, count, 3);
        else if (filter == 3) unfilter_pixels(3, row, above, target, count, 3);
        else unfilter_pixels(4, row, above, target, count, 3);
    } else {
        unfilter_bytes(filter, row, above, target, count, pixel_bytes);
    }
    return true;
}

// MARK: Samples

/// 16 bits to the nearest of 8.
static inline uint8_t scaled(unsigned value) {
    return (uint8_t)((value * 255 + 32895) >> 16);
}

static inline unsigned word(const uint8_t *bytes) {
    return (unsigned)bytes[0] << 8 | bytes[1];
}

static void expand_table(const uint8_t *table, unsigned depth, const uint8_t *row, uint8_t *target, size_t width) {
    if (depth == 8) {
        for (size_t x = 0; x < width; x++) memcpy(target + x * 4, table + (size_t)row[x] * 4, 4);
        return;
    }
    unsigned mask = (1u << depth) - 1;
    for (size_t x = 0; x < width; x++) {
        size_t bit = x * depth;
        unsigned value = row[bit >> 3] >> (8 - depth - (bit & 7)) & mask;
        memcpy(target + x * 4, table + value * 4, 4);
    }
}

static void expand_bytes(const cwebimage_png_samples *samples, const uint8_t *row, uint8_t *target, size_t width) {
    const uint16_t *key = samples->key;
    switch (samples->channels) {
    case 2:
        for (size_t x = 0; x < width; x++, row += 2, target += 4) {
            target[0] = target[1] = target[2] = row[0];
            target[3] = row[1];
        }
        return;
    case 3:
        for (size_t x = 0; x < width; x++, row += 3, target += 4) {
            bool is_key = samples->has_key && row[0] == (key[0] & 0xFF) && row[1] == (key[1] & 0xFF)
                && row[2] == (key[2] & 0xFF);
            target[0] = row[0];
            target[1] = row[1];
            target[2] = row[2];
            target[3] = is_key ? 0 : 0xFF;
        }
        return;
    default: memcpy(target, row, width * 4);
    }
}

static void expand_words(const cwebimage_png_samples *samples, const uint8_t *row, uint8_t *target, size_t width) {
    unsigned channels = samples->channels, colors = channels < 3 ? 1 : 3;
    for (size_t x = 0; x < width; x++, row += channels * 2, target += 4) {
        bool is_key = samples->has_key;
        for (unsigned i = 0; i < colors; i++) is_key = is_key && word(row + i * 2) == samples->key[i];
        for (unsigned i = 0; i < 3; i++) target[i] = scaled(word(row + (colors == 1 ? 0 : i * 2)));
        target[3] = channels > colors ? scaled(word(row + colors * 2)) : is_key ? 0 : 0xFF;
    }
}

bool cwebimage_png_expand(
    const cwebimage_png_samples *samples, const uint8_t *row, size_t row_count, uint8_t *target, size_t target_count) {
    size_t width = target_count / 4, pixel_bits = (size_t)samples->channels * samples->depth;
    if (pixel_bits == 0 || pixel_bits > 64 || width > (SIZE_MAX - 7) / pixel_bits) return false;
    if ((width * pixel_bits + 7) / 8 > row_count) return false;
    if (samples->table) expand_table(samples->table, samples->depth, row, target, width);
    else if (samples->depth == 8) expand_bytes(samples, row, target, width);
    else expand_words(samples, row, target, width);
    return true;
}
