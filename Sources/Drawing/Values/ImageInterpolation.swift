/// How the pixels of a picture are found that is not drawn pixel for pixel.
public enum ImageInterpolation: Sendable, Hashable {
    /// The nearest pixel: enlarged pixels stay squares.
    case none
    /// Between the four nearest pixels; quick, and coarse for a picture made much smaller.
    case low
    /// The best there is: a picture that lies straight is resampled, with Lanczos where it becomes smaller and with
    /// Mitchell where it becomes larger, up to the size of what is drawn on; one that is turned is averaged by cairo.
    case high
}
