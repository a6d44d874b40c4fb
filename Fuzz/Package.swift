// swift-tools-version: 6.2
import PackageDescription

// One libFuzzer target for each coder, and what else is given bytes from outside. Scripts/fuzz builds and runs them;
// `swift build` alone lacks the sanitizers.
let package = Package(
    name: "swift-webimage-fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-webimage", path: "..")],
    targets: [
        .target(
            name: "FuzzHarness",
            dependencies: [
                .product(name: "WebImageCore", package: "swift-webimage"),
                .product(name: "WebImagePixels", package: "swift-webimage"),
            ]
        ),
        .executableTarget(
            name: "FuzzJPEG",
            dependencies: ["FuzzHarness", .product(name: "WebImageJPEG", package: "swift-webimage")]
        ),
        .executableTarget(
            name: "FuzzPNG",
            dependencies: ["FuzzHarness", .product(name: "WebImagePNG", package: "swift-webimage")]
        ),
        .target(name: "PNGOracle", linkerSettings: [.linkedLibrary("png"), .linkedLibrary("z")]),
        .executableTarget(
            name: "FuzzPNGRows",
            dependencies: [
                "PNGOracle",
                .product(name: "WebImageCore", package: "swift-webimage"),
                .product(name: "WebImagePNG", package: "swift-webimage"),
            ]
        ),
        .executableTarget(
            name: "FuzzPNGInflate",
            dependencies: [.product(name: "WebImagePNG", package: "swift-webimage")],
            linkerSettings: [.linkedLibrary("z")]
        ),
        .executableTarget(
            name: "FuzzGIF",
            dependencies: ["FuzzHarness", .product(name: "WebImageGIF", package: "swift-webimage")]
        ),
        .executableTarget(
            name: "FuzzWebP",
            dependencies: ["FuzzHarness", .product(name: "WebImageWebP", package: "swift-webimage")]
        ),
        .executableTarget(
            name: "FuzzAVIF",
            dependencies: ["FuzzHarness", .product(name: "WebImageAVIF", package: "swift-webimage")]
        ),
        .executableTarget(
            name: "FuzzHEIF",
            dependencies: ["FuzzHarness", .product(name: "WebImageHEIF", package: "swift-webimage")]
        ),
        .executableTarget(
            name: "FuzzJXL",
            dependencies: ["FuzzHarness", .product(name: "WebImageJXL", package: "swift-webimage")]
        ),
        .executableTarget(
            name: "FuzzTIFF",
            dependencies: ["FuzzHarness", .product(name: "WebImageTIFF", package: "swift-webimage")]
        ),
        .executableTarget(
            name: "FuzzSVG",
            dependencies: ["FuzzHarness", .product(name: "WebImageSVG", package: "swift-webimage")]
        ),
        .executableTarget(
            name: "FuzzBMP",
            dependencies: [
                "FuzzHarness", .product(name: "WebImageBMP", package: "swift-webimage"),
                .product(name: "WebImagePNG", package: "swift-webimage"),
            ]
        ),
        .executableTarget(
            name: "FuzzGdkPixbuf",
            dependencies: ["FuzzHarness", .product(name: "WebImageGdkPixbuf", package: "swift-webimage")]
        ),
        .executableTarget(
            name: "FuzzEncoders",
            dependencies: ["AVIF", "BMP", "Core", "GIF", "HEIF", "JPEG", "PNG", "Pixels", "WebP"].map {
                .product(name: "WebImage\($0)", package: "swift-webimage")
            }
        ),
        .executableTarget(
            name: "FuzzMetadata",
            dependencies: [.product(name: "WebImageCore", package: "swift-webimage")]
        ),
    ]
)
