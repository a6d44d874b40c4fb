import CWebImageCurl
import WebImageCore

/// The cookies of one jar, kept by libcurl, which knows the rules and the public suffixes.
///
/// Belongs to the transport's thread, and must outlive the handles that use it.
@safe final class CurlCookies {
    private let share: UnsafeMutableRawPointer

    init() throws(ImageError) {
        guard let share = unsafe cwebimage_curl_new_cookie_share() else { throw CurlFault.noMemory }
        unsafe self.share = share
    }

    deinit {
        unsafe curl_share_cleanup(share)
    }

    /// Has a handle send and keep them, until it is cleared.
    func use(in handle: CurlHandle) {
        unsafe cwebimage_curl_set_pointer(handle.easy, CURLOPT_SHARE, share)
        // An empty name switches cookies on and reads no file.
        handle.set(CURLOPT_COOKIEFILE, "")
    }
}
