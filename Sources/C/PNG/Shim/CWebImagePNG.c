#include "CWebImagePNG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

enum { message_size = 200, max_cached_chunks = 1000 };
enum { max_chunk_bytes = 64 << 20, max_allocation = max_chunk_bytes + 4096 };

struct cwebimage_png_decoder {
    png_structp png;
    png_infop info;
    const uint8_t *bytes;
    size_t count;
    size_t offset;
    bool has_hit_end;
    char message[message_size];
};

static void ignore_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

// MARK: Decoder

static void fail(png_structp png, png_const_charp text) {
    cwebimage_png_decoder *decoder = png_get_error_ptr(png);
    snprintf(decoder->message, message_size, "%s", text);
    png_longjmp(png, 1);
}

static void read_bytes(png_structp png, png_bytep target, size_t count) {
    cwebimage_png_decoder *decoder = png_get_io_ptr(png);
    if (count > decoder->count - decoder->offset) {
        decoder->has_hit_end = true;
        png_error(png, "unexpected end");
    }
    memcpy(target, decoder->bytes + decoder->offset, count);
    decoder->offset += count;
}

/// libpng believes the length in a chunk's header when it makes room for it, and takes its own limit for a warning
/// where warnings are all that is wanted of faults beside the pixels. Rows are far smaller than this.
static png_voidp allocate(png_structp png, png_alloc_size_t count) {
    (void)png;
    return count <= max_allocation ? malloc(count) : NULL;
}

static void release(png_structp png, png_voidp memory) {
    (void)png;
    free(memory);
}

cwebimage_png_decoder *cwebimage_png_open(const uint8_t *bytes, size_t count) {
    cwebimage_png_decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    decoder->bytes = bytes;
    decoder->count = count;
    decoder->png = png_create_read_struct_2(
        PNG_LIBPNG_VER_STRING, decoder, fail, ignore_warning, NULL, allocate, release);
    decoder->info = decoder->png ? png_create_info_struct(decoder->png) : NULL;
    if (!decoder->info) {
        cwebimage_png_close(decoder);
        return NULL;
    }
    return decoder;
}

bool cwebimage_png_read_header(cwebimage_png_decoder *decoder, cwebimage_png_header *header) {
    png_structp png = decoder->png;
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_read_fn(png, decoder, read_bytes);
    // Sizes are judged by the caller, whose error names the limit.
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_chunk_cache_max(png, max_cached_chunks);
    png_set_chunk_malloc_max(png, max_chunk_bytes);
    // A fault in what only decorates the picture does not cost the picture.
    png_set_benign_errors(png, 1);
    png_set_crc_action(png, PNG_CRC_DEFAULT, PNG_CRC_WARN_DISCARD);
    // Some writers announce a smaller window than they use.
    png_set_option(png, PNG_MAXIMUM_INFLATE_WINDOW, PNG_OPTION_ON);
    png_read_info(png, decoder->info);
    header->width = png_get_image_width(png, decoder->info);
    header->height = png_get_image_height(png, decoder->info);
    header->has_alpha = (png_get_color_type(png, decoder->info) & PNG_COLOR_MASK_ALPHA) != 0
        || png_get_valid(png, decoder->info, PNG_INFO_tRNS) != 0;
    header->passes = png_get_interlace_type(png, decoder->info) == PNG_INTERLACE_NONE ? 1 : 7;
    return true;
}

const uint8_t *cwebimage_png_profile(cwebimage_png_decoder *decoder, size_t *count) {
    if (setjmp(png_jmpbuf(decoder->png))) return NULL;
    png_charp name = NULL;
    png_bytep profile = NULL;
    png_uint_32 profile_count = 0;
    int compression = 0;
    if (!png_get_iCCP(decoder->png, decoder->info, &name, &compression, &profile, &profile_count)) return NULL;
    *count = profile_count;
    return profile;
}

bool cwebimage_png_start(cwebimage_png_decoder *decoder) {
    png_structp png = decoder->png;
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    // Has no effect where the file brings alpha of its own.
    png_set_add_alpha(png, 0xFF, PNG_FILLER_AFTER);
    png_set_interlace_handling(png);
    png_read_update_info(png, decoder->info);
    if (png_get_rowbytes(png, decoder->info) != (size_t)4 * png_get_image_width(png, decoder->info)) {
        png_error(png, "rows are not 8-bit RGBA");
    }
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

// MARK: Encoder

struct cwebimage_png_encoder {
    png_structp png;
    png_infop info;
    uint8_t *bytes;
    size_t count;
    size_t capacity;
    char message[message_size];
};

static void fail_encoding(png_structp png, png_const_charp text) {
    cwebimage_png_encoder *encoder = png_get_error_ptr(png);
    snprintf(encoder->message, message_size, "%s", text);
    png_longjmp(png, 1);
}

static void append_bytes(png_structp png, png_bytep bytes, size_t count) {
    cwebimage_png_encoder *encoder = png_get_io_ptr(png);
    if (count > encoder->capacity - encoder->count) {
        size_t capacity = (encoder->count + count) * 2;
        uint8_t *grown = capacity > encoder->count ? realloc(encoder->bytes, capacity) : NULL;
        if (!grown) png_error(png, "no memory");
        encoder->bytes = grown;
        encoder->capacity = capacity;
    }
    memcpy(encoder->bytes + encoder->count, bytes, count);
    encoder->count += count;
}

static void flush_nothing(png_structp png) {
    (void)png;
}

cwebimage_png_encoder *cwebimage_png_encoder_open(void) {
    cwebimage_png_encoder *encoder = calloc(1, sizeof *encoder);
    if (!encoder) return NULL;
    encoder->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, encoder, fail_encoding, ignore_warning);
    encoder->info = encoder->png ? png_create_info_struct(encoder->png) : NULL;
    if (!encoder->info) {
        cwebimage_png_encoder_close(encoder);
        return NULL;
    }
    return encoder;
}

bool cwebimage_png_encoder_start(cwebimage_png_encoder *encoder, uint32_t width, uint32_t height, bool has_alpha) {
    png_structp png = encoder->png;
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_write_fn(png, encoder, append_bytes, flush_nothing);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_compression_level(png, 6);
    png_set_IHDR(
        png, encoder->info, width, height, 8, has_alpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB,
        PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, encoder->info);
    if (!has_alpha) png_set_filler(png, 0, PNG_FILLER_AFTER);
    return true;
}

bool cwebimage_png_encoder_write_row(cwebimage_png_encoder *encoder, const uint8_t *row) {
    if (setjmp(png_jmpbuf(encoder->png))) return false;
    png_write_row(encoder->png, row);
    return true;
}

bool cwebimage_png_encoder_finish(cwebimage_png_encoder *encoder, const uint8_t **bytes, size_t *count) {
    if (setjmp(png_jmpbuf(encoder->png))) return false;
    png_write_end(encoder->png, NULL);
    *bytes = encoder->bytes;
    *count = encoder->count;
    return true;
}

const char *cwebimage_png_encoder_message(const cwebimage_png_encoder *encoder) {
    return encoder->message;
}

void cwebimage_png_encoder_close(cwebimage_png_encoder *encoder) {
    if (!encoder) return;
    if (encoder->png) png_destroy_write_struct(&encoder->png, &encoder->info);
    free(encoder->bytes);
    free(encoder);
}
