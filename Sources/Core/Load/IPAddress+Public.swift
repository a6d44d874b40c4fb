extension IPAddress {
    /// Whether it is one of the open Internet: none that is private, shared, loopback, link-local, multicast, reserved,
    /// kept for documentation, or a cloud's metadata service.
    ///
    /// By the special-purpose registries of IANA (RFC 6890). An IPv6 address that only wraps an IPv4 one (mapped,
    /// NAT64, 6to4) is judged by that; Teredo is not public.
    public var isPublic: Bool {
        bytes.count == 4 ? Self.isPublic(version4: bytes) : isPublicVersion6
    }

    private static func isPublic(version4 bytes: [UInt8]) -> Bool {
        !private4.contains { $0.holds(bytes) }
    }

    private var isPublicVersion6: Bool {
        if let inner = wrappedVersion4 { return Self.isPublic(version4: inner) }
        return Self.global6.holds(bytes) && !Self.special6.contains { $0.holds(bytes) }
    }

    private var wrappedVersion4: [UInt8]? {
        if Self.mapped.holds(bytes) || Self.nat64.holds(bytes) { return Array(bytes[12...]) }
        return Self.sixToFour.holds(bytes) ? Array(bytes[2..<6]) : nil
    }

    /// The addresses whose first bits are those of another.
    private struct Block: Sendable {
        let start: [UInt8]
        let bitCount: Int

        init(_ start: [UInt8], _ bitCount: Int) {
            self.start = start
            self.bitCount = bitCount
        }

        func holds(_ bytes: [UInt8]) -> Bool {
            (0..<bitCount).allSatisfy { bit in
                let mask = UInt8(0x80) >> UInt8(bit % 8)
                let expected = bit / 8 < start.count ? start[bit / 8] : 0
                return bytes[bit / 8] & mask == expected & mask
            }
        }
    }

    private static let private4 = [
        Block([0], 8), Block([10], 8), Block([100, 64], 10), Block([127], 8), Block([169, 254], 16),
        Block([172, 16], 12), Block([192, 0, 0], 24), Block([192, 0, 2], 24), Block([192, 88, 99], 24),
        Block([192, 168], 16), Block([198, 18], 15), Block([198, 51, 100], 24), Block([203, 0, 113], 24),
        Block([224], 4), Block([240], 4),
        // The wire server of Azure, in the midst of public addresses.
        Block([168, 63, 129, 16], 32),
    ]

    private static let mapped = Block([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 96)
    private static let nat64 = Block([0, 0x64, 0xFF, 0x9B], 96)
    private static let sixToFour = Block([0x20, 0x02], 16)
    /// Global unicast; all else is loopback, local, multicast or not given out.
    private static let global6 = Block([0x20], 3)
    private static let special6 = [
        // Protocol assignments, Teredo among them; documentation, twice.
        Block([0x20, 0x01], 23), Block([0x20, 0x01, 0x0D, 0xB8], 32), Block([0x3F, 0xFF], 20),
    ]
}
