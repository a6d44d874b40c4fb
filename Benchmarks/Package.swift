// swift-tools-version: 6.2
import PackageDescription

// What is measured against the bare C libraries in C/. Scripts/bench builds and runs both.
let package = Package(
    name: "swift-webimage-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-webimage", path: "..")],
    targets: [
        .executableTarget(
            name: "CacheBench",
            dependencies: [.product(name: "WebImageCore", package: "swift-webimage")]
        ),
        .executableTarget(
            name: "DecodeBench",
            dependencies: [.product(name: "WebImage", package: "swift-webimage")]
        ),
        .executableTarget(
            name: "PixelsBench",
            dependencies: [.product(name: "WebImage", package: "swift-webimage")]
        ),
    ]
)
