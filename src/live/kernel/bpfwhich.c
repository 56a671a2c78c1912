// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bpfwhich.c - chooses the hits that a BPF program counts: those of the selected tasks for which
 * the filter is true.
 *
 * Both have the same meaning as in a recording (set_event_pid, set_event_notrace_pid, filter):
 *
 *	tasks     the running task decides; for scheduler events also the task that is switched to
 *	          or woken. These events are kept even if the running task is sonde, as in the
 *	          kernel
 *	-c        also the children of these tasks: bpf/tasks.h
 *	filter    tests a field of the event, or CPU, cpu, COMM, comm or common_pid
 *
 * A text is in an array, has any length, or is elsewhere in memory (char *): in kernel memory, or
 * with .ustring in user memory.
 */
#include "analyse/keys.h"
#include "base/array.h"
#include "base/errmsg.h"
#include "capture/bpf/program.h"
#include "live/kernel/bpfevent.h"
#include "decode/formats/event.h"
#include "probe/probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- tasks ------------------------------------------------------------------------------------ */

/* Returns the field with the second task of the event, or NULL if the event has only one task. */
static const char *other_task(const struct event_name *name)
{
	static const struct {
		const char *event, *field;
	} events[] = {{"sched_switch", "next_pid"},
		      {"sched_waking", "pid"},
		      {"sched_wakeup", "pid"},
		      {"sched_wakeup_new", "pid"}};

	for (size_t i = 0; i < ARRAY_LEN(events); i++)
		if (!strcmp(name->system, "sched") && !strcmp(name->event, events[i].event))
			return events[i].field;
	return NULL;
}

static int follow(struct bpfevents *all, struct errmsg *err)
{
	static const char *const fields[][2] = {{"sched_process_fork", "parent_pid"},
						{"sched_process_fork", "child_pid"},
						{"sched_process_free", "pid"}};
	struct bpfsource sources[3];

	for (size_t i = 0; i < 3; i++) {
		struct bpffield f = {.name = fields[i][1], .n_bytes = 4, .is_signed = true};

		if (!bpfsource_of_raw(&all->btf, "sched", fields[i][0], &f, &sources[i]))
			return errmsg_set(err, -ENOTSUP,
					  "BPF programs do not follow children in this kernel");
	}
	return bpftasks_follow(all->tasks, &sources[0], &sources[1], &sources[2], err);
}

static int add(struct bpfevents *all, int task, struct errmsg *err)
{
	const struct plan *plan = all->run->s.config.plan;
	int r = bpftasks_add(all->tasks, task, err);

	return r < 0 || !plan->children ? r : bpftasks_add_threads(all->tasks, task, err);
}

int bpfwhich_open(struct bpfevents *all, struct errmsg *err)
{
	const struct session *s = &all->run->s;
	const struct plan *plan = s->config.plan;
	const struct plan_words *pids = &plan->buffers[0].pids;
	bool only_command = plan->only_command && s->has_child;
	int r;

	if (!pids->n && !only_command)
		return 0;
	r = bpftasks_open(all->tasks, plan->children ? BPFTASKS_MANY : pids->n + only_command, err);
	if (r >= 0 && plan->children)
		r = follow(all, err);
	for (size_t i = 0; i < pids->n && r >= 0; i++)
		r = add(all, atoi(pids->words[i]), err);
	return r >= 0 && only_command ? add(all, s->child.pid, err) : r;
}

static bool choose_tasks(struct bpfevent *be)
{
	const char *other = other_task(&be->e->name);
	struct bpfprogram_config *c = &be->config;
	struct key_slot slot = {.kind = KEY_NUMBER};

	c->tasks = be->all->tasks->is_open ? be->all->tasks : NULL;
	c->not_process =
		c->tasks || other || be->all->run->s.config.plan->trace_self ? 0 : getpid();
	c->has_other = c->tasks && other;
	if (!c->has_other)
		return true;
	slot.field = event_find_field(be->e->format, other);
	return slot.field && bpfevent_find_field(be, &slot, &c->other);
}

/* --- filters ---------------------------------------------------------------------------------- */

static const struct bpffilter_field of_cpu = {
	BPFFILTER_CPU, {.kind = BPFSOURCE_CPU, .n_bytes = 4, .is_signed = true}, 4, true};
static const struct bpffilter_field of_comm = {
	BPFFILTER_ARRAY, {.kind = BPFSOURCE_COMM}, BPFPROGRAM_COMM_BYTES, false};
static const struct bpffilter_field of_pid = {
	BPFFILTER_NUMBER, {.kind = BPFSOURCE_PID, .n_bytes = 4, .is_signed = true}, 4, true};

static bool find_general(const char *name, struct bpffilter_field *ret)
{
	static const struct {
		const char *name;
		const struct bpffilter_field *field;
	} rows[] = {{"CPU", &of_cpu},
		    {"cpu", &of_cpu},
		    {"COMM", &of_comm},
		    {"comm", &of_comm},
		    {"common_pid", &of_pid}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (!strcmp(rows[i].name, name)) {
			*ret = *rows[i].field;
			return true;
		}
	return false;
}

static bool find_text(struct bpfevent *be, const struct field *field, struct bpffilter_field *ret)
{
	struct key_slot slot = {.kind = KEY_TEXT, .field = field};

	ret->kind = field->flags & FIELD_FAULTS	   ? BPFFILTER_PROBED
		    : field->flags & FIELD_DYNAMIC ? BPFFILTER_TEXT
						   : BPFFILTER_ARRAY;
	if (be->probe && be->probe->kind != PROBE_UPROBE && be->probe->kind != PROBE_URETPROBE)
		ret->instead = "(fault)"; /* the text of the field's guard; user probes have none */
	if (!bpfevent_find_field(be, &slot, &ret->source))
		return false;
	if (ret->source.kind == BPFSOURCE_COMM) /* a task always has a name */
		ret->kind = BPFFILTER_TEXT;
	/* all bytes of an array must be available */
	return ret->kind != BPFFILTER_ARRAY ||
	       (ret->source.n_bytes == field->size && field->size < BPFPROGRAM_TEXT_MAX_BYTES);
}

static bool is_far_text(const struct field *field)
{
	return !strcmp(field->type, "char *") || !strcmp(field->type, "const char *");
}

static bool find_number(struct bpfevent *be, const struct field *field, bool is_user,
			struct bpffilter_field *ret)
{
	struct key_slot slot = {.kind = KEY_NUMBER, .field = field};
	struct bpfsource *s = &ret->source;

	if (field->flags & (FIELD_ARRAY | FIELD_DYNAMIC) ||
	    (field->size != 1 && field->size != 2 && field->size != 4 && field->size != 8) ||
	    !bpfevent_find_field(be, &slot, s))
		return false;
	ret->kind = BPFFILTER_NUMBER;
	if (s->n_bytes == field->size && !s->n_bits)
		s->is_signed = ret->is_signed;
	if (!is_far_text(field))
		return !is_user;
	ret->kind = BPFFILTER_FAR;
	if (s->n_bytes != 8 || s->n_bits || s->n_steps == BPFPROGRAM_STEPS_MAX)
		return false;
	s->is_text = true;
	s->n_bytes = BPFPROGRAM_TEXT_MAX_BYTES;
	s->steps[s->n_steps].offset = 0;
	s->steps[s->n_steps++].memory = is_user ? BPFMEMORY_USER : BPFMEMORY_KERNEL;
	return true;
}

static bool find(void *ctx, const char *name, struct bpffilter_field *ret)
{
	struct bpfevent *be = ctx;
	const char *dot = strchr(name, '.');
	const struct field *field;
	char plain[128];

	snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(name, "."), name);
	field = event_find_field(be->e->format, plain);
	if (!field)
		return !dot && find_general(name, ret);
	ret->n_bytes = field->size;
	ret->is_signed = field->flags & FIELD_SIGNED;
	if (field->flags & FIELD_STRING)
		return !dot && find_text(be, field, ret);
	return find_number(be, field, dot, ret);
}

int bpfwhich_filter(struct bpfevent *be, const char *text, struct bpffilter **ret,
		    struct errmsg *err)
{
	return bpffilter_new(ret, text, find, be, err);
}

int bpfwhich_find(struct bpfevent *be, struct errmsg *err)
{
	int r = 0;

	bpfwhich_release(be);
	if (!choose_tasks(be))
		return errmsg_set(err, -ENOTSUP, "a BPF program does not know both tasks of %s:%s",
				  be->e->name.system, be->e->name.event);
	if (be->e->asked) { /* check the text that the user wrote first, for error messages */
		r = bpfwhich_filter(be, be->e->asked, &be->filter, err);
		bpfwhich_release(be);
	}
	if (r >= 0 && be->e->filter)
		r = bpfwhich_filter(be, be->e->filter, &be->filter, err);
	be->config.filter = be->filter;
	return r;
}

void bpfwhich_release(struct bpfevent *be)
{
	bpffilter_free(be->filter);
	be->filter = NULL;
}
