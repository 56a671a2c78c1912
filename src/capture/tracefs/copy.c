// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copy.c - copies a file of the tracing directory to the function that prints it.
 *
 * The file is copied piece by piece, as the kernel generates it: a full buffer is gigabytes of
 * text. If the output is not a terminal, nobody waits for the first lines, so the pieces are large.
 * Each piece is one write(), and the trace may record write(): small pieces would add more lines to
 * the trace than they remove. The trace may also record our read(): then each read finds at least
 * its own event, and the file never ends. So sonde stops reading a buffer as soon as it has caught
 * up with the writers. One read returns as many events as fit into a page, which has at least 4 KB:
 *
 *  4050  4012  1890  103  103  103 …       bytes that the reads found
 *                    └── the end: an event that did not fit behind 1890 has more than 2048
 *
 * A pipe is read without a pager and without buffers in between. SIGINT keeps its usual effect, so
 * Ctrl-C ends even a flood at once. The kernel keeps what was not read.
 */
#include "capture/tracefs/copy.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "base/spelling.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE_BYTES (64 << 10)
#define AHEAD_BYTES (64 << 20)
#define SHORT_BYTES 2048 /* half of the smallest page */

struct source {
	int fd;
	bool is_buffer; /* the file is an event buffer: there may be more with each read */
	bool was_short; /* the last read was short */
};

/* Reads one piece; returns 0 at the end. */
static ssize_t read_piece(struct source *s, char *buf)
{
	ssize_t n = read(s->fd, buf, PIECE_BYTES);
	bool is_short = n > 0 && n < SHORT_BYTES;

	if (s->is_buffer && s->was_short && is_short)
		return 0;
	s->was_short = is_short;
	return n;
}

/*
 * Reads once, or (whole) until less than a piece fits into the buffer. Returns the number of bytes;
 * *ret is 0 at the end, or the code of a failed read.
 */
static size_t fill(struct source *s, char *buf, size_t n_bytes, bool whole, int *ret)
{
	size_t len = 0;
	ssize_t n = 1;

	*ret = 1;
	while (n_bytes - len >= PIECE_BYTES && (whole || !len) && n > 0) {
		n = read_piece(s, buf + len);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n > 0)
			len += n;
		else
			*ret = n < 0 ? -errno : 0;
	}
	return len;
}

static bool is_buffer(const char *file)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;

	return !strcmp(name, "trace") || !strcmp(name, "snapshot");
}

int tracefs_copy_open(const struct tracefs *t, const char *instance, const char *file,
		      const char *missing, struct errmsg *err)
{
	int fd = tracefs_open_file(t, instance, file, O_RDONLY);

	if (fd == -ENOENT && missing)
		return errmsg_set(err, fd, "this kernel has no %s", missing);
	return fd < 0 ? tracefs_refuse_read(t, instance, file, fd, err) : fd;
}

int tracefs_copy(const struct tracefs *t, const char *instance, const char *file, int fd,
		 bool ahead, int (*write)(void *ctx, const char *text, size_t len), void *ctx,
		 struct errmsg *err)
{
	struct source source = {.fd = fd, .is_buffer = is_buffer(file)};
	size_t n_bytes = ahead ? AHEAD_BYTES : PIECE_BYTES;
	SCOPED(scope_free) char *buf = malloc(n_bytes);
	int r = buf ? 0 : -ENOMEM, r_read = 1;

	while (!r && r_read > 0) {
		size_t len = fill(&source, buf, n_bytes, ahead, &r_read);

		if (len)
			r = write(ctx, buf, len);
	}
	return r >= 0 && r_read < 0 ? tracefs_refuse_read(t, instance, file, r_read, err)
	       : r < 0		    ? r
				    : 0;
}

int tracefs_fmt_cpu_file(const struct tracefs *t, const char *cpu, const char *file, char *buf,
			 struct errmsg *err)
{
	unsigned n_cpus = tracefs_cpu_count(t);
	unsigned long n;
	char *end;

	snprintf(buf, TRACEFS_PATH_MAX, "%s", file);
	if (!cpu)
		return 0;
	n = strtoul(cpu, &end, 10);
	if (*end || end == cpu)
		return errmsg_set(err, -EINVAL, "-c takes the number of a CPU, not '%s'", cpu);
	if (n >= n_cpus)
		return errmsg_set(err, -EINVAL, "there is no CPU %lu; the last one is %u", n,
				  n_cpus - 1);
	snprintf(buf, TRACEFS_PATH_MAX, "per_cpu/cpu%lu/%s", n, file);
	return 0;
}

int tracefs_refuse_name(const struct tracefs *t, const char *instance, const char *file,
			struct errmsg *err)
{
	SCOPED(name_list_release) struct name_list names = {0};
	struct spelling sp;

	spelling_init(&sp, file, strlen(file));
	tracefs_files(t, instance, "", &names);
	for (size_t i = 0; i < names.n; i++)
		spelling_add(&sp, names.names[i]);
	if (sp.nearest)
		return errmsg_set(err, -ENOENT, "%s has no file '%s'; did you mean '%s'?", t->root,
				  file, sp.nearest);
	return errmsg_set(err, -ENOENT, "%s has no file '%s' for this kernel", t->root, file);
}
