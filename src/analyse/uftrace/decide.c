// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * decide.c - which records of a walk are shown, and how far to the right.
 *
 * A task has a scope: what the calls that are open leave to show for the next one. A call is shown
 * if all of these hold; the first that does not decides.
 *
 *  1. No call around it is excluded (-N, "!f"), and neither is its function.
 *  2. Without -F all is selected. With it, its function or one around it is. A function that -F
 *     names has all levels of -D before it, even if there were fewer.
 *  3. Its function is in a source file that -L wants.
 *  4. Tracing is on. trace_on and trace_off switch it for all tasks, from this call on. A call that
 *     begins while it is off is silent: its return is shown if tracing is on by then.
 *  5. There are levels left (-D, depth=), and its function is not hidden (-H). It takes one of
 *     them.
 *
 * Its return is shown if the call was neither hidden by these rules nor is tracing off; a return
 * without a call is shown. With a return the scope is as it was before the call. Calls that never
 * return because of exec or longjmp leave the scope as it is.
 *
 * An event is shown if a call would be that no option names. A loss is always shown.
 *
 * Too short or small calls (-t, -Z, -C) and those out of range (-r) are not here any more (sift.c);
 * options about kinds of records come before all this (uft_walk_wants).
 *
 * The margin is how far to the right the next line is. A shown call moves it by one, its return
 * back. When it cannot be known (the beginning of a range, trace_off, a loss), it follows from the
 * stack at the next line: as many levels as calls are around it, shown or not. After exec it is 0,
 * after longjmp where setjmp was called. A child of fork begins where fork was called (stack.c).
 */
#include "analyse/uftrace/walk_int.h"

#include "base/array.h"
#include "format/uftrace.h"
#include "symbols/uftrace/module.h"

#include <string.h>

/* What a function of the C library does to the stack. */
enum effect { EFFECT_NONE, EFFECT_EXEC, EFFECT_SETJMP, EFFECT_LONGJMP, EFFECT_FORK };

static enum effect effect_of(const struct uft_sym *s)
{
	static const struct {
		const char *name;
		enum effect effect;
	} rows[] = {
		{"execl", EFFECT_EXEC},		{"execlp", EFFECT_EXEC},
		{"execle", EFFECT_EXEC},	{"execv", EFFECT_EXEC},
		{"execve", EFFECT_EXEC},	{"execvp", EFFECT_EXEC},
		{"execvpe", EFFECT_EXEC},	{"setjmp", EFFECT_SETJMP},
		{"_setjmp", EFFECT_SETJMP},	{"sigsetjmp", EFFECT_SETJMP},
		{"__sigsetjmp", EFFECT_SETJMP}, {"longjmp", EFFECT_LONGJMP},
		{"siglongjmp", EFFECT_LONGJMP}, {"__longjmp_chk", EFFECT_LONGJMP},
		{"fork", EFFECT_FORK},		{"vfork", EFFECT_FORK},
		{"daemon", EFFECT_FORK},
	};

	for (size_t i = 0; s && i < ARRAY_LEN(rows); i++)
		if (!strcmp(rows[i].name, s->name))
			return rows[i].effect;
	return EFFECT_NONE;
}

static void note_effect(struct uft_walk *w, struct uft_lane *l, struct uft_call *call,
			enum effect effect)
{
	switch (effect) {
	case EFFECT_NONE:
		break;
	case EFFECT_EXEC:
		call->jump = UFT_TO_PROGRAM;
		break;
	case EFFECT_LONGJMP:
		call->jump = UFT_TO_SETJMP;
		break;
	case EFFECT_SETJMP:
		w->setjmp.level = l->margin.level + 1;
		w->setjmp.n_open = l->n_open;
		break;
	case EFFECT_FORK:
		l->fork_level = l->margin.level + 1;
		break;
	}
}

/* Rules 1 to 3: do the names let it pass? *scope becomes that of the calls inside. */
static bool pass_names(const struct uft_walk *w, unsigned actions, struct uft_scope *scope)
{
	const struct uft_triggers *t = w->c.triggers;

	if (actions & UFT_DO_EXCLUDE) {
		scope->is_excluded = true;
		return false;
	}
	if (actions & UFT_DO_SELECT) {
		scope->n_selected++;
		scope->levels = w->c.depth;
	}
	if (t->has_selected && !scope->n_selected)
		return false;
	return !(actions & UFT_DO_DROP_FILE) && (!t->has_files || actions & UFT_DO_WANT_FILE);
}

/* Rules 1 to 5. *is_on is what the call leaves of it, *scope that of the calls inside. */
static enum uft_verdict judge(const struct uft_walk *w, const struct uft_trigger *tr,
			      struct uft_scope *scope, bool *is_on)
{
	unsigned actions = tr ? tr->actions : 0;

	if (!pass_names(w, actions, scope))
		return UFT_HIDDEN;
	if (actions & UFT_DO_DEPTH)
		scope->levels = tr->depth;
	if (actions & (UFT_DO_SWITCH_ON | UFT_DO_SWITCH_OFF))
		*is_on = !(actions & UFT_DO_SWITCH_OFF);
	if (!*is_on)
		return UFT_SILENT;
	if (scope->levels <= 0 || actions & UFT_DO_HIDE)
		return UFT_HIDDEN;
	scope->levels--;
	return UFT_SHOWN;
}

/* The current record is a call. Returns true if it is shown. */
static bool decide_call(struct uft_walk *w, struct uft_lane *l, const struct uft_trigger **ret)
{
	struct uft_call *call = uft_call_open(l);
	struct uft_scope inside = l->scope;
	const struct uft_trigger *tr;

	if (!call)
		return false;
	call->levels_outside = l->scope.levels;
	call->is_selected = call->is_excluded = false;
	call->jump = UFT_NO_JUMP;
	call->verdict = UFT_HIDDEN;
	if (l->scope.is_excluded)
		return false;
	note_effect(w, l, call, effect_of(uft_walk_sym(w, l, l->rec.time_ns, l->rec.addr)));
	*ret = tr = uft_walk_trigger(w, l, &l->rec, NULL);
	call->verdict = judge(w, tr, &inside, &w->is_on);
	call->is_selected = inside.n_selected > l->scope.n_selected;
	call->is_excluded = inside.is_excluded;
	l->scope = inside;
	if (call->verdict == UFT_SILENT && tr && tr->actions & UFT_DO_SWITCH_OFF)
		l->margin.is_stale = true;
	if (call->verdict != UFT_SHOWN)
		return false;
	if (l->margin.is_stale)
		l->margin = (struct uft_margin){.level = l->n_open - 1};
	return true;
}

static bool decide_return(struct uft_walk *w, struct uft_lane *l)
{
	const struct uft_call *call = uft_call_ended(l);

	if (!call)
		return false;
	if (call->verdict == UFT_HIDDEN || !w->is_on) {
		uft_settle_return(l);
		return false;
	}
	if (l->margin.is_stale)
		l->margin = (struct uft_margin){.level = l->n_open};
	else if (l->margin.level > 0)
		l->margin.level--;
	return true;
}

static bool decide_event(struct uft_walk *w, struct uft_lane *l)
{
	if (l->scope.is_excluded || l->scope.levels <= 0 ||
	    (w->c.triggers->has_selected && !l->scope.n_selected))
		return false;
	if (l->rec.addr == UFT_EVENT_SCHED_IN)
		return uft_call_ended(l);
	return l->rec.addr != UFT_EVENT_SCHED_OUT || uft_call_open(l);
}

bool uft_decide(struct uft_walk *w, struct uft_lane *l, const struct uft_trigger **ret_trigger)
{
	const struct uft_trigger *tr = NULL;
	bool is_shown = true;

	switch (l->rec.type) {
	case UFT_ENTRY:
		is_shown = decide_call(w, l, &tr);
		break;
	case UFT_EXIT:
		is_shown = decide_return(w, l);
		break;
	case UFT_EVENT:
		is_shown = decide_event(w, l);
		break;
	case UFT_LOST:
		break;
	}
	if (ret_trigger)
		*ret_trigger = tr;
	return is_shown;
}

void uft_settle_call(struct uft_walk *w, struct uft_lane *l, struct uft_call *call)
{
	switch (call->jump) {
	case UFT_NO_JUMP:
		l->margin.level++;
		break;
	case UFT_TO_PROGRAM:
		l->margin.level = l->n_open = l->n_functions = 0;
		break;
	case UFT_TO_SETJMP:
		l->margin.level = w->setjmp.level;
		l->n_open = l->n_functions = w->setjmp.n_open;
		break;
	}
	call->jump = UFT_NO_JUMP;
}

void uft_settle_return(struct uft_lane *l)
{
	struct uft_call *call = uft_call_ended(l);

	if (!call)
		return;
	l->scope.n_selected -= call->is_selected;
	l->scope.is_excluded &= !call->is_excluded;
	l->scope.levels = call->levels_outside;
	call->is_selected = call->is_excluded = false;
	call->verdict = UFT_SHOWN;
	call->jump = UFT_NO_JUMP;
}

void uft_settle(struct uft_walk *w, struct uft_lane *l)
{
	l->settled_ns = l->rec.time_ns;
	if (l->rec.type == UFT_ENTRY)
		uft_settle_call(w, l, uft_call_open(l));
	else if (l->rec.type == UFT_EXIT)
		uft_settle_return(l);
}

/* --no-sched-preempt hides a preemption, and the return from it. */
static bool is_preemption(struct uft_lane *l)
{
	bool was_preempted = l->is_preempted;

	if (l->rec.addr == UFT_EVENT_SCHED_OUT_PREEMPT ||
	    l->rec.addr == UFT_EVENT_SCHED_BOTH_PREEMPT)
		return l->is_preempted = true;
	if (l->rec.addr != UFT_EVENT_SCHED_IN)
		return false;
	l->is_preempted = false;
	return was_preempted;
}

/* An event, or a call of the kernel, while no function is open. */
static bool is_outside(const struct uft_walk *w, const struct uft_lane *l)
{
	if (l->n_functions)
		return false;
	return (l->rec.type == UFT_EVENT && !w->c.event_full) ||
	       (uft_in_kernel(l) && !w->c.kernel_full);
}

bool uft_walk_wants(struct uft_walk *w, struct uft_lane *l)
{
	if (w->c.kernel_only && l->rec.type != UFT_LOST && !uft_in_kernel(l))
		return false;
	if (is_outside(w, l))
		return false;
	if (l->rec.type == UFT_EVENT && w->c.no_event && !w->c.keeps_events)
		return false;
	if (w->c.no_sched && uft_is_sched(l->rec.addr))
		return false;
	return !w->c.no_sched_preempt || !is_preemption(l);
}

/*
 * Will the record be shown that was peeked at? This is a coarser rule than that of decide_call, and
 * it changes nothing: a function that -L names, in whatever way, and one that has depth= or
 * trace_on, pass.
 */
static bool may_show(struct uft_walk *w, struct uft_lane *l)
{
	const struct uft_triggers *t = w->c.triggers;
	const struct uft_trigger *tr;
	const struct uft_call *call = uft_call_open(l);
	bool has_session = false;
	unsigned actions;

	if (l->scope.is_excluded)
		return false;
	if (l->rec.type == UFT_EXIT)
		return l->n_open < 1 || (call && call->verdict != UFT_HIDDEN);
	tr = uft_walk_trigger(w, l, &l->rec, &has_session);
	actions = tr ? tr->actions : 0;
	if (!has_session || actions & UFT_DO_EXCLUDE)
		return false;
	if ((t->has_selected || t->has_files) && !l->scope.n_selected &&
	    !(actions & (UFT_DO_SELECT | UFT_DO_WANT_FILE | UFT_DO_DROP_FILE)))
		return false;
	if (actions & (UFT_DO_DEPTH | UFT_DO_SWITCH_ON))
		return true;
	if (actions & (UFT_DO_SWITCH_OFF | UFT_DO_HIDE))
		return false;
	return (actions & UFT_DO_SELECT ? w->c.depth : l->scope.levels) > 0;
}

static bool is_libcall_hidden(struct uft_walk *w, struct uft_lane *l)
{
	return l->rec.type != UFT_EVENT && w->c.no_libcall &&
	       uft_walk_hides_libcall(w, uft_walk_rec_sym(w, l, &l->rec));
}

/* Takes a record that is not shown. */
static void pass_over(struct uft_walk *w, struct uft_lane *l)
{
	uft_walk_take(w, l);
	if (l->rec.type == UFT_ENTRY)
		uft_decide(w, l, NULL);
	else if (l->rec.type == UFT_EXIT)
		uft_settle_return(l);
}

struct uft_lane *uft_look_ahead(struct uft_walk *w, struct uft_lane *l, int depth)
{
	const struct uft_call *call = uft_call_open(l);
	enum uft_source source = l->source;
	struct uft_lane *next;

	if (!call || call->jump != UFT_NO_JUMP)
		return NULL;
	while ((next = uft_walk_peek(w))) {
		bool is_around = next == l && next->source == source && next->rec.depth <= depth;

		if (is_around)
			return next;
		if (next->rec.type == UFT_LOST)
			return NULL;
		if (!is_outside(w, next) && !is_libcall_hidden(w, next) && may_show(w, next))
			return next;
		pass_over(w, next);
		if (!w->is_on)
			return NULL;
	}
	return NULL;
}
