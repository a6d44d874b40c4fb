import FuzzHarness
import WebImageWebP

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWebP(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    exercise(WebPCoder(), bytes, count)
}
