/// Walks over the places of compressed pixels. Those of a run of chunks are found as it goes: a million chunks of a
/// byte are a small file, and a list of them is a large one.
struct PNGPixelRanges: Sequence, IteratorProtocol {
    private var run: PNGChunks?
    private var end = 0
    private var listed: ArraySlice<PNGChunk> = []

    /// Those of neighbouring chunks, from the first that `chunks` gives.
    init(_ chunks: PNGChunks, upTo end: Int) {
        run = chunks
        self.end = end
    }

    /// Those of frame chunks.
    init(_ chunks: [PNGChunk]) {
        listed = chunks[...]
    }

    mutating func next() -> Range<Int>? {
        // 4: the sequence number, which the body of each chunk of a frame begins with.
        if let chunk = listed.popFirst() { return chunk.body.dropFirst(4) }
        guard let chunk = run?.next(), chunk.offset < end else { return nil }
        return chunk.body
    }
}
