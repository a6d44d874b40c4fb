#include "CWebImageJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

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
    bool has_hit_end;
    /// The entropy decoder asked for bits that were not there.
    bool lacks_entropy_data;
    char message[JMSG_LENGTH_MAX];
};

// MARK: Errors

static void fail(j_common_ptr common) {
    cwebimage_jpeg_decoder *decoder = common->client_data;
    (*common->err->format_message)(common, decoder->message);
    longjmp(decoder->jump, 1);
}

static void note_message(j_common_ptr common, int level) {
    cwebimage_jpeg_decoder *decoder = common->client_data;
    if (level >= 0) return;
    common->err->num_warnings++;
    if (common->err->msg_code == JWRN_HIT_MARKER && !decoder->lacks_entropy_data) {
        decoder->lacks_entropy_data = true;
        (*common->err->format_message)(common, decoder->message);
    }
}

static void print_nothing(j_common_ptr common) {
    (void)common;
}

// MARK: Source

static const JOCTET end_marker[2] = { 0xFF, JPEG_EOI };

static void do_nothing(j_decompress_ptr info) {
    (void)info;
}

/// All bytes are in the buffer from the start, so a call means that they are used up. The library gets an end marker,
/// and what that means for the picture is found out later.
static boolean fill_buffer(j_decompress_ptr info) {
    cwebimage_jpeg_decoder *decoder = info->client_data;
    decoder->has_hit_end = true;
    info->src->next_input_byte = end_marker;
    info->src->bytes_in_buffer = sizeof end_marker;
    return TRUE;
}

static void skip_bytes(j_decompress_ptr info, long count) {
    if (count <= 0) return;
    size_t step = (size_t)count;
    if (step > info->src->bytes_in_buffer) {
        fill_buffer(info);
        return;
    }
    info->src->next_input_byte += step;
    info->src->bytes_in_buffer -= step;
}

// MARK: Scans

static void watch_scans(j_common_ptr common) {
    cwebimage_jpeg_decoder *decoder = common->client_data;
    j_decompress_ptr info = &decoder->info;
    for (int i = 0; i < info->comps_in_scan && i < MAX_COMPS_IN_SCAN; i++) {
        if (info->cur_comp_info[i]) decoder->seen_components |= 1u << info->cur_comp_info[i]->component_index;
    }
    if (decoder->max_scans > 0 && info->input_scan_number > decoder->max_scans) {
        snprintf(decoder->message, sizeof decoder->message, "more than %d scans for its size", decoder->max_scans);
        longjmp(decoder->jump, 1);
    }
}

// MARK: Decoder

cwebimage_jpeg_decoder *cwebimage_jpeg_open(const uint8_t *bytes, size_t count) {
    cwebimage_jpeg_decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    decoder->info.err = jpeg_std_error(&decoder->errors);
    decoder->errors.error_exit = fail;
    decoder->errors.emit_message = note_message;
    decoder->errors.output_message = print_nothing;
    decoder->info.client_data = decoder;
    if (setjmp(decoder->jump)) {
        cwebimage_jpeg_close(decoder);
        return NULL;
    }
    jpeg_create_decompress(&decoder->info);
    decoder->source.init_source = do_nothing;
    decoder->source.fill_input_buffer = fill_buffer;
    decoder->source.skip_input_data = skip_bytes;
    decoder->source.resync_to_restart = jpeg_resync_to_restart;
    decoder->source.term_source = do_nothing;
    decoder->source.next_input_byte = bytes;
    decoder->source.bytes_in_buffer = count;
    decoder->info.src = &decoder->source;
    decoder->progress.progress_monitor = watch_scans;
    decoder->info.progress = &decoder->progress;
    return decoder;
}

static void describe(const cwebimage_jpeg_decoder *decoder, cwebimage_jpeg_header *header) {
    J_COLOR_SPACE space = decoder->info.jpeg_color_space;
    header->width = (int)decoder->info.image_width;
    header->height = (int)decoder->info.image_height;
    header->is_cmyk = space == JCS_CMYK || space == JCS_YCCK;
    header->is_adobe = decoder->info.saw_Adobe_marker;
}

bool cwebimage_jpeg_read_header(cwebimage_jpeg_decoder *decoder, cwebimage_jpeg_header *header) {
    if (setjmp(decoder->jump)) return false;
    jpeg_save_markers(&decoder->info, JPEG_APP0 + 1, 0xFFFF);
    jpeg_save_markers(&decoder->info, JPEG_APP0 + 2, 0xFFFF);
    jpeg_read_header(&decoder->info, TRUE);
    describe(decoder, header);
    return true;
}

bool cwebimage_jpeg_app1(
    const cwebimage_jpeg_decoder *decoder, int index, const uint8_t **bytes, size_t *count) {
    for (jpeg_saved_marker_ptr marker = decoder->info.marker_list; marker; marker = marker->next) {
        if (marker->marker != JPEG_APP0 + 1 || index-- > 0) continue;
        *bytes = marker->data;
        *count = marker->data_length;
        return true;
    }
    return false;
}

const uint8_t *cwebimage_jpeg_profile(cwebimage_jpeg_decoder *decoder, size_t *count) {
    if (setjmp(decoder->jump)) return NULL;
    if (!decoder->profile && !jpeg_read_icc_profile(&decoder->info, &decoder->profile, &decoder->profile_count)) {
        return NULL;
    }
    *count = decoder->profile_count;
    return decoder->profile;
}

bool cwebimage_jpeg_start(
    cwebimage_jpeg_decoder *decoder, cwebimage_jpeg_settings settings, cwebimage_jpeg_header *header) {
    if (setjmp(decoder->jump)) return false;
    describe(decoder, header);
    decoder->max_scans = settings.max_scans;
    decoder->info.mem->max_memory_to_use = settings.max_memory;
    decoder->info.scale_num = 1;
    decoder->info.scale_denom = (unsigned int)settings.scale_denominator;
    decoder->info.out_color_space = header->is_cmyk ? JCS_CMYK : JCS_EXT_RGBA;
    jpeg_start_decompress(&decoder->info);
    header->width = (int)decoder->info.output_width;
    header->height = (int)decoder->info.output_height;
    return true;
}

bool cwebimage_jpeg_read_row(cwebimage_jpeg_decoder *decoder, uint8_t *row) {
    if (setjmp(decoder->jump)) return false;
    JSAMPROW rows[1] = { row };
    return jpeg_read_scanlines(&decoder->info, rows, 1) == 1;
}

static bool has_all_bits(const struct jpeg_decompress_struct *info) {
    if (!info->coef_bits) return false;
    for (int component = 0; component < info->num_components; component++) {
        for (int coefficient = 0; coefficient < DCTSIZE2; coefficient++) {
            if (info->coef_bits[component][coefficient] != 0) return false;
        }
    }
    return true;
}

bool cwebimage_jpeg_is_incomplete(const cwebimage_jpeg_decoder *decoder) {
    const struct jpeg_decompress_struct *info = &decoder->info;
    if (decoder->lacks_entropy_data) return true;
    if (!decoder->has_hit_end) return false;
    // The bytes ended where a marker could stand. Whole scans may be missing.
    // An arithmetic decoder takes the end for zeros that its encoder left out, and never complains.
    if (info->arith_code) return true;
    if (info->progressive_mode) return !has_all_bits(info);
    return decoder->seen_components != (1u << info->num_components) - 1;
}

bool cwebimage_jpeg_hit_end(const cwebimage_jpeg_decoder *decoder) {
    return decoder->has_hit_end;
}

const char *cwebimage_jpeg_message(const cwebimage_jpeg_decoder *decoder) {
    return decoder->message;
}

void cwebimage_jpeg_close(cwebimage_jpeg_decoder *decoder) {
    if (!decoder) return;
    jpeg_destroy_decompress(&decoder->info);
    free(decoder->profile);
    free(decoder);
}

// MARK: Encoder

struct cwebimage_jpeg_encoder {
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    jmp_buf jump;
    unsigned char *bytes;
    unsigned long count;
    char message[JMSG_LENGTH_MAX];
};

static void fail_encoding(j_common_ptr common) {
    cwebimage_jpeg_encoder *encoder = common->client_data;
    (*common->err->format_message)(common, encoder->message);
    longjmp(encoder->jump, 1);
}

cwebimage_jpeg_encoder *cwebimage_jpeg_encoder_open(void) {
    cwebimage_jpeg_encoder *encoder = calloc(1, sizeof *encoder);
    if (!encoder) return NULL;
    encoder->info.err = jpeg_std_error(&encoder->errors);
    encoder->errors.error_exit = fail_encoding;
    encoder->errors.output_message = print_nothing;
    encoder->info.client_data = encoder;
    if (setjmp(encoder->jump)) {
        cwebimage_jpeg_encoder_close(encoder);
        return NULL;
    }
    jpeg_create_compress(&encoder->info);
    return encoder;
}

bool cwebimage_jpeg_encoder_start(cwebimage_jpeg_encoder *encoder, cwebimage_jpeg_encoding encoding) {
    if (setjmp(encoder->jump)) return false;
    j_compress_ptr info = &encoder->info;
    jpeg_mem_dest(info, &encoder->bytes, &encoder->count);
    info->image_width = (JDIMENSION)encoding.width;
    info->image_height = (JDIMENSION)encoding.height;
    info->input_components = 4;
    info->in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(info);
    jpeg_set_quality(info, encoding.quality, TRUE);
    info->optimize_coding = TRUE;
    info->comp_info[0].h_samp_factor = encoding.chroma_step;
    info->comp_info[0].v_samp_factor = encoding.chroma_step;
    jpeg_start_compress(info, TRUE);
    return true;
}

bool cwebimage_jpeg_encoder_write_row(cwebimage_jpeg_encoder *encoder, const uint8_t *row) {
    if (setjmp(encoder->jump)) return false;
    JSAMPROW rows[1] = { (JSAMPROW)row };
    return jpeg_write_scanlines(&encoder->info, rows, 1) == 1;
}

bool cwebimage_jpeg_encoder_finish(cwebimage_jpeg_encoder *encoder, const uint8_t **bytes, size_t *count) {
    if (setjmp(encoder->jump)) return false;
    jpeg_finish_compress(&encoder->info);
    *bytes = encoder->bytes;
    *count = encoder->count;
    return true;
}

const char *cwebimage_jpeg_encoder_message(const cwebimage_jpeg_encoder *encoder) {
    return encoder->message;
}

void cwebimage_jpeg_encoder_close(cwebimage_jpeg_encoder *encoder) {
    if (!encoder) return;
    jpeg_destroy_compress(&encoder->info);
    free(encoder->bytes);
    free(encoder);
}
