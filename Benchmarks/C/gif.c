#include "bench.h"
#include <gif_lib.h>

typedef struct {
    const uint8_t *next;
    size_t left;
} Input;

static int read_bytes(GifFileType *gif, GifByteType *to, int count) {
    Input *input = gif->UserData;
    size_t taken = (size_t)count < input->left ? (size_t)count : input->left;
    memcpy(to, input->next, taken);
    input->next += taken;
    input->left -= taken;
    return (int)taken;
}

/* Lays one frame over the canvas. */
static void draw(GifFileType *gif, uint8_t *canvas, uint8_t *line, int transparent) {
    GifImageDesc *frame = &gif->Image;
    ColorMapObject *colors = frame->ColorMap ? frame->ColorMap : gif->SColorMap;
    if (frame->Interlace) fail("the gif is interlaced");
    for (int y = 0; y < frame->Height; y++) {
        if (DGifGetLine(gif, line, frame->Width) == GIF_ERROR) fail("the gif is damaged");
        uint8_t *to = canvas + ((size_t)(frame->Top + y) * (size_t)gif->SWidth + (size_t)frame->Left) * 4;
        for (int x = 0; x < frame->Width; x++, to += 4) {
            if (line[x] == transparent || line[x] >= colors->ColorCount) continue;
            GifColorType color = colors->Colors[line[x]];
            to[0] = color.Red;
            to[1] = color.Green;
            to[2] = color.Blue;
            to[3] = 255;
        }
    }
}

/* Every frame becomes a picture of its own. */
static size_t decode(const uint8_t *bytes, size_t count) {
    Input input = {bytes, count};
    int error = 0, transparent = -1;
    GifFileType *gif = DGifOpen(&input, read_bytes, &error);
    if (!gif) fail("the gif is damaged");
    size_t size = (size_t)gif->SWidth * (size_t)gif->SHeight * 4;
    uint8_t *canvas = calloc(size, 1), *line = malloc((size_t)gif->SWidth);
    GifRecordType type;
    while (DGifGetRecordType(gif, &type) != GIF_ERROR && type != TERMINATE_RECORD_TYPE) {
        GifByteType *block;
        int code;
        if (type == EXTENSION_RECORD_TYPE) {
            if (DGifGetExtension(gif, &code, &block) == GIF_ERROR) fail("the gif is damaged");
            if (code == GRAPHICS_EXT_FUNC_CODE && block && block[0] == 4) {
                transparent = block[1] & 1 ? block[4] : -1;
                if ((block[1] >> 2 & 7) > 1) fail("the gif disposes of frames");
            }
            while (block) DGifGetExtensionNext(gif, &block);
        } else if (type == IMAGE_DESC_RECORD_TYPE) {
            if (DGifGetImageDesc(gif) == GIF_ERROR) fail("the gif is damaged");
            draw(gif, canvas, line, transparent);
            uint8_t *picture = malloc(size);
            if (!picture) fail("no memory");
            memcpy(picture, canvas, size);
            /* The compiler must not leave the copy out. */
            __asm__ volatile("" : : "r"(picture) : "memory");
            free(picture);
        }
    }
    DGifCloseFile(gif, &error);
    free(canvas);
    free(line);
    return size;
}
