#include "PNGOracle.h"

#include <setjmp.h>
#include <string.h>

#include <png.h>
#include <zlib.h>

struct input {
    const uint8_t *next;
    size_t left;
};

static void read_bytes(png_structp png, png_bytep target, size_t count) {
    struct input *input = png_get_io_ptr(png);
    if (count > input->left) png_error(png, "unexpected end");
    memcpy(target, input->next, count);
    input->next += count;
    input->left -= count;
}

static void ignore(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void fail(png_structp png, png_const_charp text) {
    (void)text;
    png_longjmp(png, 1);
}

bool png_oracle_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t pixel_count) {
    struct input input = { bytes, count };
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, fail, ignore);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_read_struct(&png, &info, NULL);
        return false;
    }
    png_set_read_fn(png, &input, read_bytes);
    png_set_benign_errors(png, 1);
    png_set_option(png, PNG_MAXIMUM_INFLATE_WINDOW, PNG_OPTION_ON);
    png_read_info(png, info);
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 0xFF, PNG_FILLER_AFTER);
    png_read_update_info(png, info);
    size_t width = png_get_image_width(png, info), height = png_get_image_height(png, info);
    if (width * height != pixel_count || png_get_rowbytes(png, info) != width * 4) png_error(png, "another size");
    for (size_t y = 0; y < height; y++) png_read_row(png, pixels + y * width * 4, NULL);
    png_destroy_read_struct(&png, &info, NULL);
    return true;
}

size_t png_oracle_deflate(
    const uint8_t *bytes, size_t count, int level, int strategy, uint8_t *target, size_t capacity) {
    z_stream stream = { 0 };
    if (deflateInit2(&stream, level, Z_DEFLATED, 15, 8, strategy) != Z_OK) return 0;
    stream.next_in = (Bytef *)bytes;
    stream.avail_in = (uInt)count;
    stream.next_out = target;
    stream.avail_out = (uInt)capacity;
    int result = deflate(&stream, Z_FINISH);
    size_t total = stream.total_out;
    deflateEnd(&stream);
    return result == Z_STREAM_END ? total : 0;
}

uint32_t png_oracle_crc(const uint8_t *bytes, size_t count) {
    return (uint32_t)crc32_z(0, bytes, count);
}
