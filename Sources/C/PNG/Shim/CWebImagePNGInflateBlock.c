#include <string.h>

#include "CWebImagePNGInflater.h"

/// The entry of the next code, and how many bits stand before what it says it takes.
static uint32_t look_up(const uint32_t *entries, unsigned table_bits, uint64_t bits, unsigned *before) {
    uint32_t entry = entries[cwebimage_png_low_bits(bits, table_bits)];
    *before = 0;
    if ((entry & CWEBIMAGE_PNG_LITERAL) || !(entry & special_flag) || !(entry & table_flag)) return entry;
    *before = table_bits;
    return entries[(entry >> 16 & 0x1FFF) + cwebimage_png_low_bits(bits >> table_bits, entry >> 8 & 0x1F)];
}

/// The value of an entry that has a base.
static unsigned value_of(uint32_t entry, uint64_t bits) {
    return (entry >> 16) + (unsigned)(cwebimage_png_low_bits(bits, entry & 0x3F) >> (entry >> 8 & 0x1F));
}

static void copy_match(cwebimage_png_inflater *inflater, cwebimage_png_target *output) {
    while (inflater->match_left > 0 && output->next < output->end) {
        *output->next = *(output->next - inflater->match_distance);
        output->next++;
        inflater->match_left--;
    }
}

static uint64_t load(const uint8_t *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

/// Copies in larger pieces than asked for: up to 16 bytes behind the match are written too.
static inline void copy_generously(uint8_t *to, unsigned distance, unsigned length) {
    const uint8_t *from = to - distance;
    uint8_t *end = to + length;
    if (distance >= 16) {
        do {
            memcpy(to, from, 16);
            to += 16;
            from += 16;
        } while (to < end);
        return;
    }
    if (distance == 1) {
        memset(to, *from, length);
        return;
    }
    // The pattern is doubled until a step of it is eight bytes or more.
    while (distance < 8 && to < end) {
        uint64_t pattern;
        memcpy(&pattern, from, 8);
        memcpy(to, &pattern, 8);
        to += distance;
        distance *= 2;
    }
    while (to < end) {
        memcpy(to, from, 8);
        to += 8;
        from += 8;
    }
}

enum { input_margin = 16, output_margin = max_match + 32 };

/// The entry in the further table that an entry of a main one points to.
static inline uint32_t further(
    const uint32_t *entries, uint32_t entry, unsigned table_bits, uint64_t *bits, unsigned *count) {
    *bits >>= table_bits;
    *count -= table_bits;
    return entries[(entry >> 16 & 0x1FFF) + cwebimage_png_low_bits(*bits, entry >> 8 & 0x1F)];
}

/// Decodes while input and room are ample. False at the end of the block and for damage, which the careful loop sees.
static void decode_fast(cwebimage_png_inflater *inflater, cwebimage_png_source *input, cwebimage_png_target *output) {
    const uint8_t *next = input->next, *const last = input->end - input_margin;
    uint8_t *to = output->next, *const last_to = output->end - output_margin;
    const uint32_t *literals = inflater->literals, *distances = inflater->distances;
    uint64_t bits = inflater->bits;
    unsigned count = inflater->bit_count;
    size_t before = inflater->history;
    // At least 56 bits; those above the count are those of the stream, and are added again.
#define REFILL() (bits |= load(next) << count, next += (63 - count) >> 3, count |= 56)
#define DROP(entry) (bits >>= (entry) & 0x3F, count -= (entry) & 0x3F)
    while (next < last && to < last_to) {
        REFILL();
        uint32_t entry = literals[bits & ((1 << literal_bits) - 1)];
        // Four look-ups of 11 bits are in 56.
        for (int i = 0; i < 4 && entry & CWEBIMAGE_PNG_LITERAL; i++) {
            to[0] = (uint8_t)(entry >> 8);
            to[1] = (uint8_t)(entry >> 16);
            to += 1 + (entry >> 30 & 1);
            DROP(entry);
            entry = literals[bits & ((1 << literal_bits) - 1)];
        }
        if (entry & CWEBIMAGE_PNG_LITERAL) continue;
        REFILL();
        uint64_t saved = bits;
        unsigned saved_count = count;
        if (entry & special_flag) {
            if (!(entry & table_flag)) break;
            entry = further(literals, entry, literal_bits, &bits, &count);
            if (entry & CWEBIMAGE_PNG_LITERAL) {
                *to++ = (uint8_t)(entry >> 8);
                DROP(entry);
                continue;
            }
        }
        // The one that ends the block, or has no meaning: the careful loop sees to it.
        bool is_usable = !(entry & special_flag);
        unsigned length = value_of(entry, bits);
        DROP(entry);
        entry = distances[bits & ((1 << distance_bits) - 1)];
        if (entry & special_flag && entry & table_flag) {
            entry = further(distances, entry, distance_bits, &bits, &count);
        }
        unsigned distance = value_of(entry, bits);
        if (!is_usable || entry & special_flag || distance > before + (size_t)(to - output->start)) {
            bits = saved;
            count = saved_count;
            break;
        }
        DROP(entry);
        copy_generously(to, distance, length);
        to += length;
    }
#undef REFILL
#undef DROP
    inflater->bits = cwebimage_png_low_bits(bits, count);
    inflater->bit_count = count;
    input->next = next;
    output->next = to;
}

/// Decodes one literal or match, or nothing when not all of its bits are there.
static cwebimage_png_progress decode_one(
    cwebimage_png_inflater *inflater, cwebimage_png_source *input, cwebimage_png_target *output) {
    if (output->next == output->end) return wants_room;
    cwebimage_png_fill(inflater, input);
    unsigned before;
    uint64_t bits = inflater->bits;
    uint32_t entry = look_up(inflater->literals, literal_bits, bits, &before);
    unsigned taken = before + (entry & pair_flag && entry & CWEBIMAGE_PNG_LITERAL ? entry >> 24 & 15 : entry & 0x3F);
    if (taken > inflater->bit_count) return wants_input;
    if (entry & CWEBIMAGE_PNG_LITERAL) {
        *output->next++ = (uint8_t)(entry >> 8);
        cwebimage_png_drop(inflater, taken);
        return goes_on;
    }
    if (entry & special_flag) {
        if (!(entry & end_flag)) return cwebimage_png_fail(inflater);
        cwebimage_png_drop(inflater, taken);
        inflater->mode = mode_block;
        return goes_on;
    }
    unsigned length = value_of(entry, bits >> before);
    bits >>= taken;
    entry = look_up(inflater->distances, distance_bits, bits, &before);
    taken += before + (entry & 0x3F);
    if (taken > inflater->bit_count) return wants_input;
    if (entry & special_flag) return cwebimage_png_fail(inflater);
    unsigned distance = value_of(entry, bits >> before);
    if (distance > inflater->history + (size_t)(output->next - output->start)) return cwebimage_png_fail(inflater);
    cwebimage_png_drop(inflater, taken);
    inflater->match_left = length;
    inflater->match_distance = distance;
    return goes_on;
}

cwebimage_png_progress cwebimage_png_decode_block(
    cwebimage_png_inflater *inflater, cwebimage_png_source *input, cwebimage_png_target *output) {
    for (;;) {
        copy_match(inflater, output);
        bool is_ample = input->end - input->next > input_margin && output->end - output->next > output_margin;
        if (is_ample) decode_fast(inflater, input, output);
        cwebimage_png_progress progress = decode_one(inflater, input, output);
        if (progress != goes_on || inflater->mode != mode_codes) return progress;
    }
}
