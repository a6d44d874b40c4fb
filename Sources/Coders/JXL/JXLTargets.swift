import CWebImageJXL
import WebImageCore

/// Where the samples of a frame go. The memory belongs to the maker.
@safe struct JXLTargets: ~Copyable {
    private let pixels: UnsafeMutableRawBufferPointer
    private let black: UnsafeMutableRawBufferPointer
    private let blackChannel: Int?

    /// - Parameters:
    ///   - pixels: Width × height × 4 bytes.
    ///   - black: Width × height bytes where the file is CMYK.
    init(pixels: UnsafeMutableRawBufferPointer, black: UnsafeMutableRawBufferPointer, header: JXLHeader) {
        unsafe self.pixels = pixels
        unsafe self.black = black
        blackChannel = header.blackChannel
    }

    /// Answers the decoder's question where to write.
    func attach(to decoder: OpaquePointer, frame: Int) throws(ImageError) {
        var format = JxlPixelFormat(num_channels: 4, data_type: JXL_TYPE_UINT8, endianness: JXL_NATIVE_ENDIAN, align: 0)
        var status = unsafe JxlDecoderSetImageOutBuffer(decoder, &format, pixels.baseAddress, pixels.count)
        if let blackChannel, status == JXL_DEC_SUCCESS {
            format.num_channels = 1
            status = unsafe JxlDecoderSetExtraChannelBuffer(
                decoder, &format, black.baseAddress, black.count, UInt32(blackChannel))
        }
        guard status == JXL_DEC_SUCCESS else {
            throw ImageError(.badImageData, .decode, "the jxl is damaged: frame \(frame) is not of the header's size")
        }
    }

    /// Makes ink of the light that JPEG XL stores, where the file is CMYK.
    func finish() {
        guard blackChannel != nil else { return }
        for index in unsafe 0..<black.count {
            for channel in 0..<3 { unsafe pixels[index * 4 + channel] = 255 - pixels[index * 4 + channel] }
            unsafe pixels[index * 4 + 3] = 255 - black[index]
        }
    }
}
