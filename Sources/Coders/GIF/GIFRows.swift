/// The rows of a frame in the order in which they are stored.
enum GIFRows {
    /// Each row, with how many rows it can stand for until those have come: itself, and in an interlaced frame what
    /// later passes fill in below it.
    static func order(_ height: Int, isInterlaced: Bool) -> [Range<Int>] {
        guard isInterlaced else { return (0..<height).map { $0..<$0 + 1 } }
        // The first row of each pass, the step to the next, and how many rows one stands for.
        let passes = [(0, 8, 8), (4, 8, 4), (2, 4, 2), (1, 2, 1)]
        return passes.flatMap { first, step, span in
            stride(from: first, to: height, by: step).map { $0..<min(height, $0 + span) }
        }
    }
}
