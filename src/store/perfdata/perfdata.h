/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perfdata.h - an opened perf.data: its events, its features, and its records in the order of time.
 *
 *	perfdata_open ─▶ perfdata_next … ─▶ perfdata_close
 *	                   └ perfdata_parse_sample, perfdata_parse_trailer
 *
 * The three forms of perf.data (file, pipe, compressed records) look the same here. What can be
 * read of a truncated or damaged file is kept, and `damage` says what is missing. Everything points
 * into the file or into memory of struct perfdata, and is valid until perfdata_close(). One owner.
 */
#ifndef SONDE_STORE_PERFDATA_PERFDATA_H
#define SONDE_STORE_PERFDATA_PERFDATA_H

#include "base/arena.h"
#include "base/files/mapfile.h"
#include "base/map.h"
#include "format/bytes.h"
#include "format/perfdata.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct errmsg;

#define PERFDATA_DAMAGE_MAX 16

/* What was asked of the kernel. */
struct perfdata_event {
	struct perf_event_attr attr; /* fields that the file does not have are 0 */
	const char *name;	     /* as perf names it; never NULL */
	uint64_t *ids;
	size_t n_ids;
};

/* A record of the kernel with its time; 0: made before the recording. */
struct perfdata_record {
	uint64_t time_ns;
	const uint8_t *at; /* u32 type, u16 misc, u16 bytes */
	uint64_t order;	   /* in the file */
};

struct perfdata_chunk;

struct perfdata {
	const char *path;
	struct mapfile map;
	struct arena arena;
	bool is_pipe, is_compressed;
	bool is_borrowed; /* the bytes belong to the caller */
	struct perfdata_event *events;
	size_t n_events, cap_events;
	struct map by_id;			      /* event + 1, by id */
	struct map cpu_of_id;			      /* CPU + 1, by id, of ID_INDEX */
	struct piece features[SNF_PERF_FEATURES_MAX]; /* data NULL: none */
	struct perfdata_record *records;
	size_t n_records, cap_records, next;
	struct perfdata_chunk *chunks; /* what COMPRESSED records have */
	struct piece *piped_ids;       /* records BUILD_ID of a pipe */
	size_t n_piped_ids, cap_piped_ids;
	uint64_t n_of_type[SNF_PERF_RECORD_MAX]; /* records read */
	uint64_t data_offset, data_bytes;
	const char *damage[PERFDATA_DAMAGE_MAX];
	size_t n_damage;
};

/*
 * Returns true if the file begins as a perf.data does, of either byte order. Does not touch pipes and
 * devices.
 */
bool perfdata_is_file(const char *path);
/*
 * Opens a file. Returns -EBADMSG if it is not a perf.data or has nothing to read, -ENOTSUP for
 * forms that sonde does not read, with the remedy.
 */
int perfdata_open(struct perfdata *pd, const char *path, struct errmsg *err);
/* Like perfdata_open(), for bytes that the caller keeps. */
int perfdata_open_memory(struct perfdata *pd, const char *path, struct piece bytes,
			 struct errmsg *err);
void perfdata_close(struct perfdata *pd);

/* The next record in the order of time, or NULL. */
const struct perfdata_record *perfdata_next(struct perfdata *pd);

static inline uint32_t perfdata_type(const struct perfdata_record *r)
{
	return bytes_get32(r->at, false);
}
static inline uint16_t perfdata_misc(const struct perfdata_record *r)
{
	return bytes_get16(r->at + 4, false);
}
/* What follows the head of the record. */
static inline struct piece perfdata_body(const struct perfdata_record *r)
{
	return (struct piece){r->at + SNF_PERF_RECORD_HEAD,
			      bytes_get16(r->at + 6, false) - (size_t)SNF_PERF_RECORD_HEAD};
}

struct perfdata_read_value {
	uint64_t id, value;
};

/* A sample. What its event does not have is 0 or empty; pid, tid and cpu are then -1. */
struct perfdata_sample {
	const struct perfdata_event *event;
	uint64_t id, ip, time_ns, addr, stream_id, period;
	int32_t pid, tid, cpu;
	struct piece read;  /* as attr.read_format says */
	struct piece chain; /* u64 each, with PERF_CONTEXT_… between them */
	struct piece raw;
	uint64_t n_branches;
	struct piece branches; /* 24 bytes each */
	uint64_t regs_abi;     /* PERF_SAMPLE_REGS_ABI_…; 0: none */
	struct piece regs;     /* u64 each, for the bits of attr.sample_regs_user */
	struct piece stack;    /* the copy of the user's stack, as much as was copied */
	uint64_t weight, data_src, transaction, phys_addr;
	uint16_t misc;
};

/* Returns -EBADMSG if the record is too short for its event, or its event is unknown. */
int perfdata_parse_sample(const struct perfdata *pd, const struct perfdata_record *r,
			  struct perfdata_sample *ret);

/* What the end of another record of the kernel says. -1, 0: unknown. */
struct perfdata_trailer {
	const struct perfdata_event *event;
	int32_t pid, tid, cpu;
	uint64_t time_ns, id, stream_id;
	size_t n_bytes; /* of it */
};
void perfdata_parse_trailer(const struct perfdata *pd, const uint8_t *record,
			    struct perfdata_trailer *ret);

/*
 * Visits the values of sample->read; time_enabled and time_running are skipped. A value without an
 * id has the sample's.
 */
int perfdata_each_value(const struct perfdata_sample *s,
			int (*visit)(void *ctx, const struct perfdata_read_value *v), void *ctx);

/* A text feature (HOSTNAME …), or NULL. */
const char *perfdata_text(struct perfdata *pd, enum snf_perf_feature feature);

/*
 * The group of events that an event leads: it and those behind it. Returns their number, 0: none.
 * *ret_name: NULL: it has none.
 */
size_t perfdata_group(struct perfdata *pd, size_t event, const char **ret_name);

struct perfdata_build_id {
	const char *path;
	uint8_t id[SNF_PERF_BUILD_ID_BYTES];
	uint8_t n_bytes;
	uint16_t misc, n_record;
};
/* The next entry of the feature BUILD_ID; *pos begins at 0. False: no more. */
bool perfdata_next_build_id(struct perfdata *pd, size_t *pos, struct perfdata_build_id *ret);

#endif
