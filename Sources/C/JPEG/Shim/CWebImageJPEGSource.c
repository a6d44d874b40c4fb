#include "CWebImageJPEGDecoder.h"

#include <stdlib.h>
#include <string.h>

static const JOCTET end_marker[2] = { 0xFF, JPEG_EOI };

static void do_nothing(j_decompress_ptr info) {
    (void)info;
}

/// Called when the bytes are used up. While more may come, the library waits. Otherwise it gets an end marker, and
/// what that means for the picture is found out later.
static boolean fill_buffer(j_decompress_ptr info) {
    cwebimage_jpeg_decoder *decoder = info->client_data;
    if (decoder->is_fed && !decoder->has_all_bytes) return FALSE;
    decoder->has_hit_end = true;
    info->src->next_input_byte = end_marker;
    info->src->bytes_in_buffer = sizeof end_marker;
    return TRUE;
}

static void skip_bytes(j_decompress_ptr info, long count) {
    cwebimage_jpeg_decoder *decoder = info->client_data;
    if (count <= 0) return;
    size_t step = (size_t)count;
    if (step > info->src->bytes_in_buffer) {
        decoder->to_skip = step - info->src->bytes_in_buffer;
        info->src->next_input_byte += info->src->bytes_in_buffer;
        info->src->bytes_in_buffer = 0;
        if (!decoder->is_fed || decoder->has_all_bytes) fill_buffer(info);
        return;
    }
    info->src->next_input_byte += step;
    info->src->bytes_in_buffer -= step;
}

bool cwebimage_jpeg_feed(cwebimage_jpeg_decoder *decoder, const uint8_t *bytes, size_t count) {
    struct jpeg_source_mgr *source = &decoder->source;
    size_t skipped = decoder->to_skip < count ? decoder->to_skip : count;
    decoder->to_skip -= skipped;
    bytes += skipped;
    count -= skipped;
    size_t left = source->bytes_in_buffer;
    size_t used = decoder->capacity == 0 ? 0 : (size_t)(source->next_input_byte - decoder->buffer);
    if (count > decoder->capacity - left - used) {
        if (left > 0) memmove(decoder->buffer, source->next_input_byte, left);
        used = 0;
        if (count > decoder->capacity - left) {
            size_t capacity = (left + count) * 2;
            JOCTET *buffer = capacity > count ? realloc(decoder->buffer, capacity) : NULL;
            if (!buffer) return false;
            decoder->buffer = buffer;
            decoder->capacity = capacity;
        }
    }
    if (count > 0) memcpy(decoder->buffer + used + left, bytes, count);
    source->next_input_byte = decoder->buffer + used;
    source->bytes_in_buffer = left + count;
    return true;
}

size_t cwebimage_jpeg_waiting_bytes(const cwebimage_jpeg_decoder *decoder) {
    return decoder->source.bytes_in_buffer;
}

void cwebimage_jpeg_end_feeding(cwebimage_jpeg_decoder *decoder) {
    decoder->has_all_bytes = true;
}

void cwebimage_jpeg_set_source(cwebimage_jpeg_decoder *decoder) {
    decoder->source.init_source = do_nothing;
    decoder->source.fill_input_buffer = fill_buffer;
    decoder->source.skip_input_data = skip_bytes;
    decoder->source.resync_to_restart = jpeg_resync_to_restart;
    decoder->source.term_source = do_nothing;
    decoder->info.src = &decoder->source;
}

bool cwebimage_jpeg_end_is_ahead(const cwebimage_jpeg_decoder *decoder) {
    const JOCTET *bytes = decoder->source.next_input_byte;
    // From behind: it is mostly the last thing in the file.
    for (size_t i = decoder->source.bytes_in_buffer; i > 1; i--) {
        if (bytes[i - 2] == end_marker[0] && bytes[i - 1] == end_marker[1]) return true;
    }
    return false;
}
