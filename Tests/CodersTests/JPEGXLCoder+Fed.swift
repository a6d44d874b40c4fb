import Foundation
import WebImageCore
import WebImageJXL

extension JPEGXLCoder {
    /// Decoded byte by byte.
    func fed(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws -> DecodedImage {
        let decoder = incrementalDecoder(options: options)
        for byte in data {
            try withUnsafeBytes(of: byte) { bytes in
                try Result { () throws(ImageError) in try decoder.append(bytes) }.get()
            }
        }
        return try decoder.finish()
    }
}
