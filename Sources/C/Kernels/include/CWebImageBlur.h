#ifndef CWEBIMAGE_BLUR_H
#define CWEBIMAGE_BLUR_H

#include <stddef.h>
#include <stdint.h>

// A blur of RGBA8 pixels along one direction: three boxes one after the other, or, where weight_count is not 0, one row
// of weights. Beyond the edge the edge's pixels go on for ever. No channel gets larger than another that it was not
// larger than before: premultiplied pixels stay so.
struct cwebimage_blur {
    // Widths in pixels, 1 or more, whose sum is odd.
    size_t boxes[3];
    // An odd number of weights, whose sum is 65536.
    const uint16_t *weights;
    size_t weight_count;
    // Not 0 for the instructions that every processor has; for tests.
    int is_baseline;
};

// The bytes of scratch memory that a picture whose longer side is `length` takes.
size_t cwebimage_blur_scratch_count(const struct cwebimage_blur *blur, size_t length);

// Blurs the columns of `source` into `target`, which may be the same; rows begin bytes_per_row apart in both.
// Scratch is zeroed at first. Answers 0, and does nothing, where a byte count is too small.
int cwebimage_blur_columns(
    const struct cwebimage_blur *blur, const uint8_t *source, uint8_t *target, size_t byte_count, size_t bytes_per_row,
    size_t width, size_t height, uint8_t *scratch, size_t scratch_count);

// The same along the rows.
int cwebimage_blur_rows(
    const struct cwebimage_blur *blur, const uint8_t *source, uint8_t *target, size_t byte_count, size_t bytes_per_row,
    size_t width, size_t height, uint8_t *scratch, size_t scratch_count);

#endif
