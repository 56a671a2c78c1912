// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * setup.c - finds the events that a profile understands, and pairs them.
 *
 *	start                   end                     by field      stays on its CPU
 *	irq_handler_entry       irq_handler_exit        irq           yes
 *	softirq_entry           softirq_exit            vec           yes
 *	softirq_raise           softirq_entry           vec           yes
 *	funcgraph_entry         funcgraph_exit          func          no
 *	sys_enter               sys_exit                id            no
 *	syscalls:sys_enter_X    syscalls:sys_exit_X     -             no
 *	sched_switch ⇄ sched_wakeup                     see profile.c
 *	hooks of the user                               as given
 *
 * An event can have several meanings: its own and those of hooks. They are in a list under its id
 * (with as_trace_cmd the last one replaces the others). Other events are examined when their first
 * record is read, so that a file with 2 300 formats costs no more than one with twenty.
 */
#include "analyse/profile/profile_int.h"
#include "base/array.h"
#include "base/scope.h"
#include "decode/formats/event.h"

#include <errno.h>
#include <string.h>

/* Adds a meaning. ev is the event that records contain. Returns NULL if out of memory. */
static struct pevent *add_meaning(struct profile *p, const struct event *ev, enum profile_kind kind)
{
	struct pevent *pev, **at;

	if (!ev || (size_t)ev->id >= p->n_ids)
		return NULL;
	pev = arena_alloc(&p->arena, sizeof(*pev));
	if (!pev)
		return NULL;
	*pev = (struct pevent){.event = ev, .kind = kind, .handle = profile_handle_pair};
	at = &p->by_id[ev->id];
	while (*at && !p->config.as_trace_cmd)
		at = &(*at)->also;
	*at = pev;
	return pev;
}

static const struct event *find_event(struct profile *p, const char *system, const char *name)
{
	const struct event *ev = formats_find_name(p->f, system, name);

	return ev ? formats_find(p->f, ev->id) : NULL;
}

static struct pevent *add_event(struct profile *p, const char *system, const char *name,
				enum profile_kind kind)
{
	return add_meaning(p, find_event(p, system, name), kind);
}

static void mate(struct pevent *start, const char *match, struct pevent *end, bool migrate,
		 bool global)
{
	if (!start || !end)
		return;
	start->end = end;
	end->start = start;
	start->end_match = event_find_field(start->event, match);
	end->start_match = event_find_field(end->event, match);
	start->migrate = end->migrate = migrate;
	start->global = end->global = global;
}

/* --- the scheduler ---------------------------------------------------------------------------- */

static const struct arg *find_flags(const struct arg *a, unsigned depth)
{
	const struct arg *found = NULL;

	for (; a && !found && depth < 32; a = a->next) {
		if (a->kind == ARG_FLAGS && a->flags.n_names)
			return a;
		if (a->kind == ARG_CAST)
			found = find_flags(a->cast.item, depth + 1);
		else if (a->kind == ARG_OP) {
			found = find_flags(a->op.left, depth + 1);
			if (!found)
				found = find_flags(a->op.right, depth + 1);
		}
	}
	return found;
}

static void add_state(struct profile *p, uint64_t bit, const char *text, size_t len)
{
	if (p->n_states == ARRAY_LEN(p->states) || len >= sizeof(p->states[0].text))
		return;
	p->states[p->n_states].bit = bit;
	memcpy(p->states[p->n_states++].text, text, len);
	p->state_mask |= bit;
}

/* Reads the names of state bits from the print format, because they differ between kernels. */
static void learn_states(struct profile *p, const struct event *ev)
{
	static const char letters[] = "SDTtXZPI"; /* from Linux 4.14 on */
	const struct arg *flags = find_flags(ev->args, 0);

	for (size_t i = 0; flags && i < flags->flags.n_names; i++)
		if (flags->flags.names[i].value > 0)
			add_state(p, flags->flags.names[i].value, flags->flags.names[i].text,
				  flags->flags.names[i].len);
	if (p->n_states)
		return;
	for (size_t i = 0; i < sizeof(letters) - 1; i++)
		add_state(p, 1u << i, letters + i, 1);
}

static void set_wakeup(struct pevent *pev)
{
	pev->handle = profile_handle_wakeup;
	pev->migrate = true;
	pev->pid_field = pev->end_match = event_find_field(pev->event, "pid");
	pev->data_field = event_find_field(pev->event, "success");
	pev->comm_field = event_find_field(pev->event, "comm");
}

static void set_sched(struct profile *p)
{
	struct pevent *sw = add_event(p, "sched", "sched_switch", PROFILE_SWITCH);
	struct pevent *wakeup = add_event(p, "sched", "sched_wakeup", PROFILE_WAKEUP), *born = NULL;

	if (!p->config.as_trace_cmd && sw)
		born = add_event(p, "sched", "sched_wakeup_new", PROFILE_WAKEUP);
	if (!sw)
		return;
	sw->handle = profile_handle_switch;
	sw->migrate = true;
	sw->pid_field = event_find_field(sw->event, "prev_pid");
	sw->end_match = event_find_field(sw->event, "next_pid");
	sw->data_field = event_find_field(sw->event, "prev_state");
	sw->comm_field = event_find_field(sw->event, "prev_comm");
	sw->next_comm_field = event_find_field(sw->event, "next_comm");
	sw->end = sw; /* shows that the rows have times */
	learn_states(p, sw->event);
	p->sched_switch = sw;
	p->wakeup = wakeup ? wakeup : born;
	if (wakeup)
		set_wakeup(wakeup);
	if (born)
		set_wakeup(born);
	if (p->wakeup) {
		sw->end = p->wakeup;
		p->wakeup->end = sw;
	}
}

/* --- pairs ------------------------------------------------------------------------------------ */

static void set_irqs(struct profile *p)
{
	struct pevent *entry = add_event(p, "irq", "irq_handler_entry", PROFILE_IRQ);
	struct pevent *exit = add_event(p, "irq", "irq_handler_exit", PROFILE_IRQ);
	struct pevent *soft_entry = add_event(p, "irq", "softirq_entry", PROFILE_SOFTIRQ);
	struct pevent *soft_exit = add_event(p, "irq", "softirq_exit", PROFILE_SOFTIRQ);
	struct pevent *raise = add_event(p, "irq", "softirq_raise", PROFILE_RAISE);

	mate(entry, "irq", exit, false, p->config.global);
	mate(soft_entry, "vec", soft_exit, false, p->config.global);
	mate(raise, "vec", soft_entry, false, p->config.global);
	if (p->config.as_trace_cmd)
		return;
	if (entry && exit) {
		entry->handle = profile_handle_irq_entry;
		entry->name_field = event_find_field(entry->event, "name");
		if (entry->name_field && !(entry->name_field->flags & FIELD_DYNAMIC))
			entry->name_field = NULL;
	}
	if (raise && soft_entry) {
		raise->pairs = PAIR_CPU;
		raise->again = p->config.filtered ? AGAIN_LAST : AGAIN_FIRST;
	}
}

static void set_functions(struct profile *p)
{
	struct pevent *entry = add_event(p, "ftrace", "funcgraph_entry", PROFILE_FUNCTION);
	struct pevent *exit = add_event(p, "ftrace", "funcgraph_exit", PROFILE_FUNCTION);
	struct pevent *function = add_event(p, "ftrace", "function", PROFILE_FUNCTION);

	mate(entry, "func", exit, true, false);
	if (entry && exit) {
		entry->handle = profile_handle_graph_entry;
		exit->handle = profile_handle_graph_exit;
	}
	if (function)
		function->data_field = event_find_field(function->event, "ip");
}

/* Notes that a task is in one system call at a time. */
static void set_one_per_task(struct pevent *pev)
{
	pev->one_per_task = true;
	pev->again = AGAIN_LAST;
}

static void set_others(struct profile *p)
{
	struct pevent *enter = add_event(p, "raw_syscalls", "sys_enter", PROFILE_SYSCALL);
	struct pevent *exit = add_event(p, "raw_syscalls", "sys_exit", PROFILE_SYSCALL);
	struct pevent *exec = add_event(p, "sched", "sched_process_exec", PROFILE_EXEC);

	mate(enter, "id", exit, true, false);
	if (enter && exit && !p->config.as_trace_cmd)
		set_one_per_task(enter);
	if (exec) {
		exec->handle = profile_handle_exec;
		exec->data_field = event_find_field(exec->event, "old_pid");
	}
	p->stack = add_event(p, "ftrace", "kernel_stack", PROFILE_STACK);
	if (p->stack) {
		p->stack->handle = profile_handle_stack;
		p->stack->data_field = event_find_field(p->stack->event, "caller");
	}
	p->run = (struct pevent){.kind = PROFILE_RUN};
	p->run.end = &p->run;
}

/* --- hooks ------------------------------------------------------------------------------------ */

static int find_hook_field(const struct event *ev, const char *name, const struct field **ret,
			   struct errmsg *err)
{
	*ret = event_find_field(ev, name);
	if (*ret)
		return 0;
	return errmsg_set(err, -EINVAL,
			  "the event %s:%s has no field '%s' to hook; 'sonde report --event %s' "
			  "shows its fields",
			  ev->system, ev->name, name, ev->name);
}

static int set_hook(struct profile *p, const struct profile_hook *h, struct errmsg *err)
{
	const struct event *se = find_event(p, h->start_system, h->start_event);
	const struct event *ee = find_event(p, h->end_system, h->end_event);
	const struct field *start_match, *end_match, *pid = NULL;
	struct pevent *start, *end;

	if ((!se || !ee) && h->may_be_absent)
		return 0;
	if (!se || !ee)
		return errmsg_set(err, -ENOENT,
				  "the trace has no event '%s' to hook; 'sonde report -E' "
				  "lists its events",
				  se ? h->end_event : h->start_event);
	TRY(find_hook_field(se, h->start_match, &start_match, err));
	TRY(find_hook_field(ee, h->end_match, &end_match, err));
	if (h->start_pid)
		TRY(find_hook_field(se, h->start_pid, &pid, err));
	start = add_meaning(p, se, PROFILE_HOOK);
	end = add_meaning(p, ee, PROFILE_HOOK);
	if (!start || !end)
		return errmsg_set_errno(err, -ENOMEM, "cannot hook %s", h->start_event);
	mate(start, h->start_match, end, !h->pinned, h->global);
	start->end_match = start_match;
	end->start_match = end_match;
	start->pid_field = pid;
	if (!p->config.as_trace_cmd) {
		start->pairs = pid && !h->global ? PAIR_VALUE : PAIR_TASK;
		start->keeps_stack = !h->stack && p->by_id[se->id] != start;
		end->keeps_stack = p->by_id[ee->id] != end;
	}
	return 0;
}

int profile_setup(struct profile *p, struct errmsg *err)
{
	int r = 0;

	set_irqs(p);
	set_sched(p);
	set_functions(p);
	set_others(p);
	for (size_t i = 0; r >= 0 && i < p->config.n_hooks; i++)
		r = set_hook(p, &p->config.hooks[i], err);
	return r;
}

/* --- events without a meaning ----------------------------------------------------------------- */

static const char enter_prefix[] = "sys_enter_", exit_prefix[] = "sys_exit_";

/* Finds the meaning of the other half of a system call, if one of its records was already read. */
static struct pevent *find_half(struct profile *p, const char *prefix, const char *name)
{
	size_t len = strlen(prefix);

	for (size_t i = 0; i < p->n_ids; i++) {
		struct pevent *pev = p->by_id[i];

		if (pev && pev->kind == PROFILE_SYSCALL &&
		    !strcmp(pev->event->system, "syscalls") &&
		    !strncmp(pev->event->name, prefix, len) &&
		    !strcmp(pev->event->name + len, name))
			return pev;
	}
	return NULL;
}

/*
 * Adds syscalls:sys_enter_NAME or sys_exit_NAME. The other half is not searched in the formats,
 * because a thread that reads ahead may use them; it is paired when its first record is read.
 */
static struct pevent *add_syscall(struct profile *p, const struct event *ev)
{
	bool enters = !strncmp(ev->name, enter_prefix, sizeof(enter_prefix) - 1);
	struct pevent *pev, *other;
	const char *name;

	if (strcmp(ev->system, "syscalls") ||
	    (!enters && strncmp(ev->name, exit_prefix, sizeof(exit_prefix) - 1)))
		return NULL;
	name = ev->name + (enters ? sizeof(enter_prefix) : sizeof(exit_prefix)) - 1;
	other = find_half(p, enters ? exit_prefix : enter_prefix, name);
	pev = add_meaning(p, ev, PROFILE_SYSCALL);
	if (!pev)
		return NULL;
	pev->name = name;
	pev->migrate = true;
	set_one_per_task(pev);
	/* shows that the rows have times, even before the end event is known */
	if (enters)
		pev->end = pev;
	if (other)
		mate(enters ? pev : other, "", enters ? other : pev, true, false);
	return pev;
}

struct pevent *profile_add_other(struct profile *p, const struct event *ev)
{
	struct pevent *pev;

	pev = p->config.as_trace_cmd ? NULL : add_syscall(p, ev);
	if (pev)
		return pev;
	pev = add_meaning(p, ev, PROFILE_OTHER);
	if (pev && ev->n_fields)
		pev->data_field = &ev->fields[0];
	return pev;
}
