#ifndef CWEBIMAGE_CURL_SOCKETS_H
#define CWEBIMAGE_CURL_SOCKETS_H

#include <curl/curl.h>

// The sockets and the timer that a multi handle wants to be told of, and a bell. libcurl's own loop, curl_multi_perform
// with curl_multi_poll, asks each exchange's socket each time; this acts only on those that have news.
typedef struct cwebimage_curl_sockets cwebimage_curl_sockets;

// Takes the multi handle's socket and timer callbacks. NULL where there is no memory or no descriptor for the bell. It
// must outlive the handle.
cwebimage_curl_sockets *cwebimage_curl_new_sockets(CURLM *multi);
void cwebimage_curl_free_sockets(cwebimage_curl_sockets *sockets);

// Ends a wait that is under way, or the next one. Any thread.
void cwebimage_curl_ring(cwebimage_curl_sockets *sockets);

// How many sockets libcurl wants to be told of.
long cwebimage_curl_socket_count(const cwebimage_curl_sockets *sockets);

// Returns when a socket has news, the timer is due or the bell rings; after so many milliseconds at the latest. -1
// where the system does not tell of news, as when there are more sockets than its limit of descriptors has become: then
// it has waited for some milliseconds, and whoever calls looks at all exchanges.
int cwebimage_curl_wait(cwebimage_curl_sockets *sockets, int milliseconds);

typedef enum {
    cwebimage_curl_acted,
    cwebimage_curl_nothing_left,
    cwebimage_curl_broken
} cwebimage_curl_act_result;

// Has libcurl act on the timer, where that is due, or on the next socket of those that had news in the last wait. Call
// it until nothing is left. `code` tells what is broken.
cwebimage_curl_act_result cwebimage_curl_act(cwebimage_curl_sockets *sockets, CURLMcode *code);

// Has libcurl look at all its exchanges, whether they have news or not.
CURLMcode cwebimage_curl_act_on_all(cwebimage_curl_sockets *sockets);

#endif
