import Foundation
import Synchronization
import Testing
import WebImageCore
import WebImagePixels
import WebImageTesting

/// Decoding and encoding for code that awaits it.
@Suite struct CoderAsyncTests {
    @Test func thePictureIsTheSame() async throws {
        let data = try fixture("halo_16.png")
        let image = try await coders.image(from: data)
        #expect(try image.pixels.hasSameBytes(as: coders.decode(data).pixels))
        let small = try await coders.image(from: data, options: .thumbnail(4, 4))
        #expect(small.pixelSize == PixelSize(4, 4))
        for format in [ImageFormat.png, .jpeg, .webP, .gif] {
            let file = try await coders.data(of: image, as: format)
            #expect(try file == coders.encode(image, to: format))
        }
        let frames = try coders.frames(of: fixture("gif_prev_chain.gif"))
        let animation = try await coders.data(of: frames, as: .webP)
        #expect(try coders.probe(animation).frameCount == 4)
    }

    @Test func errorsAreThoseOfTheCoder() async throws {
        let bomb = try fixture("bomb_50000.png")
        #expect(await failure { _ = try await coders.image(from: bomb) }?.code == .limitExceeded)
        #expect(await failure { _ = try await coders.image(from: Data()) }?.code == .badImageData)
        let image = try decoded("halo_16.png")
        #expect(await failure { _ = try await coders.data(of: image, as: .pdf) }?.code == .encodingFailed)
    }

    @Test("a task that is cancelled half-way ends at the coder's next question")
    func cancelledHalfWay() async throws {
        let coder = EndlessCoder()
        let image = try decoded("halo_16.png")
        for isDecode in [true, false] {
            let task = Task {
                await failure {
                    if isDecode {
                        _ = try await coder.image(from: Data([1]))
                    } else {
                        _ = try await coder.data(of: image, as: .png)
                    }
                }
            }
            await coder.began.waitForArrivals(isDecode ? 1 : 2)
            task.cancel()
            let error = await task.value
            #expect(error?.isCancelled == true && error?.stage == (isDecode ? .decode : .store))
        }
    }

    @Test("a task that was cancelled before does no work")
    func cancelledBefore() async throws {
        let coder = EndlessCoder()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure { _ = try await coder.image(from: Data([1])) }
        }
        #expect(await task.value?.isCancelled == true)
        #expect(coder.began.arrivalCount == 0)
    }

    @Test("an animation that is cancelled asks for no further frame")
    func cancelledAnimation() async throws {
        let frames = EndlessFrames(image: try decoded("halo_16.png"))
        let task = Task { await failure { _ = try await coders.data(of: frames, as: .gif) } }
        await frames.began.waitForArrivals(10)
        task.cancel()
        #expect(await task.value?.isCancelled == true)
    }

    private func failure(of work: () async throws -> Void) async -> ImageError? {
        do {
            try await work()
            return nil
        } catch {
            return error as? ImageError
        }
    }

    // MARK: What encoders ask

    @Test("a cancelled encode ends, wherever it is", arguments: [ImageFormat.jpeg, .png, .webP, .gif], [0.5, 1])
    func cancelledEncodes(_ format: ImageFormat, _ quality: Double) throws {
        let image = try picture(PixelSize(64, 256), alpha: .opaque) { x, y in
            PixelColor(UInt8(x * 4), UInt8(y), UInt8((x * y) & 255))
        }
        let options = EncodeOptions(quality: quality)
        let patient = Questions(patience: .max)
        let file = try coders.encode(image, to: format, options: options, monitor: patient.monitor)
        #expect(try file == coders.encode(image, to: format, options: options))
        let count = patient.count
        #expect(count >= 4)
        for patience in Set([0, 1, count / 2, count - 1]) {
            let questions = Questions(patience: patience)
            let error = CodersTests.failure {
                _ = try coders.encode(image, to: format, options: options, monitor: questions.monitor)
            }
            #expect(error?.code == .cancelled, "\(patience) of \(count)")
            #expect(questions.count == patience + 1)
        }
    }
}

/// Says from some question on that nobody waits any more.
private final class Questions: Sendable {
    private let patience: Int
    private let asked = Atomic<Int>(0)

    init(patience: Int) {
        self.patience = patience
    }

    var count: Int { asked.load(ordering: .relaxed) }

    var monitor: DecodeMonitor {
        DecodeMonitor { [self] in asked.wrappingAdd(1, ordering: .relaxed).newValue > patience }
    }
}

/// Asks its monitor for ever.
private final class EndlessCoder: ImageCoder {
    let began = Gate(isOpen: true)

    func canDecode(_ data: Data) -> Bool { true }

    func probe(_ data: Data) throws(ImageError) -> ImageProbe {
        ImageProbe(format: .png, size: PixelSize(1, 1))
    }

    func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        began.waitBlocking()
        while true { try monitor.check() }
    }

    func encode(
        _ image: DecodedImage, to format: ImageFormat, options: EncodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> Data {
        began.waitBlocking()
        while true { try monitor.check() }
    }
}

private final class EndlessFrames: FrameSource {
    let image: DecodedImage
    let began = Gate(isOpen: true)

    init(image: DecodedImage) {
        self.image = image
    }

    let frameCount = 1_000_000
    let loopCount = 0
    var durations: [Duration] { Array(repeating: .milliseconds(100), count: frameCount) }

    func frame(at index: Int) throws(ImageError) -> DecodedImage {
        began.waitBlocking()
        return image
    }
}
