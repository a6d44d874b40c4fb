import WebImage

extension CacheAction {
    static let verify = CacheAction(name: "verify", options: [.dryRun]) { job in
        let result = job.disk.verify(removesFaults: !job.isDryRun)
        for fault in result.faults {
            job.print(
                "\(fault.isRemoved ? "removed" : "found"): \(fault.kind.meaning): "
                    + PictureSource.displayName(fault.key ?? fault.path),
                [
                    .init("fault", .string(fault.kind.rawValue)), .init("key", JSONValue(fault.key)),
                    .init("path", .string(fault.path)), .init("removed", .bool(fault.isRemoved)),
                ])
        }
        let amount = CacheAmount(count: result.entryCount, byteCount: result.byteCount)
        let removed = result.faults.count { $0.isRemoved }
        job.print(
            "checked \(amount.text): \(summary(result.faults.count, removed))",
            amount.members + [
                .init("faults", .integer(result.faults.count)), .init("removedFaults", .integer(removed)),
            ])
        return ExitStatus(failureCount: result.faults.count - removed)
    }

    private static func summary(_ count: Int, _ removed: Int) -> String {
        if count == 0 { return "nothing wrong" }
        if removed == count { return "\(Quantity.count(count, "fault")), all removed" }
        return "\(Quantity.count(count, "fault")), \(removed) removed"
    }
}

extension DiskVerification.Kind {
    fileprivate var meaning: String {
        switch self {
        case .damaged: "damaged, not what was stored"
        case .withoutMetadata: "no metadata, no key finds it"
        case .wrongName: "another picture's entry under this name"
        case .forgotten: "left by a process that died"
        case .unreadable: "cannot be read"
        }
    }
}
