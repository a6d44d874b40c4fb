import CWebImagePangoCairo
import WebImageCore
import WebImagePixels

/// A text in a style, laid out by pango, for one thread: pango keeps its fonts by thread.
@safe struct PangoText: ~Copyable {
    private let context: OpaquePointer
    private let layout: OpaquePointer
    /// What the text is laid out in, which is what was asked for where a font can have it.
    private let fontSize: Double
    /// What was asked for, divided by that.
    private let factor: Double

    /// Lays a text out.
    ///
    /// - Parameters:
    ///   - text: NUL characters in it are left out.
    ///   - room: Where lines end and where the text does, in points; `nil` where only the text's own line ends count.
    init(_ text: String, _ style: TextStyle, in room: ImageSize?) throws(ImageError) {
        try style.check(text)
        let map = unsafe pango_cairo_font_map_get_default()
        guard let context = unsafe pango_font_map_create_context(map), let layout = unsafe pango_layout_new(context)
        else { throw ImageError(.transformFailed, .transform, "pango has no fonts; install one") }
        unsafe self.context = context
        unsafe self.layout = layout
        fontSize = style.fontSize
        factor = style.size / fontSize
        setFontOptions()
        set(style)
        let bytes = text.utf8.filter { $0 != 0 }.map { CChar(bitPattern: $0) }
        unsafe bytes.withUnsafeBufferPointer { bytes in
            // An empty buffer has no address, and pango takes NULL for no text at all.
            guard let start = bytes.baseAddress else { return }
            unsafe pango_layout_set_text(layout, start, Int32(bytes.count))
        }
        if let room { set(room, style.truncation) }
    }

    deinit {
        unsafe g_object_unref(UnsafeMutableRawPointer(layout))
        unsafe g_object_unref(UnsafeMutableRawPointer(context))
    }

    /// The box of the lines, from the top of the highest letter that the fonts have to the bottom of the lowest.
    var size: ImageSize {
        var (width, height) = (Int32(0), Int32(0))
        unsafe pango_layout_get_size(layout, &width, &height)
        return ImageSize(Double(width) / Self.unit * factor, Double(height) / Self.unit * factor)
    }

    /// Draws the text with the canvas's source; its top left corner is the origin.
    ///
    /// FreeType fails at sizes that it cannot reckon with, and cairo then leaves the font unusable for the whole
    /// process; so it sees none of them.
    func draw(on canvas: CairoCanvas) {
        let extent = canvas.matrix.extent(of: fontSize * factor)
        // Nothing is seen of letters that are thinner than this.
        guard extent.least >= 0.05 else { return }
        unsafe cairo_scale(canvas.cairo, factor, factor)
        unsafe cairo_move_to(canvas.cairo, 0, 0)
        guard extent.most > Self.maxGlyphSize else { return unsafe pango_cairo_show_layout(canvas.cairo, layout) }
        drawShapes(on: canvas)
    }

    /// Large letters as shapes, which are found at the font's own size: cairo would keep a picture of each.
    private func drawShapes(on canvas: CairoCanvas) {
        unsafe cairo_new_path(canvas.cairo)
        unsafe cairo_save(canvas.cairo)
        unsafe cairo_identity_matrix(canvas.cairo)
        unsafe pango_cairo_layout_path(canvas.cairo, layout)
        let path = unsafe cairo_copy_path(canvas.cairo)
        unsafe cairo_restore(canvas.cairo)
        unsafe cairo_new_path(canvas.cairo)
        unsafe cairo_append_path(canvas.cairo, path)
        unsafe cairo_path_destroy(path)
        unsafe cairo_set_fill_rule(canvas.cairo, CAIRO_FILL_RULE_WINDING)
        unsafe cairo_fill(canvas.cairo)
    }

    // MARK: Layout

    /// Pango's units in a point.
    private static let unit = 1024.0
    /// In pixels.
    private static let maxGlyphSize = 128.0
    /// In points: pango counts in 21 bits before the point.
    private static let maxRoom = 0x1p20

    /// Grey edges, and letters where they belong rather than on whole pixels: text is measured alike at every scale.
    private func setFontOptions() {
        let options = unsafe cairo_font_options_create()
        unsafe cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        unsafe cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
        unsafe cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        unsafe pango_cairo_context_set_font_options(context, options)
        unsafe cairo_font_options_destroy(options)
        unsafe pango_context_set_round_glyph_positions(context, 0)
    }

    private func set(_ style: TextStyle) {
        let font = unsafe pango_font_description_new()
        unsafe pango_font_description_set_family(font, style.family)
        unsafe pango_font_description_set_absolute_size(font, fontSize * Self.unit)
        unsafe pango_font_description_set_weight(font, PangoWeight(UInt32(style.weight.rawValue)))
        unsafe pango_font_description_set_style(
            font, style.slant == .italic ? PANGO_STYLE_ITALIC : PANGO_STYLE_NORMAL)
        unsafe pango_layout_set_font_description(layout, font)
        unsafe pango_font_description_free(font)
        unsafe pango_layout_set_alignment(layout, style.alignment.pango)
        // 0 is pango's own distance, a little above 1.
        unsafe pango_layout_set_line_spacing(
            layout, style.lineHeightMultiple == 1 ? 0 : Float(style.lineHeightMultiple))
    }

    private func set(_ room: ImageSize, _ truncation: TextTruncation) {
        func units(_ length: Double) -> Int32 { Int32(min(max(0, length / factor), Self.maxRoom) * Self.unit) }
        unsafe pango_layout_set_width(layout, units(room.width))
        unsafe pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
        guard truncation != .none else { return }
        unsafe pango_layout_set_ellipsize(layout, truncation.pango)
        unsafe pango_layout_set_height(layout, units(room.height))
    }
}

extension TextAlignment {
    fileprivate var pango: PangoAlignment {
        switch self {
        case .leading: PANGO_ALIGN_LEFT
        case .center: PANGO_ALIGN_CENTER
        case .trailing: PANGO_ALIGN_RIGHT
        }
    }
}

extension TextTruncation {
    fileprivate var pango: PangoEllipsizeMode {
        switch self {
        case .none: PANGO_ELLIPSIZE_NONE
        case .head: PANGO_ELLIPSIZE_START
        case .middle: PANGO_ELLIPSIZE_MIDDLE
        case .tail: PANGO_ELLIPSIZE_END
        }
    }
}
