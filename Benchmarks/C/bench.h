/* What the C programs share: they read a file, decode it as often as asked, and print as DecodeBench.swift does. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Decodes in full, to premultiplied RGBA; the answer is the bytes of the output. */
static size_t decode(const uint8_t *bytes, size_t count);

static void fail(const char *what) {
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static inline void premultiply(uint8_t *pixels, size_t count) {
    for (size_t i = 0; i < count; i++, pixels += 4) {
        unsigned alpha = pixels[3];
        if (alpha == 255) continue;
        for (int channel = 0; channel < 3; channel++) {
            unsigned product = pixels[channel] * alpha + 128;
            pixels[channel] = (uint8_t)((product + (product >> 8)) >> 8);
        }
    }
}

static long memory(const char *name) {
    char line[256];
    long kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file))
        if (!strncmp(line, name, strlen(name))) sscanf(line + strlen(name), "%ld", &kilobytes);
    fclose(file);
    return kilobytes * 1024;
}

int main(int argc, char **argv) {
    if (argc != 3) fail("usage: PROGRAM FILE ROUNDS");
    FILE *file = fopen(argv[1], "rb");
    if (!file) fail("the file cannot be read");
    fseek(file, 0, SEEK_END);
    size_t count = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(count);
    if (!bytes || fread(bytes, 1, count, file) != count) fail("the file cannot be read");
    fclose(file);
    long before = memory("VmRSS:");
    for (int round = 0; round < atoi(argv[2]); round++) {
        struct timespec start, end;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
        size_t output = decode(bytes, count);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
        printf("%f\n", (double)(end.tv_sec - start.tv_sec) * 1e3 + (double)(end.tv_nsec - start.tv_nsec) / 1e6);
        if (round == 0) printf("over %ld\n", memory("VmHWM:") - before - (long)output);
    }
    free(bytes);
    return 0;
}
