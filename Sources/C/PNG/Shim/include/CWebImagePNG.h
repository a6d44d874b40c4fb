#ifndef CWEBIMAGE_PNG_H
#define CWEBIMAGE_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libpng reports an error by longjmp, which must not cross a Swift frame; so each call that can fail is wrapped here
// and answers false, with the library's words in `message`.

typedef struct cwebimage_png_decoder cwebimage_png_decoder;
typedef struct cwebimage_png_encoder cwebimage_png_encoder;

#include "CWebImagePNGInflate.h"
#include "CWebImagePNGRows.h"

// MARK: Pulling rows

/// Reads a PNG that begins with `head` and goes on with `bytes`. Both must live until `cwebimage_png_close`. NULL when
/// there is no memory.
cwebimage_png_decoder *cwebimage_png_open(
    const uint8_t *head, size_t head_count, const uint8_t *bytes, size_t count);
/// Reads up to the pixels and sets up rows of straight R, G, B, A, 8 bits each.
bool cwebimage_png_start(cwebimage_png_decoder *decoder, bool checks_crc);
/// Writes the next row, width × 4 bytes. Of an interlaced picture only the pixels of the present pass are written, so
/// each row must be handed in as the pass before left it.
bool cwebimage_png_read_row(cwebimage_png_decoder *decoder, uint8_t *row);
/// How many bytes were read.
size_t cwebimage_png_offset(const cwebimage_png_decoder *decoder);
/// Whether the library asked for more bytes than there are.
bool cwebimage_png_hit_end(const cwebimage_png_decoder *decoder);
const char *cwebimage_png_message(const cwebimage_png_decoder *decoder);
void cwebimage_png_close(cwebimage_png_decoder *decoder);

// MARK: Feeding bytes

/// Called for each row of each pass. Must return: it runs inside the library.
typedef void (*cwebimage_png_take_row)(void *context, uint32_t y, int pass);

typedef struct {
    cwebimage_png_take_row take_row;
    void *context;
    /// Where the picture gathers, of an interlaced one in ever smaller blocks: height times `bytes_per_row` bytes.
    uint8_t *canvas;
    size_t bytes_per_row;
} cwebimage_png_feeding;

/// A decoder whose bytes come by `cwebimage_png_feed`. NULL when there is no memory.
cwebimage_png_decoder *cwebimage_png_open_fed(cwebimage_png_feeding feeding);
bool cwebimage_png_feed(cwebimage_png_decoder *decoder, const uint8_t *bytes, size_t count);
/// Whether the compressed data ended, after the last row, as it should, checksum and all. Asked once, after the last
/// chunk of pixels; takes no more of them.
bool cwebimage_png_has_good_end(cwebimage_png_decoder *decoder);

// MARK: Chunks

/// The checksum of a chunk's name and body.
uint32_t cwebimage_png_crc(const uint8_t *bytes, size_t count);
/// Inflates `*count` bytes, which then is the size of the result. NULL for a damaged stream and for one that gives
/// more than `limit` bytes. The result is freed by `cwebimage_png_free`.
uint8_t *cwebimage_png_inflate(const uint8_t *bytes, size_t *count, size_t limit);
/// Deflates likewise; NULL when there is no memory.
uint8_t *cwebimage_png_deflate(const uint8_t *bytes, size_t *count);
void cwebimage_png_free(uint8_t *bytes);

// MARK: Writing

/// NULL when there is no memory.
cwebimage_png_encoder *cwebimage_png_encoder_open(void);
/// 8 bits a sample; `color_type` is that of the header.
bool cwebimage_png_encoder_start(cwebimage_png_encoder *encoder, uint32_t width, uint32_t height, uint8_t color_type);
/// Between start and the first row.
bool cwebimage_png_encoder_write_chunk(
    cwebimage_png_encoder *encoder, const char *name, const uint8_t *bytes, size_t count);
/// Takes a row of the colour type's samples.
bool cwebimage_png_encoder_write_row(cwebimage_png_encoder *encoder, const uint8_t *row);
/// The whole file, owned by the encoder.
bool cwebimage_png_encoder_finish(cwebimage_png_encoder *encoder, const uint8_t **bytes, size_t *count);
const char *cwebimage_png_encoder_message(const cwebimage_png_encoder *encoder);
void cwebimage_png_encoder_close(cwebimage_png_encoder *encoder);

#endif
