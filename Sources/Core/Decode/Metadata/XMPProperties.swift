public import WebImageFoundation

/// The simple properties of an XMP packet: single values, and lists of them.
///
/// Structures (properties that hold properties) are left out; `ImageMetadata.xmp` has them. A packet that is no
/// well-formed XML in UTF-8, or over 1 MiB, has no properties.
public struct XMPProperties: Sendable, Hashable {
    /// The namespace of a property: the URL that its prefix stands for.
    public struct Namespace: RawRepresentable, Sendable, Hashable {
        /// The URL.
        public let rawValue: String

        /// A namespace by its URL.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// `dc`: title, creator, description, subject, rights.
        public static let dublinCore = Namespace(rawValue: "http://purl.org/dc/elements/1.1/")
        /// `xmp`: CreateDate, CreatorTool, Rating, Label.
        public static let xmp = Namespace(rawValue: "http://ns.adobe.com/xap/1.0/")
        /// `exif`: the EXIF tags by name.
        public static let exif = Namespace(rawValue: "http://ns.adobe.com/exif/1.0/")
        /// `tiff`: the TIFF tags by name.
        public static let tiff = Namespace(rawValue: "http://ns.adobe.com/tiff/1.0/")
        /// `photoshop`: City, Credit, DateCreated, Headline.
        public static let photoshop = Namespace(rawValue: "http://ns.adobe.com/photoshop/1.0/")
    }

    private let values: [XMLElement.Name: [String]]

    /// The properties of a packet; `nil` when it cannot be read.
    public init?(_ packet: Data) {
        guard let root = XMLParser.root(of: packet), let rdf = Self.rdf(in: root) else { return nil }
        var values: [XMLElement.Name: [String]] = [:]
        for description in rdf.children where description.name == RDF.description {
            for attribute in description.attributes where attribute.name.namespace != RDF.namespace {
                values[attribute.name] = [attribute.value]
            }
            for property in description.children {
                if let texts = Self.texts(of: property) { values[property.name] = texts }
            }
        }
        self.values = values
    }

    /// The values of a property: none when it is not there, one for a single value, all of a list in its order.
    public subscript(namespace: Namespace, name: String) -> [String] {
        values[XMLElement.Name(namespace: namespace.rawValue, local: name)] ?? []
    }

    /// The title, in the default language.
    public var title: String? { self[.dublinCore, "title"].first }
    /// What is on the picture, in the default language.
    public var description: String? { self[.dublinCore, "description"].first }
    /// Who made it.
    public var creators: [String] { self[.dublinCore, "creator"] }
    /// The terms that it is found by.
    public var keywords: [String] { self[.dublinCore, "subject"] }
    /// Who may do what with it, in the default language.
    public var rights: String? { self[.dublinCore, "rights"].first }
    /// −1 for rejected, 0 for none, up to 5.
    public var rating: Int? { self[.xmp, "Rating"].first.flatMap { Int($0) } }

    // MARK: RDF

    private static func rdf(in root: XMLElement) -> XMLElement? {
        root.name == RDF.root ? root : root.children.first { $0.name == RDF.root }
    }

    private static func texts(of property: XMLElement) -> [String]? {
        if let resource = property[RDF.resource] { return [resource] }
        guard let child = property.children.first else { return [property.text] }
        guard property.children.count == 1, RDF.lists.contains(child.name) else { return nil }
        let items = child.children.filter { $0.name == RDF.item && $0.children.isEmpty }
        // The default language comes first by the standard, but not in every file.
        let isDefault = { (item: XMLElement) in item[RDF.language] == "x-default" }
        return (items.filter(isDefault) + items.filter { !isDefault($0) }).map { $0[RDF.resource] ?? $0.text }
    }
}

/// The names of RDF that XMP uses.
enum RDF {
    static let namespace = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    static let root = XMLElement.Name(namespace: namespace, local: "RDF")
    static let description = XMLElement.Name(namespace: namespace, local: "Description")
    static let resource = XMLElement.Name(namespace: namespace, local: "resource")
    static let item = XMLElement.Name(namespace: namespace, local: "li")
    static let lists = ["Alt", "Bag", "Seq"].map { XMLElement.Name(namespace: namespace, local: $0) }
    static let language = XMLElement.Name(namespace: "http://www.w3.org/XML/1998/namespace", local: "lang")
}
