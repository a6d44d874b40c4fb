import CWebImageGIF
import Foundation
import WebImageCore
import WebImagePixels

/// What giflib makes of a file: its frames as they show, by the plainest of compositions.
final class GIFOracle {
    private var rest: ArraySlice<UInt8>
    private var canvas: [UInt32] = []
    private(set) var frames: [[UInt32]] = []

    /// `nil` where giflib cannot read all of the file.
    init?(_ data: Data) {
        rest = ArraySlice(data)
        var error: Int32 = 0
        let user = Unmanaged.passUnretained(self).toOpaque()
        guard let file = DGifOpen(user, { GIFOracle.read($0, $1, $2) }, &error) else { return nil }
        defer { DGifCloseFile(file, &error) }
        guard DGifSlurp(file) == GIF_OK else { return nil }
        canvas = [UInt32](repeating: 0, count: Int(file.pointee.SWidth) * Int(file.pointee.SHeight))
        for index in 0..<file.pointee.ImageCount { show(index, of: file) }
    }

    private static func read(
        _ file: UnsafeMutablePointer<GifFileType>?, _ target: UnsafeMutablePointer<GifByteType>?, _ count: Int32
    ) -> Int32 {
        guard let user = file?.pointee.UserData, let target else { return 0 }
        let oracle = Unmanaged<GIFOracle>.fromOpaque(user).takeUnretainedValue()
        let bytes = oracle.rest.prefix(Int(count))
        for (place, byte) in bytes.enumerated() { target[place] = byte }
        oracle.rest = oracle.rest.dropFirst(bytes.count)
        return Int32(bytes.count)
    }

    private func show(_ index: Int32, of file: UnsafeMutablePointer<GifFileType>) {
        let before = canvas
        let frame = file.pointee.SavedImages[Int(index)]
        let control = Self.control(of: frame)
        forEachPixel(of: frame.ImageDesc, in: file.pointee) { place, pixel in
            let color = Int32(frame.RasterBits[pixel])
            guard color != control.TransparentColor else { return }
            canvas[place] = Self.rgba(Int(color), frame.ImageDesc.ColorMap ?? file.pointee.SColorMap)
        }
        frames.append(canvas)
        if control.DisposalMode == DISPOSE_PREVIOUS { canvas = before }
        if control.DisposalMode == DISPOSE_BACKGROUND {
            forEachPixel(of: frame.ImageDesc, in: file.pointee) { place, _ in canvas[place] = 0 }
        }
    }

    /// The last one before the frame.
    private static func control(of frame: SavedImage) -> GraphicsControlBlock {
        var control = GraphicsControlBlock()
        control.TransparentColor = NO_TRANSPARENT_COLOR
        for block in UnsafeBufferPointer(start: frame.ExtensionBlocks, count: Int(frame.ExtensionBlockCount))
        where block.Function == GRAPHICS_EXT_FUNC_CODE {
            DGifExtensionToGCB(Int(block.ByteCount), block.Bytes, &control)
        }
        return control
    }

    /// Those of a frame that are on the canvas: where they are there, and in the frame.
    private func forEachPixel(of frame: GifImageDesc, in file: GifFileType, _ body: (Int, Int) -> Void) {
        for y in 0..<Int(frame.Height) where y + Int(frame.Top) < Int(file.SHeight) {
            for x in 0..<Int(frame.Width) where x + Int(frame.Left) < Int(file.SWidth) {
                body((y + Int(frame.Top)) * Int(file.SWidth) + x + Int(frame.Left), y * Int(frame.Width) + x)
            }
        }
    }

    private static func rgba(_ index: Int, _ map: UnsafeMutablePointer<ColorMapObject>?) -> UInt32 {
        guard let map, index < Int(map.pointee.ColorCount) else { return 0xFF00_0000 }
        let color = map.pointee.Colors[index]
        return UInt32(color.Red) | UInt32(color.Green) << 8 | UInt32(color.Blue) << 16 | 0xFF00_0000
    }
}

extension PixelBuffer {
    /// Pixels as `GIFOracle` has them.
    var words: [UInt32] {
        withUnsafeBytes { bytes in
            (0..<bytes.count / 4).map {
                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self))
            }
        }
    }
}
