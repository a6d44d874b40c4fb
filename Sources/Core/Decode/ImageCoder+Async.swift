import Synchronization
public import WebImageFoundation

// The long work of a coder for code that awaits it: off Swift's cooperative pool, and ended with the task.
extension ImageCoder {
    /// The picture, decoded on a thread of the system while the task waits.
    ///
    /// So many pieces of work as there are processor cores run at once, those of tasks of higher priority first.
    ///
    /// - Throws: As of `decode(_:options:monitor:)`. When the task is cancelled, `cancelled`: at once where the decode
    ///   has not begun, and else when the coder asks the next time.
    public func image(
        from data: Data, options: DecodeOptions = DecodeOptions()
    ) async throws(ImageError) -> DecodedImage {
        try await CoderWork.run(.decode) { (isCancelled) throws(ImageError) in
            try decode(
                data, options: options, monitor: DecodeMonitor(limits: options.limits, isCancelled: isCancelled))
        }
    }

    /// The picture as a file, encoded on a thread of the system while the task waits.
    ///
    /// - Throws: As of `encode(_:to:options:monitor:)`; `cancelled` as of `image(from:options:)`.
    public func data(
        of image: DecodedImage, as format: ImageFormat, options: EncodeOptions = EncodeOptions()
    ) async throws(ImageError) -> Data {
        try await CoderWork.run(.store) { (isCancelled) throws(ImageError) in
            try encode(image, to: format, options: options, monitor: DecodeMonitor(isCancelled: isCancelled))
        }
    }
}

extension AnimatedImageCoder {
    /// The frames as an animated file, encoded on a thread of the system while the task waits. They are asked for on
    /// that thread.
    ///
    /// - Throws: As of `encode(_:to:options:)` of frames. When the task is cancelled, `cancelled`, before the next
    ///   frame.
    public func data(
        of frames: any FrameSource, as format: ImageFormat, options: EncodeOptions = EncodeOptions()
    ) async throws(ImageError) -> Data {
        try await CoderWork.run(.store) { (isCancelled) throws(ImageError) in
            let watched = frames.watched(by: DecodeMonitor(isCancelled: isCancelled))
            return try encode(watched, to: format, options: options)
        }
    }
}

/// The one queue of such work.
private enum CoderWork {
    private static let queue = StageQueue(.decode, limit: ProcessInfo.processInfo.activeProcessorCount)

    static func run<Value: Sendable>(
        _ stage: LoadStage, _ work: @escaping @Sendable (@escaping @Sendable () -> Bool) throws(ImageError) -> Value
    ) async throws(ImageError) -> Value {
        let operation = CurrentOperation(priority: LoadPriority(Task.currentPriority))
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.run(for: operation, stage: stage) {
                    Result { () throws(ImageError) in try work { operation.isCancelled } }
                } completion: {
                    continuation.resume(returning: $0)
                }
            }
        } onCancel: {
            operation.cancel()
        }
        do throws(ImageError) {
            return try result.get()
        } catch {
            // A monitor does not know for what it is asked.
            throw error.isCancelled ? .cancelled(stage) : error
        }
    }
}

extension LoadPriority {
    fileprivate init(_ priority: TaskPriority) {
        self = priority > .medium ? .high : priority < .medium ? .low : .normal
    }
}
