// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * count_kernel.c - `sonde count` of the running machine, counted by the kernel.
 *
 *	events/sched/sched_switch/trigger  ◀── hist:keys=prev_comm,common_cpu:size=16384 [if FILTER]
 *	events/sched/sched_switch/hist     ──▶ kernelhist ──▶ keycount ──▶ counttext
 *
 * A trigger takes three keys, and one text whose length varies (filename) but no second one: $comm of a probe is
 * another. Then the program counts.
 *
 * A row of the kernel's is one of ours. What does not fit into its table it counts as dropped, and so do we.
 */
#include "cli/count.h"
#include "cli/kernelrun.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TABLE_SIZE	16384
#define ARENA_MAX_BYTES (256u << 20)

struct count_run {
	struct kernelrun run;
	struct count_options *o;
	struct keycount_config config; /* with the event in front, if there are several */
	struct keycount *counts;
};

/* --- triggers ---------------------------------------------------------------------------------- */

static int set_trigger(struct count_run *cr, const struct kernel_event *e, const char *filter,
		       struct errmsg *err)
{
	char keys[512], text[2048];
	int n;

	if (!kernelrun_fmt_keys(&cr->run, e, cr->o->config.n_words, keys, sizeof(keys)))
		return 0;
	/* without keys of its own an event is still counted: all of it in one row */
	if (!*keys)
		snprintf(keys, sizeof(keys), "%scpu", cr->run.cpu_is_common ? "common_" : "");
	n = snprintf(text, sizeof(text), "hist:keys=%s:size=%d%s%s", keys, TABLE_SIZE,
		     filter ? " if " : "", filter ? filter : "");
	if ((size_t)n >= sizeof(text))
		return 0;
	n = histogram_set(&cr->run.s, &e->name, text, err);
	return n < 0 ? n : 1;
}

/* 1, or 0: the kernel cannot. */
static int set_triggers(struct count_run *cr, struct errmsg *err)
{
	const struct plan_buffer *b = &cr->o->gather.record.plan.buffers[0];
	int r = histogram_leave_out_self(&cr->run.s, err);

	for (size_t i = 0; i < b->n_events && r >= 0; i++) {
		const struct plan_event *e = setup_event(cr->run.s.setup, &b->events[i]);
		size_t first = cr->run.n_events;

		r = kernelrun_add_events(&cr->run, &b->events[i], cr->o->config.words,
					 cr->o->config.n_words, err);
		if (r <= 0)
			return r;
		for (size_t k = first; k < cr->run.n_events; k++) {
			r = set_trigger(cr, &cr->run.events[k], e->filter, err);
			if (r <= 0)
				return r;
		}
	}
	return r < 0 ? r : 1;
}

/* --- tables ------------------------------------------------------------------------------------ */

static const struct key_slot event_slot = {.kind = KEY_EVENT};

static void add_row(struct count_run *cr, const struct kernel_event *e,
		    const struct kernelhist *hist, const struct kernelhist_row *row)
{
	struct keyreader *kr = keycount_keys(cr->counts);
	const struct key_slot *slots[KEYS_MAX];
	uint64_t values[KEYS_MAX];
	size_t n = 0, key = 0;

	if (cr->config.n_words > cr->o->config.n_words) {
		slots[n] = &event_slot;
		values[n++] = key_of_text(kr, e->name.event, strlen(e->name.event));
	}
	for (size_t i = 0; i < cr->o->config.n_words; i++, n++) {
		slots[n] = &e->slots[i];
		if (e->slots[i].kind == KEY_EVENT)
			values[n] = key_of_text(kr, e->name.event, strlen(e->name.event));
		else if (key < hist->n_keys)
			values[n] = kernelrun_value(kr, slots[n], row->keys[key++]);
		else
			return;
	}
	for (size_t i = 0; i < hist->n_values; i++)
		if (!strcmp(hist->values[i], "hitcount"))
			keycount_add_values(cr->counts, values, slots, row->numbers[i]);
}

static int fmt(void *ctx, bool colour, struct textbuf *tb, struct errmsg *err)
{
	struct count_run *cr = ctx;
	int r = 0;

	keycount_clear(cr->counts);
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
	return r < 0 ? r : count_fmt(cr->o, cr->counts, true, colour, tb, err);
}

/* --- the whole --------------------------------------------------------------------------------- */

/* "$word"; of the event also without the $. */
static bool has_word(const struct keycount_config *c, const char *word)
{
	for (size_t i = 0; i < c->n_words; i++)
		if (c->words[i][0] == '$' && !strcmp(c->words[i] + 1, word))
			return true;
	return false;
}

static void settle_words(struct count_run *cr)
{
	cr->config = cr->o->config;
	if (cr->run.n_events < 2 || has_word(&cr->config, "event") ||
	    cr->config.n_words == KEYS_MAX)
		return;
	memmove(cr->config.words[1], cr->config.words[0], cr->config.n_words * KEY_WORD_MAX);
	snprintf(cr->config.words[0], KEY_WORD_MAX, "$event");
	cr->config.n_words++;
}

int count_in_kernel(struct count_options *o, char **argv, struct errmsg *err)
{
	struct count_run cr = {.o = o};
	struct errmsg why = {0}, ignored = {0};
	int r;

	if (o->gather.in_program || o->gather.filters.n)
		return 0;
	if (has_word(&o->config, "comm") && !kernelrun_read_comm(&cr.run, &o->gather))
		return 0;
	r = kernelrun_open(&cr.run, &o->gather, argv, err);
	if (r == 0)
		return 0;
	if (r > 0)
		r = set_triggers(&cr, &why);
	if (r > 0) {
		settle_words(&cr);
		r = keycount_new_counted(&cr.counts, &cr.config);
		r = r < 0 ? errmsg_set_errno(err, r, "cannot count")
			  : kernelrun_follow(&cr.run, fmt, &cr, err);
		r = r < 0 ? r : 1;
	} else if (why.code) {
		r = 0; /* the kernel does not want it so: the program can still look at every event */
	}
	keycount_free(cr.counts);
	kernelrun_close(&cr.run, &ignored);
	return r;
}
