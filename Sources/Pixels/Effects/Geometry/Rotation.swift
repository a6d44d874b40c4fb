/// A turn about the centre, by linear interpolation between four pixels; outside the picture everything is transparent.
struct Rotation {
    let source: PixelSize
    let target: PixelSize
    private let angle: Angle

    init(radians: Double, source: PixelSize, canvas: RotationCanvas) {
        self.source = source
        angle = Angle(radians)
        switch canvas {
        case .clip: target = source
        case .fit:
            let bounds = source.boundsOfRotation(by: radians)
            target = PixelSize(Int(min(bounds.width, 0x1p40)), Int(min(bounds.height, 0x1p40)))
        }
    }

    /// The turned picture; `nil` when no buffer can have its size.
    func drawn(_ picture: PixelBuffer) -> PixelBuffer? {
        var layout = picture.layout
        layout.alpha = .premultiplied
        guard var result = PixelBuffer(uninitialized: target, layout: layout) else { return nil }
        let bytesPerRow = result.bytesPerRow
        unsafe result.withUnsafeMutableBytes { (target) -> Void in
            unsafe picture.withUnsafeBytes { bytes in
                let sampler = unsafe LinearSampler(picture, bytes)
                for y in 0..<self.target.height {
                    let start = y * bytesPerRow
                    let row = unsafe UnsafeMutableRawBufferPointer(rebasing: target[start..<start + bytesPerRow])
                    unsafe draw(line(y), sampler, on: row)
                }
            }
        }
        return result
    }

    /// The edge pixel by pixel, and what is between quickly where the format has a kernel.
    private func draw(_ line: SourceLine, _ sampler: LinearSampler, on row: UnsafeMutableRawBufferPointer) {
        let columns = line.columns(reaching: source, margin: 1)
        var inner = line.columns(reaching: source, margin: -0.001)
        let isFilled = unsafe !inner.isEmpty && sampler.fill(row, inner, from: line)
        if !isFilled { inner = columns.upperBound..<columns.upperBound }
        unsafe sampler.clear(0..<columns.lowerBound, on: row)
        unsafe sampler.clear(columns.upperBound..<target.width, on: row)
        unsafe sampler.draw(columns.lowerBound..<max(columns.lowerBound, inner.lowerBound), from: line, on: row)
        unsafe sampler.draw(inner.upperBound..<max(inner.upperBound, columns.upperBound), from: line, on: row)
    }

    /// Where the pixels of a target row come from.
    func line(_ row: Int) -> SourceLine {
        let x = 0.5 - Double(target.width) / 2
        let y = Double(row) + 0.5 - Double(target.height) / 2
        return SourceLine(
            x: x * angle.cosine - y * angle.sine + Double(source.width) / 2 - 0.5,
            y: x * angle.sine + y * angle.cosine + Double(source.height) / 2 - 0.5,
            stepX: angle.cosine, stepY: angle.sine, count: target.width)
    }
}

/// A straight line through a picture: pixel centres are whole numbers.
struct SourceLine {
    var x: Double
    var y: Double
    var stepX: Double
    var stepY: Double
    var count: Int

    /// The steps at which the line is within a picture grown by a margin on every side.
    func columns(reaching size: PixelSize, margin: Double) -> Range<Int> {
        var range = 0..<count
        range = Self.steps(x, stepX, -margin, Double(size.width) - 1 + margin, range)
        return Self.steps(y, stepY, -margin, Double(size.height) - 1 + margin, range)
    }

    private static func steps(
        _ start: Double, _ step: Double, _ low: Double, _ high: Double, _ range: Range<Int>
    ) -> Range<Int> {
        guard step != 0 else { return start >= low && start <= high ? range : range.lowerBound..<range.lowerBound }
        let one = (low - start) / step
        let other = (high - start) / step
        let bounds = Double(range.lowerBound)...Double(max(range.lowerBound, range.upperBound - 1))
        guard !range.isEmpty, max(one, other) >= bounds.lowerBound, min(one, other) <= bounds.upperBound else {
            return range.lowerBound..<range.lowerBound
        }
        let first = max(bounds.lowerBound, min(one, other).rounded(.up))
        let last = min(bounds.upperBound, max(one, other).rounded(.down))
        return first <= last ? Int(first)..<Int(last) + 1 : range.lowerBound..<range.lowerBound
    }
}
