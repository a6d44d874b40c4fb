#include "CWebImagePNGCodes.h"

#include <string.h>

static const uint16_t length_bases[29] = {
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
};
static const uint8_t length_extras[29] = {
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
};
static const uint16_t distance_bases[30] = {
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
    8193, 12289, 16385, 24577,
};
static const uint8_t distance_extras[30] = {
    0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
};

static uint32_t match_entry(unsigned base, unsigned extra, unsigned length) {
    return (uint32_t)base << 16 | length << 8 | (length + extra);
}

uint32_t cwebimage_png_literal_entry(unsigned symbol, unsigned length) {
    if (symbol < 256) return CWEBIMAGE_PNG_LITERAL | symbol << 8 | length;
    if (symbol == 256) return special_flag | end_flag | length;
    if (symbol - 257 >= sizeof length_extras) return special_flag | length;
    return match_entry(length_bases[symbol - 257], length_extras[symbol - 257], length);
}

uint32_t cwebimage_png_distance_entry(unsigned symbol, unsigned length) {
    if (symbol >= sizeof distance_extras) return special_flag | length;
    return match_entry(distance_bases[symbol], distance_extras[symbol], length);
}

uint32_t cwebimage_png_order_entry(unsigned symbol, unsigned length) {
    return match_entry(symbol, 0, length);
}

/// The symbols that have a code, shorter codes first; the longest length, or 0 when the lengths are no code.
static unsigned sort_symbols(
    const uint8_t *lengths, unsigned count, bool may_be_single, unsigned *counts, uint16_t *sorted) {
    unsigned offsets[max_bits + 2] = { 0 };
    memset(counts, 0, sizeof *counts * (max_bits + 1));
    for (unsigned symbol = 0; symbol < count; symbol++) counts[lengths[symbol]]++;
    int left = 1;
    unsigned longest = 0;
    for (unsigned length = 1; length <= max_bits; length++) {
        left = left * 2 - (int)counts[length];
        if (left < 0) return 0;
        if (counts[length]) longest = length;
        offsets[length + 1] = offsets[length] + counts[length];
    }
    if (left > 0 && (!may_be_single || longest > 1)) return 0;
    for (unsigned symbol = 0; symbol < count; symbol++) {
        if (lengths[symbol]) sorted[offsets[lengths[symbol]]++] = (uint16_t)symbol;
    }
    return longest;
}

/// How many bits look up the further table that begins with codes of the given length.
static unsigned further_bits(const unsigned *counts, unsigned length, unsigned longest, unsigned main_bits) {
    unsigned bits = length - main_bits;
    int left = 1 << bits;
    while (bits + main_bits < longest) {
        left -= (int)counts[bits + main_bits];
        if (left <= 0) break;
        bits++;
        left *= 2;
    }
    return bits;
}

/// The code that follows, bits reversed as the stream has them.
static unsigned next_code(unsigned code, unsigned length) {
    unsigned step = 1u << (length - 1);
    while (code & step) step >>= 1;
    return step ? (code & (step - 1)) + step : 0;
}

bool cwebimage_png_build(const cwebimage_png_code_table *table, const uint8_t *lengths, unsigned count) {
    unsigned counts[max_bits + 1];
    uint16_t sorted[literal_count + 2];
    unsigned main_size = 1u << table->bits, used = main_size;
    for (unsigned i = 0; i < main_size; i++) table->entries[i] = special_flag | 1;
    unsigned longest = sort_symbols(lengths, count, table->may_be_single, counts, sorted);
    if (longest == 0) return table->may_be_single && counts[0] == count;
    unsigned code = 0, next = 0, prefix = main_size, start = 0, bits = 0;
    for (unsigned length = 1; length <= longest; length++) {
        for (unsigned i = counts[length]; i > 0; i--, code = next_code(code, length)) {
            unsigned symbol = sorted[next++];
            if (length <= table->bits) {
                uint32_t entry = table->entry(symbol, length);
                for (unsigned at = code; at < main_size; at += 1u << length) table->entries[at] = entry;
                continue;
            }
            if ((code & (main_size - 1)) != prefix) {
                prefix = code & (main_size - 1);
                bits = further_bits(counts, length, longest, table->bits);
                start = used;
                used += 1u << bits;
                if (used > table->capacity) return false;
                table->entries[prefix] = special_flag | table_flag | start << 16 | bits << 8 | table->bits;
            }
            counts[length]--;
            unsigned rest = length - table->bits;
            uint32_t entry = table->entry(symbol, rest);
            uint32_t *further = table->entries + start;
            for (unsigned at = code >> table->bits; at < 1u << bits; at += 1u << rest) further[at] = entry;
        }
    }
    return true;
}

void cwebimage_png_pair_literals(uint32_t *entries) {
    // Downwards: the entry of what follows is looked at before it becomes a pair itself.
    for (unsigned i = (1u << literal_bits) - 1; i > 0; i--) {
        uint32_t first = entries[i];
        unsigned length = first & 0xFF;
        if (!(first & CWEBIMAGE_PNG_LITERAL) || length >= literal_bits) continue;
        uint32_t second = entries[i >> length];
        unsigned both = length + (second & 0xFF);
        if (!(second & CWEBIMAGE_PNG_LITERAL) || second & pair_flag || both > literal_bits) continue;
        uint32_t bytes = (second & 0xFF00) << 8 | (first & 0xFF00);
        entries[i] = CWEBIMAGE_PNG_LITERAL | pair_flag | length << 24 | bytes | both;
    }
}
