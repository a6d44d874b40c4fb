#include "CWebImageJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

static void print_nothing(j_common_ptr common) {
    (void)common;
}

struct cwebimage_jpeg_encoder {
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    jmp_buf jump;
    unsigned char *bytes;
    unsigned long count;
    bool has_destination;
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
    encoder->has_destination = true;
    info->image_width = (JDIMENSION)encoding.width;
    info->image_height = (JDIMENSION)encoding.height;
    info->input_components = 4;
    info->in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(info);
    if (encoding.is_gray) jpeg_set_colorspace(info, JCS_GRAYSCALE);
    jpeg_set_quality(info, encoding.quality, TRUE);
    info->optimize_coding = TRUE;
    if (!encoding.is_gray) {
        info->comp_info[0].h_samp_factor = encoding.chroma_step;
        info->comp_info[0].v_samp_factor = encoding.chroma_step;
    }
    jpeg_start_compress(info, TRUE);
    return true;
}

bool cwebimage_jpeg_encoder_write_marker(
    cwebimage_jpeg_encoder *encoder, int marker, const uint8_t *bytes, size_t count) {
    if (setjmp(encoder->jump)) return false;
    jpeg_write_marker(&encoder->info, marker, bytes, (unsigned int)count);
    return true;
}

bool cwebimage_jpeg_encoder_write_profile(cwebimage_jpeg_encoder *encoder, const uint8_t *bytes, size_t count) {
    if (setjmp(encoder->jump)) return false;
    jpeg_write_icc_profile(&encoder->info, bytes, (unsigned int)count);
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
    // Only this tells where the buffer is after it grew.
    if (encoder->has_destination) (*encoder->info.dest->term_destination)(&encoder->info);
    jpeg_destroy_compress(&encoder->info);
    free(encoder->bytes);
    free(encoder);
}
