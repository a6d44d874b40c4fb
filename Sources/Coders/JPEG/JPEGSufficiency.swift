import CWebImageJPEG
import WebImageCore
import WebImagePixels

/// Tells when the scans of a progressive file say enough of a picture that is to be smaller: when the waves that the
/// small picture can show are there, to a step that is hardly seen.
struct JPEGSufficiency {
    private let storedSize: PixelSize
    /// Pixels of the result for one of the stored picture.
    private let scale: (x: Double, y: Double)

    /// How far one wave may still be off, in units of a coefficient: eight are one step of a flat block.
    private static let tolerance: Int32 = 24

    /// `nil` where the caller wants everything that the file has.
    init?(_ decoding: RowDecoding, _ options: DecodeOptions) {
        let (source, target) = (decoding.storedRegion.size, decoding.targetSize)
        guard options.thumbnailQuality == .fast, target != source else { return nil }
        storedSize = decoding.storedSize
        scale = (Double(target.width) / Double(source.width), Double(target.height) / Double(source.height))
    }

    /// - Parameter components: What there is of each; none where the file is not progressive.
    func isReached(by components: [cwebimage_jpeg_accuracy]) -> Bool {
        !components.isEmpty && components.allSatisfy(isReached)
    }

    private func isReached(by component: cwebimage_jpeg_accuracy) -> Bool {
        let columns = Self.waveCount(scale.x * Double(storedSize.width) / Double(component.width))
        let rows = Self.waveCount(scale.y * Double(storedSize.height) / Double(component.height))
        return unsafe withUnsafeBytes(of: component.missing_bits) { bits in
            unsafe withUnsafeBytes(of: component.steps) { steps in
                (0..<rows).allSatisfy { row in
                    (0..<columns).allSatisfy { column in
                        let place = (row * 8 + column) * MemoryLayout<Int32>.size
                        return unsafe Self.isNear(
                            bits.load(fromByteOffset: place, as: Int32.self),
                            steps.load(fromByteOffset: place, as: Int32.self))
                    }
                }
            }
        }
    }

    /// How many of a block's eight waves along one axis a picture shows that has so many pixels for each sample: a wave
    /// of number n turns n / 16 times a sample, and a pixel shows half a turn. One more, since filters are not sharp.
    private static func waveCount(_ pixelsPerSample: Double) -> Int {
        min(8, Int((8 * pixelsPerSample).rounded(.up)) + 1)
    }

    private static func isNear(_ missingBits: Int32, _ step: Int32) -> Bool {
        guard 0..<16 ~= missingBits else { return false }
        return ((1 << missingBits) - 1) * step <= tolerance
    }
}
