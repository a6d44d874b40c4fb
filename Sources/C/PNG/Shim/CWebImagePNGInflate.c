#include "CWebImagePNGInflate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>

#include "CWebImagePNGCodes.h"

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
static bool build_fixed(cwebimage_png_inflater *inflater) {
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

// MARK: Bits

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

static uint64_t low_bits(uint64_t bits, unsigned count) {
    return bits & ((UINT64_C(1) << count) - 1);
}

static void fill(cwebimage_png_inflater *inflater, cwebimage_png_source *input) {
    while (inflater->bit_count <= 55 && input->next < input->end) {
        inflater->bits |= (uint64_t)*input->next++ << inflater->bit_count;
        inflater->bit_count += 8;
    }
}

static void drop(cwebimage_png_inflater *inflater, unsigned count) {
    inflater->bits >>= count;
    inflater->bit_count -= count;
}

/// False when there are not yet that many bits, at most 56.
static bool take(cwebimage_png_inflater *inflater, cwebimage_png_source *input, unsigned count, uint32_t *value) {
    fill(inflater, input);
    if (inflater->bit_count < count) return false;
    *value = (uint32_t)low_bits(inflater->bits, count);
    drop(inflater, count);
    return true;
}

/// The entry of the next code, and how many bits stand before what it says it takes.
static uint32_t look_up(const uint32_t *entries, unsigned table_bits, uint64_t bits, unsigned *before) {
    uint32_t entry = entries[low_bits(bits, table_bits)];
    *before = 0;
    if ((entry & CWEBIMAGE_PNG_LITERAL) || !(entry & special_flag) || !(entry & table_flag)) return entry;
    *before = table_bits;
    return entries[(entry >> 16 & 0x1FFF) + low_bits(bits >> table_bits, entry >> 8 & 0x1F)];
}

/// The value of an entry that has a base.
static unsigned value_of(uint32_t entry, uint64_t bits) {
    return (entry >> 16) + (unsigned)(low_bits(bits, entry & 0x3F) >> (entry >> 8 & 0x1F));
}

// MARK: Blocks

/// What a step of the machine says: go on, or why it cannot.
typedef enum { goes_on, wants_input, wants_room } cwebimage_png_progress;

static cwebimage_png_progress fail(cwebimage_png_inflater *inflater) {
    inflater->mode = mode_failed;
    return goes_on;
}

static cwebimage_png_progress read_header(cwebimage_png_inflater *inflater, cwebimage_png_source *input) {
    uint32_t header;
    if (!take(inflater, input, 16, &header)) return wants_input;
    unsigned method = header & 0xFF, flags = header >> 8;
    bool is_usable = (method & 15) == 8 && method >> 4 <= 7 && !(flags & 0x20) && (method << 8 | flags) % 31 == 0;
    if (!is_usable) return fail(inflater);
    inflater->mode = mode_block;
    return goes_on;
}

static cwebimage_png_progress read_block(cwebimage_png_inflater *inflater, cwebimage_png_source *input) {
    uint32_t header;
    if (inflater->is_last) {
        inflater->mode = mode_checksum;
        drop(inflater, inflater->bit_count & 7);
        return goes_on;
    }
    if (!take(inflater, input, 3, &header)) return wants_input;
    inflater->is_last = header & 1;
    switch (header >> 1) {
    case 0:
        drop(inflater, inflater->bit_count & 7);
        inflater->mode = mode_stored_size;
        break;
    case 1:
        inflater->mode = mode_codes;
        if (!build_fixed(inflater)) return fail(inflater);
        break;
    case 2: inflater->mode = mode_counts; break;
    default: return fail(inflater);
    }
    return goes_on;
}

static cwebimage_png_progress read_stored_size(cwebimage_png_inflater *inflater, cwebimage_png_source *input) {
    uint32_t sizes;
    if (!take(inflater, input, 32, &sizes)) return wants_input;
    if ((sizes & 0xFFFF) != (~sizes >> 16)) return fail(inflater);
    inflater->stored_left = sizes & 0xFFFF;
    inflater->mode = mode_stored;
    return goes_on;
}

static cwebimage_png_progress copy_stored(
    cwebimage_png_inflater *inflater, cwebimage_png_source *input, cwebimage_png_target *output) {
    while (inflater->stored_left > 0 && inflater->bit_count >= 8 && output->next < output->end) {
        *output->next++ = (uint8_t)inflater->bits;
        drop(inflater, 8);
        inflater->stored_left--;
    }
    if (inflater->stored_left > 0 && inflater->bit_count >= 8) return wants_room;
    size_t count = inflater->stored_left, room = (size_t)(output->end - output->next);
    if (count > (size_t)(input->end - input->next)) count = (size_t)(input->end - input->next);
    if (count > room) count = room;
    if (count > 0) memcpy(output->next, input->next, count);
    output->next += count;
    input->next += count;
    inflater->stored_left -= count;
    if (inflater->stored_left == 0) inflater->mode = mode_block;
    else return output->next == output->end ? wants_room : wants_input;
    return goes_on;
}

static cwebimage_png_progress read_counts(cwebimage_png_inflater *inflater, cwebimage_png_source *input) {
    uint32_t counts;
    if (!take(inflater, input, 14, &counts)) return wants_input;
    inflater->literal_symbols = 257 + (counts & 31);
    inflater->distance_symbols = 1 + (counts >> 5 & 31);
    inflater->order_symbols = 4 + (counts >> 10);
    if (inflater->literal_symbols > literal_count || inflater->distance_symbols > distance_count) return fail(inflater);
    memset(inflater->lengths, 0, sizeof inflater->lengths);
    inflater->has_fixed_codes = false;
    inflater->index = 0;
    inflater->mode = mode_order;
    return goes_on;
}

static cwebimage_png_progress read_order(cwebimage_png_inflater *inflater, cwebimage_png_source *input) {
    static const uint8_t places[order_count] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
    for (; inflater->index < inflater->order_symbols; inflater->index++) {
        uint32_t length;
        if (!take(inflater, input, 3, &length)) return wants_input;
        inflater->lengths[places[inflater->index]] = (uint8_t)length;
    }
    cwebimage_png_code_table order = {
        inflater->order, order_capacity, order_bits, cwebimage_png_order_entry, false,
    };
    if (!cwebimage_png_build(&order, inflater->lengths, order_count)) return fail(inflater);
    memset(inflater->lengths, 0, order_count);
    inflater->index = 0;
    inflater->mode = mode_lengths;
    return goes_on;
}

static cwebimage_png_progress read_lengths(cwebimage_png_inflater *inflater, cwebimage_png_source *input) {
    unsigned total = inflater->literal_symbols + inflater->distance_symbols;
    while (inflater->index < total) {
        fill(inflater, input);
        uint32_t entry = inflater->order[low_bits(inflater->bits, order_bits)];
        unsigned symbol = entry >> 16, taken = entry & 0xFF;
        unsigned extra = symbol < 16 ? 0 : symbol == 16 ? 2 : symbol == 17 ? 3 : 7;
        if (taken + extra > inflater->bit_count) return wants_input;
        unsigned count = 1 + (unsigned)low_bits(inflater->bits >> taken, extra);
        uint8_t length = 0;
        if (symbol < 16) length = (uint8_t)symbol;
        else count += symbol == 18 ? 10 : 2;
        if (symbol == 16 && inflater->index == 0) return fail(inflater);
        if (symbol == 16) length = inflater->lengths[inflater->index - 1];
        if (count > total - inflater->index) return fail(inflater);
        memset(inflater->lengths + inflater->index, length, count);
        inflater->index += count;
        drop(inflater, taken + extra);
    }
    if (!build_codes(inflater)) return fail(inflater);
    inflater->mode = mode_codes;
    return goes_on;
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
    return entries[(entry >> 16 & 0x1FFF) + low_bits(*bits, entry >> 8 & 0x1F)];
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
    inflater->bits = low_bits(bits, count);
    inflater->bit_count = count;
    input->next = next;
    output->next = to;
}

/// Decodes one literal or match, or nothing when not all of its bits are there.
static cwebimage_png_progress decode_one(
    cwebimage_png_inflater *inflater, cwebimage_png_source *input, cwebimage_png_target *output) {
    if (output->next == output->end) return wants_room;
    fill(inflater, input);
    unsigned before;
    uint64_t bits = inflater->bits;
    uint32_t entry = look_up(inflater->literals, literal_bits, bits, &before);
    unsigned taken = before + (entry & pair_flag && entry & CWEBIMAGE_PNG_LITERAL ? entry >> 24 & 15 : entry & 0x3F);
    if (taken > inflater->bit_count) return wants_input;
    if (entry & CWEBIMAGE_PNG_LITERAL) {
        *output->next++ = (uint8_t)(entry >> 8);
        drop(inflater, taken);
        return goes_on;
    }
    if (entry & special_flag) {
        if (!(entry & end_flag)) return fail(inflater);
        drop(inflater, taken);
        inflater->mode = mode_block;
        return goes_on;
    }
    unsigned length = value_of(entry, bits >> before);
    bits >>= taken;
    entry = look_up(inflater->distances, distance_bits, bits, &before);
    taken += before + (entry & 0x3F);
    if (taken > inflater->bit_count) return wants_input;
    if (entry & special_flag) return fail(inflater);
    unsigned distance = value_of(entry, bits >> before);
    if (distance > inflater->history + (size_t)(output->next - output->start)) return fail(inflater);
    drop(inflater, taken);
    inflater->match_left = length;
    inflater->match_distance = distance;
    return goes_on;
}

static cwebimage_png_progress decode_block(
    cwebimage_png_inflater *inflater, cwebimage_png_source *input, cwebimage_png_target *output) {
    for (;;) {
        copy_match(inflater, output);
        bool is_ample = input->end - input->next > input_margin && output->end - output->next > output_margin;
        if (is_ample) decode_fast(inflater, input, output);
        cwebimage_png_progress progress = decode_one(inflater, input, output);
        if (progress != goes_on || inflater->mode != mode_codes) return progress;
    }
}

// MARK: Steps

static void add_to_checksum(cwebimage_png_inflater *inflater, cwebimage_png_target *output) {
    inflater->checksum =
        libdeflate_adler32(inflater->checksum, output->summed, (size_t)(output->next - output->summed));
    output->summed = output->next;
}

static cwebimage_png_progress read_checksum(
    cwebimage_png_inflater *inflater, cwebimage_png_source *input, cwebimage_png_target *output) {
    uint32_t checksum;
    if (!take(inflater, input, 32, &checksum)) return wants_input;
    add_to_checksum(inflater, output);
    inflater->mode = __builtin_bswap32(checksum) == inflater->checksum ? mode_ended : mode_failed;
    return goes_on;
}

static cwebimage_png_progress advance(
    cwebimage_png_inflater *inflater, cwebimage_png_source *input, cwebimage_png_target *output) {
    switch (inflater->mode) {
    case mode_header: return read_header(inflater, input);
    case mode_block: return read_block(inflater, input);
    case mode_stored_size: return read_stored_size(inflater, input);
    case mode_stored: return copy_stored(inflater, input, output);
    case mode_counts: return read_counts(inflater, input);
    case mode_order: return read_order(inflater, input);
    case mode_lengths: return read_lengths(inflater, input);
    case mode_codes: return decode_block(inflater, input, output);
    case mode_checksum: return read_checksum(inflater, input, output);
    default: return goes_on;
    }
}

cwebimage_png_inflater *cwebimage_png_inflater_open(void) {
    cwebimage_png_inflater *inflater = malloc(sizeof *inflater);
    if (!inflater) return NULL;
    // The tables are built before they are read.
    memset(inflater, 0, offsetof(cwebimage_png_inflater, order));
    inflater->checksum = 1;
    return inflater;
}

cwebimage_png_inflate_step cwebimage_png_inflater_step(
    cwebimage_png_inflater *inflater, const uint8_t *bytes, size_t count, uint8_t *output, size_t output_count,
    size_t output_start) {
    if (output_start > output_count || output_start < inflater->history) {
        inflater->mode = mode_failed;
        output_start = output_count;
    }
    cwebimage_png_source source = { bytes, bytes + count };
    uint8_t *start = output + output_start;
    cwebimage_png_target target = { start, start, output + output_count, start };
    cwebimage_png_progress progress = goes_on;
    while (progress == goes_on && inflater->mode != mode_ended && inflater->mode != mode_failed) {
        progress = advance(inflater, &source, &target);
    }
    add_to_checksum(inflater, &target);
    inflater->history += (size_t)(target.next - start);
    if (inflater->history > window_size) inflater->history = window_size;
    cwebimage_png_inflate_step step = { (size_t)(source.next - bytes), (size_t)(target.next - output), 0 };
    step.state = inflater->mode == mode_ended ? CWEBIMAGE_PNG_INFLATE_ENDED
        : inflater->mode == mode_failed ? CWEBIMAGE_PNG_INFLATE_FAILED
        : progress == wants_room ? CWEBIMAGE_PNG_INFLATE_NEEDS_ROOM
        : CWEBIMAGE_PNG_INFLATE_NEEDS_INPUT;
    return step;
}

void cwebimage_png_inflater_close(cwebimage_png_inflater *inflater) {
    free(inflater);
}
