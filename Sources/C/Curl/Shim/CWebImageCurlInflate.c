#include "CWebImageCurlInflate.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

struct cwebimage_curl_inflater {
    z_stream stream;
};

cwebimage_curl_inflater *cwebimage_curl_new_inflater(int is_raw) {
    cwebimage_curl_inflater *inflater = calloc(1, sizeof *inflater);
    if (inflater == NULL) return NULL;
    // 32 more asks zlib to tell gzip from its own head; fewer than none is its way to say that there is no head.
    if (inflateInit2(&inflater->stream, is_raw ? -MAX_WBITS : MAX_WBITS + 32) != Z_OK) {
        free(inflater);
        return NULL;
    }
    return inflater;
}

void cwebimage_curl_free_inflater(cwebimage_curl_inflater *inflater) {
    if (inflater == NULL) return;
    inflateEnd(&inflater->stream);
    free(inflater);
}

void cwebimage_curl_reset_inflater(cwebimage_curl_inflater *inflater) {
    inflateReset(&inflater->stream);
}

cwebimage_curl_inflate_result cwebimage_curl_inflate(
    cwebimage_curl_inflater *inflater, const void *input, size_t *input_count, void *output, size_t *output_count) {
    z_stream *stream = &inflater->stream;
    uInt in = *input_count < UINT_MAX ? (uInt)*input_count : UINT_MAX;
    uInt out = *output_count < UINT_MAX ? (uInt)*output_count : UINT_MAX;
    stream->next_in = (Bytef *)input;
    stream->avail_in = in;
    stream->next_out = output;
    stream->avail_out = out;
    int code = inflate(stream, Z_NO_FLUSH);
    *input_count -= in - stream->avail_in;
    *output_count -= out - stream->avail_out;
    switch (code) {
        case Z_STREAM_END: return cwebimage_curl_inflate_end;
        // No progress was possible: nothing was left to read.
        case Z_BUF_ERROR: return cwebimage_curl_inflate_more;
        case Z_OK: return stream->avail_out == 0 ? cwebimage_curl_inflate_full : cwebimage_curl_inflate_more;
        default: return cwebimage_curl_inflate_damaged;
    }
}
