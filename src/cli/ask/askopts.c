// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * askopts.c - opens the files of `sonde why` and `sonde states`, and prints the result.
 *
 * The files are indexed as in `sonde view`, so the results equal those of the page. Only one thread
 * indexes: with several, tasks would have other numbers each time, and equal rows another order.
 */
#include "cli/ask/askopts.h"

#include "base/scope.h"
#include "cli/screen/output.h"
#include "cli/screen/notes.h"
#include "present/insight/words.h"
#include "timeline/moment.h"
#include "timeline/taskmatch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_word(const char **list, size_t *n, const char *word, const char *what,
		    struct errmsg *err)
{
	if (*n == ASK_WORDS_MAX)
		return errmsg_set(err, -EINVAL, "more than %d %s cannot be given", ASK_WORDS_MAX,
				  what);
	list[(*n)++] = word;
	return 0;
}

int ask_input(void *opts, const char *value, struct errmsg *err)
{
	struct ask_options *o = opts;

	return add_word(o->inputs, &o->n_inputs, value, "files", err);
}

int ask_task(void *opts, const char *value, struct errmsg *err)
{
	struct ask_options *o = opts;

	return add_word(o->tasks, &o->n_tasks, value, "tasks", err);
}

/* --- opening ---------------------------------------------------------------------------------- */

static int find_range(struct asking *a, struct errmsg *err)
{
	const struct timeline *tl = a->vt.stage->tl;
	uint64_t end = timeline_duration(tl);
	char first[32], last[32];
	int r = 0;

	a->from = 0;
	a->to = UINT64_MAX;
	if (a->o->from)
		r = moment_parse(tl, "--from", a->o->from, &a->from, err);
	if (r >= 0 && a->o->to)
		r = moment_parse(tl, "--to", a->o->to, &a->to, err);
	TRY(r);
	if (a->from > a->to)
		return errmsg_set(err, -EINVAL, "--from %s is later than --to %s", a->o->from,
				  a->o->to);
	if (a->from >= end || !a->to)
		return errmsg_set(err, -EINVAL,
				  "nothing of the trace is in this range; it goes from %s to %s",
				  moment_fmt(tl, 0, first, sizeof(first)),
				  moment_fmt(tl, end, last, sizeof(last)));
	a->to = a->to < end ? a->to : end;
	return 0;
}

static int name_machines(struct asking *a, struct errmsg *err)
{
	const struct stage_config *c = &a->vt.stage->config;

	a->machines = calloc(c->n_machines + 1, sizeof(*a->machines));
	if (!a->machines)
		return errmsg_set_errno(err, -ENOMEM, "cannot open the trace");
	for (size_t i = 0; i < c->n_machines; i++)
		a->machines[i] = c->machines[i].name;
	a->view = (struct insight_view){
		.tl = a->vt.stage->tl, .machines = a->machines, .n_machines = c->n_machines};
	return 0;
}

static int check_sched(const struct asking *a, struct errmsg *err)
{
	for (size_t i = 0; i < a->view.n_machines; i++)
		if (timeline_has_sched(a->view.tl, i))
			return 0;
	return errmsg_set(err, -ENODATA,
			  "%s has no sched_switch events, which show what tasks did; record with "
			  "-e sched",
			  a->o->inputs[0]);
}

int asking_open(struct asking *a, struct ask_options *o, int n, char **argv, struct errmsg *err)
{
	bool colour = false;

	*a = (struct asking){.o = o};
	TRY(output_find_colour(o->colour, &colour, err));
	for (int i = 1; i <= n; i++)
		TRY(ask_input(o, argv[i], err));
	if (!o->n_inputs)
		TRY(ask_input(o, "trace.dat", err));
	TRY(viewtrace_open(&a->vt, o->inputs, o->n_inputs, VIEWTRACE_EXPORT, err));
	TRY(stage_start(a->vt.stage, NULL, err));
	if (timeline_wait(a->vt.stage->tl) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot index the trace");
	TRY(name_machines(a, err));
	a->view.colour = colour;
	TRY(check_sched(a, err));
	return find_range(a, err);
}

void asking_close(struct asking *a)
{
	viewtrace_close(&a->vt);
	free(a->machines);
}

/* --- tasks ------------------------------------------------------------------------------------ */

void asking_fmt_tasks(const struct asking *a, const uint16_t *tasks, size_t n, size_t n_all,
		      struct textbuf *tb)
{
	char name[TASK_NAME_MAX];

	for (size_t i = 0; i < n && i < n_all; i++)
		textbuf_addf(tb, "%s%s", i ? ", " : "",
			     view_task_fmt(&a->view, tasks[i], name, sizeof(name)));
	if (n_all > n)
		textbuf_addf(tb, " and %zu more", n_all - n);
}

int asking_match(const struct asking *a, const char *word, uint16_t *ret, size_t max, size_t *ret_n,
		 struct errmsg *err)
{
	const char *rest = word;
	int machine = -1;

	/* "guest1:bash-812" is the form for tasks of several machines */
	for (size_t i = 0; i < a->view.n_machines && a->view.n_machines > 1; i++) {
		size_t len = strlen(a->machines[i]);

		if (!strncmp(word, a->machines[i], len) && word[len] == ':') {
			machine = i;
			rest = word + len + 1;
		}
	}
	*ret_n = tasks_match(a->view.tl, machine, rest, ret, max);
	if (*ret_n)
		return 0;
	return errmsg_set(
		err, -ENOENT,
		"there is no task '%s' in %s; 'sonde states' lists the tasks (pid, name, or "
		"name-pid)",
		word, a->o->inputs[0]);
}

/* --- printing --------------------------------------------------------------------------------- */

int asking_print(struct asking *a, const struct textbuf *tb, struct errmsg *err)
{
	int r = output_print(tb, a->o->colour, a->o->no_pager, err);

	return r >= 0 && notes_print_damage(&a->vt.inputs, false) ? 1 : r;
}
