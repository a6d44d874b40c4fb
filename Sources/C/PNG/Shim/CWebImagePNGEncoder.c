#include "CWebImagePNG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

enum { message_size = 200 };

static void ignore_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

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

bool cwebimage_png_encoder_start(cwebimage_png_encoder *encoder, uint32_t width, uint32_t height, uint8_t color_type) {
    png_structp png = encoder->png;
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_write_fn(png, encoder, append_bytes, flush_nothing);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_compression_level(png, 6);
    png_set_IHDR(
        png, encoder->info, width, height, 8, color_type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
        PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, encoder->info);
    return true;
}

bool cwebimage_png_encoder_write_chunk(
    cwebimage_png_encoder *encoder, const char *name, const uint8_t *bytes, size_t count) {
    if (setjmp(png_jmpbuf(encoder->png))) return false;
    png_write_chunk(encoder->png, (png_const_bytep)name, bytes, count);
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
