#include "CWebImagePNG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

enum { message_size = 200 };
/// Rows and what zlib needs are far smaller; so is every chunk that is given to libpng.
enum { max_allocation = 64 << 20 };

struct cwebimage_png_decoder {
    png_structp png;
    png_infop info;
    const uint8_t *head;
    size_t head_count;
    const uint8_t *bytes;
    size_t count;
    /// Counts on from the head into the bytes.
    size_t offset;
    bool has_hit_end;
    char message[message_size];
    // Of a decoder that is fed.
    cwebimage_png_take_row take_row;
    void *context;
    uint8_t *canvas;
    size_t bytes_per_row;
    bool has_bad_end;
    bool has_end;
};

static void note_warning(png_structp png, png_const_charp text) {
    cwebimage_png_decoder *decoder = png_get_error_ptr(png);
    // What a fed decoder says of a wrong checksum over all pixels, which one that pulls takes for an error; and of
    // compressed data that goes on after the last row.
    if (strncmp(text, "Truncated compressed data", 25) == 0 || strncmp(text, "Extra compressed data", 21) == 0) {
        decoder->has_bad_end = true;
    }
    // Said of bytes behind the end of the compressed data.
    if (strncmp(text, "Extra compression data", 22) == 0) decoder->has_end = true;
}

static void fail(png_structp png, png_const_charp text) {
    cwebimage_png_decoder *decoder = png_get_error_ptr(png);
    snprintf(decoder->message, message_size, "%s", text);
    png_longjmp(png, 1);
}

static void copy_some(const uint8_t *from, size_t from_count, size_t offset, png_bytepp target, size_t *count) {
    size_t step = from_count - offset < *count ? from_count - offset : *count;
    if (step == 0) return;
    memcpy(*target, from + offset, step);
    *target += step;
    *count -= step;
}

static void read_bytes(png_structp png, png_bytep target, size_t count) {
    cwebimage_png_decoder *decoder = png_get_io_ptr(png);
    if (count > decoder->head_count + decoder->count - decoder->offset) {
        decoder->has_hit_end = true;
        png_error(png, "unexpected end");
    }
    size_t left = count;
    if (decoder->offset < decoder->head_count) {
        copy_some(decoder->head, decoder->head_count, decoder->offset, &target, &left);
        decoder->offset += count - left;
    }
    count = left;
    copy_some(decoder->bytes, decoder->count, decoder->offset - decoder->head_count, &target, &left);
    decoder->offset += count - left;
}

static png_voidp allocate(png_structp png, png_alloc_size_t count) {
    (void)png;
    return count <= max_allocation ? malloc(count) : NULL;
}

static void release(png_structp png, png_voidp memory) {
    (void)png;
    free(memory);
}

static cwebimage_png_decoder *create(void) {
    cwebimage_png_decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    decoder->png = png_create_read_struct_2(
        PNG_LIBPNG_VER_STRING, decoder, fail, note_warning, NULL, allocate, release);
    decoder->info = decoder->png ? png_create_info_struct(decoder->png) : NULL;
    if (!decoder->info) {
        cwebimage_png_close(decoder);
        return NULL;
    }
    return decoder;
}

static void configure(png_structp png, bool checks_crc) {
    // Sizes are judged by the caller, whose error names the limit.
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    // A fault in what only decorates the picture does not cost the picture.
    png_set_benign_errors(png, 1);
    if (checks_crc) png_set_crc_action(png, PNG_CRC_DEFAULT, PNG_CRC_WARN_DISCARD);
    else png_set_crc_action(png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
    // Some writers announce a smaller window than they use.
    png_set_option(png, PNG_MAXIMUM_INFLATE_WINDOW, PNG_OPTION_ON);
}

/// Rows of straight R, G, B, A.
static void set_transforms(png_structp png, png_infop info) {
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    // Has no effect where the file brings alpha of its own.
    png_set_add_alpha(png, 0xFF, PNG_FILLER_AFTER);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    if (png_get_rowbytes(png, info) != (size_t)4 * png_get_image_width(png, info)) {
        png_error(png, "rows are not 8-bit RGBA");
    }
}

// MARK: Pulling

cwebimage_png_decoder *cwebimage_png_open(
    const uint8_t *head, size_t head_count, const uint8_t *bytes, size_t count) {
    cwebimage_png_decoder *decoder = create();
    if (!decoder) return NULL;
    decoder->head = head;
    decoder->head_count = head_count;
    decoder->bytes = bytes;
    decoder->count = count;
    return decoder;
}

bool cwebimage_png_start(cwebimage_png_decoder *decoder, bool checks_crc) {
    png_structp png = decoder->png;
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_read_fn(png, decoder, read_bytes);
    configure(png, checks_crc);
    png_read_info(png, decoder->info);
    set_transforms(png, decoder->info);
    return true;
}

bool cwebimage_png_read_row(cwebimage_png_decoder *decoder, uint8_t *row) {
    if (setjmp(png_jmpbuf(decoder->png))) return false;
    png_read_row(decoder->png, row, NULL);
    return true;
}

size_t cwebimage_png_offset(const cwebimage_png_decoder *decoder) {
    return decoder->offset;
}

bool cwebimage_png_hit_end(const cwebimage_png_decoder *decoder) {
    return decoder->has_hit_end;
}

const char *cwebimage_png_message(const cwebimage_png_decoder *decoder) {
    return decoder->message;
}

void cwebimage_png_close(cwebimage_png_decoder *decoder) {
    if (!decoder) return;
    if (decoder->png) png_destroy_read_struct(&decoder->png, &decoder->info, NULL);
    free(decoder);
}

// MARK: Feeding

static void take_info(png_structp png, png_infop info) {
    set_transforms(png, info);
}

static void take_row(png_structp png, png_bytep row, png_uint_32 y, int pass) {
    cwebimage_png_decoder *decoder = png_get_progressive_ptr(png);
    if (row) png_progressive_combine_row(png, decoder->canvas + y * decoder->bytes_per_row, row);
    decoder->take_row(decoder->context, y, pass);
}

cwebimage_png_decoder *cwebimage_png_open_fed(cwebimage_png_feeding feeding) {
    cwebimage_png_decoder *decoder = create();
    if (!decoder) return NULL;
    decoder->take_row = feeding.take_row;
    decoder->context = feeding.context;
    decoder->canvas = feeding.canvas;
    decoder->bytes_per_row = feeding.bytes_per_row;
    png_structp png = decoder->png;
    if (setjmp(png_jmpbuf(png))) {
        cwebimage_png_close(decoder);
        return NULL;
    }
    configure(png, true);
    png_set_progressive_read_fn(png, decoder, take_info, take_row, NULL);
    return decoder;
}

bool cwebimage_png_feed(cwebimage_png_decoder *decoder, const uint8_t *bytes, size_t count) {
    png_structp png = decoder->png;
    if (setjmp(png_jmpbuf(png))) return false;
    // The library only reads them.
    png_process_data(png, decoder->info, (png_bytep)bytes, count);
    decoder->offset += count;
    return true;
}

bool cwebimage_png_has_good_end(cwebimage_png_decoder *decoder) {
    // One more byte of pixels: the library tells it from what it still waits for.
    static const uint8_t chunk[] = { 0, 0, 0, 1, 'I', 'D', 'A', 'T', 0, 0x28, 0x38, 0x7D, 0xE8 };
    if (!decoder->has_end && !cwebimage_png_feed(decoder, chunk, sizeof chunk)) return false;
    return decoder->has_end && !decoder->has_bad_end;
}
