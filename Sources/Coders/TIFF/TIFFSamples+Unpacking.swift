extension TIFFSamples {
    /// Reads samples as numbers from 0 to the most that their bits can say, of 16 bits where they have more or are
    /// floats. What takes whole bytes lies in the order of this machine, as libtiff gives it.
    ///
    /// - Parameter samples: All of them must be in the bytes.
    static func unpack(
        _ bytes: UnsafeRawBufferPointer, _ encoding: TIFFLayout.Encoding, _ bits: Int,
        _ samples: UnsafeMutableBufferPointer<UInt16>
    ) {
        switch (encoding, bits) {
        case (.integer, 8): unsafe fill(samples, from: bytes) { (sample: UInt8) in UInt16(sample) }
        case (.integer, 16): unsafe fill(samples, from: bytes) { (sample: UInt16) in sample }
        case (.integer, 32): unsafe fill(samples, from: bytes) { (sample: UInt32) in rounded(sample) }
        case (.integer, _): unsafe unpackBits(bytes, bits, samples)
        case (.float, 16): unsafe fill(samples, from: bytes) { (sample: Float16) in level(Float(sample)) }
        case (.float, 32): unsafe fill(samples, from: bytes) { (sample: Float) in level(sample) }
        // Doubles, of which more than a float says nothing here.
        case (.float, _): unsafe fill(samples, from: bytes) { (sample: Double) in level(Float(sample)) }
        }
    }

    private static func fill<Sample: BitwiseCopyable>(
        _ samples: UnsafeMutableBufferPointer<UInt16>, from bytes: UnsafeRawBufferPointer,
        _ value: (Sample) -> UInt16
    ) {
        for index in samples.indices {
            let offset = index * MemoryLayout<Sample>.size
            unsafe samples[index] = value(bytes.loadUnaligned(fromByteOffset: offset, as: Sample.self))
        }
    }

    /// The nearest of 16 bits: 0 stays 0, and the largest the largest.
    private static func rounded(_ sample: UInt32) -> UInt16 {
        UInt16((UInt64(sample) * 0xFFFF + 0x7FFF_FFFF) / 0xFFFF_FFFF)
    }

    /// What is no number is not above 0.
    private static func level(_ sample: Float) -> UInt16 {
        sample > 0 ? UInt16((min(sample, 1) * 0xFFFF).rounded()) : 0
    }

    /// Samples of other depths lie without gaps, the highest bit first.
    private static func unpackBits(
        _ bytes: UnsafeRawBufferPointer, _ bits: Int, _ samples: UnsafeMutableBufferPointer<UInt16>
    ) {
        var (window, available, next) = (UInt32(0), 0, 0)
        let mask = UInt32(1) << UInt32(bits) - 1
        for index in samples.indices {
            while available < bits {
                unsafe window = window << 8 | UInt32(bytes[next])
                next += 1
                available += 8
            }
            available -= bits
            unsafe samples[index] = UInt16(truncatingIfNeeded: window >> UInt32(available) & mask)
        }
    }
}
