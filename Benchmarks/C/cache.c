/* The bare system calls that the disk cache is measured against: PROGRAM WORK FOLDER. Prints microseconds of processor
   time for each file. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

static char **names;
static size_t count, capacity;

static void fail(const char *what) {
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static double microseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* Whole paths, in a random order. */
static void list(const char *folder) {
    DIR *stream = opendir(folder);
    if (!stream) fail("the folder cannot be read");
    for (struct dirent *entry; (entry = readdir(stream));) {
        if (entry->d_name[0] == '.') continue;
        if (count == capacity) {
            capacity = capacity ? 2 * capacity : 1024;
            names = realloc(names, capacity * sizeof *names);
        }
        if (asprintf(&names[count++], "%s/%s", folder, entry->d_name) < 0) fail("no memory");
    }
    closedir(stream);
    for (size_t i = count; i > 1; i--) {
        size_t other = (size_t)random() % i;
        char *name = names[i - 1];
        names[i - 1] = names[other];
        names[other] = name;
    }
}

static void hit(void) {
    for (size_t i = 0; i < count; i++) {
        int file = open(names[i], O_RDONLY | O_CLOEXEC);
        char *bytes = malloc(20000);
        if (file < 0 || !bytes || read(file, bytes, 20000) != 20000) fail("a file cannot be read");
        close(file);
        free(bytes);
    }
}

/* The same with the metadata and the time of the last access, which a cache has to know. */
static void hit_metadata(void) {
    for (size_t i = 0; i < count; i++) {
        char metadata[1024];
        struct stat status;
        int file = open(names[i], O_RDONLY | O_CLOEXEC | O_NOATIME);
        if (file < 0 || fstat(file, &status)) fail("a file cannot be opened");
        if (fgetxattr(file, "user.webimage", metadata, sizeof metadata) < 0) fail("a file has no metadata");
        char *bytes = malloc((size_t)status.st_size);
        if (!bytes || read(file, bytes, (size_t)status.st_size) != status.st_size) fail("a file cannot be read");
        close(file);
        free(bytes);
    }
}

static void miss(void) {
    for (size_t i = 0; i < count; i++) {
        names[i][strlen(names[i]) - 1] = '~';
        if (open(names[i], O_RDONLY | O_CLOEXEC) >= 0) fail("a file is there");
    }
}

static void store(const char *folder) {
    char temporary[4096], name[4096];
    static char bytes[20000];
    for (size_t i = 0; i < count; i++) {
        snprintf(temporary, sizeof temporary, "%s/.tmp-%zu", folder, i);
        snprintf(name, sizeof name, "%s/%032zu.jpg", folder, i);
        int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file < 0 || write(file, bytes, sizeof bytes) != sizeof bytes) fail("a file cannot be written");
        close(file);
        if (rename(temporary, name)) fail("a file cannot be renamed");
    }
}

static void sweep(const char *folder) {
    DIR *stream = opendir(folder);
    if (!stream) fail("the folder cannot be read");
    unsigned long long size = 0;
    for (struct dirent *entry; (entry = readdir(stream));) {
        struct statx status;
        if (!statx(dirfd(stream), entry->d_name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &status)) {
            size += status.stx_size;
            count++;
        }
    }
    closedir(stream);
    if (!size) fail("the folder is empty");
}

int main(int argc, char **argv) {
    if (argc < 3) fail("usage: PROGRAM WORK FOLDER [COUNT]");
    const char *work = argv[1], *folder = argv[2];
    if (!strcmp(work, "hit") || !strcmp(work, "hit-metadata") || !strcmp(work, "miss")) list(folder);
    if (!strcmp(work, "store")) {
        count = strtoul(argc > 3 ? argv[3] : "0", NULL, 10);
        mkdir(folder, 0700);
    }
    double start = microseconds();
    if (!strcmp(work, "hit")) hit();
    if (!strcmp(work, "hit-metadata")) hit_metadata();
    if (!strcmp(work, "miss")) miss();
    if (!strcmp(work, "store")) store(folder);
    if (!strcmp(work, "sweep")) sweep(folder);
    printf("%f\n", (microseconds() - start) / (double)count);
    return 0;
}
