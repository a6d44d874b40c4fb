import FuzzHarness
import WebImageHEIF

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHEIF(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    exercise(HEIFCoder(), bytes, count)
}
