public import WebImagePixels

extension EXIFTags {
    /// How the stored pixels are turned to stand upright; `nil` where nothing valid is said.
    public var orientation: Orientation? { integer(.image, 0x0112).flatMap(Orientation.init(rawValue:)) }
    /// Who made the camera.
    public var make: String? { text(.image, 0x010F) }
    /// Which camera.
    public var model: String? { text(.image, 0x0110) }
    /// Which program wrote the file.
    public var software: String? { text(.image, 0x0131) }
    /// Who took the picture.
    public var artist: String? { text(.image, 0x013B) }
    /// Who owns it.
    public var copyright: String? { text(.image, 0x8298) }
    /// What is on it.
    public var imageDescription: String? { text(.image, 0x010E) }
    /// When the file was changed, as `2026:11:30 09:52:53` in local time.
    public var dateTime: String? { text(.image, 0x0132) }
    /// When the picture was taken, as `2026:11:30 09:52:53` in local time.
    public var dateTimeOriginal: String? { text(.exif, 0x9003) }
    /// The time zone of `dateTimeOriginal`, as `+01:00`.
    public var offsetTimeOriginal: String? { text(.exif, 0x9011) }
    /// Which lens.
    public var lensModel: String? { text(.exif, 0xA434) }
    /// In seconds.
    public var exposureTime: Double? { number(.exif, 0x829A) }
    /// The aperture, as focal length divided by its diameter.
    public var fNumber: Double? { number(.exif, 0x829D) }
    /// The sensitivity.
    public var isoSpeed: Int? { integer(.exif, 0x8827) }
    /// In millimetres.
    public var focalLength: Double? { number(.exif, 0x920A) }
    /// The size that the camera took, as stored and not turned; it says nothing of later changes.
    public var pixelSize: PixelSize? {
        guard let width = integer(.exif, 0xA002), let height = integer(.exif, 0xA003) else { return nil }
        return PixelSize(width, height)
    }

    /// A place on Earth.
    public struct Location: Sendable, Hashable {
        /// In degrees, −90…90; north is positive.
        public var latitude: Double
        /// In degrees, −180…180; east is positive.
        public var longitude: Double
        /// In metres above the sea; `nil` where it is not said.
        public var altitude: Double?
    }

    /// Where the picture was taken; `nil` where that is not said or makes no sense.
    public var location: Location? {
        guard let latitude = degrees(0x0002, reference: 0x0001, negative: "S"), abs(latitude) <= 90,
            let longitude = degrees(0x0004, reference: 0x0003, negative: "W"), abs(longitude) <= 180
        else { return nil }
        return Location(latitude: latitude, longitude: longitude, altitude: altitude)
    }

    private var altitude: Double? {
        guard let metres = number(.gps, 0x0006) else { return nil }
        guard case .bytes(let reference) = self[.gps, 0x0005] else { return metres }
        return reference.first == 1 ? -metres : metres
    }

    /// Degrees, minutes and seconds, each a fraction; those behind the degrees may be missing.
    private func degrees(_ tag: Int, reference: Int, negative: String) -> Double? {
        guard case .fractions(let parts) = self[.gps, tag], let whole = parts.first?.value else { return nil }
        let minutes = parts.dropFirst().first?.value ?? 0
        let seconds = parts.dropFirst(2).first?.value ?? 0
        let degrees = whole + minutes / 60 + seconds / 3600
        return text(.gps, reference)?.uppercased() == negative ? -degrees : degrees
    }

    private func text(_ directory: Directory, _ tag: Int) -> String? {
        guard case .text(let text) = self[directory, tag] else { return nil }
        var end = text[...]
        while end.last?.isWhitespace == true { end.removeLast() }
        return end.isEmpty ? nil : String(end)
    }

    private func integer(_ directory: Directory, _ tag: Int) -> Int? {
        guard case .integers(let numbers) = self[directory, tag] else { return nil }
        return numbers.first
    }

    private func number(_ directory: Directory, _ tag: Int) -> Double? {
        switch self[directory, tag] {
        case .fractions(let fractions): fractions.first?.value
        case .reals(let reals): reals.first
        case .integers(let integers): integers.first.map(Double.init)
        default: nil
        }
    }
}
