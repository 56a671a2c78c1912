/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inputs.h - one or more trace files, opened: what is in them, and which of it is wanted.
 *
 *	inputs_open ─▶ inputs_filter ─▶ inputs_sources_init (sources.h) ─▶ … ─▶ inputs_close
 *
 * A struct inputs_spec says which events are wanted and how they are decoded. It holds texts as people
 * write them and stays the caller's, like everything it points at, until inputs_close().
 *
 * Nothing here prints. Errors are sentences in struct errmsg. What can be read but is not whole, and what the filters
 * name but the trace does not have, are lists that the caller may show: damage and notes.
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
	long long ts2secs;   /* ticks of its clock in a second; 0: as inputs_spec.ts2secs */
	bool is_own;	     /* sonde wrote it: a pipe or a device in its place is not opened */
	const int *fd;	     /* an open descriptor of the file, which stays open; NULL: none */
	struct piece
		memory; /* the bytes of a file, which stay the caller's; path is for messages */
};

struct inputs_filter {
	const char *text; /* EVENTS[:EXPRESSION] */
	bool reject;	  /* drops what matches */
	int input;	  /* for this path only; -1: for all */
};

struct word_list {
	const char **words;
	size_t n;
};

struct inputs_spec {
	struct inputs_path *paths;
	size_t n_paths;

	/* which events */
	struct inputs_filter *filters;
	size_t n_filters;
	struct word_list pids, comms; /* each word may be a list with commas */
	struct word_list buffers;     /* instances; "-" is the top-level buffer; none: all */
	uint32_t *cpus;		      /* none: all */
	size_t n_cpus;
	bool no_irq, no_softirq;
	const char *from, *to; /* as decode/timearg.h reads them; NULL: no limit */

	/* how they are decoded */
	bool no_events; /* not at all: only where everything lies in the files */
	struct word_list raw_events,
		plain_events; /* regular expressions: without print format; without plugin */
	bool no_plugins;
	struct plugin_options plugins;
	const char *kallsyms; /* more symbols of the kernel; NULL */
	bool all_names;	      /* scan the whole trace for names of tasks first */

	/* times */
	long long ts2secs;
	bool raw_ts, no_date;
	bool align_ts;	  /* start at 0 */
	bool nanoseconds; /* times are shown so, instead of in microseconds */
};

/* One file, opened. */
struct inputs_file {
	struct tracefile *tf;
	struct formats *formats;
	struct tasks tasks;
	const struct inputs_path *input;
	struct filter **filters, **rejects;
	size_t n_filters, n_rejects;
	struct filter **all_filters; /* both, in the order of the command line */
	bool names_first;	     /* a filter looks at the task's name */
};

/* A spec: all events of one file. */
#define INPUTS_ONE(p)                                                        \
	{                                                                    \
		.paths = (struct inputs_path[]){{.path = (p)}}, .n_paths = 1 \
	}

enum inputs_note_kind {
	INPUTS_NO_FIELD, /* a filter names a field that no event has */
	INPUTS_NO_TASK,	 /* no task has a name that is wanted */
};

struct inputs_note {
	enum inputs_note_kind kind;
	char *text; /* a sentence */
};

struct inputs {
	const struct inputs_spec *spec;
	struct inputs_file *files;
	size_t n_files;
	struct guests guests;
	struct inputs_note *notes;
	size_t n_notes;
	/* live: asked for tasks that the trace does not name, see sequence.h; may be NULL */
	size_t (*find_name)(void *ctx, int pid, char *buf, size_t size);
	void *find_name_ctx;
};

/* Opens all paths. in must be zeros. Close it on failure, too. */
int inputs_open(struct inputs *in, const struct inputs_spec *spec, struct errmsg *err);
void inputs_close(struct inputs *in);

/*
 * Makes the filters of the spec for every file. What they name and the trace does not have becomes notes, on
 * failure, too. *ret_any: is there a filter?
 */
int inputs_filter(struct inputs *in, bool *ret_any, struct errmsg *err);

/* Only what inputs_filter() made; for who fills a struct inputs without inputs_open(). */
void inputs_release_filters(struct inputs *in);

/* all_names: reads every event for the names of tasks. Does nothing if the spec does not ask for it. */
int inputs_gather_names(struct inputs *in, struct errmsg *err);

/* The sentences about what is damaged, one after the other; *pos begins with 0. NULL: no more. */
const char *inputs_next_damage(const struct inputs *in, size_t *pos);

/* A file's name without its directories. */
const char *inputs_file_name(const struct inputs_file *file);

/* How a file's times are converted; arena: for what the host's clock needs. */
struct arena;
struct timeconv inputs_timeconv(const struct inputs *in, const struct inputs_file *file,
				const struct tracefile_buffer *b, struct arena *arena);
enum time_style inputs_time_style(const struct inputs *in, const struct timeconv *tc);

/* The events of the top-level buffer; NULL: the file has none. */
const struct tracefile_buffer *inputs_top_buffer(const struct inputs_file *file);

/* The first file that holds the text of a latency tracer instead of events; or NULL. */
const struct inputs_file *inputs_find_text(const struct inputs *in);

#endif
