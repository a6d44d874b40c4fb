import WebImageCore
import WebImageFoundation
import WebImagePixels

/// Makes files of frames that are pulled one by one; it holds three of them at most.
struct GIFEncoding {
    private let options: EncodeOptions
    private let monitor: DecodeMonitor

    init(_ options: EncodeOptions, _ monitor: DecodeMonitor = DecodeMonitor()) {
        self.options = options
        self.monitor = monitor
    }

    func data(of frames: any FrameSource) throws(ImageError) -> Data {
        let first = try frames.frame(at: 0)
        if options.firstFrameOnly, frames.frameCount > 1 { return try data(of: GIFStill(first)) }
        let search = EncodeSearch(first.pixelSize, to: .gif, options: options)
        return try search.data(hasQuality: false) { attempt throws(ImageError) in
            try data(of: frames, first, attempt.size)
        }
    }

    private func data(
        of frames: any FrameSource, _ first: DecodedImage, _ size: PixelSize
    ) throws(ImageError) -> Data {
        let durations = try frames.durationOfEach()
        var writer = GIFWriter(size)
        writer.writeApplications(options.metadata)
        let playCount = options.loopCount ?? frames.loopCount
        // A file that says nothing plays once, and one that says n plays n + 1 times.
        if frames.frameCount > 1, playCount != 1 { writer.writeLoop(count: min(max(1, playCount) - 1, 0xFFFF)) }
        try monitor.check()
        var current = try GIFPicture(first, size)
        var onCanvas = GIFPicture(size)
        var clock = GIFDelays()
        for index in 0..<frames.frameCount {
            let next = index + 1 < frames.frameCount ? try picture(index + 1, frames, first.pixelSize, size) : nil
            try monitor.check()
            let delay = clock.delay(of: durations[index])
            // What the next frame has no pixel for must go first; then all goes, and that frame is written in full.
            let isCleared = next.map(current.losesPixels) ?? false
            let isWhole = isCleared || index == 0
            let difference = isWhole ? nil : current.difference(to: onCanvas)
            let columns = isWhole ? 0..<size.width : difference?.columns ?? 0..<1
            let rows = isWhole ? 0..<size.height : difference?.rows ?? 0..<1
            let part = current.part(columns: columns, rows: rows, without: onCanvas)
            let indexing = GIFIndexing(part)
            try monitor.check()
            writer.write(
                indexing, at: (columns.lowerBound, rows.lowerBound), part.size,
                frames.frameCount == 1 ? nil : GIFWriter.Control(delay: delay, isCleared: isCleared))
            onCanvas = isCleared ? GIFPicture(size) : current
            if let next { current = next }
        }
        return writer.finish()
    }

    private func picture(
        _ index: Int, _ frames: any FrameSource, _ expected: PixelSize, _ size: PixelSize
    ) throws(ImageError) -> GIFPicture {
        let image = try frames.frame(at: index)
        guard image.pixelSize == expected else {
            throw ImageError(
                .encodingFailed, .store,
                "frame \(index) is \(image.pixelSize) and the first is \(expected); a gif needs frames of one size")
        }
        return try GIFPicture(image, size)
    }
}
