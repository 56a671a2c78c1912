// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * latencyjob.c - measures latencies for `sonde latency`, and prints them.
 *
 *	latencyplan ──▶ gather ──▶ latency_add ──▶ latencytext
 *
 * If the kernel can measure live by itself, it does, and sonde reads only the result
 * (live/kernel/latency.c).
 */
#include "cli/ask/latencyjob.h"

#include "base/scope.h"
#include "decode/filter/filter.h"
#include "decode/record.h"
#include "live/kernel/latency.h"
#include "present/result/latencytext.h"

#include <errno.h>
#include <stdlib.h>

static int open_latency(void *ctx, struct formats *f, struct filter **filters, size_t n_filters,
			struct errmsg *err)
{
	struct latency_options *o = ctx;

	o->config.filters = filters;
	o->config.n_filters = n_filters;
	if (latencyplan_open(&o->plan, f, err) < 0)
		return errmsg_code(err);
	return latency_new(&o->latency, f, &o->config, err);
}

static const uint8_t *events(void *ctx, size_t *ret_n)
{
	return latency_events(((struct latency_options *)ctx)->latency, ret_n);
}

static void add(void *ctx, const struct record *rec)
{
	latency_add(((struct latency_options *)ctx)->latency, rec);
}

static void fmt_measured(const struct latency_options *o, const struct latency_measured *m,
			 struct latency_view *v, struct textbuf *tb)
{
	v->config = m->config;
	v->result = m->result;
	v->counts = m->counts;
	v->keys = m->keys;
	v->probe_ns = m->probe_ns;
	v->only_in = gather_only_in(&o->gather);
	v->n_groups = o->gather.n_rows;
	v->groups_first = o->gather.on_screen;
	if (o->gather.output == GATHER_JSON)
		latencytext_fmt_json(v, tb);
	else if (o->gather.output == GATHER_CSV)
		latencytext_fmt_csv(v, tb);
	else
		latencytext_fmt(v, tb);
}

static int fmt(void *ctx, bool in_time, bool colour, struct textbuf *tb, struct errmsg *err)
{
	struct latency_options *o = ctx;
	struct latency_measured m = {.config = &o->config,
				     .result = latency_result(o->latency),
				     .counts = latency_counts(o->latency),
				     .keys = latency_keys(o->latency),
				     .probe_ns = o->gather.probe_ns};
	struct latency_view v = {.in_time = in_time, .colour = colour};

	if (o->gather.input && o->config.function && !m.counts->n_from && !m.counts->n_to)
		return errmsg_set(err, -ENOENT,
				  "there is no call of '%s' in %s; 'sonde functions %s' lists "
				  "those that are",
				  o->config.function, o->gather.input, o->gather.input);
	if (latency_finish(o->latency) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot sort the latencies");
	fmt_measured(o, &m, &v, tb);
	return 0;
}

static void close_latency(void *ctx)
{
	struct latency_options *o = ctx;

	latency_free(o->latency);
	o->latency = NULL;
	latencyplan_close(&o->plan);
}

/* --- a file, on all CPUs ---------------------------------------------------------------------- */

/* The latencies of a part of the file. */
struct part {
	struct latency_config config;
	struct filter *sides[2];
	struct latency *latency;
};

static void release_part(void *state)
{
	struct part *part = state;

	latency_free(part->latency);
	filter_free(part->sides[0]);
	filter_free(part->sides[1]);
	free(part);
}

static int open_part(const struct latency_options *o, struct part *part, struct formats *f)
{
	struct errmsg err = {0};

	for (int i = 0; i < 2; i++)
		if (o->plan.side_filters[i])
			TRY(filter_new(&part->sides[i], f, o->plan.side_filters[i], &err));
	part->config.from_filter = part->sides[0];
	part->config.to_filter = part->sides[1];
	TRY(latency_new(&part->latency, f, &part->config, &err));
	return latency_make_part(part->latency);
}

static int init_part(void *ctx, struct formats *f, struct filter **filters, size_t n_filters,
		     void **ret_state)
{
	const struct latency_options *o = ctx;
	struct part *part = calloc(1, sizeof(*part));
	int r;

	if (!part)
		return -ENOMEM;
	part->config = o->config;
	part->config.filters = filters;
	part->config.n_filters = n_filters;
	r = open_part(o, part, f);
	if (r >= 0)
		*ret_state = part;
	else
		release_part(part);
	return r;
}

static const uint8_t *part_events(void *state, size_t *ret_n)
{
	return latency_events(((struct part *)state)->latency, ret_n);
}

static void add_to_part(void *state, const struct record *rec)
{
	latency_add(((struct part *)state)->latency, rec);
}

static int join_part(void *ctx, void *state, struct tasks *tasks)
{
	return latency_join(((struct latency_options *)ctx)->latency,
			    ((struct part *)state)->latency, tasks);
}

/* The config of a pattern of functions changes each time it is opened. */
static bool start(void *ctx, bool *ret_uses_names)
{
	const struct latency_options *o = ctx;

	*ret_uses_names = latency_uses_names(o->latency);
	return !o->config.n_calls && !o->config.from_events.list && latency_can_join(o->latency);
}

static const struct gather_fold latency_fold = {.init = init_part,
						.events = part_events,
						.add = add_to_part,
						.join = join_part,
						.release = release_part,
						.start = start};

/* --- in the kernel ---------------------------------------------------------------------------- */

struct kernel_latencies {
	const struct latency_options *o;
	const struct latency_measured *m;
};

static int fmt_in_kernel(void *ctx, bool colour, struct textbuf *tb, struct errmsg *err)
{
	const struct kernel_latencies *k = ctx;
	struct latency_view v = {.in_time = true,
				 .in_kernel = k->m->is_bpf ? "BPF" : "hist",
				 .in_us = !k->m->is_bpf,
				 .n_missed = k->m->n_missed,
				 .colour = colour};

	fmt_measured(k->o, k->m, &v, tb);
	return 0;
}

static int show_measured(void *ctx, const struct latency_measured *m, bool is_last,
			 struct errmsg *err)
{
	struct latency_options *o = ctx;
	struct kernel_latencies k = {o, m};

	return gather_present(&o->gather, is_last, fmt_in_kernel, &k, err);
}

static int in_kernel(void *ctx, char **argv, struct errmsg *err)
{
	struct latency_options *o = ctx;
	struct latency_job job = {
		.request = &o->gather.record,
		.config = &o->config,
		.how = o->gather.how,
		.has_filters = o->gather.filters.n,
		.wants_worst = o->worst_asked && o->config.n_worst,
		.in_ns = o->use_nsec,
		.side_filters = {o->plan.side_filters[0], o->plan.side_filters[1]},
		.pace = &o->gather.pace,
		.show = show_measured,
		.ctx = o};

	return latency_in_kernel(&job, argv, err);
}

const struct gather_job latency_job = {
	.open = open_latency,
	.events = events,
	.add = add,
	.fmt = fmt,
	.close = close_latency,
	.in_kernel = in_kernel,
	.fold = &latency_fold,
	.needs = "latency needs to know what to measure",
};
