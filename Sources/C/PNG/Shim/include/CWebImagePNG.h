#ifndef CWEBIMAGE_PNG_H
#define CWEBIMAGE_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libpng reports an error by longjmp, which must not cross a Swift frame; so each call that can fail is wrapped here
// and answers false, with the library's words in `message`.

typedef struct cwebimage_png_decoder cwebimage_png_decoder;
typedef struct cwebimage_png_encoder cwebimage_png_encoder;

typedef struct {
    uint32_t width;
    uint32_t height;
    bool has_alpha;
    /// How often the rows come, each time finer: 1, or 7 for an interlaced picture.
    int passes;
} cwebimage_png_header;

/// Reads from memory that must live until `cwebimage_png_close`. NULL when there is no memory.
cwebimage_png_decoder *cwebimage_png_open(const uint8_t *bytes, size_t count);
bool cwebimage_png_read_header(cwebimage_png_decoder *decoder, cwebimage_png_header *header);
/// The embedded colour profile; NULL when there is none that the library accepts. Owned by the decoder.
const uint8_t *cwebimage_png_profile(cwebimage_png_decoder *decoder, size_t *count);
/// Sets up rows of straight R, G, B, A, 8 bits each.
bool cwebimage_png_start(cwebimage_png_decoder *decoder);
/// Writes the next row, width × 4 bytes. Of an interlaced picture only the pixels of the present pass are written, so
/// each row must be handed in as the pass before left it.
bool cwebimage_png_read_row(cwebimage_png_decoder *decoder, uint8_t *row);
/// How many bytes were read.
size_t cwebimage_png_offset(const cwebimage_png_decoder *decoder);
/// Whether the library asked for more bytes than there are.
bool cwebimage_png_hit_end(const cwebimage_png_decoder *decoder);
const char *cwebimage_png_message(const cwebimage_png_decoder *decoder);
void cwebimage_png_close(cwebimage_png_decoder *decoder);

/// NULL when there is no memory.
cwebimage_png_encoder *cwebimage_png_encoder_open(void);
/// Without alpha the fourth byte of each pixel is left out.
bool cwebimage_png_encoder_start(cwebimage_png_encoder *encoder, uint32_t width, uint32_t height, bool has_alpha);
/// Takes a row of straight R, G, B, A.
bool cwebimage_png_encoder_write_row(cwebimage_png_encoder *encoder, const uint8_t *row);
/// The whole file, owned by the encoder.
bool cwebimage_png_encoder_finish(cwebimage_png_encoder *encoder, const uint8_t **bytes, size_t *count);
const char *cwebimage_png_encoder_message(const cwebimage_png_encoder *encoder);
void cwebimage_png_encoder_close(cwebimage_png_encoder *encoder);

#endif
