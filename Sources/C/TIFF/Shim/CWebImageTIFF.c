#include "CWebImageTIFF.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tiffio.h>

enum { message_size = 300 };

struct cwebimage_tiff {
    TIFF *tiff;
    const uint8_t *bytes;
    uint64_t count;
    uint64_t offset;
    size_t max_allocation;
    cwebimage_tiff_header header;
    TIFFRGBAImage rgba;
    bool has_rgba;
    char message[message_size];
    char warning[message_size];
};

// MARK: Messages

/// The first fault is the cause of those that follow.
static void note(char *message, const char *format, va_list arguments) {
    if (!message[0]) vsnprintf(message, message_size, format, arguments);
}

static void say(cwebimage_tiff *decoder, const char *text) {
    if (!decoder->message[0]) snprintf(decoder->message, sizeof decoder->message, "%s", text);
}

#if TIFFLIB_VERSION >= 20221213

static int note_error(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments) {
    (void)tiff;
    (void)module;
    note(((cwebimage_tiff *)user)->message, format, arguments);
    return 1;
}

static int note_warning(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments) {
    (void)tiff;
    (void)module;
    note(((cwebimage_tiff *)user)->warning, format, arguments);
    return 1;
}

#endif

// MARK: Source

static tmsize_t read_bytes(thandle_t handle, void *target, tmsize_t count) {
    cwebimage_tiff *decoder = handle;
    if (count <= 0 || decoder->offset >= decoder->count) return 0;
    uint64_t rest = decoder->count - decoder->offset;
    uint64_t step = (uint64_t)count < rest ? (uint64_t)count : rest;
    memcpy(target, decoder->bytes + decoder->offset, step);
    decoder->offset += step;
    return (tmsize_t)step;
}

static tmsize_t write_nothing(thandle_t handle, void *source, tmsize_t count) {
    (void)handle;
    (void)source;
    (void)count;
    return -1;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    cwebimage_tiff *decoder = handle;
    uint64_t base = whence == SEEK_CUR ? decoder->offset : whence == SEEK_END ? decoder->count : 0;
    // Reading behind the end gives nothing, so that any place may be sought.
    decoder->offset = base + offset;
    return decoder->offset;
}

static int close_nothing(thandle_t handle) {
    (void)handle;
    return 0;
}

static toff_t size_of(thandle_t handle) {
    return ((cwebimage_tiff *)handle)->count;
}

/// Mapped, a strip is read where it lies. The library does not write into it.
static int map(thandle_t handle, void **base, toff_t *count) {
    cwebimage_tiff *decoder = handle;
    *base = (void *)decoder->bytes;
    *count = decoder->count;
    return 1;
}

static void unmap(thandle_t handle, void *base, toff_t count) {
    (void)handle;
    (void)base;
    (void)count;
}

// MARK: Opening

cwebimage_tiff *cwebimage_tiff_open(const uint8_t *bytes, size_t count, size_t max_allocation) {
    cwebimage_tiff *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    decoder->bytes = bytes;
    decoder->count = count;
    decoder->max_allocation = max_allocation < PTRDIFF_MAX ? max_allocation : PTRDIFF_MAX;
    return decoder;
}

#if TIFFLIB_VERSION >= 20221213

static TIFF *open_memory(cwebimage_tiff *decoder) {
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options) return NULL;
    TIFFOpenOptionsSetErrorHandlerExtR(options, note_error, decoder);
    TIFFOpenOptionsSetWarningHandlerExtR(options, note_warning, decoder);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)decoder->max_allocation);
    TIFF *tiff = TIFFClientOpenExt(
        "memory", "r", decoder, read_bytes, write_nothing, seek, close_nothing, size_of, map, unmap, options);
    TIFFOpenOptionsFree(options);
    return tiff;
}

#else

// Before version 4.5 handlers belonged to the whole process; they are left as the program has set them.
static TIFF *open_memory(cwebimage_tiff *decoder) {
    return TIFFClientOpen(
        "memory", "r", decoder, read_bytes, write_nothing, seek, close_nothing, size_of, map, unmap);
}

#endif

static void describe_alpha(cwebimage_tiff *decoder) {
    uint16_t count = 0;
    uint16_t *kinds = NULL;
    if (!TIFFGetField(decoder->tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds) || count == 0 || !kinds) return;
    decoder->header.extra_samples = count;
    decoder->header.first_extra = kinds[0];
}

static void describe_blocks(cwebimage_tiff *decoder) {
    cwebimage_tiff_header *header = &decoder->header;
    header->is_tiled = TIFFIsTiled(decoder->tiff) != 0;
    header->block_width = header->width;
    if (header->is_tiled) {
        TIFFGetField(decoder->tiff, TIFFTAG_TILEWIDTH, &header->block_width);
        TIFFGetField(decoder->tiff, TIFFTAG_TILELENGTH, &header->block_height);
    } else {
        TIFFGetFieldDefaulted(decoder->tiff, TIFFTAG_ROWSPERSTRIP, &header->block_height);
        if (header->block_height > header->height) header->block_height = header->height;
    }
}

static void describe(cwebimage_tiff *decoder) {
    TIFF *tiff = decoder->tiff;
    cwebimage_tiff_header *header = &decoder->header;
    uint16_t planar = PLANARCONFIG_CONTIG;
    header->photometric = PHOTOMETRIC_MINISBLACK;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &header->width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &header->height);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &header->bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &header->samples);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &header->sample_format);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &header->orientation);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &header->compression);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_INKSET, &header->ink_set);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &planar);
    TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &header->photometric);
    header->is_planar = planar == PLANARCONFIG_SEPARATE && header->samples > 1;
    describe_alpha(decoder);
    describe_blocks(decoder);
}

bool cwebimage_tiff_read_header(cwebimage_tiff *decoder, uint64_t directory, cwebimage_tiff_header *header) {
    decoder->tiff = open_memory(decoder);
    if (!decoder->tiff) return false;
    if (directory && !TIFFSetSubDirectory(decoder->tiff, directory)) return false;
    describe(decoder);
    if (!TIFFIsCODECConfigured(decoder->header.compression)) {
        snprintf(
            decoder->message, sizeof decoder->message, "libtiff was built without compression scheme %u",
            decoder->header.compression);
        return false;
    }
    // The JPEG library converts and upsamples better than anybody after it could.
    if (decoder->header.compression == COMPRESSION_JPEG && decoder->header.photometric == PHOTOMETRIC_YCBCR
        && !decoder->header.is_planar && TIFFSetField(decoder->tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB)) {
        decoder->header.photometric = PHOTOMETRIC_RGB;
    }
    // What did not keep the header from being read is not the reason of what comes later.
    decoder->message[0] = 0;
    decoder->warning[0] = 0;
    *header = decoder->header;
    return true;
}

bool cwebimage_tiff_palette(
    cwebimage_tiff *decoder, const uint16_t **red, const uint16_t **green, const uint16_t **blue) {
    uint16_t *tables[3] = { NULL, NULL, NULL };
    if (!TIFFGetField(decoder->tiff, TIFFTAG_COLORMAP, &tables[0], &tables[1], &tables[2])) return false;
    *red = tables[0];
    *green = tables[1];
    *blue = tables[2];
    return tables[0] && tables[1] && tables[2];
}

// MARK: Sizes

static size_t size_or_zero(tmsize_t size) {
    return size > 0 ? (size_t)size : 0;
}

size_t cwebimage_tiff_row_size(cwebimage_tiff *decoder) {
    return size_or_zero(TIFFScanlineSize(decoder->tiff));
}

size_t cwebimage_tiff_strip_size(cwebimage_tiff *decoder) {
    return size_or_zero(TIFFStripSize(decoder->tiff));
}

size_t cwebimage_tiff_tile_size(cwebimage_tiff *decoder) {
    return size_or_zero(TIFFTileSize(decoder->tiff));
}

// MARK: Samples

bool cwebimage_tiff_read_row(cwebimage_tiff *decoder, uint32_t y, uint8_t *row, size_t size) {
    if (size < cwebimage_tiff_row_size(decoder)) return false;
    return TIFFReadScanline(decoder->tiff, row, y, 0) == 1;
}

bool cwebimage_tiff_read_strip(cwebimage_tiff *decoder, uint32_t y, uint16_t plane, uint8_t *strip, size_t size) {
    uint32_t index = TIFFComputeStrip(decoder->tiff, y, plane);
    return size <= PTRDIFF_MAX && TIFFReadEncodedStrip(decoder->tiff, index, strip, (tmsize_t)size) >= 0;
}

bool cwebimage_tiff_read_tile(
    cwebimage_tiff *decoder, uint32_t x, uint32_t y, uint16_t plane, uint8_t *tile, size_t size) {
    if (size < cwebimage_tiff_tile_size(decoder)) return false;
    return TIFFReadTile(decoder->tiff, tile, x, y, 0, plane) >= 0;
}

// MARK: The library's own conversion

bool cwebimage_tiff_start_rgba(cwebimage_tiff *decoder) {
    char reason[1024] = "";
    if (!TIFFRGBAImageOK(decoder->tiff, reason)
        || !TIFFRGBAImageBegin(&decoder->rgba, decoder->tiff, 1, reason)) {
        say(decoder, reason);
        return false;
    }
    decoder->has_rgba = true;
    // As stored: turning upright is done by others, once.
    decoder->rgba.req_orientation = decoder->rgba.orientation;
    return true;
}

bool cwebimage_tiff_read_rgba(cwebimage_tiff *decoder, uint32_t y, uint32_t row_count, uint8_t *rows, size_t size) {
    size_t width = decoder->header.width;
    if (width == 0 || size / width / sizeof(uint32_t) < row_count) return false;
    decoder->rgba.row_offset = (int)y;
    decoder->rgba.col_offset = 0;
    uint32_t *pixels = (uint32_t *)(void *)rows;
    if (!TIFFRGBAImageGet(&decoder->rgba, pixels, decoder->header.width, row_count)) return false;
    for (size_t index = 0; index < width * row_count; index++) {
        uint32_t pixel = pixels[index];
        rows[index * 4] = TIFFGetR(pixel);
        rows[index * 4 + 1] = TIFFGetG(pixel);
        rows[index * 4 + 2] = TIFFGetB(pixel);
        rows[index * 4 + 3] = TIFFGetA(pixel);
    }
    return true;
}

const char *cwebimage_tiff_message(const cwebimage_tiff *decoder) {
    // Not every codec says more than that it is in doubt.
    return decoder->message[0] ? decoder->message : decoder->warning;
}

void cwebimage_tiff_close(cwebimage_tiff *decoder) {
    if (!decoder) return;
    if (decoder->has_rgba) TIFFRGBAImageEnd(&decoder->rgba);
    if (decoder->tiff) TIFFClose(decoder->tiff);
    free(decoder);
}
