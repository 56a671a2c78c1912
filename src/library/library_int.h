/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* library_int.h - what is behind the objects of sonde/sonde.h. */
#ifndef SONDE_LIBRARY_LIBRARY_INT_H
#define SONDE_LIBRARY_LIBRARY_INT_H

#include "analyse/keys.h"
#include "base/errmsg.h"
#include "base/map.h"
#include "base/textbuf.h"
#include "decode/order/sequence.h"
#include "decode/record.h"
#include "inputs/inputs.h"
#include "inputs/sources.h"
#include "query/query.h"

#include <sonde/sonde.h>

/* Only what has this is visible in the shared library (with libsonde.map). */
#define PUBLIC		       __attribute__((visibility("default")))

#define LIBRARY_TEXT_MAX_BYTES (1u << 20)

struct sonde_trace {
	struct inputs_path *paths; /* their texts are owned */
	size_t n_paths;
	struct inputs_spec spec;
	struct inputs in;
	struct textbuf symbol;
	struct event ***kinds; /* of each file, sorted; NULL: nobody asked */
	/* the last query's database, and the limits that it was made with; NULL: none */
	struct query *query;
	struct query_limits limits;
	const struct sonde_rows *rows; /* of the query that runs now */
	/* read when first asked for */
	bool has_range, is_ns;
	int has_events;
	uint64_t first, last;
};

/* The texts of one file's events. */
struct reader {
	bool is_ready;
	struct keyreader keys;
	struct map slots; /* struct key_slot by the address of a field */
};

struct packing {
	struct sonde_packed *list;
	uint8_t *block;
	size_t cap_block;
	struct map kind_numbers, comm_numbers; /* a number, plus 1, by address */
	const struct sonde_kind **kinds;
	const char **comms;
	size_t n_kinds, cap_kinds, n_comms, cap_comms;
};

struct sonde_events {
	struct inputs_spec spec;
	void *words; /* the texts of the spec */
	struct inputs in;
	struct inputs_sources sources;
	struct batch batch;
	struct sonde_event *shown; /* of the batch, as far as n_shown */
	size_t n, at, n_shown;
	struct reader *readers; /* by file */
	struct textbuf text;
	struct packing packing;
	int error;
	struct errmsg err;
};

static inline const struct event *library_event(const struct sonde_kind *kind)
{
	return (const struct event *)(const void *)kind;
}

static inline const struct sonde_kind *library_kind(const struct event *ev)
{
	return (const struct sonde_kind *)(const void *)ev;
}

static inline const struct field *library_field(const struct sonde_field *field)
{
	return (const struct field *)(const void *)field;
}

/* Copies a failure for the caller, and returns its code. r: the negative errno of the call. */
int library_fail(struct sonde_error *to, const struct errmsg *err, int r);

/* Opens the paths of a trace once more, for an iterator or the index. spec: all but the paths. */
int library_open(struct inputs *in, struct inputs_spec *spec, const struct sonde_trace *trace,
		 struct errmsg *err);

/* Makes sure that the batch has a record at e->at: 1, 0 at the end, or a negative errno. */
int library_fill(struct sonde_events *events);

static inline uint32_t library_file_of(const struct sonde_events *e, size_t source)
{
	return (uint32_t)(e->sources.list[source].file - e->in.files);
}

/* The reader of a file's texts, made when first asked for; NULL: no memory. */
struct reader *library_reader(struct sonde_events *events, uint32_t file);
/* The record behind an event, for printers and readers of values. */
struct record library_record(struct sonde_events *events, const struct sonde_event *event);

#endif
