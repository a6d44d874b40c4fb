#ifndef CWEBIMAGE_TIFF_H
#define CWEBIMAGE_TIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libtiff reads its tags through variadic functions and reports through handlers with a va_list: Swift reaches neither.
// Each call that can fail answers false, with the library's words in `message`.

typedef struct cwebimage_tiff cwebimage_tiff;

typedef struct {
    uint32_t width;
    uint32_t height;
    /// Of a tile; of a strip, whose width is that of the picture.
    uint32_t block_width;
    uint32_t block_height;
    uint16_t bits;
    uint16_t samples;
    /// How many of the samples, the last ones, are not colour.
    uint16_t extra_samples;
    /// What the first of them is: 0 nothing known, 1 alpha that colour is multiplied by, 2 alpha that it is not.
    uint16_t first_extra;
    /// The value of tag 262; of pictures that the library converts to RGB while it reads them, RGB.
    uint16_t photometric;
    uint16_t sample_format;
    uint16_t orientation;
    uint16_t compression;
    uint16_t ink_set;
    bool is_tiled;
    bool is_planar;
} cwebimage_tiff_header;

/// Reads from memory that must live until `cwebimage_tiff_close`. NULL when there is no memory.
///
/// `max_allocation` bounds every single allocation that the library makes for what the file says.
cwebimage_tiff *cwebimage_tiff_open(const uint8_t *bytes, size_t count, size_t max_allocation);
/// Reads the directory at a place of the file; at 0, the first.
bool cwebimage_tiff_read_header(cwebimage_tiff *decoder, uint64_t directory, cwebimage_tiff_header *header);
/// Three tables of 2 to the power of `bits` entries; owned by the decoder.
bool cwebimage_tiff_palette(
    cwebimage_tiff *decoder, const uint16_t **red, const uint16_t **green, const uint16_t **blue);

/// How many bytes a row (of all samples, or of one plane), a strip of one plane and a tile take; 0 when the file's
/// numbers make none.
size_t cwebimage_tiff_row_size(cwebimage_tiff *decoder);
size_t cwebimage_tiff_strip_size(cwebimage_tiff *decoder);
size_t cwebimage_tiff_tile_size(cwebimage_tiff *decoder);

/// Writes a row of a picture in strips whose samples lie together. Rows in order cost the least.
bool cwebimage_tiff_read_row(cwebimage_tiff *decoder, uint32_t y, uint8_t *row, size_t size);
/// Writes the strip that holds row `y` of a plane.
bool cwebimage_tiff_read_strip(cwebimage_tiff *decoder, uint32_t y, uint16_t plane, uint8_t *strip, size_t size);
/// Writes the tile that holds a pixel; `plane` counts only where planes are apart.
bool cwebimage_tiff_read_tile(
    cwebimage_tiff *decoder, uint32_t x, uint32_t y, uint16_t plane, uint8_t *tile, size_t size);

/// Sets up the library's own conversion to RGBA.
bool cwebimage_tiff_start_rgba(cwebimage_tiff *decoder);
/// Writes whole rows of R, G, B, A, colour multiplied by alpha, as stored. `y` is the first row of a strip or tile.
bool cwebimage_tiff_read_rgba(cwebimage_tiff *decoder, uint32_t y, uint32_t row_count, uint8_t *rows, size_t size);

const char *cwebimage_tiff_message(const cwebimage_tiff *decoder);
void cwebimage_tiff_close(cwebimage_tiff *decoder);

#endif
