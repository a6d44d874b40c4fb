#include "CWebImagePNGRows.h"
#include "KernelTests.h"

#include <stdlib.h>
#include <string.h>

// PNG Third Edition, 9.4.
static int paeth(int left, int above, int corner) {
    const int guess = left + above - corner;
    const int to_left = abs(guess - left), to_above = abs(guess - above), to_corner = abs(guess - corner);
    if (to_left <= to_above && to_left <= to_corner) return left;
    return to_above <= to_corner ? above : corner;
}

static void unfilter(void) {
    static const size_t sizes[] = { 1, 2, 3, 4, 6, 8 };
    const size_t step = sizes[cwebimage_test_between(0, 5)];
    const size_t count = cwebimage_test_side() * step + (size_t)(cwebimage_test_between(0, 3) ? 0 : 1);
    const uint8_t *row = cwebimage_test_noise(count, 1), *above = cwebimage_test_noise(count, 1);
    for (int filter = 0; filter < 6; filter++) {
        uint8_t *target = cwebimage_test_memory(count, 1), *expected = cwebimage_test_memory(count, 1);
        for (size_t i = 0; i < count && filter < 5; i++) {
            const int left = i < step ? 0 : expected[i - step], corner = i < step ? 0 : above[i - step];
            const int guesses[] = { 0, left, above[i], (left + above[i]) / 2, paeth(left, above[i], corner) };
            expected[i] = (uint8_t)(row[i] + guesses[filter]);
        }
        const bool is_known = cwebimage_png_unfilter((uint8_t)filter, row, above, target, count, step);
        cwebimage_test_expect(is_known == (filter < 5), "cwebimage_png_unfilter");
        cwebimage_test_equal(target, expected, count, "cwebimage_png_unfilter");
    }
}

static unsigned value(const uint8_t *row, size_t index, unsigned depth) {
    if (depth == 16) return (unsigned)row[index * 2] << 8 | row[index * 2 + 1];
    return row[index * depth / 8] >> (8 - depth - index * depth % 8) & ((1u << depth) - 1);
}

static uint8_t byte(unsigned sample, unsigned depth) {
    return (uint8_t)(depth == 8 ? sample : (sample * 510u + 65535) / 131070);
}

static void expand_pixel(const cwebimage_png_samples *samples, const uint8_t *row, size_t x, uint8_t *pixel) {
    const unsigned depth = samples->depth, channels = samples->channels, colors = channels < 3 ? 1 : 3;
    if (samples->table) {
        memcpy(pixel, samples->table + value(row, x, depth) * 4, 4);
        return;
    }
    bool is_key = samples->has_key && channels % 2 == 1;
    for (unsigned i = 0; i < 3; i++) {
        const unsigned sample = value(row, x * channels + (colors == 1 ? 0 : i), depth);
        if (i < colors && sample != (depth == 8 ? samples->key[i] & 0xFF : samples->key[i])) is_key = false;
        pixel[i] = byte(sample, depth);
    }
    pixel[3] = channels > colors ? byte(value(row, x * channels + colors, depth), depth) : is_key ? 0 : 255;
}

static void expand(void) {
    const size_t width = cwebimage_test_side();
    cwebimage_png_samples samples = { NULL, 1, 16, false, { 0, 255, 0xFFFF } };
    if (cwebimage_test_between(0, 1)) {
        samples.depth = 1u << cwebimage_test_between(0, 3);
        samples.table = cwebimage_test_noise(1024, 1);
    } else {
        samples.depth = 8u << cwebimage_test_between(0, 1);
        samples.channels = (unsigned)cwebimage_test_between(samples.depth == 8 ? 2 : 1, 4);
        samples.has_key = samples.channels % 2 == 1 && cwebimage_test_between(0, 1);
    }
    const size_t count = (width * samples.channels * samples.depth + 7) / 8;
    const uint8_t *row = cwebimage_test_noise(count, 1);
    // A pixel of the key's colour, somewhere.
    if (samples.has_key)
        for (unsigned i = 0; i < samples.channels; i++) samples.key[i] = (uint16_t)value(row, i, samples.depth);
    uint8_t *target = cwebimage_test_memory(width * 4, 1), *expected = cwebimage_test_memory(width * 4, 1);
    cwebimage_test_expect(
        !cwebimage_png_expand(&samples, row, count - 1, target, width * 4), "cwebimage_png_expand");
    cwebimage_test_same(target, expected, width * 4, "cwebimage_png_expand");
    for (size_t x = 0; x < width; x++) expand_pixel(&samples, row, x, expected + x * 4);
    cwebimage_test_expect(cwebimage_png_expand(&samples, row, count, target, width * 4), "cwebimage_png_expand");
    cwebimage_test_equal(target, expected, width * 4, "cwebimage_png_expand");
}

void cwebimage_test_png_rows(void) {
    unfilter();
    expand();
}
