#include "CWebImageCurl.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;
static _Thread_local int is_inside;

void cwebimage_curl_enter(void) {
    pthread_rwlock_rdlock(&gate);
    is_inside = 1;
}

void cwebimage_curl_leave(void) {
    is_inside = 0;
    pthread_rwlock_unlock(&gate);
}

// Handlers run last come, first served: the TLS library's was there before.
static void close_gate(void) {
    // A receiver that was called by a transport's thread called exit().
    if (is_inside) return;
    // A receiver may wait for the thread that exits; so the wait has an end.
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 1;
    pthread_rwlock_timedwrlock(&gate, &end);
}

void cwebimage_curl_guard_exit(void) {
    atexit(close_gate);
}
