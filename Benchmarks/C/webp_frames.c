#include "bench.h"
#include <webp/decode.h>
#include <webp/demux.h>

/* Every frame to Y, U and V, as it is stored: no colours, no canvas. Whoever decodes with libwebp does all of this, so
 * that nobody is faster. */
static size_t decode(const uint8_t *bytes, size_t count) {
    WebPData data = { bytes, count };
    WebPDemuxer *demuxer = WebPDemux(&data);
    WebPIterator frame;
    if (!demuxer || !WebPDemuxGetFrame(demuxer, 1, &frame)) fail("the webp is damaged");
    size_t width = WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_WIDTH), height = WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_HEIGHT);
    size_t row = (width + 1) / 2, luma = width * height, chroma = row * ((height + 1) / 2);
    uint8_t *planes = malloc(luma + 2 * chroma);
    if (!planes) fail("no memory");
    do {
        WebPDecoderConfig config;
        if (!WebPInitDecoderConfig(&config)) fail("libwebp is another one");
        WebPYUVABuffer *output = &config.output.u.YUVA;
        config.output.colorspace = MODE_YUV;
        config.output.is_external_memory = 1;
        *output = (WebPYUVABuffer){ .y = planes, .u = planes + luma, .v = planes + luma + chroma };
        output->y_stride = (int)width, output->u_stride = output->v_stride = (int)row;
        output->y_size = luma, output->u_size = output->v_size = chroma;
        if (WebPDecode(frame.fragment.bytes, frame.fragment.size, &config) != VP8_STATUS_OK) fail("a frame is damaged");
    } while (WebPDemuxNextFrame(&frame));
    WebPDemuxReleaseIterator(&frame);
    WebPDemuxDelete(demuxer);
    free(planes);
    return luma + 2 * chroma;
}
