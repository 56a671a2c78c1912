// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extract.c - what the kernel's buffers hold now, into a file.
 *
 * The buffers are stopped (tracing_on 0) while they are read, because a running buffer has no end.
 * They stay stopped, and all other settings stay, too; on request the buffers continue afterwards.
 * Reading removes the events from the buffer, but not from a snapshot.
 */
#include "live/kernel/extract.h"

#include "base/scope.h"

#include <errno.h>

static size_t count_running(const struct tracefs *t, const struct name_list *names)
{
	size_t n = 0;

	for (size_t i = 0; i < names->n; i++)
		n += tracefs_read_number(t, names->names[i], "tracing_on") > 0;
	return n;
}

static int extract(const struct name_list *names, const struct recording_config *config, bool keep,
		   struct errmsg *err)
{
	struct recording_sum sum = {0};
	struct session s;
	int r = session_attach(&s, names, keep, err), r2;

	r = r < 0 ? r : recording_extract(&s, config, &sum, err);
	r2 = session_close(&s, err);
	return r < 0 ? r : r2;
}

int live_extract(const struct instance_args *args, const struct recording_config *config, bool keep,
		 bool *ret_stopped, struct errmsg *err)
{
	SCOPED(name_list_release) struct name_list names = {0};
	struct tracefs t;
	size_t n_running;

	TRY(tracefs_open(&t, err));
	TRY(instances_take(&t, args, &names, err));
	if (!names.n)
		return errmsg_set(
			err, -ENOENT,
			"there are no instances to extract from (-a); leave out -a for the "
			"top level");
	n_running = count_running(&t, &names);
	TRY(extract(&names, config, keep, err));
	*ret_stopped = count_running(&t, &names) < n_running;
	return 0;
}
