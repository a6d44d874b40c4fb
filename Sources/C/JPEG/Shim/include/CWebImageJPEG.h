#ifndef CWEBIMAGE_JPEG_H
#define CWEBIMAGE_JPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libjpeg reports an error by a call that must not return. The only way out is longjmp, which must not cross a Swift
// frame; so each call that can fail is wrapped here and answers false, with the library's words in `message`.

typedef struct cwebimage_jpeg_decoder cwebimage_jpeg_decoder;
typedef struct cwebimage_jpeg_encoder cwebimage_jpeg_encoder;

typedef enum {
    /// The call did what it says.
    cwebimage_jpeg_ready,
    /// More bytes are wanted first. Never of a decoder that has them all.
    cwebimage_jpeg_starved,
    /// There is nothing more to do.
    cwebimage_jpeg_done,
    cwebimage_jpeg_failed,
} cwebimage_jpeg_status;

typedef struct {
    int width;
    int height;
    /// Which column of the picture the rows start with.
    int first_column;
    /// How many pixels one sample of the coarsest component covers.
    int column_step;
    int row_step;
    /// Rows come as C, M, Y, K instead of R, G, B, A.
    bool is_cmyk;
    bool is_gray;
    /// The file has Adobe's marker: its CMYK values are inverted.
    bool is_adobe;
    /// The picture comes in several scans, which `cwebimage_jpeg_consume` gathers before rows can be read.
    bool has_scans;
    /// The library cannot wait for bytes inside the pixels, so that they must all be there before anything is read.
    bool cannot_wait;
} cwebimage_jpeg_header;

typedef struct {
    /// How many bytes the library may take for the coefficients of a picture that comes in several scans.
    long max_memory;
    /// A file with more scans than this is refused.
    int max_scans;
    /// 1, 2, 4 or 8: the picture comes out this many times smaller.
    int scale_denominator;
    /// The columns that are wanted, of the picture as it comes out. What comes starts at a block border and may be
    /// more.
    int first_column;
    int column_count;
    /// Whether blocks of which only the average came yet are blended into each other. Costs as much as the pixels.
    bool smooths_blocks;
} cwebimage_jpeg_settings;

/// What the scans so far say of one component.
typedef struct {
    /// Its samples in full size, rounded up to whole blocks.
    int width;
    int height;
    /// For each coefficient of a block, row by row: how many of its low bits no scan has brought yet; -1 before its
    /// first.
    int missing_bits[64];
    /// What one step of that coefficient is worth.
    int steps[64];
} cwebimage_jpeg_accuracy;

// MARK: Bytes

/// Reads from memory that must live until `cwebimage_jpeg_close`. NULL when there is no memory.
cwebimage_jpeg_decoder *cwebimage_jpeg_open(const uint8_t *bytes, size_t count);
/// A decoder whose bytes come by `cwebimage_jpeg_feed`. NULL when there is no memory.
cwebimage_jpeg_decoder *cwebimage_jpeg_open_fed(void);
/// Takes new bytes and decodes nothing. False when there is no memory.
bool cwebimage_jpeg_feed(cwebimage_jpeg_decoder *decoder, const uint8_t *bytes, size_t count);
/// How many bytes wait to be read by the library.
size_t cwebimage_jpeg_waiting_bytes(const cwebimage_jpeg_decoder *decoder);
/// No more bytes will come: from here on a lack of them is a fault, as in a file read whole.
void cwebimage_jpeg_end_feeding(cwebimage_jpeg_decoder *decoder);

// MARK: Header

cwebimage_jpeg_status cwebimage_jpeg_read_header(cwebimage_jpeg_decoder *decoder, cwebimage_jpeg_header *header);
/// The index-th kept APP segment with the given code (1, 2 or 13) without its length field; false when there are no
/// more.
bool cwebimage_jpeg_marker(
    const cwebimage_jpeg_decoder *decoder, int code, int index, const uint8_t **bytes, size_t *count);
/// The embedded colour profile, joined; NULL when there is none or its pieces do not fit. Owned by the decoder.
const uint8_t *cwebimage_jpeg_profile(cwebimage_jpeg_decoder *decoder, size_t *count);

// MARK: Pixels

/// Sets up the pixels; `header` receives the size in which they will come.
bool cwebimage_jpeg_start(
    cwebimage_jpeg_decoder *decoder, cwebimage_jpeg_settings settings, cwebimage_jpeg_header *header);
/// Gathers scans, up to so many rows of blocks or the end of one; `done` when there are no more.
cwebimage_jpeg_status cwebimage_jpeg_consume(cwebimage_jpeg_decoder *decoder, int steps);
/// How many scans are there as a whole.
int cwebimage_jpeg_completed_scans(const cwebimage_jpeg_decoder *decoder);
/// What there is of a component when a scan has just ended; false where the file is not progressive.
bool cwebimage_jpeg_get_accuracy(
    const cwebimage_jpeg_decoder *decoder, int component, cwebimage_jpeg_accuracy *accuracy);
int cwebimage_jpeg_component_count(const cwebimage_jpeg_decoder *decoder);
/// Whether an end marker stands somewhere in the bytes that were not read yet.
bool cwebimage_jpeg_end_is_ahead(const cwebimage_jpeg_decoder *decoder);
/// Begins to make rows of what was gathered, from the top. `starved` leaves everything as it was. A picture in one
/// scan has one pass, which needs no beginning.
cwebimage_jpeg_status cwebimage_jpeg_begin_pass(cwebimage_jpeg_decoder *decoder);
/// Leaves out rows. Only for a decoder that has all bytes.
cwebimage_jpeg_status cwebimage_jpeg_skip_rows(cwebimage_jpeg_decoder *decoder, int count);
/// Writes the next row, width × 4 bytes.
cwebimage_jpeg_status cwebimage_jpeg_read_row(cwebimage_jpeg_decoder *decoder, uint8_t *row);
/// Whether pixel data was missing from the rows read so far. Asked after the last row, it tells a cut file from one
/// that lacks no more than its end marker.
bool cwebimage_jpeg_is_incomplete(const cwebimage_jpeg_decoder *decoder);
/// Whether the bytes ended before the library had seen an end marker.
bool cwebimage_jpeg_hit_end(const cwebimage_jpeg_decoder *decoder);
/// Whether the failure was a kind of JPEG that the library does not read.
bool cwebimage_jpeg_is_unsupported(const cwebimage_jpeg_decoder *decoder);
const char *cwebimage_jpeg_message(const cwebimage_jpeg_decoder *decoder);
void cwebimage_jpeg_close(cwebimage_jpeg_decoder *decoder);

// MARK: Writing

typedef struct {
    int width;
    int height;
    /// 1…100.
    int quality;
    /// 1 keeps all colour samples, 2 halves them both ways.
    int chroma_step;
    /// Red, green and blue are the same everywhere, and only one of them is written.
    bool is_gray;
} cwebimage_jpeg_encoding;

/// NULL when there is no memory.
cwebimage_jpeg_encoder *cwebimage_jpeg_encoder_open(void);
bool cwebimage_jpeg_encoder_start(cwebimage_jpeg_encoder *encoder, cwebimage_jpeg_encoding encoding);
/// Between start and the first row: a segment of at most 65,533 bytes, such as 0xE1 for APP1.
bool cwebimage_jpeg_encoder_write_marker(
    cwebimage_jpeg_encoder *encoder, int marker, const uint8_t *bytes, size_t count);
/// Likewise a colour profile, in as many segments as it needs.
bool cwebimage_jpeg_encoder_write_profile(cwebimage_jpeg_encoder *encoder, const uint8_t *bytes, size_t count);
/// Takes a row of R, G, B and a fourth byte that is ignored.
bool cwebimage_jpeg_encoder_write_row(cwebimage_jpeg_encoder *encoder, const uint8_t *row);
/// The whole file, owned by the encoder.
bool cwebimage_jpeg_encoder_finish(cwebimage_jpeg_encoder *encoder, const uint8_t **bytes, size_t *count);
const char *cwebimage_jpeg_encoder_message(const cwebimage_jpeg_encoder *encoder);
void cwebimage_jpeg_encoder_close(cwebimage_jpeg_encoder *encoder);

#endif
