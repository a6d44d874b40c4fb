#include "KernelTests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif

static uint64_t state, lead_state, digest;
static long comparisons, failures;

// Sebastiano Vigna's splitmix64.
static uint64_t mixed(uint64_t *from) {
    uint64_t value = *from += 0x9E3779B97F4A7C15u;
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
    value = (value ^ value >> 27) * 0x94D049BB133111EBu;
    return value ^ value >> 31;
}

uint64_t cwebimage_test_random(void) { return mixed(&state); }

int64_t cwebimage_test_between(int64_t low, int64_t high) {
    return low + (int64_t)(cwebimage_test_random() % (uint64_t)(high - low + 1));
}

size_t cwebimage_test_side(void) {
    return cwebimage_test_between(0, 5) == 0 ? 1 : (size_t)cwebimage_test_between(1, 70);
}

// MARK: Memory

// So that every round gives its own back.
static struct cwebimage_test_block {
    void *start;
    size_t mapped;
} blocks[4096];
static size_t block_count;

static void *kept(void *start, size_t mapped) {
    if (!start || start == MAP_FAILED || block_count == sizeof blocks / sizeof *blocks) abort();
    blocks[block_count++] = (struct cwebimage_test_block){ start, mapped };
    return start;
}

#if __has_feature(address_sanitizer)
static void *exact_memory(size_t byte_count, size_t item) {
    size_t lead = mixed(&lead_state) % 17 * item;
    return (char *)kept(malloc(lead + byte_count + !byte_count), 0) + lead;
}
#else
// Ends where a page ends behind which there is none; what stands before is the generator's choice of the size.
static void *exact_memory(size_t byte_count, size_t item) {
    (void)item, (void)lead_state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (byte_count + page - 1) / page * page;
    char *start = kept(
        mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), whole + page);
    if (mprotect(start + whole, page, PROT_NONE)) abort();
    return start + whole - byte_count;
}
#endif

void *cwebimage_test_memory(size_t byte_count, size_t item) {
    return memset(exact_memory(byte_count, item), 0xA5, byte_count);
}

void *cwebimage_test_noise(size_t byte_count, size_t item) {
    uint8_t *bytes = exact_memory(byte_count, item);
    // Runs of 0 and 255 are where arithmetic overflows first.
    for (size_t i = 0; i < byte_count; i++) {
        uint64_t value = cwebimage_test_random();
        bytes[i] = (uint8_t)(value & 3 ? value >> 8 : value & 4 ? 0 : 255);
    }
    return bytes;
}

void cwebimage_test_end_round(void) {
    while (block_count > 0) {
        struct cwebimage_test_block block = blocks[--block_count];
        if (block.mapped) munmap(block.start, block.mapped);
        else free(block.start);
    }
}

// MARK: Pictures

struct cwebimage_test_picture cwebimage_test_picture(size_t width, size_t height, size_t bytes_per_row) {
    struct cwebimage_test_picture picture = { NULL, width, height, bytes_per_row, 0, NULL };
    picture.byte_count = (height - 1) * bytes_per_row + width * 4;
    picture.bytes = cwebimage_test_noise(picture.byte_count, 1);
    picture.original = memcpy(cwebimage_test_memory(picture.byte_count, 1), picture.bytes, picture.byte_count);
    return picture;
}

void cwebimage_test_gaps(const struct cwebimage_test_picture *picture, const char *kernel) {
    for (size_t y = 0; y + 1 < picture->height; y++) {
        size_t start = y * picture->bytes_per_row + picture->width * 4;
        size_t count = picture->bytes_per_row - picture->width * 4;
        cwebimage_test_same(picture->bytes + start, picture->original + start, count, kernel);
    }
}

void cwebimage_test_close_gaps(const struct cwebimage_test_picture *picture, int is_closed) {
#if __has_feature(address_sanitizer)
    for (size_t y = 0; y + 1 < picture->height; y++) {
        const uint8_t *start = picture->bytes + y * picture->bytes_per_row + picture->width * 4;
        size_t count = picture->bytes_per_row - picture->width * 4;
        // The sanitizer knows of the bytes of an aligned eight how many are good, not which: whole ones are forbidden.
        size_t lead = (8 - (uintptr_t)start % 8) % 8;
        if (count < lead + 8) continue;
        if (is_closed) ASAN_POISON_MEMORY_REGION(start + lead, (count - lead) / 8 * 8);
        else ASAN_UNPOISON_MEMORY_REGION(start + lead, (count - lead) / 8 * 8);
    }
#else
    (void)picture, (void)is_closed;
#endif
}

// MARK: Results

void cwebimage_test_expect(int is_good, const char *kernel) {
    comparisons++;
    if (is_good) return;
    if (++failures <= 20) printf("kernels: %s FAILED\n", kernel);
}

void cwebimage_test_same(const void *result, const void *expected, size_t byte_count, const char *kernel) {
    comparisons++;
    const uint8_t *bytes = result, *wanted = expected;
    for (size_t i = 0; i < byte_count; i++) {
        if (bytes[i] == wanted[i]) continue;
        if (++failures <= 20)
            printf("kernels: %s FAILED at byte %zu of %zu: %d, not %d\n", kernel, i, byte_count, bytes[i], wanted[i]);
        return;
    }
}

void cwebimage_test_equal(const void *result, const void *expected, size_t byte_count, const char *kernel) {
    cwebimage_test_same(result, expected, byte_count, kernel);
    // The prime of Fowler, Noll and Vo.
    for (size_t i = 0; i < byte_count; i++) digest = (digest ^ ((const uint8_t *)result)[i]) * 0x100000001B3u;
}

static void run(const char *name, void (*test)(void), int rounds, uint64_t seed) {
    state = seed;
    digest = 0xCBF29CE484222325u;
    comparisons = 0;
    for (int round = 0; round < rounds; round++) {
        test();
        cwebimage_test_end_round();
    }
    printf("%-16s %016llx in %ld comparisons\n", name, (unsigned long long)digest, comparisons);
}

// Prints a line for each kind of kernel. Its argument, a number, makes other sizes and bytes.
int main(int count, char **arguments) {
    uint64_t seed = count > 1 ? strtoull(arguments[1], NULL, 10) : 1;
    lead_state = seed;
    run("blur", cwebimage_test_blur, 150, seed);
    run("memory", cwebimage_test_memory_kernels, 40, seed);
    run("PNG rows", cwebimage_test_png_rows, 2000, seed);
    run("resample bytes", cwebimage_test_resample_bytes, 1000, seed);
    run("resample floats", cwebimage_test_resample_floats, 300, seed);
    run("rotate", cwebimage_test_rotate, 1000, seed);
    return failures ? 1 : 0;
}
