#ifndef CWEBIMAGE_PNG_INFLATER_H
#define CWEBIMAGE_PNG_INFLATER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CWebImagePNGCodes.h"
#include "CWebImagePNGInflate.h"

// What the inflater keeps between two steps, and how it takes bits; only for the files of this folder.

typedef enum {
    mode_header,
    mode_block,
    mode_stored_size,
    mode_stored,
    mode_counts,
    mode_order,
    mode_lengths,
    mode_codes,
    mode_checksum,
    mode_ended,
    mode_failed,
} cwebimage_png_inflate_mode;

struct cwebimage_png_inflater {
    uint64_t bits;
    unsigned bit_count;
    cwebimage_png_inflate_mode mode;
    bool is_last;
    /// Whether the tables are those of the fixed codes.
    bool has_fixed_codes;
    uint32_t checksum;
    /// Bytes of output so far, up to the size of the window.
    size_t history;
    size_t stored_left;
    /// Of a match that the output had no room for.
    unsigned match_left;
    unsigned match_distance;
    unsigned literal_symbols;
    unsigned distance_symbols;
    unsigned order_symbols;
    unsigned index;
    uint8_t lengths[literal_count + distance_count + 32];
    uint32_t order[order_capacity];
    uint32_t literals[literal_capacity];
    uint32_t distances[distance_capacity];
};

typedef struct {
    const uint8_t *next;
    const uint8_t *end;
} cwebimage_png_source;

typedef struct {
    uint8_t *start;
    uint8_t *next;
    uint8_t *end;
    /// Where the bytes begin that the checksum does not have yet.
    uint8_t *summed;
} cwebimage_png_target;

/// What a step of the machine says: go on, or why it cannot.
typedef enum { goes_on, wants_input, wants_room } cwebimage_png_progress;

static inline uint64_t cwebimage_png_low_bits(uint64_t bits, unsigned count) {
    return bits & ((UINT64_C(1) << count) - 1);
}

/// Takes whole bytes while there is room for one: at least 56 bits where there is input.
static inline void cwebimage_png_fill(cwebimage_png_inflater *inflater, cwebimage_png_source *input) {
    while (inflater->bit_count <= 55 && input->next < input->end) {
        inflater->bits |= (uint64_t)*input->next++ << inflater->bit_count;
        inflater->bit_count += 8;
    }
}

static inline void cwebimage_png_drop(cwebimage_png_inflater *inflater, unsigned count) {
    inflater->bits >>= count;
    inflater->bit_count -= count;
}

/// False when there are not yet that many bits, at most 56.
static inline bool cwebimage_png_take(
    cwebimage_png_inflater *inflater, cwebimage_png_source *input, unsigned count, uint32_t *value) {
    cwebimage_png_fill(inflater, input);
    if (inflater->bit_count < count) return false;
    *value = (uint32_t)cwebimage_png_low_bits(inflater->bits, count);
    cwebimage_png_drop(inflater, count);
    return true;
}

static inline cwebimage_png_progress cwebimage_png_fail(cwebimage_png_inflater *inflater) {
    inflater->mode = mode_failed;
    return goes_on;
}

// CWebImagePNGInflateCodes.c: the codes of a block, which are read before it or are the fixed ones.
bool cwebimage_png_build_fixed(cwebimage_png_inflater *inflater);
cwebimage_png_progress cwebimage_png_read_counts(cwebimage_png_inflater *inflater, cwebimage_png_source *input);
cwebimage_png_progress cwebimage_png_read_order(cwebimage_png_inflater *inflater, cwebimage_png_source *input);
cwebimage_png_progress cwebimage_png_read_lengths(cwebimage_png_inflater *inflater, cwebimage_png_source *input);

// CWebImagePNGInflateBlock.c: literals and matches, up to the end of the block, of the input or of the room.
cwebimage_png_progress cwebimage_png_decode_block(
    cwebimage_png_inflater *inflater, cwebimage_png_source *input, cwebimage_png_target *output);

#endif
