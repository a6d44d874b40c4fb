import Testing
import WebImageCore

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
