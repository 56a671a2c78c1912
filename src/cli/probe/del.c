// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * del.c - `sonde probe del`: removes probes by name or glob, whoever defined them.
 *
 * What belongs to a recording that is running (the groups sonde_PID) is removed only if its name is
 * written out: a glob does not take it away from another user.
 */
#include "base/errmsg.h"
#include "capture/tracefs/probes.h"
#include "cli/probe/commands.h"
#include "cli/probe/opts.h"
#include "probe/definition/definition.h"

#include <errno.h>
#include <stdio.h>

static const struct option_row rows[] = {
	{OPTION_END},
};

/* Nothing was removed: is there nothing, or nothing that a glob may take? */
static int refuse(const struct tracefs *t, const char *pattern, struct errmsg *err)
{
	struct errmsg ignored = {0};
	struct probe_list l = {0};
	size_t n = 0;

	if (probes_list(t, &l, &ignored) >= 0) {
		for (size_t i = 0; i < l.n; i++)
			n += probe_defined_matches(&l.list[i], pattern);
		probe_list_release(&l);
	}
	if (n)
		return errmsg_set(
			err, -EBUSY,
			"'%s' means only probes of recordings that are running (%zu), "
			"which a glob leaves alone: end those, or write GROUP:EVENT in full",
			pattern, n);
	return errmsg_set(err, -ENOENT, "there is no probe '%s'; 'sonde probe list' lists them%s",
			  pattern,
			  definition_is_one(pattern) ? ", and a probe is removed by its name, not "
						       "by its definition"
						     : "");
}

static int remove_all(const struct tracefs *t, char **patterns, int n, struct errmsg *err)
{
	int n_gone = 0;

	for (int i = 0; i < n; i++) {
		int r = probes_remove(t, patterns[i], err);

		if (r < 0)
			return r;
		if (!r)
			return refuse(t, patterns[i], err);
		n_gone += r;
	}
	fprintf(stderr, "%d probe%s removed\n", n_gone, n_gone == 1 ? "" : "s");
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct tracefs t;
	int n = command_parse(cmd, NULL, argc, argv, err), r;

	if (n < 0)
		return n;
	if (!n)
		return errmsg_set(err, -EINVAL,
				  "probe del needs a name, GROUP:EVENT or EVENT, or a glob: '*' is "
				  "all of them");
	r = tracefs_open(&t, err);
	return r < 0 ? r : remove_all(&t, argv + 1, n, err);
}

const struct command probe_del = {
	.name = "probe del",
	.summary = "delete probes by name or glob",
	.usage = "[GROUP:]EVENT…",
	.options = rows,
	.run = run,
	.args = "@probe",
};
