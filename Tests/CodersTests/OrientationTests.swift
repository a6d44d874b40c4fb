import Foundation
import Testing
import WebImageCore
import WebImagePixels

@Suite struct OrientationTests {
    struct Row: Sendable {
        let orientation: Int
        let size: PixelSize
        /// Top left, top right, bottom left, bottom right.
        let corners: [PixelColor]
    }

    static let rows: [Row] = [
        Row(orientation: 0, size: PixelSize(32, 16), corners: [.fullRed, .fullGreen, .fullBlue, .white]),
        Row(orientation: 1, size: PixelSize(32, 16), corners: [.fullRed, .fullGreen, .fullBlue, .white]),
        Row(orientation: 2, size: PixelSize(32, 16), corners: [.fullGreen, .fullRed, .white, .fullBlue]),
        Row(orientation: 3, size: PixelSize(32, 16), corners: [.white, .fullBlue, .fullGreen, .fullRed]),
        Row(orientation: 4, size: PixelSize(32, 16), corners: [.fullBlue, .white, .fullRed, .fullGreen]),
        Row(orientation: 5, size: PixelSize(16, 32), corners: [.fullRed, .fullBlue, .fullGreen, .white]),
        Row(orientation: 6, size: PixelSize(16, 32), corners: [.fullBlue, .fullRed, .white, .fullGreen]),
        Row(orientation: 7, size: PixelSize(16, 32), corners: [.white, .fullGreen, .fullBlue, .fullRed]),
        Row(orientation: 8, size: PixelSize(16, 32), corners: [.fullGreen, .white, .fullRed, .fullBlue]),
        Row(orientation: 9, size: PixelSize(32, 16), corners: [.fullRed, .fullGreen, .fullBlue, .white]),
    ]

    @Test("B30 every orientation stands upright, in the picture and in the probe", arguments: rows)
    func B30_upright(_ row: Row) throws {
        let data = try fixture("exif_\(row.orientation).jpg")
        let probe = try coders.probe(data)
        #expect(probe.size == row.size)
        #expect(probe.orientation == Orientation(exif: row.orientation))
        let pixels = try coders.decode(data, options: DecodeOptions()).pixels
        #expect(pixels.size == row.size)
        expectCorners(pixels, row.corners, tolerance: 6)
    }

    @Test("B30 a thumbnail's box is meant upright", arguments: rows)
    func B30_thumbnail(_ row: Row) throws {
        let image = try decoded("exif_\(row.orientation).jpg", .thumbnail(8, 8))
        #expect(image.pixelSize == (row.size.width > row.size.height ? PixelSize(8, 4) : PixelSize(4, 8)))
        #expect(image.attributes.isThumbnail)
        expectCorners(image.pixels, row.corners, tolerance: 40)
    }

    @Test("B30 encoded again, nothing is turned twice", arguments: rows)
    func B30_encodedAgain(_ row: Row) throws {
        let image = try decoded("exif_\(row.orientation).jpg")
        for format in [ImageFormat.jpeg, .png, .webP] {
            let data = try coders.encode(image, to: format, options: EncodeOptions(quality: 1))
            #expect(try coders.probe(data).orientation == .up)
            let again = try coders.decode(data, options: DecodeOptions()).pixels
            #expect(again.size == row.size)
            expectCorners(again, row.corners, tolerance: 10)
        }
    }

    @Test func pngOrientationIsFoundBeforeAndBehindThePixels() throws {
        let png = [UInt8](try fixture("rot_3x2.png"))
        let exif = pngChunk("eXIf", Self.tiff(orientation: 6))
        let endChunk = png.count - 12
        for place in [33, endChunk] {
            let data = Data(png[..<place] + exif + png[place...])
            #expect(try coders.probe(data).orientation == .right)
            let pixels = try coders.decode(data, options: DecodeOptions()).pixels
            #expect(pixels.size == PixelSize(2, 3))
            #expect(pixels.allColors.map { $0?.red } == [40, 10, 50, 20, 60, 30])
        }
    }

    @Test func webPOrientationIsApplied() throws {
        let image = try decoded("rot_3x2.png")
        let plain = try coders.encode(image, to: .webP, options: EncodeOptions(quality: 1))
        let data = webP(plain, canvas: PixelSize(3, 2), chunk: "EXIF", Self.tiff(orientation: 8), flag: 0x08)
        #expect(try coders.probe(data).size == PixelSize(2, 3))
        let pixels = try coders.decode(data, options: DecodeOptions()).pixels
        #expect(pixels.allColors.map { $0?.red } == [30, 60, 20, 50, 10, 40])
    }

    @Test func exifThatCannotBeReadMeansNothing() throws {
        let block = Data(Self.tiff(orientation: 6))
        #expect(Orientation(exifBlock: block) == .right)
        #expect(Orientation(exifBlock: Data("Exif\0\0".utf8) + block) == .right)
        for count in 0..<18 {
            #expect(Orientation(exifBlock: block.prefix(count)) == nil)
        }
        // A directory far outside.
        var outside = block
        outside.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0xF0])
        #expect(Orientation(exifBlock: outside) == nil)
        // A slice keeps the indices of what it was cut from.
        #expect(Orientation(exifBlock: (Data([1, 2, 3]) + block).dropFirst(3)) == .right)
    }

    /// A TIFF structure with one entry.
    static func tiff(orientation: UInt8) -> [UInt8] {
        Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
    }

    private func expectCorners(_ pixels: PixelBuffer, _ expected: [PixelColor], tolerance: Int) {
        let (right, bottom) = (pixels.width - 1, pixels.height - 1)
        let corners = pixels.colors([(0, 0), (right, 0), (0, bottom), (right, bottom)])
        for (corner, color) in zip(corners, expected) {
            #expect(color.distance(to: corner) <= tolerance, "\(corners), not \(expected)")
        }
    }
}
