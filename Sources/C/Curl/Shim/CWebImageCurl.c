#define _GNU_SOURCE
#include "CWebImageCurl.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

CURLcode cwebimage_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode cwebimage_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode cwebimage_curl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode cwebimage_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode cwebimage_curl_set_write(CURL *easy, CURLoption option, curl_write_callback value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode cwebimage_curl_set_before_request(CURL *easy, curl_prereq_callback value) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}

CURLcode cwebimage_curl_set_open_socket(CURL *easy, curl_opensocket_callback value) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}

CURLMcode cwebimage_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

long cwebimage_curl_get_long(CURL *easy, CURLINFO info) {
    long value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

curl_off_t cwebimage_curl_get_offset(CURL *easy, CURLINFO info) {
    curl_off_t value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

void *cwebimage_curl_get_private(CURL *easy) {
    char *value = NULL;
    return curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : NULL;
}

const char *cwebimage_curl_get_string(CURL *easy, CURLINFO info) {
    char *value = NULL;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : NULL;
}

CURLSH *cwebimage_curl_new_cookie_share(void) {
    CURLSH *share = curl_share_init();
    if (share != NULL && curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE) != CURLSHE_OK) {
        curl_share_cleanup(share);
        return NULL;
    }
    return share;
}

size_t cwebimage_curl_address_bytes(const struct curl_sockaddr *address, unsigned char bytes[16]) {
    if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in inner;
        memcpy(&inner, &address->addr, sizeof inner);
        memcpy(bytes, &inner.sin_addr, 4);
        return 4;
    }
    if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
        // libcurl's struct is followed by as many bytes as the address has.
        struct sockaddr_in6 inner;
        memcpy(&inner, (const void *)&address->addr, sizeof inner);
        memcpy(bytes, &inner.sin6_addr, 16);
        return 16;
    }
    return 0;
}

// One that no child process inherits.
static int open_socket(int family, int type, int protocol) {
#if defined(SOCK_CLOEXEC)
    return socket(family, type | SOCK_CLOEXEC, protocol);
#else
    int descriptor = socket(family, type, protocol);
    if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return descriptor;
#endif
}

curl_socket_t cwebimage_curl_open_socket(const struct curl_sockaddr *address, int *lacks_descriptors) {
    int descriptor = open_socket(address->family, address->socktype, address->protocol);
    *lacks_descriptors = descriptor < 0 && (errno == EMFILE || errno == ENFILE);
    return descriptor < 0 ? CURL_SOCKET_BAD : descriptor;
}

int cwebimage_curl_lacks_descriptors(int wanted) {
    enum { most = 4 };
    int descriptors[most], count = 0, lacks = 0;
    while (count < wanted && count < most) {
        int descriptor = open_socket(AF_INET, SOCK_DGRAM, 0);
        if (descriptor < 0) {
            lacks = errno == EMFILE || errno == ENFILE;
            break;
        }
        descriptors[count++] = descriptor;
    }
    while (count > 0) close(descriptors[--count]);
    return lacks;
}

struct cwebimage_curl_start {
    void (*body)(void *);
    void *context;
};

static void *run(void *argument) {
    struct cwebimage_curl_start start = *(struct cwebimage_curl_start *)argument;
    free(argument);
#if defined(__APPLE__)
    pthread_setname_np("WebImageCurl");
#else
    pthread_setname_np(pthread_self(), "WebImageCurl");
#endif
    start.body(start.context);
    return NULL;
}

int cwebimage_curl_start_thread(void (*body)(void *), void *context) {
    struct cwebimage_curl_start *start = malloc(sizeof *start);
    if (start == NULL) return ENOMEM;
    *start = (struct cwebimage_curl_start){body, context};

    // A thread inherits its maker's mask; so the signal is blocked from the thread's first instruction on.
    sigset_t pipe_signal, previous;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &previous);
    pthread_t thread;
    int fault = pthread_create(&thread, NULL, run, start);
    pthread_sigmask(SIG_SETMASK, &previous, NULL);

    if (fault != 0) free(start);
    else pthread_detach(thread);
    return fault;
}
