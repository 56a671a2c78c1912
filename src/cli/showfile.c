// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * showfile.c - from a file of the tracing directory to standard output.
 *
 * A file is copied piece by piece, as the kernel makes it: a full buffer is gigabytes of text. Where nobody waits for the
 * first lines (no terminal), the pieces are large: what is traced may be writes, of which each piece is one, and small
 * ones would add more lines to the trace than they take from it. What is traced may be our reads, too: then each finds at
 * least the event that it made itself, and the end of the file never comes. So a buffer ends where we have caught up with
 * it. The kernel puts as many events as fit into a page, of 4 KB at least, into one answer:
 *
 *	4050  4012  1890  103  103  103 …	bytes that the reads found
 *	                  └── it was all there is: an event that had not fit behind the 1890 has more than 2048
 *
 * A pipe is read without a pager and without buffers between, and SIGINT keeps its usual effect, so Ctrl-C ends
 * even a flood at once; the kernel keeps what was not read.
 */
#include "cli/showfile.h"

#include "base/errmsg.h"
#include "cli/output.h"

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
	bool is_buffer; /* of events: there may be more with each read */
	bool was_short; /* the last read */
};

static int open_or_say(const struct tracefs *t, const char *instance, const char *file,
		       const char *missing, struct errmsg *err)
{
	int fd = tracefs_open_file(t, instance, file, O_RDONLY);

	if (fd == -ENOENT && missing)
		return errmsg_set(err, fd, "this kernel has no %s", missing);
	return fd < 0 ? tracefs_refuse_read(t, instance, file, fd, err) : fd;
}

/* 0 at the end. */
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
 * One read, or as many as fill the buffer but for less than a piece. How much it was; *ret is 0 at the end, or the code of a
 * read that failed.
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

/* Returns the code of a read that failed in *ret_read: the sentence needs the file's name. */
static int copy(struct source *s, struct output *out, bool is_pipe, int *ret_read)
{
	bool ahead = !is_pipe && !isatty(STDOUT_FILENO);
	size_t n_bytes = ahead ? AHEAD_BYTES : PIECE_BYTES;
	char *buf = malloc(n_bytes);
	int r = buf ? 0 : -ENOMEM;

	*ret_read = 1;
	while (!r && *ret_read > 0) {
		size_t len = fill(s, buf, n_bytes, ahead, ret_read);

		if (len)
			r = output_write(out, buf, len);
		if (output_is_closed(out))
			break;
	}
	free(buf);
	return r;
}

static bool is_buffer(const char *file)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;

	return !strcmp(name, "trace") || !strcmp(name, "snapshot");
}

static int print(const struct tracefs *t, const char *instance, const char *file,
		 const char *missing, bool no_pager, struct errmsg *err)
{
	struct source source = {.fd = open_or_say(t, instance, file, missing, err),
				.is_buffer = is_buffer(file)};
	struct output out;
	int r, r_read = 0;

	if (source.fd < 0)
		return source.fd;
	r = output_open(&out, NULL, no_pager, err);
	if (r >= 0) {
		r = copy(&source, &out, no_pager, &r_read);
		output_close(&out);
	}
	close(source.fd);
	return r >= 0 && r_read < 0 ? tracefs_refuse_read(t, instance, file, r_read, err) : r;
}

int showfile_print(const struct tracefs *t, const char *instance, const char *file,
		   const char *missing, struct errmsg *err)
{
	return print(t, instance, file, missing, false, err);
}

int showfile_follow(const struct tracefs *t, const char *instance, const char *file,
		    struct errmsg *err)
{
	return print(t, instance, file, NULL, true, err);
}

int showfile_print_text(const struct textbuf *tb, struct errmsg *err)
{
	struct output out;
	int r;

	if (tb->overflow)
		return errmsg_set(err, -EFBIG, "the text is longer than %u MB",
				  SHOWFILE_MAX_BYTES >> 20);
	r = output_open(&out, NULL, false, err);
	if (r < 0)
		return r;
	r = output_write(&out, tb->start, textbuf_len(tb));
	output_close(&out);
	return r;
}

int showfile_fmt_cpu(const struct tracefs *t, const char *cpu, const char *file, char *buf,
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
