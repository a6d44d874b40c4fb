import CWebImageGdkPixbuf
import WebImageCore
import WebImagePixels

/// What a loader says of its picture's size before it makes room for it, and how far it came with the pixels.
final class PixbufSizeWatch {
    /// What the file is read for.
    enum Purpose {
        case sizeOnly
        case within(DecodeLimits)
    }

    private let format: ImageFormat
    private let purpose: Purpose
    /// As the header says it; `nil` before it was read.
    private(set) var size: PixelSize?
    /// How many rows there are at least, from the top to the lowest that was written to.
    private(set) var rowCount = 0
    /// Why the picture is not to be decoded.
    private(set) var error: ImageError?

    init(_ format: ImageFormat, _ purpose: Purpose) {
        self.format = format
        self.purpose = purpose
    }

    /// Whether there is nothing more to be had.
    var isDone: Bool {
        if case .sizeOnly = purpose { return size != nil }
        return error != nil
    }

    /// The loader calls only while somebody else holds on to the watch.
    func connect(to loader: UnsafeMutablePointer<GdkPixbufLoader>) {
        typealias Callback =
            @convention(c) (UnsafeMutablePointer<GdkPixbufLoader>?, gint, gint, UnsafeMutableRawPointer?) -> Void
        let callback: Callback = { loader, width, height, user in
            guard let user = unsafe user else { return }
            let watch = unsafe Unmanaged<PixbufSizeWatch>.fromOpaque(user).takeUnretainedValue()
            // A size of nothing tells the loader to make no room.
            if !watch.wants(PixelSize(Int(width), Int(height))) { unsafe gdk_pixbuf_loader_set_size(loader, 0, 0) }
        }
        unsafe g_signal_connect_data(
            loader, "size-prepared", unsafeBitCast(callback, to: GCallback.self),
            Unmanaged.passUnretained(self).toOpaque(), nil, GConnectFlags(rawValue: 0))
        unsafe connectRows(to: loader)
    }

    private func connectRows(to loader: UnsafeMutablePointer<GdkPixbufLoader>) {
        typealias Callback =
            @convention(c) (
                UnsafeMutablePointer<GdkPixbufLoader>?, gint, gint, gint, gint, UnsafeMutableRawPointer?
            ) -> Void
        let callback: Callback = { _, _, y, _, height, user in
            guard let user = unsafe user else { return }
            let watch = unsafe Unmanaged<PixbufSizeWatch>.fromOpaque(user).takeUnretainedValue()
            watch.rowCount = max(watch.rowCount, Int(y) + Int(height))
        }
        unsafe g_signal_connect_data(
            loader, "area-updated", unsafeBitCast(callback, to: GCallback.self),
            Unmanaged.passUnretained(self).toOpaque(), nil, GConnectFlags(rawValue: 0))
    }

    /// Whether a picture of the size is to be decoded.
    private func wants(_ size: PixelSize) -> Bool {
        self.size = size
        guard case .within(let limits) = purpose else { return false }
        do {
            try limits.check(size, of: format)
            return true
        } catch {
            self.error = error
            return false
        }
    }
}
