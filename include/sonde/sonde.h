/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sonde/sonde.h - reads traces: trace.dat of sonde and trace-cmd, perf.data, uftrace.data.
 *
 *	struct sonde_trace *trace;
 *	struct sonde_events *events;
 *	const struct sonde_event *ev;
 *	struct sonde_error err;
 *
 *	if (sonde_open(&trace, "trace.dat", &err) < 0 ||
 *	    sonde_events_new(&events, trace, NULL, &err) < 0)
 *		errx(1, "%s", err.text);
 *	while ((ev = sonde_events_next(events)))
 *		printf("%" PRIu64 " %s\n", ev->ts, sonde_kind_name(ev->kind));
 *	sonde_events_free(events);
 *	sonde_close(trace);
 *
 * Link with -lsonde (pkg-config --cflags --libs sonde). `man 3 sonde` explains more.
 *
 * Errors: functions that return int return 0 or more, or a negative errno. Then err, unless it is
 * NULL, has one sentence for the user. Nothing here prints, exits, or changes signals. Damaged
 * files open as far as they can be read; sonde_trace_damage() says what is missing.
 *
 * Threads: an object belongs to one thread at a time. Different objects may be used by different
 * threads, also several sonde_events of one trace. A trace must outlive what was made from it.
 *
 * Compatibility: structs only grow at their end, functions stay. A struct that the caller fills
 * begins with its size. A program checks at run time with sonde_version() what it has.
 */
#ifndef SONDE_SONDE_H
#define SONDE_SONDE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_trace;   /* one or more opened files on one clock */
struct sonde_events;  /* its events, one after the other */
struct sonde_columns; /* fields of its events as arrays */
struct sonde_kind;    /* a kind of event: its name and its fields */
struct sonde_field;

#define SONDE_ERROR_TEXT 1000

struct sonde_error {
	int code; /* negative errno */
	char text[SONDE_ERROR_TEXT];
};

/* "0.1.0" */
const char *sonde_version(void);

/* --- traces ----------------------------------------------------------------------------------- */

int sonde_open(struct sonde_trace **ret, const char *path, struct sonde_error *err);
/* Opens several files as one trace: instances, guests, other machines. The first is the host. */
int sonde_open_files(struct sonde_trace **ret, const char *const *paths, size_t n,
		     struct sonde_error *err);
void sonde_close(struct sonde_trace *trace);

size_t sonde_trace_n_files(const struct sonde_trace *trace);
const char *sonde_trace_path(const struct sonde_trace *trace, size_t file);
/* Gets the times of the first and the last event. Returns 0 if there are no events, otherwise 1. */
int sonde_trace_range(struct sonde_trace *trace, uint64_t *ret_first, uint64_t *ret_last);
/* Returns 1 if times are nanoseconds, 0 if they are units of the trace's clock. */
int sonde_trace_is_ns(const struct sonde_trace *trace);
/*
 * Returns the next sentence about data that is missing, or NULL. *pos starts at 0. Some damage is
 * found only when the events are read: ask again after that, with the pos of before.
 */
const char *sonde_trace_damage(const struct sonde_trace *trace, size_t *pos);

/* The kinds of events that a file describes, sorted by system and name; not all need to occur. */
size_t sonde_trace_n_kinds(struct sonde_trace *trace, size_t file);
const struct sonde_kind *sonde_trace_kind(struct sonde_trace *trace, size_t file, size_t i);
/* system NULL: any. Returns NULL if the file does not describe such an event. */
const struct sonde_kind *sonde_trace_find_kind(struct sonde_trace *trace, size_t file,
					       const char *system, const char *name);
/*
 * Finds the function at an address, of the kernel or of a program as its events have it. Returns
 * its name, valid until the next call, or NULL. ret_offset may be NULL.
 */
const char *sonde_trace_symbol(struct sonde_trace *trace, size_t file, uint64_t address,
			       uint64_t *ret_offset);

/* --- kinds and fields ------------------------------------------------------------------------- */

/* Both return "" for NULL: an event that the file does not describe. */
const char *sonde_kind_name(const struct sonde_kind *kind);
const char *sonde_kind_system(const struct sonde_kind *kind);
int sonde_kind_id(const struct sonde_kind *kind);
size_t sonde_kind_n_fields(const struct sonde_kind *kind);
const struct sonde_field *sonde_kind_field(const struct sonde_kind *kind, size_t i);
/* Also finds the fields of all events: common_pid, common_flags … Returns NULL if there is none. */
const struct sonde_field *sonde_kind_find(const struct sonde_kind *kind, const char *name);

enum sonde_type {
	SONDE_NULL,	/* only in answers of SQL */
	SONDE_INTEGER,	/* int64_t */
	SONDE_UNSIGNED, /* uint64_t; only fields of 8 bytes, also pointers */
	SONDE_REAL,	/* double */
	SONDE_TEXT,
	SONDE_BYTES, /* arrays and structs */
};

const char *sonde_field_name(const struct sonde_field *field);
/* As in the event's format: "pid_t", "char[16]". */
const char *sonde_field_type_name(const struct sonde_field *field);
enum sonde_type sonde_field_type(const struct sonde_field *field);
/* Returns where the field is in the event's data. */
void sonde_field_place(const struct sonde_field *field, size_t *ret_offset, size_t *ret_size);
/*
 * Returns 1 if the field's number is just its bytes, in this machine's order, so that a program may
 * read it from the data by itself; 2 if it is also signed; 0: use sonde_event_integer().
 */
int sonde_field_is_plain(const struct sonde_kind *kind, const struct sonde_field *field);

/* --- events ----------------------------------------------------------------------------------- */

struct sonde_select {
	size_t size; /* sizeof(struct sonde_select) */
	/* "EVENTS" or "EVENTS: CONDITION", as `sonde report -F` takes them; none: all events */
	const char *const *filters;
	size_t n_filters;
	const char *const *rejects; /* the same, of events that are left out (-v) */
	size_t n_rejects;
	const uint32_t *cpus; /* none: all */
	size_t n_cpus;
	/* only events of, or about, these tasks: names, or thread ids ("12", "12,13"); none: all */
	const char *const *tasks;
	size_t n_tasks;
	const char *const *pids;
	size_t n_pids;
	const char *const *buffers; /* instances; "-": the top level; none: all */
	size_t n_buffers;
	const char *from, *to; /* as --from and --to of `sonde report`; NULL: no limit */
};

#ifdef __cplusplus
#define SONDE_SELECT_INIT                   \
	{                                   \
		sizeof(struct sonde_select) \
	}
#else
#define SONDE_SELECT_INIT                           \
	{                                           \
		.size = sizeof(struct sonde_select) \
	}
#endif

struct sonde_event {
	uint64_t ts;
	const struct sonde_kind *kind; /* NULL: the file does not describe the event */
	const uint8_t *data;
	const char *comm; /* name of the task at that time; "<...>": unknown */
	uint32_t size;	  /* of data */
	uint32_t cpu;
	int32_t pid, tgid;     /* the thread, its process (-1: unknown) */
	uint32_t file, source; /* the file; the buffer in the order of the trace */
	/* events lost on this CPU before this one; -1: an unknown number */
	int64_t missed;
};

/* select may be NULL: all events. They come in the order of time. */
int sonde_events_new(struct sonde_events **ret, const struct sonde_trace *trace,
		     const struct sonde_select *select, struct sonde_error *err);
void sonde_events_free(struct sonde_events *events);
/*
 * Returns the next event, or NULL at the end or after a failure: sonde_events_error(). The event
 * and its data are valid until the next call.
 */
const struct sonde_event *sonde_events_next(struct sonde_events *events);
/* Gets the next events, at least one: 1, 0 at the end, or a negative errno. Valid as above. */
int sonde_events_batch(struct sonde_events *events, const struct sonde_event **ret, size_t *ret_n);
/* Returns 0, or the negative errno that ended the events, with a sentence in err. */
int sonde_events_error(const struct sonde_events *events, struct sonde_error *err);
/* Like sonde_trace_damage(), of the files as these events were read. */
const char *sonde_events_damage(const struct sonde_events *events, size_t *pos);

/*
 * The value of a field. Return 1, or 0 if the event has no such value: field is NULL or has another
 * type, or the data ends before it. Integers and unsigned numbers may be read as each other.
 */
int sonde_event_integer(const struct sonde_event *event, const struct sonde_field *field,
			int64_t *ret);
int sonde_event_real(const struct sonde_event *event, const struct sonde_field *field, double *ret);
int sonde_event_bytes(const struct sonde_event *event, const struct sonde_field *field,
		      const uint8_t **ret, size_t *ret_len);
/* The number of the field of that name; `otherwise` if there is none. */
int64_t sonde_event_number(const struct sonde_event *event, const char *field, int64_t otherwise);
/*
 * The texts as report shows them: flags, enums and functions by name. Valid until the next text of
 * these events. NULL: the event has no such value.
 */
const char *sonde_event_text(struct sonde_events *events, const struct sonde_event *event,
			     const struct sonde_field *field, size_t *ret_len);
/* The whole event, as behind its name in a line of report. */
const char *sonde_event_info(struct sonde_events *events, const struct sonde_event *event,
			     size_t *ret_len);

/* --- columns ---------------------------------------------------------------------------------- */

/*
 * Reads the values of fields into arrays, at most max_rows events (0: all that are left). Words are
 * names of fields, or $ts, $cpu, $pid, $tgid, $comm, $event, $system. ":text" behind a field means
 * the text that report shows instead of the number. Events without a field have null there.
 */
int sonde_columns_read(struct sonde_columns **ret, struct sonde_events *events,
		       const char *const *words, size_t n_words, size_t max_rows,
		       struct sonde_error *err);
void sonde_columns_free(struct sonde_columns *columns);

struct sonde_column {
	enum sonde_type
		type; /* INTEGER: int64_t; UNSIGNED: uint64_t; REAL: double; TEXT: int32_t */
	size_t n;
	const void *values;
	/* one byte for each value, 1 if it is null (then the value is 0, or -1); NULL: none is */
	const uint8_t *nulls;
	/* TEXT: the values are numbers of these texts */
	const char *const *texts;
	size_t n_texts;
};

/* Gets column i, in the order of the words. The arrays are valid until sonde_columns_free(). */
int sonde_columns_get(const struct sonde_columns *columns, size_t i, struct sonde_column *ret);

/* --- states of tasks -------------------------------------------------------------------------- */

enum sonde_state_kind {
	SONDE_STATE_UNKNOWN,
	SONDE_STATE_RUNNING,
	SONDE_STATE_RUNNABLE,  /* woken, waits for a CPU */
	SONDE_STATE_PREEMPTED, /* was running, waits for a CPU */
	SONDE_STATE_SLEEPING,
	SONDE_STATE_BLOCKED,
	SONDE_STATE_STOPPED,
	SONDE_STATE_IDLE,
	SONDE_STATE_DEAD,
};

struct sonde_state {
	uint64_t ts, dur;
	const char *comm; /* the last name of the task in the trace */
	enum sonde_state_kind kind;
	int32_t pid;
	uint32_t file;
	int32_t cpu;	   /* running: the CPU; otherwise the last one; -1: unknown */
	int32_t waker_pid; /* runnable: who woke the task; -1: unknown */
	int32_t is_open;   /* the end of the recording cut the state off */
};

/*
 * Visits the states of all tasks, each when it ends; the viewer and `sonde states` show the same.
 * visit returns 0, or anything else to end, which is then returned.
 */
int sonde_states(struct sonde_trace *trace,
		 int (*visit)(void *ctx, const struct sonde_state *state), void *ctx,
		 struct sonde_error *err);

/* --- SQL -------------------------------------------------------------------------------------- */

struct sonde_cell {
	enum sonde_type type; /* NULL, INTEGER, REAL, TEXT, BYTES */
	int64_t integer;
	double real;
	const char *text; /* of all types but NULL; valid during the call */
	size_t len;
};

struct sonde_rows {
	size_t size; /* sizeof(struct sonde_rows) */
	void *ctx;
	/* Before the rows of a statement. A result that is not 0 ends the query. NULL: not called */
	int (*columns)(void *ctx, const char *const *names, size_t n);
	int (*row)(void *ctx, const struct sonde_cell *cells, size_t n);
	/* Asked from time to time; a result that is not 0 ends the query. NULL: not called */
	int (*is_stopped)(void *ctx);
	uint64_t time_ns, memory_bytes; /* limits; 0: none, 1 GB */
};

/* Runs SQL over the trace: the tables of `sonde sql`. Queries cannot change anything. */
int sonde_sql(struct sonde_trace *trace, const char *sql, const struct sonde_rows *rows,
	      struct sonde_error *err);

/* --- for bindings of other languages ---------------------------------------------------------- */

/* An event of a batch whose data lies in one block, and whose kind and name have numbers. */
struct sonde_packed {
	uint64_t ts;
	int64_t missed;
	uint32_t data_at, size; /* in the block */
	uint32_t cpu;
	int32_t pid, tgid;
	uint32_t kind; /* for sonde_events_kind() */
	uint32_t comm; /* for sonde_events_comm() */
	uint32_t file, source, reserved;
};

/* Like sonde_events_batch(). The arrays are valid until the next call. */
int sonde_events_packed(struct sonde_events *events, const struct sonde_packed **ret, size_t *ret_n,
			const uint8_t **ret_block, size_t *ret_block_len);
/* The kind or the name of that number; NULL for a kind that is not described. */
const struct sonde_kind *sonde_events_kind(const struct sonde_events *events, uint32_t kind);
const char *sonde_events_comm(const struct sonde_events *events, uint32_t comm);

#ifdef __cplusplus
}
#endif

#endif
