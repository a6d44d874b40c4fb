/* NetworkBench's work with nothing but libcurl: the URLs of a list, 64 in flight, each body kept whole until its end.
   PROGRAM LIST CERTIFICATE prints how many bytes came. What anything on libcurl that keeps the bodies takes at least. */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { in_flight = 64, buffer_size = 96 * 1024, line_size = 1024 };

struct body {
    CURL *easy;
    char *bytes;
    size_t count, capacity;
};

static void fail(const char *what) {
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
    struct body *body = context;
    (void)size;
    if (body->count + count > body->capacity) {
        curl_off_t length = 0;
        curl_easy_getinfo(body->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
        size_t needed = body->count + count;
        body->capacity = length > 0 && (size_t)length >= needed ? (size_t)length : 2 * needed;
        body->bytes = realloc(body->bytes, body->capacity);
        if (!body->bytes) fail("no memory");
    }
    memcpy(body->bytes + body->count, bytes, count);
    body->count += count;
    return count;
}

/* Adds the next URL's exchange; whether there was one. */
static int begin(CURLM *multi, CURL *easy, struct body *body, FILE *list, const char *certificate) {
    char line[line_size];
    if (!fgets(line, sizeof line, list)) return 0;
    line[strcspn(line, "\n")] = 0;
    int is_secure = !strncmp(line, "https:", 6);
    *body = (struct body){.easy = easy};
    curl_easy_reset(easy);
    curl_easy_setopt(easy, CURLOPT_URL, line);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)buffer_size);
    curl_easy_setopt(easy, CURLOPT_CAINFO, certificate);
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, (long)is_secure);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, body);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, body);
    if (curl_multi_add_handle(multi, easy) != CURLM_OK) fail("libcurl takes no exchange");
    return 1;
}

int main(int argc, char **argv) {
    FILE *list = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (!list) fail("usage: PROGRAM LIST CERTIFICATE");
    if (curl_global_init(CURL_GLOBAL_DEFAULT)) fail("no libcurl");
    CURLM *multi = curl_multi_init();
    struct body bodies[in_flight];
    size_t total = 0;
    int running = 0;
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)in_flight);
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)in_flight);
    for (; running < in_flight; running++)
        if (!begin(multi, curl_easy_init(), &bodies[running], list, argv[2])) break;
    while (running > 0) {
        int still, left;
        CURLMsg *message;
        curl_multi_perform(multi, &still);
        while ((message = curl_multi_info_read(multi, &left))) {
            CURL *easy = message->easy_handle;
            CURLcode code = message->data.result;
            struct body *body;
            curl_easy_getinfo(easy, CURLINFO_PRIVATE, &body);
            if (code != CURLE_OK) fail(curl_easy_strerror(code));
            total += body->count;
            free(body->bytes);
            curl_multi_remove_handle(multi, easy);
            if (!begin(multi, easy, body, list, argv[2])) running--;
        }
        if (running > 0) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    printf("bytes %zu\n", total);
    return 0;
}
