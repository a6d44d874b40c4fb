#include "CWebImageJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

enum { max_segments = 10000 };

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

// MARK: Errors

static void fail(j_common_ptr common) {
    cwebimage_jpeg_decoder *decoder = common->client_data;
    int code = common->err->msg_code;
    decoder->is_unsupported = code == JERR_SOF_UNSUPPORTED || code == JERR_ARITH_NOTIMPL
        || (code == JERR_BAD_PRECISION && common->err->msg_parm.i[0] <= 16);
    (*common->err->format_message)(common, decoder->message);
    longjmp(decoder->jump, 1);
}

static void note_message(j_common_ptr common, int level) {
    cwebimage_jpeg_decoder *decoder = common->client_data;
    if (level >= 0) {
        // The library looks for the end of its list with each segment that it keeps.
        if (common->err->msg_code == JTRC_MISC_MARKER && ++decoder->segment_count > max_segments) {
            snprintf(decoder->message, sizeof decoder->message, "it has more than %d segments", max_segments);
            longjmp(decoder->jump, 1);
        }
        return;
    }
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

void cwebimage_jpeg_end_feeding(cwebimage_jpeg_decoder *decoder) {
    decoder->has_all_bytes = true;
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

cwebimage_jpeg_status cwebimage_jpeg_consume(cwebimage_jpeg_decoder *decoder, int steps) {
    if (setjmp(decoder->jump)) return cwebimage_jpeg_failed;
    j_decompress_ptr info = &decoder->info;
    while (steps-- > 0) {
        int result = jpeg_consume_input(info);
        watch_scans((j_common_ptr)info);
        if (result == JPEG_SCAN_COMPLETED) decoder->completed_scans = info->input_scan_number;
        if (result == JPEG_REACHED_EOI) return cwebimage_jpeg_done;
        if (result == JPEG_SUSPENDED) return cwebimage_jpeg_starved;
    }
    return cwebimage_jpeg_ready;
}

int cwebimage_jpeg_completed_scans(const cwebimage_jpeg_decoder *decoder) {
    return decoder->completed_scans;
}

/// Ends the pass before. False when its end has to wait for bytes.
static bool close_pass(cwebimage_jpeg_decoder *decoder) {
    if (decoder->is_pass_open && !jpeg_finish_output(&decoder->info)) return false;
    decoder->is_pass_open = false;
    return true;
}

cwebimage_jpeg_status cwebimage_jpeg_begin_pass(cwebimage_jpeg_decoder *decoder) {
    if (setjmp(decoder->jump)) return cwebimage_jpeg_failed;
    j_decompress_ptr info = &decoder->info;
    if (!info->buffered_image) return cwebimage_jpeg_ready;
    if (!close_pass(decoder)) return cwebimage_jpeg_starved;
    int scan = jpeg_input_complete(info) ? info->input_scan_number : decoder->completed_scans;
    if (!jpeg_start_output(info, scan)) return cwebimage_jpeg_starved;
    decoder->is_pass_open = true;
    return cwebimage_jpeg_ready;
}

// MARK: Decoder

static cwebimage_jpeg_decoder *create(void) {
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
    decoder->info.src = &decoder->source;
    decoder->progress.progress_monitor = watch_scans;
    decoder->info.progress = &decoder->progress;
    jpeg_save_markers(&decoder->info, JPEG_APP0 + 1, 0xFFFF);
    jpeg_save_markers(&decoder->info, JPEG_APP0 + 2, 0xFFFF);
    jpeg_save_markers(&decoder->info, JPEG_APP0 + 13, 0xFFFF);
    return decoder;
}

cwebimage_jpeg_decoder *cwebimage_jpeg_open(const uint8_t *bytes, size_t count) {
    cwebimage_jpeg_decoder *decoder = create();
    if (!decoder) return NULL;
    decoder->source.next_input_byte = bytes;
    decoder->source.bytes_in_buffer = count;
    return decoder;
}

cwebimage_jpeg_decoder *cwebimage_jpeg_open_fed(void) {
    cwebimage_jpeg_decoder *decoder = create();
    if (decoder) decoder->is_fed = true;
    return decoder;
}

static void describe(cwebimage_jpeg_decoder *decoder, cwebimage_jpeg_header *header) {
    J_COLOR_SPACE space = decoder->info.jpeg_color_space;
    header->width = (int)decoder->info.image_width;
    header->height = (int)decoder->info.image_height;
    header->is_cmyk = space == JCS_CMYK || space == JCS_YCCK;
    header->is_gray = space == JCS_GRAYSCALE;
    header->is_adobe = decoder->info.saw_Adobe_marker;
    header->cannot_wait = decoder->info.arith_code;
    header->has_scans = jpeg_has_multiple_scans(&decoder->info);
}

cwebimage_jpeg_status cwebimage_jpeg_read_header(cwebimage_jpeg_decoder *decoder, cwebimage_jpeg_header *header) {
    if (setjmp(decoder->jump)) return cwebimage_jpeg_failed;
    if (jpeg_read_header(&decoder->info, TRUE) == JPEG_SUSPENDED) return cwebimage_jpeg_starved;
    describe(decoder, header);
    return cwebimage_jpeg_ready;
}

bool cwebimage_jpeg_marker(
    const cwebimage_jpeg_decoder *decoder, int code, int index, const uint8_t **bytes, size_t *count) {
    for (jpeg_saved_marker_ptr marker = decoder->info.marker_list; marker; marker = marker->next) {
        if (marker->marker != JPEG_APP0 + code || index-- > 0) continue;
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
    j_decompress_ptr info = &decoder->info;
    describe(decoder, header);
    decoder->max_scans = settings.max_scans;
    info->mem->max_memory_to_use = settings.max_memory;
    info->scale_num = 1;
    info->scale_denom = (unsigned int)settings.scale_denominator;
    info->out_color_space = header->is_cmyk ? JCS_CMYK : JCS_EXT_RGBA;
    // Pictures in several scans are gathered first, step by step, so that the caller may stop between them.
    info->buffered_image = header->has_scans;
    jpeg_start_decompress(info);
    header->width = (int)info->output_width;
    header->height = (int)info->output_height;
    return true;
}

cwebimage_jpeg_status cwebimage_jpeg_read_row(cwebimage_jpeg_decoder *decoder, uint8_t *row) {
    if (setjmp(decoder->jump)) return cwebimage_jpeg_failed;
    JSAMPROW rows[1] = { row };
    return jpeg_read_scanlines(&decoder->info, rows, 1) == 1 ? cwebimage_jpeg_ready : cwebimage_jpeg_starved;
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

bool cwebimage_jpeg_is_unsupported(const cwebimage_jpeg_decoder *decoder) {
    return decoder->is_unsupported;
}

const char *cwebimage_jpeg_message(const cwebimage_jpeg_decoder *decoder) {
    return decoder->message;
}

void cwebimage_jpeg_close(cwebimage_jpeg_decoder *decoder) {
    if (!decoder) return;
    jpeg_destroy_decompress(&decoder->info);
    free(decoder->profile);
    free(decoder->buffer);
    free(decoder);
}
