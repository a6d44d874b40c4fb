#include "CWebImageResample.h"
#include "KernelTests.h"

#include <math.h>
#include <string.h>

/* A fused product would round once where the kernels round twice. */
#pragma STDC FP_CONTRACT OFF

// Not numbers are equal however they are written.
static void settle(float *floats, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (isnan(floats[i])) floats[i] = NAN;
}

static void widen(void) {
    const size_t count = (size_t)cwebimage_test_between(1, 290);
    const uint16_t *halves = cwebimage_test_noise(count * 2, 2);
    float *floats = cwebimage_test_memory(count * 4, 4), *expected = cwebimage_test_memory(count * 4, 4);
    for (size_t i = 0; i < count; i++) {
        _Float16 half;
        memcpy(&half, halves + i, 2);
        expected[i] = half;
    }
    cwebimage_resample_widen(halves, floats, count);
    settle(floats, count), settle(expected, count);
    cwebimage_test_same(floats, expected, count * 4, "cwebimage_resample_widen");
}

static float random_float(void) {
    const uint64_t value = cwebimage_test_random();
    // Between two halves, in the range of halves, or any.
    const float near = (float)((int64_t)(value >> 8 & 0xFFFF) - 32768) / 4096 + (value & 16 ? 0x1p-13f : 0);
    const uint32_t bits = (uint32_t)(value >> 32);
    float any;
    memcpy(&any, &bits, 4);
    if (isnan(any)) return 0;
    return value & 1 ? near : value & 2 ? near * 0x1p-14f : any;
}

static void narrow(void) {
    const size_t count = (size_t)cwebimage_test_between(1, 290);
    float *floats = cwebimage_test_memory(count * 4, 4);
    uint16_t *halves = cwebimage_test_memory(count * 2, 2), *expected = cwebimage_test_memory(count * 2, 2);
    for (size_t i = 0; i < count; i++) {
        floats[i] = random_float();
        const _Float16 half = (_Float16)floats[i];
        memcpy(expected + i, &half, 2);
    }
    cwebimage_resample_narrow(floats, halves, count);
    cwebimage_test_same(halves, expected, count * 2, "cwebimage_resample_narrow");
}

static void across(void) {
    const size_t width = cwebimage_test_side(), count = cwebimage_test_side();
    const size_t stride = (size_t)cwebimage_test_between(1, (int64_t)width);
    float *row = cwebimage_test_memory(width * 16, 4);
    float *narrowed = cwebimage_test_memory(count * 16, 4), *expected = cwebimage_test_memory(count * 16, 4);
    int32_t *starts = cwebimage_test_memory(count * 4, 4);
    int16_t *weights = cwebimage_test_memory(count * stride * 2, 2);
    for (size_t i = 0; i < width * 4; i++) row[i] = (float)cwebimage_test_between(-1000, 9000) / 7;
    for (size_t i = 0; i < count * stride; i++) weights[i] = (int16_t)cwebimage_test_between(-9000, 16384);
    for (size_t t = 0; t < count; t++) starts[t] = (int32_t)cwebimage_test_between(0, (int64_t)(width - stride));
    for (size_t i = 0; i < count * 4; i++) {
        float sum = 0;
        for (size_t tap = 0; tap < stride; tap++) {
            const float product = row[((size_t)starts[i / 4] + tap) * 4 + i % 4] * (float)weights[i / 4 * stride + tap];
            sum += product;
        }
        expected[i] = sum * (1.0f / 16384);
    }
    const cwebimage_axis axis = { starts, weights, count, stride };
    cwebimage_resample_across_floats(row, width * 4, &axis, narrowed, count * 4);
    cwebimage_test_same(narrowed, expected, count * 16, "cwebimage_resample_across_floats");
}

static void add(void) {
    const size_t count = (size_t)cwebimage_test_between(1, 290);
    const float weight = (float)cwebimage_test_between(-4000, 8000);
    float *row = cwebimage_test_memory(count * 4, 4);
    float *sums = cwebimage_test_memory(count * 4, 4), *expected = cwebimage_test_memory(count * 4, 4);
    for (size_t i = 0; i < count; i++) {
        row[i] = (float)cwebimage_test_between(-1000, 9000) / 7;
        sums[i] = (float)cwebimage_test_between(-9000, 9000) / 3;
        const float product = row[i] * weight;
        expected[i] = sums[i] + product;
    }
    cwebimage_resample_add_floats(row, weight, sums, count);
    cwebimage_test_same(sums, expected, count * 4, "cwebimage_resample_add_floats");
}

// Where there are none Swift does it.
void cwebimage_test_resample_floats(void) {
    if (!cwebimage_kernels_have_avx2()) return;
    widen();
    narrow();
    across();
    add();
}
