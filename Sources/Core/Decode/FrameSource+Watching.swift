extension FrameSource {
    /// The same frames. Before each the monitor is asked whether to go on, so that work on a whole animation ends in
    /// the middle: `frame(at:)` then throws `cancelled`, or `limitExceeded` when the time for all frames is up.
    public func watched(by monitor: DecodeMonitor) -> any FrameSource {
        WatchedFrames(frames: self, monitor: monitor)
    }
}

/// Frames that nobody waits for any more are not given.
private struct WatchedFrames: FrameSource {
    let frames: any FrameSource
    let monitor: DecodeMonitor

    var frameCount: Int { frames.frameCount }
    var loopCount: Int { frames.loopCount }
    var durations: [Duration] { frames.durations }

    func frame(at index: Int) throws(ImageError) -> DecodedImage {
        try monitor.check()
        return try frames.frame(at: index)
    }
}
