// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * offcpu.c - waits: samples of the time that threads do not run.
 *
 *	context-switches (an event with a stack)   the thread leaves its CPU: the stack is kept, by
 *	                                           tid
 *	SWITCH out                                 it was preempted, and does not wait: the stack is
 *	                                           dropped
 *	SWITCH in                                  it runs again: one sample, period = ns since it
 *	                                           left
 *
 * The sample has the time and the CPU at which the thread runs again, so samples stay in the order
 * of time. A wait that lasts until the end of the recording has no sample: its length is unknown.
 */
#include "base/map.h"
#include "capture/perf/sampling_int.h"
#include "store/events/sampleevents.h"

#include <stdlib.h>
#include <string.h>

#define WAITS_MAX 65536u /* threads that wait at the same time */

struct wait {
	uint64_t since;
	int tgid;
	uint32_t event;
	size_t n_stack;
	uint64_t stack[];
};

void offcpu_leave(struct sampling *s, const struct perfrecord_sample *p, uint32_t event)
{
	void **slot = p->tid ? map_take(&s->waits, p->tid, WAITS_MAX) : NULL;
	struct wait *w;

	if (!slot)
		return;
	w = realloc(*slot, sizeof(*w) + s->n_stack * sizeof(w->stack[0]));
	if (!w)
		return;
	*slot = w;
	*w = (struct wait){p->time, (int)p->pid, event, s->n_stack};
	memcpy(w->stack, s->sample.stack, s->n_stack * sizeof(w->stack[0]));
}

static int put_wait(struct sampling *s, struct wait *w, uint32_t tid, uint64_t now, unsigned cpu)
{
	struct sampleevents_sample *out = &s->sample;

	if (now <= w->since || now - w->since < s->config.off_cpu_min_ns)
		return 0;
	*out = (struct sampleevents_sample){.type = SAMPLEEVENTS_SAMPLE,
					    .pid = (int32_t)tid,
					    .tgid = w->tgid,
					    .period = now - w->since,
					    .event = w->event,
					    .ip = w->n_stack ? w->stack[0] : 0};
	memcpy(out->stack, w->stack, w->n_stack * sizeof(w->stack[0]));
	s->n_waits++;
	atomic_fetch_add_explicit(&s->n_samples, 1, memory_order_relaxed);
	return samplepages_add(s->pages, cpu, now, out, sampleevents_set_stack(out, w->n_stack));
}

int offcpu_take_switch(struct sampling *s, const struct samplesource_record *rec)
{
	struct perfrecord_trailer t;
	bool is_out = rec->header->misc & PERF_RECORD_MISC_SWITCH_OUT;
	struct wait *w;
	int r = 0;

	if (!perfrecord_read_trailer(rec->header, &t) || !t.tid)
		return 0;
	if (is_out && !(rec->header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT))
		return 0;
	w = map_remove(&s->waits, t.tid);
	if (w && !is_out)
		r = put_wait(s, w, t.tid, t.time, rec->cpu);
	free(w);
	return r;
}

void offcpu_release(struct sampling *s)
{
	for (size_t i = 0; i < s->waits.n_slots; i++)
		free(s->waits.slots[i].value);
	map_release(&s->waits);
}
