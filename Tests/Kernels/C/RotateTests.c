#include "CWebImageRotate.h"
#include "KernelTests.h"

#include <string.h>

// The definition: 7 bits down, 15 bits across, 6 bits of fraction in between.
static uint8_t sample(const uint8_t *place, size_t bytes_per_row, int64_t x, int64_t y) {
    const int down = (int)(y >> 25 & 127), across = (int)(x >> 17 & 32767);
    const int left = (place[0] * 128 + (place[bytes_per_row] - place[0]) * down) >> 1;
    const int right = (place[4] * 128 + (place[bytes_per_row + 4] - place[4]) * down) >> 1;
    return (uint8_t)((left + ((right - left) * 2 * across >> 16) + 32) >> 6);
}

// A line between two places, of which all lies inside.
static struct cwebimage_line inner_line(size_t width, size_t height, size_t count) {
    const int64_t right = ((int64_t)width - 1) << 32, bottom = ((int64_t)height - 1) << 32;
    const int64_t steps = count > 1 ? (int64_t)count - 1 : 1;
    struct cwebimage_line line = { cwebimage_test_between(0, right - 1), cwebimage_test_between(0, bottom - 1), 0, 0 };
    line.step_x = (cwebimage_test_between(0, right - 1) - line.x) / steps;
    line.step_y = (cwebimage_test_between(0, bottom - 1) - line.y) / steps;
    return line;
}

void cwebimage_test_rotate(void) {
    const char *name = "cwebimage_sample_line";
    const size_t width = 1 + cwebimage_test_side(), height = 1 + cwebimage_test_side(), count = cwebimage_test_side();
    const size_t stride = width * 4 + (size_t)cwebimage_test_between(0, 40);
    const struct cwebimage_test_picture source = cwebimage_test_picture(width, height, stride);
    struct cwebimage_line line = inner_line(width, height, count);
    uint8_t *expected = cwebimage_test_memory(count * 4, 1), *target = cwebimage_test_memory(count * 4, 1);
    for (size_t i = 0; i < count * 4; i++) {
        const int64_t x = line.x + line.step_x * (int64_t)(i / 4), y = line.y + line.step_y * (int64_t)(i / 4);
        const uint8_t *place = source.bytes + (size_t)(y >> 32) * stride + (size_t)(x >> 32) * 4 + i % 4;
        expected[i] = sample(place, stride, x, y);
    }
    cwebimage_test_close_gaps(&source, 1);
    const int is_done = cwebimage_sample_line(
        &line, source.bytes, source.byte_count, stride, width, height, target, count);
    cwebimage_test_equal(target, expected, count * 4, name);
    // One by one: no processor takes two together then.
    uint8_t *single = cwebimage_test_memory(4, 1);
    for (size_t i = 0; i < count; i++) {
        const struct cwebimage_line rest = {
            line.x + line.step_x * (int64_t)i, line.y + line.step_y * (int64_t)i, line.step_x, line.step_y };
        cwebimage_sample_line(&rest, source.bytes, source.byte_count, stride, width, height, single, 1);
        cwebimage_test_equal(single, expected + i * 4, 4, name);
    }
    // Too few bytes, and a line that leaves the picture.
    const int is_short = cwebimage_sample_line(
        &line, source.bytes, source.byte_count - 1, stride, width, height, target, count);
    line.x = ((int64_t)width - 1) << 32;
    const int is_outside = cwebimage_sample_line(
        &line, source.bytes, source.byte_count, stride, width, height, target, count);
    cwebimage_test_close_gaps(&source, 0);
    cwebimage_test_expect(is_done && !is_short && !is_outside, name);
    cwebimage_test_same(target, expected, count * 4, name);
}
