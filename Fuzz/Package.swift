// swift-tools-version: 6.2
import PackageDescription

// One libFuzzer target for each coder, and what else is given bytes from outside. Scripts/fuzz builds and runs them;
// `swift build` alone lacks the sanitizers.
let package = Package(
    name: "swift-webimage-fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-webimage", path: "..")],
    targets: [
        .target(name: "FuzzHarness", dependencies: webImage("Core", "Pixels")),
        coder("JPEG"),
        coder("PNG"),
        coder("GIF"),
        coder("WebP"),
        coder("AVIF"),
        coder("HEIF"),
        coder("JXL"),
        coder("TIFF"),
        coder("SVG"),
        coder("BMP", with: ["PNG"]),
        coder("GdkPixbuf"),
        .executableTarget(name: "FuzzPNGRows", dependencies: ["PNGOracle"] + webImage("Core", "PNG")),
        .executableTarget(
            name: "FuzzPNGInflate", dependencies: webImage("PNG"), linkerSettings: [.linkedLibrary("z")]),
        .target(name: "PNGOracle", linkerSettings: [.linkedLibrary("png"), .linkedLibrary("z")]),
        .executableTarget(name: "FuzzJXLHeaders", dependencies: ["JXLOracle"] + webImage("Core", "JXL")),
        .target(name: "JXLOracle", linkerSettings: [.linkedLibrary("jxl")]),
        .executableTarget(
            name: "FuzzEncoders",
            dependencies: webImage("Core", "Pixels", "JPEG", "PNG", "GIF", "WebP", "AVIF", "HEIF", "BMP")),
        .executableTarget(name: "FuzzMetadata", dependencies: webImage("Core")),
    ]
)

/// What gives a coder its input in every way that a user can.
func coder(_ name: String, with others: [String] = []) -> Target {
    .executableTarget(
        name: "Fuzz\(name)", dependencies: ["FuzzHarness"] + ([name] + others).flatMap { webImage($0) })
}

/// Products of the library, by what follows `WebImage` in their names.
func webImage(_ names: String...) -> [Target.Dependency] {
    names.map { .product(name: "WebImage\($0)", package: "swift-webimage") }
}
