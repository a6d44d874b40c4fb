import Foundation
import Testing
import WebImageBMP
import WebImageCore
import WebImagePixels
import WebImageTIFF
import WebImageWebP

/// Coders that leave out what lies outside of a part give the same pixels as those that do not.
@Suite struct PartReadingTests {
    private static let size = PixelSize(61, 47)

    private func check(_ coder: any ImageCoder, _ data: Data, _ name: String) throws {
        let whole = try coder.decode(data, options: .straight).pixels
        #expect(whole.size == Self.size, "\(name)")
        let parts = [
            PixelRect(x: 0, y: 0, width: 1, height: 1), PixelRect(x: 17, y: 16, width: 16, height: 16),
            PixelRect(x: 15, y: 31, width: 18, height: 2), PixelRect(x: 33, y: 9, width: 28, height: 38),
            PixelRect(x: 60, y: 46, width: 1, height: 1), PixelRect(x: 3, y: 3, width: 55, height: 41),
        ]
        for part in parts {
            var options = DecodeOptions.straight
            options.cropRect = part
            let cut = try #require(whole.cropped(to: part))
            #expect(try coder.decode(data, options: options).pixels.distance(to: cut) == 0, "\(name) \(part)")
            options.thumbnailPixelSize = ImageSize(7, 7)
            let small = try coder.decode(data, options: options).pixelSize
            #expect(small == options.targetSize(for: Self.size), "\(name) \(part)")
        }
    }

    private func drawing(alpha: AlphaMode) throws -> DecodedImage {
        try picture(Self.size, alpha: alpha) { x, y in
            let cover = alpha == .opaque ? 255 : UInt8(255 - x * 3)
            return PixelColor(UInt8(x * 4), UInt8(y * 5), UInt8((x * x + y * 7) & 255), cover)
        }
    }

    @Test("WebP, lossy and lossless, with alpha and without")
    func webP() throws {
        for alpha in [AlphaMode.opaque, .straight] {
            for quality in [0.6, 1] {
                let data = try WebPCoder().encode(
                    drawing(alpha: alpha), to: .webP, options: EncodeOptions(quality: quality))
                try check(WebPCoder(), data, "\(alpha) \(quality)")
            }
        }
    }

    @Test("TIFF in strips and tiles, samples together and apart")
    func tiff() throws {
        for isPlanar in [false, true] {
            for tile in [nil, PixelSize(16, 16), PixelSize(64, 16)] {
                for rowsPerStrip in [1, 10, 47] where tile == nil || rowsPerStrip == 1 {
                    var file = TIFFFile()
                    file.size = Self.size
                    file.isPlanar = isPlanar
                    file.tile = tile
                    file.rowsPerStrip = rowsPerStrip
                    file.sample = { x, y, channel in (x * 4 + y * (channel + 1)) & 255 }
                    try check(TIFFCoder(), file.data, "\(isPlanar) \(String(describing: tile)) \(rowsPerStrip)")
                }
            }
        }
    }

    @Test("BMP, also of run lengths")
    func bmp() throws {
        let data = try BMPCoder().encode(drawing(alpha: .straight), to: .bmp, options: EncodeOptions())
        try check(BMPCoder(), data, "32 bits")
        // Of every third row nothing is told.
        var codes: [UInt8] = []
        for row in 0..<47 {
            if row % 3 != 2 { codes += [UInt8(row % 20 + 1), UInt8(row & 3), 9, 1] }
            codes += [0, 0]
        }
        codes += [0, 1]
        try check(BMPCoder(), BMPFile.runs(8, (61, 47), codes), "run lengths")
    }
}
