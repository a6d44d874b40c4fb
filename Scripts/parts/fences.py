"""Who may import what: the arrows of the design, as a table. The longest folder that holds a file decides."""

FOUNDATION = {"WebImageFoundation"}
SYSTEM = {"Dispatch", "Synchronization"}
LIBC = {"Glibc", "Musl", "Darwin"}
CORE = FOUNDATION | SYSTEM | {"WebImagePixels", "WebImageColor"}
CODER = {"WebImageCore", "WebImageColor", "WebImagePixels", "WebImageFoundation", "Synchronization"}

# Every library a user may name; WebImageTesting is for tests and no library of ours may lean on it.
LIBRARIES = {
    "WebImageCore", "WebImagePixels", "WebImageFoundation", "WebImagePlayback", "WebImageCurl", "WebImageJPEG",
    "WebImagePNG", "WebImageGIF", "WebImageWebP", "WebImageTIFF", "WebImageSVG", "WebImageGdkPixbuf", "WebImageAVIF",
    "WebImageHEIF", "WebImageJXL", "WebImageBMP", "WebImageDrawing",
}

ALLOWED = {
    "Sources/Pixels": {"CWebImageKernels", "Synchronization"},
    "Sources/Color": FOUNDATION | {"CWebImageLCMS", "Synchronization"},
    "Sources/Foundation": {"Foundation", "FoundationEssentials"},
    "Sources/Core": CORE,
    "Sources/Core/Platform": CORE | LIBC | {"CWebImageCrypto", "CWebImageSystem"},
    "Sources/Loaders/Curl": CORE | {"WebImageCore", "CWebImageCurl"},
    "Sources/Coders/JPEG": CODER | {"CWebImageJPEG"},
    "Sources/Coders/PNG": CODER | {"CWebImagePNG"},
    "Sources/Coders/GIF": CODER,
    "Sources/Coders/WebP": CODER | {"CWebImageWebP"},
    "Sources/Coders/TIFF": CODER | {"CWebImageTIFF"},
    "Sources/Coders/SVG": CODER | {"CWebImageRSVG"},
    "Sources/Coders/BMP": CODER,
    "Sources/Coders/GdkPixbuf": CODER | {"CWebImageGdkPixbuf"},
    "Sources/Coders/AVIF": CODER | {"CWebImageAVIF"},
    "Sources/Coders/HEIF": CODER | {"CWebImageHEIF"},
    "Sources/Coders/JXL": CODER | {"CWebImageJXL"},
    "Sources/Drawing": {"WebImageCore", "WebImagePixels", "CWebImagePangoCairo"},
    "Sources/WebImage": LIBRARIES | {"WebImageAVIF"},
    "Sources/AllFormats": LIBRARIES | {"WebImage", "WebImageAVIF", "WebImageHEIF", "WebImageJXL"},
    "Sources/CLI": SYSTEM | FOUNDATION | {"WebImage", "WebImageAllFormats"},
    "Sources/CLI/Platform": SYSTEM | FOUNDATION | LIBC,
    "Sources/Testing": CORE | {"WebImageCore"},
    "Sources/Testing/Platform": CORE | LIBC | {"CWebImageSpawn"},
    "Tests": LIBRARIES | SYSTEM | {"WebImage", "WebImageAllFormats", "WebImageTesting", "Testing", "Foundation", "Glibc"},
    "Tests/CodersTests": LIBRARIES | SYSTEM | {
        "WebImageAllFormats", "WebImageTesting", "CWebImageGIF", "Testing", "Foundation", "Glibc",
    },
    "Tests/ColorTests": {"WebImageColor", "Testing", "Foundation"},
    "Tests/CLITests": SYSTEM | FOUNDATION | {"WebImageTool", "WebImage", "WebImageTesting", "Testing", "Foundation", "Glibc"},
}

# One Swift target may lie in more than one row of the table.
TARGET_OF_FOLDER = {
    "Sources/Core/Platform": "Sources/Core",
    "Sources/CLI/Platform": "Sources/CLI",
    "Sources/Testing/Platform": "Sources/Testing",
}

# The only folders with `#if`: where platforms and libraries differ.
CONDITIONAL_FOLDERS = (
    "Sources/Foundation", "Sources/Core/Platform", "Sources/C", "Sources/Views", "Sources/Testing/Platform",
    "Sources/CLI/Platform",
)


def is_inside(path, folder):
    return path == folder or path.startswith(folder + "/")


def fence_of(path):
    """The table's folder for a file, or None."""
    holding = [folder for folder in ALLOWED if is_inside(path, folder)]
    return max(holding, key=len, default=None)
