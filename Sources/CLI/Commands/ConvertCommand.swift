import WebImage
import WebImageFoundation

extension Command {
    static let convert = Command(
        name: "convert",
        summary: "Convert one picture or animation into another format.",
        operands: "IN OUT",
        paragraphs: [
            "IN is a file, a URL, or - for standard input. The ending of OUT decides what is written: png, jpg, "
                + "jpeg, webp, gif, avif, heic, bmp, or rgba for the bare pixels (rows from top to bottom, each pixel "
                + "red, green, blue, alpha, one byte each, alpha straight). OUT may be - for standard output; --format "
                + "then says what.",
            "An animation stays one where OUT is gif, png or webp, with its times and passes; its frames are read and "
                + "written one by one. Otherwise its first frame is taken.",
            "--thumbnail comes first; --resize, --crop and all that changes the picture, and each frame of an "
                + "animation, follow in the order in which they stand, as often as they do.",
            "The picture is turned upright, and its colours are converted to sRGB unless --colour says otherwise. OUT "
                + "appears whole or not at all.",
        ],
        options: [
            ValueOption.frame.declaration, ValueOption.quality.declaration, ValueOption.thumbnail.declaration,
        ] + ChangeOption.declarations + [
            ValueOption.filter.declaration, .linear, ValueOption.color.declaration, ValueOption.target.declaration,
            .insecure,
        ],
        examples: [
            Example("webimage convert photo.jpg photo.webp --quality 80", "Makes a WebP of a JPEG."),
            Example("webimage convert animation.gif third.png --frame 2", "Takes the third frame."),
            Example(
                "webimage convert animation.gif small.webp --thumbnail 100x100", "Makes a smaller animation of one."),
            Example(
                "webimage convert face.jpg face.png --crop 300x300+40+10 --resize 96x96 --circle",
                "Cuts out a part, makes it smaller and round."),
            Example(
                "webimage convert - - --format jpeg --resize 200x200:aspect-fill <in.png >out.jpg",
                "Works in a pipe."),
        ],
        run: { (arguments, console) async throws(UsageError) in
            let conversion = try Conversion(arguments)
            do throws(ImageError) {
                try await conversion.run(console)
                return .success
            } catch {
                if !error.isCancelled { console.report(Failure(error, of: conversion.failing(error))) }
                return .failure
            }
        })
}

extension ValueOption<Int> {
    static var frame: Self {
        Self(
            "--frame", placeholder: "N",
            help: "Take this frame of an animation, from 0, and not all of them; of a TIFF or HEIC, this page.",
            hint: "from 0 on"
        ) { text in
            Int(text).flatMap { $0 >= 0 ? $0 : nil }
        }
    }
}

extension ValueOption<Double> {
    static var quality: Self {
        Self(
            "--quality", placeholder: "Q",
            help: "For jpeg, webp, avif and heic: from 0, small, to 100, good; or a fraction such as 0.8. Default 90.",
            hint: "from 0 to 100"
        ) { text in
            guard let number = Double(text), number >= 0 else { return nil }
            let fraction = text.contains(".") && number <= 1 ? number : number / 100
            return fraction <= 1 ? fraction : nil
        }
    }
}

extension ValueOption<DecodeOptions.ColorConversion> {
    static var color: Self {
        Self(
            "--colour", placeholder: "HOW",
            help: "srgb applies the file's colour profile, the default; none keeps its samples as they are.",
            hint: "srgb or none"
        ) { text in
            switch text {
            case "srgb": .sRGB
            case "none": DecodeOptions.ColorConversion.none
            default: nil
            }
        }
    }
}

extension ValueOption<Conversion.Target> {
    static var target: Self {
        Self(
            "--format", placeholder: "FORMAT",
            help: "Write png, jpeg, webp, gif, avif, heic, bmp or rgba, whatever OUT ends in.",
            hint: "of png, jpeg, webp, gif, avif, heic, bmp and rgba"
        ) { Conversion.Target(name: $0) }
    }
}
