// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * firefox.c - samples for profiler.firefox.com: its "Gecko" form, which it converts when it opens
 * it.
 *
 *	threads[]: stringTable   texts
 *	           frameTable    [text, …, category]
 *	           stackTable    [number of the stack around it or null, frame]
 *	           samples       [stack, time in ms]
 *
 * Each thread has tables of its own. A stack is a frame upon another stack, so stacks with the same
 * callers share them.
 */
#include "analyse/calls/callflow.h"
#include "analyse/samples/stacknames.h"
#include "analyse/samples/sampleset.h"
#include "analyse/samples/stacktrie.h"
#include "base/array.h"
#include "base/json/jsonwriter.h"
#include "base/scope.h"
#include "present/samples/profiles.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdio.h>

#define VERSION		24 /* of the form */
#define CATEGORY_USER	0
#define CATEGORY_KERNEL 1

static void add_schema(struct jsonwriter *w, const char *const *names, size_t n)
{
	jsonwriter_open(w, "schema", '{');
	for (size_t i = 0; i < n; i++)
		jsonwriter_add_uint(w, names[i], i);
	jsonwriter_close(w);
	jsonwriter_open(w, "data", '[');
}

static void add_samples(const struct profile_view *v, struct stacktrie *t, const uint32_t *order,
			size_t n_rows, uint64_t first, struct jsonwriter *w)
{
	static const char *const schema[] = {"stack", "time", "responsiveness"};
	size_t n;
	const struct sampleset_row *rows = sampleset_rows(v->set, &n);

	jsonwriter_open(w, "samples", '{');
	add_schema(w, schema, ARRAY_LEN(schema));
	for (size_t i = 0; i < n_rows; i++) {
		const struct sampleset_row *r = &rows[order[i]];
		const struct flow_func *const *chain = stacknames_chain(v->names, r->stack, &n);
		uint32_t stack = stacktrie_add(t, chain, n);

		jsonwriter_open(w, NULL, '[');
		if (stack)
			jsonwriter_add_uint(w, NULL, stack - 1);
		else
			jsonwriter_add_null(w, NULL);
		jsonwriter_add_real(w, NULL, (double)(r->ts - first) / 1e6, 6);
		jsonwriter_add_uint(w, NULL, 0);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
	jsonwriter_close(w);
}

static void add_frames(const struct stacktrie *t, struct jsonwriter *w)
{
	static const char *const schema[] = {"location",       "relevantForJS", "innerWindowID",
					     "implementation", "optimizations", "line",
					     "column",	       "category",	"subcategory"};

	jsonwriter_open(w, "frameTable", '{');
	add_schema(w, schema, ARRAY_LEN(schema));
	for (size_t i = 0; i < t->n_funcs; i++) {
		jsonwriter_open(w, NULL, '[');
		jsonwriter_add_uint(w, NULL, i);
		jsonwriter_add_bool(w, NULL, false);
		jsonwriter_add_uint(w, NULL, 0);
		for (int k = 0; k < 4; k++)
			jsonwriter_add_null(w, NULL);
		jsonwriter_add_uint(w, NULL,
				    t->funcs[i]->is_user ? CATEGORY_USER : CATEGORY_KERNEL);
		jsonwriter_add_null(w, NULL);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
	jsonwriter_close(w);
	jsonwriter_open(w, "stringTable", '[');
	for (size_t i = 0; i < t->n_funcs; i++) {
		const struct flow_func *f = t->funcs[i];
		char text[600];

		if (stacknames_file(f)[0])
			snprintf(text, sizeof(text), "%.400s (in %.150s)", f->name,
				 stacknames_file(f));
		jsonwriter_add_string(w, NULL, stacknames_file(f)[0] ? text : f->name);
	}
	jsonwriter_close(w);
}

static void add_stacks(const struct stacktrie *t, struct jsonwriter *w)
{
	static const char *const schema[] = {"prefix", "frame"};

	jsonwriter_open(w, "stackTable", '{');
	add_schema(w, schema, ARRAY_LEN(schema));
	for (size_t i = 0; i < t->n_nodes; i++) {
		jsonwriter_open(w, NULL, '[');
		if (t->nodes[i].parent)
			jsonwriter_add_uint(w, NULL, t->nodes[i].parent - 1);
		else
			jsonwriter_add_null(w, NULL);
		jsonwriter_add_uint(w, NULL, t->nodes[i].func);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
	jsonwriter_close(w);
}

static void add_thread(const struct profile_view *v, const uint32_t *order, size_t n_rows,
		       uint64_t first, struct jsonwriter *w)
{
	static const char *const schema[] = {"name",  "startTime", "endTime",
					     "phase", "category",  "data"};
	SCOPED(stacktrie_release) struct stacktrie t = {0};
	size_t n;
	const struct sampleset_row *r = &sampleset_rows(v->set, &n)[order[0]];

	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_string(w, "name", r->task ? r->task->comm : "all");
	jsonwriter_add_string(w, "processType", "default");
	jsonwriter_add_int(w, "tid", r->task ? r->task->pid : 0);
	jsonwriter_add_int(w, "pid", r->tgid >= 0 ? r->tgid : r->task ? r->task->pid : 0);
	jsonwriter_add_uint(w, "registerTime", 0);
	jsonwriter_add_null(w, "unregisterTime");
	jsonwriter_open(w, "markers", '{');
	add_schema(w, schema, ARRAY_LEN(schema));
	jsonwriter_close(w);
	jsonwriter_close(w);
	add_samples(v, &t, order, n_rows, first, w);
	add_stacks(&t, w);
	add_frames(&t, w);
	jsonwriter_close(w);
}

static void add_category(const char *name, const char *colour, struct jsonwriter *w)
{
	static const char *const other[] = {"Other"};

	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_string(w, "name", name);
	jsonwriter_add_string(w, "color", colour);
	jsonwriter_add_strings(w, "subcategories", other, 1);
	jsonwriter_close(w);
}

static void add_meta(const struct profile_view *v, struct jsonwriter *w)
{
	jsonwriter_open(w, "meta", '{');
	jsonwriter_add_uint(w, "version", VERSION);
	jsonwriter_add_uint(w, "startTime", 0);
	jsonwriter_add_null(w, "shutdownTime");
	jsonwriter_add_uint(w, "interval", 1);
	jsonwriter_add_uint(w, "processType", 0);
	jsonwriter_add_uint(w, "stackwalk", 1);
	jsonwriter_add_uint(w, "debug", 0);
	jsonwriter_add_uint(w, "gcpoison", 0);
	jsonwriter_add_uint(w, "asyncstack", 1);
	jsonwriter_add_bool(w, "presymbolicated", true);
	jsonwriter_add_string(w, "product", v->title);
	jsonwriter_add_string(w, "importedFrom", "sonde");
	jsonwriter_open(w, "categories", '[');
	add_category("User", "yellow", w);
	add_category("Kernel", "orange", w);
	jsonwriter_close(w);
	jsonwriter_open(w, "markerSchema", '[');
	jsonwriter_close(w);
	jsonwriter_close(w);
}

int firefox_fmt(const struct profile_view *v, struct textbuf *tb)
{
	SCOPED(profile_rows_release) struct profile_rows p = {0};
	const struct sampleset_row *rows;
	uint64_t first = UINT64_MAX;
	struct jsonwriter w;
	size_t n;

	TRY(profile_rows_init(&p, v->set));
	rows = sampleset_rows(v->set, &n);
	for (size_t i = 0; i < n; i++)
		first = rows[i].ts < first ? rows[i].ts : first;
	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	add_meta(v, &w);
	jsonwriter_open(&w, "libs", '[');
	jsonwriter_close(&w);
	jsonwriter_open(&w, "threads", '[');
	for (size_t at = 0; at < p.n;) {
		size_t n_run = profile_rows_run(&p, v->set, at);

		add_thread(v, p.order + at, n_run, first, &w);
		at += n_run;
	}
	jsonwriter_close(&w);
	jsonwriter_open(&w, "processes", '[');
	jsonwriter_close(&w);
	jsonwriter_open(&w, "pausedRanges", '[');
	jsonwriter_close(&w);
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
	return 0;
}
