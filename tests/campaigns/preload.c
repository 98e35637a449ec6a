/* Counts system calls that change things, and kills or fails at one of them. It is preloaded into
   Python and git; preload.py has the layout of the control block and what each field means. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { OPEN = 1, WRITE = 2, MKDIR = 4, LINK = 8, RENAME = 16, FSYNC = 32, CLOSE = 64, UNLINK = 128,
       TRUNCATE = 256, ATTRIBUTES = 512 };
enum { COUNT, KILL_ALL, KILL_LEADER, KILL_ITSELF, FAIL, SHORT };
#define PLACES 4
#define KINDS 10
#define LONGEST 1024

struct control {
    int64_t counter, number, action, error, stays, calls, armed, leader, clock, happened;
    int64_t by_call[KINDS];
    char under[PLACES][LONGEST];
};

static volatile struct control *control;

#define NEXT(NAME) ((__typeof__(&NAME))dlsym(RTLD_NEXT, #NAME))

/* Use the control block in a file; for a process that was forked after its libraries were loaded. */
void campaign_attach(const char *file) {
    int (*real_open)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    int (*real_close)(int) = dlsym(RTLD_NEXT, "close");
    int opened = real_open(file, O_RDWR | O_CLOEXEC);
    if (opened < 0) return;
    void *shared =
        mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
    if (shared != MAP_FAILED) control = shared;
    real_close(opened);
}

__attribute__((constructor)) static void begin(void) {
    const char *file = getenv("CAMPAIGN_CONTROL");
    if (file) campaign_attach(file);
}

/* Tell whether a path, relative to an open directory or not, lies where calls count. */
static int counts(int folder, const char *path) {
    char link[64], whole[4 * LONGEST];
    const char *found = path;
    if (!path) return 0;
    if (path[0] != '/') {
        snprintf(link, sizeof link, folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d",
                 folder);
        ssize_t length = readlink(link, whole, 2 * LONGEST);
        if (length < 0) return 0;
        snprintf(whole + length, sizeof whole - length, "/%s", path);
        found = whole;
    }
    for (int place = 0; place < PLACES; place++) {
        size_t length = strlen((const char *)control->under[place]);
        if (length && !strncmp(found, (const char *)control->under[place], length)) return 1;
    }
    return 0;
}

/* Count this call. Return 0 where it is to go on, -1 with errno where it fails, and 1 where it is to
   write less than it was told. */
static int reached(int call, int folder, const char *path) {
    if (!control || !control->armed) return 0;
    int before = errno;
    int here = counts(folder, path);
    errno = before;
    if (!here) return 0;
    __sync_add_and_fetch(&control->by_call[__builtin_ctz(call)], 1);
    if (!(control->calls & call)) return 0;
    int64_t now = __sync_add_and_fetch(&control->counter, 1), number = control->number;
    if (!number || now < number || (now > number && !control->stays)) return 0;
    if (control->action == COUNT) return 0;
    __sync_add_and_fetch(&control->happened, 1);
    switch (control->action) {
    case KILL_ALL:
        if (control->leader != getpid()) kill(-(pid_t)control->leader, SIGKILL);
        kill(0, SIGKILL);
        break;
    case KILL_LEADER:
        kill((pid_t)control->leader, SIGKILL);
        return 0;
    case KILL_ITSELF:
        kill(getpid(), SIGKILL);
        break;
    case SHORT:
        return call == WRITE;
    }
    errno = (int)control->error;
    return -1;
}

static int reached_file(int call, int file) {
    char link[64], path[2 * LONGEST];
    if (!control || !control->armed) return 0;
    int before = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    errno = before;
    if (length < 0) return 0;
    path[length] = 0;
    return reached(call, AT_FDCWD, path);
}

#define OPENING(NAME, TYPES, NAMES, FOLDER)                                      \
    int NAME TYPES {                                                             \
        va_list rest;                                                            \
        va_start(rest, flags);                                                   \
        mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0; \
        va_end(rest);                                                            \
        int changes = flags & (O_CREAT | O_TRUNC);                               \
        int fd_limit = control && control->action == FAIL && control->error == EMFILE; \
        if ((changes || fd_limit) && reached(OPEN, FOLDER, path) < 0) return -1; \
        return NEXT(NAME) NAMES;                                                 \
    }
OPENING(open, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
OPENING(open64, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
OPENING(openat, (int at, const char *path, int flags, ...), (at, path, flags, mode), at)
OPENING(openat64, (int at, const char *path, int flags, ...), (at, path, flags, mode), at)

#define HALF(SIZE) ((SIZE) > 1 ? (SIZE) / 2 : (SIZE))

ssize_t write(int file, const void *data, size_t size) {
    int answer = reached_file(WRITE, file);
    if (answer < 0) return -1;
    return NEXT(write)(file, data, answer ? HALF(size) : size);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    if (reached_file(WRITE, file) < 0) return -1;
    return NEXT(writev)(file, parts, count);
}

#define WRITING_AT(NAME, OFFSET)                                                 \
    ssize_t NAME(int file, const void *data, size_t size, OFFSET where) {        \
        int answer = reached_file(WRITE, file);                                  \
        if (answer < 0) return -1;                                               \
        return NEXT(NAME)(file, data, answer ? HALF(size) : size, where);        \
    }
WRITING_AT(pwrite, off_t)
WRITING_AT(pwrite64, off64_t)

#define ON_PATH(NAME, CALL, TYPES, NAMES, FOLDER, PATH)                          \
    int NAME TYPES {                                                             \
        if (reached(CALL, FOLDER, PATH) < 0) return -1;                          \
        return NEXT(NAME) NAMES;                                                 \
    }
ON_PATH(mkdir, MKDIR, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path)
ON_PATH(mkdirat, MKDIR, (int at, const char *path, mode_t mode), (at, path, mode), at, path)
ON_PATH(link, LINK, (const char *from, const char *to), (from, to), AT_FDCWD, to)
ON_PATH(linkat, LINK, (int a, const char *from, int b, const char *to, int flags),
        (a, from, b, to, flags), b, to)
ON_PATH(symlink, LINK, (const char *to, const char *path), (to, path), AT_FDCWD, path)
ON_PATH(symlinkat, LINK, (const char *to, int at, const char *path), (to, at, path), at, path)
ON_PATH(rename, RENAME, (const char *from, const char *to), (from, to), AT_FDCWD, to)
ON_PATH(renameat, RENAME, (int a, const char *from, int b, const char *to), (a, from, b, to), b, to)
ON_PATH(renameat2, RENAME, (int a, const char *from, int b, const char *to, unsigned flags),
        (a, from, b, to, flags), b, to)
ON_PATH(unlink, UNLINK, (const char *path), (path), AT_FDCWD, path)
ON_PATH(unlinkat, UNLINK, (int at, const char *path, int flags), (at, path, flags), at, path)
ON_PATH(rmdir, UNLINK, (const char *path), (path), AT_FDCWD, path)
ON_PATH(chmod, ATTRIBUTES, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path)
ON_PATH(fchmodat, ATTRIBUTES, (int at, const char *path, mode_t mode, int flags),
        (at, path, mode, flags), at, path)
ON_PATH(utimensat, ATTRIBUTES,
        (int at, const char *path, const struct timespec times[2], int flags),
        (at, path, times, flags), at, path)

#define ON_FILE(NAME, CALL, TYPES, NAMES)                                        \
    int NAME TYPES {                                                             \
        if (reached_file(CALL, file) < 0) return -1;                             \
        return NEXT(NAME) NAMES;                                                 \
    }
ON_FILE(fsync, FSYNC, (int file), (file))
ON_FILE(fdatasync, FSYNC, (int file), (file))
ON_FILE(ftruncate, TRUNCATE, (int file, off_t size), (file, size))
ON_FILE(ftruncate64, TRUNCATE, (int file, off64_t size), (file, size))
ON_FILE(fchmod, ATTRIBUTES, (int file, mode_t mode), (file, mode))

int close(int file) {
    int failed = 0, error = 0;
    if (control && control->armed) {
        int before = errno, flags = fcntl(file, F_GETFL);
        errno = before;
        if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY) {
            failed = reached_file(CLOSE, file) < 0;
            error = errno;
        }
    }
    int answer = NEXT(close)(file);
    if (!failed) return answer;
    errno = error; /* it is closed all the same, as after a real EIO */
    return -1;
}

/* --- the clock ---------------------------------------------------------------------------- */

int clock_gettime(clockid_t clock, struct timespec *found) {
    int answer = NEXT(clock_gettime)(clock, found);
    if (!answer && control && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        found->tv_sec += control->clock;
    return answer;
}

int gettimeofday(struct timeval *restrict found, void *restrict zone) {
    int answer = NEXT(gettimeofday)(found, zone);
    if (!answer && control) found->tv_sec += control->clock;
    return answer;
}

time_t time(time_t *found) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (found) *found = now.tv_sec;
    return now.tv_sec;
}
