// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * count_bpf.c - counts each event of `sonde count` with a BPF program, and reads the rows of its
 * table.
 *
 *	bpfevent.h chooses where to attach the program ─▶ bpf/count.h counts there ─▶ keycount
 *
 * BPF programs count either all events or none, because one table has only one method. Programs and
 * tables exist as long as their descriptors. The kernel allocates all rows at once, so many events
 * have fewer rows each.
 */
#include "live/kernel/count_bpf.h"

#include "base/errmsg.h"
#include "capture/bpf/bpf.h"
#include "live/kernel/bpfevent.h"

#define TABLES_MAX_BYTES (64u << 20) /* approximate limit for all events */
#define ROW_BYTES	 128	     /* size without the values of the CPUs */
#define ROWS_MIN	 1024
#define NEAR_MAX_BYTES	 (16u << 20) /* limit for all events: rows that are found faster */

struct opening {
	struct countbpf_event *event;
	bool is_probe;
	size_t n_words;
	struct bpfcount_config config;
};

/* --- events ----------------------------------------------------------------------------------- */

static bool find(void *ctx, struct bpfevent *be)
{
	struct opening *op = ctx;
	struct bpfcount_config *c = &op->config;

	c->n_sources = 0;
	for (size_t i = 0; i < op->n_words; i++) {
		size_t first = c->n_sources;

		if (!bpfevent_find(be, &be->e->slots[i], c->sources, &c->n_sources))
			return false;
		op->event->widths[i] = 0;
		for (size_t k = first; k < c->n_sources; k++)
			op->event->widths[i] += bpfsource_bytes(&c->sources[k]);
	}
	return true;
}

static int start(void *ctx, struct bpfevent *be, struct errmsg *err)
{
	struct opening *op = ctx;
	struct bpfcount *c = &op->event->count;
	int r;

	op->config.program = be->config;
	op->is_probe = be->config.hook == BPFHOOK_PROBE;
	r = bpfcount_open(c, &op->config, err);
	if (r >= 0)
		r = c->link = bpfevent_attach(be, c->program, err);
	if (r < 0)
		bpfcount_close(c);
	return r < 0 ? r : 0;
}

static const struct bpfevent_ops ops = {.find = find, .start = start};

/*
 * Returns the number of rows of each event. The kernel allocates the memory of all rows at once,
 * for each CPU.
 */
static uint32_t rows_of_each(const struct kernelrun *run, uint32_t n_wanted)
{
	uint64_t row = ROW_BYTES + 8ull * bpf_n_cpus();
	uint64_t n = TABLES_MAX_BYTES / (row * (run->n_events ? run->n_events : 1));

	n = n < ROWS_MIN ? ROWS_MIN : n;
	return n < n_wanted ? (uint32_t)n : n_wanted;
}

int countbpf_open(struct countbpf *cb, struct kernelrun *run, size_t n_words, uint32_t n_rows,
		  struct errmsg *err)
{
	struct bpfevents all;
	int r = bpfevents_open(&all, run, &cb->tasks, err), power = bpf_reading_needs_power();

	cb->n = 0;
	for (size_t i = 0; i < run->n_events && r >= 0; i++) {
		struct opening op = {.event = &cb->list[i],
				     .n_words = n_words,
				     .config.n_rows = rows_of_each(run, n_rows),
				     .config.n_near_bytes =
					     NEAR_MAX_BYTES / (uint32_t)run->n_events};

		r = bpfevent_open(&all, &run->events[i], &ops, &op, err);
		cb->n += r >= 0;
		cb->has_probe |= op.is_probe;
	}
	bpfevents_close(&all);
	if (r < 0)
		countbpf_close(cb);
	else if (power >= 0)
		run->s.powers |= UINT64_C(1) << power;
	if (r >= 0)
		setup_leave_pairs(run->s.setup);
	run->s.has_own_choice = r >= 0;
	run->s.own_choice = r >= 0 ? &cb->tasks : NULL;
	return r;
}

void countbpf_stop(struct countbpf *cb)
{
	for (size_t i = 0; i < cb->n; i++)
		bpfcount_detach(&cb->list[i].count);
}

void countbpf_close(struct countbpf *cb)
{
	for (size_t i = 0; i < cb->n; i++)
		bpfcount_close(&cb->list[i].count);
	bpftasks_close(&cb->tasks);
	cb->n = 0;
}

/* --- rows ------------------------------------------------------------------------------------- */

struct row_reader {
	const struct kernel_event *e;
	const uint32_t *widths;
	size_t n_words;
	bool with_event;
	struct keycount *counts;
};

static const struct key_slot event_slot = {.kind = KEY_EVENT};

static int take_row(void *ctx, const uint8_t *key, uint64_t n)
{
	struct row_reader *rr = ctx;
	struct keyreader *kr = keycount_keys(rr->counts);
	const struct key_slot *slots[KEYS_MAX];
	uint64_t values[KEYS_MAX];
	size_t k = 0;

	if (rr->with_event) {
		slots[k] = &event_slot;
		values[k++] = key_of_text(kr, rr->e->shown, strlen(rr->e->shown));
	}
	for (size_t i = 0; i < rr->n_words; i++, k++) {
		slots[k] = bpfevent_value_slot(&rr->e->slots[i], key, rr->widths[i]);
		values[k] = bpfevent_value(kr, rr->e, slots[k], key, rr->widths[i]);
		key += rr->widths[i];
	}
	keycount_add_values(rr->counts, values, slots, n);
	return 0;
}

int countbpf_read(const struct countbpf *cb, const struct kernelrun *run, size_t n_words,
		  bool with_event, struct keycount *counts, struct errmsg *err)
{
	int r = 0;

	for (size_t i = 0; i < cb->n && r >= 0; i++) {
		struct row_reader rr = {.e = &run->events[i],
					.widths = cb->list[i].widths,
					.n_words = n_words,
					.with_event = with_event,
					.counts = counts};
		uint64_t dropped = 0;

		r = bpfcount_each(&cb->list[i].count, take_row, &rr, err);
		if (r >= 0)
			r = bpfcount_dropped(&cb->list[i].count, &dropped, err);
		keycount_add_dropped(counts, dropped);
	}
	return r;
}

uint64_t countbpf_missed(const struct countbpf *cb)
{
	uint64_t n = 0;

	for (size_t i = 0; i < cb->n; i++)
		n += bpfcount_missed(&cb->list[i].count);
	return n;
}
