/// Files that do not come out as the manifest has them, with the reason.
enum CorpusReasons {
    static let byPath: [String: String] = [
        // We are right, or as right.
        "svg/wuffs_hibiscus.primitive.svg":
            "Before it is drawn, nobody knows whether a drawing covers all of its canvas: alpha is possible.",
        "bmp/bmpsuite_rgb16.bmp": fiveBits,
        "bmp/bmpsuite_rgb16-565.bmp": fiveBits,
        "bmp/bmpsuite_rgb32-111110.bmp": fiveBits,
        // What the C libraries of Debian 12 do not read, or read wrongly.
        "bmp/bmpsuite_rgb16-231.bmp": "gdk-pixbuf scales fields of one to three bits wrongly.",
        "bmp/bmpsuite_rgba16-4444.bmp": "gdk-pixbuf knows alpha in bitmaps of 32 bits only.",
        "bmp/bmpsuite_rgba32abf.bmp": "gdk-pixbuf refuses headers with BI_ALPHABITFIELDS.",
        "broken/bmpsuite_rletopdown.bmp": "Compressed bitmaps must not be top-down: refusing it is right.",
        "heic/gen2brain_anim.heic": "libheif 1.15 reads no sequences.",
    ]

    private static let fiveBits =
        "gdk-pixbuf widens samples to 8 bits by repeating their bits; the manifest rounds: at most 1 of 255 apart."
}
