// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * output.c - writes standard output: with pager, colours and progress on a terminal.
 *
 * The pager is $SONDE_PAGER, else $PAGER, else less with -FRX (quit if it fits on a screen, keep
 * colours, do not clear the screen). With raised privileges (caller.h) the pager is always less in
 * its secure mode, as with systemd: a pager can start a shell. A pipe is widened to 1 MB, which
 * halves the number of times that we and the reader wait for each other.
 */
#include "cli/screen/output.h"

#include "base/array.h"
#include "base/files/caller.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "live/report.h"
#include "cli/screen/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIPE_BYTES (1 << 20)

static double seconds_since(const struct timespec *t)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - t->tv_sec) + (now.tv_nsec - t->tv_nsec) / 1e9;
}

/* Finds the real less, because replacements (busybox) may not support LESSSECURE. */
static const char *find_secure_pager(void)
{
	static const char *const paths[] = {"/usr/bin/less", "/bin/less", "/usr/local/bin/less"};

	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		char *real = access(paths[i], X_OK) ? NULL : realpath(paths[i], NULL);
		const char *name = real ? strrchr(real, '/') : NULL;
		bool is_less = name && !strcmp(name, "/less");

		free(real);
		if (is_less)
			return paths[i];
	}
	return NULL;
}

/*
 * Runs less as the user who called sudo, without dangerous features. That user must not get a root
 * shell from the pager: less has "!command", opens files, and runs programs that its variables
 * name.
 */
static void run_secure_pager(const char *path)
{
	static const char *const gone[] = {
		"LESSOPEN",	    "LESSCLOSE",	"LESSKEY",	   "LESSKEYIN",
		"LESSKEY_SYSTEM",   "LESSKEYIN_SYSTEM", "LESSKEY_CONTENT", "LESSEDIT",
		"LESSGLOBALTAGS",   "LESSMETACHARS",	"LESSMETAESCAPE",  "LESSECHO",
		"LESSSECURE_ALLOW", "VISUAL",		"EDITOR",	   "SHELL"};

	for (size_t i = 0; i < ARRAY_LEN(gone); i++)
		unsetenv(gone[i]);
	if (setenv("LESSSECURE", "1", 1) || setenv("LESSHISTFILE", "-", 1) ||
	    setenv("LESS", "FRX", 1) || setenv("PATH", "/usr/bin:/bin", 1))
		return;
	caller_become(); /* if this fails, the secure mode must be enough */
	execl(path, "less", (char *)NULL);
}

static void run_pager(const char *pager, bool is_raised)
{
	signal(SIGPIPE, SIG_DFL);
	if (is_raised) {
		run_secure_pager(pager);
	} else {
		setenv("LESS", "FRX", 0);
		execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
	}
	_exit(127);
}

/* Returns NULL if the user wants no pager, or if none can be trusted. */
static const char *choose_pager(bool is_raised)
{
	const char *pager = getenv("SONDE_PAGER");

	if (!pager)
		pager = getenv("PAGER");
	if (pager && (!*pager || !strcmp(pager, "cat")))
		return NULL;
	if (is_raised)
		return find_secure_pager();
	return pager ? pager : "less";
}

static int start_pager(struct output *out)
{
	bool is_raised = caller_is_raised();
	const char *pager = choose_pager(is_raised);
	int fds[2];

	if (!pager || pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	fflush(stdout);
	out->pager = fork();
	if (out->pager == 0) {
		dup2(fds[0], STDIN_FILENO);
		run_pager(pager, is_raised);
	}
	close(fds[0]);
	if (out->pager < 0) {
		close(fds[1]);
		out->pager = 0;
		return -1;
	}
	out->fd = fds[1];
	return 0;
}

int output_find_colour(const char *colour, bool *ret, struct errmsg *err)
{
	const char *term = getenv("TERM");

	if (colour && strcmp(colour, "always") && strcmp(colour, "never") && strcmp(colour, "auto"))
		return errmsg_set(err, -EINVAL, "--color takes always, never or auto, not '%s'",
				  colour);
	if (!colour || !strcmp(colour, "auto"))
		*ret = isatty(STDOUT_FILENO) && !getenv("NO_COLOR") && term && strcmp(term, "dumb");
	else
		*ret = !strcmp(colour, "always");
	return 0;
}

int output_open(struct output *out, const char *colour, bool no_pager, struct errmsg *err)
{
	bool tty = isatty(STDOUT_FILENO);

	*out = (struct output){.fd = STDOUT_FILENO, .escape = tty};
	TRY(output_find_colour(colour, &out->colour, err));
	fflush(stdout);
	if (tty && !no_pager)
		start_pager(out);
	else
		fcntl(out->fd, F_SETPIPE_SZ, PIPE_BYTES); /* fails if it is not a pipe */
	out->progress_wanted = !tty && isatty(STDERR_FILENO);
	clock_gettime(CLOCK_MONOTONIC, &out->start);
	out->last = out->start;
	return 0;
}

void output_open_fd(struct output *out, int fd)
{
	*out = (struct output){.fd = fd, .escape = isatty(fd)};
}

int output_write(struct output *out, const char *s, size_t len)
{
	int r = terminal_write(out->escape ? &out->escaper : NULL, out->fd, s, len);

	if (r >= 0)
		return 0;
	__atomic_store_n(&out->closed, true, __ATOMIC_RELAXED);
	/* it is not a failure if the user quits the pager early */
	return out->pager && r == -EPIPE ? 0 : r;
}

int output_print(const struct textbuf *tb, const char *colour, bool no_pager, struct errmsg *err)
{
	SCOPED(output_close) struct output out = {0};

	if (tb->overflow)
		return errmsg_set(err, -EFBIG, "there is more than can be printed");
	if (output_open(&out, colour, no_pager, err) < 0)
		return errmsg_code(err);
	return output_write(&out, tb->start, textbuf_len(tb));
}

int output_write_ctx(void *ctx, const char *s, size_t len)
{
	struct output *out = ctx;
	int r = output_write(out, s, len);

	return r < 0 ? r : output_is_closed(out);
}

/*
 * Changes tb to the text that output_write() would write, for callers that write it themselves. The
 * text ends with a line. Returns 0 or -ENOMEM.
 */
static int output_escape(const struct output *out, struct textbuf *tb)
{
	size_t len = textbuf_len(tb);
	struct escaper e = {0};
	struct textbuf safe;
	char *p;

	if (!out->escape)
		return 0;
	textbuf_init(&safe, ESCAPER_ROOM(len));
	if (!textbuf_grow(&safe, ESCAPER_ROOM(len)))
		return -ENOMEM;
	p = safe.pos + escaper_fmt(&e, tb->start, len, safe.pos);
	textbuf_commit(&safe, p + escaper_flush(&e, p));
	textbuf_clear(tb);
	tb->max_bytes = safe.max_bytes > tb->max_bytes ? safe.max_bytes : tb->max_bytes;
	textbuf_add(tb, safe.start, textbuf_len(&safe));
	textbuf_release(&safe);
	return tb->overflow ? -ENOMEM : 0;
}

static int escape_lines(void *ctx, struct textbuf *tb)
{
	return output_escape(ctx, tb);
}

void output_aim(struct output *out, struct livereport_spec *spec)
{
	spec->fd = out->fd;
	spec->colour = out->colour;
	spec->escape = escape_lines;
	spec->escape_ctx = out;
}

void output_progress(struct output *out, float part)
{
	if (!out->progress_wanted || seconds_since(&out->last) < 0.2 ||
	    seconds_since(&out->start) < 1)
		return;
	clock_gettime(CLOCK_MONOTONIC, &out->last);
	out->progress_shown = true;
	terminal_control(stderr, "\rsonde: %3d %%", (int)(part * 100));
}

void output_close(struct output *out)
{
	if (out->progress_shown)
		terminal_control(stderr, TERMINAL_CLEAR_LINE);
	if (out->escape)
		terminal_flush(&out->escaper, out->fd);
	if (!out->pager)
		return;
	close(out->fd);
	while (waitpid(out->pager, NULL, 0) < 0 && errno == EINTR)
		;
	out->pager = 0;
}

void output_page(struct output *out)
{
	FILE *pager;

	*out = (struct output){.fd = STDOUT_FILENO};
	if (!isatty(STDOUT_FILENO) || start_pager(out) < 0)
		return;
	pager = terminal_open_pager(out->fd);
	if (!pager) {
		output_close(out);
		return;
	}
	fflush(stdout);
	out->terminal = stdout;
	stdout = pager;
}

void output_unpage(struct output *out)
{
	if (!out->pager)
		return;
	/* this may fail, or has failed: a user who quits the pager needs no more output */
	fflush(stdout);
	clearerr(stdout);
	fclose(stdout);
	stdout = out->terminal;
	output_close(out);
}
