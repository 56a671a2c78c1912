// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * livesource.c - gives a live trace the shape that the inputs of report have.
 *
 * A file's names of tasks are those that the kernel knew in the end; a live trace has those of its
 * beginning. So the latest name counts, from events and, for tasks without one, from livenames.c.
 */
#include "cli/livesource.h"

#include "base/trickle.h"
#include "symbols/tasks.h"

#include <stdlib.h>

int livesource_open(struct livesource *ls, struct tracefile *tf, const struct report_options *opts,
		    const struct sequence_config *config, const struct tracefs *t,
		    struct errmsg *err)
{
	struct formats_config fc = {.plugins = opts->plugins};
	struct sequence_config sc = report_sequence_config(opts);
	bool any_filter;
	int r;

	*ls = (struct livesource){.rep = {.opts = opts, .files = &ls->file, .n_files = 1}};
	livenames_init(&ls->names, t);
	ls->file.input = &ls->input;
	ls->file.tf = tf;
	if (t) {
		ls->rep.find_name = livenames_find;
		ls->rep.find_name_ctx = &ls->names;
	}
	r = tasks_init(&ls->file.tasks, tracefile_text(tf, TRACEFILE_CMDLINES));
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot read the names of tasks");
	r = formats_new(&ls->file.formats, tf, &fc, err);
	if (r >= 0)
		r = report_make_filters(&ls->rep, &any_filter, err);
	if (r < 0)
		return r;
	sc.fresh_names = true;
	sc.hold_rounds = config->hold_rounds;
	sc.stop = config->stop;
	sc.stop_ctx = config->stop_ctx;
	sc.wait = config->wait;
	sc.wait_ctx = config->wait_ctx;
	return report_sources_init(&ls->src, &ls->rep, &sc, err);
}

void livesource_close(struct livesource *ls)
{
	report_sources_release(&ls->src);
	for (size_t i = 0; i < ls->file.n_filters; i++)
		filter_free(ls->file.filters[i]);
	for (size_t i = 0; i < ls->file.n_rejects; i++)
		filter_free(ls->file.rejects[i]);
	free(ls->file.filters);
	free(ls->file.rejects);
	tasks_release(&ls->file.tasks);
	formats_free(ls->file.formats);
	livenames_release(&ls->names);
}

void livesource_rename(struct livesource *ls, int pid)
{
	char comm[64];
	size_t len = livenames_find(&ls->names, pid, comm, sizeof(comm));

	if (len)
		tasks_rename(&ls->file.tasks, pid, comm, len);
}

void livesource_refresh(struct livesource *ls, const struct batch *b)
{
	const struct task *last = NULL;
	uint64_t now = trickle_now_ns();

	for (size_t i = 0; i < b->n; i++) {
		const struct task *t = b->records[i].task;
		char comm[64];
		size_t len;

		if (!t || t == last || !livenames_is_due(&ls->names, t->pid, now))
			continue;
		last = t;
		len = livenames_ask(t->pid, comm, sizeof(comm));
		if (len)
			tasks_rename(&ls->file.tasks, t->pid, comm, len);
	}
}
