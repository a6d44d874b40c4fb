#ifndef CWEBIMAGE_JPEG_DECODER_H
#define CWEBIMAGE_JPEG_DECODER_H

#include "CWebImageJPEG.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

struct cwebimage_jpeg_decoder {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    jmp_buf jump;
    JOCTET *profile;
    unsigned int profile_count;
    int max_scans;
    /// One bit for each component that had a scan.
    unsigned int seen_components;
    int completed_scans;
    int segment_count;
    /// A pass that was begun; its end may have to wait for bytes.
    bool is_pass_open;
    bool has_hit_end;
    /// The entropy decoder asked for bits that were not there.
    bool lacks_entropy_data;
    bool is_unsupported;
    char message[JMSG_LENGTH_MAX];
    // Of a decoder that is fed: what came and was not used up, and how much of what is to come is to be skipped.
    JOCTET *buffer;
    size_t capacity;
    size_t to_skip;
    bool is_fed;
    bool has_all_bytes;
};

/// Lets the library read the bytes that the decoder has or gets.
void cwebimage_jpeg_set_source(cwebimage_jpeg_decoder *decoder);
/// Lets the library count the scans as it reads.
void cwebimage_jpeg_set_watch(cwebimage_jpeg_decoder *decoder);

#endif
