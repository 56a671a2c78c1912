// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * engines.c - answers the question of a recipe with the engines of count, latency and functions,
 * and makes rows of their groups.
 *
 *	by TASK vec      ──▶ "$task", "vec"                              words of keys.h
 *	time A to B …    ──▶ every event of the trace that is an A and has the keys; the same for B
 *	group (7, 0x10)  ──▶ "bash-7\tTIMER"                             label
 *
 * An engine refuses a question about an event or a field that the trace does not have. A recipe is
 * written for many kernels, so events and fields that a trace lacks are first removed from the
 * question.
 *
 * Labels show a value as sonde-count(1) does, with two exceptions: a signal is shown by name, and a
 * code address as the function without an offset.
 */
#include "analyse/study/study_int.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "decode/formats/event.h"
#include "symbols/kallsyms.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

#define P99 9900 /* of 10 000 */

/*
 * --- words -------------------------------------------------------------------------------------
 */

static void take_word(char to[KEY_WORD_MAX], const char *word)
{
	static const struct {
		const char *study, *key;
	} rows[] = {{"CPU", "$cpu"},
		    {"COMM", "$comm"},
		    {"PID", "$pid"},
		    {"TASK", "$task"},
		    {"EVENT", "$event"}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (!strcmp(rows[i].study, word))
			word = rows[i].key;
	snprintf(to, KEY_WORD_MAX, "%s", word);
}

static bool has_word(const struct event *ev, const char *word)
{
	struct key_slot slot = key_bind(ev, word);

	return key_can_match(&slot, word);
}

static bool is_one_of(const char (*patterns)[STUDY_WORD_MAX], size_t n, const struct event *ev)
{
	return ARRAY_ANY(n, i, key_event_matches(patterns[i], ev->system, ev->name));
}

/*
 * --- labels ------------------------------------------------------------------------------------
 */

static void fmt_value(struct keyreader *kr, const struct key_slot *slot, uint64_t v,
		      struct textbuf *tb)
{
	const struct ksym *sym = key_is_code(slot) ? keyreader_symbol(kr, v) : NULL;

	if (sym)
		return textbuf_add(tb, sym->name, sym->name_len);
	if (slot->kind == KEY_NUMBER && !slot->names && !strcmp(slot->field->name, "sig") &&
	    v < 65 && sigabbrev_np((int)v))
		return textbuf_addf(tb, "SIG%s", sigabbrev_np((int)v));
	key_fmt(kr, slot, v, tb);
}

static void fmt_label(struct study *s, struct keyreader *kr, const struct keyed *key, size_t n)
{
	textbuf_clear(&s->label);
	for (size_t i = 0; i < n; i++) {
		if (i)
			textbuf_add_char(&s->label, '\t');
		fmt_value(kr, key->slots[i], key->values[i], &s->label);
	}
}

/*
 * --- count -------------------------------------------------------------------------------------
 */

static bool occurs(const struct study *s, const char *pattern)
{
	for (size_t i = 0; i < s->f->n_events; i++) {
		const struct event *ev = s->f->by_id[i];

		if ((size_t)ev->id < s->f->n_table &&
		    key_event_matches(pattern, ev->system, ev->name))
			return true;
	}
	return false;
}

static int count_start(struct study *s)
{
	const struct study_spec *spec = s->spec;
	struct keycount_config *c = &s->count.config;
	struct errmsg err = {0};

	c->events = s->count.events;
	c->is_joint = true;
	c->with_own = spec->with_own;
	c->n_words = spec->n_groups;
	for (size_t i = 0; i < spec->n_groups; i++)
		take_word(c->words[i], spec->groups[i]);
	for (size_t i = 0; i < spec->n_from; i++)
		if (occurs(s, spec->from[i]))
			s->count.events[c->n_events++] = spec->from[i];
	return c->n_events ? keycount_new(&s->count.counter, s->f, c, &err) : -ENOENT;
}

static void count_add(struct study *s, const struct record *rec)
{
	keycount_add(s->count.counter, rec);
}

static int count_finish(struct study *s)
{
	const struct keycount_row *const *rows;
	size_t n;

	TRY(keycount_finish(s->count.counter));
	rows = keycount_rows(s->count.counter, &n);
	for (size_t i = 0; i < n; i++) {
		fmt_label(s, keycount_keys(s->count.counter), &rows[i]->key, s->spec->n_groups);
		study_take_row(s, &(struct study_row){.n = rows[i]->now.n});
	}
	s->n_seen = keycount_total(s->count.counter);
	s->n_dropped += keycount_n_dropped(s->count.counter);
	return 0;
}

static void count_free(struct study *s)
{
	keycount_free(s->count.counter);
}

const struct study_engine study_count = {count_start, count_add, count_finish, count_free};

/*
 * --- time --------------------------------------------------------------------------------------
 */

static bool has_keys(const struct latency_config *c, const struct event *ev, bool is_from)
{
	return !ARRAY_ANY(c->n_fields, i,
			  !has_word(ev, is_from ? c->fields[i].from : c->fields[i].to));
}

static bool has_groups(const struct latency_config *c, const struct event *ev)
{
	return !ARRAY_ANY(c->n_groups, i, !has_word(ev, c->groups[i].word));
}

/* Finds the events that are starts, or ends. Returns 0 or -ENOMEM. */
static int find_events(struct study *s, bool is_from, struct latency_events *ret)
{
	const struct study_spec *spec = s->spec;
	const struct event **list = arena_alloc_array(&s->arena, s->f->n_events + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	ret->list = list;
	for (size_t i = 0; i < s->f->n_events; i++) {
		const struct event *ev = s->f->by_id[i];

		if ((size_t)ev->id >= s->f->n_table ||
		    !is_one_of(is_from ? spec->from : spec->to, is_from ? spec->n_from : spec->n_to,
			       ev))
			continue;
		ev = formats_find(s->f, ev->id);
		if (ev && has_keys(&s->time.config, ev, is_from))
			list[ret->n++] = ev;
	}
	return 0;
}

/* Takes the groups from the start event if it has all of them, otherwise from the end event. */
static void choose_side(struct latency_config *c)
{
	enum latency_side side = LATENCY_TO;

	for (size_t i = 0; i < c->from_events.n; i++)
		if (has_groups(c, c->from_events.list[i]))
			side = LATENCY_FROM;
	for (size_t i = 0; i < c->n_groups; i++)
		c->groups[i].side = side;
}

static int time_start(struct study *s)
{
	const struct study_spec *spec = s->spec;
	struct latency_config *c = &s->time.config;
	struct errmsg err = {0};

	c->match = LATENCY_BY_FIELD;
	c->keeps_first = true;
	c->with_own = spec->with_own;
	c->n_fields = spec->n_keys;
	c->n_groups = spec->n_groups;
	for (size_t i = 0; i < spec->n_keys; i++) {
		take_word(c->fields[i].from, spec->keys[i].from);
		take_word(c->fields[i].to, spec->keys[i].to);
	}
	for (size_t i = 0; i < spec->n_groups; i++)
		take_word(c->groups[i].word, spec->groups[i]);
	latency_scale_settle(&c->scale);
	TRY(find_events(s, true, &c->from_events));
	TRY(find_events(s, false, &c->to_events));
	choose_side(c);
	return latency_new(&s->time.pairs, s->f, c, &err);
}

static void time_add(struct study *s, const struct record *rec)
{
	latency_add(s->time.pairs, rec);
}

/* Returns the largest number with the same four leading bits: at most an eighth more. */
static uint64_t round_up(uint64_t v)
{
	return v < 16 ? v : v | (UINT64_MAX >> (__builtin_clzll(v) + 4));
}

static void take_spread(struct study *s, const struct latency_spread *spread)
{
	uint64_t p99 = round_up(latency_spread_percentile(spread, P99));

	study_take_row(s, &(struct study_row){.n = spread->n,
					      .total = spread->total,
					      .max = spread->max,
					      .max_ts = spread->max_ts,
					      .p99 = p99 < spread->max ? p99 : spread->max});
}

static int time_finish(struct study *s)
{
	const struct latencies *l = latency_result(s->time.pairs);

	TRY(latency_finish(s->time.pairs));
	if (!s->spec->n_groups && l->all.n)
		take_spread(s, &l->all);
	for (size_t i = 0; i < l->groups.n_used; i++) {
		const struct latency_group *g = (const struct latency_group *)l->groups.list[i];

		fmt_label(s, latency_keys(s->time.pairs), &g->key, s->spec->n_groups);
		take_spread(s, &g->spread);
	}
	s->n_seen = latency_counts(s->time.pairs)->n_from;
	s->n_open = latency_counts(s->time.pairs)->n_open;
	s->n_dropped += latency_counts(s->time.pairs)->n_dropped + l->n_dropped;
	return 0;
}

static void time_free(struct study *s)
{
	latency_free(s->time.pairs);
}

const struct study_engine study_time = {time_start, time_add, time_finish, time_free};

/*
 * --- graph -------------------------------------------------------------------------------------
 */

static int graph_start(struct study *s)
{
	const struct study_spec *spec = s->spec;
	struct errmsg err = {0};

	for (size_t i = 0; i < spec->n_from; i++)
		s->graph.only[i] = spec->from[i];
	s->graph.config = (struct calltimes_config){
		.only = s->graph.only, .n_only = spec->n_from, .with_own = spec->with_own};
	return calltimes_new(&s->graph.calls, s->f, &s->graph.config, &err);
}

static void graph_add(struct study *s, const struct record *rec)
{
	calltimes_add(s->graph.calls, rec);
}

static int graph_finish(struct study *s)
{
	const struct calltimes_row *const *rows;
	size_t n;

	TRY(calltimes_finish(s->graph.calls));
	rows = calltimes_rows(s->graph.calls, &n);
	for (size_t i = 0; i < n; i++) {
		textbuf_clear(&s->label);
		textbuf_add_str(&s->label, rows[i]->name);
		study_take_row(s, &(struct study_row){.n = rows[i]->n,
						      .total = rows[i]->total,
						      .self = rows[i]->self,
						      .max = rows[i]->max,
						      .max_ts = rows[i]->max_ts});
	}
	s->n_seen = calltimes_counts(s->graph.calls)->n_events;
	s->n_dropped += calltimes_counts(s->graph.calls)->n_dropped;
	return 0;
}

static void graph_free(struct study *s)
{
	calltimes_free(s->graph.calls);
}

const struct study_engine study_graph = {graph_start, graph_add, graph_finish, graph_free};
