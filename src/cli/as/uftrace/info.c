// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * info.c - `uftrace info`: what a recording says about itself; --task, --symbols.
 *
 * Sizes of symbols are those of the directory, which says where a symbol ends and not how long its
 * code is; uftrace looks at the program itself if it still exists.
 */
#include "present/uftrace/info.h"

#include "cli/as/uftrace/reading.h"
#include "cli/as/uftrace/uftrace.h"

int uft_info(struct uft_opts *o, int argc, char **argv)
{
	struct uft_reading r;
	int status = UFT_FAILED;

	(void)argc, (void)argv;
	if (uft_reading_open(&r, o)) {
		if (o->symbols)
			uft_info_print_symbols(&r.data, &r.text);
		else if (o->show_task)
			uft_info_print_tasks(&r.data, &r.text);
		else
			uft_info_print(&r.data, &r.text);
		status = 0;
	}
	return uft_reading_close(&r, status);
}
