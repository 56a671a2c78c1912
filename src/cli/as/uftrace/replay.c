// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * replay.c - `uftrace replay`: hands the options to present/uftrace/replay.h.
 *
 * Exit statuses are those of uftrace: 255 if there is no recording, 1 if a column of -f is unknown.
 * A filter that matches nothing is reported, and the command goes on.
 */
#include "present/uftrace/replay.h"

#include "cli/as/uftrace/reading.h"
#include "cli/as/uftrace/uftrace.h"

int uft_replay(struct uft_opts *o, int argc, char **argv)
{
	struct uft_reading r;
	int status = UFT_FAILED;

	(void)argc, (void)argv;
	if (uft_reading_open(&r, o) && uft_reading_walk(&r)) {
		struct uft_replay_config c = {
			.fields = o->fields,
			.events = r.events,
			.flat = o->flat,
			.no_merge = o->no_merge,
			.no_comment = o->no_comment,
			.no_args = o->no_args,
			.column_view = o->column_view,
			.column_offset = o->column_offset,
			.task_newline = o->task_newline,
			.libname = o->libname,
			.srcline = o->srcline,
		};

		status = uft_replay_print(r.walk, &c, &r.text) ? 0 : 1;
	}
	return uft_reading_close(&r, status);
}
