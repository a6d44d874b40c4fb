import Testing

@testable import WebImageCore

@Suite("Addresses of the Internet")
struct IPAddressTests {
    @Test(
        "Not public",
        arguments: [
            "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254", "169.254.169.254",
            "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.19.255.255",
            "198.51.100.1", "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
            "168.63.129.16", "::", "::1", "::7f00:1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1",
            "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe", "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1", "2002:7f00:1::", "2002:a00:1::1", "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2",
            "2001:db8::1", "3fff::1", "4000::1", "[::1]",
        ])
    func notPublic(_ text: String) throws {
        #expect(try !#require(IPAddress(text)).isPublic)
    }

    @Test(
        "Public",
        arguments: [
            "1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.1",
            "198.17.255.255", "198.20.0.0", "223.255.255.255", "168.63.129.17", "2606:4700:4700::1111",
            "2a00:1450:4001:81b::200e", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1",
            "3ffe::1",
        ])
    func isPublic(_ text: String) throws {
        #expect(try #require(IPAddress(text)).isPublic)
    }

    @Test(
        "No address",
        arguments: [
            "", "localhost", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1..2.3", "0x7f.0.0.1", "2130706433", "1.2.3.-4", ":",
            "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "::1::2", "12345::", "g::1", "1.2.3.4::", "+1::", "::1.2.3",
            "1.2.3.+4",
            "1.2.3.0004",
        ])
    func none(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    /// What IANA's special-purpose registries say is not globally reachable, with multicast, reserved and metadata
    /// addresses: the first and the last of each.
    @Test(
        "Every special-purpose block, from its first to its last address, and not what lies beside",
        arguments: [
            ("0.0.0.0", "0.255.255.255", nil, "1.0.0.0"), ("10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"),
            ("100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"),
            ("127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"),
            ("169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"),
            ("172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"),
            ("192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"),
            ("192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"),
            ("192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"),
            ("192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"),
            ("198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"),
            ("198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"),
            ("203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"),
            ("224.0.0.0", "255.255.255.255", "223.255.255.255", nil),
            ("::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil, "2000::"),
            ("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2000:ffff::", "2001:200::"),
            ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db7:ffff::", "2001:db9::"),
            ("2002::", "2002:ff:ffff::", "2001:ffff::", "2002:100::"),
            ("2002:a00::", "2002:aff:ffff::", "2002:9ff:ffff::", "2002:b00::"),
            ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3ffe:ffff::", "3fff:1000::"),
            ("4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:ffff::", nil),
            ("64:ff9b::a00:0", "64:ff9b::aff:ffff", "64:ff9b::9ff:ffff", "64:ff9b::b00:0"),
            ("::ffff:10.0.0.0", "::ffff:10.255.255.255", "::ffff:9.255.255.255", "::ffff:11.0.0.0"),
        ] as [(String, String, String?, String?)])
    func blocks(_ first: String, _ last: String, _ before: String?, _ after: String?) throws {
        for text in [first, last] { #expect(try !#require(IPAddress(text)).isPublic, "\(text)") }
        for text in [before, after].compactMap(\.self) {
            #expect(try #require(IPAddress(text)).isPublic, "\(text)")
        }
    }

    @Test(
        "Hosts are read as C libraries read them",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0x7f000001", "127.0.0.1"),
            ("0X7F.1", "127.0.0.1"), ("127.1", "127.0.0.1"), ("127.0.1", "127.0.0.1"), ("0177.0.0.01", "127.0.0.1"),
            ("017700000001", "127.0.0.1"), ("012.1.2.3", "10.1.2.3"), ("127.0.0.1.", "127.0.0.1"), ("0", "0.0.0.0"),
            ("10.65535", "10.0.255.255"), ("4294967295", "255.255.255.255"), ("[::1]", "::1"), ("::1", "::1"),
            ("fe80::1%25eth0", "fe80::1"), ("4294967296", nil), ("127.0.0.256", nil), ("127.256.1", nil),
            ("08.1.1.1", nil), ("1.2.3.4.5", nil), ("1..2", nil), ("..", nil), (".", nil), ("", nil), ("0x", nil),
            ("0x+7f.1", nil), ("+127.1", nil), ("a.b", nil), ("localhost", nil), ("1.2.3.4a", nil), ("0b1", nil),
        ] as [(String, String?)])
    func hosts(_ text: String, _ address: String?) {
        #expect(IPAddress(host: text)?.description == address)
    }

    @Test("Written out in full; equal however spelled")
    func spelling() throws {
        let spellings = [
            "0:0:0:0:0:0:0:1": "::1", "::": "::", "fe80::": "fe80::", "2001:DB8:0:0:1:0:0:1": "2001:db8::1:0:0:1",
            "2001:db8:0:1:1:1:1:1": "2001:db8:0:1:1:1:1:1", "1:0:0:2:0:0:0:3": "1:0:0:2::3",
            "1:2:3:4:5:6:7:8": "1:2:3:4:5:6:7:8",
        ]
        for (text, shown) in spellings { #expect(IPAddress(text)?.description == shown) }
        #expect(IPAddress("1.2.3.4")?.description == "1.2.3.4")
        #expect(IPAddress("::ffff:1.2.3.4") == IPAddress("::FFFF:102:304"))
        #expect(IPAddress(bytes: [1, 2, 3]) == nil && IPAddress(bytes: [1, 2, 3, 4]) == IPAddress("1.2.3.4"))
    }

    @Test("Exceptions are allowed, and only they")
    func exceptions() throws {
        let inner = try #require(IPAddress("10.0.0.1"))
        let policy = AddressPolicy.publicInternetOnly.allowing([inner])
        #expect(policy.allows(inner) && !policy.allowsAll)
        #expect(try !policy.allows(#require(IPAddress("10.0.0.2"))) && policy.allows(#require(IPAddress("8.8.8.8"))))
        #expect(AddressPolicy.any.allowsAll && AddressPolicy.any.allows(inner))
    }
}
