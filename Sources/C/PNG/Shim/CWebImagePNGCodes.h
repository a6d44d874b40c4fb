#ifndef CWEBIMAGE_PNG_CODES_H
#define CWEBIMAGE_PNG_CODES_H

#include <stdbool.h>
#include <stdint.h>

// The tables by which the codes of compressed data are read; only for the files of this folder.
//
// A table is looked up by the next bits of the stream. An entry holds in bits 0 to 7 how many bits it takes, and
// - a literal: bit 31, the byte in bits 8 to 15; with bit 30 a second one in bits 16 to 23, both taken at once, and in
//   bits 24 to 27 how many of them the first takes;
// - a length or distance: its base in bits 16 to 30, in bits 8 to 12 the length of the code alone, the bits behind it
//   being added to the base;
// - else bit 15, and with bit 14 a further table: in bits 16 to 28 where it begins, in bits 8 to 12 how many bits look
//   it up; with bit 13 the end of the block; with neither a code that has no meaning.

#define CWEBIMAGE_PNG_LITERAL UINT32_C(0x80000000)

enum {
    pair_flag = 0x40000000,
    special_flag = 0x8000,
    table_flag = 0x4000,
    end_flag = 0x2000,
};

enum { literal_bits = 11, distance_bits = 9, order_bits = 7, max_bits = 15, window_size = 1 << 15 };
// The most entries that codes of at most 15 bits can need, after `enough` of zlib: 286 and 30 symbols.
enum { literal_capacity = 2342, distance_capacity = 594, order_capacity = 1 << order_bits };
enum { literal_count = 286, distance_count = 30, order_count = 19, max_match = 258 };

typedef struct {
    uint32_t *entries;
    unsigned capacity;
    unsigned bits;
    uint32_t (*entry)(unsigned symbol, unsigned length);
    /// Whether a single code of one bit will do, though it leaves half of the codes without a meaning.
    bool may_be_single;
} cwebimage_png_code_table;

/// What a symbol's code of the given length stands for; the length is what is left of it in its table.
uint32_t cwebimage_png_literal_entry(unsigned symbol, unsigned length);
uint32_t cwebimage_png_distance_entry(unsigned symbol, unsigned length);
uint32_t cwebimage_png_order_entry(unsigned symbol, unsigned length);

/// Makes the table of at most 288 symbols, each of whose lengths is at most 15; 0 is a symbol without a code. False
/// when the lengths are no code.
bool cwebimage_png_build(const cwebimage_png_code_table *table, const uint8_t *lengths, unsigned count);
/// Lets one look-up find two literals wherever their codes fit in it together.
void cwebimage_png_pair_literals(uint32_t *entries);

#endif
