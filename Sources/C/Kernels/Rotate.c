#include "CWebImageRotate.h"

#include <string.h>

// Two pixels, side by side, as 16-bit channels.
typedef uint8_t __attribute__((vector_size(8))) cwebimage_eight;
typedef int16_t __attribute__((vector_size(16))) cwebimage_words;
typedef int32_t __attribute__((vector_size(32))) cwebimage_integers;

#define CONVERT(value, Type) __builtin_convertvector(value, Type)
#define WORDS_AT(bytes) CONVERT(bytes, cwebimage_words)

// The coordinates grow or shrink steadily: the ends say all.
static int is_inside(int64_t first, int64_t step, size_t count, size_t length) {
    const int64_t last = first + step * (int64_t)(count - 1);
    const int64_t end = ((int64_t)length - 1) << 32;
    return first >= 0 && last >= 0 && first < end && last < end;
}

int cwebimage_sample_line(
    const struct cwebimage_line *line, const uint8_t *source, size_t byte_count, size_t bytes_per_row, size_t width,
    size_t height, uint8_t *target, size_t count
) {
    if (count == 0) return 1;
    if (height < 2 || width < 2 || (height - 1) * bytes_per_row + width * 4 > byte_count) return 0;
    if (!is_inside(line->x, line->step_x, count, width) || !is_inside(line->y, line->step_y, count, height)) return 0;
    int64_t x = line->x, y = line->y;
    for (size_t index = 0; index < count; index++, x += line->step_x, y += line->step_y) {
        const uint8_t *place = source + (size_t)(y >> 32) * bytes_per_row + (size_t)(x >> 32) * 4;
        cwebimage_eight above, below;
        memcpy(&above, place, 8);
        memcpy(&below, place + bytes_per_row, 8);
        // Down in parts of 128, then across: 6 bits of fraction are kept in between.
        const int16_t down = (int16_t)((y >> 25) & 127), across = (int16_t)((x >> 17) & 32767);
        cwebimage_words upper = WORDS_AT(above);
        cwebimage_words column = (upper * 128 + (WORDS_AT(below) - upper) * down) >> 1;
        cwebimage_words difference = __builtin_shufflevector(column, column, 4, 5, 6, 7, 4, 5, 6, 7) - column;
        cwebimage_words step = CONVERT((CONVERT(difference * 2, cwebimage_integers) * across) >> 16, cwebimage_words);
        cwebimage_words pixel = (column + step + 32) >> 6;
        cwebimage_eight bytes = CONVERT(pixel, cwebimage_eight);
        memcpy(target + index * 4, &bytes, 4);
    }
    return 1;
}
