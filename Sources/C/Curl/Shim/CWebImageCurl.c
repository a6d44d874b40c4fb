#define _GNU_SOURCE
#include "CWebImageCurl.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

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
