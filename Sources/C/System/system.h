// What Swift's own Glibc module leaves out. Apple's Darwin module has all of it, so there this header is empty.
//
// Declared here and not included: the C library's headers would move `timespec` and others from the Glibc module to
// this one.
#ifdef __linux__
// <sys/xattr.h>, with the compiler's names for ssize_t and size_t.
__PTRDIFF_TYPE__ fgetxattr(int file, const char *name, void *value, __SIZE_TYPE__ size);
int fsetxattr(int file, const char *name, const void *value, __SIZE_TYPE__ size, int flags);
int fremovexattr(int file, const char *name);

// <unistd.h>, which declares it only under _GNU_SOURCE.
int gettid(void);
#endif
