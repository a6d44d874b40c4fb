#ifndef CWEBIMAGE_CURL_H
#define CWEBIMAGE_CURL_H

#include <curl/curl.h>
#include <stddef.h>

#include "CWebImageCurlInflate.h"
#include "CWebImageCurlSockets.h"

// libcurl's setters and getters are variadic, which Swift cannot call: here is one function for each kind of value.
// They can go when Swift imports variadic C functions.

CURLcode cwebimage_curl_set_long(CURL *easy, CURLoption option, long value);
CURLcode cwebimage_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value);
CURLcode cwebimage_curl_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode cwebimage_curl_set_pointer(CURL *easy, CURLoption option, void *value);
CURLcode cwebimage_curl_set_write(CURL *easy, CURLoption option, curl_write_callback value);
CURLcode cwebimage_curl_set_before_request(CURL *easy, curl_prereq_callback value);
CURLcode cwebimage_curl_set_open_socket(CURL *easy, curl_opensocket_callback value);
CURLMcode cwebimage_curl_multi_set_long(CURLM *multi, CURLMoption option, long value);

// 0 or NULL where libcurl does not know.
long cwebimage_curl_get_long(CURL *easy, CURLINFO info);
curl_off_t cwebimage_curl_get_offset(CURL *easy, CURLINFO info);
void *cwebimage_curl_get_private(CURL *easy);
// Valid as long as the handle is not used for another transfer.
const char *cwebimage_curl_get_string(CURL *easy, CURLINFO info);

// A share that holds nothing but cookies, or NULL. All handles that use it must be of one thread.
CURLSH *cwebimage_curl_new_cookie_share(void);

// Writes an address in network order: 4 bytes for IPv4, 16 for IPv6; returns how many, or 0 for another family.
size_t cwebimage_curl_address_bytes(const struct curl_sockaddr *address, unsigned char bytes[16]);
// A socket as libcurl opens it by itself, but that no child process inherits. Where there is none, says whether that is
// for want of a descriptor.
curl_socket_t cwebimage_curl_open_socket(const struct curl_sockaddr *address, int *lacks_descriptors);
// Whether the process, or the system, has fewer descriptors left than wanted, of which 4 are counted at most.
int cwebimage_curl_lacks_descriptors(int wanted);

// Runs `body` on a new detached thread in which SIGPIPE is blocked: with CURLOPT_NOSIGNAL libcurl leaves that signal,
// which a write to a closed TLS connection raises, to its caller. Returns 0, or an errno value.
int cwebimage_curl_start_thread(void (*body)(void *), void *context);

// libcurl's TLS library is torn down when the process exits, while other threads go on: a transport's thread must not
// be in the midst of it then. It uses libcurl between `enter` and `leave` only; once the process exits it does not
// come back from `enter`. `guard_exit` is called once, after libcurl's own start-up.
void cwebimage_curl_guard_exit(void);
void cwebimage_curl_enter(void);
void cwebimage_curl_leave(void);

#endif
