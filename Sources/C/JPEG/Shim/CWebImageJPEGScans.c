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
        if (result == JPEG_SCAN_COMPLETED) {
            decoder->completed_scans = info->input_scan_number;
            return cwebimage_jpeg_ready;
        }
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

/// Where the coefficients of the file's order stand in a block, row by row (ITU-T T.81, figure A.6).
static const unsigned char places[DCTSIZE2] = {
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
    12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
    58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
};

int cwebimage_jpeg_component_count(const cwebimage_jpeg_decoder *decoder) {
    return decoder->info.num_components;
}

bool cwebimage_jpeg_get_accuracy(
    const cwebimage_jpeg_decoder *decoder, int component, cwebimage_jpeg_accuracy *accuracy) {
    const struct jpeg_decompress_struct *info = &decoder->info;
    if (!info->coef_bits || component < 0 || component >= info->num_components) return false;
    const jpeg_component_info *found = &info->comp_info[component];
    accuracy->width = (int)found->width_in_blocks * DCTSIZE;
    accuracy->height = (int)found->height_in_blocks * DCTSIZE;
    for (int i = 0; i < DCTSIZE2; i++) {
        accuracy->missing_bits[places[i]] = info->coef_bits[component][i];
        // The library keeps steps row by row, and has none before the component's first scan.
        accuracy->steps[i] = found->quant_table ? found->quant_table->quantval[i] : 0;
    }
    return true;
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
