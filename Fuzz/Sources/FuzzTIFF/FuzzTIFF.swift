import FuzzHarness
import WebImageTIFF

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTIFF(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    exercise(TIFFCoder(), bytes, count)
}
