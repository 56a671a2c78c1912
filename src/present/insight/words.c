// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * words.c - describes a piece of a critical path as a sentence without its subject, the task.
 *
 *	runs on CPU 0; 16.107 ms of it were stolen by the host, which ran ls-307 for 16.049 ms
 *	preempted by cc1-12 on CPU 1, which ran cc1-12 for 6.190 ms, sh-7 for 1.200 ms
 *	sleeps until interrupt 27 (eth0) wakes it, which interrupts bash-12 on CPU 1
 *
 * The page shows these sentences as they are.
 */
#include "present/insight/words.h"

#include "base/array.h"
#include "decode/timeconv.h"

#include <stdio.h>

#define OWNERS_SAID 3 /* limit of tasks in a sentence */

const char *task_name_fmt(const struct timeline *tl, int task, char *buf, size_t size)
{
	const struct timeline_task *t;

	if (task < 0 || (size_t)task >= timeline_n_tasks(tl)) {
		snprintf(buf, size, "an unknown task");
		return buf;
	}
	t = timeline_task(tl, task);
	snprintf(buf, size, "%s-%d", t->comm[0] ? t->comm : "<...>", t->pid);
	return buf;
}

const char *length_fmt(const struct timeline *tl, uint64_t n, char *buf, size_t size)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "µs"}};
	struct time_unit unit = timeline_unit(tl);
	uint64_t ns = n * unit.ns;

	if (!unit.ns) {
		snprintf(buf, size, "%llu %s", (unsigned long long)n, unit.name);
		return buf;
	}
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (ns >= units[i].ns) {
			snprintf(buf, size, "%.3f %s", (double)ns / units[i].ns, units[i].name);
			return buf;
		}
	snprintf(buf, size, "%llu ns", (unsigned long long)ns);
	return buf;
}

const char *short_length_fmt(const struct timeline *tl, uint64_t n, char *buf, size_t size)
{
	static const char *const names[] = {"ns", "us", "ms", "s"};
	struct time_unit unit = timeline_unit(tl);
	double v = (double)n * unit.ns;
	size_t i = 0;

	if (!unit.ns) {
		snprintf(buf, size, "%llu", (unsigned long long)n);
		return buf;
	}
	/* 999.5 would be printed as 1000 */
	for (; i + 1 < ARRAY_LEN(names) && v >= 999.5; i++)
		v /= 1000;
	snprintf(buf, size, "%.*f%s", !i || v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2, v, names[i]);
	return buf;
}

const char *moment_fmt(const struct timeline *tl, uint64_t t, char *buf, size_t size)
{
	uint64_t ts = timeline_origin(tl) + t, us = (ts + 500) / 1000;

	if (timeline_source(tl, 0)->time.in_time)
		snprintf(buf, size, "%llu.%06llu", (unsigned long long)(us / 1000000),
			 (unsigned long long)(us % 1000000));
	else
		snprintf(buf, size, "%llu", (unsigned long long)ts);
	return buf;
}

const char *interrupt_fmt_name(const struct interrupt *i, char *buf, size_t size)
{
	size_t n;

	if (!i->n_names)
		n = snprintf(buf, size, "%s", i->is_soft ? "a soft interrupt" : "an interrupt");
	else if (i->has_number)
		n = snprintf(buf, size, "%s %llu (%s)", i->is_soft ? "soft interrupt" : "interrupt",
			     (unsigned long long)i->number, i->names[0]);
	else
		n = snprintf(buf, size, "%s %s", i->is_soft ? "soft interrupt" : "interrupt",
			     i->names[0]);
	for (unsigned k = 1; k < i->n_names && n < size; k++)
		n += snprintf(buf + n, size - n, ", %s", i->names[k]);
	return buf;
}

/* --- who had a CPU ---------------------------------------------------------------------------- */

static bool is_idle(const struct timeline *tl, int task)
{
	return task >= 0 && !timeline_task(tl, task)->pid;
}

static const char *fmt_owner(const struct timeline *tl, int task, char *buf, size_t size)
{
	if (task == OWNERS_OTHERS)
		snprintf(buf, size, "others");
	else if (is_idle(tl, task))
		snprintf(buf, size, "nobody");
	else
		task_name_fmt(tl, task, buf, size);
	return buf;
}

/* Writes "which ran cc1-12 for 6.190 ms, sh-7 for 1.200 ms and 3 others". */
static void fmt_owners(const struct timeline *tl, const struct why_owners *o, char *buf,
		       size_t size)
{
	size_t n = snprintf(buf, size, "which ran");

	for (unsigned i = 0; i < o->n && i < OWNERS_SAID && n < size; i++) {
		char name[TASK_NAME_MAX], length[32];

		n += snprintf(buf + n, size - n, "%s %s for %s", i ? "," : "",
			      fmt_owner(tl, o->list[i].task, name, sizeof(name)),
			      length_fmt(tl, o->list[i].ns, length, sizeof(length)));
	}
	if (o->n > OWNERS_SAID && n < size)
		snprintf(buf + n, size - n, " and %u other%s", o->n - OWNERS_SAID,
			 o->n - OWNERS_SAID == 1 ? "" : "s");
}

/* --- states ----------------------------------------------------------------------------------- */

static void fmt_wait(const struct timeline *tl, const struct why_piece *p, char *buf, size_t size)
{
	const struct why_owners *o = &p->owners;
	int owner = o->n ? o->list[0].task : -1;
	bool is_preempted = p->state == STATE_PREEMPTED;
	const char *verb = is_preempted ? "preempted; waits for" : "waits for";
	char name[TASK_NAME_MAX], who[300];

	fmt_owners(tl, o, who, sizeof(who));
	if (p->cpu < 0)
		snprintf(buf, size, "waits for a CPU");
	else if (!o->n || (o->n == 1 && (owner < 0 || owner == p->task)))
		snprintf(buf, size, "%s CPU %d", verb, p->cpu);
	else if (o->n == 1 && is_idle(tl, owner))
		snprintf(buf, size, "%s CPU %d, which is idle and has to wake up", verb, p->cpu);
	else if (o->n == 1 && is_preempted)
		snprintf(buf, size, "preempted by %s on CPU %d",
			 task_name_fmt(tl, owner, name, sizeof(name)), p->cpu);
	else if (o->n == 1)
		snprintf(buf, size, "waits for CPU %d, which runs %s", p->cpu,
			 task_name_fmt(tl, owner, name, sizeof(name)));
	else if (p->is_taken && o->first >= 0)
		snprintf(buf, size, "preempted by %s on CPU %d, %s",
			 task_name_fmt(tl, o->first, name, sizeof(name)), p->cpu, who);
	else
		snprintf(buf, size, "%s CPU %d, %s", verb, p->cpu, who);
}

static void fmt_run(const struct timeline *tl, const struct why_piece *p, char *buf, size_t size)
{
	const struct why_theft *t = &p->theft;
	char who[300], length[32];
	size_t n = snprintf(buf, size, "runs on CPU %d", p->cpu);

	if (t->sum.ns && n < size)
		n += snprintf(buf + n, size - n, "; %s of it were stolen by the host",
			      length_fmt(tl, t->sum.ns, length, sizeof(length)));
	if (p->owners.n && n < size) {
		fmt_owners(tl, &p->owners, who, sizeof(who));
		n += snprintf(buf + n, size - n, ", %s", who);
	}
	if (t->asleep && n < size)
		n += snprintf(buf + n, size - n, "%s the thread of the virtual CPU slept for %s",
			      p->owners.n ? ", and" : ":",
			      length_fmt(tl, t->asleep, length, sizeof(length)));
	if (t->sum.unknown_ns && n < size)
		snprintf(buf + n, size - n, "; whether the host ran it is not known of %s",
			 length_fmt(tl, t->sum.unknown_ns, length, sizeof(length)));
}

/* Writes "sleeps until interrupt 27 (eth0) wakes it, on CPU 1, which is idle". */
static void fmt_interrupt(const struct timeline *tl, const struct interrupt *irq, const char *verb,
			  char *buf, size_t size)
{
	char name[TASK_NAME_MAX], irq_name[INTERRUPT_NAME_MAX];

	interrupt_fmt_name(irq, irq_name, sizeof(irq_name));
	if (is_idle(tl, irq->task))
		snprintf(buf, size, "%s until %s wakes it, on CPU %u, which is idle", verb,
			 irq_name, irq->cpu);
	else
		snprintf(buf, size, "%s until %s wakes it, which interrupts %s on CPU %u", verb,
			 irq_name, task_name_fmt(tl, irq->task, name, sizeof(name)), irq->cpu);
}

static void fmt_sleep(const struct timeline *tl, const struct why_piece *p, char *buf, size_t size)
{
	static const char *const verbs[STATES_N] = {
		[STATE_SLEEPING] = "sleeps",
		[STATE_BLOCKED] = "is blocked",
		[STATE_STOPPED] = "is stopped",
		[STATE_IDLE] = "idles",
	};
	const char *verb = verbs[p->state];
	char name[TASK_NAME_MAX];

	if (p->has_irq)
		fmt_interrupt(tl, &p->irq, verb, buf, size);
	else if (p->waker_in_irq)
		snprintf(buf, size, "%s until an interrupt wakes it (while %s ran)", verb,
			 task_name_fmt(tl, p->waker, name, sizeof(name)));
	else if (p->waker >= 0)
		snprintf(buf, size, "%s until %s wakes it", verb,
			 task_name_fmt(tl, p->waker, name, sizeof(name)));
	else
		snprintf(buf, size, "%s; the trace does not say who ends it", verb);
}

const char *why_fmt_sentence(const struct timeline *tl, const struct why_piece *p, char *buf,
			     size_t size)
{
	char name[TASK_NAME_MAX], text[512];
	size_t n;

	switch (p->state) {
	case STATE_RUNNING:
		fmt_run(tl, p, text, sizeof(text));
		break;
	case STATE_RUNNABLE:
	case STATE_PREEMPTED:
		fmt_wait(tl, p, text, sizeof(text));
		break;
	case STATE_SLEEPING:
	case STATE_BLOCKED:
	case STATE_STOPPED:
	case STATE_IDLE:
		fmt_sleep(tl, p, text, sizeof(text));
		break;
	case STATE_DEAD:
		snprintf(text, sizeof(text), "has ended");
		break;
	default:
		snprintf(text, sizeof(text), "what it does is not known");
	}
	n = snprintf(buf, size, "%s", text);
	if (p->sleeper >= 0 && n < size)
		snprintf(buf + n, size - n, "; %s waits for it",
			 task_name_fmt(tl, p->sleeper, name, sizeof(name)));
	return buf;
}

/* --- in fewer words --------------------------------------------------------------------------- */

/* Returns the first task other than that of the piece itself, or -1. */
static int find_other(const struct why_piece *p, int first)
{
	if (first >= 0 && first != p->task)
		return first;
	for (unsigned i = 0; i < p->owners.n && i < WHY_OWNERS; i++)
		if (p->owners.list[i].task >= 0 && p->owners.list[i].task != p->task)
			return p->owners.list[i].task;
	return -1;
}

static void fmt_short_wait(const struct timeline *tl, const struct why_piece *p, char *buf,
			   size_t size)
{
	bool by_first = p->is_taken && p->owners.n;
	int other = find_other(p, by_first ? p->owners.first : -1);
	char name[TASK_NAME_MAX];
	size_t n;

	if (p->cpu < 0 || other < 0) {
		snprintf(buf, size, "waits for a CPU");
		return;
	}
	if (is_idle(tl, other) && p->owners.n == 1) {
		snprintf(buf, size, "waits for the idle CPU to wake up");
		return;
	}
	n = snprintf(buf, size, "%s %s",
		     p->state == STATE_PREEMPTED ? "preempted by" : "waits behind",
		     fmt_owner(tl, other, name, sizeof(name)));
	if (p->owners.n > 1 && n < size)
		snprintf(buf + n, size - n, " +%u", p->owners.n - 1);
}

static void fmt_short_sleep(const struct timeline *tl, const struct why_piece *p, char *buf,
			    size_t size)
{
	static const char *const verbs[STATES_N] = {
		[STATE_SLEEPING] = "sleeps",
		[STATE_BLOCKED] = "is blocked",
		[STATE_STOPPED] = "is stopped",
		[STATE_IDLE] = "idles",
	};
	char name[INTERRUPT_NAME_MAX];
	size_t n = snprintf(buf, size, "%s%s%s", verbs[p->state], p->place ? " in " : "",
			    p->place ? p->place : "");

	if (n >= size)
		return;
	if (p->has_irq)
		snprintf(buf + n, size - n, " until %s",
			 interrupt_fmt_name(&p->irq, name, sizeof(name)));
	else if (p->waker_in_irq)
		snprintf(buf + n, size - n, " until an interrupt");
	else if (p->waker >= 0)
		snprintf(buf + n, size - n, " until %s wakes it",
			 task_name_fmt(tl, p->waker, name, sizeof(name)));
	else
		snprintf(buf + n, size - n, "; its waker is unknown");
}

/* Adds " (in nap())". A C++ name may have its parameters already. */
static void add_function(const struct why_piece *p, char *buf, size_t size)
{
	size_t n = strlen(buf);

	if (p->function && n < size)
		snprintf(buf + n, size - n, " (in %s%s)", p->function,
			 strchr(p->function, '(') ? "" : "()");
}

const char *why_fmt_short(const struct timeline *tl, const struct why_piece *p, char *buf,
			  size_t size)
{
	char length[32];
	size_t n;

	switch (p->state) {
	case STATE_RUNNING:
		n = snprintf(buf, size, "runs");
		if (p->theft.sum.ns && n < size)
			snprintf(buf + n, size - n, "; the host stole %s",
				 short_length_fmt(tl, p->theft.sum.ns, length, sizeof(length)));
		break;
	case STATE_RUNNABLE:
	case STATE_PREEMPTED:
		fmt_short_wait(tl, p, buf, size);
		break;
	case STATE_SLEEPING:
	case STATE_BLOCKED:
	case STATE_STOPPED:
	case STATE_IDLE:
		fmt_short_sleep(tl, p, buf, size);
		break;
	case STATE_DEAD:
		snprintf(buf, size, "has ended");
		break;
	default:
		snprintf(buf, size, "unknown");
	}
	add_function(p, buf, size);
	return buf;
}
