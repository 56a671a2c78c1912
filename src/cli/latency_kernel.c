// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * latency_kernel.c - `sonde latency` of the running machine, measured by the kernel.
 *
 *	A   hist:keys=pid:sonde_ts=common_timestamp.usecs                       when it began
 *	B   hist:keys=next_pid:sonde_lat=common_timestamp.usecs-$sonde_ts:onmatch(A).trace(sonde_123,$sonde_lat)
 *	                                                                         how long it took, as an event
 *	    events/synthetic/sonde_123   hist:keys=lat,common_cpu       how often each time, and where
 *
 * The table has a row for each different number of microseconds, so that every number that the program would
 * tell can be made of it, to a microsecond. What has no end or no beginning is not known there, nor where the
 * longest ones are.
 *
 * By thread, idle tasks are left out: they share a number.
 */
#include "cli/kernelrun.h"
#include "cli/latencyopts.h"
#include "present/latencytext.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STARTS_SIZE	16384
#define TABLE_SIZE	65536
#define ARENA_MAX_BYTES (256u << 20)

struct latency_run {
	struct kernelrun run;
	struct latency_options *o;
	struct latency_config config;
	struct event_name from, to, between;
	char from_key[TRACEFS_NAME_MAX], to_key[TRACEFS_NAME_MAX];
	struct key_slot slots[KEYS_MAX];
	struct keyreader keys;
	struct latencies result;
	struct latency_counts counts;
};

/* --- can it? ----------------------------------------------------------------------------------- */

static bool is_possible(const struct latency_options *o)
{
	const struct latency_config *c = &o->config;

	if (o->gather.in_program || o->gather.filters.n || c->function || c->is_call ||
	    o->use_nsec || o->gather.events.n != 2 || c->n_groups > 2 ||
	    (c->match == LATENCY_BY_FIELD && c->n_fields != 1))
		return false;
	for (size_t i = 0; i < c->n_groups; i++) {
		const char *word = c->groups[i].word;

		/* names of tasks: see kernelrun.c */
		if ((strcmp(word, "$pid") && strcmp(word, "$cpu")) ||
		    c->groups[i].side == LATENCY_FROM)
			return false;
	}
	return true;
}

/* The one event that is meant, and its key. 1, or 0: not to be had. */
static int find_side(struct latency_run *lr, const struct plan_event *planned, const char *field,
		     struct event_name *ret_name, char *ret_key, struct errmsg *err)
{
	char words[1][KEY_WORD_MAX];
	size_t n_words = lr->config.match == LATENCY_BY_FIELD;
	const struct kernel_event *e = &lr->run.events[lr->run.n_events];
	int r;

	if (n_words)
		snprintf(words[0], sizeof(words[0]), "%s", field);
	r = kernelrun_add_events(&lr->run, planned, words, n_words, err);
	if (r != 1)
		return r < 0 ? r : 0;
	*ret_name = e->name;
	if (lr->config.match == LATENCY_BY_THREAD)
		snprintf(ret_key, TRACEFS_NAME_MAX, "common_pid");
	else if (lr->config.match == LATENCY_BY_CPU)
		snprintf(ret_key, TRACEFS_NAME_MAX, "%scpu",
			 lr->run.cpu_is_common ? "common_" : "");
	else
		return e->slots[0].field &&
		       kernelrun_fmt_keys(&lr->run, e, 1, ret_key, TRACEFS_NAME_MAX);
	return 1;
}

/* --- triggers ---------------------------------------------------------------------------------- */

static void add_condition(struct latency_run *lr, const struct plan_event *planned,
			  struct textbuf *tb)
{
	const char *filter = setup_event(lr->run.s.setup, planned)->filter;
	bool by_thread = lr->config.match == LATENCY_BY_THREAD;

	if (by_thread || filter)
		textbuf_add_str(tb, " if ");
	if (by_thread)
		textbuf_add_str(tb, "common_pid != 0");
	if (filter)
		textbuf_addf(tb, "%s(%s)", by_thread ? " && " : "", filter);
	textbuf_add(tb, "", 1);
}

static int set_sides(struct latency_run *lr, const struct plan_event *events, struct errmsg *err)
{
	struct textbuf tb;
	int r;

	textbuf_init(&tb, 4096);
	textbuf_addf(&tb, "hist:keys=%s:sonde_ts=common_timestamp.usecs:size=%d", lr->from_key,
		     STARTS_SIZE);
	add_condition(lr, &events[0], &tb);
	r = tb.overflow ? 0 : histogram_set(&lr->run.s, &lr->from, tb.start, err);
	if (r >= 0) {
		textbuf_clear(&tb);
		textbuf_addf(&tb,
			     "hist:keys=%s:sonde_lat=common_timestamp.usecs-$sonde_ts:size=%d:"
			     "onmatch(%s.%s).trace(%s,$sonde_lat)",
			     lr->to_key, STARTS_SIZE, lr->from.system, lr->from.event,
			     lr->between.event);
		add_condition(lr, &events[1], &tb);
		r = histogram_set(&lr->run.s, &lr->to, tb.start, err);
	}
	textbuf_release(&tb);
	return r;
}

/* The event between the two counts before there are any. */
static int set_between(struct latency_run *lr, struct errmsg *err)
{
	char text[512];
	size_t len;
	int r;

	snprintf(lr->between.system, sizeof(lr->between.system), "synthetic");
	snprintf(lr->between.event, sizeof(lr->between.event), "sonde_%d", (int)getpid());
	r = histogram_add_synthetic(&lr->run.s, lr->between.event, "u64 lat", err);
	if (r < 0)
		return r;
	len = snprintf(text, sizeof(text), "hist:keys=lat");
	for (size_t i = 0; i < lr->config.n_groups; i++) {
		const char *word = lr->config.groups[i].word;

		lr->slots[i].kind = !strcmp(word, "$pid") ? KEY_PID : KEY_CPU;
		len += snprintf(text + len, sizeof(text) - len, ",%s",
				lr->slots[i].kind == KEY_PID ? "common_pid"
				: lr->run.cpu_is_common	     ? "common_cpu"
							     : "cpu");
	}
	snprintf(text + len, sizeof(text) - len, ":size=%d", TABLE_SIZE);
	return histogram_set(&lr->run.s, &lr->between, text, err);
}

static int set_triggers(struct latency_run *lr, struct errmsg *err)
{
	const struct plan_event *events = lr->o->gather.record.plan.buffers[0].events;
	int r = histogram_leave_out_self(&lr->run.s, err);

	if (r >= 0)
		r = find_side(lr, &events[0], lr->config.fields[0].from, &lr->from, lr->from_key,
			      err);
	if (r > 0)
		r = find_side(lr, &events[1], lr->config.fields[0].to, &lr->to, lr->to_key, err);
	if (r <= 0)
		return r;
	/* the kernel would see the end before the beginning */
	if (!strcmp(lr->from.event, lr->to.event) && !strcmp(lr->from.system, lr->to.system))
		return 0;
	r = set_between(lr, err);
	if (r >= 0)
		r = set_sides(lr, events, err);
	return r < 0 ? r : 1;
}

/* --- the table --------------------------------------------------------------------------------- */

static void add_row(struct latency_run *lr, const struct kernelhist *hist,
		    const struct kernelhist_row *row)
{
	const struct key_slot *slots[KEYS_MAX];
	uint64_t values[KEYS_MAX], us;
	struct latency_group *group;
	bool is_backwards;

	if (hist->n_keys != 1 + lr->config.n_groups || !hist->n_values)
		return;
	for (size_t i = 0; i < lr->config.n_groups; i++) {
		slots[i] = &lr->slots[i];
		values[i] = kernelrun_value(&lr->keys, &lr->slots[i], row->keys[i + 1]);
	}
	us = kernelrun_value(&lr->keys, &(struct key_slot){.kind = KEY_CPU}, row->keys[0]);
	/* clocks of two CPUs differ a little, and the kernel calculates without a sign */
	is_backwards = us > INT64_MAX;
	group = is_backwards ? NULL : latencies_group(&lr->result, values, slots);
	for (size_t i = 0; i < hist->n_values; i++) {
		if (strcmp(hist->values[i], "hitcount"))
			continue;
		if (is_backwards)
			lr->counts.n_backwards += row->numbers[i];
		else
			latencies_add(&lr->result, group, us * 1000, row->numbers[i], NULL);
	}
}

static int fmt(void *ctx, bool colour, struct textbuf *tb, struct errmsg *err)
{
	struct latency_run *lr = ctx;
	struct latency_view v = {.config = &lr->config,
				 .result = &lr->result,
				 .counts = &lr->counts,
				 .keys = &lr->keys,
				 .in_time = true,
				 .in_kernel = true,
				 .first_thread = gather_is_first_thread(&lr->o->gather),
				 .probe_ns = setup_first_probe_ns(lr->run.s.setup),
				 .colour = colour,
				 .n_groups = lr->o->gather.n_rows};
	struct kernelhist *hist = NULL;
	struct arena arena;
	int r;

	latencies_release(&lr->result);
	r = latencies_init(&lr->result, &lr->config.scale, lr->config.n_groups, 0);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot measure latencies");
	lr->counts.n_backwards = 0;
	arena_init(&arena, ARENA_MAX_BYTES);
	r = kernelrun_read(&lr->run, &lr->between, &arena, &hist, err);
	for (size_t i = 0; r >= 0 && hist && i < hist->n_rows; i++)
		add_row(lr, hist, &hist->rows[i]);
	lr->counts.n_dropped = r >= 0 && hist ? hist->n_dropped : 0;
	arena_release(&arena);
	if (r >= 0 && latencies_finish(&lr->result) < 0)
		r = errmsg_set_errno(err, -ENOMEM, "cannot sort the latencies");
	if (r >= 0)
		latency_fmt_view(lr->o, &v, tb);
	return r;
}

/* While we are still allowed to define probes. */
static int prepare(struct session *s, void *ctx, struct errmsg *err)
{
	setup_measure_probes(s->setup);
	return 0;
}

int latency_in_kernel(struct latency_options *o, char **argv, struct errmsg *err)
{
	struct latency_run lr = {.o = o, .config = o->config, .run.prepare = prepare};
	struct errmsg why = {0}, ignored = {0};
	struct tracefs t;
	int r;

	if (!is_possible(o) || tracefs_open(&t, &ignored) < 0 || !histogram_has_synthetic(&t))
		return 0;
	r = kernelrun_open(&lr.run, &o->gather, argv, err);
	if (r == 0)
		return 0;
	keyreader_init_texts(&lr.keys);
	if (latencies_init(&lr.result, &lr.config.scale, lr.config.n_groups, 0) < 0)
		r = errmsg_set_errno(err, -ENOMEM, "cannot measure latencies");
	if (r > 0)
		r = set_triggers(&lr, &why);
	if (r > 0) {
		r = kernelrun_follow(&lr.run, fmt, &lr, err);
		r = r < 0 ? r : 1;
	} else if (why.code) {
		r = 0; /* the kernel does not want it so: the program can still look at every event */
	}
	latencies_release(&lr.result);
	keyreader_release(&lr.keys);
	memset(&ignored, 0, sizeof(ignored));
	kernelrun_close(&lr.run, &ignored);
	return r;
}
