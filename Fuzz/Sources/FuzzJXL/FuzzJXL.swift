import FuzzHarness
import WebImageJXL

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJXL(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    exercise(JPEGXLCoder(), bytes, count)
}
