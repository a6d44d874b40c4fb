#include "bench.h"
#include <jpeglib.h>

static size_t decode(const uint8_t *bytes, size_t count) {
    struct jpeg_decompress_struct decoder;
    struct jpeg_error_mgr errors;
    decoder.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&decoder);
    jpeg_mem_src(&decoder, bytes, count);
    jpeg_read_header(&decoder, TRUE);
    decoder.out_color_space = JCS_EXT_RGBA;
    jpeg_start_decompress(&decoder);
    size_t row = (size_t)decoder.output_width * 4, size = row * decoder.output_height;
    uint8_t *pixels = malloc(size);
    if (!pixels) fail("no memory");
    while (decoder.output_scanline < decoder.output_height) {
        JSAMPROW rows[1] = {pixels + row * decoder.output_scanline};
        jpeg_read_scanlines(&decoder, rows, 1);
    }
    jpeg_finish_decompress(&decoder);
    jpeg_destroy_decompress(&decoder);
    free(pixels);
    return size;
}
