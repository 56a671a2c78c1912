// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * del.c - `sonde probe del`: removes probes by name or glob, also those of other users.
 *
 * Probes of a running recording (the groups sonde_PID) are deleted only by their full name, so
 * that a glob does not delete the probes of another user.
 */
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/tracefs/probes.h"
#include "cli/probe/commands.h"
#include "probe/definition/definition.h"

#include <errno.h>
#include <stdio.h>

static const struct option_row rows[] = {
	ROW_END,
};

/* Explains why no probe was deleted: there is no such probe, or a glob must not delete it. */
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
			"which a glob does not remove: end those, or write GROUP:EVENT in full",
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

		TRY(r);
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

	TRY(n);
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
