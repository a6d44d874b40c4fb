#include <string.h>

#include "CWebImagePNGInflater.h"

static bool build_codes(cwebimage_png_inflater *inflater) {
    const uint8_t *lengths = inflater->lengths;
    cwebimage_png_code_table literals = {
        inflater->literals, literal_capacity, literal_bits, cwebimage_png_literal_entry, true,
    };
    cwebimage_png_code_table distances = {
        inflater->distances, distance_capacity, distance_bits, cwebimage_png_distance_entry, true,
    };
    // Without an end no block is one.
    if (lengths[256] == 0 || !cwebimage_png_build(&literals, lengths, inflater->literal_symbols)) return false;
    cwebimage_png_pair_literals(inflater->literals);
    return cwebimage_png_build(&distances, lengths + inflater->literal_symbols, inflater->distance_symbols);
}

/// The codes of a block that brings none.
bool cwebimage_png_build_fixed(cwebimage_png_inflater *inflater) {
    // A stream may have a block of this kind with every other byte.
    if (inflater->has_fixed_codes) return true;
    uint8_t *lengths = inflater->lengths;
    for (unsigned symbol = 0; symbol < 288; symbol++) {
        lengths[symbol] = symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
    }
    memset(lengths + 288, 5, 32);
    inflater->literal_symbols = 288;
    inflater->distance_symbols = 32;
    inflater->has_fixed_codes = true;
    return build_codes(inflater);
}

cwebimage_png_progress cwebimage_png_read_counts(cwebimage_png_inflater *inflater, cwebimage_png_source *input) {
    uint32_t counts;
    if (!cwebimage_png_take(inflater, input, 14, &counts)) return wants_input;
    inflater->literal_symbols = 257 + (counts & 31);
    inflater->distance_symbols = 1 + (counts >> 5 & 31);
    inflater->order_symbols = 4 + (counts >> 10);
    if (inflater->literal_symbols > literal_count || inflater->distance_symbols > distance_count) {
        return cwebimage_png_fail(inflater);
    }
    memset(inflater->lengths, 0, sizeof inflater->lengths);
    inflater->has_fixed_codes = false;
    inflater->index = 0;
    inflater->mode = mode_order;
    return goes_on;
}

cwebimage_png_progress cwebimage_png_read_order(cwebimage_png_inflater *inflater, cwebimage_png_source *input) {
    static const uint8_t places[order_count] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
    for (; inflater->index < inflater->order_symbols; inflater->index++) {
        uint32_t length;
        if (!cwebimage_png_take(inflater, input, 3, &length)) return wants_input;
        inflater->lengths[places[inflater->index]] = (uint8_t)length;
    }
    cwebimage_png_code_table order = {
        inflater->order, order_capacity, order_bits, cwebimage_png_order_entry, false,
    };
    if (!cwebimage_png_build(&order, inflater->lengths, order_count)) return cwebimage_png_fail(inflater);
    memset(inflater->lengths, 0, order_count);
    inflater->index = 0;
    inflater->mode = mode_lengths;
    return goes_on;
}

cwebimage_png_progress cwebimage_png_read_lengths(cwebimage_png_inflater *inflater, cwebimage_png_source *input) {
    unsigned total = inflater->literal_symbols + inflater->distance_symbols;
    while (inflater->index < total) {
        cwebimage_png_fill(inflater, input);
        uint32_t entry = inflater->order[cwebimage_png_low_bits(inflater->bits, order_bits)];
        unsigned symbol = entry >> 16, taken = entry & 0xFF;
        unsigned extra = symbol < 16 ? 0 : symbol == 16 ? 2 : symbol == 17 ? 3 : 7;
        if (taken + extra > inflater->bit_count) return wants_input;
        unsigned count = 1 + (unsigned)cwebimage_png_low_bits(inflater->bits >> taken, extra);
        uint8_t length = 0;
        if (symbol < 16) length = (uint8_t)symbol;
        else count += symbol == 18 ? 10 : 2;
        if (symbol == 16 && inflater->index == 0) return cwebimage_png_fail(inflater);
        if (symbol == 16) length = inflater->lengths[inflater->index - 1];
        if (count > total - inflater->index) return cwebimage_png_fail(inflater);
        memset(inflater->lengths + inflater->index, length, count);
        inflater->index += count;
        cwebimage_png_drop(inflater, taken + extra);
    }
    if (!build_codes(inflater)) return cwebimage_png_fail(inflater);
    inflater->mode = mode_codes;
    return goes_on;
}
