// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracestate.c - prints the tracing settings that differ from those at boot, the most important
 * first.
 *
 *	Top level: tracing is on
 *	  tracer             function_graph
 *	  events             26 on
 *	                       irq      2 of 5: irq_handler_entry irq_handler_exit
 *	                       sched    all 24
 *	  filters            sched:sched_switch  prev_pid == 1
 *	  triggers           sched:sched_process_exit  traceoff:unlimited if comm ~ "main"
 *	  graph functions    schedule
 *	  buffer             1408 KB for each of 2 CPUs
 *	                       CPU  size KB  full  events    lost  dropped      oldest
 *	                         0     1408   12%    1832       0        0  2.3 s ago
 *	  clock              mono
 *	  options            nosleep-time stacktrace
 *
 *	Instances without anything set: one two
 *
 * A label is printed once; further lines follow below it. Lists are truncated after LIST_MAX words
 * and name the command that shows the rest: a filter can name 40 000 functions.
 */
#include "present/tracestate.h"

#include <inttypes.h>
#include <stdio.h>

#define LABEL_WIDTH 18
#define LIST_MAX    12
#define LINE_WIDTH  96
#define ERRORS_MAX  4

/* --- layout ----------------------------------------------------------------------------------- */

/* Begins a line: with the label, or indented below a label. */
static void add_label(struct textbuf *tb, const char *label)
{
	size_t len = strlen(label);

	textbuf_add_str(tb, "  ");
	textbuf_add_str(tb, label);
	textbuf_add_fill(tb, ' ', len < LABEL_WIDTH ? LABEL_WIDTH - len : 0);
	textbuf_add_char(tb, ' ');
}

static void add_line(struct textbuf *tb, const char *label, const char *text)
{
	add_label(tb, label);
	textbuf_add_str(tb, text);
	textbuf_add_char(tb, '\n');
}

/* Adds text of several lines, aligned below the first. */
static void add_block(struct textbuf *tb, const char *label, const char *text)
{
	do {
		size_t len = strcspn(text, "\n");

		add_label(tb, label);
		textbuf_add(tb, text, len);
		textbuf_add_char(tb, '\n');
		text += len + !!text[len];
		label = "";
	} while (*text);
}

/* Adds at most `max` words, wrapped at LINE_WIDTH. */
static void add_words(struct textbuf *tb, const char *label, const char *const *words, size_t n,
		      size_t max, size_t indent)
{
	size_t column = 0, shown = n > max ? max : n;

	for (size_t i = 0; i < shown; i++) {
		size_t len = strlen(words[i]);

		if (!column || column + len + 1 > LINE_WIDTH) {
			if (column)
				textbuf_add_char(tb, '\n');
			add_label(tb, i ? "" : label);
			textbuf_add_fill(tb, ' ', i ? indent : 0);
			column = LABEL_WIDTH + 3 + (i ? indent : 0);
		} else {
			textbuf_add_char(tb, ' ');
			column++;
		}
		textbuf_add_str(tb, words[i]);
		column += len;
	}
}

/* --- parts of an instance --------------------------------------------------------------------- */

static void add_values(struct textbuf *tb, const struct state_instance *in)
{
	for (size_t i = 0; i < in->n_values; i++) {
		const struct state_value *v = &in->values[i];

		if (!v->text || v->is_default)
			continue;
		add_label(tb, v->label);
		textbuf_addf(tb, "%s%s%s\n", v->text, *v->unit ? " " : "", v->unit);
	}
}

static void add_list(struct textbuf *tb, const struct state_list *list)
{
	if (!list->n)
		return;
	add_words(tb, list->label, list->items, list->n, LIST_MAX, 0);
	if (list->n > LIST_MAX)
		textbuf_addf(tb, " … %zu in all (%s)", list->n, list->where);
	textbuf_add_char(tb, '\n');
}

static void add_events(struct textbuf *tb, const struct state_instance *in)
{
	size_t widest = 0;

	if (!in->n_events)
		return;
	add_label(tb, "events");
	textbuf_addf(tb, "%zu on\n", in->n_events);
	for (size_t i = 0; i < in->n_systems; i++)
		if (strlen(in->systems[i].name) > widest)
			widest = strlen(in->systems[i].name);
	for (size_t i = 0; i < in->n_systems; i++) {
		const struct state_system *s = &in->systems[i];
		char head[160];

		if (s->n == s->n_all)
			snprintf(head, sizeof(head), "  %-*.60s  all %zu", (int)widest, s->name,
				 s->n);
		else
			snprintf(head, sizeof(head), "  %-*.60s  %zu of %zu:", (int)widest, s->name,
				 s->n, s->n_all);
		add_label(tb, "");
		textbuf_add_str(tb, head);
		for (size_t k = 0; s->n != s->n_all && k < s->n; k++) {
			if (k == LIST_MAX) {
				textbuf_addf(tb, " … (sonde show %s%s%sset_event)",
					     *in->name ? "-B " : "", in->name,
					     *in->name ? " " : "");
				break;
			}
			textbuf_add_char(tb, ' ');
			textbuf_add_str(tb, s->events[k]);
		}
		textbuf_add_char(tb, '\n');
	}
}

static void add_of_events(struct textbuf *tb, const char *label, const struct state_of_event *list,
			  size_t n)
{
	for (size_t i = 0; i < n; i++) {
		add_label(tb, i ? "" : label);
		textbuf_addf(tb, "%s  ", list[i].event);
		for (const char *p = list[i].text; *p;) {
			size_t len = strcspn(p, "\n");

			textbuf_add(tb, p, len);
			p += len + !!p[len];
			if (!*p)
				break;
			textbuf_add_char(tb, '\n');
			add_label(tb, "");
			textbuf_add_fill(tb, ' ', strlen(list[i].event) + 2);
		}
		textbuf_add_char(tb, '\n');
	}
}

static void add_options(struct textbuf *tb, const struct state_instance *in, bool all)
{
	size_t column = 0;

	for (size_t i = 0; i < in->n_options; i++) {
		const struct state_option *o = &in->options[i];
		size_t len = strlen(o->name) + 3;

		if (o->is_default && !all)
			continue;
		if (!column || column + len > LINE_WIDTH) {
			if (column)
				textbuf_add_char(tb, '\n');
			add_label(tb, column ? "" : "options");
			column = LABEL_WIDTH + 3;
		} else {
			textbuf_add_char(tb, ' ');
		}
		textbuf_addf(tb, "%s%s", o->on ? "" : "no", o->name);
		column += len;
	}
	if (column)
		textbuf_add_char(tb, '\n');
}

/* --- the buffer ------------------------------------------------------------------------------- */

static bool has_data(const struct state_cpu *c)
{
	return c->n_entries || c->n_overrun || c->n_commit_overrun || c->n_dropped;
}

static void add_cpu(struct textbuf *tb, const struct state_cpu *c)
{
	uint64_t lost = c->n_overrun + c->n_commit_overrun;
	unsigned full = c->size_kb ? (unsigned)(c->bytes * 100 / (c->size_kb * 1024)) : 0;

	add_label(tb, "");
	textbuf_addf(tb, "  %3u  %7" PRIu64 "  %3u%%  %9" PRIu64 "  %9" PRIu64 "  %9" PRIu64,
		     c->cpu, c->size_kb, full > 100 ? 100 : full, c->n_entries, lost, c->n_dropped);
	if (c->n_entries && c->now >= c->oldest)
		textbuf_addf(tb, "  %10.3f s", c->now - c->oldest);
	textbuf_add_char(tb, '\n');
}

static void add_buffer(struct textbuf *tb, const struct state_instance *in)
{
	bool any = false, same = true;

	if (!in->n_cpus || in->is_plain)
		return;
	for (size_t i = 0; i < in->n_cpus; i++) {
		any |= has_data(&in->cpus[i]);
		same &= in->cpus[i].size_kb == in->cpus[0].size_kb;
	}
	add_label(tb, "buffer");
	if (in->never_used)
		textbuf_add_str(tb, "not used yet");
	else if (same)
		textbuf_addf(tb, "%" PRIu64 " KB for each of %zu CPUs%s", in->cpus[0].size_kb,
			     in->n_cpus, any ? "" : ", empty");
	else
		textbuf_addf(tb, "%zu CPUs of different sizes%s", in->n_cpus,
			     any ? "" : ", all empty");
	textbuf_add_str(tb, in->has_snapshot ? "; and as much for a snapshot\n" : "\n");
	if (!any && same)
		return;
	add_line(tb, "", "  CPU  size KB  full     events       lost    dropped  oldest, ago");
	for (size_t i = 0; i < in->n_cpus; i++)
		if (has_data(&in->cpus[i]) || !same)
			add_cpu(tb, &in->cpus[i]);
}

static void add_errors(struct textbuf *tb, const struct state_instance *in)
{
	size_t first = in->n_errors > ERRORS_MAX ? in->n_errors - ERRORS_MAX : 0;

	for (size_t i = first; i < in->n_errors; i++)
		add_block(tb, i == first ? "refused before" : "", in->errors[i]);
	if (first)
		add_line(tb, "", "… and older ones (sonde show error_log)");
}

/* --- all of it -------------------------------------------------------------------------------- */

static void add_instance(struct textbuf *tb, const struct state_instance *in, bool all_options)
{
	if (*in->name)
		textbuf_addf(tb, "Instance %s", in->name);
	else
		textbuf_add_str(tb, "Top level");
	textbuf_addf(tb, ": tracing is %s", in->is_on ? "on" : "off");
	if (in->owner)
		textbuf_addf(tb, ", and process %d, a sonde, records it", in->owner);
	textbuf_add_str(tb, in->is_plain ? ", nothing is set\n" : "\n");
	add_values(tb, in);
	add_events(tb, in);
	add_of_events(tb, "filters", in->filters, in->n_filters);
	add_of_events(tb, "triggers", in->triggers, in->n_triggers);
	for (size_t i = 0; i < in->n_lists; i++)
		add_list(tb, &in->lists[i]);
	add_options(tb, in, all_options);
	add_buffer(tb, in);
	add_errors(tb, in);
	textbuf_add_char(tb, '\n');
}

/*
 * Returns true for an instance without settings. It gets no paragraph of its own, if there are
 * others.
 */
static bool is_brief(const struct state_instance *in, bool all_options)
{
	return *in->name && in->is_plain && in->is_on && !in->owner && !all_options;
}

static void add_brief(struct textbuf *tb, const struct tracestate *ts, bool all_options)
{
	bool any = false;

	for (size_t i = 0; i < ts->n_instances; i++)
		if (is_brief(&ts->instances[i], all_options)) {
			textbuf_addf(tb, "%s %s", any ? "" : "Instances without anything set:",
				     ts->instances[i].name);
			any = true;
		}
	if (any)
		textbuf_add_str(tb, "\n\n");
}

void tracestate_fmt(const struct tracestate *ts, bool all_options, struct textbuf *tb)
{
	textbuf_addf(tb, "Linux %s, %s\n\n", ts->kernel, ts->root);
	for (size_t i = 0; i < ts->n_instances; i++)
		if (!is_brief(&ts->instances[i], all_options))
			add_instance(tb, &ts->instances[i], all_options);
	add_brief(tb, ts, all_options);
	if (ts->probes.n) {
		textbuf_add_str(tb, "Probes and other events made at run time\n");
		for (size_t i = 0; i < ts->probes.n; i++)
			textbuf_addf(tb, "  %s\n", ts->probes.items[i]);
		textbuf_add_char(tb, '\n');
	}
	if (ts->ftrace_enabled == 0)
		textbuf_add_str(tb, "Function tracing is off for the whole kernel: "
				    "/proc/sys/kernel/ftrace_enabled is 0.\n"
				    "No tracer sees a function, whatever tracing_on says.\n\n");
	if (ts->stack_tracer > 0)
		textbuf_add_str(tb, "The stack tracer is on (sonde stack).\n\n");
	/* remove an empty last line */
	if (textbuf_len(tb) > 1 && tb->pos[-1] == '\n' && tb->pos[-2] == '\n')
		tb->pos--;
}
