/* Makes a system call fail, for the tests of what a take does then. Preloaded into git.

   FAULT_UNDER    a folder: only calls on paths below it count
   FAULT_COUNTER  a file of 8 bytes: how many calls counted so far, in all processes
   FAULT_CALL     which call: open (with O_CREAT), write, mkdir, link, rename, fsync or close
   FAULT_NUMBER   the number of the call that fails, from 1; 0 only counts
   FAULT_STAYS    "1": all later ones fail, too
   FAULT_ERRNO    the error, as a number
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int (*real_open)(const char *, int, ...);
static int (*real_close)(int);
static volatile long *counter;

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

__attribute__((constructor)) static void begin(void) {
    real_open = dlsym(RTLD_NEXT, "open");
    real_close = dlsym(RTLD_NEXT, "close");
    int file = real_open(setting("FAULT_COUNTER"), O_RDWR);
    if (file < 0) return;
    void *shared = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared != MAP_FAILED) counter = shared;
    real_close(file);
}

/* Tell whether this call is to fail; errno is set then. */
static int fails(const char *call, const char *path) {
    const char *under = setting("FAULT_UNDER");
    if (!counter || !path || strcmp(call, setting("FAULT_CALL"))) return 0;
    if (strncmp(path, under, strlen(under))) return 0;
    long number = atol(setting("FAULT_NUMBER"));
    long now = __sync_add_and_fetch(counter, 1);
    if (!number || now < number || (now > number && strcmp(setting("FAULT_STAYS"), "1"))) return 0;
    errno = atoi(setting("FAULT_ERRNO"));
    return 1;
}

static int fails_on(const char *call, int file) {
    char link[64], path[4096];
    int before = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    errno = before;
    if (length < 0) return 0;
    path[length] = 0;
    return fails(call, path);
}

#define OPEN(NAME)                                                              \
    int NAME(const char *path, int flags, ...) {                                \
        va_list rest;                                                           \
        va_start(rest, flags);                                                  \
        mode_t mode = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0;             \
        va_end(rest);                                                           \
        if ((flags & O_CREAT) && fails("open", path)) return -1;                \
        int (*next)(const char *, int, ...) = dlsym(RTLD_NEXT, #NAME);          \
        return next(path, flags, mode);                                         \
    }
OPEN(open)
OPEN(open64)

ssize_t write(int file, const void *data, size_t size) {
    if (fails_on("write", file)) return -1;
    ssize_t (*next)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    return next(file, data, size);
}

int mkdir(const char *path, mode_t mode) {
    if (fails("mkdir", path)) return -1;
    int (*next)(const char *, mode_t) = dlsym(RTLD_NEXT, "mkdir");
    return next(path, mode);
}

int link(const char *from, const char *to) {
    if (fails("link", to)) return -1;
    int (*next)(const char *, const char *) = dlsym(RTLD_NEXT, "link");
    return next(from, to);
}

int rename(const char *from, const char *to) {
    if (fails("rename", to)) return -1;
    int (*next)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
    return next(from, to);
}

int fsync(int file) {
    if (fails_on("fsync", file)) return -1;
    int (*next)(int) = dlsym(RTLD_NEXT, "fsync");
    return next(file);
}

int close(int file) {
    int failed = fails_on("close", file), error = errno;
    if (!real_close) real_close = dlsym(RTLD_NEXT, "close");
    int answer = real_close(file);
    if (!failed) return answer;
    errno = error; /* it is closed all the same, as after a real EIO */
    return -1;
}
