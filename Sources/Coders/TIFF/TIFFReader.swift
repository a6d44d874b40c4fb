import CWebImageTIFF
import WebImageColor
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// One pass of libtiff over one page of a file. The bytes must outlive it.
@safe struct TIFFReader: ~Copyable {
    let decoder: OpaquePointer
    private(set) var header: cwebimage_tiff_header
    private let page: TIFFPage

    /// Opens a file and reads the directory of a page.
    static func open(
        _ bytes: UnsafeRawBufferPointer, _ page: TIFFPage, limits: DecodeLimits
    ) throws(ImageError) -> TIFFReader {
        var reader = try unsafe TIFFReader(bytes, page, limits: limits)
        guard unsafe cwebimage_tiff_read_header(reader.decoder, page.offset, &reader.header) else {
            throw reader.failure(page.index == 0 ? "in its directory" : "in the directory of page \(page.index)")
        }
        // libtiff takes what has no palette for grey, also where the file ends before the palette.
        if let directory = page.directory, directory.isPalettePicture, !directory.has(.palette) {
            throw ImageError(.badImageData, .decode, "the tiff is truncated or damaged: its palette is not there")
        }
        return reader
    }

    private var directory: TIFFDirectory? { page.directory }

    private init(
        _ bytes: UnsafeRawBufferPointer, _ page: TIFFPage, limits: DecodeLimits
    ) throws(ImageError) {
        guard
            let decoder = unsafe cwebimage_tiff_open(
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, Self.maxAllocation(limits))
        else { throw ImageError(.badImageData, .decode, "there is no memory for a tiff decoder") }
        unsafe self.decoder = decoder
        self.page = page
        header = cwebimage_tiff_header()
    }

    deinit {
        unsafe cwebimage_tiff_close(decoder)
    }

    func probe() -> ImageProbe {
        let stored = PixelSize(Int(header.width), Int(header.height))
        let orientation = Orientation(exif: Int(header.orientation))
        let profile = directory?[.colorProfile]
        var probe = ImageProbe(
            format: .tiff, size: orientation.upright(stored), orientation: orientation, hasAlpha: alpha != nil,
            profileName: profile.flatMap(ICCProfileName.name))
        probe.pageCount = page.count
        return probe
    }

    func color(limits: DecodeLimits) -> SourceColor {
        let profile = directory?.metadata(limits: limits).colorProfile
        let encoding = profile.map(SourceColor.Encoding.profile) ?? .standard
        switch TIFFPhotometric(rawValue: header.photometric) {
        case .minIsWhite, .minIsBlack: return SourceColor(.gray, encoding)
        // Without own rows the library makes RGB of it, for which its profile is none.
        case .separated: return layout == nil ? SourceColor() : SourceColor(.cmyk, encoding)
        case .rgb, .palette, .yCbCr: return SourceColor(.rgb, encoding)
        case .none: return SourceColor()
        }
    }

    /// What the first sample behind the colour is, when it is alpha.
    var alpha: TIFFLayout.Alpha? {
        let colorCount: Int? =
            switch TIFFPhotometric(rawValue: header.photometric) {
            case .minIsWhite, .minIsBlack, .palette: 1
            case .rgb, .yCbCr: 3
            case .separated, .none: nil
            }
        guard let colorCount, Int(header.samples) > colorCount else { return nil }
        switch header.first_extra {
        case 1: return .associated
        case 2: return .unassociated
        default:
            // Who adds a sample and leaves out the tag means alpha; who calls it unspecified does not.
            let isExplained = directory?.has(.extraSamples) ?? true
            return !isExplained && Int(header.samples) == colorCount + 1 ? .unassociated : nil
        }
    }

    /// How samples lie in rows that this module reads itself; `nil` for those that libtiff has to convert.
    var layout: TIFFLayout? { TIFFLayout(header, alpha: alpha) }

    /// How rows are to be read.
    ///
    /// - Throws: `limitExceeded` where the parts that must be held at once are too large.
    func rows(within limits: DecodeLimits) throws(ImageError) -> TIFFRows {
        guard let layout else { return TIFFRows(.converted, nil) }
        let kind = rowKind
        let partSize =
            switch kind {
            case .tiles: unsafe cwebimage_tiff_tile_size(decoder)
            case .scanlines: unsafe cwebimage_tiff_row_size(decoder)
            case .strips, .converted: unsafe cwebimage_tiff_strip_size(decoder)
            }
        let (total, overflow) = partSize.multipliedReportingOverflow(by: layout.planeCount)
        guard !overflow, total > 0, total <= Self.maxAllocation(limits) else {
            throw ImageError(
                .limitExceeded, .decode,
                "the strips or tiles of the tiff, \(header.block_width)×\(header.block_height) with "
                    + "\(header.samples) samples of \(header.bits) bits, are over the limit of "
                    + "\(limits.maxPixelCount) pixels; raise DecodeLimits.maxPixelCount")
        }
        return TIFFRows(kind, layout, partSize: partSize)
    }

    /// Strips, unless they are so large that rows out of their middle are worth while.
    private var rowKind: TIFFRows.Kind {
        if header.is_tiled { return .tiles }
        // Fax rows have no length of their own: only a whole strip tells where its picture ends.
        if header.is_planar || Self.faxSchemes.contains(header.compression) { return .strips }
        return unsafe cwebimage_tiff_strip_size(decoder) > 1 << 20 ? .scanlines : .strips
    }

    /// Values of tag 259.
    private static let faxSchemes: [UInt16] = [2, 3, 4, 32771]

    /// The colours of a palette picture.
    func palette() throws(ImageError) -> [SIMD4<UInt8>] {
        var red: UnsafePointer<UInt16>?
        var green: UnsafePointer<UInt16>?
        var blue: UnsafePointer<UInt16>?
        guard unsafe cwebimage_tiff_palette(decoder, &red, &green, &blue), let red = unsafe red,
            let green = unsafe green, let blue = unsafe blue
        else { throw failure("in its palette") }
        let count = 1 << Int(header.bits)
        // Some writers put 8 bits where 16 are to be.
        let isNarrow = (0..<count).allSatisfy { unsafe (red[$0] | green[$0] | blue[$0]) < 256 }
        let shift: UInt16 = isNarrow ? 0 : 8
        return (0..<count).map { index in
            unsafe SIMD4(
                UInt8(red[index] >> shift), UInt8(green[index] >> shift), UInt8(blue[index] >> shift), 255)
        }
    }

    func failure(_ place: String) -> ImageError {
        let message = unsafe String(cString: cwebimage_tiff_message(decoder))
        let reason = message.isEmpty ? "libtiff gives no reason" : message
        return ImageError(.badImageData, .decode, "the tiff is damaged \(place): \(reason)")
    }

    /// Room for a picture of four 64-bit samples a pixel, the largest that are read, and for what goes with it.
    private static func maxAllocation(_ limits: DecodeLimits) -> Int {
        let (pictureSize, overflow) = max(0, limits.maxPixelCount).multipliedReportingOverflow(by: 32)
        return overflow ? .max : max(pictureSize, 1 << 24)
    }
}
