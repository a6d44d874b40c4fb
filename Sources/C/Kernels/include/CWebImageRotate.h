#ifndef CWEBIMAGE_ROTATE_H
#define CWEBIMAGE_ROTATE_H

#include <stddef.h>
#include <stdint.h>

// A straight line through a picture, a step for every target pixel: coordinates of pixel centres in parts of 2^32.
struct cwebimage_line {
    int64_t x, y;
    int64_t step_x, step_y;
};

// Writes `count` RGBA8 pixels, each interpolated linearly between the four around its place. Answers 0, and does
// nothing, unless for all of them those four lie within `width` × `height` pixels and within byte_count.
int cwebimage_sample_line(
    const struct cwebimage_line *line, const uint8_t *source, size_t byte_count, size_t bytes_per_row, size_t width,
    size_t height, uint8_t *target, size_t count);

#endif
