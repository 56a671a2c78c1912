// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * taskstate.c - reads the state of a task after it left its CPU, from prev_state of sched_switch.
 *
 * The number is a set of bits, and their meaning has changed: Z was 16 and X 32, then they were
 * swapped; P replaced x at 64; I came with 4.14. The event's print format names the bits,
 *
 *	__print_flags(REC->prev_state & …, "|", { 0x1, "S" }, { 0x2, "D" }, … { 0x80, "I" })
 *
 * and this file reads them from there. A bit above all named ones (TASK_REPORT_MAX, shown as "+")
 * only means that the task was preempted, as 0 does.
 */
#include "decode/taskstate.h"

#include "base/array.h"

static const struct {
	char letter;
	enum task_state state;
} letters[] = {
	{'S', STATE_SLEEPING}, {'D', STATE_BLOCKED}, {'T', STATE_STOPPED},
	{'t', STATE_STOPPED},  {'X', STATE_DEAD},    {'x', STATE_DEAD},
	{'Z', STATE_DEAD},     {'P', STATE_IDLE},    {'I', STATE_IDLE},
};

/* The states of kernels since 4.14: S D T t X Z P I. */
static const struct prev_states today = {
	{STATE_SLEEPING, STATE_BLOCKED, STATE_STOPPED, STATE_STOPPED, STATE_DEAD, STATE_DEAD,
	 STATE_IDLE, STATE_IDLE},
};

static const char *const names[STATES_N] = {
	"unknown", "running", "runnable", "preempted", "sleeping",
	"blocked", "stopped", "idle",	  "dead",
};

static enum task_state letter_state(const struct flag_name *n)
{
	for (size_t i = 0; i < ARRAY_LEN(letters) && n->len == 1; i++)
		if (letters[i].letter == n->text[0])
			return letters[i].state;
	return STATE_UNKNOWN;
}

/* Stores the names that are letters of states in ps, and returns their number. */
static unsigned read_names(struct prev_states *ps, const struct arg *flags)
{
	unsigned n = 0;

	for (size_t i = 0; i < flags->flags.n_names; i++) {
		const struct flag_name *name = &flags->flags.names[i];
		enum task_state s = letter_state(name);
		int bit = name->value > 0 ? __builtin_ctzll(name->value) : 16;

		if (s == STATE_UNKNOWN || bit > 15 || name->value & (name->value - 1))
			continue;
		ps->by_bit[bit] = s;
		n++;
	}
	return n;
}

/* Searches for the flags, which are inside a condition: { … } ? flags : "R". */
static unsigned search(struct prev_states *ps, const struct arg *a, int depth)
{
	unsigned n = 0;

	if (!a || depth > 16)
		return 0;
	switch (a->kind) {
	case ARG_FLAGS:
		return read_names(ps, a);
	case ARG_OP:
		n = search(ps, a->op.left, depth + 1);
		return n ? n : search(ps, a->op.right, depth + 1);
	case ARG_CAST:
		return search(ps, a->cast.item, depth + 1);
	default:
		return 0;
	}
}

void prev_states_init(struct prev_states *ps, const struct event *ev)
{
	unsigned n = 0;

	*ps = (struct prev_states){0};
	for (const struct arg *a = ev ? ev->args : NULL; a && !n; a = a->next)
		n = search(ps, a, 0);
	if (!n)
		*ps = today;
}

enum task_state prev_states_get(const struct prev_states *ps, uint64_t prev_state)
{
	for (unsigned bit = 0; bit < 16; bit++)
		if (prev_state >> bit & 1 && ps->by_bit[bit] != STATE_UNKNOWN)
			return ps->by_bit[bit];
	return STATE_PREEMPTED;
}

const char *task_state_name(enum task_state s)
{
	return (unsigned)s < STATES_N ? names[s] : names[STATE_UNKNOWN];
}
