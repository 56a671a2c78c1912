/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * inputs.h - one or more opened trace files: their contents, and which part is selected.
 *
 *	inputs_open ─▶ inputs_filter ─▶ inputs_sources_init (sources.h) ─▶ … ─▶ inputs_close
 *
 * A struct inputs_spec selects events and says how to decode them. It contains texts as users write
 * them. The caller owns it and everything that it points to, and keeps it until inputs_close().
 *
 * Nothing here prints. Errors are messages in struct errmsg. Two lists are for the caller to show:
 * damage (data that is incomplete) and notes (names in filters that the trace does not have).
 *
 * Opening and inputs_filter() belong to one thread.
 */
#ifndef SONDE_INPUTS_INPUTS_H
#define SONDE_INPUTS_INPUTS_H

#include "base/errmsg.h"
#include "decode/filter/filter.h"
#include "decode/formats/formats.h"
#include "decode/order/guests.h"
#include "decode/timeconv.h"
#include "decode/timefmt.h"
#include "format/bytes.h"
#include "store/tracefile.h"
#include "symbols/tasks.h"

struct inputs_path {
	const char *path;
	long long ts_offset; /* added to every time of this file */
	long long ts2secs;   /* ticks of the file's clock in a second; 0: use inputs_spec.ts2secs */
	bool is_own;	     /* sonde wrote the file: do not open a pipe or a device of that name */
	const int *fd;	     /* an open descriptor of the file, which stays open; NULL: none */
	struct piece
		memory; /* the bytes of a file, which belong to the caller; path is for messages */
};

struct inputs_filter {
	const char *text; /* EVENTS[:EXPRESSION] */
	bool reject;	  /* exclude the events that match */
	int input;	  /* index of the only path to which the filter applies; -1: all paths */
};

struct word_list {
	const char **words;
	size_t n;
};

struct inputs_spec {
	struct inputs_path *paths;
	size_t n_paths;

	/* the selection of events */
	struct inputs_filter *filters;
	size_t n_filters;
	struct word_list pids, comms; /* each word may be a list with commas */
	/* instances; "-" is the top-level buffer; an empty list means all */
	struct word_list buffers;
	uint32_t *cpus; /* an empty list means all */
	size_t n_cpus;
	bool no_irq, no_softirq;
	const char *from, *to; /* times in the syntax of decode/timearg.h; NULL: no limit */

	/* the way of decoding */
	bool no_events; /* do not decode; only find where everything is in the files */
	struct word_list raw_events,
		/* regular expressions of events to show without print format, or without plugin */
		plain_events;
	bool no_plugins;
	struct plugin_options plugins;
	const char *kallsyms; /* file with more kernel symbols; NULL: none */
	bool short_names;     /* functions of programs: without template arguments */
	bool all_names;	      /* scan the whole trace for names of tasks first */

	/* times */
	long long ts2secs;
	bool raw_ts, no_date;
	bool align_ts;	  /* start at 0 */
	bool nanoseconds; /* show times in nanoseconds instead of microseconds */
};

/* One opened file. */
struct inputs_file {
	struct tracefile *tf;
	struct formats *formats;
	struct tasks tasks;
	const struct inputs_path *input;
	struct filter **filters, **rejects;
	size_t n_filters, n_rejects;
	size_t cap_filters, cap_rejects, cap_all;
	struct filter **all_filters; /* filters and rejects, in the order of the command line */
	bool names_first;	     /* a filter uses the task's name */
};

/* A spec that selects all events of one file. */
#define INPUTS_ONE(p)                                                        \
	{                                                                    \
		.paths = (struct inputs_path[]){{.path = (p)}}, .n_paths = 1 \
	}

enum inputs_note_kind {
	INPUTS_NO_FIELD, /* a filter names a field that no event has */
	INPUTS_NO_TASK,	 /* no task has a requested name */
};

struct inputs_note {
	enum inputs_note_kind kind;
	char *text; /* the message */
};

struct inputs {
	const struct inputs_spec *spec;
	struct inputs_file *files;
	size_t n_files;
	struct guests guests;
	struct inputs_note *notes;
	size_t n_notes, cap_notes;
	/*
	 * live traces: finds names of tasks that the trace does not name, see sequence.h; may be
	 * NULL
	 */
	size_t (*find_name)(void *ctx, int pid, char *buf, size_t size);
	void *find_name_ctx;
};

/* Is there a trace of a kind that inputs_open() reads: of sonde, or of another tool? */
bool inputs_is_trace(const char *path);

/* Opens all paths. in must be zeroed. Close it after a failure, too. */
int inputs_open(struct inputs *in, const struct inputs_spec *spec, struct errmsg *err);
void inputs_close(struct inputs *in);

/*
 * Compiles the filters of the spec for every file. Names that the trace does not have become notes,
 * also after a failure. *ret_any is set if there is a filter.
 */
int inputs_filter(struct inputs *in, bool *ret_any, struct errmsg *err);

/* Frees what inputs_filter() made, for callers that fill a struct inputs without inputs_open(). */
void inputs_release_filters(struct inputs *in);

/* Reads every event for the names of tasks, if the spec has all_names. */
int inputs_gather_names(struct inputs *in, struct errmsg *err);

/* Returns the next message about damage, or NULL. *pos starts at 0. */
const char *inputs_next_damage(const struct inputs *in, size_t *pos);

/* Adds a message about data that the file lacks for a result. */
void inputs_add_damage(struct inputs_file *file, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Returns the path as messages show it. */
const char *inputs_path(const struct inputs_file *file);
/* Returns the number of buffers, including the text of a latency tracer. */
size_t inputs_n_buffers(const struct inputs_file *file);
const struct tracefile_buffer *inputs_buffer(const struct inputs_file *file, size_t i);
/*
 * Refuses a buffer that does not exist, or that contains the text of a latency tracer. name NULL:
 * the top-level buffer. `what` names what such a text lacks: "call chains".
 */
int inputs_check_buffer(const struct inputs_file *file, const char *name, const char *what,
			struct errmsg *err);

/* Returns a file's name without its directories. */
const char *inputs_file_name(const struct inputs_file *file);

/* Returns how a file's times are converted. The arena is for data about the host's clock. */
struct arena;
struct timeconv inputs_timeconv(const struct inputs *in, const struct inputs_file *file,
				const struct tracefile_buffer *b, struct arena *arena);
enum time_style inputs_time_style(const struct inputs *in, const struct timeconv *tc);

/* Returns the top-level buffer with events, or NULL if the file has none. */
const struct tracefile_buffer *inputs_top_buffer(const struct inputs_file *file);

/* Returns the first file with the text of a latency tracer instead of events, or NULL. */
const struct inputs_file *inputs_find_text(const struct inputs *in);

#endif
