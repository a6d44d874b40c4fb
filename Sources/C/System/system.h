// What Swift's own Glibc module leaves out. Apple's Darwin module has all of it.
//
// Declared here and not included: the C library's headers would move `timespec` and others from the Glibc module to
// this one.
#ifdef __linux__
// <sys/xattr.h>, with the compiler's names for ssize_t and size_t.
__PTRDIFF_TYPE__ fgetxattr(int file, const char *name, void *value, __SIZE_TYPE__ size);
int fsetxattr(int file, const char *name, const void *value, __SIZE_TYPE__ size, int flags);
int fremovexattr(int file, const char *name);

// <sys/stat.h>, which declares them only under _GNU_SOURCE; the layout is the kernel's, of <linux/stat.h>.
struct cwebimage_statx_time {
    long long seconds;
    unsigned int nanoseconds;
    int reserved;
};
struct cwebimage_statx {
    unsigned int mask, block_size;
    unsigned long long attributes;
    unsigned int link_count, user, group;
    unsigned short mode, spare;
    unsigned long long file_number, byte_count, block_count, attributes_mask;
    struct cwebimage_statx_time accessed, created, changed, modified;
    unsigned char rest[256 - 128];
};
int statx(int folder, const char *path, int flags, unsigned int mask, void *result);

// <sys/statfs.h>, which Swift's module does not include; the first member is all that is asked for.
struct cwebimage_statfs {
    long type;
    long rest[31];
};
int fstatfs(int file, void *result);

// <sys/eventfd.h>; its flags are those of open(2).
int eventfd(unsigned int count, int flags);

// <unistd.h>, which declares it only under _GNU_SOURCE.
int gettid(void);
#endif

// Has the processor fetch a line of memory that will be read soon; Swift has no word for it.
static inline void cwebimage_prefetch(const void *address) { __builtin_prefetch(address); }
