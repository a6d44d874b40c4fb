#include "bench.h"
#include <png.h>

typedef struct {
    const uint8_t *next;
    size_t left;
} Input;

static void read_bytes(png_structp png, png_bytep to, size_t count) {
    Input *input = png_get_io_ptr(png);
    if (count > input->left) png_error(png, "cut");
    memcpy(to, input->next, count);
    input->next += count;
    input->left -= count;
}

static size_t decode(const uint8_t *bytes, size_t count) {
    Input input = {bytes, count};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    if (!png || !info || setjmp(png_jmpbuf(png))) fail("the png is damaged");
    png_set_read_fn(png, &input, read_bytes);
    png_read_info(png, info);
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
    png_read_update_info(png, info);
    size_t width = png_get_image_width(png, info), height = png_get_image_height(png, info);
    uint8_t *pixels = malloc(width * height * 4);
    if (!pixels) fail("no memory");
    for (size_t y = 0; y < height; y++) {
        png_read_row(png, pixels + y * width * 4, NULL);
        premultiply(pixels + y * width * 4, width);
    }
    png_destroy_read_struct(&png, &info, NULL);
    free(pixels);
    return width * height * 4;
}
