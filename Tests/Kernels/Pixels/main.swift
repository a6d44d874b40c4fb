// Compiled together with Sources/Pixels, as Embedded Swift, once for this processor and once for Arm: Scripts/kernels
// compares what the two print. Whatever Pixels does must give the same bytes on every processor.

/// Sebastiano Vigna's splitmix64: the same numbers everywhere.
struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func side() -> Int { Int.random(in: 0...5, using: &self) == 0 ? 1 : .random(in: 1...70, using: &self) }

    mutating func color() -> PixelColor {
        let value = next()
        return PixelColor(
            UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8),
            UInt8(truncatingIfNeeded: value >> 16), value >> 62 == 0 ? 255 : UInt8(truncatingIfNeeded: value >> 24))
    }

    mutating func picture(_ format: PixelFormat, _ alpha: AlphaMode) -> PixelBuffer {
        picture(PixelSize(side(), side()), format, alpha)
    }

    mutating func picture(_ size: PixelSize, _ format: PixelFormat, _ alpha: AlphaMode) -> PixelBuffer {
        var result = PixelBuffer(size: size, layout: .init(format: format, alpha: .straight)).unsafelyUnwrapped
        result.withUnsafeMutableBytes { bytes in
            for place in 0..<size.width * size.height {
                let color = color()
                let pixel = SIMD4(color.red, color.green, color.blue, alpha == .opaque ? 255 : color.alpha)
                switch format {
                case .rgba8: bytes.storeBytes(of: pixel, toByteOffset: place * 4, as: SIMD4<UInt8>.self)
                case .rgbaHalf:
                    bytes.storeBytes(
                        of: SIMD4<Float16>(SIMD4<Float>(pixel) / 255), toByteOffset: place * 8, as: SIMD4<Float16>.self)
                }
            }
        }
        guard alpha == .opaque else { return result.withAlpha(alpha) }
        result.alpha = .opaque
        return result
    }
}

/// The hash of Fowler, Noll and Vo over everything that one kind of work gives.
struct Digest: Equatable {
    private var value: UInt64 = 0xCBF2_9CE4_8422_2325
    private var count = 0

    init() {}

    init(of picture: PixelBuffer?) { add(picture) }

    mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }

    mutating func add(_ number: Double) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            add(UInt8(truncatingIfNeeded: number.bitPattern >> shift))
        }
    }

    mutating func add(_ color: PixelColor) {
        for byte in [color.red, color.green, color.blue, color.alpha] { add(byte) }
    }

    mutating func add(_ picture: PixelBuffer?) {
        count += 1
        guard let picture else { return add(UInt8(0)) }
        add(Double(picture.width))
        picture.withUnsafeBytes { bytes in for byte in bytes { add(byte) } }
    }

    func show(_ name: StaticString) {
        print(name, terminator: " ")
        print(String(value, radix: 16), terminator: " of ")
        print(count)
    }
}

let formats: [(PixelFormat, AlphaMode)] = [
    (.rgba8, .premultiplied), (.rgba8, .straight), (.rgba8, .opaque), (.rgbaHalf, .premultiplied),
    (.rgbaHalf, .opaque),
]

/// Stops the program, which is how a wrong result shows.
func expect(_ isGood: Bool, _ what: StaticString) {
    guard !isGood else { return }
    print(what, terminator: ": paths differ\n")
    fatalError()
}

/// Every path of this processor against the portable one; only what all processors have goes into the digest.
func resample() {
    var (numbers, digest) = (Numbers(state: 1), Digest())
    for round in 0..<600 {
        let (format, alpha) = formats[round % formats.count]
        let source = numbers.picture(format, alpha)
        let target = PixelSize(numbers.side(), numbers.side())
        let filter = ResamplingFilter.allCases[round / 5 % ResamplingFilter.allCases.count]
        let resampling = Resampling(filter, light: round % 3 == 0 ? .linear : .encoded)
        let portable = source.resized(to: target, part: nil, resampling: resampling, on: .portable)
        digest.add(portable)
        for path in ResamplingPath.available {
            let other = source.resized(to: target, part: nil, resampling: resampling, on: path)
            expect(Digest(of: other) == Digest(of: portable), "resampling")
        }
    }
    digest.show("resampling")
}

/// Copies of bytes, exactly as many, at a place where only samples of so many bytes may begin.
func withOddCopy(of bytes: UnsafeRawBufferPointer, _ sample: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count + sample, alignment: 1)
    defer { memory.deallocate() }
    let odd = UnsafeMutableRawBufferPointer(rebasing: memory[sample...])
    odd.copyMemory(from: bytes)
    body(odd)
}

/// Rows that lie each for itself are the rows of a picture.
func takeRows() {
    var (numbers, digest) = (Numbers(state: 7), Digest())
    for round in 0..<300 {
        let (format, alpha) = formats[round % 3 == 1 ? 0 : round % formats.count]
        let source = numbers.picture(format, alpha)
        let target = PixelSize(numbers.side(), numbers.side())
        let wanted = source.resized(to: target, part: nil, resampling: .lanczos3, on: .portable)
        guard target != source.size else { continue }
        for path in ResamplingPath.available {
            guard
                var sink = ResamplingSink(
                    source.size, ImageRect(source.size), target, .lanczos3, source.layout, on: path)
            else { fatalError() }
            for y in 0..<source.height {
                source.withUnsafeRow(y) { row in
                    withOddCopy(of: row, format.bytesPerPixel / 4) { sink.take(UnsafeRawBufferPointer($0)) }
                }
            }
            let other = sink.finish()
            expect(Digest(of: other) == Digest(of: wanted), "rows")
        }
        digest.add(wanted)
    }
    digest.show("rows")
}

/// Multiplying by alpha is its definition, wherever the pixels lie.
func multiply() {
    var (numbers, digest) = (Numbers(state: 8), Digest())
    for _ in 0..<300 {
        let source = numbers.picture(.rgba8, .straight)
        source.withUnsafeBytes { bytes in
            withOddCopy(of: bytes, 1) { pixels in
                premultiply(pixels)
                for place in bytes.indices {
                    let alpha = place % 4 == 3 ? 255 : Int(bytes[place | 3])
                    expect(Int(pixels[place]) == (Int(bytes[place]) * alpha * 2 + 255) / 510, "premultiplying")
                }
                unpremultiply(pixels)
                for byte in pixels { digest.add(byte) }
            }
        }
    }
    digest.show("multiplying")
}

func blur() {
    var (numbers, digest) = (Numbers(state: 2), Digest())
    for round in 0..<200 {
        let (format, alpha) = formats[round % formats.count]
        let picture = numbers.picture(format, alpha)
        let radius = Double.random(in: 0.2...12, using: &numbers)
        digest.add(picture.blurred(radius: radius, .best))
        digest.add(picture.blurred(radius: radius, .baseline))
        digest.add(picture.filtered(.sharpen(radius: radius, amount: 1.5)))
    }
    digest.show("blurring")
}

func turn() {
    var (numbers, digest) = (Numbers(state: 3), Digest())
    for round in 0..<200 {
        let (format, alpha) = formats[round % formats.count]
        let picture = numbers.picture(format, alpha)
        digest.add(picture.rotated(by: .random(in: -7...7, using: &numbers), canvas: round % 2 == 0 ? .fit : .clip))
        digest.add(picture.upright(from: Orientation.allCases[round % Orientation.allCases.count]))
        digest.add(picture.flipped(FlipDirections(rawValue: round % 4)))
    }
    digest.show("turning")
}

func filter() {
    var (numbers, digest) = (Numbers(state: 4), Digest())
    for round in 0..<100 {
        let (format, alpha) = formats[round % formats.count]
        let picture = numbers.picture(format, alpha)
        let number = Double.random(in: 0...3, using: &numbers)
        let filters: [ImageFilter] = [
            .colorControls(brightness: number - 1, contrast: number, saturation: number), .grayscale,
            .sepia(intensity: number), .invert, .hue(radians: number), .gamma(power: number),
            .pixellate(size: number * 4), .vignette(radius: number, intensity: number),
        ]
        for filter in filters { digest.add(picture.filtered(filter)) }
    }
    digest.show("filters")
}

func blend() {
    var (numbers, digest) = (Numbers(state: 5), Digest())
    for round in 0..<280 {
        let (format, alpha) = formats[round % formats.count]
        let picture = numbers.picture(format, alpha)
        digest.add(picture.tinted(numbers.color(), blendMode: BlendMode.allCases[round % BlendMode.allCases.count]))
        digest.add(picture.withRoundCorners(radius: .random(in: 0...40, using: &numbers)))
        digest.add(picture.circle(border: ImageBorder(width: 2, color: numbers.color())))
        digest.add(picture.withAlpha(.straight).withAlpha(.premultiplied))
    }
    digest.show("blending")
}

func look() {
    var (numbers, digest) = (Numbers(state: 6), Digest())
    for round in 0..<60 {
        let (format, alpha) = formats[round % formats.count]
        let picture = numbers.picture(format, alpha)
        for color in picture.dominantColors(count: 5) { digest.add(color) }
        for byte in BlurHash(of: picture).text.utf8 { digest.add(byte) }
        digest.add(BlurHash(of: picture).pixels(size: PixelSize(12, 9)))
        digest.add(ThumbHash(of: picture).pixels())
        for interest in CropInterest.allCases {
            guard let part = picture.interestingPart(shape: PixelSize(3, 2), interest) else { continue }
            for number in [part.x, part.y, part.width, part.height] { digest.add(number) }
        }
    }
    digest.show("looking")
}

resample()
takeRows()
multiply()
blur()
turn()
filter()
blend()
look()
