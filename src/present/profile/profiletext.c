// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profiletext.c - prints a profile as text.
 *
 *	profile of trace.dat: 1.118 s from 151.609943 to 152.727952
 *	events: funcgraph_entry 5497, funcgraph_exit 2222, sys_enter 791, …
 *	no kernel_stack events: stacks are not shown; record with -T
 *
 *  task: sleep-234   2.412 ms on a CPU
 *    event                             count     total       avg       max  at           min  at
 *    running                               5  2.412 ms  482.4 us  1.200 ms  152.566  10 us  152.7
 *    sched_switch:S sleeping               1   1.001 s   1.001 s   1.001 s  152.699      …
 *        + 100% (1) 1.001 s
 *            hrtimer_nanosleep
 *            common_nsleep
 *
 * A branch of the tree of stacks is a line with a plus: its share of the time among its siblings,
 * its count, its time; below it the frames, innermost first, until it branches again. Frames that
 * exist only because of tracing (the tracepoint's own functions) are omitted.
 */
#include "present/profile/profiletext.h"

#include "base/array.h"
#include "decode/formats/event.h"

#include <inttypes.h>
#include <stdio.h>

#define NAME_WIDTH	40
#define VALUES_SHOWN	4
#define FUNCTIONS_SHOWN 40 /* per task; JSON has all */
#define EVENTS_WIDTH	80

/* --- numbers ---------------------------------------------------------------------------------- */

/* Writes four digits and a unit, or units of the clock. */
static const char *fmt_time(char text[32], uint64_t v, const struct profile_style *style)
{
	static const struct {
		uint64_t from;
		double unit;
		const char *name;
	} units[] = {{999950000, 1e9, "s"}, {999950, 1e6, "ms"}, {1000, 1e3, "us"}};

	if (style->time_style == TIME_UNITS) {
		snprintf(text, 32, "%" PRIu64, v);
		return text;
	}
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		double d = v / units[i].unit;

		if (v < units[i].from)
			continue;
		snprintf(text, 32, "%.*f %s",
			 d < 9.9995   ? 3
			 : d < 99.995 ? 2
				      : 1,
			 d, units[i].name);
		return text;
	}
	snprintf(text, 32, "%" PRIu64 " ns", v);
	return text;
}

static const char *fmt_ts(char text[TIME_MAX_BYTES], uint64_t ts, const struct profile_style *style)
{
	char *s = text;

	*time_emit(text, ts, style->time_style) = 0;
	while (*s == ' ')
		s++;
	return s;
}

/* --- the head --------------------------------------------------------------------------------- */

static void add_events(const struct profile *p, struct textbuf *tb)
{
	size_t n, start;
	const struct profile_seen *seen = profile_seen(p, &n);

	textbuf_add_str(tb, "events:");
	start = textbuf_len(tb);
	for (size_t i = 0; i < n; i++) {
		if (textbuf_len(tb) - start + strlen(seen[i].event->name) > EVENTS_WIDTH) {
			textbuf_add_str(tb, "\n       ");
			start = textbuf_len(tb);
		}
		textbuf_addf(tb, " %s %" PRIu64 "%s", seen[i].event->name, seen[i].n,
			     i + 1 < n ? "," : "\n");
	}
}

void profiletext_fmt_head(const struct profile *p, const struct profile_style *style, bool again,
			  struct textbuf *tb)
{
	struct profile_missing missing;
	uint64_t first, last;
	char a[TIME_MAX_BYTES], b[TIME_MAX_BYTES], c[32];

	textbuf_addf(tb, "%sprofile of %s", again ? "\n" : "", style->file);
	if (style->buffer)
		textbuf_addf(tb, ", buffer %s", style->buffer);
	if (!profile_range(p, &first, &last)) {
		textbuf_add_str(tb, ": no events\n");
		return;
	}
	textbuf_addf(tb, ": %s from %s to %s\n", fmt_time(c, last - first, style),
		     fmt_ts(a, first, style), fmt_ts(b, last, style));
	add_events(p, tb);
	for (size_t i = 0; profile_next_missing(p, &i, &missing);) {
		bool was_on = style->traced && !strncmp(missing.record, "-e", 2);
		const char *how = style->filtered || was_on ? NULL : missing.record;

		textbuf_addf(tb, "no %s events%s: %s are not shown%s%s\n", missing.events,
			     style->filtered ? " among the selected ones"
			     : was_on	     ? " occurred"
					     : "",
			     missing.what, how ? "; record with " : "", how ? how : "");
	}
	if (profile_n_gaps(p))
		textbuf_addf(tb,
			     "events were lost in %" PRIu64
			     " places; what was open there is not counted\n",
			     profile_n_gaps(p));
}

/* --- names ------------------------------------------------------------------------------------ */

/* Returns the meaning of a state, by its first letter. */
static const char *state_meaning(const char *state)
{
	static const struct {
		char letter;
		const char *text;
	} rows[] = {{'R', "preempted"}, {'S', "sleeping"}, {'D', "blocked"}, {'T', "stopped"},
		    {'t', "traced"},	{'X', "dead"},	   {'Z', "zombie"},  {'P', "parked"},
		    {'I', "idle"},	{'K', "wakekill"}, {'W', "waking"},  {'x', "dead"}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].letter == state[0])
			return rows[i].text;
	return "";
}

static void add_function(const struct profile *p, uint64_t addr, const char *after,
			 struct textbuf *tb)
{
	size_t len = 0;
	const char *name = profile_function(p, addr, &len);

	if (name) {
		textbuf_add(tb, name, len);
		textbuf_add_str(tb, after);
	} else {
		textbuf_addf(tb, "0x%" PRIx64, addr);
	}
}

static void add_syscall(const struct profile_row *r, const struct profile_style *style,
			struct textbuf *tb)
{
	const char *name = r->name ? r->name : syscall_name(style->syscalls, r->value);

	if (name)
		textbuf_addf(tb, "syscall:%s", name);
	else
		textbuf_addf(tb, "syscall:%" PRId64, (int64_t)r->value);
}

static void add_softirq(const struct profile_row *r, struct textbuf *tb)
{
	const char *name = profile_softirq((unsigned)r->value);

	textbuf_add_str(tb, r->event->name);
	if (name)
		textbuf_addf(tb, ":%s", name);
	else
		textbuf_addf(tb, ":%" PRIu64, r->value);
}

/* Adds a value; addresses and other large numbers are hexadecimal. */
static void add_value(const struct profile *p, const struct profile_row *r, struct textbuf *tb)
{
	static const char *const code[] = {"call_site", "ip",	  "function",
					   "func",	"caller", "__probe_ip"};
	const struct field *f = r->field;

	for (size_t i = 0; i < ARRAY_LEN(code); i++)
		if (f->size == 8 && !strcmp(f->name, code[i])) {
			add_function(p, r->value, "", tb);
			return;
		}
	if (f->size == 8 && r->value > UINT32_MAX)
		textbuf_addf(tb, "0x%" PRIx64, r->value);
	else if (f->flags & FIELD_SIGNED && f->size == 4)
		textbuf_addf(tb, "%d", (int)r->value);
	else
		textbuf_addf(tb, "%" PRIu64, r->value);
}

bool profiletext_has_value(const struct profile_row *r)
{
	const uint32_t no_number = FIELD_ARRAY | FIELD_STRING | FIELD_DYNAMIC;

	return r->field && !(r->field->flags & no_number) && r->field->size <= 8;
}

static void add_hook(const struct profile *p, const struct profile_row *r, struct textbuf *tb)
{
	textbuf_addf(tb, "%s..%s", r->event->name, r->end_event ? r->end_event->name : "");
	if (!profiletext_has_value(r) || r->n_values)
		return;
	textbuf_addf(tb, " %s=", r->field->name);
	add_value(p, r, tb);
}

void profiletext_fmt_name(const struct profile *p, const struct profile_row *r,
			  const struct profile_style *style, struct textbuf *tb)
{
	char state[32];

	switch (r->kind) {
	case PROFILE_RUN:
		textbuf_add_str(tb, "running");
		break;
	case PROFILE_SWITCH:
		profile_state(p, r->value, state);
		textbuf_addf(tb, "%s:%s", r->event->name, state);
		break;
	case PROFILE_FUNCTION:
		add_function(p, r->value, "()", tb);
		break;
	case PROFILE_SYSCALL:
		add_syscall(r, style, tb);
		break;
	case PROFILE_IRQ:
		textbuf_addf(tb, "irq:%" PRIu64, r->value);
		break;
	case PROFILE_SOFTIRQ:
	case PROFILE_RAISE:
		add_softirq(r, tb);
		break;
	case PROFILE_HOOK:
		add_hook(p, r, tb);
		break;
	default:
		textbuf_add_str(tb, r->event->name);
	}
}

/* Adds a short explanation after the name. */
static void add_meaning(const struct profile *p, const struct profile_task *t,
			const struct profile_row *r, struct textbuf *tb)
{
	char state[32];

	switch (r->kind) {
	case PROFILE_RUN:
		textbuf_add_str(tb, t->is_cpu ? ", the idle task" : "");
		break;
	case PROFILE_SWITCH:
		profile_state(p, r->value, state);
		textbuf_addf(tb, " %s", state_meaning(state));
		break;
	case PROFILE_WAKEUP:
		textbuf_add_str(tb, " until it runs");
		break;
	case PROFILE_RAISE:
		textbuf_add_str(tb, " until it runs");
		break;
	case PROFILE_IRQ:
		textbuf_addf(tb, "%s%s", r->name ? " " : "", r->name ? r->name : "");
		break;
	default:
		break;
	}
}

/* --- stacks ----------------------------------------------------------------------------------- */

struct tree {
	struct profile *p;
	const struct profile_style *style;
	struct textbuf *tb;
	char bars[256]; /* '|' or ' ' for each level */
};

static bool is_tracing(const struct profile *p, uint64_t addr)
{
	static const char *const starts[] = {"trace_event_raw_event_", "__traceiter_",
					     "trace_event_buffer_commit", "perf_trace_"};
	size_t len = 0;
	const char *name = profile_function(p, addr, &len);

	for (size_t i = 0; name && i < ARRAY_LEN(starts); i++)
		if (len >= strlen(starts[i]) && !memcmp(name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

static void add_indent(struct tree *t, unsigned level)
{
	textbuf_add_str(t->tb, "      ");
	for (unsigned i = 0; i < level; i++)
		textbuf_addf(t->tb, "%c   ", i < sizeof(t->bars) ? t->bars[i] : ' ');
}

static void add_chain_times(struct tree *t, const struct profile_chain *c)
{
	char a[32], b[TIME_MAX_BYTES];

	textbuf_addf(t->tb, "+ %u%% (%" PRIu64 ")", c->percent, c->times.n);
	if (c->times.total) {
		textbuf_addf(t->tb, " %s", fmt_time(a, c->times.total, t->style));
		if (c->times.n > 1)
			textbuf_addf(t->tb, ", avg %s",
				     fmt_time(a, c->times.total / c->times.n, t->style));
		if (c->times.n > 1)
			textbuf_addf(t->tb, ", max %s", fmt_time(a, c->times.max, t->style));
		textbuf_addf(t->tb, " at %s", fmt_ts(b, c->times.max_ts, t->style));
	}
	textbuf_add_char(t->tb, '\n');
}

static void add_chains(struct tree *t, const struct profile_chain *chains, size_t n, unsigned level)
{
	for (size_t i = 0; i < n; i++) {
		const struct profile_chain *c = &chains[i];

		if (level < sizeof(t->bars))
			t->bars[level] = i + 1 < n ? '|' : ' ';
		add_indent(t, level);
		add_chain_times(t, c);
		while (c->n_children == 1 && is_tracing(t->p, c->addr))
			c = c->children;
		for (;; c = c->children) {
			add_indent(t, level + 1);
			add_function(t->p, c->addr, "", t->tb);
			textbuf_add_char(t->tb, '\n');
			if (c->n_children != 1)
				break;
		}
		add_chains(t, c->children, c->n_children, level + 1);
	}
}

/* --- rows ------------------------------------------------------------------------------------- */

static void add_times(const struct profile_times *t, const struct profile_style *style,
		      struct textbuf *tb)
{
	char a[32], b[TIME_MAX_BYTES];

	textbuf_addf(tb, " %9s", fmt_time(a, t->total, style));
	textbuf_addf(tb, " %9s", fmt_time(a, t->total / t->n, style));
	textbuf_addf(tb, " %9s", fmt_time(a, t->max, style));
	textbuf_addf(tb, "  %-12s", fmt_ts(b, t->max ? t->max_ts : t->min_ts, style));
	textbuf_addf(tb, " %9s", fmt_time(a, t->min, style));
	textbuf_addf(tb, "  %s", fmt_ts(b, t->min_ts, style));
}

/* Adds the values of an event that is only counted: "address 0x1 (3), 0x2 (1), 5 more". */
static void add_values(const struct profile *p, const struct profile_row *r, struct textbuf *tb)
{
	size_t n = r->n_values < VALUES_SHOWN ? r->n_values : VALUES_SHOWN;

	if (!n || !profiletext_has_value(r->values[0]))
		return;
	if (r->n_values > VALUES_SHOWN && r->values[0]->times.n == 1) {
		textbuf_addf(tb, "  %zu values of %s", r->n_values, r->field->name);
		return;
	}
	textbuf_addf(tb, "  %s ", r->field->name);
	for (size_t i = 0; i < n; i++) {
		textbuf_add_str(tb, i ? ", " : "");
		add_value(p, r->values[i], tb);
		if (r->n_values > 1)
			textbuf_addf(tb, " (%" PRIu64 ")", r->values[i]->times.n);
	}
	if (n < r->n_values)
		textbuf_addf(tb, ", %zu more", r->n_values - n);
}

static void add_row(struct profile *p, const struct profile_task *task, const struct profile_row *r,
		    const struct profile_style *style, struct textbuf *tb)
{
	struct tree t = {.p = p, .style = style, .tb = tb};
	const struct profile_chain *chains;
	size_t start, n;

	textbuf_add_str(tb, "  ");
	start = textbuf_len(tb);
	profiletext_fmt_name(p, r, style, tb);
	add_meaning(p, task, r, tb);
	n = textbuf_len(tb) - start;
	textbuf_add_fill(tb, ' ', n < NAME_WIDTH ? NAME_WIDTH - n : 0);
	textbuf_addf(tb, " %7" PRIu64, r->times.n);
	if (r->end_event || r->kind == PROFILE_RUN)
		add_times(&r->times, style, tb);
	add_values(p, r, tb);
	textbuf_add_char(tb, '\n');
	chains = profile_chains(p, r, &n);
	add_chains(&t, chains, n, 0);
}

static void add_title(const struct profile_task *t, const struct profile_style *style,
		      struct textbuf *tb)
{
	char a[32];

	textbuf_add_char(tb, '\n');
	if (t->is_global)
		textbuf_add_str(tb, "the whole machine");
	else if (t->is_cpu)
		textbuf_addf(tb, "CPU %u", t->cpu);
	else if (t->is_group)
		textbuf_addf(tb, "group: %s, %zu task%s", t->comm, t->n_tasks,
			     t->n_tasks == 1 ? "" : "s");
	else
		textbuf_addf(tb, "task: %s-%d", t->comm, t->pid);
	if (t->run)
		textbuf_addf(tb, "   %s %s", fmt_time(a, t->run, style),
			     t->is_idle ? "idle" : "on a CPU");
	textbuf_addf(tb, "\n  %-*s %7s %9s %9s %9s  %-12s %9s  at\n", NAME_WIDTH, "event", "count",
		     "total", "avg", "max", "at", "min");
}

void profiletext_fmt_task(struct profile *p, const struct profile_task *t,
			  const struct profile_style *style, struct textbuf *tb)
{
	size_t n_functions = 0;

	if (!t->n_rows)
		return;
	add_title(t, style, tb);
	for (size_t i = 0; i < t->n_rows; i++) {
		n_functions += t->rows[i]->kind == PROFILE_FUNCTION;
		if (t->rows[i]->kind == PROFILE_FUNCTION && n_functions > FUNCTIONS_SHOWN)
			continue;
		if (n_functions > FUNCTIONS_SHOWN) {
			textbuf_addf(tb, "  %zu more functions\n", n_functions - FUNCTIONS_SHOWN);
			n_functions = 0;
		}
		add_row(p, t, t->rows[i], style, tb);
	}
	if (n_functions > FUNCTIONS_SHOWN)
		textbuf_addf(tb, "  %zu more functions\n", n_functions - FUNCTIONS_SHOWN);
}

/* --- the tail --------------------------------------------------------------------------------- */

void profiletext_fmt_tail(const struct profile *p, struct textbuf *tb)
{
	size_t n, n_empty = 0;
	const struct profile_task *const *tasks = profile_tasks(p, &n);

	for (size_t i = 0; i < n; i++)
		if (!tasks[i]->n_rows)
			textbuf_addf(tb, "%s%s-%d",
				     n_empty++ ? ", " : "\nnothing measured: ", tasks[i]->comm,
				     tasks[i]->pid);
	if (n_empty)
		textbuf_add_char(tb, '\n');
	if (profile_n_dropped(p))
		textbuf_addf(tb, "\n%" PRIu64 " events are not counted: too many different ones\n",
			     profile_n_dropped(p));
}
