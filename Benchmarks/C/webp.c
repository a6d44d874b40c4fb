#include "bench.h"
#include <webp/decode.h>

static size_t decode(const uint8_t *bytes, size_t count) {
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config) || WebPGetFeatures(bytes, count, &config.input) != VP8_STATUS_OK)
        fail("the webp is damaged");
    size_t row = (size_t)config.input.width * 4, size = row * (size_t)config.input.height;
    uint8_t *pixels = malloc(size);
    if (!pixels) fail("no memory");
    config.output.colorspace = MODE_rgbA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = pixels;
    config.output.u.RGBA.stride = (int)row;
    config.output.u.RGBA.size = size;
    if (WebPDecode(bytes, count, &config) != VP8_STATUS_OK) fail("the webp is damaged");
    WebPFreeDecBuffer(&config.output);
    free(pixels);
    return size;
}
