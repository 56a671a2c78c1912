/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline.h - a whole trace, indexed for looking at: any place, any zoom, without reading it again.
 *
 *	sources     what was opened: files, their buffers, each with its clock's conversion
 *	streams     one for each CPU of each source, in its own time order; never one global array
 *	segments    some 1024 sub-buffers of a stream: what one thread indexes at a time
 *	pages       time of each sub-buffer, number of its first event: read from page headers alone
 *	columns     for each event its kind, its task and about when it was in its sub-buffer, 2 bytes
 *	            each; exact time and payload stay in the file, and are found again by walking one
 *	            sub-buffer (80 events, 0.4 us)
 *	switches    sched_switch of each stream: 8 bytes each, enough for all lanes of CPUs and tasks
 *	wakings     sched_waking (or wakeup, where there is no waking): 8 bytes each
 *
 * timeline_new() finds where the data and the ends of time are. timeline_start() reads the page headers, so
 * that a first picture (density) can be drawn at once, and then indexes in the background on all cores, the
 * part last asked for first. Everything else works at any moment after it on what is indexed so far.
 *
 * Times are nanoseconds since the beginning of the trace (timeline_origin()), below 2^48.
 * Every function may be called from any thread unless it says otherwise.
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
#define TIMELINE_NO_TASK  UINT16_MAX /* more tasks than the columns can name: look at the record */
#define TIMELINE_NO_KIND  UINT16_MAX

struct timeline;

struct timeline_source { /* kept alive by the caller until timeline_free() */
	struct tracefile *tf;
	struct formats *formats;
	const struct tracefile_buffer *buffer;
	struct timeconv time;
	const char *name; /* of the file and buffer, for people */
	const char *file; /* … of the file alone */
	uint32_t
		machine; /* those of one machine share their tasks: host 0, guests 1 … (to 32767) */
	bool is_live;	 /* the file is being recorded: see timeline_refresh() */
};

/* What kind of event: (source's formats, id), numbered as they are met. */
struct timeline_kind {
	const struct event *event; /* parsed and compiled; NULL: not described */
	int id;
	uint16_t source;
	uint64_t n_events; /* so far */
};

struct timeline_task {
	int pid, tgid; /* tgid -1: not known */
	uint32_t machine;
	char comm[32]; /* the last one that the trace tells */
	uint64_t n_events, running_ns;
	uint64_t first, last; /* times of its first and last event */
};

struct timeline_stream {
	uint16_t source;
	uint32_t cpu;
	uint64_t n_pages, n_events; /* n_events: as far as indexed */
	uint64_t first, last;
};

/*
 * One event: its stream (12 bits) and its number there. Below 2^53, so that the page can hold it.
 * Numbers of a stream ascend in time order, with gaps: the sub-buffer, then the event in it, so that
 * they are known before all is indexed and never change. timeline_step() goes to the next one.
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

/* Begins to index. cache_dir: where the sidecar index is looked for and kept; NULL: none. */
int timeline_start(struct timeline *tl, const char *cache_dir, struct errmsg *err);
/* What the user looks at: its segments are indexed first. */
void timeline_hint(struct timeline *tl, uint64_t from, uint64_t to);
float timeline_progress(const struct timeline *tl); /* 0 … 1 */
int timeline_wait(struct timeline *tl);		    /* until all is indexed; 0 or -ENOMEM */
int timeline_error(const struct timeline *tl);	    /* so far: 0, or -ENOMEM: the index has holes */
/* Bytes of memory that the index takes, without lanes; and events indexed. */
size_t timeline_memory(const struct timeline *tl);
uint64_t timeline_n_events(const struct timeline *tl);

uint64_t timeline_origin(const struct timeline *tl); /* the time on the trace's own clock of 0 */
uint64_t timeline_duration(const struct timeline *tl);

/* What times count, by the clock of the first source. */
struct time_unit timeline_unit(const struct timeline *tl);

size_t timeline_n_streams(const struct timeline *tl);
const struct timeline_stream *timeline_stream(const struct timeline *tl, size_t i);
size_t timeline_n_sources(const struct timeline *tl);
const struct timeline_source *timeline_source(const struct timeline *tl, size_t i);
/* Numbers only grow; an entry keeps its place. Counts in it may be a little behind. */
size_t timeline_n_kinds(const struct timeline *tl);
const struct timeline_kind *timeline_kind(const struct timeline *tl, size_t i);
size_t timeline_n_tasks(const struct timeline *tl);
/* All numbers are taken: there may be more tasks, which have no lane and are in no table. */
bool timeline_has_most_tasks(const struct timeline *tl);
const struct timeline_task *timeline_task(const struct timeline *tl, size_t i);
/* The number of a task, or -1. */
int timeline_find_task(const struct timeline *tl, uint32_t machine, int pid);
/* Which sources have events of a task, as far as indexed: a bit for each of the first 64; of the first n tasks. */
#define TIMELINE_TOLD_SOURCES 64
uint64_t timeline_task_sources(struct timeline *tl, uint16_t task);
void timeline_tasks_sources(struct timeline *tl, uint64_t *ret, size_t n);

/* How full the sub-buffers of a stream are over time, from their headers: bytes in n buckets. */
void timeline_density(const struct timeline *tl, size_t stream, uint64_t from, uint64_t to,
		      float *ret_bytes_per_ns, size_t n);

/* --- walking ----------------------------------------------------------------------------------- */

/* An event, found again in the file. data stays valid until the walk goes on or ends. */
struct walk_event {
	uint64_t ts;
	event_ref ref;
	uint16_t kind, task; /* numbers of the columns */
	int64_t missed;	     /* lost before it, as in walker.h; 0: none */
	const uint8_t *data;
	uint32_t size;
};

/*
 * Calls `each` for the events of one stream in [from, to], in order, skipping quickly over
 * sub-buffers that cannot have any of the wanted kinds or tasks. Ends early when each is false.
 * The scan covers what is indexed; false in *ret_whole: part of the range was not yet.
 */
struct walk_wants {
	uint64_t from, to;
	const uint8_t *kinds; /* a bit for each kind; NULL: all */
	size_t n_kinds;
	const uint8_t *tasks; /* a bit for each task; NULL: all */
	size_t n_tasks;
};
int timeline_walk(struct timeline *tl, size_t stream, const struct walk_wants *wants,
		  bool (*each)(void *ctx, const struct walk_event *ev), void *ctx, bool *ret_whole);

/* One event by its reference; the caller gives it back with walk_release(). -ENOENT. */
struct walk_one {
	struct walk_event ev;
	void *hold;
};
int timeline_get(struct timeline *tl, event_ref ref, struct walk_one *ret);
void walk_release(struct walk_one *one);
/* The event of the same stream before (by -1) or after (by 1). -ENOENT. */
int timeline_step(struct timeline *tl, event_ref ref, int by, event_ref *ret);

/*
 * struct formats, and what is noted as damage of a file, belong to one thread at a time. While this lock
 * is held it is the caller: around formats_find…(), formats_kallsyms(), filter_new(), damage.
 */
void timeline_lock_formats(struct timeline *tl);
void timeline_unlock_formats(struct timeline *tl);

/* Runs job(ctx, i) for i below n on all of the timeline's threads, and waits. */
void timeline_parallel(struct timeline *tl, size_t n, void (*job)(void *ctx, size_t i), void *ctx);

/* --- rows: all events in time order, by number -------------------------------------------------- */

/*
 * A selection of events: by kind, task, CPU, and an expression in the grammar of report -F, or text.
 * A bit for each event and a count for each sub-buffer, made by all threads; NULL means all events.
 */
struct selection;
struct selection_wants {
	const uint8_t *kinds; /* as in walk_wants; NULL: all */
	size_t n_kinds;
	const uint8_t *tasks;
	size_t n_tasks;
	const uint8_t *streams; /* a bit for each stream; NULL: all */
	const char *expression; /* "sched:prev_pid==0 && …"; NULL: none */
	const char *text;	/* in the event's line (name, task, info), any case; NULL: none */
	bool is_regex;		/* text is an extended regular expression */
	/*
	 * One that was made with the same wants when less was indexed; NULL: none. What it knows is taken
	 * over, only what is new is looked at.
	 */
	const struct selection *before;
};
/* -EINVAL with a caret in err. Runs until done; `stop` is asked now and then (may be NULL). */
int selection_new(struct selection **ret, struct timeline *tl, const struct selection_wants *wants,
		  bool (*stop)(void *ctx), void *stop_ctx, struct errmsg *err);
/* One more who holds it; each gives it back with selection_free(). */
struct selection *selection_hold(struct selection *sel);
void selection_free(struct selection *sel);
uint64_t selection_count(const struct selection *sel);
bool selection_has(const struct selection *sel, event_ref ref);

/* How many (selected) events are before time t; the sum over all streams. */
uint64_t timeline_rank(struct timeline *tl, const struct selection *sel, uint64_t t);
/* The rows from number `row` on, in time order; ties by stream. Returns how many. */
size_t timeline_rows(struct timeline *tl, const struct selection *sel, uint64_t row,
		     event_ref *ret_refs, uint64_t *ret_times, size_t max);
/* The row number of an event. */
uint64_t timeline_row_of(struct timeline *tl, const struct selection *sel, event_ref ref);

/* --- scheduling, as the index keeps it ----------------------------------------------------------- */

struct switch_entry { /* at ts, `task` begins to run on this CPU */
	uint64_t ts;
	uint16_t prev, next; /* tasks; the idle task is a task as well (pid 0) */
	uint8_t prev_state;  /* enum task_state of states.h: what the one before became */
};
struct waking_entry {
	uint64_t ts;
	uint16_t task, waker;
	uint8_t flags; /* WAKING_IRQ: in interrupt context; WAKING_NEW: fork */
};
enum { WAKING_IRQ = 1, WAKING_NEW = 2 };

/* Calls each for entries in [from, to] and the last one before from. Of switches only what the trace has. */
void timeline_switches(struct timeline *tl, size_t stream, uint64_t from, uint64_t to,
		       bool (*each)(void *ctx, const struct switch_entry *e), void *ctx);
void timeline_wakings(struct timeline *tl, size_t stream, uint64_t from, uint64_t to,
		      bool (*each)(void *ctx, const struct waking_entry *e), void *ctx);
bool timeline_has_sched(const struct timeline *tl, uint32_t machine);

/*
 * Who runs, as one stream tells it: by its switches, and by the task of every other event, so that it is right also
 * where records are missing (schedlist.c). `next` runs from ts on; prev_state STATE_UNKNOWN: no switch tells it.
 * TIMELINE_NO_TASK: who runs is not known. Each entry's prev is the next of the one before.
 */
void timeline_turns(struct timeline *tl, size_t stream, uint64_t from, uint64_t to,
		    bool (*each)(void *ctx, const struct switch_entry *e), void *ctx);
/* The file has less of this stream than it promises; so far, switches were met in it. */
bool timeline_stream_is_cut(const struct timeline *tl, size_t stream);
bool timeline_stream_has_switches(const struct timeline *tl, size_t stream);

/* --- losses --------------------------------------------------------------------------------------- */

struct timeline_losses {
	uint64_t n_events,
		n_places; /* lost events, as far as the trace counts them; places where it lost some */
	bool is_all;	  /* false: at some places nobody counted */
};
/* Of what is indexed, however the index came. Looks into the file at every place where events were lost. */
void timeline_losses(struct timeline *tl, struct timeline_losses *ret);

struct timeline_loss { /* the event before which others were lost */
	uint64_t ts;
	event_ref ref;
	int64_t missed; /* as in walk_event */
};
/* Does a time in which a stream lost events, up to the event that tells it, overlap [from, to]? */
bool timeline_lost_within(struct timeline *tl, size_t stream, uint64_t from, uint64_t to);
/* The first one after t, or the last one before it, of all streams. -ENOENT. */
int timeline_find_loss(struct timeline *tl, uint64_t t, bool back, struct timeline_loss *ret);

/* --- live ---------------------------------------------------------------------------------------- */

/*
 * Events that the trace says were lost, so far. false in *ret_all: some places tell that there were, but not how many.
 * Not known of an index that was kept from another time.
 */
uint64_t timeline_lost(const struct timeline *tl, bool *ret_all);
/* Looks whether the files have grown (a recording that runs), and indexes what is new. 1: it has. */
int timeline_refresh(struct timeline *tl, struct errmsg *err);
/*
 * The recording has ended, and all of it was looked at: what the file says about the names of tasks counts from now on;
 * until then the last name that an event told did.
 */
void timeline_end(struct timeline *tl);

#endif
