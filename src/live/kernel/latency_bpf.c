// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * latency_bpf.c - makes BPF programs for `sonde latency`, and computes the result from their cells.
 *
 *	bpfevent.h chooses where to attach the programs ─▶ bpf/latency.h measures there ─▶ latencies
 *
 * A group (--by) comes from the same side as when sonde reads every event: from the first event if
 * it has that field, otherwise from the second. Values of the first event are stored with its time
 * until the second event.
 *
 * The tables allocate their memory at once: 64 bytes for each start; for each cell 128, and 32 for
 * every CPU (with many CPUs there are fewer cells); and some megabytes for cells that are found
 * faster.
 */
#include "live/kernel/latency_bpf.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "live/kernel/bpfevent.h"

#include <errno.h>
#include <stdlib.h>

#define STARTS		65536
#define CELLS_MAX	65536
#define CELLS_MIN	8192 /* more than are needed without groups */
#define CELLS_MAX_BYTES (64u << 20)
#define NEAR_MAX_BYTES	(16u << 20)
#define CELL_BYTES	128 /* size without the values of the CPUs */
#define CELL_CPU_BYTES	32

struct opening {
	struct latencybpf *lb;
	struct bpflatency_side from, to;
	bool is_from, is_to; /* role of the event that is being opened */
	struct bpffilter *filters[2];
	struct errmsg why; /* the reason why there are no programs */
};

/* --- the question ----------------------------------------------------------------------------- */

static size_t n_match(const struct latencybpf *lb)
{
	return lb->config->match == LATENCY_BY_FIELD;
}

static const struct key_slot *group_slot(const struct latencybpf *lb, size_t i)
{
	const struct kernel_event *e = lb->words[i].side == LATENCY_FROM ? lb->from : lb->to;

	return &e->slots[n_match(lb) + i];
}

static int check_groups(struct latencybpf *lb, struct errmsg *err)
{
	const struct latency_config *c = lb->config;

	if (c->match == LATENCY_BY_FIELD && c->n_fields != 1)
		return errmsg_set(err, -ENOTSUP, "a BPF program compares one field");
	for (size_t i = 0; i < c->n_groups; i++) {
		enum latency_side side = c->groups[i].side;

		if (side == LATENCY_EITHER)
			side = lb->from->slots[n_match(lb) + i].field ? LATENCY_FROM : LATENCY_TO;
		lb->words[i].side = side;
		if (group_slot(lb, i)->kind == KEY_ABSENT || group_slot(lb, i)->kind == KEY_EVENT)
			return errmsg_set(err, -ENOTSUP, "a BPF program cannot read '%s'",
					  c->groups[i].word);
	}
	return 0;
}

static int use_scale(const struct latency_scale *s, struct bpflatency_scale *ret,
		     struct errmsg *err)
{
	*ret = (struct bpflatency_scale){0};
	if (!s->range)
		return 0;
	if (__builtin_mul_overflow(s->range, s->unit_ns, &ret->range_ns) ||
	    __builtin_mul_overflow(s->min, s->unit_ns, &ret->min_ns) ||
	    __builtin_mul_overflow(s->max, s->unit_ns, &ret->max_ns))
		return errmsg_set(err, -ENOTSUP, "the buckets are too wide for a BPF program");
	return 0;
}

static uint32_t n_cells(void)
{
	uint32_t n = CELLS_MAX_BYTES / (CELL_BYTES + CELL_CPU_BYTES * bpf_n_cpus());

	return n < CELLS_MIN ? CELLS_MIN : n > CELLS_MAX ? CELLS_MAX : n;
}

static int init(struct latencybpf *lb, struct bpfevents *all, struct errmsg *err)
{
	static const enum bpflatency_match matches[] = {[LATENCY_BY_THREAD] = BPFLATENCY_BY_THREAD,
							[LATENCY_BY_CPU] = BPFLATENCY_BY_CPU,
							[LATENCY_BY_FIELD] = BPFLATENCY_BY_NUMBER};
	struct bpflatency_config config = {.match = matches[lb->config->match],
					   .n_starts = STARTS,
					   .n_rows = n_cells(),
					   .n_near_bytes = NEAR_MAX_BYTES};
	struct bpffield pid = {.name = "pid", .n_bytes = 4, .is_signed = true};
	int r = use_scale(&lb->config->scale, &config.scale, err);

	if (lb->config->match == LATENCY_BY_THREAD)
		config.has_farewell = bpfsource_of_raw(&all->btf, "sched", "sched_process_free",
						       &pid, &config.farewell);
	bpflatency_init(&lb->lat, &config);
	return r;
}

/* --- events ----------------------------------------------------------------------------------- */

static bool find_side(const struct opening *op, struct bpfevent *be, enum latency_side side,
		      struct bpflatency_side *ret)
{
	struct latencybpf *lb = op->lb;
	const struct kernel_event *e = side == LATENCY_FROM ? lb->from : lb->to;
	uint32_t at = 0;

	ret->n_groups = 0;
	if (n_match(lb) && !bpfevent_find_number(be, &e->slots[0], &ret->match))
		return false;
	for (size_t i = 0; i < lb->config->n_groups; i++) {
		size_t first = ret->n_groups;

		if (lb->words[i].side != side)
			continue;
		if (!bpfevent_find(be, group_slot(lb, i), ret->groups, &ret->n_groups))
			return false;
		lb->words[i].at = at;
		for (size_t k = first; k < ret->n_groups; k++)
			at += bpfsource_bytes(&ret->groups[k]);
		lb->words[i].n_bytes = at - lb->words[i].at;
	}
	return true;
}

static void release_filters(struct opening *op)
{
	for (int i = 0; i < 2; i++) {
		bpffilter_free(op->filters[i]);
		op->filters[i] = NULL;
	}
}

static bool find_filters(struct opening *op, struct bpfevent *be)
{
	release_filters(op);
	op->why = (struct errmsg){0};
	for (int i = 0; i < 2; i++)
		if (op->lb->filters[i] &&
		    bpfwhich_filter(be, op->lb->filters[i], &op->filters[i], &op->why) < 0)
			return false;
	op->from.filter = op->filters[0];
	op->to.filter = op->filters[1];
	return true;
}

static bool find(void *ctx, struct bpfevent *be)
{
	struct opening *op = ctx;

	return find_filters(op, be) &&
	       (!op->is_from || find_side(op, be, LATENCY_FROM, &op->from)) &&
	       (!op->is_to || find_side(op, be, LATENCY_TO, &op->to));
}

static int start(void *ctx, struct bpfevent *be, struct errmsg *err)
{
	struct opening *op = ctx;
	struct bpflatency *l = &op->lb->lat;
	int r;

	TRY(bpflatency_add(l, &be->config, op->is_from ? &op->from : NULL,
			   op->is_to ? &op->to : NULL, err));
	r = bpfevent_attach(be, bpflatency_program(l), err);
	bpflatency_take_link(l, r);
	if (op->is_from)
		op->lb->is_probe = be->config.hook == BPFHOOK_PROBE;
	return r < 0 ? r : 0;
}

static const struct bpfevent_ops ops = {.find = find, .start = start};

static int open_events(struct latencybpf *lb, struct bpfevents *all, struct errmsg *err)
{
	const struct event_name *from = &lb->from->name, *to = &lb->to->name;
	bool is_one = !strcmp(from->event, to->event) && !strcmp(from->system, to->system);
	struct opening op = {.lb = lb, .is_from = true, .is_to = is_one};
	int r = bpfevent_open(all, lb->from, &ops, &op, err);

	release_filters(&op);
	if (r < 0 && op.why.code)
		*err = op.why;
	if (r < 0 || is_one)
		return r;
	op.is_from = false;
	op.is_to = true;
	return bpfevent_open(all, lb->to, &ops, &op, err);
}

static int open_all(struct latencybpf *lb, struct bpfevents *all, struct errmsg *err)
{
	TRY(init(lb, all, err));
	lb->is_open = true;
	TRY(check_groups(lb, err));
	return open_events(lb, all, err);
}

int latencybpf_open(struct latencybpf *lb, struct kernelrun *run, const struct latency_config *c,
		    const struct kernel_event *from, const struct kernel_event *to,
		    const char *const filters[2], struct errmsg *err)
{
	struct bpfevents all;
	int r, power = bpf_reading_needs_power();

	*lb = (struct latencybpf){
		.from = from, .to = to, .config = c, .filters = {filters[0], filters[1]}};
	r = bpfevents_open(&all, run, &lb->tasks, err);
	if (r >= 0)
		r = open_all(lb, &all, err);
	bpfevents_close(&all);
	run->s.has_own_choice = r >= 0;
	run->s.own_choice = r >= 0 ? &lb->tasks : NULL;
	if (r < 0) {
		latencybpf_close(lb);
		return r;
	}
	if (power >= 0)
		run->s.powers |= UINT64_C(1) << power;
	setup_leave_pairs(run->s.setup);
	return r;
}

void latencybpf_stop(struct latencybpf *lb)
{
	if (lb->is_open)
		bpflatency_detach(&lb->lat);
}

void latencybpf_close(struct latencybpf *lb)
{
	if (lb->is_open)
		bpflatency_close(&lb->lat);
	bpftasks_close(&lb->tasks);
	lb->is_open = false;
}

/* --- the answer ------------------------------------------------------------------------------- */

struct cell_reader {
	const struct latencybpf *lb;
	struct keyreader *keys;
	struct latencies *result;
};

static int take_cell(void *ctx, const uint8_t *groups, const struct bpflatency_cell *c)
{
	const struct cell_reader *cr = ctx;
	const struct latencybpf *lb = cr->lb;
	struct latency_cell cell = {
		.n = c->n, .total = c->total_ns, .min = c->min_ns, .max = c->max_ns};
	const struct key_slot *slots[KEYS_MAX];
	uint64_t values[KEYS_MAX];

	for (size_t i = 0; i < lb->config->n_groups; i++) {
		bool is_from = lb->words[i].side == LATENCY_FROM;
		const uint8_t *bytes =
			groups + (is_from ? 0 : lb->lat.n_from_bytes) + lb->words[i].at;

		slots[i] = bpfevent_value_slot(group_slot(lb, i), bytes, lb->words[i].n_bytes);
		values[i] = bpfevent_value(cr->keys, is_from ? lb->from : lb->to, slots[i], bytes,
					   lb->words[i].n_bytes);
	}
	latencies_add_cell(cr->result, latencies_group(cr->result, values, slots), &cell);
	return 0;
}

int latencybpf_read(const struct latencybpf *lb, struct keyreader *kr, struct latencies *result,
		    struct latency_counts *counts, struct errmsg *err)
{
	struct cell_reader cr = {.lb = lb, .keys = kr, .result = result};
	struct bpflatency_counts c;

	TRY(bpflatency_each(&lb->lat, take_cell, &cr, err));
	TRY(bpflatency_read_counts(&lb->lat, &c, err));
	*counts = (struct latency_counts){.n_open = c.n_open,
					  .n_alone = c.n_alone,
					  .n_again = c.n_again,
					  .n_backwards = c.n_backwards,
					  .n_dropped = c.n_no_start + c.n_no_cell};
	return 0;
}

uint64_t latencybpf_missed(const struct latencybpf *lb)
{
	return lb->is_open ? bpflatency_missed(&lb->lat) : 0;
}
