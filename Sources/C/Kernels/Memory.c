#include "CWebImageMemory.h"

#include <stdlib.h>

void *cwebimage_memory(size_t byte_count) {
    return malloc(byte_count);
}

void *cwebimage_cleared_memory(size_t byte_count) {
    return calloc(byte_count, 1);
}

void cwebimage_free_memory(void *memory) {
    free(memory);
}
