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
            name: "IncrementalBench",
            dependencies: [.product(name: "WebImage", package: "swift-webimage")]
        ),
        .executableTarget(
            name: "ManagerBench",
            dependencies: [.product(name: "WebImage", package: "swift-webimage")]
        ),
        .executableTarget(
            name: "PixelsBench",
            dependencies: [.product(name: "WebImage", package: "swift-webimage")]
        ),
        .executableTarget(
            name: "MemoryBench",
            dependencies: [
                .product(name: "WebImageCore", package: "swift-webimage"),
                .product(name: "WebImagePixels", package: "swift-webimage"),
            ]
        ),
        // The peer of NetworkBench, in a program of its own.
        .executableTarget(name: "SessionBench"),
        // Needs no picture and nothing of the library: what a memory cache could keep by.
        .executableTarget(name: "CachePolicies"),
        .executableTarget(
            name: "NetworkBench",
            dependencies: [
                .product(name: "WebImageCore", package: "swift-webimage"),
                .product(name: "WebImageCurl", package: "swift-webimage"),
            ]
        ),
    ]
)
