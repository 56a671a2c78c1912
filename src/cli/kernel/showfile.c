// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * showfile.c - prints files of the tracing directory, through a pager on a terminal.
 *
 * Where nobody waits for the first lines (no terminal), capture/tracefs/copy.c reads ahead. A pipe is read without a pager and
 * without buffers between, and SIGINT keeps its usual effect, so Ctrl-C ends even a flood at once; the kernel
 * keeps what was not read.
 */
#include "cli/kernel/showfile.h"

#include "base/errmsg.h"
#include "base/textbuf.h"
#include "cli/screen/output.h"

#include <errno.h>
#include <unistd.h>

static int print(const struct tracefs *t, const char *instance, const char *file,
		 const char *missing, bool is_pipe, struct errmsg *err)
{
	bool ahead = !is_pipe && !isatty(STDOUT_FILENO);
	int fd = tracefs_copy_open(t, instance, file, missing, err), r;
	struct output out;

	if (fd < 0)
		return fd;
	r = output_open(&out, NULL, is_pipe, err);
	if (r >= 0) {
		r = tracefs_copy(t, instance, file, fd, ahead, output_write_ctx, &out, err);
		output_close(&out);
	}
	close(fd);
	return r;
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
