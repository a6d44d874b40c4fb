import CWebImageJPEG
import WebImageCore

extension JPEGReader {
    enum Progress {
        /// There is more to gather.
        case some
        /// More bytes are wanted first.
        case starved
        case all
    }

    /// Gathers some of a picture that comes in several scans, never past the end of one.
    func gather() throws(ImageError) -> Progress {
        switch unsafe cwebimage_jpeg_consume(decoder, 64) {
        case cwebimage_jpeg_ready: .some
        case cwebimage_jpeg_starved: .starved
        case cwebimage_jpeg_done: .all
        default: throw failure()
        }
    }

    var completedScanCount: Int { unsafe Int(cwebimage_jpeg_completed_scans(decoder)) }

    /// Begins to make rows; `false` when more bytes are wanted first.
    func beginPass() throws(ImageError) -> Bool {
        try isReady(unsafe cwebimage_jpeg_begin_pass(decoder))
    }

    /// What the scans so far say of each component, asked when one has just ended; empty where the file is not
    /// progressive.
    var accuracies: [cwebimage_jpeg_accuracy] {
        let count = unsafe cwebimage_jpeg_component_count(decoder)
        return (0..<count).compactMap { component in
            var accuracy = cwebimage_jpeg_accuracy()
            return unsafe cwebimage_jpeg_get_accuracy(decoder, component, &accuracy) ? accuracy : nil
        }
    }

    /// Whether the bytes that were not read yet have an end marker: without one the file is cut.
    var endIsAhead: Bool { unsafe cwebimage_jpeg_end_is_ahead(decoder) }
}
