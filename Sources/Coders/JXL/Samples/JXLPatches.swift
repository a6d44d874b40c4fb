import WebImagePixels

/// The list of patches that a frame takes of others (ISO/IEC 18181-1, annex K.3), as far as it tells what they cost.
enum JXLPatches {
    private enum Context {
        static let listCount = 0
        static let frame = 1
        static let size = 2
        static let origin = 3
        static let place = 4
        static let mode = 5
        static let offset = 6
        static let placeCount = 7
        static let alpha = 8
        static let clamp = 9
        static let count = 10
    }

    /// How often the patches may cover the frame. Without a limit few bytes could keep libjxl busy for days.
    private static let maxLayerCount = 64

    /// - Parameters:
    ///   - size: Of the frame.
    ///   - extraChannelCount: Each of which has a mode of its own in each patch.
    static func skip(
        _ bits: inout JXLBits, over size: PixelSize, extraChannelCount: Int, _ allowance: inout JXLAllowance
    ) throws(JXLFault) {
        let code = try JXLEntropyCode(&bits, contextCount: Context.count)
        var numbers = try JXLIntegerReader(code, &bits)
        var rest = size.width.clampedProduct(size.height).clampedProduct(maxLayerCount).clampedSum(1 << 24)
        for _ in 0..<(try numbers.next(inContext: Context.listCount, &bits)) {
            for context in [Context.frame, Context.origin, Context.origin] {
                _ = try numbers.next(inContext: context, &bits)
            }
            let width = try numbers.next(inContext: Context.size, &bits) + 1
            let height = try numbers.next(inContext: Context.size, &bits) + 1
            let count = try numbers.next(inContext: Context.placeCount, &bits) + 1
            // A place of its own, two lists of all that are sorted, a tree of them, and how each channel is mixed.
            try allowance.take(128 + count * (128 + 24 * (extraChannelCount + 1)), for: "patches")
            let area = width.clampedProduct(height).clampedProduct(count)
            guard area <= rest else { throw .excessive("patches over \(maxLayerCount) times its pixels") }
            rest -= area
            try skipPlaces(count, &numbers, &bits, extraChannelCount: extraChannelCount)
        }
        try numbers.finish()
    }

    private static func skipPlaces(
        _ count: Int, _ numbers: inout JXLIntegerReader, _ bits: inout JXLBits, extraChannelCount: Int
    ) throws(JXLFault) {
        let multiplies = 3
        for index in 0..<count {
            let context = index == 0 ? Context.place : Context.offset
            for _ in 0..<2 { _ = try numbers.next(inContext: context, &bits) }
            for _ in 0...extraChannelCount {
                let mode = try numbers.next(inContext: Context.mode, &bits)
                guard mode < 8 else { throw .damaged("there is no patch of mode \(mode)") }
                if mode > multiplies, extraChannelCount > 1 { _ = try numbers.next(inContext: Context.alpha, &bits) }
                if mode >= multiplies { _ = try numbers.next(inContext: Context.clamp, &bits) }
            }
        }
    }
}
