import FuzzHarness
import WebImageJPEG

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJPEG(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    exercise(JPEGCoder(), bytes, count)
}
