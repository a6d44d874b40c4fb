#define _GNU_SOURCE
// For curl_multi_socket_all: see cwebimage_curl_act_on_all.
#define CURL_DISABLE_DEPRECATION
#include "CWebImageCurlSockets.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct cwebimage_curl_sockets {
    CURLM *multi;
    int bell_writer;
    // The bell's reader comes first.
    struct pollfd *polled;
    // Those of the last wait that had news and were not acted on yet, the next one last.
    struct pollfd *ready;
    size_t count, capacity, ready_count;
    // In milliseconds of the monotonic clock; none when negative.
    long long deadline;
    int is_timer_checked;
};

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static size_t place(const cwebimage_curl_sockets *sockets, int descriptor) {
    size_t index = sockets->count;
    while (index > 0 && sockets->polled[index - 1].fd != descriptor) index--;
    return index;
}

static int make_room(cwebimage_curl_sockets *sockets) {
    if (sockets->count < sockets->capacity) return 0;
    size_t capacity = sockets->capacity * 2 + 16;
    struct pollfd *polled = realloc(sockets->polled, capacity * sizeof *polled);
    if (polled != NULL) sockets->polled = polled;
    struct pollfd *ready = realloc(sockets->ready, capacity * sizeof *ready);
    if (ready != NULL) sockets->ready = ready;
    if (polled == NULL || ready == NULL) return -1;
    sockets->capacity = capacity;
    return 0;
}

static int watch(cwebimage_curl_sockets *sockets, int descriptor, short events) {
    size_t index = place(sockets, descriptor);
    if (index == 0) {
        if (make_room(sockets) != 0) return -1;
        index = ++sockets->count;
    }
    sockets->polled[index - 1] = (struct pollfd){.fd = descriptor, .events = events};
    return 0;
}

static void forget(cwebimage_curl_sockets *sockets, int descriptor) {
    size_t index = place(sockets, descriptor);
    if (index > 0) sockets->polled[index - 1] = sockets->polled[--sockets->count];
}

static int on_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *unused) {
    (void)easy;
    (void)unused;
    if (what == CURL_POLL_REMOVE) {
        forget(context, socket);
        return 0;
    }
    return watch(context, socket, (what & CURL_POLL_IN ? POLLIN : 0) | (what & CURL_POLL_OUT ? POLLOUT : 0));
}

static int on_timer(CURLM *multi, long milliseconds, void *context) {
    (void)multi;
    cwebimage_curl_sockets *sockets = context;
    sockets->deadline = milliseconds < 0 ? -1 : now() + milliseconds;
    return 0;
}

static int open_bell(int ends[2]) {
#if defined(__linux__)
    return pipe2(ends, O_CLOEXEC | O_NONBLOCK);
#else
    if (pipe(ends) != 0) return -1;
    for (int end = 0; end < 2; end++) {
        fcntl(ends[end], F_SETFD, FD_CLOEXEC);
        fcntl(ends[end], F_SETFL, O_NONBLOCK);
    }
    return 0;
#endif
}

cwebimage_curl_sockets *cwebimage_curl_new_sockets(CURLM *multi) {
    cwebimage_curl_sockets *sockets = calloc(1, sizeof *sockets);
    if (sockets == NULL) return NULL;
    int ends[2];
    if (open_bell(ends) != 0) {
        free(sockets);
        return NULL;
    }
    sockets->multi = multi;
    sockets->bell_writer = ends[1];
    sockets->deadline = -1;
    if (watch(sockets, ends[0], POLLIN) != 0) {
        close(ends[0]);
        close(ends[1]);
        free(sockets->polled);
        free(sockets->ready);
        free(sockets);
        return NULL;
    }
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, sockets);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, sockets);
    return sockets;
}

void cwebimage_curl_free_sockets(cwebimage_curl_sockets *sockets) {
    close(sockets->polled[0].fd);
    close(sockets->bell_writer);
    free(sockets->polled);
    free(sockets->ready);
    free(sockets);
}

long cwebimage_curl_socket_count(const cwebimage_curl_sockets *sockets) {
    return (long)sockets->count - 1;
}

void cwebimage_curl_ring(cwebimage_curl_sockets *sockets) {
    // A pipe that is full rings already.
    while (write(sockets->bell_writer, "", 1) < 0 && errno == EINTR) {}
}

static void silence_bell(int reader) {
    char bytes[64];
    while (read(reader, bytes, sizeof bytes) == (ssize_t)sizeof bytes) {}
}

// For as long as nothing would be missed much.
static void sleep_instead(int milliseconds) {
    enum { most = 10 };
    int time = milliseconds < most ? milliseconds : most;
    nanosleep(&(struct timespec){.tv_nsec = time * 1000000L}, NULL);
}

int cwebimage_curl_wait(cwebimage_curl_sockets *sockets, int milliseconds) {
    if (sockets->deadline >= 0) {
        long long left = sockets->deadline - now();
        if (left < milliseconds) milliseconds = left > 0 ? (int)left : 0;
    }
    sockets->ready_count = 0;
    sockets->is_timer_checked = 0;
    int news = poll(sockets->polled, (nfds_t)sockets->count, milliseconds);
    if (news < 0 && errno != EINTR && errno != EAGAIN) {
        silence_bell(sockets->polled[0].fd);
        sleep_instead(milliseconds);
        return -1;
    }
    // Behind the bell backwards, for one that was closed without a word is taken out.
    for (size_t index = sockets->count; news > 0 && index-- > 1;) {
        struct pollfd one = sockets->polled[index];
        if (one.revents == 0) continue;
        if (one.revents & POLLNVAL) forget(sockets, one.fd);
        else sockets->ready[sockets->ready_count++] = one;
    }
    if (news > 0 && sockets->polled[0].revents != 0) silence_bell(sockets->polled[0].fd);
    return 0;
}

static int is_timer_due(cwebimage_curl_sockets *sockets) {
    if (sockets->is_timer_checked) return 0;
    sockets->is_timer_checked = 1;
    return sockets->deadline >= 0 && sockets->deadline <= now();
}

static cwebimage_curl_act_result act_on(
    cwebimage_curl_sockets *sockets, curl_socket_t socket, int events, CURLMcode *code) {
    int running;
    *code = curl_multi_socket_action(sockets->multi, socket, events, &running);
    return *code == CURLM_OK || *code == CURLM_BAD_SOCKET ? cwebimage_curl_acted : cwebimage_curl_broken;
}

cwebimage_curl_act_result cwebimage_curl_act(cwebimage_curl_sockets *sockets, CURLMcode *code) {
    if (is_timer_due(sockets)) {
        sockets->deadline = -1;
        return act_on(sockets, CURL_SOCKET_TIMEOUT, 0, code);
    }
    while (sockets->ready_count > 0) {
        struct pollfd one = sockets->ready[--sockets->ready_count];
        // What was done since the wait may have closed it.
        if (place(sockets, one.fd) == 0) continue;
        int events = (one.revents & POLLIN ? CURL_CSELECT_IN : 0) | (one.revents & POLLOUT ? CURL_CSELECT_OUT : 0)
            // libcurl finds out what is wrong when it reads.
            | (one.revents & (POLLERR | POLLHUP) ? CURL_CSELECT_IN : 0);
        return act_on(sockets, one.fd, events, code);
    }
    return cwebimage_curl_nothing_left;
}

// libcurl calls this deprecated since it mostly costs more than to act on the sockets that have news. It is for many
// exchanges on few sockets; and for now and then, against exchanges that stall where a libcurl forgot to ask for a
// socket or the timer.
CURLMcode cwebimage_curl_act_on_all(cwebimage_curl_sockets *sockets) {
    int running;
    return curl_multi_socket_all(sockets->multi, &running);
}
