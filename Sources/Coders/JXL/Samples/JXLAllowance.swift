/// What libjxl may allocate for the samples of one frame, beside the samples.
///
/// Few bytes may ask for any amount of it: a number that is repeated takes none. What usual files ask for is far below.
struct JXLAllowance {
    /// What small frames may take too.
    private static let base = 1 << 26
    /// A decision tree may have a node for each 28 of them, if it looks at usual properties only.
    private static let bytesPerSample = 8

    private var rest: Int

    /// - Parameter sampleCount: Of all channels, three of them of colour.
    init(sampleCount: Int) {
        rest = sampleCount.clampedProduct(Self.bytesPerSample).clampedSum(Self.base)
    }

    /// What curves may take beside. They are made of dots, of which there may be one for each pixel.
    init(forCurvesOver pixelCount: Int) {
        rest = min(1 << 29, pixelCount.clampedProduct(64).clampedSum(1 << 27))
    }

    /// Takes bytes for something that is held as long as the rest of the frame is read.
    mutating func take(_ byteCount: Int, for what: String) throws(JXLFault) {
        guard byteCount <= rest else { throw .excessive("\(what) for which libjxl needs more than for its pixels") }
        rest -= byteCount
    }
}
