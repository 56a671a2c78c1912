// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profilepeer.c - prints a profile exactly as trace-cmd does.
 *
 *	task: ls-234
 *	  Event: sched_switch:S (2) Total: 742 Avg: 371 Max: 722(ts:152.566100)
 *	  Min:20(ts:152.700166)
 *	          |
 *	          + schedule (0xffffffff82a4c818)
 *	          |   84% (3) time:640 max:600(ts:…) min:10(ts:…) avg:213
 *	          |    do_wait (0x…)
 *	          |
 *	          + …
 *
 * Each level of the tree is seven columns wide: five columns and two blanks. The fifth column is a
 * bar if a sibling follows; `mask` has a bit for each level with a bar. All times are nanoseconds;
 * a time whose microseconds round up to a second is printed with seven digits, as trace-cmd does.
 */
#include "present/profile/profilepeer.h"

#include <inttypes.h>

#define INDENT 5

struct tree {
	struct profile *p;
	struct textbuf *tb;
	uint64_t mask; /* bit n: level n has a bar */
};

static void add_ts(struct textbuf *tb, uint64_t ts)
{
	textbuf_addf(tb, "(ts:%" PRIu64 ".%06" PRIu64 ")", ts / 1000000000,
		     (ts % 1000000000 + 500) / 1000);
}

/* Adds the name of a function, or its address if it has none. */
static bool add_function(struct profile *p, uint64_t addr, struct textbuf *tb)
{
	size_t len = 0;
	const char *name = profile_function(p, addr, &len);

	if (name)
		textbuf_add(tb, name, len);
	else
		textbuf_addf(tb, "0x%" PRIx64, addr);
	return name;
}

/* --- stacks ----------------------------------------------------------------------------------- */

static void add_bar(struct tree *t, char bar)
{
	textbuf_addf(t->tb, "%*c ", INDENT, bar);
}

static void add_indent(struct tree *t, unsigned level)
{
	for (unsigned i = 0; i <= level; i++)
		add_bar(t, i < 64 && t->mask >> i & 1 ? '|' : ' ');
}

static void set_bar(struct tree *t, unsigned level, bool on)
{
	if (level >= 64)
		return;
	if (on)
		t->mask |= 1ull << level;
	else
		t->mask &= ~(1ull << level);
}

static void add_frame(struct tree *t, uint64_t addr)
{
	if (add_function(t->p, addr, t->tb))
		textbuf_addf(t->tb, " (0x%" PRIx64 ")", addr);
	textbuf_add_char(t->tb, '\n');
}

static void add_chain_times(struct textbuf *tb, const struct profile_chain *c)
{
	textbuf_addf(tb, "  %u%% (%" PRIu64 ")", c->percent, c->times.n);
	if (c->times.total) {
		textbuf_addf(tb, " time:%" PRIu64 " max:%" PRIu64, c->times.total, c->times.max);
		add_ts(tb, c->times.max_ts);
		textbuf_addf(tb, " min:%" PRIu64, c->times.min);
		add_ts(tb, c->times.min_ts);
		textbuf_addf(tb, " avg:%" PRIu64, c->times.total / c->times.n);
	}
	textbuf_add_char(tb, '\n');
}

static void add_chains(struct tree *t, const struct profile_chain *chains, size_t n, unsigned level)
{
	char bar = '|';

	if (!n)
		return;
	set_bar(t, level + 1, true);
	add_indent(t, level + 1);
	textbuf_add_char(t->tb, '\n');
	for (size_t i = 0; i < n; i++) {
		const struct profile_chain *c = chains[i].children;
		size_t n_children = chains[i].n_children;

		add_indent(t, level);
		add_bar(t, '+');
		if (i == n - 1) {
			set_bar(t, level + 1, false);
			bar = ' ';
		}
		add_frame(t, chains[i].addr);
		add_indent(t, level);
		add_bar(t, bar);
		add_chain_times(t->tb, &chains[i]);
		for (; n_children == 1; n_children = c->n_children, c = c->children) {
			add_indent(t, level);
			add_bar(t, bar);
			textbuf_add_str(t->tb, "   ");
			add_frame(t, c->addr);
		}
		add_chains(t, c, n_children, level + 1);
		add_indent(t, level + 1);
		textbuf_add_char(t->tb, '\n');
	}
	set_bar(t, level + 1, false);
	add_indent(t, level);
	textbuf_add_char(t->tb, '\n');
}

/* --- rows ------------------------------------------------------------------------------------- */

static void add_softirq(const struct profile_row *r, struct textbuf *tb)
{
	int number = (int)r->value;
	const char *name = number == 5 ? "BLOCK_IOPOLL" : profile_softirq((unsigned)number);

	if (name)
		textbuf_addf(tb, "%s:%s", r->event->name, name);
	else
		textbuf_addf(tb, "%s:%d", r->event->name, number);
}

static void add_switch(const struct profile_row *r, struct textbuf *tb)
{
	static const char states[] = "SDTtXZxKWP";

	textbuf_addf(tb, "%s:", r->event->name);
	for (unsigned i = 0; i < sizeof(states) - 1; i++)
		if (r->value >> i & 1)
			textbuf_add_char(tb, states[i]);
	if (!r->value)
		textbuf_add_char(tb, 'R');
}

static void add_name(struct profile *p, const struct profile_row *r, struct textbuf *tb)
{
	switch (r->kind) {
	case PROFILE_SWITCH:
		add_switch(r, tb);
		break;
	case PROFILE_FUNCTION:
		textbuf_add_str(tb, "func: ");
		if (add_function(p, r->value, tb))
			textbuf_add_str(tb, "()");
		break;
	case PROFILE_SYSCALL:
		textbuf_addf(tb, "%s:%d", r->event->name, (int)r->value);
		break;
	case PROFILE_SOFTIRQ:
	case PROFILE_RAISE:
		add_softirq(r, tb);
		break;
	default:
		textbuf_addf(tb, "%s:0x%" PRIx64, r->event->name, r->value);
	}
}

static void add_row(struct profile *p, const struct profile_row *r, struct textbuf *tb)
{
	struct tree t = {.p = p, .tb = tb};
	const struct profile_chain *chains;
	size_t n;

	textbuf_add_str(tb, "  Event: ");
	add_name(p, r, tb);
	textbuf_addf(tb, " (%" PRIu64 ")", r->times.n);
	if (r->times.total) {
		textbuf_addf(tb, " Total: %" PRIu64 " Avg: %" PRIu64 " Max: %" PRIu64,
			     r->times.total, r->times.total / r->times.n, r->times.max);
		add_ts(tb, r->times.max_ts);
		textbuf_addf(tb, " Min:%" PRIu64, r->times.min);
		add_ts(tb, r->times.min_ts);
	}
	textbuf_add_char(tb, '\n');
	chains = profile_chains(p, r, &n);
	add_chains(&t, chains, n, 0);
}

void profilepeer_fmt_task(struct profile *p, const struct profile_task *t, struct textbuf *tb)
{
	if (t->is_global)
		textbuf_add_str(tb, "Global Events\n");
	else if (t->is_cpu)
		textbuf_addf(tb, "Global CPU[%u] Events\n", t->cpu);
	else if (t->is_group)
		textbuf_addf(tb, "\ngroup: %s\n", t->comm);
	else if (t->pid < 0)
		textbuf_addf(tb, "%s\n", t->comm);
	else
		textbuf_addf(tb, "\ntask: %s-%d\n", t->comm, t->pid);
	for (size_t i = 0; i < t->n_rows; i++)
		add_row(p, t->rows[i], tb);
}

void profilepeer_fmt_hook(const struct profile_hook *h, struct textbuf *tb)
{
	static const char none[] = "(null)";

	textbuf_addf(tb, "start %s:%s:%s (%s) end %s:%s:%s (%s)\n",
		     h->start_system ? h->start_system : none, h->start_event, h->start_match,
		     h->start_pid ? h->start_pid : none, h->end_system ? h->end_system : none,
		     h->end_event, h->end_match, h->flags ? h->flags : none);
}
