/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * schedevent.h - one event of the scheduler as plain numbers, whatever the kernel's format is.
 *
 *	sched_reader_init ─▶ sched_read … ─▶ sched_reader_release
 *
 * Only one thread may use a reader at a time.
 */
#ifndef SONDE_ANALYSE_SCHED_SCHEDEVENT_H
#define SONDE_ANALYSE_SCHED_SCHEDEVENT_H

#include "decode/taskstate.h"
#include "decode/formats/formats.h"
#include "decode/record.h"

#define SCHED_COMM_BYTES 32

enum sched_kind {
	SCHED_NONE,    /* not an event of the scheduler */
	SCHED_SWITCH,  /* pid leaves the CPU, other takes it */
	SCHED_WAKING,  /* current begins to wake pid */
	SCHED_WAKEUP,  /* pid is runnable */
	SCHED_NEW,     /* pid, a new task, is runnable */
	SCHED_MIGRATE, /* pid moves from CPU `from` to `to` */
	SCHED_FORK,    /* other is the parent of the new task pid */
	SCHED_EXIT,    /* pid ends */
	SCHED_RUNTIME, /* pid ran for `value` ns, by the scheduler's own account */
	SCHED_STACK,   /* the kernel stack of the event before on this CPU */
};

struct sched_event {
	enum sched_kind kind;
	uint64_t ts;
	uint32_t cpu;
	uint16_t source;
	bool missed;		  /* events of this CPU were lost before this one */
	int current;		  /* the task that ran when the event happened */
	int tgid;		  /* its process; -1: unknown */
	const char *current_comm; /* its name; NULL: unknown */
	bool in_irq;		  /* the event happened in an interrupt */
	int pid, other;
	int prio, other_prio;
	/* texts of at most len bytes inside the record, up to a NUL; NULL: the event has none */
	const char *comm, *other_comm;
	uint32_t comm_len, other_comm_len;
	enum task_state state; /* switch: of pid */
	uint64_t raw_state;    /* the same as the kernel's number */
	uint32_t from, to;     /* migrate */
	uint64_t value;
	const uint8_t *frames; /* stack: addresses of frame_bytes, innermost first */
	uint32_t n_frames, frame_bytes;
	bool is_sample; /* a stack of a perf.data: it belongs to an event of the same time only */
};

struct sched_fields;

struct sched_reader {
	struct formats *f;
	struct sched_fields *kinds; /* by event id */
	uint8_t *wanted;	    /* by event id: 1 for events that sched_read() reads */
	size_t n_ids;
	struct prev_states states;
	bool has_waking, has_switch; /* the trace describes such events */
};

/* Returns 0 or -ENOMEM. Release in either case. */
int sched_reader_init(struct sched_reader *r, struct formats *f);
void sched_reader_release(struct sched_reader *r);

/* Returns false if the record is of no interest; kind, ts, cpu, source, missed are set anyway. */
bool sched_read(const struct sched_reader *r, const struct record *rec, struct sched_event *ret);
/* Returns the address of frame i of a stack. */
uint64_t sched_event_frame(const struct sched_reader *r, const struct sched_event *ev, uint32_t i);

#endif
