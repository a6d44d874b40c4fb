import Foundation
import WebImageCore

/// What libFuzzer calls with each input: EXIF, XMP, IPTC and a colour profile in one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMetadata(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let data = Data(bytes: bytes, count: count)
    var metadata = ImageMetadata()
    (metadata.exif, metadata.xmp, metadata.iptc, metadata.colorProfile) = (data, data, data, data)
    if let tags = metadata.exifTags {
        for directory in EXIFTags.Directory.allCases {
            for tag in tags.tags(in: directory) { _ = tags[directory, tag] }
        }
        _ = (tags.location, tags.orientation, tags.pixelSize, tags.dateTimeOriginal)
    }
    _ = (metadata.xmpProperties?.title, metadata.iptcRecords?.caption, metadata.colorProfileInfo?.name)
    for policy in MetadataPolicy.allCases {
        let kept = metadata.filtered(by: policy)
        precondition(policy == .all || kept.exifTags?.tags(in: .gps).isEmpty ?? true)
    }
    return 0
}
