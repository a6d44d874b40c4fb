#!/usr/bin/env bash
# Makes Tests/Fixtures/jpeg: small pictures of the kinds that other writers do not make. Needs a C compiler and libjpeg.
#
#     make_jpegs.sh ../jpeg
set -euo pipefail

target=${1:?usage: make_jpegs.sh FOLDER}
tool=$(mktemp)
trap 'rm -f "$tool"' EXIT
cc -x c - -ljpeg -o "$tool" <<'C'
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

enum { side = 32 };

struct kind {
    const char *name;
    J_COLOR_SPACE in;
    J_COLOR_SPACE stored;
    int component_count;
    int is_arithmetic;
    /// Each component in a scan of its own.
    int has_own_scans;
};

static const struct kind kinds[] = {
    { "gray.jpg", JCS_GRAYSCALE, JCS_GRAYSCALE, 1, 0, 0 },
    { "rgb.jpg", JCS_RGB, JCS_RGB, 3, 0, 0 },
    { "cmyk.jpg", JCS_CMYK, JCS_CMYK, 4, 0, 0 },
    { "ycck.jpg", JCS_CMYK, JCS_YCCK, 4, 0, 0 },
    { "arithmetic.jpg", JCS_RGB, JCS_YCbCr, 3, 1, 0 },
    { "own_scans.jpg", JCS_RGB, JCS_YCbCr, 3, 0, 1 },
};

/// Left half: full first component; right half: none of it. The last component falls from top to bottom. As Adobe has
/// it, 255 is no ink.
static void fill_row(JSAMPLE *row, int y, int count) {
    for (int x = 0; x < side; x++) {
        for (int c = 0; c < count; c++) row[x * count + c] = 200;
        row[x * count] = x < side / 2 ? 255 : 0;
        if (count > 1) row[x * count + count - 1] = (JSAMPLE)(255 - y * 8);
    }
}

static void write_picture(const struct kind *kind, FILE *file) {
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    jpeg_stdio_dest(&info, file);
    info.image_width = side;
    info.image_height = side;
    info.input_components = kind->component_count;
    info.in_color_space = kind->in;
    jpeg_set_defaults(&info);
    jpeg_set_colorspace(&info, kind->stored);
    jpeg_set_quality(&info, 100, TRUE);
    info.arith_code = kind->is_arithmetic;
    for (int c = 0; c < info.num_components; c++) {
        info.comp_info[c].h_samp_factor = 1;
        info.comp_info[c].v_samp_factor = 1;
    }
    static const jpeg_scan_info scans[3] = {
        { 1, { 0 }, 0, 63, 0, 0 }, { 1, { 1 }, 0, 63, 0, 0 }, { 1, { 2 }, 0, 63, 0, 0 },
    };
    if (kind->has_own_scans) {
        info.scan_info = scans;
        info.num_scans = 3;
    }
    jpeg_start_compress(&info, TRUE);
    JSAMPLE row[side * 4];
    JSAMPROW rows[1] = { row };
    while (info.next_scanline < info.image_height) {
        fill_row(row, (int)info.next_scanline, kind->component_count);
        jpeg_write_scanlines(&info, rows, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
}

int main(int count, char **arguments) {
    if (count != 2) return 1;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", arguments[1], kinds[i].name);
        FILE *file = fopen(path, "wb");
        if (!file) return 1;
        write_picture(&kinds[i], file);
        fclose(file);
    }
    return 0;
}
C
"$tool" "$target"
