#include "CWebImageMemory.h"
#include "KernelTests.h"

#include <string.h>

void cwebimage_test_memory_kernels(void) {
    const size_t count = (size_t)cwebimage_test_between(1, 1 << 18);
    uint8_t *memory = cwebimage_memory(count), *cleared = cwebimage_cleared_memory(count);
    cwebimage_test_expect(memory && (uintptr_t)memory % 16 == 0, "cwebimage_memory");
    uint8_t *zeros = memset(memory, 0, count);
    cwebimage_test_expect(cleared && (uintptr_t)cleared % 16 == 0, "cwebimage_cleared_memory");
    cwebimage_test_equal(cleared, zeros, count, "cwebimage_cleared_memory");
    // Used memory comes back as zeros, too.
    memset(cleared, 0xFF, count);
    cwebimage_free_memory(cleared);
    cleared = cwebimage_cleared_memory(count);
    cwebimage_test_equal(cleared, zeros, count, "cwebimage_cleared_memory");
    cwebimage_free_memory(cleared);
    cwebimage_free_memory(memory);
}
