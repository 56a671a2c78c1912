// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * perfdata.c - reads perf-cpuN.dat: events as the kernel's perf ring buffer has them.
 *
 *	u32 type, u16 misc, u16 size, then by type
 *	14 switch:     u32 pid, u32 tid, u64 time             misc says out, and whether preempted
 *	 7 fork, 4 exit: u32 pid, ppid, tid, ptid, u64 time, then pid, tid, time
 *	 3 comm:       u32 pid, tid, text, then pid, tid, time
 */
#include "analyse/uftrace/perfdata.h"

#include <string.h>

enum { PERF_COMM = 3, PERF_EXIT = 4, PERF_FORK = 7, PERF_SWITCH = 14 };
#define PERF_MISC_OUT	  (1u << 13)
#define PERF_MISC_PREEMPT (1u << 14)

static uint32_t get32(const uint8_t *p, bool swaps)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return swaps ? bswap_32(v) : v;
}

static uint64_t get64(const uint8_t *p, bool swaps)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return swaps ? bswap_64(v) : v;
}

static uint16_t get16(const uint8_t *p, bool swaps)
{
	uint16_t v;

	memcpy(&v, p, 2);
	return swaps ? bswap_16(v) : v;
}

static void fill_switch(struct uft_perf *p, const uint8_t *body, unsigned misc, bool swaps)
{
	p->pid = (int)get32(body, swaps);
	p->tid = (int)get32(body + 4, swaps);
	p->rec.time_ns = get64(body + 8, swaps);
	p->rec.addr = !(misc & PERF_MISC_OUT)	 ? UFT_EVENT_SCHED_IN
		      : misc & PERF_MISC_PREEMPT ? UFT_EVENT_SCHED_OUT_PREEMPT
						 : UFT_EVENT_SCHED_OUT;
}

static void fill_task(struct uft_perf *p, const uint8_t *body, unsigned type, bool swaps)
{
	p->pid = (int)get32(body, swaps);
	p->ppid = (int)get32(body + 4, swaps);
	p->tid = (int)get32(body + 8, swaps);
	p->rec.time_ns = get64(body + 16, swaps);
	p->rec.addr = type == PERF_FORK ? UFT_EVENT_TASK_NEW : UFT_EVENT_TASK_EXIT;
}

static void fill_comm(struct uft_perf *p, const uint8_t *body, size_t len, bool swaps)
{
	size_t n = len - 24 < sizeof(p->comm) - 1 ? len - 24 : sizeof(p->comm) - 1;

	p->pid = (int)get32(body, swaps);
	p->tid = (int)get32(body + 4, swaps);
	memcpy(p->comm, body + 8, n);
	p->comm[n] = 0;
	p->rec.time_ns = get64(body + len - 8, swaps);
	p->rec.addr = UFT_EVENT_TASK_NAME;
	p->rec.more = true;
}

/* One event; false: of another kind. body has len bytes. */
static bool fill(struct uft_perf *p, unsigned type, unsigned misc, const uint8_t *body, size_t len,
		 bool swaps)
{
	p->rec = (struct uft_record){.type = UFT_EVENT};
	if (type == PERF_SWITCH && len >= 16)
		fill_switch(p, body, misc, swaps);
	else if ((type == PERF_FORK || type == PERF_EXIT) && len >= 24)
		fill_task(p, body, type, swaps);
	else if (type == PERF_COMM && len >= 32)
		fill_comm(p, body, len, swaps);
	else
		return false;
	return true;
}

bool uft_perf_read(struct uft_perf *p, bool swaps)
{
	while (!p->is_valid && p->pos + 8 <= p->n_bytes) {
		const uint8_t *head = p->data + p->pos;
		size_t size = get16(head + 6, swaps);

		if (size < 8 || size > p->n_bytes - p->pos) {
			p->pos = p->n_bytes;
			break;
		}
		p->pos += size;
		p->is_valid = fill(p, get32(head, swaps), get16(head + 4, swaps), head + 8,
				   size - 8, swaps);
	}
	return p->is_valid;
}
