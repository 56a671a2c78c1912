// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * select.c - api/select: a set of events, by kind, task, CPU, expression and text.
 *
 *	{"kinds":["sched/sched_switch","irq"],"tasks":["0:1234"],"cpus":["0:1"],
 *	 "expression":"sched:prev_pid==0","text":"bash","regex":false}
 *
 * Names become bits: one for each kind, task and stream, as timeline.h needs them. The answer is a
 * number that other requests use as sel=ID. A request with the same text as an earlier one is not
 * computed again, unless the trace has grown; in a live trace a selection grows with the trace
 * (stage.c). A search reads all events. When the user continues to type, the page closes the
 * connection of the earlier search, which stops that search.
 */
#include "base/json/jsonreader.h"
#include "base/clock.h"
#include "base/scope.h"
#include "base/shortage.h"
#include "decode/formats/event.h"
#include "timeline/insight/insight.h"
#include "view/api/api.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NODES_MAX 65536

struct select_bits {
	uint8_t *kinds, *tasks, *streams;
	size_t n_kinds, n_tasks, n_streams;
};

static void release_bits(struct select_bits *bits)
{
	free(bits->kinds);
	free(bits->tasks);
	free(bits->streams);
}

static void set_bit(uint8_t *bits, size_t i)
{
	bits[i / 8] |= 1u << (i % 8);
}

/* Returns true if the word is "system/name", or one word that matches either. */
static bool kind_fits(const struct event *ev, const char *word)
{
	const char *slash = strchr(word, '/');

	if (!slash)
		return !strcmp(ev->name, word) || !strcmp(ev->system, word);
	if (strlen(ev->system) != (size_t)(slash - word) || strncmp(ev->system, word, slash - word))
		return false;
	return !strcmp(slash + 1, ev->name);
}

static int take_kinds(const struct stage *st, const struct jsondoc *doc,
		      const struct jsonnode *list, struct select_bits *b, struct errmsg *err)
{
	b->n_kinds = timeline_n_kinds(st->tl);
	b->kinds = calloc(b->n_kinds / 8 + 1, 1);
	if (!b->kinds)
		return errmsg_set_errno(err, -ENOMEM, "cannot select");
	for (const struct jsonnode *n = jsonnode_first(doc, list); n; n = jsonnode_next(doc, n)) {
		if (n->kind != JSON_TEXT)
			return errmsg_set(err, -EINVAL,
					  "kinds must be texts like sched/sched_switch");
		for (size_t i = 0; i < b->n_kinds; i++) {
			const struct timeline_kind *k = timeline_kind(st->tl, i);

			if (k->event && kind_fits(k->event, n->text))
				set_bit(b->kinds, i);
		}
	}
	return 0;
}

/* Parses "machine:cpu" or "machine:pid". */
static bool parse_place(const struct jsonnode *n, uint32_t *ret_machine, uint32_t *ret_number)
{
	char *end;
	unsigned long v;

	if (n->kind != JSON_TEXT || n->text[0] < '0' || n->text[0] > '9')
		return false;
	v = strtoul(n->text, &end, 10);
	if (v > UINT32_MAX || end[0] != ':' || end[1] < '0' || end[1] > '9')
		return false;
	*ret_machine = v;
	v = strtoul(end + 1, &end, 10);
	*ret_number = v;
	return v <= UINT32_MAX && !*end;
}

static int take_tasks(const struct stage *st, const struct jsondoc *doc,
		      const struct jsonnode *list, struct select_bits *b, struct errmsg *err)
{
	b->n_tasks = timeline_n_tasks(st->tl);
	b->tasks = calloc(b->n_tasks / 8 + 1, 1);
	if (!b->tasks)
		return errmsg_set_errno(err, -ENOMEM, "cannot select");
	for (const struct jsonnode *n = jsonnode_first(doc, list); n; n = jsonnode_next(doc, n)) {
		uint32_t machine, pid;

		if (!parse_place(n, &machine, &pid))
			return errmsg_set(err, -EINVAL,
					  "tasks must be texts like \"0:1234\", machine and PID");
		for (size_t i = 0; i < b->n_tasks; i++) {
			const struct timeline_task *t = timeline_task(st->tl, i);

			if (t->machine == machine && t->pid == (int64_t)pid)
				set_bit(b->tasks, i);
		}
	}
	return 0;
}

static int take_cpus(const struct stage *st, const struct jsondoc *doc, const struct jsonnode *list,
		     struct select_bits *b, struct errmsg *err)
{
	b->n_streams = timeline_n_streams(st->tl);
	b->streams = calloc(b->n_streams / 8 + 1, 1);
	if (!b->streams)
		return errmsg_set_errno(err, -ENOMEM, "cannot select");
	for (const struct jsonnode *n = jsonnode_first(doc, list); n; n = jsonnode_next(doc, n)) {
		uint32_t machine, cpu;

		if (!parse_place(n, &machine, &cpu))
			return errmsg_set(err, -EINVAL,
					  "cpus must be texts like \"0:1\", machine and CPU");
		for (size_t i = 0; i < b->n_streams; i++) {
			const struct timeline_stream *s = timeline_stream(st->tl, i);

			if (s->cpu == cpu && timeline_source(st->tl, s->source)->machine == machine)
				set_bit(b->streams, i);
		}
	}
	return 0;
}

static int take_text(const struct jsonnode *n, const char *what, const char **ret,
		     struct errmsg *err)
{
	if (n && n->kind == JSON_NULL)
		n = NULL;
	if (n && n->kind != JSON_TEXT)
		return errmsg_set(err, -EINVAL, "%s must be a text", what);
	*ret = n && n->text[0] ? n->text : NULL;
	return 0;
}

static int take_list(const struct stage *st, const struct jsondoc *doc, const char *name,
		     int (*taker)(const struct stage *, const struct jsondoc *,
				  const struct jsonnode *, struct select_bits *, struct errmsg *),
		     struct select_bits *b, struct errmsg *err)
{
	const struct jsonnode *list = jsonnode_find(doc, jsondoc_root(doc), name);

	if (!list || list->kind == JSON_NULL)
		return 0;
	if (list->kind != JSON_ARRAY)
		return errmsg_set(err, -EINVAL, "%s must be a list", name);
	return taker(st, doc, list, b, err);
}

static int read_wants(const struct stage *st, const struct jsondoc *doc, struct select_bits *b,
		      struct selection_wants *ret, struct errmsg *err)
{
	const struct jsonnode *root = jsondoc_root(doc), *regex;

	if (root->kind != JSON_OBJECT)
		return errmsg_set(err, -EINVAL, "select needs an object");
	TRY(take_list(st, doc, "kinds", take_kinds, b, err));
	TRY(take_list(st, doc, "tasks", take_tasks, b, err));
	TRY(take_list(st, doc, "cpus", take_cpus, b, err));
	TRY(take_text(jsonnode_find(doc, root, "expression"), "expression", &ret->expression, err));
	TRY(take_text(jsonnode_find(doc, root, "text"), "text", &ret->text, err));
	regex = jsonnode_find(doc, root, "regex");
	ret->is_regex = regex && regex->kind == JSON_BOOL && regex->number;
	ret->kinds = b->kinds;
	ret->n_kinds = b->n_kinds;
	ret->tasks = b->tasks;
	ret->n_tasks = b->n_tasks;
	ret->streams = b->streams;
	return 0;
}

/*
 * Makes a selection. what has the request and the number of the selection. before is the earlier
 * result, when fewer events were indexed, or NULL.
 */
static int make(struct stage *st, struct stage_selection what, const struct selection *before,
		const struct request *req, struct stage_selection **ret, struct errmsg *err)
{
	struct selection_wants wants = {.before = before};
	uint64_t begin = clock_now_ns();
	unsigned n_refused = shortage_count();
	SCOPED(release_bits) struct select_bits bits = {0};
	SCOPED(jsondoc_release) struct jsondoc doc = {0};
	struct selection *sel;

	TRY(jsondoc_parse(&doc, what.body, what.body_len, NODES_MAX, err));
	what.n_events = timeline_n_events(st->tl);
	TRY(read_wants(st, &doc, &bits, &wants, err));
	TRY(selection_new(&sel, st->tl, &wants, req ? req->is_gone : NULL,
			  req ? req->gone_ctx : NULL, err));
	/*
	 * the result is kept, so an event that could not be read would be missing in every later
	 * answer
	 */
	if (shortage_count() != n_refused) {
		selection_free(sel);
		return errmsg_set_errno(err, -ENOMEM, "cannot select");
	}
	what.made_ns = clock_now_ns();
	what.cost_ns = what.made_ns - begin;
	return stage_selection_add(st, &what, sel, ret, err);
}

int api_select_again(struct stage *st, struct stage_selection *s, struct stage_selection **ret,
		     struct errmsg *err)
{
	struct stage_selection what = {.id = s->id, .body = s->body, .body_len = s->body_len};

	return make(st, what, s->sel, NULL, ret, err);
}

int api_select_tasks(struct stage *st, const struct stage_selection *s, uint8_t **ret,
		     struct errmsg *err)
{
	SCOPED(release_bits) struct select_bits bits = {0};
	SCOPED(jsondoc_release) struct jsondoc doc = {0};

	*ret = NULL;
	if (!s)
		return 0;
	TRY(jsondoc_parse(&doc, s->body, s->body_len, NODES_MAX, err));
	TRY(take_list(st, &doc, "tasks", take_tasks, &bits, err));
	if (!bits.tasks)
		return 0;
	*ret = calloc(1, INSIGHT_TASKS / 8);
	if (!*ret)
		return errmsg_set_errno(err, -ENOMEM, "cannot select");
	memcpy(*ret, bits.tasks,
	       bits.n_tasks < INSIGHT_TASKS ? bits.n_tasks / 8 + 1 : INSIGHT_TASKS / 8);
	return 0;
}

int api_select(struct stage *st, const struct request *req, struct answer *a, struct errmsg *err)
{
	struct stage_selection *s = stage_selection_find(st, req->body, req->body_len);
	/* check this first, because more events may be indexed during the search */
	bool is_whole = timeline_progress(st->tl) >= 1;
	struct jsonwriter w;
	struct stage_selection what = {.body = (char *)req->body, .body_len = req->body_len};

	TRY(s ? 0 : make(st, what, NULL, req, &s, err));
	jsonwriter_init(&w, &a->body);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_uint(&w, "id", s->id);
	jsonwriter_add_uint(&w, "count", selection_count(s->sel));
	jsonwriter_add_bool(&w, "whole", is_whole);
	jsonwriter_close(&w);
	stage_selection_put(st, s);
	return 0;
}
