// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * speedscope.c - samples for speedscope, and the order of rows by thread.
 *
 *	shared.frames    [{"name":"main","file":"demo"}, …]        each function once
 *	profiles         [{"type":"sampled","name":"demo-100","unit":"nanoseconds",
 *	                   "samples":[[0,1,2],…],"weights":[1000000,…]}]     outermost frame first
 */
#include "analyse/calls/callflow.h"
#include "analyse/samples/stacknames.h"
#include "analyse/samples/sampleset.h"
#include "base/json/jsonwriter.h"
#include "base/scope.h"
#include "present/samples/profiles.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * --- rows by thread ----------------------------------------------------------------------------
 */

static int tid_of(const struct sampleset_row *r)
{
	return r->task ? r->task->pid : -1;
}

static int compare(const void *a, const void *b, void *rows)
{
	const struct sampleset_row *list = rows;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int tx = tid_of(&list[x]), ty = tid_of(&list[y]);

	return tx != ty ? (tx < ty ? -1 : 1) : x < y ? -1 : x > y;
}

int profile_rows_init(struct profile_rows *p, const struct sampleset *set)
{
	const struct sampleset_row *rows = sampleset_rows(set, &p->n);

	p->order = calloc(p->n + 1, sizeof(*p->order));
	if (!p->order)
		return -ENOMEM;
	for (size_t i = 0; i < p->n; i++)
		p->order[i] = (uint32_t)i;
	if (p->n)
		qsort_r(p->order, p->n, sizeof(*p->order), compare, (void *)rows);
	return 0;
}

void profile_rows_release(struct profile_rows *p)
{
	free(p->order);
	*p = (struct profile_rows){0};
}

size_t profile_rows_run(const struct profile_rows *p, const struct sampleset *set, size_t at)
{
	size_t n, end = at;
	const struct sampleset_row *rows = sampleset_rows(set, &n);

	while (end < p->n && tid_of(&rows[p->order[end]]) == tid_of(&rows[p->order[at]]))
		end++;
	return end - at;
}

/*
 * --- speedscope --------------------------------------------------------------------------------
 */

/*
 * Numbers the frames in the order in which the stacks use them. Their table is written before the
 * stacks, so all stacks are read once before that.
 */
struct frames {
	const struct flow_func **list; /* by number of the function */
	uint32_t *numbers;	       /* + 1; 0: not used yet */
	size_t n;
};

static int meet_frames(const struct profile_view *v, struct frames *f)
{
	size_t n_stacks = sampleset_n_stacks(v->set), n;

	/* names all stacks, after which the number of functions is known */
	for (size_t i = 0; i < n_stacks; i++)
		stacknames_chain(v->names, (uint32_t)i, &n);
	f->list = calloc(stacknames_n(v->names) + 1, sizeof(*f->list));
	f->numbers = calloc(stacknames_n(v->names) + 1, sizeof(*f->numbers));
	if (!f->list || !f->numbers)
		return -ENOMEM;
	for (size_t i = 0; i < n_stacks; i++) {
		const struct flow_func *const *chain = stacknames_chain(v->names, (uint32_t)i, &n);

		for (size_t k = 0; k < n; k++) {
			if (f->numbers[chain[k]->number])
				continue;
			f->list[f->n++] = chain[k];
			f->numbers[chain[k]->number] = (uint32_t)f->n;
		}
	}
	return 0;
}

static void frames_release(struct frames *f)
{
	free(f->list);
	free(f->numbers);
}

static void add_frames(const struct frames *f, struct jsonwriter *w)
{
	jsonwriter_open(w, "shared", '{');
	jsonwriter_open(w, "frames", '[');
	for (size_t i = 0; i < f->n; i++) {
		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_string(w, "name", f->list[i]->name);
		if (stacknames_file(f->list[i])[0])
			jsonwriter_add_string(w, "file", stacknames_file(f->list[i]));
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
	jsonwriter_close(w);
}

static void add_profile(const struct profile_view *v, const struct frames *f, const uint32_t *order,
			size_t n_rows, struct jsonwriter *w)
{
	size_t n;
	const struct sampleset_row *rows = sampleset_rows(v->set, &n);
	const struct task *task = rows[order[0]].task;
	uint64_t sum = 0;
	char name[64];

	snprintf(name, sizeof(name), "%.40s-%d", task ? task->comm : "all", task ? task->pid : 0);
	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_string(w, "type", "sampled");
	jsonwriter_add_string(w, "name", task ? name : v->title);
	jsonwriter_add_string(w, "unit", v->in_time ? "nanoseconds" : "none");
	jsonwriter_add_uint(w, "startValue", 0);
	for (size_t i = 0; i < n_rows; i++)
		sum += rows[order[i]].weight;
	jsonwriter_add_uint(w, "endValue", sum);
	jsonwriter_open(w, "samples", '[');
	for (size_t i = 0; i < n_rows; i++) {
		const struct flow_func *const *chain =
			stacknames_chain(v->names, rows[order[i]].stack, &n);

		jsonwriter_open(w, NULL, '[');
		for (size_t k = 0; k < n; k++)
			jsonwriter_add_uint(w, NULL, f->numbers[chain[k]->number] - 1);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
	jsonwriter_open(w, "weights", '[');
	for (size_t i = 0; i < n_rows; i++)
		jsonwriter_add_uint(w, NULL, rows[order[i]].weight);
	jsonwriter_close(w);
	jsonwriter_close(w);
}

int speedscope_fmt(const struct profile_view *v, struct textbuf *tb)
{
	SCOPED(profile_rows_release) struct profile_rows p = {0};
	SCOPED(frames_release) struct frames f = {0};
	struct jsonwriter w;

	TRY(profile_rows_init(&p, v->set));
	TRY(meet_frames(v, &f));
	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_string(&w, "$schema", "https://www.speedscope.app/file-format-schema.json");
	jsonwriter_add_string(&w, "exporter", "sonde");
	jsonwriter_add_string(&w, "name", v->title);
	jsonwriter_add_uint(&w, "activeProfileIndex", 0);
	add_frames(&f, &w);
	jsonwriter_open(&w, "profiles", '[');
	for (size_t at = 0; at < p.n;) {
		size_t n = profile_rows_run(&p, v->set, at);

		add_profile(v, &f, p.order + at, n, &w);
		at += n;
	}
	jsonwriter_close(&w);
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
	return 0;
}
