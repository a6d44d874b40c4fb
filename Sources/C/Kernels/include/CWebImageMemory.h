#ifndef CWEBIMAGE_MEMORY_H
#define CWEBIMAGE_MEMORY_H

#include <stddef.h>

/// Memory of any bytes, aligned to 16; NULL when there is none.
void *cwebimage_memory(size_t byte_count);
/// Memory whose bytes are 0, aligned to 16; NULL when there is none. Pages that come fresh from the
/// system are not touched, so that those which nobody writes to cost nothing.
void *cwebimage_cleared_memory(size_t byte_count);
/// Gives it back.
void cwebimage_free_memory(void *memory);

#endif
