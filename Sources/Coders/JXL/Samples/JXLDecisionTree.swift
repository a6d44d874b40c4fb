/// The tree that chooses the context of a modular sample by the properties of those before it (ISO/IEC 18181-1, annex
/// H.4), as far as it tells what it costs.
struct JXLDecisionTree {
    private enum Context {
        static let split = 0
        static let property = 1
        static let predictor = 2
        static let offset = 3
        static let multiplierExponent = 4
        static let multiplier = 5
        static let count = 6
    }

    /// Properties that all samples have; the others are of earlier channels.
    static let usualPropertyCount = 16

    private(set) var nodeCount = 0
    /// All properties that are looked at are below this.
    private(set) var propertyCount = usualPropertyCount

    /// - Parameter limit: How many nodes libjxl takes.
    init(
        _ bits: inout JXLBits, limit: Int, _ allowance: inout JXLAllowance
    ) throws(JXLFault) {
        let code = try JXLEntropyCode(&bits, contextCount: Context.count)
        var numbers = try JXLIntegerReader(code, &bits)
        var allowed = allowance
        var openCount = 1
        while openCount > 0 {
            guard nodeCount <= limit else { throw .damaged("a decision tree has too many nodes") }
            nodeCount += 1
            let property = try numbers.next(inContext: Context.property, &bits)
            guard property <= 256 else { throw .damaged("a decision tree asks for a property that is not there") }
            openCount += property == 0 ? -1 : 1
            if property == 0 {
                for context in Context.predictor...Context.multiplier {
                    _ = try numbers.next(inContext: context, &bits)
                }
            } else {
                _ = try numbers.next(inContext: Context.split, &bits)
            }
            propertyCount = max(propertyCount, property)
            allowed = allowance
            try allowed.take(byteCount, for: "a decision tree")
        }
        try numbers.finish()
        allowance = allowed
    }

    var leafCount: Int { (nodeCount + 1) / 2 }

    /// Nodes are held in a list that doubles, twice in another form, and with two bounds for each property.
    private var byteCount: Int { nodeCount * (96 + 8 * propertyCount) }

    /// What those properties take that are of earlier channels, while a channel is read.
    func byteCount(ofChannelOfWidth width: Int) -> Int {
        width.clampedProduct((propertyCount - Self.usualPropertyCount) * 4)
    }
}
