import CWebImageKernels

/// The inner loops of the resampler, for one pixel format on one kind of processor. Those of one format give the same
/// bytes everywhere.
///
/// A source row is spread into the form that the filter wants. A group of four spread rows at a time is narrowed (or
/// widened) to the target's width; the four together are added, each with its weight, to the sums of target rows; sums
/// are rounded to pixels. So the source is read once, and only rows of the target's width are kept.
protocol ResamplingKernels: Sendable {
    /// What windows along a row must be made of; see `ResamplingAxis`.
    var block: Int { get }
    /// Of a source pixel when it is spread.
    var spreadBytesPerPixel: Int { get }
    /// Of a target pixel of a group of narrowed rows.
    var groupBytesPerPixel: Int { get }

    /// Takes the pixels of a source row; of bytes with straight alpha it multiplies the colour by it, rounded.
    func spread(_ row: UnsafeRawBufferPointer, _ alpha: AlphaMode, to spread: UnsafeMutableRawBufferPointer)

    /// Narrows four spread rows, which lie one after the other.
    ///
    /// - Parameter next: The bytes that will be spread next, as far as they are known: they may be fetched meanwhile.
    func narrow(
        _ rows: UnsafeRawBufferPointer, _ axis: ResamplingAxis, to group: UnsafeMutableRawBufferPointer,
        next: UnsafeRawBufferPointer)

    /// Adds a group of rows to sums, which have 16 bytes a pixel and begin as zeros.
    func add(_ group: UnsafeRawBufferPointer, _ weights: SIMD4<Int16>, to sums: UnsafeMutableRawBufferPointer)

    /// Makes the pixels of a target row.
    func round(_ sums: UnsafeRawBufferPointer, to row: UnsafeMutableRawBufferPointer, isOpaque: Bool)
}

/// Which of the equal loops run.
enum ResamplingPath: Sendable, CaseIterable {
    /// C with AVX2 and F16C.
    case vector256
    /// C with SSE4.1 or NEON for bytes; half floats as in `portable`.
    case vector128
    /// Swift with the vectors that the whole module is compiled for: SSE2, or NEON.
    case portable

    /// Those that this processor has, the fastest first.
    static let available = allCases.filter { path in
        switch path {
        case .vector256: unsafe cwebimage_resample_bytes_256() != nil
        case .vector128: unsafe cwebimage_resample_bytes_128() != nil
        case .portable: true
        }
    }

    /// The fastest that this processor has.
    static let best = available[0]

    func kernels(_ format: PixelFormat, _ light: Resampling.Light) -> any ResamplingKernels {
        switch (format, light) {
        case (.rgba8, .encoded): byteKernels ?? PortableByteKernels()
        case (.rgba8, .linear):
            self == .vector256
                ? LinearLightKernels(VectorHalfKernels()) : LinearLightKernels(PortableHalfKernels())
        case (.rgbaHalf, _): self == .vector256 ? VectorHalfKernels() : PortableHalfKernels()
        }
    }

    private var byteKernels: VectorByteKernels? {
        switch self {
        case .vector256: unsafe VectorByteKernels(cwebimage_resample_bytes_256())
        case .vector128: unsafe VectorByteKernels(cwebimage_resample_bytes_128())
        case .portable: nil
        }
    }
}

/// How many rows are narrowed and added together.
let rowsPerGroup = 4

/// How many bits of fraction the 8-bit samples of narrowed rows have.
let narrowedFractionBits: Int32 = 6
