#include "JXLOracle.h"

#include <jxl/decode.h>

static size_t larger(size_t first, size_t second) { return first > second ? first : second; }

int jxl_oracle_frames(const uint8_t *bytes, size_t count, int layers, size_t *longest_side, uint64_t *duration) {
    JxlDecoder *decoder = JxlDecoderCreate(NULL);
    int frames = 0;
    *longest_side = 0;
    *duration = 0;
    JxlDecoderSubscribeEvents(decoder, JXL_DEC_FRAME);
    JxlDecoderSetCoalescing(decoder, layers ? JXL_FALSE : JXL_TRUE);
    JxlDecoderSetInput(decoder, bytes, count);
    JxlDecoderCloseInput(decoder);
    JxlDecoderStatus status;
    while ((status = JxlDecoderProcessInput(decoder)) == JXL_DEC_FRAME) {
        JxlFrameHeader frame;
        if (JxlDecoderGetFrameHeader(decoder, &frame) != JXL_DEC_SUCCESS) break;
        frames++;
        *longest_side = larger(*longest_side, larger(frame.layer_info.xsize, frame.layer_info.ysize));
        *duration += frame.duration;
    }
    JxlDecoderDestroy(decoder);
    return status == JXL_DEC_SUCCESS ? frames : -1;
}
