import Testing
import WebImageFoundation

@testable import WebImageCore

/// The digest that tells bodies apart: for an entry's own bytes, and for what variants were made of.
@Suite struct BodyDigestTests {
    private let body = Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0) })
    private let other = Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0 + 1) })

    /// Under the key 1 the digest is no more than a sum of blocks, as under any known key it is one that can be solved.
    @Test("Bodies made alike for somebody who knows the key are not alike under the machine's")
    func madeAlike() {
        let (first, second) = (body[..<16] + body[16..<32], body[16..<32] + body[..<16])
        let known = BodyDigest.Key(high: 1 << 56, low: 0)
        #expect(first != second)
        #expect(BodyDigest(first, key: known) == BodyDigest(second, key: known))
        #expect(BodyDigest(first) != BodyDigest(second))
    }

    @Test("Of one body it is one digest, under each key another, and each is told to be the body's")
    func keys() {
        let (own, known) = (BodyDigest(body), BodyDigest(body, key: .known))
        #expect(own == BodyDigest(body) && own != known && own.key == .own)
        #expect(own.isDigest(of: body) && known.isDigest(of: body))
        #expect(!own.isDigest(of: other) && !known.isDigest(of: other))
    }

    @Test func textSaysAllOfItAndAnythingElseIsNone() {
        let digest = BodyDigest(body)
        #expect(digest.text.utf8.count == 64 && BodyDigest(text: digest.text) == digest)
        let zeros = String(repeating: "0", count: 16)
        for text in ["", "abc", String(digest.text.dropLast()), digest.text + "0", digest.text + zeros]
            + [digest.text.dropLast() + "g", digest.text.dropLast() + "A", String(repeating: "é", count: 32)]
        {
            #expect(BodyDigest(text: text) == nil, "\(text)")
        }
    }

    @Test("What is known of a body is not computed again, and is not believed of any other bytes")
    func knownBody() {
        // Not the body's digest, so that it shows.
        var validators = DiskMetadata.Validators()
        validators.bodyDigest = BodyDigest(other).text
        var metadata = DiskMetadata()
        metadata.setValidators(validators, body: body)
        #expect(metadata.digest(of: body) == BodyDigest(other))
        var changed = body
        changed[5] ^= 1
        #expect(metadata.digest(of: changed) == BodyDigest(changed))
        #expect(metadata.digest(of: body[1...]) == BodyDigest(body[1...]))
        let few = Data([1, 2])
        metadata.setValidators(validators, body: few)
        #expect(metadata.digest(of: Data([3, 4])) == BodyDigest(Data([3, 4])))
        metadata.setValidators(validators, body: body)
        metadata.validators = validators
        #expect(metadata.digest(of: body) == BodyDigest(body))
        validators.bodyDigest = "no digest"
        metadata.setValidators(validators, body: body)
        #expect(metadata.digest(of: body) == BodyDigest(body))
    }

    @Test(
        "A cache that stores other bytes than it was given, as encrypted, stores whole entries",
        arguments: [
            DiskCache.MetadataPlacement.automatic, .sidecar,
        ])
    func changedOnTheWay(_ placement: DiskCache.MetadataPlacement) throws {
        var configuration = ImageCacheConfiguration()
        configuration.verifiesDigestOnRead = true
        let folder = try CacheTestFolder()
        let cache = DiskCache(folder, placement: placement, configuration: configuration)
        var metadata = DiskMetadata()
        var validators = DiskMetadata.Validators()
        validators.bodyDigest = BodyDigest(body).text
        metadata.setValidators(validators, body: body)
        var encrypted = body
        for index in encrypted.indices { encrypted[index] ^= 0x55 }
        try cache.store(body, for: CacheKey("original"), metadata: metadata)
        try cache.store(encrypted, for: CacheKey("encrypted"), metadata: metadata)
        for (key, bytes) in [("original", body), ("encrypted", encrypted)] {
            let entry = try cache.data(for: CacheKey(key))
            #expect(entry?.data == bytes && entry?.metadata.validators == validators, "\(key)")
        }
        #expect(cache.verify().faults.isEmpty)
    }

    @Test func anOriginalsRecordHoldsTheDigestOnce() throws {
        var metadata = DiskMetadata()
        metadata.validators.bodyDigest = BodyDigest(body).text
        var sizes: [Int] = []
        for digest in [BodyDigest(body), BodyDigest(other)] {
            let record = DiskRecord(
                key: "k", storedAt: WallTime(seconds: 1), byteCount: body.count, digest: digest, metadata: metadata)
            let bytes = try #require(record.encoded())
            #expect(DiskRecord(bytes)?.metadata.validators == metadata.validators)
            sizes.append(bytes.count)
        }
        #expect(sizes[1] - sizes[0] == 64)
    }
}
