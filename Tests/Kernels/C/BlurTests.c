#include "CWebImageBlur.h"
#include "KernelTests.h"

#include <string.h>

/* A fused product would round once where x86 rounds twice. */
#pragma STDC FP_CONTRACT OFF

enum { MOST = 70, REACH = 700 };

static int clamped(int place, int length) { return place < 0 ? 0 : place >= length ? length - 1 : place; }

static uint8_t mean(const int *first, size_t window) {
    int sum = 0;
    for (size_t i = 0; i < window; i++) sum += first[i];
    const int reciprocal = (int)((65536 + window / 2) / window);
    if (window < 128) return (uint8_t)(((int64_t)sum + (int)(window / 2)) * reciprocal >> 16);
    const float product = (float)sum * (1.0f / (float)window);
    return (uint8_t)(product + 0.5f);
}

// The definition: the edge goes on for ever, three means of neighbours or one weighted sum.
static void blur_line(const struct cwebimage_blur *blur, const uint8_t *from, uint8_t *to, size_t length, size_t step) {
    int line[MOST + REACH];
    const size_t taps = blur->weight_count;
    const size_t around = taps ? taps - 1 : blur->boxes[0] + blur->boxes[1] + blur->boxes[2] - 3;
    const size_t count = length + around;
    for (size_t i = 0; i < count; i++)
        line[i] = from[(size_t)clamped((int)i - (int)(around / 2), (int)length) * step];
    for (size_t pass = 0, left = count; pass < 3 && !taps; pass++) {
        left -= blur->boxes[pass] - 1;
        for (size_t i = 0; i < left; i++) line[i] = mean(line + i, blur->boxes[pass]);
    }
    for (size_t i = 0; i < length; i++) {
        uint32_t sum = 32768;
        for (size_t tap = 0; tap < taps; tap++) sum += (uint32_t)line[i + tap] * blur->weights[tap];
        to[i * step] = taps ? (uint8_t)(sum >> 16) : (uint8_t)line[i];
    }
}

static void choose_boxes(struct cwebimage_blur *blur) {
    const int64_t most = cwebimage_test_between(0, 3) ? 40 : 220;
    for (int i = 0; i < 3; i++) blur->boxes[i] = (size_t)cwebimage_test_between(1, most);
    if ((blur->boxes[0] + blur->boxes[1] + blur->boxes[2]) % 2 == 0) blur->boxes[2]++;
}

static void choose_weights(struct cwebimage_blur *blur) {
    const size_t count = (size_t)cwebimage_test_between(0, 12) * 2 + 1;
    uint16_t *weights = cwebimage_test_memory(count * 2, 2);
    uint32_t left = 65536;
    for (size_t i = 0; i + 1 < count; i++) {
        weights[i] = (uint16_t)cwebimage_test_between(0, left / 3);
        left -= weights[i];
    }
    // The one weight of a row of one would be one more than there is.
    weights[count - 1] = (uint16_t)(left > 65535 ? 65535 : left);
    blur->weights = weights;
    blur->weight_count = count;
}

typedef int (*cwebimage_test_blur_kernel)(
    const struct cwebimage_blur *, const uint8_t *, uint8_t *, size_t, size_t, size_t, size_t, uint8_t *, size_t);

static void compare(struct cwebimage_blur *blur, int is_across, const char *name) {
    const cwebimage_test_blur_kernel kernel = is_across ? cwebimage_blur_rows : cwebimage_blur_columns;
    const size_t width = cwebimage_test_side(), height = cwebimage_test_side();
    const size_t stride = width * 4 + (size_t)cwebimage_test_between(0, 40);
    const struct cwebimage_test_picture source = cwebimage_test_picture(width, height, stride);
    uint8_t *expected = memcpy(cwebimage_test_memory(source.byte_count, 1), source.bytes, source.byte_count);
    for (size_t other = 0; other < (is_across ? height : width); other++)
        for (size_t channel = 0; channel < 4; channel++) {
            const size_t start = (is_across ? other * stride : other * 4) + channel;
            blur_line(blur, source.bytes + start, expected + start, is_across ? width : height, is_across ? 4 : stride);
        }
    const size_t scratch_count = cwebimage_blur_scratch_count(blur, width > height ? width : height);
    for (blur->is_baseline = 0; blur->is_baseline < 2; blur->is_baseline++)
        for (int is_in_place = 0; is_in_place < 2; is_in_place++) {
            struct cwebimage_test_picture target = source;
            target.bytes = memcpy(cwebimage_test_memory(source.byte_count, 1), source.bytes, source.byte_count);
            const uint8_t *from = is_in_place ? target.bytes : source.bytes;
            uint8_t *scratch = memset(cwebimage_test_memory(scratch_count, 1), 0, scratch_count);
            cwebimage_test_close_gaps(&source, 1), cwebimage_test_close_gaps(&target, 1);
            cwebimage_test_expect(
                kernel(blur, from, target.bytes, source.byte_count, stride, width, height, scratch, scratch_count)
                    && !kernel(blur, from, target.bytes, source.byte_count - 1, stride, width, height, scratch,
                        scratch_count)
                    && !kernel(blur, from, target.bytes, source.byte_count, stride, width, height, scratch,
                        scratch_count - 1),
                name);
            cwebimage_test_close_gaps(&source, 0), cwebimage_test_close_gaps(&target, 0);
            cwebimage_test_gaps(&target, name);
            cwebimage_test_equal(target.bytes, expected, source.byte_count, name);
        }
}

void cwebimage_test_blur(void) {
    struct cwebimage_blur boxes = { { 1, 1, 1 }, NULL, 0, 0 }, weights = boxes;
    choose_boxes(&boxes);
    choose_weights(&weights);
    compare(&boxes, 0, "cwebimage_blur_columns, boxes");
    compare(&boxes, 1, "cwebimage_blur_rows, boxes");
    compare(&weights, 0, "cwebimage_blur_columns, weights");
    compare(&weights, 1, "cwebimage_blur_rows, weights");
}
