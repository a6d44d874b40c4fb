import WebImageFoundation

/// Takes properties out of an XMP packet and leaves every other byte as it is.
enum XMPEditor {
    /// What may be taken out.
    struct Properties: OptionSet {
        let rawValue: Int
        /// Of the picture as it was before it was turned and perhaps cut: orientation and small pictures.
        static let outdated = Properties(rawValue: 1)
        /// Where it was taken, and what place it shows.
        static let location = Properties(rawValue: 2)
    }

    /// The packet without them, at whatever depth they stand; `nil` for a packet that cannot be read.
    static func packet(_ packet: Data, without properties: Properties) -> Data? {
        guard let root = XMLParser.root(of: packet) else { return nil }
        var ranges: [Range<Int>] = []
        collect(from: root, properties, into: &ranges)
        let bytes = [UInt8](packet)
        var result = Data(capacity: bytes.count)
        var offset = 0
        for range in ranges {
            result.append(contentsOf: bytes[offset..<range.lowerBound])
            offset = range.upperBound
        }
        result.append(contentsOf: bytes[offset...])
        return result
    }

    /// In the order in which they stand: attributes come before children.
    private static func collect(from element: XMLElement, _ properties: Properties, into ranges: inout [Range<Int>]) {
        for attribute in element.attributes where isNamed(attribute.name, in: properties) {
            ranges.append(attribute.range)
        }
        for child in element.children {
            if isNamed(child.name, in: properties) {
                ranges.append(child.range)
            } else {
                collect(from: child, properties, into: &ranges)
            }
        }
    }

    private static func isNamed(_ name: XMLElement.Name, in properties: Properties) -> Bool {
        (properties.contains(.location) && isLocation(name)) || (properties.contains(.outdated) && isOutdated(name))
    }

    private static func isOutdated(_ name: XMLElement.Name) -> Bool {
        switch name.namespace {
        case "http://ns.adobe.com/tiff/1.0/": name.local == "Orientation"
        case "http://ns.adobe.com/xap/1.0/": name.local == "Thumbnails"
        default: false
        }
    }

    private static func isLocation(_ name: XMLElement.Name) -> Bool {
        switch name.namespace {
        case "http://ns.adobe.com/exif/1.0/", "http://cipa.jp/exif/1.0/": name.local.hasPrefix("GPS")
        case "http://ns.adobe.com/photoshop/1.0/": ["City", "State", "Country"].contains(name.local)
        case "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/": ["Location", "CountryCode"].contains(name.local)
        case "http://iptc.org/std/Iptc4xmpExt/2008-02-29/": name.local.hasPrefix("Location")
        case "http://www.w3.org/2003/01/geo/wgs84_pos#": true
        default: false
        }
    }
}
