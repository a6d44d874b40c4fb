#include "CWebImageJPEGDecoder.h"

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

void cwebimage_jpeg_set_watch(cwebimage_jpeg_decoder *decoder) {
    decoder->progress.progress_monitor = watch_scans;
    decoder->info.progress = &decoder->progress;
}
