import WebImageFoundation

/// A look at an ICC profile before Little CMS gets it.
///
/// Little CMS allocates a lookup table by the size that the table claims, up to 512 MiB, before it notices that the
/// bytes are not there. So a table that is larger than its tag makes the profile a broken one.
struct ProfileShape {
    private let bytes: Data
    private static let maxTagCount = 100

    /// Whether the profile is one of a device or a colour space, and holds what its tables claim.
    static func isSound(_ profile: Data) -> Bool {
        let shape = ProfileShape(bytes: profile)
        guard shape.has("acsp", at: 36), let tagCount = shape.uint32(128), tagCount <= maxTagCount else { return false }
        // Links between devices, abstract profiles and named colours are no description of a picture.
        guard ["scnr", "mntr", "prtr", "spac"].contains(where: { shape.has($0, at: 12) }) else { return false }
        return (0..<tagCount).allSatisfy { index in
            guard let offset = shape.uint32(136 + index * 12), let count = shape.uint32(140 + index * 12) else {
                return false
            }
            return shape.holdsItsTables(at: offset, count: count)
        }
    }

    private func holdsItsTables(at offset: Int, count: Int) -> Bool {
        // A tag outside of the bytes is missing, and Little CMS finds that out itself.
        guard offset <= bytes.count, count <= bytes.count - offset else { return true }
        if has("mft1", at: offset) { return holdsTable(at: offset, count: count, bytesPerSample: 1) }
        if has("mft2", at: offset) { return holdsTable(at: offset, count: count, bytesPerSample: 2) }
        if has("mAB ", at: offset) || has("mBA ", at: offset) { return holdsMultiTable(at: offset, count: count) }
        return has("mpet", at: offset) ? holdsElements(at: offset, count: count) : true
    }

    /// ICC.1:2022, 10.10 and 10.11: channels in, channels out, points of every side.
    private func holdsTable(at offset: Int, count: Int, bytesPerSample: Int) -> Bool {
        guard let inputs = uint8(offset + 8), let outputs = uint8(offset + 9), let points = uint8(offset + 10) else {
            return false
        }
        let sides = [Int](repeating: points, count: inputs)
        return holds(sides, outputs: outputs, bytesPerSample: bytesPerSample, within: count)
    }

    /// ICC.1:2022, 10.12 and 10.13: the table is one of several parts, and has a size for every side.
    private func holdsMultiTable(at offset: Int, count: Int) -> Bool {
        guard let inputs = uint8(offset + 8), let outputs = uint8(offset + 9), let table = uint32(offset + 24) else {
            return false
        }
        guard table != 0, table < count else { return true }
        guard inputs <= 16, let bytesPerSample = uint8(offset + table + 16) else { return false }
        let sides = (0..<inputs).compactMap { uint8(offset + table + $0) }
        return sides.count == inputs
            && holds(sides, outputs: outputs, bytesPerSample: max(1, bytesPerSample), within: count)
    }

    /// ICC.1:2022, 10.16: a list of elements, tables of floats among them.
    private func holdsElements(at offset: Int, count: Int) -> Bool {
        guard let elementCount = uint32(offset + 12), elementCount <= 64 else { return false }
        return (0..<elementCount).allSatisfy { index in
            guard let start = uint32(offset + 16 + index * 8), start < count else { return false }
            let element = offset + start
            guard has("clut", at: element) else { return true }
            guard let inputs = uint16(element + 8), let outputs = uint16(element + 10), inputs <= 16 else {
                return false
            }
            let sides = (0..<inputs).compactMap { uint8(element + 12 + $0) }
            return sides.count == inputs && holds(sides, outputs: outputs, bytesPerSample: 4, within: count)
        }
    }

    private func holds(_ sides: [Int], outputs: Int, bytesPerSample: Int, within count: Int) -> Bool {
        var size = outputs * bytesPerSample
        for side in sides {
            let (product, overflow) = size.multipliedReportingOverflow(by: side)
            guard !overflow else { return false }
            size = product
        }
        return size <= count
    }

    // MARK: Numbers, big end first

    private func uint8(_ offset: Int) -> Int? {
        guard offset >= 0, offset < bytes.count else { return nil }
        return Int(bytes[bytes.startIndex + offset])
    }

    private func uint16(_ offset: Int) -> Int? {
        guard let high = uint8(offset), let low = uint8(offset + 1) else { return nil }
        return high << 8 | low
    }

    private func uint32(_ offset: Int) -> Int? {
        guard let high = uint16(offset), let low = uint16(offset + 2) else { return nil }
        return high << 16 | low
    }

    private func has(_ text: String, at offset: Int) -> Bool {
        text.utf8.enumerated().allSatisfy { index, byte in uint8(offset + index) == Int(byte) }
    }
}
