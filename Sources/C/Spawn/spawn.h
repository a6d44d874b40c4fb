// What Swift's own Glibc module leaves out of <spawn.h> and <unistd.h>, which declare it only under _GNU_SOURCE; the
// pointers without a type are to posix_spawn_file_actions_t.
#ifdef __linux__
int posix_spawn_file_actions_addchdir_np(void *actions, const char *path);
int posix_spawn_file_actions_addclosefrom_np(void *actions, int first);
int pipe2(int ends[2], int flags);
#endif
