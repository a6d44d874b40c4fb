#include "CWebImageResample.h"

/* A fused product would round once where the portable twin rounds twice. */
#pragma STDC FP_CONTRACT OFF

int16_t cwebimage_premultiplied_sample(const uint8_t *row, size_t byte_count, size_t index) {
    const size_t alpha_index = index | 3;
    const uint32_t alpha = index == alpha_index || alpha_index >= byte_count ? 255 : row[alpha_index];
    const uint32_t product = row[index] * alpha + 128;
    return (int16_t)((product + (product >> 8)) >> 8);
}

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#define FAST __attribute__((target("avx2,f16c")))

bool cwebimage_kernels_have_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
}

/* (t + 128 + (t + 128) / 256) / 256 is t / 255 rounded, for every t up to 255 * 255, and t never leaves 16 bits. */
FAST static __m256i premultiplied(__m256i pixels) {
    const __m256i rounding = _mm256_set1_epi16(128), all = _mm256_set1_epi16(255);
    /* Alpha of both pixels to all their colours; its own factor is 255. */
    const __m256i alphas = _mm256_blend_epi16(_mm256_shuffle_epi32(pixels, 0xFF), all, 0xC0);
    const __m256i products = _mm256_add_epi16(_mm256_mullo_epi16(pixels, alphas), rounding);
    return _mm256_srli_epi16(_mm256_add_epi16(products, _mm256_srli_epi16(products, 8)), 8);
}

FAST static void spread(
    const uint8_t *row, size_t byte_count, int16_t *samples, size_t sample_count, bool is_straight) {
    const __m128i interleaved = _mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
    size_t count = byte_count < sample_count ? byte_count : sample_count, i = 0;
    for (; i + 16 <= count; i += 16) {
        const __m128i four = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(row + i)), interleaved);
        const __m256i pixels = _mm256_cvtepu8_epi16(four);
        _mm256_storeu_si256((__m256i *)(samples + i), is_straight ? premultiplied(pixels) : pixels);
    }
    for (; i < count; i++)
        samples[i / 8 * 8 + i % 4 * 2 + i / 4 % 2] =
            is_straight ? cwebimage_premultiplied_sample(row, byte_count, i) : row[i];
}

/* The sums of two rows, of which each half of a vector holds every other pixel's, interleaved and stored. */
FAST static void store_pair(int16_t *pair, __m256i one, __m256i two) {
    const __m256i half = _mm256_set1_epi32(1 << 7);
    __m256i sum = _mm256_add_epi32(
        _mm256_permute2x128_si256(one, two, 0x20), _mm256_permute2x128_si256(one, two, 0x31));
    sum = _mm256_srai_epi32(_mm256_add_epi32(sum, half), 8);
    const __m256i packed = _mm256_packs_epi32(sum, sum);
    _mm_storeu_si128(
        (__m128i *)pair, _mm_unpacklo_epi16(_mm256_castsi256_si128(packed), _mm256_extracti128_si256(packed, 1)));
}

FAST static __m256i weighted(const int16_t *samples, __m256i weight) {
    return _mm256_madd_epi16(_mm256_loadu_si256((const __m256i *)samples), weight);
}

FAST static void across(
    const int16_t *rows, size_t samples_per_row, const cwebimage_axis *axis, int16_t *group, size_t group_count,
    const uint8_t *next, size_t next_count) {
    /* Four weights to those of two pixels, four times each, and those of the next two. */
    const __m256i doubled = _mm256_setr_epi8(
        0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7);
    const size_t stride = axis->stride, count = axis->target_count;
    if (!count || count * 16 > group_count) return;
    const size_t fetched_each = next_count / count + 1;
    for (size_t t = 0, fetched = 0; t < count; t++) {
        for (; fetched < next_count && fetched < (t + 1) * fetched_each; fetched += 64)
            _mm_prefetch((const char *)next + fetched, _MM_HINT_T0);
        const size_t start = (size_t)axis->starts[t] * 4;
        if (start + stride * 4 > samples_per_row) return;
        const int16_t *weights = axis->weights + t * stride, *row = rows + start;
        __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;
        for (size_t i = 0; i < stride; i += 4, row += 16) {
            int64_t four;
            memcpy(&four, weights + i, sizeof four);
            const __m256i weight = _mm256_shuffle_epi8(_mm256_set1_epi64x(four), doubled);
            a = _mm256_add_epi32(a, weighted(row, weight));
            b = _mm256_add_epi32(b, weighted(row + samples_per_row, weight));
            c = _mm256_add_epi32(c, weighted(row + samples_per_row * 2, weight));
            d = _mm256_add_epi32(d, weighted(row + samples_per_row * 3, weight));
        }
        store_pair(group + t * 8, a, b);
        store_pair(group + (count + t) * 8, c, d);
    }
}

FAST static void add(const int16_t *group, const int16_t weights[4], int32_t *sums, size_t sum_count) {
    const int16_t *other = group + sum_count * 2;
    int32_t two[2];
    memcpy(two, weights, sizeof two);
    const __m256i first = _mm256_set1_epi32(two[0]), second = _mm256_set1_epi32(two[1]);
    size_t i = 0;
    for (; i + 8 <= sum_count; i += 8) {
        __m256i *sum = (__m256i *)(sums + i);
        const __m256i four = _mm256_add_epi32(weighted(group + i * 2, first), weighted(other + i * 2, second));
        _mm256_storeu_si256(sum, _mm256_add_epi32(_mm256_loadu_si256(sum), four));
    }
    for (; i < sum_count; i++)
        sums[i] += group[i * 2] * weights[0] + group[i * 2 + 1] * weights[1] + other[i * 2] * weights[2]
            + other[i * 2 + 1] * weights[3];
}

FAST static __m128i rounded(const int32_t *sums) {
    return _mm_srai_epi32(_mm_add_epi32(_mm_loadu_si128((const __m128i *)sums), _mm_set1_epi32(1 << 19)), 20);
}

/* Up to four pixels. */
FAST static __m128i settled(__m128i pixels, bool is_opaque) {
    const __m128i alpha = _mm_setr_epi8(3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15);
    if (is_opaque) return _mm_or_si128(pixels, _mm_set1_epi32((int32_t)0xFF000000));
    return _mm_min_epu8(pixels, _mm_shuffle_epi8(pixels, alpha));
}

FAST static void round_sums(
    const int32_t *sums, size_t sum_count, uint8_t *row, size_t byte_count, bool is_opaque) {
    size_t count = byte_count < sum_count ? byte_count : sum_count, i = 0;
    for (; i + 16 <= count; i += 16) {
        const __m128i low = _mm_packs_epi32(rounded(sums + i), rounded(sums + i + 4));
        const __m128i high = _mm_packs_epi32(rounded(sums + i + 8), rounded(sums + i + 12));
        _mm_storeu_si128((__m128i *)(row + i), settled(_mm_packus_epi16(low, high), is_opaque));
    }
    for (; i + 4 <= count; i += 4) {
        const __m128i one = _mm_packs_epi32(rounded(sums + i), _mm_setzero_si128());
        const int32_t pixel = _mm_cvtsi128_si32(settled(_mm_packus_epi16(one, one), is_opaque));
        memcpy(row + i, &pixel, sizeof pixel);
    }
}

static const cwebimage_resample_bytes loops = { spread, across, add, round_sums };

const cwebimage_resample_bytes *cwebimage_resample_bytes_256(void) {
    return cwebimage_kernels_have_avx2() ? &loops : NULL;
}

FAST void cwebimage_resample_widen(const uint16_t *halves, float *floats, size_t count) {
    size_t i = 0;
    for (; i + 8 <= count; i += 8)
        _mm256_storeu_ps(floats + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(halves + i))));
    for (; i < count; i++) floats[i] = _cvtsh_ss(halves[i]);
}

FAST void cwebimage_resample_narrow(const float *floats, uint16_t *halves, size_t count) {
    size_t i = 0;
    for (; i + 8 <= count; i += 8)
        _mm_storeu_si128(
            (__m128i *)(halves + i), _mm256_cvtps_ph(_mm256_loadu_ps(floats + i), _MM_FROUND_TO_NEAREST_INT));
    for (; i < count; i++) halves[i] = _cvtss_sh(floats[i], _MM_FROUND_TO_NEAREST_INT);
}

FAST void cwebimage_resample_across_floats(
    const float *row, size_t sample_count, const cwebimage_axis *axis, float *narrowed, size_t narrowed_count) {
    const __m128 unit = _mm_set1_ps(1.0f / (1 << 14));
    for (size_t t = 0; t < axis->target_count && t * 4 + 4 <= narrowed_count; t++) {
        const size_t start = (size_t)axis->starts[t] * 4;
        if (start + axis->stride * 4 > sample_count) return;
        const int16_t *weights = axis->weights + t * axis->stride;
        __m128 sum = _mm_setzero_ps();
        for (size_t i = 0; i < axis->stride; i++) {
            const __m128 weight = _mm_set1_ps((float)weights[i]);
            sum = _mm_add_ps(sum, _mm_mul_ps(_mm_loadu_ps(row + start + i * 4), weight));
        }
        _mm_storeu_ps(narrowed + t * 4, _mm_mul_ps(sum, unit));
    }
}

FAST void cwebimage_resample_add_floats(const float *row, float weight, float *sums, size_t count) {
    const __m256 factor = _mm256_set1_ps(weight);
    size_t i = 0;
    for (; i + 8 <= count; i += 8)
        _mm256_storeu_ps(
            sums + i, _mm256_add_ps(_mm256_loadu_ps(sums + i), _mm256_mul_ps(_mm256_loadu_ps(row + i), factor)));
    for (; i < count; i++) sums[i] = sums[i] + row[i] * weight;
}

#else

const cwebimage_resample_bytes *cwebimage_resample_bytes_256(void) { return NULL; }

/* Never called: other processors run the portable twins in Swift, which know half floats where the processor does. */
bool cwebimage_kernels_have_avx2(void) { return false; }
void cwebimage_resample_widen(const uint16_t *halves, float *floats, size_t count) {
    (void)halves, (void)floats, (void)count;
}
void cwebimage_resample_narrow(const float *floats, uint16_t *halves, size_t count) {
    (void)floats, (void)halves, (void)count;
}
void cwebimage_resample_across_floats(
    const float *row, size_t sample_count, const cwebimage_axis *axis, float *narrowed, size_t narrowed_count) {
    (void)row, (void)sample_count, (void)axis, (void)narrowed, (void)narrowed_count;
}
void cwebimage_resample_add_floats(const float *row, float weight, float *sums, size_t count) {
    (void)row, (void)weight, (void)sums, (void)count;
}

#endif
