#ifndef CWEBIMAGE_PNG_INFLATE_H
#define CWEBIMAGE_PNG_INFLATE_H

#include <stddef.h>
#include <stdint.h>

// A decoder of the zlib form (RFC 1950, 1951) that stops wherever input or room ends and goes on from there. It takes
// and refuses the streams that zlib does.

typedef struct cwebimage_png_inflater cwebimage_png_inflater;

typedef enum {
    /// All input was taken.
    CWEBIMAGE_PNG_INFLATE_NEEDS_INPUT,
    /// The output is full.
    CWEBIMAGE_PNG_INFLATE_NEEDS_ROOM,
    /// The stream is over, its checksum right.
    CWEBIMAGE_PNG_INFLATE_ENDED,
    /// The stream is damaged. Stays so.
    CWEBIMAGE_PNG_INFLATE_FAILED,
} cwebimage_png_inflate_state;

typedef struct {
    /// How many bytes of the input were taken.
    size_t input_count;
    /// Where the output ends now.
    size_t output_end;
    cwebimage_png_inflate_state state;
} cwebimage_png_inflate_step;

/// NULL when there is no memory.
cwebimage_png_inflater *cwebimage_png_inflater_open(void);
/// Inflates into `output`, of `output_count` bytes, from `output_start` on. The bytes before the start must be the
/// stream's output so far: the last 32 KiB of it, or all where it is less.
cwebimage_png_inflate_step cwebimage_png_inflater_step(
    cwebimage_png_inflater *inflater, const uint8_t *input, size_t input_count, uint8_t *output, size_t output_count,
    size_t output_start);
void cwebimage_png_inflater_close(cwebimage_png_inflater *inflater);

#endif
