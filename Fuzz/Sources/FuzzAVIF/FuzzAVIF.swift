import FuzzHarness
import WebImageAVIF

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAVIF(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    exercise(AVIFCoder(), bytes, count)
}
