// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// For targets that touch memory or C by hand: each such place is marked `unsafe`.
let strictSettings: [SwiftSetting] = settings + [.strictMemorySafety()]

let package = Package(
    name: "swift-webimage",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "WebImage", targets: ["WebImage"]),
        .library(name: "WebImageAllFormats", targets: ["WebImageAllFormats"]),
        .library(name: "WebImagePixels", targets: ["WebImagePixels"]),
        .library(name: "WebImageColor", targets: ["WebImageColor"]),
        .library(name: "WebImageCore", targets: ["WebImageCore"]),
        .library(name: "WebImageCurl", targets: ["WebImageCurl"]),
        .library(name: "WebImageJPEG", targets: ["WebImageJPEG"]),
        .library(name: "WebImagePNG", targets: ["WebImagePNG"]),
        .library(name: "WebImageGIF", targets: ["WebImageGIF"]),
        .library(name: "WebImageWebP", targets: ["WebImageWebP"]),
        .library(name: "WebImageAVIF", targets: ["WebImageAVIF"]),
        .library(name: "WebImageHEIF", targets: ["WebImageHEIF"]),
        .library(name: "WebImageJXL", targets: ["WebImageJXL"]),
        .library(name: "WebImageTIFF", targets: ["WebImageTIFF"]),
        .library(name: "WebImageSVG", targets: ["WebImageSVG"]),
        .library(name: "WebImageBMP", targets: ["WebImageBMP"]),
        .library(name: "WebImageGdkPixbuf", targets: ["WebImageGdkPixbuf"]),
        .library(name: "WebImageDrawing", targets: ["WebImageDrawing"]),
        .library(name: "WebImageTesting", targets: ["WebImageTesting"]),
        .executable(name: "webimage", targets: ["WebImageTool"]),
    ],
    targets: [
        // What a user imports.
        .target(
            name: "WebImage",
            dependencies: [
                "WebImageCore", "WebImageCurl", "WebImageJPEG", "WebImagePNG", "WebImageGIF", "WebImageWebP",
                "WebImageAVIF", "WebImageFoundation",
            ],
            path: "Sources/WebImage",
            swiftSettings: settings
        ),
        .target(
            name: "WebImageAllFormats",
            dependencies: [
                "WebImage", "WebImageCore", "WebImageJPEG", "WebImagePNG", "WebImageGIF", "WebImageWebP",
                "WebImageAVIF", "WebImageHEIF", "WebImageJXL", "WebImageTIFF", "WebImageSVG", "WebImageBMP",
                "WebImageGdkPixbuf",
            ],
            path: "Sources/AllFormats",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "WebImageTool",
            dependencies: ["WebImage", "WebImageAllFormats"],
            path: "Sources/CLI",
            swiftSettings: settings
        ),

        // The path.
        .target(
            name: "WebImageCore",
            dependencies: [
                "WebImagePixels", "WebImageColor", "WebImageFoundation", "CWebImageCrypto", "CWebImageSystem",
            ],
            path: "Sources/Core",
            swiftSettings: strictSettings
        ),
        .target(
            name: "WebImagePixels",
            dependencies: ["CWebImageKernels"],
            path: "Sources/Pixels",
            swiftSettings: strictSettings
        ),
        .target(
            name: "WebImageColor",
            dependencies: ["WebImageFoundation", "CWebImageLCMS"],
            path: "Sources/Color",
            swiftSettings: strictSettings
        ),
        .target(name: "WebImageFoundation", path: "Sources/Foundation", swiftSettings: settings),

        // Transports.
        .target(
            name: "WebImageCurl",
            dependencies: ["WebImageCore", "CWebImageCurl"],
            path: "Sources/Loaders/Curl",
            swiftSettings: strictSettings
        ),

        // Coders.
        .target(
            name: "WebImageJPEG",
            dependencies: ["WebImageCore", "WebImageColor", "CWebImageJPEG"],
            path: "Sources/Coders/JPEG",
            swiftSettings: strictSettings
        ),
        .target(
            name: "WebImagePNG",
            dependencies: ["WebImageCore", "WebImageColor", "CWebImagePNG"],
            path: "Sources/Coders/PNG",
            swiftSettings: strictSettings
        ),
        .target(
            name: "WebImageGIF",
            dependencies: ["WebImageCore", "WebImageColor"],
            path: "Sources/Coders/GIF",
            swiftSettings: strictSettings
        ),
        .target(
            name: "WebImageWebP",
            dependencies: ["WebImageCore", "WebImageColor", "CWebImageWebP"],
            path: "Sources/Coders/WebP",
            swiftSettings: strictSettings
        ),
        .target(
            name: "WebImageAVIF",
            dependencies: ["WebImageCore", "WebImageColor", "CWebImageAVIF"],
            path: "Sources/Coders/AVIF",
            swiftSettings: strictSettings
        ),
        .target(
            name: "WebImageHEIF",
            dependencies: ["WebImageCore", "WebImageColor", "CWebImageHEIF"],
            path: "Sources/Coders/HEIF",
            swiftSettings: strictSettings
        ),
        .target(
            name: "WebImageJXL",
            dependencies: ["WebImageCore", "WebImageColor", "CWebImageJXL"],
            path: "Sources/Coders/JXL",
            swiftSettings: strictSettings
        ),
        .target(
            name: "WebImageTIFF",
            dependencies: ["WebImageCore", "WebImageColor", "CWebImageTIFF"],
            path: "Sources/Coders/TIFF",
            swiftSettings: strictSettings
        ),
        .target(
            name: "WebImageSVG",
            dependencies: ["WebImageCore", "CWebImageRSVG"],
            path: "Sources/Coders/SVG",
            swiftSettings: strictSettings
        ),
        .target(
            name: "WebImageBMP",
            dependencies: ["WebImageCore", "WebImageColor"],
            path: "Sources/Coders/BMP",
            swiftSettings: strictSettings
        ),
        .target(
            name: "WebImageGdkPixbuf",
            dependencies: ["WebImageCore", "CWebImageGdkPixbuf"],
            path: "Sources/Coders/GdkPixbuf",
            swiftSettings: strictSettings
        ),

        // Shapes, pictures and text drawn onto a picture.
        .target(
            name: "WebImageDrawing",
            dependencies: ["WebImageCore", "WebImagePixels", "CWebImagePangoCairo"],
            path: "Sources/Drawing",
            swiftSettings: strictSettings
        ),

        // Test doubles for users of the library and for its own tests.
        .target(
            name: "WebImageTesting",
            dependencies: ["WebImageCore", "CWebImageSpawn"],
            path: "Sources/Testing",
            swiftSettings: settings
        ),

        // C libraries, a shim where Swift cannot reach one, and loops for processors that Swift cannot ask for.
        .target(name: "CWebImageKernels", path: "Sources/C/Kernels"),
        .systemLibrary(
            name: "CWebImageLibcurl",
            path: "Sources/C/Curl/System",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]
        ),
        .target(
            name: "CWebImageCurl",
            dependencies: ["CWebImageLibcurl"],
            path: "Sources/C/Curl/Shim",
            // Of libcurl's own dependencies the one that the shim calls itself.
            linkerSettings: [.linkedLibrary("z")]
        ),
        .systemLibrary(
            name: "CWebImageCrypto",
            path: "Sources/C/Crypto",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
        ),
        .systemLibrary(name: "CWebImageSystem", path: "Sources/C/System"),
        .systemLibrary(name: "CWebImageSpawn", path: "Sources/C/Spawn"),
        .systemLibrary(
            name: "CWebImageLCMS",
            path: "Sources/C/LCMS",
            pkgConfig: "lcms2",
            providers: [.apt(["liblcms2-dev"]), .brew(["little-cms2"])]
        ),
        .systemLibrary(
            name: "CWebImageLibjpeg",
            path: "Sources/C/JPEG/System",
            pkgConfig: "libjpeg",
            providers: [.apt(["libjpeg62-turbo-dev"]), .brew(["jpeg-turbo"])]
        ),
        .target(name: "CWebImageJPEG", dependencies: ["CWebImageLibjpeg"], path: "Sources/C/JPEG/Shim"),
        .systemLibrary(
            name: "CWebImageLibpng",
            path: "Sources/C/PNG/System",
            pkgConfig: "libpng",
            providers: [.apt(["libpng-dev"]), .brew(["libpng"])]
        ),
        .systemLibrary(
            name: "CWebImageLibdeflate",
            path: "Sources/C/Deflate",
            pkgConfig: "libdeflate",
            providers: [.apt(["libdeflate-dev"]), .brew(["libdeflate"])]
        ),
        .target(
            name: "CWebImagePNG",
            dependencies: ["CWebImageLibpng", "CWebImageLibdeflate"],
            path: "Sources/C/PNG/Shim",
            // Of libpng's own dependencies the one that the shim calls itself.
            linkerSettings: [.linkedLibrary("z")]
        ),
        .systemLibrary(
            name: "CWebImageWebP",
            path: "Sources/C/WebP",
            pkgConfig: "libwebpdemux",
            providers: [.apt(["libwebp-dev"]), .brew(["webp"])]
        ),
        .systemLibrary(
            name: "CWebImageAVIF",
            path: "Sources/C/AVIF",
            pkgConfig: "libavif",
            providers: [.apt(["libavif-dev"]), .brew(["libavif"])]
        ),
        .systemLibrary(
            name: "CWebImageHEIF",
            path: "Sources/C/HEIF",
            pkgConfig: "libheif",
            providers: [.apt(["libheif-dev"]), .brew(["libheif"])]
        ),
        .systemLibrary(
            name: "CWebImageJXL",
            path: "Sources/C/JXL",
            pkgConfig: "libjxl",
            providers: [.apt(["libjxl-dev"]), .brew(["jpeg-xl"])]
        ),
        .systemLibrary(
            name: "CWebImageLibtiff",
            path: "Sources/C/TIFF/System",
            pkgConfig: "libtiff-4",
            providers: [.apt(["libtiff-dev"]), .brew(["libtiff"])]
        ),
        .target(name: "CWebImageTIFF", dependencies: ["CWebImageLibtiff"], path: "Sources/C/TIFF/Shim"),
        .systemLibrary(
            name: "CWebImageRSVG",
            path: "Sources/C/SVG",
            pkgConfig: "librsvg-2.0",
            providers: [.apt(["librsvg2-dev"]), .brew(["librsvg"])]
        ),
        .systemLibrary(
            name: "CWebImageGdkPixbuf",
            path: "Sources/C/GdkPixbuf",
            pkgConfig: "gdk-pixbuf-2.0",
            providers: [.apt(["libgdk-pixbuf-2.0-dev"]), .brew(["gdk-pixbuf"])]
        ),
        .systemLibrary(
            name: "CWebImagePangoCairo",
            path: "Sources/C/PangoCairo",
            pkgConfig: "pangocairo",
            providers: [.apt(["libcairo2-dev", "libpango1.0-dev"]), .brew(["cairo", "pango"])]
        ),

        // Tests, which alone read with giflib, to compare.
        .systemLibrary(
            name: "CWebImageGIF",
            path: "Sources/C/GIF",
            pkgConfig: "libgif",
            providers: [.apt(["libgif-dev"]), .brew(["giflib"])]
        ),
        .testTarget(name: "ColorTests", dependencies: ["WebImageColor"], swiftSettings: settings),
        .testTarget(name: "PixelsTests", dependencies: ["WebImagePixels"], swiftSettings: settings),
        // What the chaos test of the disk cache starts and kills.
        .executableTarget(
            name: "CacheWorker",
            dependencies: ["WebImageCore", "WebImageTesting"],
            path: "Tests/CacheWorker",
            swiftSettings: settings
        ),
        // What the tests of resuming start and kill.
        .executableTarget(
            name: "ResumeWorker",
            dependencies: ["WebImageCore", "WebImageCurl"],
            path: "Tests/ResumeWorker",
            swiftSettings: settings
        ),
        .testTarget(
            name: "CoreTests",
            dependencies: ["WebImageCore", "WebImageTesting", "CacheWorker"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "CodersTests",
            dependencies: ["WebImageAllFormats", "WebImageTesting", "CWebImageGIF"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DrawingTests",
            dependencies: ["WebImageDrawing", "WebImageFoundation", "WebImageTesting"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ConformanceTests",
            dependencies: ["WebImage", "WebImageAllFormats", "WebImageDrawing", "WebImageTesting", "ResumeWorker"],
            swiftSettings: settings
        ),
        // Runs the built tool, which SwiftPM puts beside the test bundle.
        .testTarget(
            name: "CLITests",
            dependencies: ["WebImageTool", "WebImage", "WebImageFoundation", "WebImageTesting"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "LoadersTests",
            dependencies: ["WebImageCurl", "WebImageTesting"],
            swiftSettings: settings
        ),
    ]
)
