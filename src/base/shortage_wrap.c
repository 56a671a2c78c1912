// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * shortage_wrap.c - notes every failure of a call that allocates memory, opens or reads a file.
 *
 *	calloc() in any room ──▶ __wrap_calloc() here ──▶ __real_calloc(), the C library's
 *
 * The linker does that: meson.build in this directory passes --wrap for each name below to
 * everything that is linked with the library. So no caller can forget it, callers are ordinary C,
 * and sanitizers and preloaded allocators work as usual. Calls inside shared libraries are not
 * wrapped: those libraries report their failures in their own way, and the caller must check.
 *
 * Tried and dropped: wrappers with other names instead of malloc() and similar. That needs a rule
 * and a checker for what the linker does by itself. Also dropped: our own malloc(). It would cover
 * calls from libraries, but would replace the malloc() of a sanitizer.
 *
 * The names with 64 and _chk are those that the headers use for large files and with
 * _FORTIFY_SOURCE.
 */
#include "base/shortage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <regex.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define REGEX_ROOM_BYTES (256u << 10)

/* Defines the wrapper of a function that returns `failed` and sets errno. */
#define WRAP(type, name, failed, params, args)            \
	type __real_##name params;                        \
	type __wrap_##name params;                        \
	type __wrap_##name params                         \
	{                                                 \
		type ret = __real_##name args;            \
                                                          \
		if (__builtin_expect(ret == (failed), 0)) \
			shortage_note(errno);             \
		return ret;                               \
	}

WRAP(void *, malloc, NULL, (size_t n), (n))
WRAP(void *, calloc, NULL, (size_t n, size_t each), (n, each))
WRAP(char *, strdup, NULL, (const char *s), (s))
WRAP(char *, strndup, NULL, (const char *s, size_t n), (s, n))
WRAP(char *, realpath, NULL, (const char *path, char *to), (path, to))
WRAP(char *, __realpath_chk, NULL, (const char *path, char *to, size_t n), (path, to, n))
WRAP(FILE *, fopen, NULL, (const char *path, const char *mode), (path, mode))
WRAP(FILE *, fopen64, NULL, (const char *path, const char *mode), (path, mode))
WRAP(FILE *, fdopen, NULL, (int fd, const char *mode), (fd, mode))
WRAP(DIR *, opendir, NULL, (const char *path), (path))
WRAP(DIR *, fdopendir, NULL, (int fd), (fd))
WRAP(int, __open_2, -1, (const char *path, int flags), (path, flags))
WRAP(int, __open64_2, -1, (const char *path, int flags), (path, flags))
WRAP(int, __openat_2, -1, (int dir, const char *path, int flags), (dir, path, flags))
WRAP(int, __openat64_2, -1, (int dir, const char *path, int flags), (dir, path, flags))
WRAP(int, socket, -1, (int domain, int type, int protocol), (domain, type, protocol))
WRAP(int, pipe2, -1, (int *fds, int flags), (fds, flags))
WRAP(ssize_t, read, -1, (int fd, void *to, size_t n), (fd, to, n))
WRAP(ssize_t, __read_chk, -1, (int fd, void *to, size_t n, size_t room), (fd, to, n, room))
WRAP(ssize_t, pread, -1, (int fd, void *to, size_t n, off_t at), (fd, to, n, at))
WRAP(ssize_t, pread64, -1, (int fd, void *to, size_t n, off_t at), (fd, to, n, at))
WRAP(ssize_t, __pread64_chk, -1, (int fd, void *to, size_t n, off_t at, size_t room),
     (fd, to, n, at, room))
WRAP(ssize_t, getline, -1, (char **line, size_t *cap, FILE *f), (line, cap, f))
WRAP(void *, mmap, MAP_FAILED, (void *at, size_t n, int prot, int flags, int fd, off_t off),
     (at, n, prot, flags, fd, off))
WRAP(void *, mmap64, MAP_FAILED, (void *at, size_t n, int prot, int flags, int fd, off_t off),
     (at, n, prot, flags, fd, off))

typedef int (*dirent_filter)(const struct dirent *);
typedef int (*dirent_order)(const struct dirent **, const struct dirent **);
#define WRAP_SCANDIR(name)                                                               \
	int __real_##name(const char *path, struct dirent ***list, dirent_filter filter, \
			  dirent_order order);                                           \
	int __wrap_##name(const char *path, struct dirent ***list, dirent_filter filter, \
			  dirent_order order);                                           \
	int __wrap_##name(const char *path, struct dirent ***list, dirent_filter filter, \
			  dirent_order order)                                            \
	{                                                                                \
		int n = __real_##name(path, list, filter, order);                        \
                                                                                         \
		if (n < 0)                                                               \
			shortage_note(errno == EINTR ? EIO : errno);                     \
		return n;                                                                \
	}

WRAP_SCANDIR(scandir)
WRAP_SCANDIR(scandir64)

/*
 * readdir() returns NULL in two cases: at the end of the directory (errno is unchanged), or after
 * a failure (errno is set, and the remaining entries are missing).
 *
 * A directory that was removed after it was opened has no entries: that is its end. The C library
 * takes ENOENT for the end, but tracefs says EINVAL (Linux 6.6 and later). It happens whenever
 * another process removes its probes.
 */
static bool directory_is_gone(int code)
{
	return code == EINVAL || code == ESRCH;
}

#define WRAP_READDIR(name)                                      \
	struct dirent *__real_##name(DIR *dir);                 \
	struct dirent *__wrap_##name(DIR *dir);                 \
	struct dirent *__wrap_##name(DIR *dir)                  \
	{                                                       \
		struct dirent *ret;                             \
		int saved = errno;                              \
                                                                \
		errno = 0;                                      \
		ret = __real_##name(dir);                       \
		if (!ret && errno && !directory_is_gone(errno)) \
			shortage_note(EIO);                     \
		else                                            \
			errno = saved;                          \
		return ret;                                     \
	}

WRAP_READDIR(readdir)
WRAP_READDIR(readdir64)

/* realloc() to size 0 frees, and returns NULL without a failure. */
void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n)
{
	void *ret = __real_realloc(p, n);

	if (__builtin_expect(!ret && n, 0))
		shortage_note(errno);
	return ret;
}

/*
 * --- with a variable number of arguments --------------------------------------------------------
 */

/* Sets `mode` from the last argument of open(), which exists only if the call can create a file. */
#define TAKE_MODE(mode, flags)                         \
	do {                                           \
		va_list ap;                            \
                                                       \
		va_start(ap, flags);                   \
		if ((flags) & (O_CREAT | __O_TMPFILE)) \
			(mode) = va_arg(ap, mode_t);   \
		va_end(ap);                            \
	} while (0)

#define WRAP_OPEN(name, params, args)         \
	int __real_##name params;             \
	int __wrap_##name params;             \
	int __wrap_##name params              \
	{                                     \
		mode_t mode = 0;              \
		int fd;                       \
                                              \
		TAKE_MODE(mode, flags);       \
		fd = __real_##name args;      \
		if (fd < 0)                   \
			shortage_note(errno); \
		return fd;                    \
	}

WRAP_OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(openat, (int dir, const char *path, int flags, ...), (dir, path, flags, mode))
WRAP_OPEN(openat64, (int dir, const char *path, int flags, ...), (dir, path, flags, mode))

int __real_vasprintf(char **to, const char *fmt, va_list ap);
int __wrap_vasprintf(char **to, const char *fmt, va_list ap);
int __wrap_vasprintf(char **to, const char *fmt, va_list ap)
{
	int n = __real_vasprintf(to, fmt, ap);

	if (n < 0)
		shortage_note(errno);
	return n;
}

int __wrap_asprintf(char **to, const char *fmt, ...);
int __wrap_asprintf(char **to, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = __wrap_vasprintf(to, fmt, ap);
	va_end(ap);
	return n;
}

int __real___vasprintf_chk(char **to, int flag, const char *fmt, va_list ap);
int __wrap___vasprintf_chk(char **to, int flag, const char *fmt, va_list ap);
int __wrap___vasprintf_chk(char **to, int flag, const char *fmt, va_list ap)
{
	int n = __real___vasprintf_chk(to, flag, fmt, ap);

	if (n < 0)
		shortage_note(errno);
	return n;
}

int __wrap___asprintf_chk(char **to, int flag, const char *fmt, ...);
int __wrap___asprintf_chk(char **to, int flag, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = __wrap___vasprintf_chk(to, flag, fmt, ap);
	va_end(ap);
	return n;
}

/*
 * A file of a process, such as /proc/PID/stat, cannot be read any more when the process has ended:
 * the kernel returns ESRCH, then and at every later read. Nothing is missing: there is no process.
 */
static bool process_is_gone(FILE *f)
{
	int fd = fileno(f);
	char byte;

	return fd >= 0 && __real_pread(fd, &byte, 1, 0) < 0 && errno == ESRCH;
}

/*
 * A loop of fgets() treats a failure as the end of the file. The error flag is still set when the
 * stream is closed.
 */
int __real_fclose(FILE *f);
int __wrap_fclose(FILE *f);
int __wrap_fclose(FILE *f)
{
	bool failed = ferror(f) && !process_is_gone(f);
	int r = __real_fclose(f);

	if (failed)
		shortage_note(EIO);
	return r;
}

/*
 * --- with codes of their own --------------------------------------------------------------------
 */

int __real_regcomp(regex_t *re, const char *pattern, int flags);
int __wrap_regcomp(regex_t *re, const char *pattern, int flags);
int __wrap_regcomp(regex_t *re, const char *pattern, int flags)
{
	/*
	 * regcomp() of glibc frees an invalid pointer if memory runs out in its function
	 * analyze(); so check first that there is more memory than any pattern needs
	 */
	int r = shortage_has_room(REGEX_ROOM_BYTES) ? __real_regcomp(re, pattern, flags)
						    : REG_ESPACE;

	if (r == REG_ESPACE)
		shortage_note(ENOMEM);
	return r;
}

int __real_regexec(const regex_t *re, const char *s, size_t n, regmatch_t *found, int flags);
int __wrap_regexec(const regex_t *re, const char *s, size_t n, regmatch_t *found, int flags);
int __wrap_regexec(const regex_t *re, const char *s, size_t n, regmatch_t *found, int flags)
{
	int saved = errno, r;

	errno = 0;
	r = __real_regexec(re, s, n, found, flags);
	/* glibc returns "no match" if memory runs out; only errno shows the difference */
	if (r && errno)
		shortage_note(ENOMEM);
	errno = saved;
	return r;
}

typedef int (*glob_trouble)(const char *path, int code);
#define WRAP_GLOB(name)                                                                       \
	int __real_##name(const char *pattern, int flags, glob_trouble trouble, glob_t *ret); \
	int __wrap_##name(const char *pattern, int flags, glob_trouble trouble, glob_t *ret); \
	int __wrap_##name(const char *pattern, int flags, glob_trouble trouble, glob_t *ret)  \
	{                                                                                     \
		int r = __real_##name(pattern, flags, trouble, ret);                          \
                                                                                              \
		if (r == GLOB_NOSPACE)                                                        \
			shortage_note(ENOMEM);                                                \
		return r;                                                                     \
	}

WRAP_GLOB(glob)
WRAP_GLOB(glob64)
