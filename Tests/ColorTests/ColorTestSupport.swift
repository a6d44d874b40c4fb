import Foundation
import Testing
import WebImageColor

/// sRGB with the red and green columns changed over: what says red means green.
let swapped: Data = {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return (try? Data(contentsOf: tests.appendingPathComponent("Fixtures/cases/swapped_rg.icc"))) ?? Data()
}()

extension Data {
    /// With a name changed wherever it stands.
    func renaming(_ names: [String: String]) -> Data {
        var bytes = [UInt8](self)
        for start in 0..<Swift.max(0, bytes.count - 3) {
            guard let new = names[String(decoding: self[start..<start + 4], as: UTF8.self)] else { continue }
            bytes.replaceSubrange(start..<start + 4, with: Array(new.utf8))
        }
        return Data(bytes)
    }
}

extension ColorTransform {
    /// What a pixel becomes.
    func convert(_ pixel: [UInt8]) -> [UInt8] {
        var pixel = pixel
        pixel.withUnsafeMutableBytes { apply($0) }
        return pixel
    }
}

/// Whether all channels are within the given distance.
func isNear(_ first: [UInt8]?, _ second: [UInt8], within distance: Int = 3) -> Bool {
    guard let first, first.count == second.count else { return false }
    return zip(first, second).allSatisfy { abs(Int($0) - Int($1)) <= distance }
}

func bigEndian(_ number: UInt32) -> [UInt8] {
    [UInt8(number >> 24), UInt8(number >> 16 & 255), UInt8(number >> 8 & 255), UInt8(number & 255)]
}

/// A profile with one tag, for the given channels (`RGB `, `GRAY`, `CMYK`).
func profile(_ space: String, tag: String, _ body: [UInt8], pcs: String = "XYZ ") -> Data {
    var header = [UInt8](repeating: 0, count: 128)
    header.replaceSubrange(0..<4, with: bigEndian(UInt32(144 + body.count)))
    header.replaceSubrange(8..<12, with: [2, 0x40, 0, 0])
    for (offset, text) in [(12, "mntr"), (16, space), (20, pcs), (36, "acsp")] {
        header.replaceSubrange(offset..<offset + 4, with: Array(text.utf8))
    }
    return Data(
        header + bigEndian(1) + Array(tag.utf8) + bigEndian(144) + bigEndian(UInt32(body.count)) + body)
}
