/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sidecar_int.h - the format of the sidecar file, for the code that writes and checks it.
 *
 *	head │ machines │ kinds │ tasks │ segments │ for each segment: page times, fills, blob
 *
 * Numbers have this machine's byte order; every part begins at a multiple of 8. A segment's blob is
 * byte for byte what segment.c keeps in memory, so it can be used in place.
 */
#ifndef SONDE_TIMELINE_INDEX_SIDECAR_INT_H
#define SONDE_TIMELINE_INDEX_SIDECAR_INT_H

#include "base/sha256.h"
#include "format/bytes.h"
#include "timeline/timeline_int.h"

#define SIDECAR_MAGIC	"sonde index v1\n"
#define SIDECAR_VERSION 3

struct sidecar_head {
	char magic[16];
	char build[32];		   /* version of the program, sizes of the structs */
	uint8_t key[SHA256_BYTES]; /* key of the trace files */
	uint64_t n_bytes;	   /* size of the whole file */
	uint64_t tables_bytes;	   /* size of head and tables */
	uint32_t n_machines, n_kinds, n_tasks, n_segments;
	uint64_t n_events;
	uint64_t sum; /* sum of head and tables, computed with 0 here */
};

struct sidecar_machine {
	uint64_t has;
};

struct sidecar_kind {
	uint64_t n_events;
	int32_t id;
	uint32_t table;
};

struct sidecar_task {
	int32_t pid, tgid;
	uint32_t machine, unused;
	char comm[TASK_COMM_BYTES];
	uint64_t n_events, running_ns, first, last;
};

struct sidecar_segment {
	uint64_t at, n_bytes; /* position and size of the blob */
	uint64_t pages_at;    /* position of the pages' times, which the fills follow */
	uint64_t sum;	      /* sum of blob and pages */
	uint64_t first_page, last_ts;
	uint32_t stream, n_pages, n_events;
	uint32_t n_sched[4]; /* numbers for segment_layout() */
	uint32_t unused;
};

static inline size_t sidecar_pages_bytes(uint32_t n_pages)
{
	return (((size_t)n_pages * 8 + (size_t)n_pages * 2) + 7) & ~(size_t)7;
}

/* sidecar_check.c */
uint64_t sidecar_sum(const void *data, size_t n_bytes);
/* Returns true if head and tables of a mapped file are consistent and match tl. */
bool sidecar_check_tables(const struct timeline *tl, struct piece map, const uint8_t *key);
/* Returns true if a segment is complete, and everything in it is within its bounds. */
bool sidecar_check_segment(const struct timeline *tl, struct piece map,
			   const struct sidecar_segment *row, const struct index_segment *seg);
void sidecar_build_id(char build[32]);

static inline const struct sidecar_head *sidecar_head(struct piece map)
{
	return (const void *)map.data;
}
static inline const struct sidecar_machine *sidecar_machines(struct piece map)
{
	return (const void *)(map.data + sizeof(struct sidecar_head));
}
static inline const struct sidecar_kind *sidecar_kinds(struct piece map)
{
	return (const void *)(sidecar_machines(map) + sidecar_head(map)->n_machines);
}
static inline const struct sidecar_task *sidecar_tasks(struct piece map)
{
	return (const void *)(sidecar_kinds(map) + sidecar_head(map)->n_kinds);
}
static inline const struct sidecar_segment *sidecar_segments(struct piece map)
{
	return (const void *)(sidecar_tasks(map) + sidecar_head(map)->n_tasks);
}

#endif
