#ifndef JXL_ORACLE_H
#define JXL_ORACLE_H

#include <stddef.h>
#include <stdint.h>

/// What libjxl tells of a file's frames without decoding them: how many are shown, or of how many layers it is made, with
/// the longest side of a layer and the sum of the durations. -1 where it does not come to the end.
int jxl_oracle_frames(const uint8_t *bytes, size_t count, int layers, size_t *longest_side, uint64_t *duration);

#endif
