import Foundation
import JXLOracle
import WebImageCore
import WebImageJXL

/// Reads the headers of the input and decodes nothing. Where both we and libjxl come to the end, both must have seen the
/// same frames, and libjxl no layer that we had to refuse.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJXLHeaders(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let data = Data(bytes: bytes, count: count)
    let coder = JPEGXLCoder()
    guard coder.canDecode(data) else { return -1 }
    var options = DecodeOptions()
    options.limits.maxPixelCount = 1 << 18
    options.limits.maxDimension = 4096
    options.limits.maxFrameCount = 32
    guard let frames = try? coder.frames(of: data, options: options) else { return 0 }
    var (longestSide, duration) = (0, UInt64(0))
    let shown = jxl_oracle_frames(bytes, count, 0, &longestSide, &duration)
    precondition(shown < 0 || Int(shown) == frames.frameCount, "libjxl counts other frames")
    let layers = jxl_oracle_frames(bytes, count, 1, &longestSide, &duration)
    precondition(layers < 0 || longestSide <= options.limits.maxDimension, "libjxl sees a larger layer")
    precondition(layers < 0 || duration > 0 || frames.frameCount == 1, "libjxl sees a still picture")
    return 0
}
