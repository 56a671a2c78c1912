// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * source.c - gives a live trace the shape that opened files have.
 *
 * A file's names of tasks are those that the kernel knew in the end; a live trace has those of its
 * beginning. From then on events tell (setup/names.c), so that each event has the name that its task had. Where they
 * cannot the latest name counts, from events and, for tasks without one, from names.c.
 */
#include "live/source.h"

#include "base/clock.h"
#include "decode/formats/formats.h"
#include "store/tracefile.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* All others are seen, also those whose formats are not known. */
static int hide_name_events(struct livesource *ls, struct errmsg *err)
{
	const struct formats *f = ls->file.formats;

	if (!ls->setup->tells_names)
		return 0;
	ls->events = malloc(SEQUENCE_IDS);
	if (!ls->events)
		return errmsg_set_errno(err, -ENOMEM, "cannot choose events");
	memset(ls->events, 1, SEQUENCE_IDS);
	for (size_t i = 0; i < f->n_events; i++)
		if ((unsigned)f->by_id[i]->id < SEQUENCE_IDS &&
		    setup_is_for_names(ls->setup, f->by_id[i]->system, f->by_id[i]->name))
			ls->events[f->by_id[i]->id] = 0;
	sequence_set_events(ls->src.seq, ls->events, SEQUENCE_IDS);
	return 0;
}

int livesource_open(struct livesource *ls, struct tracefile *tf, const struct inputs_spec *spec,
		    const struct sequence_config *config, const struct setup *setup,
		    struct errmsg *err)
{
	struct formats_config fc = {.plugins = spec->plugins,
				    .programs = setup->mappings ? mappings_programs(setup->mappings)
								: NULL,
				    .processes = setup->processes};
	struct sequence_config sc = *config;
	bool any_filter;
	int r;

	*ls = (struct livesource){.inputs = {.spec = spec, .files = &ls->file, .n_files = 1}};
	ls->setup = setup;
	livenames_init(&ls->names, &setup->t);
	ls->file.input = &ls->input;
	ls->file.tf = tf;
	ls->inputs.find_name = livenames_find;
	ls->inputs.find_name_ctx = &ls->names;
	r = tasks_init(&ls->file.tasks, tracefile_text(tf, TRACEFILE_CMDLINES));
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot read the names of tasks");
	r = formats_new(&ls->file.formats, tf, &fc, err);
	if (r >= 0)
		tasks_set_processes(&ls->file.tasks, ls->file.formats->processes);
	if (r >= 0)
		r = inputs_filter(&ls->inputs, &any_filter, err);
	if (r < 0)
		return r;
	sc.fresh_names = true;
	sc.tgids = true;
	if (setup_can_lose(setup)) /* not told without memory */
		sc.n_walked = ls->n_walked = calloc(SEQUENCE_IDS, sizeof(*ls->n_walked));
	r = inputs_sources_init(&ls->src, &ls->inputs, &sc, err);
	return r < 0 ? r : hide_name_events(ls, err);
}

void livesource_close(struct livesource *ls)
{
	inputs_sources_release(&ls->src);
	inputs_release_filters(&ls->inputs);
	tasks_release(&ls->file.tasks);
	formats_free(ls->file.formats);
	livenames_release(&ls->names);
	free(ls->events);
	free(ls->n_walked);
}

void livesource_rename(struct livesource *ls, int pid)
{
	char comm[64];
	size_t len =
		ls->setup->tells_names ? 0 : livenames_find(&ls->names, pid, comm, sizeof(comm));

	if (len)
		tasks_rename(&ls->file.tasks, pid, comm, len);
}

void livesource_refresh(struct livesource *ls, const struct batch *b)
{
	const struct task *last = NULL;
	uint64_t now = clock_now_ns();

	if (ls->setup->mappings) /* its tasks may have mapped what they point to just now */
		mappings_catch_up(ls->setup->mappings);
	for (size_t i = 0; i < b->n && !ls->setup->tells_names; i++) {
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
