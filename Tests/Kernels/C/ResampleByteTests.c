#include "CWebImageResample.h"
#include "KernelTests.h"

#include <string.h>

// Each loop of both widths of registers; what both must give is worked out once.
static const cwebimage_resample_bytes *loops[2];

static const char *named(int i, const char *wide, const char *narrow) { return i == 0 ? wide : narrow; }

// The narrow loops are everywhere, so their results are those that processors are compared by.
static void compare(int i, const void *result, const void *expected, size_t byte_count, const char *name) {
    if (i == 1) cwebimage_test_equal(result, expected, byte_count, name);
    else cwebimage_test_same(result, expected, byte_count, name);
}

static void spread(void) {
    const size_t width = cwebimage_test_side(), pairs = (width + 1) / 2;
    const uint8_t *row = cwebimage_test_noise(width * 4, 1);
    for (int is_straight = 0; is_straight < 2; is_straight++) {
        int16_t *expected = cwebimage_test_memory(pairs * 16, 2);
        for (size_t x = 0; x < width; x++)
            for (size_t channel = 0; channel < 4; channel++) {
                const int alpha = is_straight && channel < 3 ? row[x * 4 + 3] : 255;
                expected[x / 2 * 8 + channel * 2 + x % 2] = (int16_t)((row[x * 4 + channel] * alpha * 2 + 255) / 510);
            }
        for (int i = 0; i < 2; i++) {
            if (!loops[i]) continue;
            int16_t *samples = cwebimage_test_memory(pairs * 16, 2);
            loops[i]->spread(row, width * 4, samples, pairs * 8, is_straight);
            compare(i, samples, expected, pairs * 16, named(i, "spread 256", "spread 128"));
        }
    }
}

static int16_t clamped(int value) { return (int16_t)(value < -32768 ? -32768 : value > 32767 ? 32767 : value); }

static cwebimage_axis random_axis(size_t padded) {
    cwebimage_axis axis = { NULL, NULL, cwebimage_test_side(), 0 };
    axis.stride = (size_t)cwebimage_test_between(1, (int64_t)(padded < 24 ? padded : 24) / 4) * 4;
    int32_t *starts = cwebimage_test_memory(axis.target_count * 4, 4);
    int16_t *weights = cwebimage_test_memory(axis.target_count * axis.stride * 2, 2);
    for (size_t t = 0; t < axis.target_count; t++)
        starts[t] = (int32_t)cwebimage_test_between(0, (int64_t)(padded - axis.stride) / 2) * 2;
    // Large ones, so that results must be clamped.
    for (size_t i = 0; i < axis.target_count * axis.stride; i++)
        weights[i] = (int16_t)cwebimage_test_between(-9000, 16384);
    axis.starts = starts;
    axis.weights = weights;
    return axis;
}

static void across(void) {
    const size_t padded = (cwebimage_test_side() + 3) / 4 * 4, samples = padded * 4;
    const cwebimage_axis axis = random_axis(padded);
    const size_t count = axis.target_count;
    int16_t *rows = cwebimage_test_memory(samples * 8, 2), *expected = cwebimage_test_memory(count * 32, 2);
    for (size_t i = 0; i < samples * 4; i++) rows[i] = (int16_t)cwebimage_test_between(0, 255);
    for (size_t row = 0; row < 4; row++)
        for (size_t i = 0; i < count * 4; i++) {
            int sum = 128;
            for (size_t tap = 0; tap < axis.stride; tap++) {
                const size_t x = (size_t)axis.starts[i / 4] + tap;
                sum += axis.weights[i / 4 * axis.stride + tap] * rows[row * samples + x / 2 * 8 + i % 4 * 2 + x % 2];
            }
            expected[(row / 2 * count * 4 + i) * 2 + row % 2] = clamped(sum >> 8);
        }
    const size_t next_count = (size_t)cwebimage_test_between(0, 300);
    const uint8_t *next = cwebimage_test_noise(next_count, 1);
    for (int i = 0; i < 2; i++) {
        if (!loops[i]) continue;
        const char *name = named(i, "across 256", "across 128");
        int16_t *group = cwebimage_test_memory(count * 32, 2);
        // Too little room for the result, and rows that are too short.
        loops[i]->across(rows, samples, &axis, group, count * 16 - 1, next, next_count);
        loops[i]->across(rows, axis.stride * 4 - 1, &axis, group, count * 16, next, next_count);
        cwebimage_test_same(group, cwebimage_test_memory(count * 32, 2), count * 32, name);
        loops[i]->across(rows, samples, &axis, group, count * 16, next, next_count);
        compare(i, group, expected, count * 32, name);
    }
}

static void add(void) {
    const size_t count = (size_t)cwebimage_test_between(1, 290);
    int16_t *group = cwebimage_test_noise(count * 8, 2), *weights = cwebimage_test_memory(8, 2);
    int32_t *sums = cwebimage_test_memory(count * 4, 4), *expected = cwebimage_test_memory(count * 4, 4);
    for (int row = 0; row < 4; row++) weights[row] = (int16_t)cwebimage_test_between(-4000, 8000);
    for (size_t i = 0; i < count; i++) {
        expected[i] = sums[i] = (int32_t)cwebimage_test_between(-(1 << 28), 1 << 28);
        for (size_t row = 0; row < 4; row++)
            expected[i] += group[(row / 2 * count + i) * 2 + row % 2] * weights[row];
    }
    for (int i = 0; i < 2; i++) {
        if (!loops[i]) continue;
        int32_t *result = memcpy(cwebimage_test_memory(count * 4, 4), sums, count * 4);
        loops[i]->add(group, weights, result, count);
        compare(i, result, expected, count * 4, named(i, "add 256", "add 128"));
    }
}

static int sample(const int32_t *sums, size_t i) {
    const int value = (sums[i] + (1 << 19)) >> 20;
    return value < 0 ? 0 : value > 255 ? 255 : value;
}

static void round_pixels(void) {
    const size_t width = cwebimage_test_side();
    int32_t *sums = cwebimage_test_memory(width * 16, 4);
    for (size_t i = 0; i < width * 4; i++) sums[i] = (int32_t)cwebimage_test_between(-(1 << 27), (1 << 28) + (1 << 27));
    for (int is_opaque = 0; is_opaque < 2; is_opaque++) {
        uint8_t *expected = cwebimage_test_memory(width * 4, 1);
        for (size_t i = 0; i < width * 4; i++) {
            const int value = sample(sums, i), alpha = is_opaque ? 255 : sample(sums, i | 3);
            expected[i] = (uint8_t)(is_opaque && i % 4 == 3 ? 255 : value < alpha ? value : alpha);
        }
        for (int i = 0; i < 2; i++) {
            if (!loops[i]) continue;
            uint8_t *row = cwebimage_test_memory(width * 4, 1);
            loops[i]->round(sums, width * 4, row, width * 4, is_opaque);
            compare(i, row, expected, width * 4, named(i, "round 256", "round 128"));
        }
    }
}

static void premultiply(void) {
    const uint8_t *row = cwebimage_test_noise(4, 1);
    for (size_t i = 0; i < 4; i++) {
        const int16_t expected = (int16_t)(i == 3 ? row[3] : (row[i] * row[3] * 2 + 255) / 510);
        const int16_t result = cwebimage_premultiplied_sample(row, 4, i);
        cwebimage_test_equal(&result, &expected, 2, "cwebimage_premultiplied_sample");
    }
}

void cwebimage_test_resample_bytes(void) {
    loops[0] = cwebimage_resample_bytes_256();
    loops[1] = cwebimage_resample_bytes_128();
    // Every processor that these tests are run on has them.
    cwebimage_test_expect(loops[1] != NULL, "cwebimage_resample_bytes_128");
    spread();
    across();
    add();
    round_pixels();
    premultiply();
}
