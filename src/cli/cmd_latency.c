// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_latency.c - `sonde latency`: the time between two points, of a trace file or of the running machine.
 *
 *	-e A -e B    from one event to the other
 *	-e A         from each to the next of the same kind
 *	-T FUNCTION  from its entry to its return; live by the function_graph tracer, or by two probes
 *
 *	gather ──▶ latency_add ──▶ latencytext
 *
 * Live, where the question is one that the kernel can answer by itself, it does and only the result is read
 * (kernel/latency.c).
 */
#include "analyse/latency/latency.h"
#include "base/options.h"
#include "cli/ask/gather.h"
#include "live/kernel/latency.h"

#include "capture/kernel/words.h"
#include "cli/command.h"
#include "decode/filter/filter.h"
#include "present/result/latencytext.h"
#include "probe/definition/definition.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORST_DEFAULT 5
#define NOT_GIVEN     INT64_MIN

struct latency_options {
	struct gather_options gather; /* first */
	struct latency_config config;
	const char *by;
	long long n_worst, range, min, max;
	bool use_nsec, worst_asked;
	const char *how;       /* bpf, hist, program; NULL: the cheapest that works */
	char *side_filters[2]; /* of -e E -f A -e E -f B, which the program tells apart; NULL */
	struct filter *filters[2];
	struct latency *latency;
	struct latency_call
		*calls; /* of a pattern of functions; NULL: one function, or two events */
};

static int apply_function(void *opts, const char *value, struct errmsg *err)
{
	struct latency_options *o = opts;

	if (o->config.function)
		return errmsg_set(err, -EINVAL,
				  "latency measures one function (-T) or several by a glob: "
				  "'vfs_*'");
	o->config.function = value;
	return 0;
}

static int apply_by_cpu(void *opts, const char *value, struct errmsg *err)
{
	((struct latency_options *)opts)->config.match = LATENCY_BY_CPU;
	return 0;
}

static int apply_by_thread(void *opts, const char *value, struct errmsg *err)
{
	((struct latency_options *)opts)->config.match = LATENCY_BY_THREAD;
	return 0;
}

static int apply_by_field(void *opts, const char *value, struct errmsg *err)
{
	return latency_parse_fields(&((struct latency_options *)opts)->config, value, err);
}

static int apply_how(void *opts, const char *value, struct errmsg *err)
{
	struct latency_options *o = opts;

	if (strcmp(value, "bpf") && strcmp(value, "hist") && strcmp(value, "program"))
		return errmsg_set(err, -EINVAL, "--how is bpf, hist or program, not '%s'", value);
	o->how = value;
	o->gather.in_program = !strcmp(value, "program");
	return 0;
}

#define AT(field) offsetof(struct latency_options, field)

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .help = "what to measure"},
	{.kind = OPTION_CALL,
	 .letter = 'e',
	 .name = "event",
	 .arg = "EVENT",
	 .help = "measure from the first -e to the second: EVENT, SYSTEM:EVENT, or both as A,B",
	 .apply = gather_event},
	GATHER_FILTER,
	{.kind = OPTION_CALL,
	 .letter = 'T',
	 .name = "function",
	 .arg = "FUNCTION",
	 .help = "measure from the entry of this function to its return",
	 .apply = apply_function},
	{.kind = OPTION_CALL,
	 .name = "by-thread",
	 .help = "pair events of the same thread (default)",
	 .apply = apply_by_thread},
	{.kind = OPTION_CALL,
	 .name = "by-cpu",
	 .help = "pair events on the same CPU",
	 .apply = apply_by_cpu},
	{.kind = OPTION_CALL,
	 .name = "by-field",
	 .arg = "FIELD",
	 .help = "pair events with equal fields: FIELD or A.FIELD=B.FIELD; several with commas",
	 .apply = apply_by_field},
	GATHER_SOURCE,
	RECORDOPTS_ROW_PROBE,
	RECORDOPTS_ROWS_LOOKUP,
	GATHER_TASKS,
	{.kind = OPTION_HEADING, .help = "how the result looks"},
	{.kind = OPTION_STRING,
	 .name = "by",
	 .arg = "KEY,…",
	 .help = "one row per value of these keys: fields, $comm, $pid, $task, $cpu, $syscall, "
		 "$func",
	 .offset = AT(by)},
	{.kind = OPTION_NUMBER,
	 .name = "worst",
	 .arg = "N",
	 .help = "list the N longest and where they are in the trace (default: 5)",
	 .offset = AT(n_worst)},
	{.kind = OPTION_FLAG,
	 .letter = 'n',
	 .name = "use-nsec",
	 .help = "show the histogram in nanoseconds, not microseconds",
	 .offset = AT(use_nsec)},
	{.kind = OPTION_NUMBER,
	 .name = "bucket-range",
	 .arg = "N",
	 .help = "use buckets of width N (default: each bucket is twice as wide as the one before)",
	 .offset = AT(range)},
	{.kind = OPTION_NUMBER,
	 .name = "min-latency",
	 .arg = "N",
	 .help = "with --bucket-range: end of the first bucket",
	 .offset = AT(min)},
	{.kind = OPTION_NUMBER,
	 .name = "max-latency",
	 .arg = "N",
	 .help = "with --bucket-range: start of the last bucket",
	 .offset = AT(max)},
	GATHER_IN_PROGRAM,
	{.kind = OPTION_CALL,
	 .name = "how",
	 .arg = "WAY",
	 .help = "live: measure only this way: bpf, hist or program",
	 .apply = apply_how,
	 .complete = "bpf hist program"},
	GATHER_RESULT,
	GATHER_KERNEL,
	{.kind = OPTION_END},
};

/* --- the question ------------------------------------------------------------------------------ */

static int check_scale(struct latency_options *o, struct errmsg *err)
{
	struct latency_scale *s = &o->config.scale;

	if (!o->range)
		return errmsg_set(err, -EINVAL,
				  "--bucket-range is the width of a bucket, 1 or more");
	if (o->range == NOT_GIVEN)
		o->range = 0;
	if (o->range < 0 || o->min < 0 || o->max < 0)
		return errmsg_set(err, -EINVAL, "a duration cannot be negative");
	if (!o->range && (o->min || o->max))
		return errmsg_set(err, -EINVAL, "--%s-latency works only with --bucket-range",
				  o->min ? "min" : "max");
	*s = (struct latency_scale){
		.unit_ns = o->use_nsec ? 1 : 1000, .range = o->range, .min = o->min, .max = o->max};
	if (o->range && o->max && o->max < (o->min ? o->min : o->range) + o->range)
		return errmsg_set(err, -EINVAL,
				  "--max-latency must be larger than --min-latency and "
				  "--bucket-range together");
	latency_scale_settle(s);
	return 0;
}

static int check(struct latency_options *o, struct errmsg *err)
{
	size_t n = o->gather.events.n;
	int r;

	if (o->config.function && n)
		return errmsg_set(err, -EINVAL, "latency measures events (-e) or a function (-T)");
	if (n > 2)
		return errmsg_set(err, -EINVAL,
				  "latency measures from one event to another (-e A -e B), not %zu",
				  n);
	if (!o->config.function && !n)
		return errmsg_set(
			err, -EINVAL,
			"latency needs to know what to measure: two events, -e A -e B, or "
			"a function, -T FUNCTION");
	o->worst_asked = o->n_worst != NOT_GIVEN;
	if (!o->worst_asked)
		o->n_worst = WORST_DEFAULT;
	if (o->n_worst < 0 || o->n_worst > LATENCY_WORST_MAX)
		return errmsg_set(err, -EINVAL, "--worst takes a number up to %d",
				  LATENCY_WORST_MAX);
	o->config.n_worst = o->n_worst;
	if (n) {
		o->config.from = o->gather.events.words[0];
		o->config.to = o->gather.events.words[n - 1];
	}
	r = o->by ? latency_parse_groups(&o->config, o->by, err) : 0;
	return r < 0 ? r : check_scale(o, err);
}

/*
 * How much of a definition says where: "./p:work" of "./p:work(n) if n > 3". What may be the parameters of a C++ function
 * as well, put(Mode), are arguments if anybody asks for them.
 */
static size_t place_length(const struct latency_options *o, const char *text)
{
	struct errmsg ignored = {0};
	struct definition *d;
	size_t len = strlen(text);

	if (!strpbrk(text, "( \t") || definition_parse(&d, text, &ignored) < 0)
		return len;
	if (d->function && (!d->chosen || o->by || !strstr(d->function, "::"))) {
		len = d->function_span.at + d->function_span.len;
		len += strcspn(text + len, "( \t");
	}
	definition_free(d);
	return len;
}

/* Whether the program's filters say the same with these words: names, numbers, texts, and what compares them. */
static bool is_for_program(const char *condition)
{
	for (const char *p = condition; *p; p++) {
		if (strchr("$~[", *p) || (*p == '-' && p[1] == '>') ||
		    (*p == '.' && !isdigit((unsigned char)p[1])))
			return false;
		if (*p == '&' && *++p != '&')
			return false;
	}
	return true;
}

/*
 * An inner call that a condition leaves out still returns, and must not end the outer one: all entries are recorded, and
 * which are meant is decided here.
 */
static void take_condition(struct latency_options *o, const char *text)
{
	struct errmsg ignored = {0};
	struct definition *d;

	if (definition_parse(&d, text, &ignored) < 0)
		return;
	if (d->filter && is_for_program(d->filter)) {
		o->gather.condition = text + d->filter_span.at;
		o->gather.record.plan.no_conditions = true;
	}
	definition_free(d);
}

/* A probe at the entry and one at the return: of a program, or where there is no such tracer. */
static int plan_probes(struct latency_options *o, struct errmsg *err)
{
	const char *function = o->config.function;
	char *leave = NULL;
	int r;

	if (strstr(function, "%return"))
		return errmsg_set(
			err, -EINVAL,
			"-T measures up to the return as it is: leave '%%return' out of '%s'",
			function);

	/* as of the kernel's functions: from A to the return of B is nothing that anybody asks for */
	if (gather_has_comma(o->config.function))
		return errmsg_set(
			err, -EINVAL,
			"-T measures one function, not '%s'; a pattern (PROGRAM:name*) takes "
			"several, each from its own entry to its return",
			o->config.function);
	take_condition(o, function);
	r = gather_event(o, function, err);
	if (r >= 0 &&
	    asprintf(&leave, "%.*s%%return", (int)place_length(o, function), function) < 0)
		r = errmsg_set_errno(err, -ENOMEM, "cannot keep the options");
	if (r >= 0)
		r = gather_event(o, leave, err);
	free(leave);
	o->config.is_call = true;
	o->gather.record.plan.only_calls = true;
	o->config.asked = function;
	o->config.function = NULL;
	return r;
}

/* Live: a function is traced by function_graph, and that one alone. */
static int plan_function(struct latency_options *o, struct errmsg *err)
{
	int r;

	if (!o->config.function)
		return 0;
	if (strpbrk(o->config.function, ":/(") ||
	    (!strpbrk(o->config.function, "*?[") && !kernelwords_may_have_tracer("function_graph")))
		return plan_probes(o, err);
	r = recordopts_tracer(o, "function_graph", err);
	return r < 0 ? r : recordopts_function(o, o->config.function, err);
}

/* --- the answer -------------------------------------------------------------------------------- */

/* The return that belongs to an entry of the plan: "./p:work()" and "./p:work%return"; NULL: it never returns. */
static const char *find_return(const struct latency_options *o, size_t entry)
{
	const struct plan_buffer *b = &o->gather.record.plan.buffers[0];
	const char *pattern = b->events[entry].pattern;
	size_t len = place_length(o, pattern);

	for (size_t i = 0; i < b->n_events && i < o->gather.names.n; i++)
		if (!strncmp(b->events[i].pattern, pattern, len) &&
		    !strcmp(b->events[i].pattern + len, "%return"))
			return o->gather.names.words[i];
	return NULL;
}

/* A pattern became an entry and a return for each function: those are measured one by one, and told so. */
static int pair_calls(struct latency_options *o, struct errmsg *err)
{
	struct latency_config *c = &o->config;
	size_t n = o->gather.names.n;

	if (!c->is_call || n <= 2)
		return 0;
	o->calls = calloc(n, sizeof(*o->calls));
	if (!o->calls)
		return errmsg_set_errno(err, -ENOMEM, "cannot measure latencies");
	c->calls = o->calls;
	for (size_t i = 0; i < n; i++) {
		const char *to = find_return(o, i);

		if (to)
			o->calls[c->n_calls++] =
				(struct latency_call){o->gather.names.words[i], to};
	}
	if (c->n_groups < KEYS_MAX) {
		memmove(&c->groups[1], &c->groups[0], c->n_groups * sizeof(c->groups[0]));
		c->groups[0] = (struct latency_word){"$event", LATENCY_FROM};
		c->n_groups++;
	}
	return 0;
}

/* Both sides are one event, each with a filter of its own: the kernel is told to bring what either wants. */
static int split_filters(struct latency_options *o, struct errmsg *err)
{
	const struct plan_buffer *b = &o->gather.record.plan.buffers[0];

	if (b->n_events != 2 || !gather_is_same_event(b->events[0].pattern, b->events[1].pattern))
		return 0;
	for (int i = 0; i < 2; i++) {
		const struct plan_event *e = &b->events[i];

		o->side_filters[i] = e->filter ? gather_fmt_filter(e->pattern, e->filter) : NULL;
		if (e->filter && !o->side_filters[i])
			return errmsg_set_errno(err, -ENOMEM, "cannot filter");
	}
	return gather_join_filters(&o->gather, err);
}

static int open_filters(struct latency_options *o, struct formats *f, struct errmsg *err)
{
	int r = 0;

	for (int i = 0; i < 2 && r >= 0; i++)
		if (o->side_filters[i])
			r = filter_new(&o->filters[i], f, o->side_filters[i], err);
	o->config.from_filter = o->filters[0];
	o->config.to_filter = o->filters[1];
	return r;
}

static int open_latency(void *ctx, struct formats *f, struct filter **filters, size_t n_filters,
			struct errmsg *err)
{
	struct latency_options *o = ctx;
	const struct plan_words *names = &o->gather.names;

	/* what was written as a probe has the name of an event by now */
	if (names->n) {
		o->config.from = names->words[0];
		o->config.to = names->words[names->n - 1];
	}
	o->config.filters = filters;
	o->config.n_filters = n_filters;
	o->config.with_own = o->gather.record.plan.trace_self;
	if (pair_calls(o, err) < 0 || open_filters(o, f, err) < 0)
		return err->code;
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

static void fmt_view(const struct latency_options *o, const struct latency_view *v,
		     struct textbuf *tb)
{
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
	struct latency_view v = {.config = &o->config,
				 .result = latency_result(o->latency),
				 .counts = latency_counts(o->latency),
				 .keys = latency_keys(o->latency),
				 .in_time = in_time,
				 .only_in = gather_only_in(&o->gather),
				 .probe_ns = o->gather.probe_ns,
				 .colour = colour,
				 .n_groups = o->gather.n_rows,
				 .groups_first = o->gather.on_screen};

	if (o->gather.input && o->config.function && !v.counts->n_from && !v.counts->n_to)
		return errmsg_set(err, -ENOENT,
				  "there is no call of '%s' in %s; 'sonde functions %s' lists "
				  "those that are",
				  o->config.function, o->gather.input, o->gather.input);
	if (latency_finish(o->latency) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot sort the latencies");
	fmt_view(o, &v, tb);
	return 0;
}

static void close_latency(void *ctx)
{
	struct latency_options *o = ctx;

	latency_free(o->latency);
	o->latency = NULL;
	free(o->calls);
	o->calls = NULL;
	for (int i = 0; i < 2; i++) {
		filter_free(o->filters[i]);
		o->filters[i] = NULL;
	}
}

struct kernel_latencies {
	const struct latency_options *o;
	const struct latency_measured *m;
};

static int fmt_measured(void *ctx, bool colour, struct textbuf *tb, struct errmsg *err)
{
	const struct kernel_latencies *k = ctx;
	const struct latency_measured *m = k->m;
	struct latency_view v = {.config = m->config,
				 .result = m->result,
				 .counts = m->counts,
				 .keys = m->keys,
				 .in_time = true,
				 .in_kernel = m->is_bpf ? "BPF" : "hist",
				 .in_us = !m->is_bpf,
				 .n_missed = m->n_missed,
				 .only_in = gather_only_in(&k->o->gather),
				 .probe_ns = m->probe_ns,
				 .colour = colour,
				 .n_groups = k->o->gather.n_rows,
				 .groups_first = k->o->gather.on_screen};

	(void)err;
	fmt_view(k->o, &v, tb);
	return 0;
}

static int show_measured(void *ctx, const struct latency_measured *m, bool is_last,
			 struct errmsg *err)
{
	struct latency_options *o = ctx;
	struct kernel_latencies k = {o, m};

	return gather_present(&o->gather, is_last, fmt_measured, &k, err);
}

static int in_kernel(void *ctx, char **argv, struct errmsg *err)
{
	struct latency_options *o = ctx;
	struct latency_job job = {.request = &o->gather.record,
				  .config = &o->config,
				  .how = o->how,
				  .has_filters = o->gather.filters.n,
				  .wants_worst = o->worst_asked && o->config.n_worst,
				  .in_ns = o->use_nsec,
				  .side_filters = {o->side_filters[0], o->side_filters[1]},
				  .pace = &o->gather.pace,
				  .show = show_measured,
				  .ctx = o};

	return latency_in_kernel(&job, argv, err);
}

/* The tracer is there once; probes are there for everybody. */
static void suggest_probes(const struct latency_options *o, struct errmsg *err)
{
	size_t len = strlen(err->text);

	if (err->code == -EBUSY && !o->gather.input && o->config.function &&
	    !strpbrk(o->config.function, "*?["))
		snprintf(err->text + len, sizeof(err->text) - len,
			 "; or measure with probes instead of the tracer: -T '%s()'",
			 o->config.function);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct latency_options o = {.n_worst = NOT_GIVEN, .range = NOT_GIVEN};
	struct gather_job job = {.ctx = &o,
				 .open = open_latency,
				 .events = events,
				 .add = add,
				 .fmt = fmt,
				 .close = close_latency,
				 .in_kernel = in_kernel,
				 .needs = "latency needs to know what to measure"};
	int n, r;

	n = gather_parse(cmd, &o.gather, argc, argv, err);
	r = n < 0 ? n : check(&o, err);
	if (r >= 0 && !o.gather.input)
		r = plan_function(&o, err);
	if (r >= 0)
		r = split_filters(&o, err);
	if (r >= 0)
		r = gather_run(&job, &o.gather, n, argv, err);
	if (r < 0)
		suggest_probes(&o, err);
	free(o.side_filters[0]);
	free(o.side_filters[1]);
	gather_release(&o.gather);
	return r;
}

const struct command cmd_latency = {
	.name = "latency",
	.summary = "measure the time between two events or in a function",
	.usage = "[options] [FILE | COMMAND [ARGUMENT…]]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run,
	.args = "program",
};
