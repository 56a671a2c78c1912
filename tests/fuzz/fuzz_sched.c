// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_sched.c - any sequence of scheduler events through the flow, the sums, the chains and their
 * texts.
 *
 *	input:  u8 options  { u8 event  u8 cpu  u8 pid  u8 later  u8 len  len bytes }…
 *	options: bit 0 by name  1 JSON
 *	cpu: the upper two bits: events were lost before; time goes backwards
 *
 * Each record is a copy that ends where it does, and is gone after it was added. What comes out must
 * be true of itself: a mean between the extremes, no turn that ends before it starts.
 */
#include "analyse/sched/perfsched.h"
#include "analyse/sched/schedchains.h"
#include "base/errmsg.h"
#include "present/sched/maptext.h"
#include "present/sched/perftext.h"
#include "present/sched/timehisttext.h"
#include "../lib/profileformats.h"

#define TEXT_MAX_BYTES (8u << 20)

struct fixture {
	uint8_t file[32768];
	struct tracefile *tf;
	struct formats *formats;
};

struct sched_run {
	struct schedflow *flow;
	struct schedsums *sums;
	struct schedchains *chains;
	struct perfsched *perf;
	struct timehist hist;
	struct sched_map map;
	struct textbuf text;
};

static struct fixture *fixture_get(void)
{
	static struct fixture fx;

	if (fx.formats)
		return &fx;
	if (MEMTRACE_OPEN(&fx, profile_formats, N_PROFILE_FORMATS, profile_kallsyms,
			  "7 bash\n8 cat\n9 cat\n") < 0)
		abort();
	return &fx;
}

static void take_turn(void *ctx, const struct sched_turn *t)
{
	struct sched_run *r = ctx;
	struct perfsched_times times;

	if (!t->is_start_sure && t->run_ns)
		abort();
	perfsched_turn(r->perf, t, true, &times);
	schedsums_add(r->sums, t);
	schedchains_add(r->chains, t);
	if (!t->has_run || !t->is_end_sure)
		return;
	timehist_fmt_turn(&r->hist, t, NULL);
	sched_map_fmt_turn(&r->map, t, &r->text);
}

static void take_waking(void *ctx, const struct sched_event *ev, struct sched_task *t,
			struct sched_task *waker)
{
	struct sched_run *r = ctx;

	perfsched_waking(r->perf, ev, t, true);
	timehist_fmt_waking(&r->hist, ev, t, waker);
}

static void take_migration(void *ctx, const struct sched_event *ev, struct sched_task *t,
			   struct sched_task *by)
{
	struct sched_run *r = ctx;

	perfsched_migrate(r->perf, ev, t);
	schedsums_add_migration(r->sums, ev, t);
	timehist_fmt_migrate(&r->hist, ev, t, by);
}

static void take_stack(void *ctx, const struct sched_event *ev, const struct sched_stack *stack)
{
	struct sched_run *r = ctx;

	timehist_add_stack(&r->hist, ev->cpu, stack);
}

static void add(void *ctx, const struct record *rec)
{
	schedflow_add(ctx, rec);
}

static void check_rows(const struct schedsums *sums)
{
	size_t n;
	const struct sched_sum *rows = schedsums_rows(sums, &n);

	for (size_t i = 0; i < n; i++) {
		const struct sched_spread *s = &rows[i].wait;

		if (s->n && (s->min > s->max || s->total / s->n > s->max))
			abort();
		if (rows[i].n_turns < rows[i].n_unsure)
			abort();
	}
}

static void fmt_all(struct sched_run *r, const struct sched_view *v, bool json)
{
	if (json) {
		schedtext_fmt_latency_json(v, &r->text);
		schedtext_fmt_summary_json(v, &r->text);
		schedtext_fmt_chains_json(v, r->chains, &r->text);
	} else {
		schedtext_fmt_latency(v, &r->text);
		schedtext_fmt_summary(v, &r->text);
		schedtext_fmt_chains(v, r->chains, &r->text);
	}
	perftext_fmt_latency(r->perf, 0, 1, 0, &r->text);
	perftext_fmt_summary(r->perf, &(struct perftext_cpus){.n = 64}, false, &r->text);
}

static void finish(struct sched_run *r, struct fixture *fx, uint8_t options)
{
	static const enum sched_order orders[] = {SCHED_BY_AVERAGE, SCHED_BY_MAX};
	struct schedsums_view view = {
		.by_comm = options & 1, .orders = {SCHED_BY_MAX}, .n_orders = 1};
	struct sched_view v = {.flow = r->flow,
			       .sums = r->sums,
			       .formats = fx->formats,
			       .in_time = true,
			       .n_rows = SIZE_MAX,
			       .n_frames = 8};

	schedflow_end(r->flow);
	timehist_end(&r->hist);
	if (schedsums_finish(r->sums, &view) < 0 || schedchains_finish(r->chains, 0) < 0 ||
	    perfsched_finish(r->perf, r->sums, !(options & 1), orders, 2) < 0)
		abort();
	check_rows(r->sums);
	fmt_all(r, &v, options & 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
	struct fixture *fx = fixture_get();
	struct sched_run r = {0};
	struct schedflow_ops ops = {.turn = take_turn,
				    .waking = take_waking,
				    .migrate = take_migration,
				    .stack = take_stack,
				    .ctx = &r};
	struct schedsums_config config = {.n_worst = 5};
	struct timehist_config hc = {.wakeups = true,
				     .migrations = true,
				     .next = true,
				     .visual = true,
				     .state = true,
				     .stacks = true,
				     .n_cpus = 4,
				     .n_frames = 5};
	struct map_config mc = {.compact = true, .n_cpus = 4};
	struct sched_view v = {.formats = fx->formats, .in_time = true};

	if (!n)
		return 0;
	textbuf_init(&r.text, TEXT_MAX_BYTES);
	r.flow = schedflow_new(fx->formats, true, &ops);
	r.sums = schedsums_new(&config);
	r.chains = schedchains_new(in[0] & 4, 8);
	r.perf = perfsched_new(in[0] & 8, in[0] & 16, -1);
	if (!r.flow || !r.sums || !r.chains || !r.perf)
		abort();
	timehist_init(&r.hist, &v, &hc, &r.text);
	sched_map_init(&r.map, &v, &mc);
	profile_feed(fx->formats, in + 1, n - 1, add, r.flow);
	finish(&r, fx, in[0]);
	timehist_release(&r.hist);
	sched_map_release(&r.map);
	perfsched_free(r.perf);
	schedchains_free(r.chains);
	schedsums_free(r.sums);
	schedflow_free(r.flow);
	textbuf_release(&r.text);
	return 0;
}
