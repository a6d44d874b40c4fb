import FuzzHarness
import WebImageGdkPixbuf

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzGdkPixbuf(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    exercise(GdkPixbufCoder(), bytes, count)
}
