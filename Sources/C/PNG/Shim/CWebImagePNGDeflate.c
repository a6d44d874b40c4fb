#include "CWebImagePNG.h"

#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>
#include <zlib.h>

uint32_t cwebimage_png_crc(const uint8_t *bytes, size_t count) {
    return libdeflate_crc32(0, bytes, count);
}

static size_t grown(size_t capacity, size_t limit) {
    return capacity > limit / 2 ? limit : capacity * 2;
}

/// Inflates into memory that doubles, up to the limit. `*target` is the caller's to free, whatever the result.
static bool inflate_all(z_stream *stream, uint8_t **target, size_t limit) {
    size_t capacity = limit < 4096 ? limit : 4096;
    for (;;) {
        uint8_t *memory = realloc(*target, capacity);
        if (!memory) return false;
        *target = memory;
        stream->next_out = memory + stream->total_out;
        stream->avail_out = (uInt)(capacity - stream->total_out);
        int result = inflate(stream, Z_NO_FLUSH);
        if (result == Z_STREAM_END) return true;
        // All input is there from the start, so that running dry means a cut stream.
        if (result != Z_OK || stream->avail_out != 0 || capacity == limit) return false;
        capacity = grown(capacity, limit);
    }
}

uint8_t *cwebimage_png_inflate(const uint8_t *bytes, size_t *count, size_t limit) {
    z_stream stream = { 0 };
    uint8_t *target = NULL;
    if (*count > UINT32_MAX || limit == 0 || limit > UINT32_MAX || inflateInit(&stream) != Z_OK) return NULL;
    stream.next_in = (Bytef *)bytes;
    stream.avail_in = (uInt)*count;
    bool is_whole = inflate_all(&stream, &target, limit);
    *count = stream.total_out;
    inflateEnd(&stream);
    if (is_whole) return target;
    free(target);
    return NULL;
}

uint8_t *cwebimage_png_deflate(const uint8_t *bytes, size_t *count) {
    uLongf capacity = compressBound(*count);
    uint8_t *target = malloc(capacity);
    if (!target || compress(target, &capacity, bytes, *count) != Z_OK) {
        free(target);
        return NULL;
    }
    *count = capacity;
    return target;
}

void cwebimage_png_free(uint8_t *bytes) {
    free(bytes);
}
