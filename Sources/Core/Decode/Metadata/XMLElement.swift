/// An element of a small XML document, with what it holds.
struct XMLElement: Sendable {
    /// A name with the namespace that its prefix stands for.
    struct Name: Sendable, Hashable {
        /// Empty where there is none.
        var namespace: String
        var local: String
    }

    struct Attribute: Sendable {
        var name: Name
        var value: String
        /// Where it stands, with the white space before it.
        var range: Range<Int>
    }

    var name: Name
    var attributes: [Attribute] = []
    var children: [XMLElement] = []
    /// The text right inside, pieces put together.
    var text = ""
    /// From the first `<` to the last `>`, in bytes of the document.
    var range: Range<Int>

    subscript(attribute: Name) -> String? {
        attributes.first { $0.name == attribute }?.value
    }
}
