// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * count.c - `sonde count` of the running machine, counted by the kernel.
 *
 *	events/sched/sched_switch/trigger  ◀── hist:keys=prev_comm,common_cpu:size=16384 [if FILTER]
 *	events/sched/sched_switch/hist     ──▶ kernelhist ──▶ keycount ──▶ counttext
 *	a BPF program and its table        ──▶ countbpf   ──▶    "
 *
 * A BPF program is cheaper (it needs no record), so sonde tries it first. If that fails, triggers
 * count all events. If that fails, too, sonde reads and counts every event itself.
 *
 * A trigger accepts three keys, and only one text of variable length (filename; $comm of a probe is
 * another). Otherwise sonde counts.
 *
 * Each row of the kernel becomes one row here. The kernel counts hits that do not fit into its
 * table as dropped; sonde reports them.
 */
#include "live/kernel/count.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/plan.h"
#include "decode/kernelhist.h"
#include "live/kernel/count_bpf.h"
#include "live/kernel/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_SIZE	16384
#define ARENA_MAX_BYTES (256u << 20)

struct count_run {
	struct kernelrun run;
	const struct count_job *job;
	/* config with the event as the first key, if there are several events */
	struct keycount_config config;
	struct keycount *counts;
	uint64_t n_missed;
	int n_bound; /* number of events bound to the words; 0 or negative: not all can be bound */
	struct errmsg why; /* the reason why BPF programs cannot count */
	bool is_bpf;
	struct countbpf bpf;
};

/* --- triggers --------------------------------------------------------------------------------- */

/* Explains which key a trigger does not support, or that there are too many keys. */
static void explain_keys(const struct count_run *cr, const struct kernel_event *e,
			 struct errmsg *err)
{
	for (size_t i = 0; i < cr->job->config->n_words; i++) {
		const struct key_slot *slot = &e->slots[i];
		const char *word = cr->job->config->words[i], *why = NULL;

		if (slot->kind == KEY_COMM || slot->kind == KEY_TASK)
			why = "is known to the program";
		else if (slot->is_array)
			why = "is an array";
		else if (slot->kind == KEY_NUMBER && !slot->names && !key_is_plain(slot))
			why = "is more than a number";
		if (!why)
			continue;
		errmsg_set(err, -ENOTSUP, "%s of %s:%s %s, and no key of a hist trigger", word,
			   e->name.system, e->name.event, why);
		return;
	}
	errmsg_set(err, -ENOTSUP, "a hist trigger takes up to three keys, one of them a text");
}

static int set_trigger(struct count_run *cr, const struct kernel_event *e, struct errmsg *err)
{
	char keys[512], text[2048];
	int n;

	if (!kernelrun_fmt_keys(&cr->run, e, cr->job->config->n_words, keys, sizeof(keys))) {
		explain_keys(cr, e, err);
		return 0;
	}
	/* an event without keys is counted by CPU */
	if (!*keys)
		snprintf(keys, sizeof(keys), "%scpu", cr->run.cpu_is_common ? "common_" : "");
	n = snprintf(text, sizeof(text), "hist:keys=%s:size=%d%s%s", keys, TABLE_SIZE,
		     e->filter ? " if " : "", e->filter ? e->filter : "");
	if ((size_t)n >= sizeof(text))
		return 0;
	n = histogram_set(&cr->run.s, &e->name, text, err);
	return n < 0 ? n : 1;
}

/* Returns true if all values of the key fit into a table, together with the other keys. */
static bool has_few_values(const struct key_slot *slot)
{
	return slot->kind == KEY_ABSENT || slot->kind == KEY_CPU || slot->names ||
	       (slot->kind == KEY_NUMBER && slot->field->size == 1);
}

/*
 * Returns true if the table has room for a sum. A sum is computed from the values, each of which
 * has a row. If a field has more values than rows, the sum would include only the first ones. (As a
 * value of the trigger the field would need no rows, but then the kernel knows neither minimum nor
 * maximum.) A user who requests triggers gets them with a warning.
 */
static bool has_room(const struct count_run *cr)
{
	size_t n = cr->job->config->n_words;

	for (size_t i = 0; cr->job->config->has_sum && i < cr->run.n_events; i++)
		if (!has_few_values(&cr->run.events[i].slots[n - 1]))
			return false;
	return true;
}

/*
 * Returns true if triggers may count: if the user requests them, or, without a request, if the
 * table has room.
 */
static bool may_be_hist(const struct count_run *cr)
{
	return cr->n_bound > 0 && (cr->job->how ? !strcmp(cr->job->how, "hist") : has_room(cr));
}

/* Returns 1, or 0 if the kernel does not support it. */
static int set_triggers(struct count_run *cr, struct errmsg *err)
{
	int r = cr->run.has_hist ? histogram_leave_out_self(&cr->run.s, err) : 0;

	if (r < 0 || !cr->run.has_hist)
		return r;
	for (size_t i = 0; i < cr->run.n_events; i++) {
		r = set_trigger(cr, &cr->run.events[i], err);
		if (r <= 0)
			return r;
	}
	return 1;
}

/* --- events ----------------------------------------------------------------------------------- */

static bool has_same_filter(const struct kernel_event *a, const struct kernel_event *b)
{
	return a->filter && b->filter ? !strcmp(a->filter, b->filter) : a->filter == b->filter;
}

/*
 * Drops events from `first` on that another -e has already added. Returns false if they have
 * another filter, which only globs can have; see eventfilters_join().
 */
static bool drop_same(struct kernelrun *run, size_t first)
{
	size_t n = first;

	for (size_t i = first; i < run->n_events; i++) {
		const struct kernel_event *e = &run->events[i];
		size_t k = 0;

		while (k < first && (strcmp(run->events[k].name.system, e->name.system) ||
				     strcmp(run->events[k].name.event, e->name.event)))
			k++;
		if (k < first && !has_same_filter(&run->events[k], e))
			return false;
		if (k == first)
			run->events[n++] = *e;
	}
	run->n_events = n;
	return true;
}

/* Returns true if ranges and sums are only used for numbers. sonde itself reports other fields. */
static bool has_numbers(const struct count_run *cr, size_t first)
{
	struct errmsg ignored = {0};

	for (size_t i = first; i < cr->run.n_events; i++)
		for (size_t k = 0; k < cr->job->config->n_words; k++)
			if (keycount_check_slot(cr->job->config, k, &cr->run.events[i].slots[k],
						&ignored) < 0)
				return false;
	return true;
}

/*
 * Excludes events of the scheduler about our tasks, as own.h does; the kernel excludes the events
 * in our tasks.
 */
static int leave_out_own(struct count_run *cr, struct errmsg *err)
{
	static const char *const fields[] = {"pid", "prev_pid", "next_pid"};
	int r = 0;

	for (size_t i = 0; kernelrun_leaves_own(&cr->run) && i < cr->run.n_events; i++) {
		struct kernel_event *e = &cr->run.events[i];

		if (strcmp(e->name.system, "sched"))
			continue;
		for (size_t k = 0; k < ARRAY_LEN(fields) && r >= 0; k++)
			if (event_find_field(e->format, fields[k]))
				r = kernelrun_leave_out_own(&cr->run, e, fields[k], err);
	}
	return r;
}

static int bind_events(struct count_run *cr, struct errmsg *err)
{
	const struct plan_buffer *b = &cr->job->request->plan.buffers[0];
	int r = 1;

	for (size_t i = 0; i < b->n_events && r > 0; i++) {
		size_t first = cr->run.n_events;

		r = kernelrun_add_events(&cr->run, &b->events[i], cr->job->config->words,
					 cr->job->config->n_words, err);
		if (r > 0 && (!drop_same(&cr->run, first) || !has_numbers(cr, first)))
			r = 0;
	}
	return r;
}

/* Measures the cost of probes, for warnings about expensive ones. */
static void measure_probes(struct count_run *cr)
{
	if (!cr->job->request->quiet)
		setup_measure_probes(cr->run.s.setup);
}

/*
 * Prepares the counting while sonde still has all capabilities. It is not a failure if the kernel
 * refuses.
 */
static int prepare(struct session *s, void *ctx, struct errmsg *err)
{
	struct count_run *cr = ctx;

	cr->n_bound = bind_events(cr, &cr->why);
	if (cr->n_bound > 0 && leave_out_own(cr, err) < 0)
		return err->code;
	if (cr->n_bound > 0 && (!cr->job->how || !strcmp(cr->job->how, "bpf")))
		cr->is_bpf = countbpf_open(&cr->bpf, &cr->run, cr->job->config->n_words, TABLE_SIZE,
					   &cr->why) >= 0;
	if (cr->is_bpf && cr->bpf.has_probe)
		measure_probes(cr);
	return 0;
}

static void stop(void *ctx)
{
	countbpf_stop(&((struct count_run *)ctx)->bpf);
}

/* --- tables ----------------------------------------------------------------------------------- */

static const struct key_slot event_slot = {.kind = KEY_EVENT};

static void add_row(struct count_run *cr, const struct kernel_event *e,
		    const struct kernelhist *hist, const struct kernelhist_row *row)
{
	struct keyreader *kr = keycount_keys(cr->counts);
	const struct key_slot *slots[KEYS_MAX];
	uint64_t values[KEYS_MAX];
	size_t n = 0, key = 0;

	if (cr->config.n_words > cr->job->config->n_words) {
		slots[n] = &event_slot;
		values[n++] = key_of_text(kr, e->shown, strlen(e->shown));
	}
	for (size_t i = 0; i < cr->job->config->n_words; i++, n++) {
		slots[n] = &e->slots[i];
		if (e->slots[i].kind == KEY_EVENT)
			values[n] = key_of_text(kr, e->shown, strlen(e->shown));
		else if (key < hist->n_keys)
			values[n] = kernelrun_value(kr, slots[n], row->keys[key++]);
		else
			return;
	}
	for (size_t i = 0; i < hist->n_values; i++)
		if (!strcmp(hist->values[i], "hitcount"))
			keycount_add_values(cr->counts, values, slots, row->numbers[i]);
}

static int read_tables(struct count_run *cr, struct errmsg *err)
{
	int r = 0;

	for (size_t i = 0; i < cr->run.n_events && r >= 0; i++) {
		struct kernelhist *hist = NULL;
		struct arena arena;

		arena_init(&arena, ARENA_MAX_BYTES);
		r = kernelrun_read(&cr->run, &cr->run.events[i].name, &arena, &hist, err);
		for (size_t k = 0; r >= 0 && hist && k < hist->n_rows; k++)
			add_row(cr, &cr->run.events[i], hist, &hist->rows[k]);
		if (r >= 0 && hist)
			keycount_add_dropped(cr->counts, hist->n_dropped);
		arena_release(&arena);
	}
	return r;
}

static int take_counts(void *ctx, struct errmsg *err)
{
	struct count_run *cr = ctx;
	size_t n_words = cr->job->config->n_words;

	keycount_clear(cr->counts);
	cr->n_missed = countbpf_missed(&cr->bpf);
	return cr->is_bpf ? countbpf_read(&cr->bpf, &cr->run, n_words, cr->config.n_words > n_words,
					  cr->counts, err)
			  : read_tables(cr, err);
}

static int show_counts(void *ctx, bool is_last, struct errmsg *err)
{
	const struct count_run *cr = ctx;

	return cr->job->show(cr->job->ctx, cr->counts, cr->is_bpf ? COUNT_BY_BPF : COUNT_BY_HIST,
			     cr->n_missed, is_last, err);
}

/* --- the whole -------------------------------------------------------------------------------- */

/* Returns true if "$word" is among the keys. */
static bool has_word(const struct keycount_config *c, const char *word)
{
	return ARRAY_ANY(c->n_words, i, c->words[i][0] == '$' && !strcmp(c->words[i] + 1, word));
}

static void settle_words(struct count_run *cr)
{
	cr->config = *cr->job->config;
	if (cr->run.n_events < 2 || has_word(&cr->config, "event") ||
	    cr->config.n_words == KEYS_MAX)
		return;
	keycount_put_first(&cr->config, "$event");
}

/* Refuses the method that the user requested, with the reason. */
static int refuse(const struct count_run *cr, struct errmsg *err)
{
	const char *why = "the events or their keys cannot be had there";

	if (!cr->job->how)
		return 0;
	if (cr->why.code)
		why = cr->why.text;
	else if (!strcmp(cr->job->how, "hist") && !cr->run.has_hist)
		why = "this kernel has no hist triggers (CONFIG_HIST_TRIGGERS)";
	return errmsg_set(err, -ENOTSUP, "this cannot be counted by %s: %s", cr->job->how, why);
}

static int count(struct count_run *cr, struct errmsg *err)
{
	int r = 1;

	if (!cr->is_bpf)
		r = may_be_hist(cr) ? set_triggers(cr, &cr->why) : 0;
	if (r > 0 && !cr->is_bpf)
		measure_probes(cr);
	if (r <= 0) /* sonde can still read every event */
		return refuse(cr, err);
	settle_words(cr);
	r = keycount_new_counted(&cr->counts, &cr->config);
	r = r < 0 ? errmsg_set_errno(err, r, "cannot count")
		  : kernelrun_follow(&cr->run, cr->job->pace, take_counts, show_counts, cr, err);
	keycount_free(cr->counts);
	return r < 0 ? r : 1;
}

static int refuse_way(const struct count_job *job, const char *why, struct errmsg *err)
{
	return job->how ? errmsg_set(err, -ENOTSUP, "this cannot be counted by %s: %s", job->how,
				     why)
			: 0;
}

int count_in_kernel(const struct count_job *job, char **argv, struct errmsg *err)
{
	struct plan *plan = &job->request->plan;
	struct errmsg ignored = {0};
	SCOPED(scope_free) struct count_run *cr = NULL;
	int r;

	if (job->has_filters)
		return refuse_way(
			job, "-F is for the program; what the kernel is to filter follows -f", err);
	if (plan->max_rate || plan->estimate)
		return refuse_way(job, "--max-rate and --estimate watch probes that are recorded",
				  err);
	cr = calloc(1, sizeof(*cr));
	if (!cr)
		return errmsg_set_errno(err, -ENOMEM, "cannot count");
	cr->job = job;
	cr->run.ctx = cr;
	cr->run.prepare = prepare;
	cr->run.stop = stop;
	/* triggers need the name as an argument of the probe */
	if (has_word(job->config, "comm"))
		kernelrun_read_comm(&cr->run, plan);
	r = kernelrun_open(&cr->run, job->request, argv, err);
	if (r > 0)
		r = count(cr, err);
	else if (r == 0)
		r = refuse(cr, err);
	if (cr->run.is_open) {
		countbpf_close(&cr->bpf);
		kernelrun_close(&cr->run, &ignored);
	}
	return r;
}
