// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * source.c - makes a live trace look like opened files.
 *
 * A file has the task names that the kernel knew at the end; a live trace has those of its start.
 * From then on events report names (setup/names.c), so each event has the name that its task had
 * then. Otherwise the latest name counts, from events or, for tasks without one, from names.c.
 */
#include "live/source.h"

#include "base/clock.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/calls/usertrace.h"
#include "capture/perf/sampling.h"
#include "decode/formats/formats.h"
#include "format/bytes.h"
#include "store/tracefile.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SYMBOLS_MAX_BYTES (512u << 20)
#define HOLD_ROUNDS	  1 /* see sequence.h */

bool livesource_is_late(const struct livesource *ls)
{
	return clock_now_ns() >= ls->until_ns;
}

static bool stop(void *ctx)
{
	return livesource_is_late(ctx);
}

/*
 * Hides the events that only provide names; all others are shown, including those with unknown
 * formats.
 */
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
				    .short_names = spec->short_names,
				    .programs = setup->mappings ? mappings_programs(setup->mappings)
								: NULL,
				    .processes = setup->processes};
	struct sequence_config sc = *config;
	bool any_filter;
	int r;

	*ls = (struct livesource){.inputs = {.spec = spec, .files = &ls->file, .n_files = 1}};
	ls->setup = setup;
	livenames_init(&ls->names, &setup->t);
	ls->names.user = setup->user;
	ls->file.input = &ls->input;
	ls->file.tf = tf;
	ls->inputs.find_name = livenames_find;
	ls->inputs.find_name_ctx = &ls->names;
	r = tasks_init(&ls->file.tasks, tracefile_text(tf, TRACEFILE_CMDLINES));
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot read the names of tasks");
	TRY(formats_new(&ls->file.formats, tf, &fc, err));
	tasks_set_processes(&ls->file.tasks, ls->file.formats->processes);
	livesource_learn(ls);
	TRY(inputs_filter(&ls->inputs, &any_filter, err));
	sc.hold_rounds = HOLD_ROUNDS;
	sc.stop = stop;
	sc.stop_ctx = ls;
	sc.fresh_names = true;
	sc.tgids = true;
	if (setup_can_lose(setup)) /* if memory is short, lost hits are not reported */
		sc.n_walked = ls->n_walked = calloc(SEQUENCE_IDS, sizeof(*ls->n_walked));
	TRY(inputs_sources_init(&ls->src, &ls->inputs, &sc, err));
	return hide_name_events(ls, err);
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

/* Learns the names of a program's functions before the program calls the first of them. */
void livesource_learn(struct livesource *ls)
{
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = SYMBOLS_MAX_BYTES};

	if (ls->setup->user)
		usertrace_add_new_symbols(ls->setup->user, &ls->n_user_files, &text);
	if (ls->setup->samples)
		sampling_add_new_symbols(ls->setup->samples, &ls->sampled_len, &text);
	if (!textbuf_len(&text))
		return;
	formats_add_symbols(ls->file.formats, PIECE_OF_TEXT(&text));
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

	livesource_learn(ls);
	/* addresses in these records may point to code that the tasks have just mapped */
	if (ls->setup->mappings)
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
