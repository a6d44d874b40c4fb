import FuzzHarness
import WebImageSVG

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSVG(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    exercise(SVGCoder(), bytes, count)
}
