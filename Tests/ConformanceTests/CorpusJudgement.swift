import Foundation
import WebImage

/// What became of one file of the corpus, beside what was to become of it.
struct CorpusJudgement: Sendable {
    enum Verdict: String, Sendable, CaseIterable {
        /// Every pixel is right.
        case exact
        /// The means of an 8 × 8 grid are within the tolerance of the file.
        case near
        /// Refused, where that is right.
        case refused
        /// A picture, of a file that need not give one.
        case picture
        case failed
    }

    let path: String
    let format: String
    var verdict: Verdict
    /// What is wrong, or what the error said.
    var remark: String
    var seconds = 0.0

    private typealias Finding = (verdict: Verdict, remark: String)

    /// Decodes a file in every way and compares.
    init(_ row: CorpusRow, of corpus: Corpus, with coders: CodersManager) {
        let start = ContinuousClock.now
        (path, format) = (row.path, row.format)
        let finding = Self.finding(row, corpus, coders)
        (verdict, remark) = finding
        let taken = (ContinuousClock.now - start).components
        seconds = Double(taken.seconds) + Double(taken.attoseconds) / 1e18
    }

    private static func finding(_ row: CorpusRow, _ corpus: Corpus, _ coders: CodersManager) -> Finding {
        do {
            let data = try corpus.data(of: row)
            let found = try compared(row, data, coders)
            return row.expectation == .ok ? found : (.picture, found.remark)
        } catch let error as ImageError {
            guard !error.message.isEmpty else { return (.failed, "an error without a message") }
            return row.expectation == .ok ? (.failed, "\(error)") : (.refused, error.message)
        } catch {
            return (.failed, "cannot be read: \(error)")
        }
    }

    private static func compared(
        _ row: CorpusRow, _ data: Data, _ coders: CodersManager
    ) throws -> Finding {
        var options = DecodeOptions()
        options.colorConversion = .none
        options.alpha = .straight
        let probe = try coders.probe(data)
        let frames = try coders.frames(of: data, options: options)
        var faults = headerFaults(row, probe, frames)
        let first = try coders.decode(data, options: options)
        if first.pixelSize != probe.size { faults.append("decoded \(first.pixelSize), probed \(probe.size)") }
        if first.pixels.alpha == .premultiplied { faults.append("premultiplied, but straight alpha was asked for") }
        guard first.pixelSize == PixelSize(row.number("width") ?? 0, row.number("height") ?? 0) else {
            return (.failed, faults.joined(separator: "; "))
        }
        let firstPixels = CorpusPixels(first.pixels)
        var findings = [comparison(firstPixels, "first", row)]
        if frames.frameCount > 1, row.frameCount == frames.frameCount {
            findings += try laterFrames(frames, firstDigest: firstPixels.digest, row)
        }
        if !faults.isEmpty { findings.append((.failed, faults.joined(separator: "; "))) }
        return worst(of: findings)
    }

    private static func worst(of findings: [Finding]) -> Finding {
        let remarks = findings.map(\.remark).filter { !$0.isEmpty }.joined(separator: "; ")
        let verdicts = findings.map(\.verdict)
        if verdicts.contains(.failed) { return (.failed, remarks) }
        return (verdicts.contains(.near) ? .near : .exact, remarks)
    }

    // MARK: Header

    private static func headerFaults(_ row: CorpusRow, _ probe: ImageProbe, _ frames: any FrameSource) -> [String] {
        var faults: [String] = []
        func compare<Value: Equatable>(_ name: String, _ found: Value, _ wanted: Value?) {
            if let wanted, found != wanted { faults.append("\(name) is \(found), not \(wanted)") }
        }
        compare("width", probe.size.width, row.number("width"))
        compare("height", probe.size.height, row.number("height"))
        if row.expectation != .ok { return faults }
        compare("frames", frames.frameCount, row.number("frames"))
        compare("frames of the probe", probe.frameCount, row.number("frames"))
        // In the other formats it is a part of decoding.
        if ["jpeg", "png", "apng", "webp", "awebp", "tiff"].contains(row.format) {
            compare("orientation", probe.orientation.rawValue, row.number("orientation"))
        }
        compare("alpha", probe.hasAlpha, row["has_alpha"].map { $0 == "yes" })
        guard row.frameCount > 1 else { return faults }
        compare("loop count", probe.loopCount ?? -1, row["loop"] == "none" ? -1 : row.number("loop"))
        let isTimed =
            row.durations.count == probe.durations.count
            && zip(row.durations, probe.durations).allSatisfy { abs($0 - Double($1)) <= 1 }
        if !row.durations.isEmpty, !isTimed {
            faults.append("durations are \(probe.durations.prefix(6)), not \(row.durations.prefix(6))")
        }
        return faults
    }

    // MARK: Pixels

    /// Every frame where they are known as a whole; the last one otherwise. They come last first, in no order that an
    /// animation would be decoded in.
    private static func laterFrames(
        _ frames: any FrameSource, firstDigest: [UInt8], _ row: CorpusRow
    ) throws -> [Finding] {
        let last = CorpusPixels(try frames.frame(at: frames.frameCount - 1).pixels)
        var findings = [comparison(last, "last", row)]
        guard row.tolerance == 0 || findings[0].verdict == .exact, let wanted = row["all_frames_a0_sha256"] else {
            return findings
        }
        var digests = firstDigest
        for index in 1..<max(1, frames.frameCount - 1) {
            digests += CorpusPixels(try frames.frame(at: index).pixels).digest
        }
        digests += last.digest
        if digests.withUnsafeBytes({ CorpusPixels.sha256($0) }) != wanted.bytesOfHexadecimal, row.tolerance == 0 {
            findings.append((.failed, "first and last frame are right, one between is not"))
        }
        return findings
    }

    /// - Parameter which: `first` or `last`.
    private static func comparison(_ pixels: CorpusPixels, _ which: String, _ row: CorpusRow) -> Finding {
        let digest = pixels.digest
        // Where all frames are equal, the last one's columns are empty.
        let name = row["\(which)_a0_sha256"] == nil ? "first" : which
        let others = which == "first" ? ["first_alt_a0_sha256"] : []
        let digests = (["\(name)_a0_sha256"] + others).compactMap { row[$0]?.bytesOfHexadecimal }
        if digests.contains(digest) { return (.exact, "") }
        guard let wanted = row["\(name)_grid"]?.bytesOfHexadecimal else { return (.failed, "\(which): no reference") }
        if row["unrotated_a0_sha256"]?.bytesOfHexadecimal == digest {
            return (.failed, "\(which): the orientation is not applied")
        }
        let distance = zip(pixels.grid, wanted).map { abs($0 - Int($1)) }.max() ?? 255
        if row.tolerance > 0, distance <= row.tolerance {
            return (.near, distance == 0 ? "" : "\(which): grid off by \(distance)")
        }
        return (.failed, "\(which): grid off by \(distance), tolerance \(row.tolerance)")
    }
}
