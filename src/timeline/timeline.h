/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * timeline.h - an indexed trace, which can be shown at any place and zoom without reading all of it
 * again.
 *
 *	sources     the opened files and their buffers, each with its clock conversion
 *	streams     one for each CPU of each source, in its own time order; never one global array
 *	segments    about 1024 sub-buffers of a stream; one thread indexes one segment at a time
 *	pages       the time of each sub-buffer and the number of its first event, from page headers
 *	columns     kind, task and approximate time of each event, 2 bytes each; the exact time and
 *	            the payload stay in the file: a walk over one sub-buffer (80 events, 0.4 us)
 *	            finds them again
 *	switches    sched_switch of each stream: 8 bytes each, enough for all CPU and task lanes
 *	wakings     sched_waking (or sched_wakeup if there is no sched_waking): 8 bytes each
 *
 * timeline_new() finds the data and the time range. timeline_start() reads the page headers, which
 * suffice for a first picture (density). Then it indexes in the background on all cores and starts
 * with the range that was requested last. All other functions can be called at any time after that;
 * they use what has been indexed so far.
 *
 * Times are nanoseconds since the beginning of the trace (timeline_origin()), below 2^48. Any
 * thread may call any function, unless its comment says otherwise.
 */
#ifndef SONDE_TIMELINE_TIMELINE_H
#define SONDE_TIMELINE_TIMELINE_H

#include "decode/formats/formats.h"
#include "decode/timeconv.h"
#include "store/tracefile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_TIME_MAX ((UINT64_C(1) << 48) - 1)
#define TIMELINE_NO_TASK  UINT16_MAX /* the columns ran out of task numbers: read the record */
#define TIMELINE_NO_KIND  UINT16_MAX

struct timeline;

struct timeline_source { /* the caller keeps it valid until timeline_free() */
	struct tracefile *tf;
	struct formats *formats;
	const struct tracefile_buffer *buffer;
	struct timeconv time;
	const char *name; /* name of the file and the buffer, as shown to the user */
	const char *file; /* name of the file alone */
	uint32_t machine; /* sources of one machine share their tasks: host 0, guests 1 to 32767 */
	bool is_live;	  /* a recorder still writes the file: see timeline_refresh() */
};

/* A kind of event: (formats of the source, id), numbered in the order of appearance. */
struct timeline_kind {
	/* parsed and compiled; NULL: the file has no format for the event */
	const struct event *event;
	int id;
	uint16_t source;
	uint64_t n_events; /* number of events so far */
};

struct timeline_task {
	int pid, tgid; /* tgid -1: unknown */
	uint32_t machine;
	char comm[32]; /* the last name in the trace */
	uint64_t n_events, running_ns;
	uint64_t first, last; /* times of its first and last event */
};

struct timeline_stream {
	uint16_t source;
	uint32_t cpu;
	uint64_t n_pages, n_events; /* n_events: indexed so far */
	uint64_t first, last;
};

/*
 * A reference to one event: its stream (12 bits) and its number there. It is below 2^53, so that a
 * JavaScript number can hold it. The numbers of a stream ascend in time order, with gaps: a number
 * consists of the sub-buffer and the position in it. So a reference is known before indexing ends,
 * and never changes. timeline_step() finds the next event.
 */
typedef uint64_t event_ref;
static inline event_ref event_ref_make(uint32_t stream, uint64_t n)
{
	return n << 12 | (stream & 0xfff);
}
static inline uint32_t event_ref_stream(event_ref r)
{
	return r & 0xfff;
}
static inline uint64_t event_ref_number(event_ref r)
{
	return r >> 12;
}

int timeline_new(struct timeline **ret, const struct timeline_source *sources, size_t n_sources,
		 unsigned n_threads, struct errmsg *err);
void timeline_free(struct timeline *tl);

/* Starts indexing. cache_dir: directory of the sidecar index; NULL: use no sidecar. */
int timeline_start(struct timeline *tl, const char *cache_dir, struct errmsg *err);
/* Sets the range that the user sees, whose segments are indexed first. */
void timeline_hint(struct timeline *tl, uint64_t from, uint64_t to);
float timeline_progress(const struct timeline *tl); /* 0 … 1 */
/* waits until indexing ends; returns 0 or -ENOMEM */
int timeline_wait(struct timeline *tl);
/* returns 0 so far, or -ENOMEM if the index has gaps */
int timeline_error(const struct timeline *tl);
/* Returns the memory of the index in bytes, without lanes. */
size_t timeline_memory(const struct timeline *tl);
/* Returns the number of indexed events. */
uint64_t timeline_n_events(const struct timeline *tl);

/* returns time 0 as a time of the trace's own clock */
uint64_t timeline_origin(const struct timeline *tl);
uint64_t timeline_duration(const struct timeline *tl);

/* Returns the unit of times, from the clock of the first source. */
struct time_unit timeline_unit(const struct timeline *tl);

size_t timeline_n_streams(const struct timeline *tl);
const struct timeline_stream *timeline_stream(const struct timeline *tl, size_t i);
size_t timeline_n_sources(const struct timeline *tl);
const struct timeline_source *timeline_source(const struct timeline *tl, size_t i);
/* The numbers only grow, and an entry keeps its place. The counts in it may lag a little. */
size_t timeline_n_kinds(const struct timeline *tl);
const struct timeline_kind *timeline_kind(const struct timeline *tl, size_t i);
size_t timeline_n_tasks(const struct timeline *tl);
/*
 * Returns true if all task numbers are in use. Further tasks have no lane and appear in no table.
 */
bool timeline_has_most_tasks(const struct timeline *tl);
const struct timeline_task *timeline_task(const struct timeline *tl, size_t i);
/* Returns the number of a task, or -1. */
int timeline_find_task(const struct timeline *tl, uint32_t machine, int pid);
/*
 * Returns the sources that have events of a task, as far as indexed: one bit for each of the first
 * 64 sources.
 */
#define TIMELINE_TOLD_SOURCES 64
uint64_t timeline_task_sources(struct timeline *tl, uint16_t task);
/* Finds the sources of the first n tasks. */
void timeline_tasks_sources(struct timeline *tl, uint64_t *ret, size_t n);

/*
 * Computes how full the sub-buffers of a stream are over time: bytes in n buckets, from the page
 * headers.
 */
void timeline_density(const struct timeline *tl, size_t stream, uint64_t from, uint64_t to,
		      float *ret_bytes_per_ns, size_t n);

/* --- walking ---------------------------------------------------------------------------------- */

/* An event, read from the file. data stays valid until the walk continues or ends. */
struct walk_event {
	uint64_t ts;
	event_ref ref;
	uint16_t kind, task; /* numbers as in the columns */
	int64_t missed;	     /* number of events lost before it, as in walker.h; 0: none */
	const uint8_t *data;
	uint32_t size;
};

/*
 * Calls `each` for the events of one stream in [from, to], in order, until it returns false. Skips
 * sub-buffers that cannot contain any of the wanted kinds or tasks. The walk covers only what is
 * indexed; it sets *ret_whole to false if part of the range is not indexed yet.
 */
struct walk_wants {
	uint64_t from, to;
	const uint8_t *kinds; /* one bit for each kind; NULL: all */
	size_t n_kinds;
	const uint8_t *tasks; /* one bit for each task; NULL: all */
	size_t n_tasks;
};
int timeline_walk(struct timeline *tl, size_t stream, const struct walk_wants *wants,
		  bool (*each)(void *ctx, const struct walk_event *ev), void *ctx, bool *ret_whole);

/*
 * Finds one event by its reference. The caller releases it with walk_release(). Returns -ENOENT if
 * there is none.
 */
struct walk_one {
	struct walk_event ev;
	void *hold;
};
int timeline_get(struct timeline *tl, event_ref ref, struct walk_one *ret);
void walk_release(struct walk_one *one);
/*
 * Finds the event before (by -1) or after (by 1) in the same stream. Returns -ENOENT if there is
 * none.
 */
int timeline_step(struct timeline *tl, event_ref ref, int by, event_ref *ret);

/*
 * Only one thread at a time may use struct formats and a file's damage list. Hold this lock around
 * formats_find…(), formats_kallsyms(), filter_new() and access to the damage.
 */
void timeline_lock_formats(struct timeline *tl);
void timeline_unlock_formats(struct timeline *tl);

/* Runs job(ctx, i) for all i below n on all threads of the timeline, and waits for them. */
void timeline_parallel(struct timeline *tl, size_t n, void (*job)(void *ctx, size_t i), void *ctx);

/* --- rows: all events in time order, by number ------------------------------------------------ */

/*
 * A selection of events: by kind, task, CPU, and by an expression (grammar of report -F) or text.
 * All threads build it: one bit for each event and a count for each sub-buffer. NULL means all
 * events.
 */
struct selection;
struct selection_wants {
	const uint8_t *kinds; /* one bit for each kind; NULL: all */
	size_t n_kinds;
	const uint8_t *tasks;
	size_t n_tasks;
	const uint8_t *streams; /* one bit for each stream; NULL: all */
	const char *expression; /* "sched:prev_pid==0 && …"; NULL: none */
	const char
		*text; /* part of the event's line (name, task, info), ignoring case; NULL: none */
	bool is_regex; /* text is an extended regular expression */
	/*
	 * An older selection with the same wants, made when fewer events were indexed; NULL: none.
	 * Its results are copied, so only new events are matched.
	 */
	const struct selection *before;
};
/*
 * Builds a selection, and returns when it is done. Calls `stop`, which may be NULL, from time to
 * time. Returns -EINVAL with a caret in err.
 */
int selection_new(struct selection **ret, struct timeline *tl, const struct selection_wants *wants,
		  bool (*stop)(void *ctx), void *stop_ctx, struct errmsg *err);
/* Takes a reference. Each holder releases its own reference with selection_free(). */
struct selection *selection_hold(struct selection *sel);
void selection_free(struct selection *sel);
uint64_t selection_count(const struct selection *sel);
bool selection_has(const struct selection *sel, event_ref ref);

/* Returns the number of (selected) events before time t, in all streams. */
uint64_t timeline_rank(struct timeline *tl, const struct selection *sel, uint64_t t);
/*
 * Finds the rows from number `row` on, in time order; equal times in the order of streams. Returns
 * the number of rows.
 */
size_t timeline_rows(struct timeline *tl, const struct selection *sel, uint64_t row,
		     event_ref *ret_refs, uint64_t *ret_times, size_t max);
/* Returns the row number of an event. */
uint64_t timeline_row_of(struct timeline *tl, const struct selection *sel, event_ref ref);

/* --- scheduling, as the index keeps it -------------------------------------------------------- */

struct switch_entry { /* at ts, `next` starts to run on the CPU */
	uint64_t ts;
	uint16_t prev, next; /* tasks; the idle task (pid 0) is a task, too */
	uint8_t prev_state;  /* the state of prev after the switch: enum task_state of states.h */
};
struct waking_entry {
	uint64_t ts;
	uint16_t task, waker;
	uint8_t flags; /* WAKING_IRQ: in interrupt context; WAKING_NEW: by fork */
};
enum { WAKING_IRQ = 1, WAKING_NEW = 2 };

/*
 * Calls each for the entries in [from, to] and for the last one before from. These are only
 * switches that are in the trace.
 */
void timeline_switches(struct timeline *tl, size_t stream, uint64_t from, uint64_t to,
		       bool (*each)(void *ctx, const struct switch_entry *e), void *ctx);
void timeline_wakings(struct timeline *tl, size_t stream, uint64_t from, uint64_t to,
		      bool (*each)(void *ctx, const struct waking_entry *e), void *ctx);
bool timeline_has_sched(const struct timeline *tl, uint32_t machine);

/*
 * Finds the running task of one stream, from its switches and from the task of every other event,
 * so that the result is correct even where records are missing (schedlist.c). `next` runs from ts
 * on. prev_state is STATE_UNKNOWN if no switch recorded it. TIMELINE_NO_TASK means that the running
 * task is unknown. `prev` of each entry is `next` of the entry before.
 */
void timeline_turns(struct timeline *tl, size_t stream, uint64_t from, uint64_t to,
		    bool (*each)(void *ctx, const struct switch_entry *e), void *ctx);
/* Returns true if the file has less data of this stream than its directory states. */
bool timeline_stream_is_cut(const struct timeline *tl, size_t stream);
/* Returns true if the stream has had switches so far. */
bool timeline_stream_has_switches(const struct timeline *tl, size_t stream);

/* --- losses ----------------------------------------------------------------------------------- */

struct timeline_losses {
	uint64_t n_events,
		/*
		 * number of lost events that the trace counts; number of places where events were
		 * lost
		 */
		n_places;
	bool is_all; /* false: at some places the number is unknown */
};
/* Counts the losses of the indexed part. Reads the file at every place where events were lost. */
void timeline_losses(struct timeline *tl, struct timeline_losses *ret);

struct timeline_loss { /* the first event after a loss */
	uint64_t ts;
	event_ref ref;
	int64_t missed; /* as in walk_event */
};
/* Returns true if the stream lost events at a time that overlaps [from, to]. */
bool timeline_lost_within(struct timeline *tl, size_t stream, uint64_t from, uint64_t to);
/*
 * Finds the first loss after t, or the last one before it, in all streams. Returns -ENOENT if there
 * is none.
 */
int timeline_find_loss(struct timeline *tl, uint64_t t, bool back, struct timeline_loss *ret);

/* --- live ------------------------------------------------------------------------------------- */

/*
 * Returns the number of lost events that the trace reports so far. *ret_all is false if the number
 * is unknown at some places. The number is unknown for an index that was loaded from the sidecar.
 */
uint64_t timeline_lost(const struct timeline *tl, bool *ret_all);
/*
 * Checks whether the files have grown (a running recording), and indexes new data. Returns 1 if
 * they have.
 */
int timeline_refresh(struct timeline *tl, struct errmsg *err);
/*
 * Notes that the recording has ended, and that all of it has been read. From now on the file's
 * table of task names counts; until now the name in the last event did.
 */
void timeline_end(struct timeline *tl);
/* Returns a number that changes when a growing trace has got names of functions. */
uint32_t timeline_symbols_version(const struct timeline *tl);

#endif
