#ifndef CWEBIMAGE_PNG_ROWS_H
#define CWEBIMAGE_PNG_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What happens to a row of a PNG between inflating it and showing it.

/// Takes the filter off a row of `count` bytes (PNG Third Edition, 9.2). The three rows are apart from each other.
/// - `above`: the row before, its filter taken off; zeros for the first.
/// - `pixel_bytes`: of a whole pixel, at least 1.
/// False for a filter that there is not.
bool cwebimage_png_unfilter(
    uint8_t filter, const uint8_t *row, const uint8_t *above, uint8_t *target, size_t count, size_t pixel_bytes);

/// How samples become R, G, B, A of 8 bits each.
typedef struct {
    /// Of samples of up to 8 bits that stand alone: what each value becomes, 256 times 4 bytes. Else NULL.
    const uint8_t *table;
    unsigned channels;
    /// 8 or 16 where there is no table.
    unsigned depth;
    /// Whether pixels of the colour `key` are transparent; for one or three channels.
    bool has_key;
    uint16_t key[3];
} cwebimage_png_samples;

/// Expands as many pixels as `target_count` bytes hold. False, with nothing written, when the row has too few bytes.
bool cwebimage_png_expand(
    const cwebimage_png_samples *samples, const uint8_t *row, size_t row_count, uint8_t *target, size_t target_count);

#endif
