// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sidecar_check.c - checks a sidecar file. The file is mapped and used in place, so it must not
 * refer to memory outside.
 *
 * There are two checks. A sum shows whether the bytes are those that were written. Independent of
 * the sum, every number that is used as an index or a length is compared with its bounds. Both
 * together read the file once, at about 5 GB/s per thread.
 */
#include "base/array.h"
#include "format/bytes.h"
#include "timeline/index/sidecar_int.h"

#include <stdio.h>
#include <string.h>

#define LANES 4

uint64_t sidecar_sum(const void *data, size_t n_bytes)
{
	static const uint64_t prime = 0x9e3779b185ebca87u;
	uint64_t h[LANES] = {1, 2, 3, 4}, all = n_bytes;
	const uint8_t *p = data;

	for (; n_bytes >= LANES * 8; n_bytes -= LANES * 8, p += LANES * 8)
		for (int i = 0; i < LANES; i++) {
			uint64_t word;

			memcpy(&word, p + i * 8, 8);
			h[i] = (h[i] ^ word) * prime;
			h[i] ^= h[i] >> 29;
		}
	for (; n_bytes; n_bytes--, p++)
		h[n_bytes % LANES] = (h[n_bytes % LANES] ^ *p) * prime;
	for (int i = 0; i < LANES; i++)
		all = (all ^ h[i] ^ h[i] >> 32) * prime;
	return all;
}

void sidecar_build_id(char build[32])
{
	memset(build, 0, 32);
	snprintf(build, 32, "%s %d %zu.%zu.%zu.%d", SONDE_VERSION, SIDECAR_VERSION,
		 sizeof(struct sidecar_head), sizeof(struct sidecar_segment),
		 sizeof(struct sched_block), SEGMENT_BYTES >> 20);
}

static size_t count_segments(const struct timeline *tl)
{
	size_t n = 0;

	for (uint32_t i = 0; i < tl->n_streams; i++)
		n += tl->streams[i]->n_segments;
	return n;
}

static bool check_kinds(const struct timeline *tl, struct piece map)
{
	const struct sidecar_kind *k = sidecar_kinds(map);

	return !ARRAY_ANY(sidecar_head(map)->n_kinds, i, k[i].table >= tl->n_kindtables);
}

static bool check_tasks(const struct timeline *tl, struct piece map)
{
	const struct sidecar_task *t = sidecar_tasks(map);

	return !ARRAY_ANY(sidecar_head(map)->n_tasks, i,
			  t[i].machine >= tl->n_machines || t[i].comm[TASK_COMM_BYTES - 1]);
}

bool sidecar_check_tables(const struct timeline *tl, struct piece map, const uint8_t *key)
{
	struct sidecar_head head;
	uint64_t n, sum;
	char build[32];

	if (map.len < sizeof(head))
		return false;
	memcpy(&head, map.data, sizeof(head));
	sidecar_build_id(build);
	if (memcmp(head.magic, SIDECAR_MAGIC, sizeof(head.magic)) ||
	    memcmp(head.build, build, sizeof(build)) || memcmp(head.key, key, sizeof(head.key)))
		return false;
	n = sizeof(head) + (uint64_t)head.n_machines * sizeof(struct sidecar_machine) +
	    (uint64_t)head.n_kinds * sizeof(struct sidecar_kind) +
	    (uint64_t)head.n_tasks * sizeof(struct sidecar_task) +
	    (uint64_t)head.n_segments * sizeof(struct sidecar_segment);
	if (head.n_bytes != map.len || head.tables_bytes != n || n > map.len ||
	    head.n_machines != tl->n_machines || head.n_kinds > TIMELINE_NO_KIND ||
	    head.n_tasks > TASKS_MAX || head.n_segments != count_segments(tl))
		return false;
	sum = head.sum;
	head.sum = 0;
	if (sum != (sidecar_sum(&head, sizeof(head)) ^
		    sidecar_sum(map.data + sizeof(head), n - sizeof(head))))
		return false;
	return check_kinds(tl, map) && check_tasks(tl, map);
}

/* --- segments --------------------------------------------------------------------------------- */

/* Returns true if all values are below n, or UINT16_MAX. */
static bool check_column(const uint16_t *values, uint32_t n_values, uint32_t n)
{
	uint16_t bad = 0, limit = n;

	for (uint32_t i = 0; i < n_values; i++)
		bad |= (values[i] >= limit) & (values[i] != UINT16_MAX);
	return !bad;
}

static bool check_pages(const struct index_segment *seg, uint8_t ref_shift)
{
	uint32_t most = UINT32_C(1) << ref_shift;

	if (seg->page_first[0] || seg->page_first[seg->n_pages] != seg->n_events)
		return false;
	return !ARRAY_ANY(seg->n_pages, i,
			  seg->page_first[i + 1] < seg->page_first[i] ||
				  seg->page_first[i + 1] - seg->page_first[i] > most ||
				  seg->page_shift[i] > 32);
}

static bool check_sched(const struct sched_list *sl, uint32_t n_tasks, unsigned max_flags)
{
	bool bad = false;

	if (sl->n_blocks > sl->n || !sl->n != !sl->n_blocks || (sl->n && sl->blocks[0].first))
		return false;
	for (uint32_t i = 1; i < sl->n_blocks; i++)
		if (sl->blocks[i].first <= sl->blocks[i - 1].first || sl->blocks[i].first >= sl->n)
			return false;
	for (uint32_t i = 0; i < sl->n; i++) {
		uint16_t a = sl->entries[i] >> 16, b = sl->entries[i];

		bad |= (a >= n_tasks && a != UINT16_MAX) | (b >= n_tasks && b != UINT16_MAX) |
		       ((sl->entries[i] >> 32 & 15) > max_flags);
	}
	return !bad;
}

static bool lies_within(struct piece map, uint64_t at, uint64_t n_bytes)
{
	return !(at % 8) && at <= map.len && n_bytes <= map.len - at;
}

bool sidecar_check_segment(const struct timeline *tl, struct piece map,
			   const struct sidecar_segment *row, const struct index_segment *seg)
{
	const struct stream *st = tl->streams[seg->stream];
	uint32_t n_kinds = sidecar_head(map)->n_kinds, n_tasks = sidecar_head(map)->n_tasks;
	struct index_segment view = {.n_pages = seg->n_pages};
	uint64_t sum;

	if (row->stream != seg->stream || row->first_page != seg->first_page ||
	    row->n_pages != seg->n_pages || row->n_events > (uint64_t)seg->n_pages << st->ref_shift)
		return false;
	if (!lies_within(map, row->at, row->n_bytes) ||
	    !lies_within(map, row->pages_at, sidecar_pages_bytes(row->n_pages)) ||
	    segment_layout(&view, NULL, row->n_events, row->n_sched) != row->n_bytes)
		return false;
	sum = sidecar_sum(map.data + row->at, row->n_bytes) ^
	      sidecar_sum(map.data + row->pages_at, sidecar_pages_bytes(row->n_pages));
	if (sum != row->sum)
		return false;
	segment_layout(&view, (uint8_t *)map.data + row->at, row->n_events, row->n_sched);
	return check_pages(&view, st->ref_shift) &&
	       check_column(view.kinds, view.n_events, n_kinds) &&
	       check_column(view.tasks, view.n_events, n_tasks) &&
	       check_sched(&view.switches, n_tasks, SWITCH_FLAGS_MAX) &&
	       check_sched(&view.wakings, n_tasks, 15);
}
