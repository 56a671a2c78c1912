// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * showfile.c - prints files of the tracing directory, through a pager on a terminal.
 *
 * If the output is not a terminal, capture/tracefs/copy.c reads larger pieces. A pipe is read
 * without a pager and without buffering, and SIGINT keeps its usual effect, so Ctrl-C ends even a
 * fast stream at once. The kernel keeps the rest.
 */
#include "cli/kernel/showfile.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/screen/output.h"

#include <unistd.h>

static int print(const struct tracefs *t, const char *instance, const char *file,
		 const char *missing, bool is_pipe, struct errmsg *err)
{
	bool ahead = !is_pipe && !isatty(STDOUT_FILENO);
	SCOPED(scope_close) int fd = tracefs_copy_open(t, instance, file, missing, err);
	struct output out;
	int r;

	TRY(fd);
	TRY(output_open(&out, NULL, is_pipe, err));
	r = tracefs_copy(t, instance, file, fd, ahead, output_write_ctx, &out, err);
	output_close(&out);
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
	return output_print(tb, NULL, false, err);
}
