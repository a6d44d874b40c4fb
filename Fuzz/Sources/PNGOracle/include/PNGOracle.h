#ifndef PNG_ORACLE_H
#define PNG_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// libpng's answer to a file: `pixel_count` pixels of straight R, G, B, A. False where it refuses.
bool png_oracle_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t pixel_count);
/// Compresses with zlib; the answer is the count of bytes, at most `capacity`, 0 for failure.
size_t png_oracle_deflate(
    const uint8_t *bytes, size_t count, int level, int strategy, uint8_t *target, size_t capacity);
uint32_t png_oracle_crc(const uint8_t *bytes, size_t count);

#endif
