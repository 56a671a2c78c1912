// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stolen.c - finds times in which the thread of a virtual CPU did not run on the host.
 *
 *	guest, CPU 0    bash ─────────────────────── │ idle ── │ bash     what the guest recorded
 *	host's thread   running │ preempted │ running │ sleeping │ running
 *	stolen                    ▒▒▒▒▒▒▒▒▒▒▒
 *
 * A guest cannot see stolen time: in its trace bash ran all the time. The host's trace shows it:
 * the host's file maps threads to virtual CPUs (lanes_find_vcpu()), and states.h has the states of
 * the thread. Stolen time is the time in which a task occupies the guest's CPU while the thread is
 * off the host's CPU, for any reason: preempted, woken and waiting, or asleep (for a page of the
 * guest's memory, for example). While the guest's CPU is idle, no time is stolen. A thread that
 * runs outside the guest (kvm_exit to kvm_entry) works for the guest, so this is not stolen time.
 *
 * Where the state of the thread is unknown (the host's trace is shorter, or lost events), it is
 * unknown whether time was stolen: this is summed separately.
 *
 * Only times off the CPU are stored, sorted, for each virtual CPU: a query is a search in them.
 */
#include "timeline/states/stolen.h"
#include "base/array.h"
#include "decode/taskstate.h"
#include "timeline/insight/insight_int.h"

#include <errno.h>
#include <stdlib.h>

#define TIMES_MAX (4u << 20) /* limit for all virtual CPUs; 24 bytes each */
#define VCPUS_MAX 4096

struct watching {
	struct stolen *s;
	uint16_t *of_task; /* index into vcpus + 1, by task number */
	uint8_t *tasks;	   /* one bit for each vcpu thread */
};

const struct stolen_vcpu *stolen_find(const struct stolen *s, uint32_t guest, uint32_t cpu)
{
	return ARRAY_FIND(s->vcpus, s->n_vcpus, i,
			  s->vcpus[i].guest == guest && s->vcpus[i].cpu == cpu);
}

bool stolen_is_guest(const struct stolen *s, uint32_t machine)
{
	return ARRAY_ANY(s->n_vcpus, i, s->vcpus[i].guest == machine);
}

size_t stolen_first(const struct stolen_vcpu *v, uint64_t t)
{
	return ARRAY_BISECT(v->n, i, v->times[i].end <= t);
}

void stolen_add(const struct stolen_vcpu *v, uint64_t from, uint64_t to, struct stolen_sum *sum)
{
	if (to <= from)
		return;
	if (!v) {
		sum->unknown_ns += to - from;
		return;
	}
	sum->unknown_ns += to - from - overlap(v->first, v->last, from, to);
	for (size_t i = stolen_first(v, from); i < v->n && v->times[i].start < to; i++) {
		const struct stolen_time *t = &v->times[i];

		*(t->state == STATE_UNKNOWN ? &sum->unknown_ns : &sum->ns) +=
			overlap(t->start, t->end, from, to);
	}
}

/* --- looking at the threads ------------------------------------------------------------------- */

static void keep_time(void *ctx, uint16_t task, const struct task_track *t,
		      const struct state_span *span, enum task_state next)
{
	struct watching *wa = ctx;
	struct stolen_vcpu *v;
	struct stolen_time *last;

	if (!wa->of_task[task])
		return;
	v = &wa->s->vcpus[wa->of_task[task] - 1];
	last = v->n ? &v->times[v->n - 1] : NULL;
	if (v->first == UINT64_MAX)
		v->first = span->start;
	v->last = span->end;
	if (span->state == STATE_RUNNING) {
		/* the thread waited for the CPU where it runs next */
		if (last && last->end == span->start &&
		    (last->state == STATE_RUNNABLE || last->state == STATE_PREEMPTED))
			last->cpu = span->cpu;
		return;
	}
	if (wa->s->n_times == TIMES_MAX)
		wa->s->is_over = true;
	if (wa->s->is_over || span->end <= span->start)
		return;
	if (!ARRAY_ROOM(v->times, v->cap, v->n + 1, ARRAY_NO_MAX)) {
		wa->s->failed = true;
		return;
	}
	v->times[v->n++] = (struct stolen_time){span->start, span->end, span->cpu, span->state};
	wa->s->n_times++;
}

static int add_vcpu(struct stolen *s, struct lanes *ls, uint32_t guest, uint32_t cpu)
{
	struct stolen_vcpu v = {.guest = guest, .cpu = cpu, .first = UINT64_MAX};
	int pid = stolen_find(s, guest, cpu) ? -1 : lanes_find_vcpu(ls, guest, cpu, &v.host);

	if (pid < 0 || s->n_vcpus == VCPUS_MAX)
		return 0;
	v.task = timeline_find_task(ls->tl, v.host, pid);
	if (!ARRAY_ONE_MORE(s->vcpus, s->n_vcpus, VCPUS_MAX))
		return -ENOMEM;
	s->vcpus[s->n_vcpus++] = v;
	return 0;
}

static int watch(struct watching *wa, struct lanes *ls, uint64_t from, uint64_t to)
{
	struct stolen *s = wa->s;
	size_t source = 0;
	uint32_t machine;
	int r = 0;

	for (size_t i = 0; i < s->n_vcpus; i++) {
		int task = s->vcpus[i].task;

		if (task < 0 || wa->of_task[task])
			continue;
		wa->of_task[task] = i + 1;
		wa->tasks[task >> 3] |= 1u << (task & 7);
	}
	while (!r && lanes_next_machine(ls->tl, &source, &machine)) {
		bool is_host = false;

		for (size_t i = 0; i < s->n_vcpus; i++)
			is_host |= s->vcpus[i].host == machine;
		if (is_host)
			r = states_pass(ls->tl, ls->states, machine, wa->tasks, from, to, keep_time,
					wa);
	}
	return r < 0 ? r : s->failed ? -ENOMEM : 0;
}

int stolen_init(struct stolen *s, struct lanes *ls, uint64_t from, uint64_t to)
{
	struct watching wa = {.s = s};
	int r = 0;

	*s = (struct stolen){0};
	for (size_t i = 0; i < timeline_n_streams(ls->tl) && !r; i++) {
		const struct timeline_stream *st = timeline_stream(ls->tl, i);

		r = add_vcpu(s, ls, timeline_source(ls->tl, st->source)->machine, st->cpu);
	}
	if (r < 0 || !s->n_vcpus)
		return r;
	wa.of_task = calloc(INSIGHT_TASKS, sizeof(*wa.of_task));
	wa.tasks = calloc(1, INSIGHT_TASKS / 8);
	r = wa.of_task && wa.tasks ? watch(&wa, ls, from, to) : -ENOMEM;
	free(wa.of_task);
	free(wa.tasks);
	for (size_t i = 0; i < s->n_vcpus; i++)
		if (s->vcpus[i].first == UINT64_MAX)
			s->vcpus[i].last = UINT64_MAX;
	if (s->is_over)
		stolen_release(s);
	return r;
}

void stolen_release(struct stolen *s)
{
	for (size_t i = 0; i < s->n_vcpus; i++)
		free(s->vcpus[i].times);
	free(s->vcpus);
	*s = (struct stolen){0};
}
