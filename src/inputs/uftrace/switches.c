// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * switches.c - perf-cpuN.dat as events of the scheduler, in a buffer of their own, with their CPUs.
 *
 *	task 7 out ┐                    sched_switch 7 ─▶ 9       if one follows the other at once
 *	task 9 in  ┘
 *	task 9 out                      sched_switch 9 ─▶ 0       another program's task, or none
 *	task 7 in                       sched_switch 0 ─▶ 7
 *
 * uftrace records only tasks of the traced program. When one leaves the CPU, the file has whether
 * it was preempted (R) or waits (S). What the CPU does then is unknown: task 0 has the name
 * <other>.
 */
#include "inputs/uftrace/switches.h"

#include "analyse/uftrace/perfdata.h"
#include "analyse/uftrace/walk.h"
#include "base/textbuf.h"
#include "inputs/uftrace/data.h"
#include "store/events/eventformats.h"
#include "symbols/uftrace/session.h"

#include <stdio.h>
#include <string.h>

#define SWITCH_ID  32731 /* beside those of userevents.h; the kernel's are small */
#define AT_ONCE_NS 20000u
#define PRIORITY   120
#define COMM	   16

/* As the kernel has it. */
struct switch_record {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
	char prev_comm[COMM];
	int32_t prev_pid, prev_prio;
	int64_t prev_state;
	char next_comm[COMM];
	int32_t next_pid, next_prio;
};
_Static_assert(sizeof(struct switch_record) == 64, "as in the format");

void uftswitches_add_format(struct textbuf *tb)
{
	struct eventformats f;

	eventformats_add_system(tb, "sched", 1);
	eventformats_begin(&f, tb, "sched_switch", SWITCH_ID);
	eventformats_add_field(&f, "char prev_comm[16]", COMM, true);
	eventformats_add_field(&f, "pid_t prev_pid", 4, true);
	eventformats_add_field(&f, "int prev_prio", 4, true);
	eventformats_add_field(&f, "long prev_state", 8, true);
	eventformats_add_field(&f, "char next_comm[16]", COMM, true);
	eventformats_add_field(&f, "pid_t next_pid", 4, true);
	eventformats_add_field(&f, "int next_prio", 4, true);
	eventformats_end(&f, "\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s ==> "
			     "next_comm=%s next_pid=%d next_prio=%d\", REC->prev_comm, "
			     "REC->prev_pid, REC->prev_prio, REC->prev_state ? \"S\" : \"R\", "
			     "REC->next_comm, REC->next_pid, REC->next_prio");
}

static void name_task(const struct uftdata *d, int tid, char comm[COMM])
{
	const struct uft_task *t = tid ? uft_task_find(&d->names, tid) : NULL;
	const char *exe = d->dir.info.exename ? d->dir.info.exename : "?";
	const char *slash = strrchr(exe, '/');

	snprintf(comm, COMM, "%.15s",
		 !tid		   ? "<other>"
		 : t && t->comm[0] ? t->comm
		 : slash	   ? slash + 1
				   : exe);
}

/* The next record that is a task switch. */
static bool read_switch(const struct uftdata *d, struct uft_perf *p)
{
	while (uft_perf_read(p, d->dir.swaps)) {
		if (uft_is_sched(p->rec.addr))
			return true;
		p->is_valid = false;
	}
	return false;
}

/* Takes one switch; *ret_ns: its time. False: there are no more. */
static bool take_switch(const struct uftdata *d, struct uft_perf *p, struct switch_record *r,
			uint64_t *ret_ns)
{
	*r = (struct switch_record){
		.type = SWITCH_ID, .prev_prio = PRIORITY, .next_prio = PRIORITY};
	if (!read_switch(d, p))
		return false;
	*ret_ns = p->rec.time_ns;
	if (p->rec.addr != UFT_EVENT_SCHED_IN) {
		r->prev_pid = p->tid;
		r->prev_state = p->rec.addr == UFT_EVENT_SCHED_OUT;
		p->is_valid = false;
		read_switch(d, p);
	}
	if (p->is_valid && p->rec.addr == UFT_EVENT_SCHED_IN &&
	    p->rec.time_ns - *ret_ns < AT_ONCE_NS) {
		r->next_pid = p->tid;
		p->is_valid = false;
	}
	r->pid = r->prev_pid;
	name_task(d, r->prev_pid, r->prev_comm);
	name_task(d, r->next_pid, r->next_comm);
	return true;
}

void uftswitches_rewind(struct uftswitches *s)
{
	s->cpu = 0;
	for (size_t i = 0; i < s->data->n_perfs; i++) {
		s->data->perfs[i].pos = 0;
		s->data->perfs[i].is_valid = false;
	}
}

int uftswitches_next(void *ctx, uint32_t *ret_cpu, struct piece *ret)
{
	struct uftswitches *s = ctx;
	struct switch_record r;
	bool has_begun = false;
	uint64_t ns;

	for (; s->cpu < s->data->n_perfs; s->cpu++) {
		struct uft_perf *p = &s->data->perfs[s->cpu], before = *p;

		while (take_switch(s->data, p, &r, &ns)) {
			if (!has_begun)
				pagebuilder_begin(&s->page, ns, 0);
			has_begun = true;
			if (!pagebuilder_add(&s->page, ns, &r, sizeof(r))) {
				*p = before; /* it begins the next page */
				break;
			}
			before = *p;
		}
		if (has_begun)
			break;
	}
	if (!has_begun)
		return 0;
	*ret_cpu = (uint32_t)s->cpu;
	*ret = pagebuilder_end(&s->page);
	return 1;
}
