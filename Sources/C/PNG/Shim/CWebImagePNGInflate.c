#include "CWebImagePNGInflate.h"

#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>

#include "CWebImagePNGInflater.h"

static cwebimage_png_progress read_header(cwebimage_png_inflater *inflater, cwebimage_png_source *input) {
    uint32_t header;
    if (!cwebimage_png_take(inflater, input, 16, &header)) return wants_input;
    unsigned method = header & 0xFF, flags = header >> 8;
    bool is_usable = (method & 15) == 8 && method >> 4 <= 7 && !(flags & 0x20) && (method << 8 | flags) % 31 == 0;
    if (!is_usable) return cwebimage_png_fail(inflater);
    inflater->mode = mode_block;
    return goes_on;
}

static cwebimage_png_progress read_block(cwebimage_png_inflater *inflater, cwebimage_png_source *input) {
    uint32_t header;
    if (inflater->is_last) {
        inflater->mode = mode_checksum;
        cwebimage_png_drop(inflater, inflater->bit_count & 7);
        return goes_on;
    }
    if (!cwebimage_png_take(inflater, input, 3, &header)) return wants_input;
    inflater->is_last = header & 1;
    switch (header >> 1) {
    case 0:
        cwebimage_png_drop(inflater, inflater->bit_count & 7);
        inflater->mode = mode_stored_size;
        break;
    case 1:
        inflater->mode = mode_codes;
        if (!cwebimage_png_build_fixed(inflater)) return cwebimage_png_fail(inflater);
        break;
    case 2: inflater->mode = mode_counts; break;
    default: return cwebimage_png_fail(inflater);
    }
    return goes_on;
}

static cwebimage_png_progress read_stored_size(cwebimage_png_inflater *inflater, cwebimage_png_source *input) {
    uint32_t sizes;
    if (!cwebimage_png_take(inflater, input, 32, &sizes)) return wants_input;
    if ((sizes & 0xFFFF) != (~sizes >> 16)) return cwebimage_png_fail(inflater);
    inflater->stored_left = sizes & 0xFFFF;
    inflater->mode = mode_stored;
    return goes_on;
}

static cwebimage_png_progress copy_stored(
    cwebimage_png_inflater *inflater, cwebimage_png_source *input, cwebimage_png_target *output) {
    while (inflater->stored_left > 0 && inflater->bit_count >= 8 && output->next < output->end) {
        *output->next++ = (uint8_t)inflater->bits;
        cwebimage_png_drop(inflater, 8);
        inflater->stored_left--;
    }
    if (inflater->stored_left > 0 && inflater->bit_count >= 8) return wants_room;
    size_t count = inflater->stored_left, room = (size_t)(output->end - output->next);
    if (count > (size_t)(input->end - input->next)) count = (size_t)(input->end - input->next);
    if (count > room) count = room;
    if (count > 0) memcpy(output->next, input->next, count);
    output->next += count;
    input->next += count;
    inflater->stored_left -= count;
    if (inflater->stored_left == 0) inflater->mode = mode_block;
    else return output->next == output->end ? wants_room : wants_input;
    return goes_on;
}

static void add_to_checksum(cwebimage_png_inflater *inflater, cwebimage_png_target *output) {
    inflater->checksum =
        libdeflate_adler32(inflater->checksum, output->summed, (size_t)(output->next - output->summed));
    output->summed = output->next;
}

static cwebimage_png_progress read_checksum(
    cwebimage_png_inflater *inflater, cwebimage_png_source *input, cwebimage_png_target *output) {
    uint32_t checksum;
    if (!cwebimage_png_take(inflater, input, 32, &checksum)) return wants_input;
    add_to_checksum(inflater, output);
    inflater->mode = __builtin_bswap32(checksum) == inflater->checksum ? mode_ended : mode_failed;
    return goes_on;
}

static cwebimage_png_progress advance(
    cwebimage_png_inflater *inflater, cwebimage_png_source *input, cwebimage_png_target *output) {
    switch (inflater->mode) {
    case mode_header: return read_header(inflater, input);
    case mode_block: return read_block(inflater, input);
    case mode_stored_size: return read_stored_size(inflater, input);
    case mode_stored: return copy_stored(inflater, input, output);
    case mode_counts: return cwebimage_png_read_counts(inflater, input);
    case mode_order: return cwebimage_png_read_order(inflater, input);
    case mode_lengths: return cwebimage_png_read_lengths(inflater, input);
    case mode_codes: return cwebimage_png_decode_block(inflater, input, output);
    case mode_checksum: return read_checksum(inflater, input, output);
    default: return goes_on;
    }
}

cwebimage_png_inflater *cwebimage_png_inflater_open(void) {
    cwebimage_png_inflater *inflater = malloc(sizeof *inflater);
    if (!inflater) return NULL;
    // The tables are built before they are read.
    memset(inflater, 0, offsetof(cwebimage_png_inflater, order));
    inflater->checksum = 1;
    return inflater;
}

cwebimage_png_inflate_step cwebimage_png_inflater_step(
    cwebimage_png_inflater *inflater, const uint8_t *bytes, size_t count, uint8_t *output, size_t output_count,
    size_t output_start) {
    if (output_start > output_count || output_start < inflater->history) {
        inflater->mode = mode_failed;
        output_start = output_count;
    }
    cwebimage_png_source source = { bytes, bytes + count };
    uint8_t *start = output + output_start;
    cwebimage_png_target target = { start, start, output + output_count, start };
    cwebimage_png_progress progress = goes_on;
    while (progress == goes_on && inflater->mode != mode_ended && inflater->mode != mode_failed) {
        progress = advance(inflater, &source, &target);
    }
    add_to_checksum(inflater, &target);
    inflater->history += (size_t)(target.next - start);
    if (inflater->history > window_size) inflater->history = window_size;
    cwebimage_png_inflate_step step = { (size_t)(source.next - bytes), (size_t)(target.next - output), 0 };
    step.state = inflater->mode == mode_ended ? CWEBIMAGE_PNG_INFLATE_ENDED
        : inflater->mode == mode_failed ? CWEBIMAGE_PNG_INFLATE_FAILED
        : progress == wants_room ? CWEBIMAGE_PNG_INFLATE_NEEDS_ROOM
        : CWEBIMAGE_PNG_INFLATE_NEEDS_INPUT;
    return step;
}

void cwebimage_png_inflater_close(cwebimage_png_inflater *inflater) {
    free(inflater);
}
