// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * guess.c - times of returns that were not recorded (uftrace record --estimate-return).
 *
 * The recorder only sees calls. It writes a return halfway between a call and the next one:
 *
 *	call a          return a          call b
 *	0               50 (a guess)      100
 *
 * If the task does not run for a part of that time, the return belongs behind its sleep. Rules:
 *
 *  1. When the task stops, the return that comes next is put off: it is not next any more. When the
 *     next call will be follows from the guess: as far behind it as the call was before it.
 *  2. When the task runs again, the return is halfway between then and the next call.
 *  3. Returns that follow, and would be before that, come after it, one ns each. Any other record
 *     ends the matter.
 *
 * Rule 3 holds each time that a record becomes the current one, even if it was already.
 */
#include "analyse/uftrace/walk_int.h"

#include "format/uftrace.h"

/* The next record of the task itself, if it is waiting. */
static struct uft_record *next_own(struct uft_lane *l)
{
	return l->waiting.head < l->waiting.n ? &l->waiting.items[l->waiting.head].rec : NULL;
}

static void put_off(struct uft_guess *g, struct uft_record *ret, uint64_t call_ns)
{
	if (!g->next_call_ns)
		g->next_call_ns = ret->time_ns + (ret->time_ns - call_ns);
	ret->time_ns = UINT64_MAX;
}

static void put_behind(struct uft_guess *g, struct uft_record *ret, uint64_t runs_ns)
{
	if (g->return_ns <= runs_ns)
		g->return_ns = (runs_ns + g->next_call_ns) / 2;
	ret->time_ns = g->return_ns;
}

void uft_guess_at_switch(struct uft_lane *l)
{
	bool runs = l->rec.addr == UFT_EVENT_SCHED_IN;
	struct uft_record *next = next_own(l);
	struct uft_call *call = uft_call_open(l);

	if (!l->n_open || !next)
		return;
	if (next->type == UFT_ENTRY) {
		l->guess.next_call_ns = 0;
		return;
	}
	/* a sleep is a call of its own, inside of the one that returns */
	if (runs && l->n_open >= 2)
		call = uft_call_at(l, l->n_open - 2);
	if (!call || call->addr != next->addr)
		return;
	if (runs)
		put_behind(&l->guess, next, l->rec.time_ns);
	else
		put_off(&l->guess, next, uft_call_ns(call));
}

void uft_guess_at_record(struct uft_lane *l)
{
	struct uft_guess *g = &l->guess;

	if (!g->return_ns)
		return;
	if (l->rec.type == UFT_EXIT && l->rec.time_ns <= g->return_ns)
		l->rec.time_ns = ++g->return_ns;
	else
		*g = (struct uft_guess){0};
}
