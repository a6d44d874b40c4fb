import WebImagePixels

/// The curves that are drawn over a frame (ISO/IEC 18181-1, annex K.4), as far as they tell what they cost.
struct JXLSplines {
    private typealias Point = (x: Int, y: Int)

    private enum Context {
        static let quantization = 0
        static let start = 1
        static let curveCount = 2
        static let pointCount = 3
        static let point = 4
        static let coefficient = 5
        static let count = 6
    }

    /// The farthest point from the origin, and the most points, that libjxl takes.
    private static let maxDistance = 1 << 23
    private static let maxPointCount = 1 << 20

    /// How many pixels libjxl lets curves and what is about them cover.
    private let maxArea: Double
    /// How many dots they are drawn with, one for each pixel of their length: the longest, and all.
    private var longest = 0.0
    private var total = 0.0

    /// - Parameter size: Of the frame as it is shown.
    static func skip(_ bits: inout JXLBits, over size: PixelSize) throws(JXLFault) {
        var allowance = JXLAllowance(forCurvesOver: size.width.clampedProduct(size.height))
        var splines = JXLSplines(maxArea: min(16 * Double(size.width) * Double(size.height) + 65_536, 0x1p30))
        try splines.read(&bits, &allowance)
        try allowance.take(splines.byteCount, for: "curves")
    }

    private init(maxArea: Double) {
        self.maxArea = maxArea
    }

    private mutating func read(_ bits: inout JXLBits, _ allowance: inout JXLAllowance) throws(JXLFault) {
        let code = try JXLEntropyCode(&bits, contextCount: Context.count)
        var numbers = try JXLIntegerReader(code, &bits)
        let count = try numbers.next(inContext: Context.curveCount, &bits) + 1
        guard count <= Self.maxPointCount else { throw .damaged("there are too many curves") }
        // 640 bytes each, and each has 128 numbers that take time and perhaps no bit.
        try allowance.take(count * 2560, for: "curves")
        var starts: [Point] = []
        for _ in 0..<count {
            let place = try Self.pair(inContext: Context.start, &numbers, &bits)
            // The first is written as it is, the others from it on.
            let next = starts.last.map { (x: $0.x + place.x.signed, y: $0.y + place.y.signed) } ?? place
            try Self.check(next)
            starts.append(next)
        }
        _ = try numbers.next(inContext: Context.quantization, &bits)
        for start in starts { try readCurve(from: start, &numbers, &bits, &allowance) }
        try numbers.finish()
    }

    private mutating func readCurve(
        from start: Point, _ numbers: inout JXLIntegerReader, _ bits: inout JXLBits,
        _ allowance: inout JXLAllowance
    ) throws(JXLFault) {
        let count = try numbers.next(inContext: Context.pointCount, &bits)
        guard count <= Self.maxPointCount else { throw .damaged("a curve has too many points") }
        // Sixteen points are made of each.
        try allowance.take(count * (16 * 8 + 48), for: "curves")
        var (place, step) = (start, (x: 0, y: 0))
        var length = 2.0
        for _ in 0..<count {
            let change = try Self.pair(inContext: Context.point, &numbers, &bits)
            step = (step.x + change.x.signed, step.y + change.y.signed)
            try Self.check(step)
            place = (place.x + step.x, place.y + step.y)
            try Self.check(place)
            let chord = Double(step.x * step.x + step.y * step.y).squareRoot()
            // A curve of this kind is at most 1.15 times as long as the straight line.
            length += chord * 1.25
        }
        for _ in 0..<4 * 32 { _ = try numbers.next(inContext: Context.coefficient, &bits) }
        longest = max(longest, length)
        total += length
    }

    /// Dots of the longest and of all, and the rows that each of all lies in; lists are copied when they grow.
    private var byteCount: Int {
        // libjxl takes at least four pixels for a dot, and the square of its height.
        let dotCount = min(total, maxArea / 4)
        let rowCount = min(maxArea / 2, (dotCount * maxArea).squareRoot())
        return Int(min(longest, maxArea + 1) * 24 + dotCount * 64 + rowCount * 32)
    }

    private static func pair(
        inContext context: Int, _ numbers: inout JXLIntegerReader, _ bits: inout JXLBits
    ) throws(JXLFault) -> Point {
        let x = try numbers.next(inContext: context, &bits)
        return (x, try numbers.next(inContext: context, &bits))
    }

    private static func check(_ point: Point) throws(JXLFault) {
        guard max(abs(point.x), abs(point.y)) < maxDistance else { throw .damaged("a curve goes too far") }
    }
}
