// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * records.c - reads all records of a perf.data, and sorts those of the kernel by time.
 *
 *  data ─┬─▶ records of the kernel ──────────────▶ an index: time, place, order in the file ─▶ sort
 *        ├─▶ COMPRESSED ─▶ zstd ─▶ such records ──▲
 *        └─▶ records of perf: attributes, features, names, ids; the rest is counted
 *
 * perf writes what one CPU's ring has, then the next one's: the order of the file is not that of
 * time. perf itself sorts in rounds (FINISHED_ROUND), which needs less memory; an index of all
 * records (24 bytes each, usually a quarter of the file) needs no trust in rounds. Records of the
 * same time keep their order. Records without a time come first: perf writes them for what existed
 * before.
 *
 * A pipe has no length in its head, so one that was cut between two records looks complete. But
 * perf ends each round of samples with FINISHED_ROUND: samples behind the last one mean that the
 * rest is missing.
 *
 * All COMPRESSED records together are one zstd stream, and a record may begin in one and end in the
 * next: what is left of a chunk is put in front of the next one.
 */
#include "base/array.h"
#include "base/scope.h"
#include "format/perfdata.h"
#include "store/perfdata/perfdata_int.h"

#include <stdlib.h>
#include <zstd.h>

#define RECORDS_MAX	   (1u << 30)
#define UNPACKED_MAX_BYTES (4ull << 30)
#define CHUNK_STEP	   (256u << 10)

struct perfdata_chunk {
	struct perfdata_chunk *next;
	uint8_t *data;
	size_t n_bytes, n_used; /* behind n_used: the beginning of a record */
};

struct reading {
	struct perfdata *pd;
	ZSTD_DStream *stream;
	uint64_t n_unpacked;
	bool stopped;  /* the stream of compressed records is damaged */
	bool is_full;  /* memory ran out */
	bool in_round; /* there were samples since the last FINISHED_ROUND */
};

static void release(struct reading *rd)
{
	ZSTD_freeDStream(rd->stream);
}

void perfdata_free_chunks(struct perfdata *pd)
{
	while (pd->chunks) {
		struct perfdata_chunk *c = pd->chunks;

		pd->chunks = c->next;
		free(c->data);
		free(c);
	}
}

/*
 * --- records of the kernel ---------------------------------------------------------------------
 */

static void add_record(struct reading *rd, const uint8_t *at)
{
	struct perfdata *pd = rd->pd;
	uint32_t type = bytes_get32(at, false);
	struct perfdata_record rec = {.at = at, .order = pd->n_records};

	if (type == PERF_RECORD_SAMPLE) {
		struct perfdata_sample s;

		if (perfdata_parse_sample(pd, &rec, &s) < 0) {
			perfdata_add_damage(pd,
					    "%s has samples that do not fit their event; sonde "
					    "ignores them",
					    pd->path);
			return;
		}
		rec.time_ns = s.time_ns;
		rd->in_round = true;
	} else {
		struct perfdata_trailer t;

		perfdata_parse_trailer(pd, at, &t);
		rec.time_ns = t.time_ns == UINT64_MAX ? 0 : t.time_ns;
	}
	if (!ARRAY_ROOM(pd->records, pd->cap_records, pd->n_records + 1, RECORDS_MAX)) {
		rd->is_full = true;
		return;
	}
	pd->records[pd->n_records++] = rec;
}

ARRAY_ORDER(by_time, struct perfdata_record,
	    COMPARE(x->time_ns, y->time_ns) ?: COMPARE(x->order, y->order))

static void sort(struct perfdata *pd)
{
	for (size_t i = 1; i < pd->n_records; i++)
		if (pd->records[i].time_ns < pd->records[i - 1].time_ns) {
			qsort(pd->records, pd->n_records, sizeof(*pd->records), by_time);
			return;
		}
}

const struct perfdata_record *perfdata_next(struct perfdata *pd)
{
	return pd->next < pd->n_records ? &pd->records[pd->next++] : NULL;
}

/*
 * --- compressed records ------------------------------------------------------------------------
 */

/* Unpacks into c, behind what it has. Returns false if the stream is damaged or too long. */
static bool unpack_chunk(struct reading *rd, struct perfdata_chunk *c, struct piece in)
{
	ZSTD_inBuffer from = {in.data, in.len, 0};
	size_t cap = c->n_bytes;

	for (;;) {
		ZSTD_outBuffer to;
		size_t r;

		if (cap - c->n_bytes < CHUNK_STEP) {
			uint8_t *grown = realloc(c->data, cap + 2 * CHUNK_STEP);

			if (!grown) {
				rd->is_full = true;
				return false;
			}
			c->data = grown;
			cap += 2 * CHUNK_STEP;
		}
		to = (ZSTD_outBuffer){c->data, cap, c->n_bytes};
		r = ZSTD_decompressStream(rd->stream, &to, &from);
		if (ZSTD_isError(r))
			return false;
		rd->n_unpacked += to.pos - c->n_bytes;
		c->n_bytes = to.pos;
		if (rd->n_unpacked > UNPACKED_MAX_BYTES)
			return false;
		if (from.pos == from.size && to.pos < to.size)
			return true;
	}
}

static void index_chunk(struct reading *rd, struct perfdata_chunk *c)
{
	while (c->n_bytes - c->n_used >= SNF_PERF_RECORD_HEAD) {
		const uint8_t *at = c->data + c->n_used;
		size_t n = bytes_get16(at + 6, false);

		if (n < SNF_PERF_RECORD_HEAD) {
			rd->stopped = true;
			return;
		}
		if (n > c->n_bytes - c->n_used)
			return;
		if (bytes_get32(at, false) < SNF_PERF_ATTR) {
			rd->pd->n_of_type[bytes_get32(at, false)]++;
			add_record(rd, at);
		}
		c->n_used += n;
	}
}

static void read_compressed(struct reading *rd, struct piece body)
{
	struct perfdata *pd = rd->pd;
	struct perfdata_chunk *last = pd->chunks, *c;
	size_t n_left = last ? last->n_bytes - last->n_used : 0;

	if (rd->stopped)
		return;
	pd->is_compressed = true;
	if (!rd->stream)
		rd->stream = ZSTD_createDStream();
	c = rd->stream ? calloc(1, sizeof(*c)) : NULL;
	if (c)
		c->data = malloc(n_left + CHUNK_STEP);
	if (!c || !c->data) {
		free(c);
		rd->is_full = true;
		return;
	}
	if (n_left)
		memcpy(c->data, last->data + last->n_used, n_left);
	c->n_bytes = n_left;
	c->next = pd->chunks;
	pd->chunks = c;
	if (!unpack_chunk(rd, c, body))
		rd->stopped = true;
	index_chunk(rd, c);
	if (rd->stopped)
		perfdata_add_damage(pd,
				    "%s has compressed records that cannot be unpacked; sonde "
				    "ignores them and those behind",
				    pd->path);
}

/* u64 length; then the bytes, and zeros up to a multiple of 8. */
static void read_compressed2(struct reading *rd, struct piece body)
{
	uint64_t n = body.len >= 8 ? bytes_get64(body.data, false) : 0;

	if (body.len >= 8)
		read_compressed(rd,
				(struct piece){body.data + 8, n < body.len - 8 ? n : body.len - 8});
}

/*
 * --- records of perf ---------------------------------------------------------------------------
 */

/* In a pipe: the attribute, whose length is its second word, and its ids. */
static void read_attr(struct reading *rd, struct piece body)
{
	uint32_t n = body.len >= 8 ? bytes_get32(body.data + 4, false) : 0;
	struct perfdata_event *e;

	if (n < SNF_PERF_ATTR_MIN_BYTES)
		n = SNF_PERF_ATTR_MIN_BYTES;
	if (n > body.len)
		return;
	e = perfdata_add_event(rd->pd, (struct piece){body.data, n});
	if (!e || perfdata_add_ids(rd->pd, e, (struct piece){body.data + n, body.len - n}) < 0)
		rd->is_full = true;
}

static void read_feature(struct reading *rd, struct piece body)
{
	uint64_t id = body.len >= 8 ? bytes_get64(body.data, false) : 0;

	if (id && id < SNF_PERF_FEATURES_MAX)
		rd->pd->features[id] = (struct piece){body.data + 8, body.len - 8};
}

static void read_update(struct reading *rd, struct piece body)
{
	struct byte_reader r = {body.data, body.data + body.len, false, false};
	uint64_t what = byte_reader_take_number(&r, 8);
	const struct perfdata_event *e = perfdata_event_of(rd->pd, byte_reader_take_number(&r, 8));

	if (!r.failed && e && what == SNF_PERF_UPDATE_NAME)
		perfdata_set_name(rd->pd, &rd->pd->events[e - rd->pd->events], (const char *)r.pos,
				  strnlen((const char *)r.pos, byte_reader_left(&r)));
}

static void read_id_index(struct reading *rd, struct piece body)
{
	enum { each = 32 };
	uint64_t n = body.len >= 8 ? bytes_get64(body.data, false) : 0;

	for (uint64_t i = 0; i < n && 8 + (i + 1) * each <= body.len; i++) {
		const uint8_t *at = body.data + 8 + i * each;
		uint64_t cpu = bytes_get64(at + 16, false);
		void **slot = cpu < INT32_MAX ? map_take(&rd->pd->cpu_of_id, bytes_get64(at, false),
							 PERFDATA_IDS_MAX)
					      : NULL;

		if (slot)
			*slot = (void *)(uintptr_t)(cpu + 1);
	}
}

static void read_build_id(struct reading *rd, struct piece body)
{
	struct perfdata *pd = rd->pd;

	if (!ARRAY_ROOM(pd->piped_ids, pd->cap_piped_ids, pd->n_piped_ids + 1, PERFDATA_IDS_MAX))
		rd->is_full = true;
	else
		pd->piped_ids[pd->n_piped_ids++] = (struct piece){body.data - SNF_PERF_RECORD_HEAD,
								  body.len + SNF_PERF_RECORD_HEAD};
}

static const struct {
	uint32_t type;
	void (*read)(struct reading *rd, struct piece body);
} kinds[] = {
	{SNF_PERF_ATTR, read_attr},
	{SNF_PERF_BUILD_ID, read_build_id},
	{SNF_PERF_ID_INDEX, read_id_index},
	{SNF_PERF_EVENT_UPDATE, read_update},
	{SNF_PERF_FEATURE, read_feature},
	{SNF_PERF_COMPRESSED, read_compressed},
	{SNF_PERF_COMPRESSED2, read_compressed2},
};

/* The number of bytes behind the record that belong to it, which its length does not count. */
static uint64_t extra_bytes(struct perfdata *pd, uint32_t type, struct piece body,
			    const uint8_t *end)
{
	const uint8_t *behind = body.data + body.len;
	uint64_t left = (uint64_t)(end - behind), n = 0;

	if (type == SNF_PERF_TRACING_DATA && body.len >= 4) {
		n = bytes_get32(body.data, false);
		if (n <= left)
			pd->features[SNF_PERF_FEAT_TRACING_DATA] = (struct piece){behind, n};
		n = (n + 7) & ~(uint64_t)7;
	} else if (type == SNF_PERF_AUXTRACE && body.len >= 8) {
		n = bytes_get64(body.data, false);
	}
	if (n > left)
		perfdata_add_damage(pd,
				    "%s is truncated: %llu bytes of its last record are missing",
				    pd->path, (unsigned long long)(n - left));
	return n < left ? n : left;
}

/* Reads one record. Returns its length with everything that belongs to it; 0: there is none. */
static uint64_t read_record(struct reading *rd, const uint8_t *at, const uint8_t *end)
{
	struct perfdata *pd = rd->pd;
	uint32_t type = bytes_get32(at, false);
	uint16_t n = bytes_get16(at + 6, false);
	struct piece body = {at + SNF_PERF_RECORD_HEAD, n - (size_t)SNF_PERF_RECORD_HEAD};

	if (n < SNF_PERF_RECORD_HEAD || n > (uint64_t)(end - at))
		return 0;
	if (type < SNF_PERF_RECORD_MAX)
		pd->n_of_type[type]++;
	if (type < SNF_PERF_ATTR)
		add_record(rd, at);
	if (type == SNF_PERF_FINISHED_ROUND)
		rd->in_round = false;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (kinds[i].type == type)
			kinds[i].read(rd, body);
	return n + extra_bytes(pd, type, body, end);
}

int perfdata_read_records(struct perfdata *pd, struct errmsg *err)
{
	SCOPED(release) struct reading rd = {.pd = pd};
	const uint8_t *at = pd->map.data + pd->data_offset, *end = at + pd->data_bytes;

	while (!rd.is_full && end - at >= SNF_PERF_RECORD_HEAD) {
		uint64_t n = read_record(&rd, at, end);

		if (!n)
			break;
		at += n;
	}
	if (rd.is_full)
		return errmsg_set_errno(err, -ENOMEM, "cannot read the records of %s", pd->path);
	if (at != end)
		perfdata_add_damage(pd,
				    "%s is truncated or damaged at byte %zu: sonde ignores the "
				    "records from there on",
				    pd->path, (size_t)(at - pd->map.data));
	else if (pd->is_pipe && rd.in_round)
		perfdata_add_damage(pd,
				    "%s is truncated: the mark FINISHED_ROUND behind its last "
				    "samples is missing",
				    pd->path);
	if (!pd->n_events)
		return errmsg_set(err, -EBADMSG,
				  "%s describes no events: it is truncated before its first one",
				  pd->path);
	sort(pd);
	return 0;
}
