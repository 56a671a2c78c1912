// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * terminal.c - escapes all text that is printed to a terminal.
 *
 * Commands print with printf() and fprintf(stderr, …) in a hundred places, and most of their output
 * contains data: names of tasks, fields of events, paths. So stdout and stderr themselves are
 * replaced: glibc allows a program to assign to them, and fopencookie() makes a stream whose writes
 * come here. A stream that is not a terminal stays unchanged and costs nothing.
 *
 * Each write checks again whether the descriptor is a terminal, because some commands replace
 * standard output by a file later.
 *
 * If text goes through a pager, output.c calls terminal_write() itself: the pager's pipe is no
 * terminal, but its output goes to one, and less -R keeps colours.
 */
#include "cli/screen/terminal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#define PIECE_BYTES   4096 /* bytes escaped at once; the safe form may be four times as long */
#define CONTROL_BYTES 512

struct guard {
	struct escaper escaper;
	int fd;
	bool is_pager; /* the stream goes through a pager to a terminal */
};

static int write_all(int fd, const char *s, size_t len)
{
	while (len) {
		ssize_t n = write(fd, s, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		s += n;
		len -= n;
	}
	return 0;
}

int terminal_write(struct escaper *e, int fd, const char *s, size_t len)
{
	char safe[ESCAPER_ROOM(PIECE_BYTES)];
	int r = 0;

	if (!e)
		return write_all(fd, s, len);
	while (len && r >= 0) {
		size_t n = len < PIECE_BYTES ? len : PIECE_BYTES;

		r = write_all(fd, safe, escaper_fmt(e, s, n, safe));
		s += n;
		len -= n;
	}
	return r;
}

int terminal_flush(struct escaper *e, int fd)
{
	char safe[ESCAPER_ROOM(0)];

	return write_all(fd, safe, escaper_flush(e, safe));
}

static ssize_t write_guarded(void *cookie, const char *s, size_t len)
{
	struct guard *g = cookie;
	int r = terminal_write(g->is_pager || isatty(g->fd) ? &g->escaper : NULL, g->fd, s, len);

	errno = r < 0 ? -r : errno;
	return r < 0 ? 0 : (ssize_t)len;
}

static int close_guarded(void *cookie)
{
	struct guard *g = cookie;
	int r = terminal_flush(&g->escaper, g->fd);

	free(g);
	return r < 0 ? EOF : 0;
}

/* Returns true for a guarded stream, which has no descriptor. */
static bool is_guarded(FILE *stream)
{
	return fileno(stream) < 0;
}

static FILE *open_guarded(int fd, bool is_pager)
{
	static const cookie_io_functions_t functions = {.write = write_guarded,
							.close = close_guarded};
	struct guard *g = calloc(1, sizeof(*g));
	FILE *guarded = g ? fopencookie(g, "w", functions) : NULL;

	if (!guarded) {
		free(g);
		return NULL;
	}
	g->fd = fd;
	g->is_pager = is_pager;
	return guarded;
}

FILE *terminal_open_pager(int fd)
{
	return open_guarded(fd, true);
}

/* Guards a stream. mode is its buffering, which stays. */
static int guard_stream(FILE **stream, int fd, int mode)
{
	FILE *guarded;

	if (!isatty(fd) || is_guarded(*stream))
		return 0;
	guarded = open_guarded(fd, false);
	if (!guarded)
		return -ENOMEM;
	setvbuf(guarded, NULL, mode, mode == _IONBF ? 0 : BUFSIZ);
	*stream = guarded;
	return 0;
}

int terminal_guard(void)
{
	int r = guard_stream(&stdout, STDOUT_FILENO, _IOLBF);

	return r < 0 ? r : guard_stream(&stderr, STDERR_FILENO, _IONBF);
}

void terminal_release(void)
{
	if (is_guarded(stdout))
		fclose(stdout);
	if (is_guarded(stderr))
		fclose(stderr);
}

void terminal_control(FILE *to, const char *fmt, ...)
{
	char text[CONTROL_BYTES];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n <= 0)
		return;
	n = n < CONTROL_BYTES ? n : CONTROL_BYTES - 1;
	fflush(to); /* earlier output comes first */
	write_all(to == stdout ? STDOUT_FILENO : STDERR_FILENO, text, n);
}
