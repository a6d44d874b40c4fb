#ifndef CWEBIMAGE_CURL_INFLATE_H
#define CWEBIMAGE_CURL_INFLATE_H

#include <stddef.h>

// zlib's inflate for the bodies of answers. libcurl undoes content encodings itself, with the same zlib, but calls a
// stream that breaks off a success and tells nobody; see Documentation/Decisions.

typedef struct cwebimage_curl_inflater cwebimage_curl_inflater;

typedef enum {
    // What went in is used up.
    cwebimage_curl_inflate_more,
    // The output is full; there may be more of it.
    cwebimage_curl_inflate_full,
    // The stream, or one of several, came to its end, its checksum with it.
    cwebimage_curl_inflate_end,
    cwebimage_curl_inflate_damaged,
} cwebimage_curl_inflate_result;

// `is_raw` reads deflate without any head, else the head tells whether it is gzip's or zlib's. NULL without memory.
cwebimage_curl_inflater *cwebimage_curl_new_inflater(int is_raw);
void cwebimage_curl_free_inflater(cwebimage_curl_inflater *inflater);
// Makes ready for another stream.
void cwebimage_curl_reset_inflater(cwebimage_curl_inflater *inflater);

// Reads from `input` and writes to `output`; lowers the counts by what was used of each.
cwebimage_curl_inflate_result cwebimage_curl_inflate(
    cwebimage_curl_inflater *inflater, const void *input, size_t *input_count, void *output, size_t *output_count);

#endif
