#!/usr/bin/env bash
# Makes Tests/Fixtures/jpeg/sampling_*.jpg: one colourful picture of odd size with its colour stored in every common
# resolution. Needs a C compiler and libjpeg.
#
#     make_jpeg_samplings.sh ../jpeg
set -euo pipefail

target=${1:?usage: make_jpeg_samplings.sh FOLDER}
tool=$(mktemp)
trap 'rm -f "$tool"' EXIT
cc -x c - -ljpeg -o "$tool" <<'C'
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

enum { width = 173, height = 117 };

struct kind {
    const char *name;
    int horizontal;
    int vertical;
    int is_progressive;
    int restart_rows;
};

static const struct kind kinds[] = {
    { "444", 1, 1, 0, 0 }, { "422", 2, 1, 0, 0 }, { "440", 1, 2, 0, 0 }, { "420", 2, 2, 0, 0 }, { "411", 4, 1, 0, 0 },
    { "420_restarts", 2, 2, 0, 1 }, { "444_progressive", 1, 1, 1, 0 }, { "420_progressive", 2, 2, 1, 0 },
};

/// Rising and falling ramps of different lengths, so that neighbours differ in every channel.
static int ramp(int place, int length) {
    int phase = place % (2 * length);
    return (phase < length ? phase : 2 * length - phase) * 255 / length;
}

static void fill_row(JSAMPLE *row, int y) {
    for (int x = 0; x < width; x++) {
        row[x * 3] = (JSAMPLE)ramp(x * 3 + y, 41);
        row[x * 3 + 1] = (JSAMPLE)ramp(x + y * 2, 67);
        row[x * 3 + 2] = (JSAMPLE)ramp(x * 2 + 200 - y, 23);
    }
}

static void write_picture(const struct kind *kind, FILE *file) {
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    jpeg_stdio_dest(&info, file);
    info.image_width = width;
    info.image_height = height;
    info.input_components = 3;
    info.in_color_space = JCS_RGB;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, 80, TRUE);
    info.comp_info[0].h_samp_factor = kind->horizontal;
    info.comp_info[0].v_samp_factor = kind->vertical;
    info.restart_in_rows = kind->restart_rows;
    if (kind->is_progressive) jpeg_simple_progression(&info);
    jpeg_start_compress(&info, TRUE);
    JSAMPLE row[width * 3];
    JSAMPROW rows[1] = { row };
    while (info.next_scanline < info.image_height) {
        fill_row(row, (int)info.next_scanline);
        jpeg_write_scanlines(&info, rows, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
}

int main(int count, char **arguments) {
    if (count != 2) return 1;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/sampling_%s.jpg", arguments[1], kinds[i].name);
        FILE *file = fopen(path, "wb");
        if (!file) return 1;
        write_picture(&kinds[i], file);
        fclose(file);
    }
    return 0;
}
C
"$tool" "$target"
