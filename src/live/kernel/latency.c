// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * latency.c - `sonde latency` of the running machine, measured by the kernel.
 *
 * sonde first tries BPF programs at both events (latency_bpf.c): they make no record and measure
 * nanoseconds. If that fails, it uses hist triggers, and then reads every event itself.
 *
 *  A  hist:keys=pid:sonde_ts=common_timestamp.usecs                  stores the begin
 *  B  hist:keys=next_pid:sonde_lat=common_timestamp.usecs-$sonde_ts  event with the duration
 *         :onmatch(A).trace(sonde_123,$sonde_lat)
 *     events/synthetic/sonde_123   hist:keys=lat,common_cpu       counts durations by CPU
 *
 * The trigger's table has a row for each number of microseconds, so all results can be computed
 * from it with a resolution of a microsecond. It does not contain events without a partner. Per
 * thread, idle tasks are excluded because they share a pid. Neither method knows when the longest
 * latencies occurred.
 */
#include "live/kernel/latency.h"

#include "analyse/own.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/plan.h"
#include "decode/formats/event.h"
#include "live/kernel/run.h"
#include "live/kernel/latency_bpf.h"
#include "live/eventnames.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STARTS_SIZE	16384
#define TABLE_SIZE	65536
#define ARENA_MAX_BYTES (256u << 20)

struct latency_run {
	struct kernelrun run;
	const struct latency_job *job;
	struct latency_config config;
	/*
	 * Events of run, bound to the field that must be equal (by field) and to the groups. NULL:
	 * an event does not have them.
	 */
	const struct kernel_event *from, *to;
	struct errmsg why; /* the reason why BPF programs, or triggers, cannot measure */
	bool is_bpf;
	struct latencybpf bpf;
	struct event_name between;
	char from_key[TRACEFS_NAME_MAX], to_key[TRACEFS_NAME_MAX];
	struct key_slot slots[KEYS_MAX];
	struct keyreader keys;
	struct latencies result;
	struct latency_counts counts;
	uint64_t n_missed;
	struct plan_words names; /* names of the two sides, as shown */
};

/* --- can it? ---------------------------------------------------------------------------------- */

/* Returns the reason why neither method can measure it, or NULL if perhaps one can. */
static const char *why_not(const struct latency_job *job)
{
	const struct latency_config *c = job->config;
	const struct plan *plan = &job->request->plan;

	if (job->has_filters)
		return "-F is for the program; what the kernel is to filter follows -f";
	if (plan->max_rate || plan->estimate)
		return "--max-rate and --estimate watch probes that are recorded";
	if (c->function)
		return "functions (-T) are measured by the function_graph tracer";
	if (c->is_call)
		return "calls of a function may be inside of each other; -e F -e F%return does not "
		       "ask for that";
	if (job->wants_worst)
		return "which took the longest (--worst) is known to who looks at every event";
	return NULL;
}

/* Returns true if equal bytes of the two fields mean equal numbers. */
static bool are_alike(const struct field *a, const struct field *b)
{
	return a && b && a->n_signed_bits == b->n_signed_bits &&
	       !((a->flags ^ b->flags) & FIELD_BIG_ENDIAN);
}

static bool is_one_event(const struct latency_run *lr)
{
	return !strcmp(lr->from->name.event, lr->to->name.event) &&
	       !strcmp(lr->from->name.system, lr->to->name.system);
}

static const char *why_not_hist(const struct latency_run *lr)
{
	const struct latency_config *c = &lr->config;

	if (!lr->run.has_hist || !histogram_has_synthetic(&lr->run.s.t))
		return "this kernel has no hist triggers with synthetic events";
	if (lr->job->side_filters[0] || lr->job->side_filters[1])
		return "it does not tell filters of both sides of one event apart";
	if (lr->job->in_ns)
		return "its times are in microseconds";
	if (c->match == LATENCY_BY_FIELD && c->n_fields != 1)
		return "a hist trigger compares one field";
	if (c->match == LATENCY_BY_FIELD &&
	    !are_alike(lr->from->slots[0].field, lr->to->slots[0].field))
		return "a hist trigger compares bytes, and these fields have theirs in another "
		       "order";
	if (c->n_groups > 2)
		return "it takes two groups (--by)";
	for (size_t i = 0; i < c->n_groups; i++) {
		const char *word = c->groups[i].word;

		/* names of tasks are not supported: see run.c */
		if ((strcmp(word, "$pid") && strcmp(word, "$cpu")) ||
		    c->groups[i].side == LATENCY_FROM)
			return "it groups by $pid and $cpu of the second event";
	}
	if (lr->from && is_one_event(lr))
		return "of one event it would see the end before the beginning";
	return NULL;
}

/* --- events ----------------------------------------------------------------------------------- */

/* Finds the single event of a side. */
static const struct kernel_event *bind_side(struct latency_run *lr,
					    const struct plan_event *planned, const char *field)
{
	const struct latency_config *c = &lr->config;
	const struct kernel_event *e = &lr->run.events[lr->run.n_events];
	char words[KEYS_MAX][KEY_WORD_MAX];
	size_t n = 0;

	if (c->match == LATENCY_BY_FIELD)
		snprintf(words[n++], KEY_WORD_MAX, "%s", field);
	for (size_t i = 0; i < c->n_groups && n < KEYS_MAX; i++)
		snprintf(words[n++], KEY_WORD_MAX, "%s", c->groups[i].word);
	if (kernelrun_add_events(&lr->run, planned, words, n, &lr->why) != 1)
		return NULL;
	if (c->match == LATENCY_BY_FIELD && !key_can_match(&e->slots[0], field)) {
		errmsg_set(&lr->why, -ENOENT, "%s:%s has no field '%s'", e->name.system,
			   e->name.event, field);
		return NULL;
	}
	return e;
}

static void bind_events(struct latency_run *lr)
{
	const struct latency_config *c = &lr->config;
	const struct plan_buffer *b = &lr->job->request->plan.buffers[0];

	if (!b->n_events || b->n_events > 2 ||
	    c->n_groups + (c->match == LATENCY_BY_FIELD) > KEYS_MAX)
		return;
	lr->run.may_lack = true;
	lr->from = bind_side(lr, &b->events[0], c->fields[0].from);
	if (lr->from)
		lr->to = bind_side(lr, &b->events[b->n_events - 1], c->fields[0].to);
	if (lr->to && c->match == LATENCY_BY_FIELD &&
	    key_is_text(&lr->from->slots[0]) != key_is_text(&lr->to->slots[0])) {
		errmsg_set(&lr->why, -EINVAL, "a text is never equal to a number");
		lr->to = NULL;
	}
}

/* Returns the field by which a side follows a task, or NULL if it follows none. */
static const char *task_field(const struct latency_run *lr, const struct kernel_event *e)
{
	const struct latency_config *c = &lr->config;

	if (c->match == LATENCY_BY_THREAD)
		return "common_pid";
	return c->match == LATENCY_BY_FIELD && e->slots[0].field &&
			       own_is_field(e->slots[0].field->name)
		       ? e->slots[0].field->name
		       : NULL;
}

/*
 * Excludes our own tasks. If both sides are the same event, each has its own condition; try_bpf()
 * handles that.
 */
static int leave_out_own(struct latency_run *lr, struct errmsg *err)
{
	struct kernel_event *sides[] = {(struct kernel_event *)lr->from,
					(struct kernel_event *)lr->to};

	if (!lr->to || !kernelrun_leaves_own(&lr->run) || is_one_event(lr))
		return 0;
	for (int i = 0; i < 2; i++)
		if (task_field(lr, sides[i]))
			TRY(kernelrun_leave_out_own(&lr->run, sides[i], task_field(lr, sides[i]),
						    err));
	return 0;
}

/* Writes the key of a trigger. */
static bool fmt_key(struct latency_run *lr, const struct kernel_event *e, char *ret_key)
{
	if (lr->config.match == LATENCY_BY_THREAD)
		snprintf(ret_key, TRACEFS_NAME_MAX, "common_pid");
	else if (lr->config.match == LATENCY_BY_CPU)
		snprintf(ret_key, TRACEFS_NAME_MAX, "%scpu",
			 lr->run.cpu_is_common ? "common_" : "");
	else
		return e->slots[0].field &&
		       kernelrun_fmt_keys(&lr->run, e, 1, ret_key, TRACEFS_NAME_MAX);
	return true;
}

static bool is_way(const struct latency_run *lr, const char *way)
{
	return !lr->job->how || !strcmp(lr->job->how, way);
}

/* Returns the filter of "EVENT:FILTER". */
static const char *side_filter(const struct latency_run *lr, int side)
{
	const char *text = lr->job->side_filters[side];

	return text ? strchr(text, ':') + 1 : NULL;
}

static bool try_bpf(struct latency_run *lr)
{
	const char *filters[2] = {side_filter(lr, 0), side_filter(lr, 1)};
	bool has_sides = filters[0] || filters[1];

	for (int i = 0; kernelrun_leaves_own(&lr->run) && is_one_event(lr) && i < 2; i++) {
		const char *field = task_field(lr, i ? lr->to : lr->from);
		char more[2 * TRACEFS_NAME_MAX];

		if (!field)
			continue;
		snprintf(more, sizeof(more), "%s != %d", field, (int)getpid());
		filters[i] = kernelrun_join(&lr->run, filters[i], more);
		if (!filters[i])
			return false;
	}
	/* each side has its own filter, so the event itself needs only the CPUs */
	for (size_t i = 0; has_sides && i < lr->run.n_events; i++)
		lr->run.events[i].filter = lr->run.cpus;
	return latencybpf_open(&lr->bpf, &lr->run, &lr->config, lr->from, lr->to, filters,
			       &lr->why) >= 0;
}

/*
 * Prepares the measurement while sonde still has all capabilities. It is not a failure if the
 * kernel refuses.
 */
static int prepare(struct session *s, void *ctx, struct errmsg *err)
{
	struct latency_run *lr = ctx;
	const char *clock = s->config.plan->buffers[0].clock;

	bind_events(lr);
	if (leave_out_own(lr, err) < 0)
		return err->code;
	if (lr->to && is_way(lr, "bpf")) {
		if (clock && strcmp(clock, "mono"))
			errmsg_set(&lr->why, -ENOTSUP, "BPF programs have the clock mono, not %s",
				   clock);
		else
			lr->is_bpf = try_bpf(lr);
	}
	if (!lr->is_bpf || lr->bpf.is_probe)
		setup_measure_probes(s->setup);
	return 0;
}

static void stop(void *ctx)
{
	latencybpf_stop(&((struct latency_run *)ctx)->bpf);
}

/* --- triggers --------------------------------------------------------------------------------- */

static void add_condition(struct latency_run *lr, const char *filter, struct textbuf *tb)
{
	bool by_thread = lr->config.match == LATENCY_BY_THREAD;

	if (by_thread || filter)
		textbuf_add_str(tb, " if ");
	if (by_thread)
		textbuf_add_str(tb, "common_pid != 0");
	if (filter)
		textbuf_addf(tb, "%s(%s)", by_thread ? " && " : "", filter);
	textbuf_add(tb, "", 1);
}

static int set_sides(struct latency_run *lr, struct errmsg *err)
{
	SCOPED(textbuf_release) struct textbuf tb = {.max_bytes = 4096};

	textbuf_addf(&tb, "hist:keys=%s:sonde_ts=common_timestamp.usecs:size=%d", lr->from_key,
		     STARTS_SIZE);
	add_condition(lr, lr->from->filter, &tb);
	if (!tb.overflow)
		TRY(histogram_set(&lr->run.s, &lr->from->name, tb.start, err));
	textbuf_clear(&tb);
	textbuf_addf(&tb,
		     "hist:keys=%s:sonde_lat=common_timestamp.usecs-$sonde_ts:size=%d:"
		     "onmatch(%s.%s).trace(%s,$sonde_lat)",
		     lr->to_key, STARTS_SIZE, lr->from->name.system, lr->from->name.event,
		     lr->between.event);
	add_condition(lr, lr->to->filter, &tb);
	return histogram_set(&lr->run.s, &lr->to->name, tb.start, err);
}

/* Sets the trigger of the synthetic event, before it can happen. */
static int set_between(struct latency_run *lr, struct errmsg *err)
{
	char text[512];
	size_t len;

	snprintf(lr->between.system, sizeof(lr->between.system), "synthetic");
	snprintf(lr->between.event, sizeof(lr->between.event), "sonde_%d", (int)getpid());
	TRY(histogram_add_synthetic(&lr->run.s, lr->between.event, "u64 lat", err));
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

/* Returns 1, or 0 if the kernel does not support it. */
static int set_triggers(struct latency_run *lr, struct errmsg *err)
{
	const char *why = why_not_hist(lr);

	if (why)
		return errmsg_set(err, -ENOTSUP, "%s", why), 0;
	if (!fmt_key(lr, lr->from, lr->from_key) || !fmt_key(lr, lr->to, lr->to_key))
		return errmsg_set(err, -ENOTSUP, "a hist trigger cannot compare such fields"), 0;
	TRY(histogram_leave_out_self(&lr->run.s, err));
	TRY(set_between(lr, err));
	TRY(set_sides(lr, err));
	return 1;
}

/* --- the table -------------------------------------------------------------------------------- */

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
	/* the clocks of two CPUs may differ a little, and the kernel's difference is unsigned */
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

static int read_table(struct latency_run *lr, struct errmsg *err)
{
	struct kernelhist *hist = NULL;
	struct arena arena;
	int r;

	lr->counts.n_backwards = 0;
	arena_init(&arena, ARENA_MAX_BYTES);
	r = kernelrun_read(&lr->run, &lr->between, &arena, &hist, err);
	for (size_t i = 0; r >= 0 && hist && i < hist->n_rows; i++)
		add_row(lr, hist, &hist->rows[i]);
	lr->counts.n_dropped = r >= 0 && hist ? hist->n_dropped : 0;
	arena_release(&arena);
	return r;
}

static int take_latencies(void *ctx, struct errmsg *err)
{
	struct latency_run *lr = ctx;
	int r;

	latencies_release(&lr->result);
	r = latencies_init(&lr->result, &lr->config.scale, lr->config.n_groups, 0);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot measure latencies");
	lr->n_missed = latencybpf_missed(&lr->bpf);
	TRY(lr->is_bpf ? latencybpf_read(&lr->bpf, &lr->keys, &lr->result, &lr->counts, err)
		       : read_table(lr, err));
	if (latencies_finish(&lr->result) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot sort the latencies");
	return 0;
}

static int show_latencies(void *ctx, bool is_last, struct errmsg *err)
{
	struct latency_run *lr = ctx;
	struct latency_measured m = {.config = &lr->config,
				     .result = &lr->result,
				     .counts = &lr->counts,
				     .keys = &lr->keys,
				     .is_bpf = lr->is_bpf,
				     .n_missed = lr->n_missed,
				     .probe_ns = setup_first_probe_ns(lr->run.s.setup)};

	return lr->job->show(lr->job->ctx, &m, is_last, err);
}

/* --- the whole -------------------------------------------------------------------------------- */

/* Refuses the method that the user requested, with the reason. */
static int refuse(const struct latency_job *job, const char *why, struct errmsg *err)
{
	if (!job->how)
		return 0;
	return errmsg_set(err, -ENOTSUP, "this cannot be measured by %s: %s", job->how, why);
}

/*
 * Finds the names of both sides for the output. A probe definition is replaced by the name of its
 * event.
 */
static int name_sides(struct latency_run *lr, struct errmsg *err)
{
	int r = eventnames_add(&lr->names, lr->run.s.setup, err);

	if (r < 0 || !lr->names.n)
		return r;
	lr->config.from = lr->names.words[0];
	lr->config.to = lr->names.words[lr->names.n - 1];
	return 0;
}

static int measure(struct latency_run *lr, struct errmsg *err)
{
	int r = lr->is_bpf;

	if (!lr->is_bpf && lr->to && is_way(lr, "hist"))
		r = set_triggers(lr, &lr->why);
	if (r <= 0) /* sonde can still read every event */
		return refuse(lr->job,
			      lr->why.code
				      ? lr->why.text
				      : "it takes one event at each end, and fields that they have",
			      err);
	TRY(name_sides(lr, err));
	keyreader_init_texts(&lr->keys);
	r = latencies_init(&lr->result, &lr->config.scale, lr->config.n_groups, 0);
	r = r < 0 ? errmsg_set_errno(err, r, "cannot measure latencies")
		  : kernelrun_follow(&lr->run, lr->job->pace, take_latencies, show_latencies, lr,
				     err);
	latencies_release(&lr->result);
	keyreader_release(&lr->keys);
	return r < 0 ? r : 1;
}

int latency_in_kernel(const struct latency_job *job, char **argv, struct errmsg *err)
{
	const char *why = why_not(job);
	struct errmsg ignored = {0};
	SCOPED(scope_free) struct latency_run *lr = NULL;
	int r;

	if (why)
		return refuse(job, why, err);
	lr = calloc(1, sizeof(*lr));
	if (!lr)
		return errmsg_set_errno(err, -ENOMEM, "cannot measure latencies");
	lr->job = job;
	lr->config = *job->config;
	lr->run.ctx = lr;
	lr->run.prepare = prepare;
	lr->run.stop = stop;
	r = kernelrun_open(&lr->run, job->request, argv, err);
	if (r > 0)
		r = measure(lr, err);
	else if (r == 0)
		r = refuse(job, "there is no tracing directory", err);
	if (lr->run.is_open) {
		latencybpf_close(&lr->bpf);
		kernelrun_close(&lr->run, &ignored);
	}
	plan_words_release(&lr->names);
	return r;
}
