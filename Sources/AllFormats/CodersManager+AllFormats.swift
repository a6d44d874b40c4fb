import WebImageAVIF
import WebImageBMP
public import WebImageCore
import WebImageGIF
import WebImageGdkPixbuf
import WebImageHEIF
import WebImageJPEG
import WebImageJXL
import WebImagePNG
import WebImageSVG
import WebImageTIFF
import WebImageWebP

extension CodersManager {
    /// The coders that `WebImage` leaves out, in the order in which they are to be added: the last is asked first.
    public static var furtherFormats: [any ImageCoder] {
        [.gdkPixbuf, .ico(png: .png), .bmp, .svg, .tiff, .heif, .jpegXL]
    }

    /// Every coder of this library, in the order in which they are to be added.
    public static var allFormats: [any ImageCoder] { furtherFormats + [.avif, .webP, .gif, .png, .jpeg] }

    /// Adds the coders that `WebImage` leaves out. Call it before coders of one's own are added, which then go first.
    public func addAllFormats() {
        Self.furtherFormats.forEach(add)
    }
}
