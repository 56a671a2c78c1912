/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * scan.h - the records that a query wants, one after the other, in the order of time.
 *
 *	scan_open ─▶ scan_next … ─▶ scan_close
 *
 * What a scan does not want costs little: CPUs are not opened, sub-buffers outside of the range of
 * time are not read, other events are skipped after two bytes. It learns no names and parses no
 * formats. A record is valid until the next scan_next().
 */
#ifndef SONDE_QUERY_SCAN_H
#define SONDE_QUERY_SCAN_H

#include "decode/record.h"
#include "decode/walker.h"
#include "query/trace.h"

struct scan_wants {
	uint64_t from, to; /* inclusive; to: UINT64_MAX */
	/* by file: flags by event id; NULL: all events */
	uint8_t *const *events;
	size_t n_ids;
	const uint32_t *cpus; /* NULL: all */
	size_t n_cpus;
};

struct pagestream;
struct scan_cursor;
struct source_config;

struct scan {
	struct query_trace *trace;
	struct scan_wants wants;
	struct scan_cursor *cursors;
	size_t n_cursors;
	struct scan_cursor **heap; /* the earliest first */
	size_t n_heap;
	uint64_t n_walked;
	struct record rec; /* event, task and extra are not set */
	int id;		   /* of the event; -1: the record is too short */
	int64_t missed;	   /* events lost before it; -1: an unknown number */
	uint64_t place;	   /* unique in the trace: file, sub-buffer, position */
	uint16_t file;
};

int scan_open(struct scan *s, struct query_trace *t, const struct scan_wants *wants);
void scan_close(struct scan *s);
/* Skips the sub-buffers of a new stream that end before a time; cpu: the index in the buffer. */
void scan_skip_to(struct pagestream *ps, const struct source_config *config, size_t cpu,
		  uint64_t from);
/* Returns 1, 0 at the end, -EINTR if the query is stopped, or another negative errno. */
int scan_next(struct scan *s);

/*
 * The place of a record is its id in all tables: known without reading what comes before it, and
 * enough to find it again (finder.h).
 */
struct scan_place {
	uint32_t file, stream; /* the stream counts the CPUs of all sources */
	uint64_t n_page;       /* sub-buffer */
	size_t position;       /* of the record's data in it, in bytes */
};
static inline uint64_t scan_place(uint32_t file, uint32_t stream, uint64_t n_page, size_t position)
{
	return (uint64_t)(file & 0xff) << 55 | (uint64_t)(stream & 0xfff) << 43 |
	       (n_page & 0xfffffff) << 15 | ((position >> 2) & 0x7fff);
}
static inline struct scan_place scan_place_parts(uint64_t place)
{
	return (struct scan_place){(place >> 55) & 0xff, (place >> 43) & 0xfff,
				   (place >> 15) & 0xfffffff, (place & 0x7fff) << 2};
}

/* The task of the record. */
static inline int scan_tid(const struct scan *s)
{
	const struct formats *f = s->trace->in->files[s->file].formats;

	return formats_common(f, &f->pid, s->rec.data, s->rec.size);
}

#endif
