/// What stands before the samples of a modular picture or of one of its squares (ISO/IEC 18181-1, annex H.2).
struct JXLModularHeader {
    /// Whether contexts are chosen by the tree of the frame, and not by one of its own.
    let usesTreeOfFrame: Bool
    private var transforms: [JXLChannels.Transform] = []

    init(_ bits: inout JXLBits) throws(JXLFault) {
        usesTreeOfFrame = try bits.flag()
        // The weights of one of the predictors.
        if try !bits.flag() { try bits.skip(7 * 5 + 4 * 4) }
        let count = try bits.number(.value(0), .value(1), .bits(4, from: 2), .bits(8, from: 18))
        for _ in 0..<count { transforms.append(try JXLChannels.Transform(&bits)) }
    }

    /// What its transforms make of the channels.
    func transformed(_ channels: JXLChannels) throws(JXLFault) -> JXLChannels {
        var channels = channels
        for transform in transforms { try channels.apply(transform) }
        return channels
    }
}

extension JXLChannels.Transform {
    fileprivate init(_ bits: inout JXLBits) throws(JXLFault) {
        switch try bits.read(2) {
        case 0:
            self = .colors(first: try Self.first(&bits))
            let kind = try bits.number(.value(6), .bits(2), .bits(4, from: 2), .bits(6, from: 10))
            guard kind < 42 else { throw .damaged("there is no transform of colours \(kind)") }
        case 1: self = try Self.palette(&bits)
        case 2:
            var steps: [JXLChannels.Step] = []
            let count = try bits.number(.value(0), .bits(4, from: 1), .bits(6, from: 9), .bits(8, from: 41))
            for _ in 0..<count { steps.append(try JXLChannels.Step(&bits)) }
            self = .squeeze(steps)
        default: throw .damaged("there is no such transform")
        }
    }

    private static func palette(_ bits: inout JXLBits) throws(JXLFault) -> Self {
        let first = try first(&bits)
        let count = try bits.number(.value(1), .value(3), .value(4), .bits(13, from: 1))
        let colorCount = try bits.number(.bits(8), .bits(10, from: 256), .bits(12, from: 1280), .bits(16, from: 5376))
        let differenceCount = try bits.number(.value(0), .bits(8, from: 1), .bits(10, from: 257), .bits(16, from: 1281))
        guard try bits.read(4) < 14 else { throw .damaged("there is no such predictor") }
        return .palette(first: first, count: count, colorCount: colorCount + differenceCount)
    }

    fileprivate static func first(_ bits: inout JXLBits) throws(JXLFault) -> Int {
        try bits.number(.bits(3), .bits(6, from: 8), .bits(10, from: 72), .bits(13, from: 1096))
    }
}

extension JXLChannels.Step {
    fileprivate init(_ bits: inout JXLBits) throws(JXLFault) {
        isHorizontal = try bits.flag()
        isInPlace = try bits.flag()
        first = try JXLChannels.Transform.first(&bits)
        count = try bits.number(.value(1), .value(2), .value(3), .bits(4, from: 4))
    }
}
