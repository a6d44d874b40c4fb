extension DiskCache {
    /// Whether there may be an entry.
    func mayHave(_ address: DiskAddress) -> Bool { true }
    /// Notes an entry that is about to appear.
    func noteStore(_ address: DiskAddress) {}
    /// Notes an entry that has appeared.
    func noteStored(_ address: DiskAddress) {}
    /// Notes an entry that a sweep has seen.
    func noteFound(_ digest: DiskDigest) {}
}
