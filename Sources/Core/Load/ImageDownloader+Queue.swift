import Synchronization

extension ImageDownloader: Downloading {
    func enqueue(_ download: Download, _ priority: LoadPriority) {
        let host = download.host
        state.withLock { state in
            state.waiting[download.id] = download
            state.queue.enqueue(download.id, host: host, priority: priority)
        }
        startAdmitted()
    }

    func startAdmitted() {
        let admitted: [Download] = state.withLock { state in
            guard !state.isSuspended else { return [] }
            return state.queue.admit().compactMap { state.waiting.removeValue(forKey: $0) }
        }
        for download in admitted { download.begin(on: transport) }
    }

    func setPriority(_ priority: LoadPriority, of download: Download) {
        state.withLock { $0.queue.setPriority(priority, of: download.id) }
    }

    func noteMultiplexed(_ download: Download) {
        let host = download.host
        state.withLock { $0.queue.noteMultiplexed(host: host) }
        startAdmitted()
    }

    func withdraw(_ download: Download) -> Bool {
        state.withLock { state in
            state.waiting[download.id] = nil
            return state.queue.remove(download.id)
        }
    }

    func requeue(_ download: Download) {
        let (host, priority) = (download.host, download.priority)
        state.withLock { state in
            state.waiting[download.id] = download
            state.queue.requeue(download.id, host: host, priority: priority)
        }
        // It may have changed before there was a place for it to change.
        setPriority(download.priority, of: download)
        startAdmitted()
    }

    func release(_ download: Download) {
        state.withLock { $0.queue.finished(download.id) }
        startAdmitted()
    }
}
