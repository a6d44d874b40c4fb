#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "CWebImagePNGInflate.h"

// What our inflater makes of a stream, given whole, in halves and in pieces and rooms of any size, must be what zlib
// makes of it. Input and output lie in memory of exactly their size, so that the sanitizer sees a byte too far.

enum { window = 1 << 15, max_output = 1 << 16, max_stream = 1 << 17 };

typedef enum { ended, wants_more, failed, is_full } verdict;

typedef struct {
    verdict verdict;
    size_t count;
    uint8_t bytes[max_output];
} result;

static uint64_t seed;

/// 1 up to a number below 2^16, small ones as often as large ones.
static size_t any_size(void) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return 1 + (seed >> 20) % ((size_t)1 << (seed >> 8) % 16);
}

static void require(bool is_true) {
    if (!is_true) abort();
}

static void inflate_by_zlib(const uint8_t *stream, size_t count, result *result) {
    z_stream zlib = { 0 };
    require(inflateInit(&zlib) == Z_OK);
    zlib.next_in = (Bytef *)stream;
    zlib.avail_in = (uInt)count;
    zlib.next_out = result->bytes;
    zlib.avail_out = max_output;
    int status = inflate(&zlib, Z_SYNC_FLUSH);
    result->count = zlib.total_out;
    result->verdict = status == Z_STREAM_END ? ended
        : status != Z_OK && status != Z_BUF_ERROR ? failed
        : zlib.avail_out == 0 ? is_full
        : wants_more;
    inflateEnd(&zlib);
}

typedef struct {
    uint8_t *bytes;
    size_t end;
    size_t capacity;
} room;

/// Goes on in new memory, with as much of the output before it as may be pointed at.
static void make_room(room *room, size_t count) {
    size_t kept = room->end < window ? room->end : window;
    uint8_t *bytes = malloc(kept + count);
    require(bytes != NULL);
    if (kept > 0) memcpy(bytes, room->bytes + room->end - kept, kept);
    free(room->bytes);
    room->bytes = bytes;
    room->end = kept;
    room->capacity = kept + count;
}

/// Gives one piece. False when there is nothing more to give.
static bool give(
    cwebimage_png_inflater *inflater, const uint8_t *piece, size_t count, room *room, result *result, bool any_rooms) {
    for (;;) {
        cwebimage_png_inflate_step step =
            cwebimage_png_inflater_step(inflater, piece, count, room->bytes, room->capacity, room->end);
        require(step.input_count <= count && step.output_end >= room->end && step.output_end <= room->capacity);
        size_t made = step.output_end - room->end;
        if (made > max_output - result->count) made = max_output - result->count;
        if (made > 0) memcpy(result->bytes + result->count, room->bytes + room->end, made);
        result->count += made;
        room->end = step.output_end;
        piece += step.input_count;
        count -= step.input_count;
        switch (step.state) {
        case CWEBIMAGE_PNG_INFLATE_ENDED: result->verdict = ended; return false;
        case CWEBIMAGE_PNG_INFLATE_FAILED: result->verdict = failed; return false;
        case CWEBIMAGE_PNG_INFLATE_NEEDS_INPUT: require(count == 0); return true;
        case CWEBIMAGE_PNG_INFLATE_NEEDS_ROOM:
            require(room->end == room->capacity);
            if (result->count == max_output) {
                result->verdict = is_full;
                return false;
            }
            make_room(room, any_rooms ? any_size() : max_output - result->count);
        }
    }
}

/// - Parameter piece: How many bytes to give at a time; 0 for any number.
static void inflate_by_us(const uint8_t *stream, size_t count, size_t piece, result *result) {
    cwebimage_png_inflater *inflater = cwebimage_png_inflater_open();
    require(inflater != NULL);
    room room = { 0 };
    make_room(&room, piece == 0 ? any_size() : max_output);
    result->count = 0;
    result->verdict = wants_more;
    bool goes_on = true;
    for (size_t start = 0; start < count && goes_on;) {
        size_t size = piece == 0 ? any_size() : piece;
        if (size > count - start) size = count - start;
        uint8_t *copy = malloc(size);
        require(copy != NULL);
        memcpy(copy, stream + start, size);
        goes_on = give(inflater, copy, size, &room, result, piece == 0);
        free(copy);
        start += size;
    }
    free(room.bytes);
    cwebimage_png_inflater_close(inflater);
}

static void compare(const uint8_t *stream, size_t count) {
    static result expected, actual;
    inflate_by_zlib(stream, count, &expected);
    const size_t pieces[] = { count, (count + 1) / 2, 0 };
    for (int i = 0; i < 3; i++) {
        inflate_by_us(stream, count, pieces[i], &actual);
        require(expected.count == actual.count && memcmp(expected.bytes, actual.bytes, actual.count) == 0);
        // What is full may be damaged behind that. Where no length has a code, zlib goes on for a while.
        require(expected.verdict == actual.verdict || expected.count == max_output
                || (expected.verdict == wants_more && actual.verdict == failed));
    }
}

/// Compresses in blocks of the given size, each of which ends with an empty one.
static size_t compress_blocks(const uint8_t *bytes, size_t count, uint8_t settings, uint8_t *target, size_t capacity) {
    z_stream zlib = { 0 };
    int level = settings % 10, bits = 9 + settings % 7, memory = 1 + settings % 9, strategy = settings / 10 % 5;
    require(deflateInit2(&zlib, level, Z_DEFLATED, bits, memory, strategy) == Z_OK);
    zlib.next_out = target;
    zlib.avail_out = (uInt)capacity;
    for (size_t start = 0; start < count;) {
        size_t size = settings & 0x80 ? any_size() : count;
        if (size > count - start) size = count - start;
        zlib.next_in = (Bytef *)bytes + start;
        zlib.avail_in = (uInt)size;
        start += size;
        static const int flushes[] = { Z_NO_FLUSH, Z_PARTIAL_FLUSH, Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_BLOCK };
        deflate(&zlib, flushes[size % 5]);
    }
    deflate(&zlib, Z_FINISH);
    size_t total = zlib.total_out;
    deflateEnd(&zlib);
    return total;
}

/// The first byte says what the others are: a stream, one without its header, or what is compressed to one, of which
/// a bit may then be wrong.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static uint8_t stream[max_stream];
    if (count < 8 || count > max_stream / 2) return -1;
    seed = UINT64_C(0x9E3779B97F4A7C15);
    for (size_t i = 0; i < count; i++) seed = (seed ^ bytes[i]) * UINT64_C(0x100000001B3);
    seed |= 1;
    size_t stream_count;
    switch (bytes[0] & 3) {
    case 0:
        stream_count = count - 1;
        memcpy(stream, bytes + 1, stream_count);
        break;
    case 1:
        stream[0] = 0x78, stream[1] = 0x9C;
        stream_count = count + 1;
        memcpy(stream + 2, bytes + 1, count - 1);
        break;
    default:
        stream_count = compress_blocks(bytes + 4, count - 4, bytes[1], stream, sizeof stream);
        if (bytes[0] & 1) stream[(bytes[2] << 8 | bytes[3]) % stream_count] ^= 1 << (bytes[0] >> 2 & 7);
    }
    if (stream_count > 0) compare(stream, stream_count);
    return 0;
}
