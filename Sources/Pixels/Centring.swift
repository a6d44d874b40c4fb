extension PixelBuffer {
    /// The picture in the middle of a transparent canvas that is at least as large; `nil` for a smaller canvas.
    public func centred(in canvas: PixelSize) -> PixelBuffer? {
        guard canvas.width >= width, canvas.height >= height else { return nil }
        var canvasLayout = layout
        if canvas != size, alpha == .opaque { canvasLayout.alpha = .premultiplied }
        guard var result = PixelBuffer(size: canvas, layout: canvasLayout) else { return nil }
        let left = (canvas.width - width) / 2 * format.bytesPerPixel
        let top = (canvas.height - height) / 2
        let targetStride = result.bytesPerRow
        unsafe result.withUnsafeMutableBytes { (target) -> Void in
            for y in 0..<height {
                unsafe withUnsafeRow(y) { row in
                    let start = (top + y) * targetStride + left
                    unsafe UnsafeMutableRawBufferPointer(rebasing: target[start..<start + row.count])
                        .copyMemory(from: row)
                }
            }
        }
        return result
    }
}
