import Testing
import WebImageBMP
import WebImageCore
import WebImagePixels

@Suite("Pictures that are decoded at once")
struct ForceDecodeTests {
    @Test("TR-21 a bitmap is not blank")
    func TR_21_bitmap() throws {
        let coder = CodersManager([.bmp])
        let red = try picture(PixelSize(200, 200), alpha: .opaque) { _, _ in .fullRed }
        let data = try coder.encode(red, to: .bmp, options: EncodeOptions())
        let image = try coder.decode(data).decoded()
        #expect(image.isDecoded && image.pixels.color(x: 100, y: 100) == .fullRed)
    }
}
