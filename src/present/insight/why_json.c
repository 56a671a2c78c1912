// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * why_json.c - formats the critical path of a task as JSON for the page: api/why.
 *
 *	{"task":…,"from":…,"to":…,"path":[{…,"why":"sentence",…},…],"had":[…],"sums":[…]}
 *
 * The members are part of the page's protocol (doc/VIEWER.md). A piece has "had" if the task waits
 * for a CPU. It has members about stolen time if a task of a guest runs and the host is in the
 * trace. The page shows the sentence as it is.
 */
#include "base/json/jsonwriter.h"
#include "decode/taskstate.h"
#include "present/insight/json.h"
#include "present/insight/words.h"
#include "timeline/insight/insight.h"

void interrupt_emit(const struct interrupt *i, const char *key, struct jsonwriter *w)
{
	char name[INTERRUPT_NAME_MAX];

	jsonwriter_open(w, key, '{');
	jsonwriter_add_string(w, "name", interrupt_fmt_name(i, name, sizeof(name)));
	jsonwriter_add_bool(w, "soft", i->is_soft);
	jsonwriter_add_int(w, "task", i->task);
	jsonwriter_add_uint(w, "cpu", i->cpu);
	if (i->n_names)
		jsonwriter_add_uint(w, "start", i->start);
	jsonwriter_close(w);
}

static void emit_owners(const char *key, const struct owner *list, size_t n, struct jsonwriter *w)
{
	jsonwriter_open(w, key, '[');
	for (size_t i = 0; i < n; i++) {
		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_int(w, "task", list[i].task);
		jsonwriter_add_uint(w, "ns", list[i].ns);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

static void emit_piece(const struct timeline *tl, const struct why_piece *p, struct jsonwriter *w)
{
	size_t n_owners = p->owners.n < WHY_OWNERS ? p->owners.n : WHY_OWNERS;
	char text[WHY_SENTENCE_MAX];

	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_uint(w, "start", p->start);
	jsonwriter_add_uint(w, "end", p->end);
	jsonwriter_add_int(w, "task", p->task);
	jsonwriter_add_uint(w, "state", p->state);
	jsonwriter_add_int(w, "cpu", p->cpu);
	jsonwriter_add_uint(w, "depth", p->depth);
	jsonwriter_add_string(w, "why", why_fmt_sentence(tl, p, text, sizeof(text)));
	jsonwriter_add_int(w, "waker", p->waker);
	if (p->place)
		jsonwriter_add_string(w, "in", p->place);
	if (p->function)
		jsonwriter_add_string(w, "function", p->function);
	if (p->has_irq)
		interrupt_emit(&p->irq, "irq", w);
	if (p->state == STATE_RUNNABLE || p->state == STATE_PREEMPTED)
		emit_owners("had", p->owners.list, n_owners, w);
	if (p->theft.is_known) {
		jsonwriter_add_uint(w, "stolen", p->theft.sum.ns);
		jsonwriter_add_uint(w, "stolen_asleep", p->theft.asleep);
		jsonwriter_add_uint(w, "stolen_unknown", p->theft.sum.unknown_ns);
		emit_owners("stolen_by", p->owners.list, n_owners, w);
	}
	jsonwriter_close(w);
}

void insight_emit_why(const struct insight_why *y, const struct timeline *tl, struct jsonwriter *w)
{
	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_int(w, "task", y->task);
	jsonwriter_add_uint(w, "from", y->from);
	jsonwriter_add_uint(w, "to", y->to);
	jsonwriter_open(w, "path", '[');
	for (size_t i = 0; i < y->n_pieces; i++)
		emit_piece(tl, &y->pieces[i], w);
	jsonwriter_close(w);
	emit_owners("had", y->had, y->n_had, w);
	if (y->is_guest)
		emit_owners("stolen_by", y->stolen_by, y->n_stolen_by, w);
	jsonwriter_open(w, "sums", '[');
	for (size_t i = 0; i < y->n_sums; i++) {
		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_int(w, "task", y->sums[i].task);
		jsonwriter_add_uint(w, "state", y->sums[i].state);
		jsonwriter_add_uint(w, "ns", y->sums[i].ns);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
	jsonwriter_close(w);
}
