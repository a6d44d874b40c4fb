#ifndef CWEBIMAGE_KERNEL_TESTS_H
#define CWEBIMAGE_KERNEL_TESTS_H

#include <stddef.h>
#include <stdint.h>

// What the tests of the kernels share. Each kernel is compared with its definition, one number at a time, on random
// sizes; Scripts/kernels runs them under sanitizers, and for Arm in an emulator.

// The same numbers in every run and on every processor.
uint64_t cwebimage_test_random(void);
// From `low` to `high`, both included.
int64_t cwebimage_test_between(int64_t low, int64_t high);
// Of a picture: from 1, thin ones often, odd ones as often as even ones.
size_t cwebimage_test_side(void);

// Exactly so many bytes, each 0xA5: one more is an error that stops the program. They start anywhere that items of
// such a size may start, and are all given back by cwebimage_test_end_round.
void *cwebimage_test_memory(size_t byte_count, size_t item);
// The same with random bytes.
void *cwebimage_test_noise(size_t byte_count, size_t item);
void cwebimage_test_end_round(void);

// Rows of 4-byte pixels with a gap after each but the last, which nobody may read or write.
struct cwebimage_test_picture {
    uint8_t *bytes;
    size_t width, height, bytes_per_row, byte_count;
    // As it was made.
    uint8_t *original;
};
struct cwebimage_test_picture cwebimage_test_picture(size_t width, size_t height, size_t bytes_per_row);
// Fails where a gap has changed.
void cwebimage_test_gaps(const struct cwebimage_test_picture *picture, const char *kernel);
// Forbids gaps to kernels, where the address sanitizer runs, and allows them again.
void cwebimage_test_close_gaps(const struct cwebimage_test_picture *picture, int is_closed);

// Fails where two results differ; the first of them goes into the digest that is printed in the end, by which
// processors are compared.
void cwebimage_test_equal(const void *result, const void *expected, size_t byte_count, const char *kernel);
// Fails where two results differ, of which only some processors have one.
void cwebimage_test_same(const void *result, const void *expected, size_t byte_count, const char *kernel);
void cwebimage_test_expect(int is_good, const char *kernel);

void cwebimage_test_blur(void);
void cwebimage_test_memory_kernels(void);
void cwebimage_test_png_rows(void);
void cwebimage_test_resample_bytes(void);
void cwebimage_test_resample_floats(void);
void cwebimage_test_rotate(void);

#endif
