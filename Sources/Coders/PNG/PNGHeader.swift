import WebImageCore
import WebImageFoundation
import WebImagePixels

/// What the IHDR chunk says, found to be within the standard.
struct PNGHeader: Hashable {
    enum ColorType: Int {
        case gray = 0
        case rgb = 2
        case palette = 3
        case grayAlpha = 4
        case rgba = 6

        var depths: [Int] {
            switch self {
            case .gray: [1, 2, 4, 8, 16]
            case .palette: [1, 2, 4, 8]
            case .rgb, .grayAlpha, .rgba: [8, 16]
            }
        }
    }

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// Signature and IHDR, which stand first.
    static let byteCount = 33

    let size: PixelSize
    let depth: Int
    let colorType: ColorType
    let isInterlaced: Bool

    init(_ data: Data) throws(ImageError) {
        guard data.starts(with: Self.signature) else { throw .damagedPNG(at: 0, "it lacks the signature") }
        let chunk = PNGChunk(
            name: .header, offset: 8, body: 16..<29, isWhole: data.count >= Self.byteCount)
        guard chunk.isWhole else {
            throw ImageError(.badImageData, .decode, "the png is truncated: it ends in its header")
        }
        let reader = ByteReader(data, .bigEndian)
        guard reader.uint32(8) == 13, reader.has("IHDR", at: 12), data.isSound(chunk),
            let width = reader.uint32(16), let height = reader.uint32(20)
        else { throw .damagedPNG(at: 8, "its header is not one of 13 bytes with the right checksum") }
        let limit = Int(Int32.max)
        guard 1...limit ~= width, 1...limit ~= height else {
            throw .damagedPNG(at: 16, "its header says \(width)×\(height)")
        }
        size = PixelSize(width, height)
        let numbers = (24..<29).compactMap { reader.uint8($0) }
        guard let type = ColorType(rawValue: numbers[1]), type.depths.contains(numbers[0]) else {
            throw .damagedPNG(at: 24, "there is no colour type \(numbers[1]) of \(numbers[0]) bits")
        }
        guard numbers[2] == 0, numbers[3] == 0, numbers[4] <= 1 else {
            throw .damagedPNG(at: 26, "its compression, filter or interlace method is unknown")
        }
        (depth, colorType, isInterlaced) = (numbers[0], type, numbers[4] == 1)
    }

    var passCount: Int { isInterlaced ? 7 : 1 }

    /// The chunk for a frame of the same kind and another size.
    func chunk(of size: PixelSize) -> Data {
        var body = Data()
        body.append(bigEndian: UInt32(size.width))
        body.append(bigEndian: UInt32(size.height))
        body.append(contentsOf: [UInt8(depth), UInt8(colorType.rawValue), 0, 0, isInterlaced ? 1 : 0])
        var chunk = Data()
        chunk.append(.header, body)
        return chunk
    }
}

extension ImageError {
    static func damagedPNG(at offset: Int, _ reason: String) -> ImageError {
        ImageError(.badImageData, .decode, "the png is damaged near byte \(offset): \(reason)")
    }
}
