import FuzzHarness
import WebImagePNG

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPNG(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    exercise(PNGCoder(), bytes, count)
}
