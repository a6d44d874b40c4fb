/// Files that do not come out as the manifest has them, with the reason.
enum CorpusReasons {
    static let byPath: [String: String] = [
        // We are right, or as right.
        "svg/wuffs_hibiscus.primitive.svg":
            "Before it is drawn, nobody knows whether a drawing covers all of its canvas: alpha is possible.",
        // What the C libraries of Debian 12 do not read, or read wrongly.
        "heic/gen2brain_anim.heic": "libheif 1.15 reads no sequences.",
    ]
}
