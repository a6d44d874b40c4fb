#include "CWebImageJPEGDecoder.h"

#include <stdlib.h>

#include <jerror.h>

enum { max_segments = 10000 };

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
    cwebimage_jpeg_set_source(decoder);
    cwebimage_jpeg_set_watch(decoder);
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
    header->column_step = header->row_step = 1;
    for (int i = 0; i < decoder->info.num_components; i++) {
        const jpeg_component_info *component = &decoder->info.comp_info[i];
        int columns = decoder->info.max_h_samp_factor / component->h_samp_factor;
        int rows = decoder->info.max_v_samp_factor / component->v_samp_factor;
        if (columns > header->column_step) header->column_step = columns;
        if (rows > header->row_step) header->row_step = rows;
    }
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
    info->do_block_smoothing = settings.smooths_blocks;
    jpeg_start_decompress(info);
    if (settings.column_count > 0 && settings.column_count < (int)info->output_width) {
        JDIMENSION first = (JDIMENSION)settings.first_column, count = (JDIMENSION)settings.column_count;
        jpeg_crop_scanline(info, &first, &count);
        header->first_column = (int)first;
    }
    header->width = (int)info->output_width;
    header->height = (int)info->output_height;
    return true;
}

cwebimage_jpeg_status cwebimage_jpeg_read_row(cwebimage_jpeg_decoder *decoder, uint8_t *row) {
    if (setjmp(decoder->jump)) return cwebimage_jpeg_failed;
    JSAMPROW rows[1] = { row };
    return jpeg_read_scanlines(&decoder->info, rows, 1) == 1 ? cwebimage_jpeg_ready : cwebimage_jpeg_starved;
}

cwebimage_jpeg_status cwebimage_jpeg_skip_rows(cwebimage_jpeg_decoder *decoder, int count) {
    if (setjmp(decoder->jump)) return cwebimage_jpeg_failed;
    jpeg_skip_scanlines(&decoder->info, (JDIMENSION)count);
    return cwebimage_jpeg_ready;
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
