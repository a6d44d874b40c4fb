import FuzzHarness
import WebImageBMP
import WebImagePNG

/// What libFuzzer calls with each input: a bitmap, or an icon.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBMP(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    exercise(BMPCoder(), bytes, count) & exercise(ICOCoder(png: PNGCoder()), bytes, count)
}
