import FuzzHarness
import WebImageGIF

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzGIF(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    exercise(GIFCoder(), bytes, count)
}
