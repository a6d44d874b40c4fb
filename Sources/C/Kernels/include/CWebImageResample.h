/* The inner loops of the resampler for processors that the compiler may not take for granted, and for Arm's.
 *
 * Swift can ask for such instructions only for a whole module; C can for one function. Each function below does whole
 * rows and has a portable twin in Swift (Sources/Pixels) that gives the same bytes. They can go when Swift has a target
 * attribute for functions.
 */
#ifndef CWEBIMAGE_RESAMPLE_H
#define CWEBIMAGE_RESAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which pixels of a source row make each pixel of a target row: `stride` weights from `starts[t]` on. 1 is 1 << 14. */
typedef struct {
    const int32_t *starts;
    const int16_t *weights;
    size_t target_count;
    size_t stride;
} cwebimage_axis;

/* The loops for bytes. */
typedef struct {
    /* RGBA8 to 16-bit samples, two neighbouring pixels interleaved: r0 r1 g0 g1 b0 b1 a0 a1. The second of an odd last
     * pair is left as it is. `sample_count` is at least that of the row's pixels, rounded up to whole pairs. Where
     * `is_straight`, colour is multiplied by alpha first: round(colour * alpha / 255). */
    void (*spread)(
        const uint8_t *row, size_t byte_count, int16_t *samples, size_t sample_count, bool is_straight);

    /* Narrows four rows at once, which lie one after the other. Starts are even, the stride is a multiple of 4, and
     * every window lies in its row. The result, 6 bits of fraction, has the first two rows interleaved sample by
     * sample, then the last two. Meanwhile the processor fetches the bytes that will be spread next, of which there may
     * be none. */
    void (*across)(
        const int16_t *rows, size_t samples_per_row, const cwebimage_axis *axis, int16_t *group, size_t group_count,
        const uint8_t *next, size_t next_count);

    /* Adds four narrowed rows, each with its weight, to the sums of a target row. */
    void (*add)(const int16_t *group, const int16_t weights[4], int32_t *sums, size_t sum_count);

    /* Sums of 20 bits of fraction to RGBA8; colour no larger than alpha, or alpha full where `is_opaque`. */
    void (*round)(const int32_t *sums, size_t sum_count, uint8_t *row, size_t byte_count, bool is_opaque);
} cwebimage_resample_bytes;

/* Those for registers of 32 bytes, AVX2, and of 16 bytes, SSE4.1 or NEON; NULL where this processor has none. */
const cwebimage_resample_bytes *cwebimage_resample_bytes_256(void);
const cwebimage_resample_bytes *cwebimage_resample_bytes_128(void);

/* One sample of a straight row, premultiplied. */
int16_t cwebimage_premultiplied_sample(const uint8_t *row, size_t byte_count, size_t index);

/* Whether this processor runs the functions below: AVX2 with F16C. */
bool cwebimage_kernels_have_avx2(void);

/* Half floats to floats and back, to nearest even. */
void cwebimage_resample_widen(const uint16_t *halves, float *floats, size_t count);
void cwebimage_resample_narrow(const float *floats, uint16_t *halves, size_t count);

/* One row of float pixels narrowed; weights as above, products added in order. */
void cwebimage_resample_across_floats(
    const float *row, size_t sample_count, const cwebimage_axis *axis, float *narrowed, size_t narrowed_count);

/* Adds a narrowed row with its weight to the sums of a target row. */
void cwebimage_resample_add_floats(const float *row, float weight, float *sums, size_t count);

#endif
