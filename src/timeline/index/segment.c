// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * segment.c - walks the records of a segment and stores their index.
 *
 *	records ──▶ scratch of the thread: columns, switches, wakings, sums for each task and kind
 *	                 │                                    │
 *	                 ▼ exactly as large as needed         ▼ under the timeline's lock
 *	            blob of the segment                  tables of kinds and tasks
 *
 *	blob   page_first u32[n_pages + 1] │ page_bits u64[n_pages] │
 *	       switch entries u64 │ blocks │ waking entries u64 │ blocks │
 *	       kinds u16[n] │ tasks u16[n] │ places u16[n] │ page_shift u8[n_pages]
 *	       each part begins at a multiple of 8
 *
 * A thread's scratch has room for the largest possible segment (one record in 8 bytes), so the loop
 * neither checks nor grows anything; untouched parts take no memory. Packed and live segments are
 * first loaded as a whole (4 MB); then the times of their pages become exact, too.
 *
 * Cost: about 10 ns per record.
 */
#include "base/scope.h"
#include "decode/formats/formats.h"
#include "format/bytes.h"
#include "store/tracefile.h"
#include "timeline/timeline_int.h"

#include "base/shortage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CLONE_THREAD_FLAG 0x10000
#define TASK_CACHE	  64 /* number of cached pids; a power of two */
/* Maximum of entries in the list of switches for one event: a gap, a seen task, a switch. */
#define ENTRIES_AN_EVENT  3

struct task_sum {
	uint32_t n_events;
	uint16_t is_touched, comm_len; /* comm_len 0: no name found */
	uint64_t first, last, comm_ts;
	char comm[TASK_COMM_BYTES];
};

struct thread_note {
	uint16_t task;
	int parent; /* pid of the parent, or of the task itself if it is not a thread */
};

#define THREAD_NOTES_MAX 4096 /* limit per segment */

struct indexer {
	uint16_t *kinds, *tasks, *places;
	struct sched_builder switches, wakings;
	size_t room; /* maximum number of events */
	uint32_t *page_first;
	uint64_t *page_bits;
	uint8_t *page_shift;
	size_t page_room, bits_room, shift_room;
	uint8_t *bytes; /* bytes of a packed or live segment */
	size_t bytes_room;

	struct task_sum *sums; /* TASKS_MAX + 1 sums */
	uint16_t *touched;
	uint32_t n_touched;
	uint32_t *kind_counts; /* UINT16_MAX + 1 counts */
	struct thread_note *notes;
	uint32_t n_notes;
	struct {
		uint64_t key; /* the pid with a 1 above it; 0: empty */
		uint16_t task;
	} cache[TASK_CACHE];
	uint32_t cache_machine;

	/* the current segment */
	struct timeline *tl;
	struct stream *st;
	const struct formats *formats;
	struct kindtable *kt;
	struct kind_info *odd; /* the last kind that is not in the table */
	uint8_t has;	       /* roles found so far */
	/* the running task: see note_sign() */
	uint16_t running, leaving;
	bool is_begun, has_switches;
	uint64_t sign_ts, switch_ts;
	bool is_lost; /* events were lost before the next event */
	uint64_t last_ts;
	uint32_t n;
	uint32_t n_uncounted;
	uint64_t n_lost;
};

/* --- tasks ------------------------------------------------------------------------------------ */

static inline uint16_t find_task(struct indexer *ix, int pid)
{
	uint64_t key = (uint64_t)(uint32_t)pid | UINT64_C(1) << 32;
	size_t i = (uint32_t)pid % TASK_CACHE;

	if (__builtin_expect(ix->cache[i].key != key, 0)) {
		ix->cache[i].task = tasktable_get(ix->tl, ix->st->machine, pid);
		ix->cache[i].key = key;
	}
	return ix->cache[i].task;
}

static inline struct task_sum *touch(struct indexer *ix, uint16_t task, uint64_t ts)
{
	struct task_sum *sum = &ix->sums[task];

	if (__builtin_expect(!sum->is_touched, 0)) {
		sum->is_touched = 1;
		sum->first = ts;
		ix->touched[ix->n_touched++] = task;
	}
	sum->last = ts;
	return sum;
}

static struct piece text_of(const struct text_field *f, const struct walked *rec, bool swap)
{
	uint64_t offset = f->offset, len = f->size;

	if (offset + len > rec->size)
		return PIECE_EMPTY;
	if (f->is_dynamic) {
		uint64_t v = bytes_get(rec->data + offset, f->size, swap);

		offset = (v & 0xffff) + (f->is_relative ? offset + f->size : 0);
		len = v >> 16 & 0xffff;
		if (offset + len > rec->size)
			return PIECE_EMPTY;
	}
	return (struct piece){rec->data + offset, len};
}

static void learn_name(struct indexer *ix, uint16_t task, uint64_t ts, struct piece text)
{
	struct task_sum *sum = touch(ix, task, ts);
	size_t len = text.len < TASK_COMM_BYTES ? text.len : TASK_COMM_BYTES - 1;

	memcpy(sum->comm, text.data, len);
	sum->comm_len = len;
	sum->comm_ts = ts;
}

/* Returns the last part of a program's path, after which the kernel names the task. */
static struct piece base_name(struct piece path)
{
	const uint8_t *nul = path.len ? memchr(path.data, 0, path.len) : NULL;
	const uint8_t *slash;

	if (nul)
		path.len = nul - path.data;
	slash = path.len ? memrchr(path.data, '/', path.len) : NULL;
	if (slash)
		path = (struct piece){slash + 1, path.data + path.len - slash - 1};
	if (path.len > 15)
		path.len = 15;
	return path;
}

static void learn_names(struct indexer *ix, const struct kind_info *k, const struct walked *rec,
			uint64_t ts)
{
	bool swap = ix->formats->swap;

	for (uint8_t i = 0; i < k->n_names; i++) {
		const struct name_pair *p = &k->names[i];
		struct piece text = text_of(&p->comm, rec, swap);
		int pid = number_field_get(&p->pid, rec->data, rec->size, swap);

		if (k->role == KIND_EXEC)
			text = base_name(text);
		if (text.len && text.data[0])
			learn_name(ix, find_task(ix, pid), ts, text);
	}
}

/* --- scheduling ------------------------------------------------------------------------------- */

static void add_sign(struct indexer *ix, uint64_t ts, uint16_t a, uint16_t b, uint8_t flags)
{
	sched_builder_add(&ix->switches,
			  &(struct sched_item){.ts = ts, .a = a, .b = b, .flags = flags});
}

/*
 * Handles an event of a task that should not run: its switch is missing. The task before it ran
 * until its last event. Exception: after a switch, until the kernel sets `current` to the next
 * task, some events (functions, TLB flushes) still have the pid of the previous task.
 */
static __attribute__((noinline)) void note_other(struct indexer *ix, uint16_t task, uint64_t ts,
						 bool is_lost)
{
	if (!is_lost && ix->is_begun && task == ix->leaving && ts - ix->switch_ts < LEAVING_NS)
		return;
	if (!ix->is_begun) {
		add_sign(ix, ts, TIMELINE_NO_TASK, task, is_lost ? SWITCH_RESTART : SWITCH_START);
	} else {
		add_sign(ix, ix->sign_ts, ix->running, TIMELINE_NO_TASK, SWITCH_GAP);
		add_sign(ix, ts, TIMELINE_NO_TASK, task, SWITCH_SEEN);
	}
	ix->is_begun = true;
	ix->running = task;
	ix->leaving = TIMELINE_NO_TASK;
	ix->sign_ts = ts;
}

static inline void note_sign(struct indexer *ix, uint16_t task, uint64_t ts, bool is_lost)
{
	if (__builtin_expect(task != ix->running || is_lost || !ix->is_begun, 0)) {
		note_other(ix, task, ts, is_lost);
		return;
	}
	ix->leaving = TIMELINE_NO_TASK;
	ix->sign_ts = ts;
}

static void add_switch(struct indexer *ix, const struct kind_info *k, const struct walked *rec,
		       uint64_t ts)
{
	bool swap = ix->formats->swap;
	int prev = number_field_get(&k->pid, rec->data, rec->size, swap);
	int next = number_field_get(&k->next_pid, rec->data, rec->size, swap);
	uint64_t state = number_field_get(&k->state, rec->data, rec->size, swap);
	struct sched_item item = {.ts = ts,
				  .a = find_task(ix, prev),
				  .b = find_task(ix, next),
				  .flags = prev_states_get(&k->prev_states, state)};

	touch(ix, item.a, ts);
	touch(ix, item.b, ts);
	ix->has |= HAS_SWITCH;
	ix->has_switches = true;
	sched_builder_add(&ix->switches, &item);
	ix->running = item.b;
	ix->leaving = item.a;
	ix->sign_ts = ix->switch_ts = ts;
}

static void note_thread(struct indexer *ix, const struct kind_info *k, const struct walked *rec,
			uint16_t task)
{
	bool swap = ix->formats->swap;
	int pid = number_field_get(&k->pid, rec->data, rec->size, swap);
	uint64_t flags = number_field_get(&k->state, rec->data, rec->size, swap);
	int parent = formats_common(ix->formats, &ix->formats->pid, rec->data, rec->size);

	if (ix->n_notes < THREAD_NOTES_MAX)
		ix->notes[ix->n_notes++] =
			(struct thread_note){task, flags & CLONE_THREAD_FLAG ? parent : pid};
}

static void add_waking(struct indexer *ix, const struct kind_info *k, const struct walked *rec,
		       uint64_t ts, uint16_t waker)
{
	static const struct {
		uint8_t flags, has, better;
	} rows[] = {
		[KIND_WAKING] = {FROM_WAKING << 2, HAS_WAKING, 0},
		[KIND_WAKEUP] = {FROM_WAKEUP << 2, 0, HAS_WAKING},
		[KIND_WAKEUP_NEW] = {FROM_WAKING << 2 | WAKING_NEW, HAS_WAKEUP_NEW, 0},
		[KIND_FORK] = {FROM_FORK << 2 | WAKING_NEW, HAS_FORK, HAS_WAKEUP_NEW},
		[KIND_NEWTASK] = {FROM_NEWTASK << 2 | WAKING_NEW, 0, HAS_WAKEUP_NEW | HAS_FORK},
	};
	int pid = number_field_get(&k->pid, rec->data, rec->size, ix->formats->swap);
	int flags = formats_common(ix->formats, &ix->formats->flags, rec->data, rec->size);
	struct sched_item item = {
		.ts = ts, .a = find_task(ix, pid), .b = waker, .flags = rows[k->role].flags};

	touch(ix, item.a, ts);
	if (k->role == KIND_NEWTASK)
		note_thread(ix, k, rec, item.a);
	if (flags & (SNF_FLAG_HARDIRQ | SNF_FLAG_SOFTIRQ))
		item.flags |= WAKING_IRQ;
	ix->has |= rows[k->role].has;
	/*
	 * skip wakings that will not be shown; entries stored before that was known are skipped
	 * later
	 */
	if (!(ix->has & rows[k->role].better))
		sched_builder_add(&ix->wakings, &item);
}

static void apply_role(struct indexer *ix, const struct kind_info *k, const struct walked *rec,
		       uint64_t ts, uint16_t task)
{
	if (k->role == KIND_SWITCH)
		add_switch(ix, k, rec, ts);
	else if (k->role >= KIND_WAKING && k->role <= KIND_NEWTASK)
		add_waking(ix, k, rec, ts, task);
	learn_names(ix, k, rec, ts);
}

/* --- records ---------------------------------------------------------------------------------- */

static struct kind_info *find_kind(struct indexer *ix, int id)
{
	struct kind_info *k = ix->odd;

	if ((unsigned)id < KIND_IDS || !k || k->pub.id != id) {
		k = kinds_find(ix->tl, ix->kt, id);
		if ((unsigned)id >= KIND_IDS)
			ix->odd = k;
	}
	return k;
}

/* Walks a page and returns its bits. */
static uint64_t walk_page(struct indexer *ix, const uint8_t *data, size_t len, uint64_t low,
			  uint64_t high)
{
	const struct formats *f = ix->formats;
	struct pagewalk pw;
	struct walked rec;
	uint64_t ts, bits = 0;
	uint8_t shift = page_shift_of(low, high);
	uint32_t before = ix->n;

	if (!data || !pagewalk_start(&pw, ix->tl, ix->st, data, len, low, high))
		return 0;
	ix->is_lost |= pw.w.missed != 0;
	ix->n_lost += pw.w.missed > 0 ? pw.w.missed : 0;
	ix->n_uncounted += pw.w.missed < 0;
	while (pagewalk_next(&pw, &rec, &ts)) {
		int id = formats_record_id(f, rec.data, rec.size);
		int pid = formats_common(f, &f->pid, rec.data, rec.size);
		struct kind_info *k =
			(unsigned)id < KIND_IDS
				? atomic_load_explicit(&ix->kt->by_id[id], memory_order_acquire)
				: NULL;
		uint16_t task = find_task(ix, pid);

		if (__builtin_expect(!k, 0))
			k = find_kind(ix, id);
		ix->kinds[ix->n] = k ? k->number : TIMELINE_NO_KIND;
		bits |= k ? k->page_bit : PAGE_KINDS_ALL;
		ix->tasks[ix->n] = task;
		ix->places[ix->n] = (ts - low) >> shift;
		ix->kind_counts[ix->kinds[ix->n++]]++;
		touch(ix, task, ts)->n_events++;
		note_sign(ix, task, ts, ix->is_lost && ix->n == before + 1);
		if (k && k->role != KIND_PLAIN)
			apply_role(ix, k, &rec, ts, task);
	}
	ix->last_ts = pw.low;
	if (pw.w.damaged) {
		timeline_lock_formats(ix->tl);
		tracefile_add_damage(ix->st->src->tf,
				     "%s: sub-buffers of CPU %u are truncated or damaged; some of "
				     "their events are missing",
				     ix->st->src->tf->path, ix->st->pub.cpu);
		timeline_unlock_formats(ix->tl);
	}
	if (ix->n != before && ix->is_lost) {
		bits |= PAGE_LOST;
		ix->is_lost = false;
	}
	return bits;
}

/* --- pages ------------------------------------------------------------------------------------ */

static int reserve(void **p, size_t *room, size_t need, size_t each)
{
	if (need <= *room)
		return 0;
	free(*p);
	*p = malloc(need * each);
	*room = *p ? need : 0;
	return *p ? 0 : -ENOMEM;
}

static int make_room(struct indexer *ix, const struct index_segment *seg, size_t n_bytes)
{
	size_t n = n_bytes / 8 + 64;

	if (reserve((void **)&ix->page_first, &ix->page_room, seg->n_pages + 1, 4) < 0 ||
	    reserve((void **)&ix->page_bits, &ix->bits_room, seg->n_pages + 1, 8) < 0 ||
	    reserve((void **)&ix->page_shift, &ix->shift_room, seg->n_pages + 1, 1) < 0)
		return -ENOMEM;
	if (n <= ix->room)
		return 0;
	ix->room = 0;
	free(ix->kinds);
	free(ix->tasks);
	free(ix->places);
	free(ix->switches.entries);
	free(ix->switches.blocks);
	free(ix->wakings.entries);
	free(ix->wakings.blocks);
	ix->kinds = malloc(n * sizeof(*ix->kinds));
	ix->tasks = malloc(n * sizeof(*ix->tasks));
	ix->places = malloc(n * sizeof(*ix->places));
	ix->switches.entries = malloc(n * ENTRIES_AN_EVENT * sizeof(uint64_t));
	ix->switches.blocks = malloc(n * ENTRIES_AN_EVENT * sizeof(struct sched_block));
	ix->wakings.entries = malloc(n * sizeof(uint64_t));
	ix->wakings.blocks = malloc(n * sizeof(struct sched_block));
	if (!ix->kinds || !ix->tasks || !ix->places || !ix->switches.entries ||
	    !ix->switches.blocks || !ix->wakings.entries || !ix->wakings.blocks)
		return -ENOMEM;
	ix->room = n;
	return 0;
}

/*
 * Returns page i of the segment. For packed and live segments it is in ix->bytes, each page at its
 * own place.
 */
static const uint8_t *page_bytes(const struct indexer *ix, const struct index_segment *seg,
				 uint32_t i, size_t *ret_len)
{
	const struct stream *st = ix->st;
	uint64_t at = (seg->first_page + i) * st->page_size;

	if (st->kind != STREAM_MAPPED) {
		size_t chunk = chunk_of_page(st, seg->first_page + i), left;

		at = (seg->first_page + i - chunk_first_page(st, chunk)) * st->page_size;
		left = chunk_plain_bytes(st, chunk) - at;
		*ret_len = left < st->page_size ? left : st->page_size;
		return ix->bytes + (size_t)i * st->page_size;
	}
	*ret_len = st->n_bytes - at < st->page_size ? st->n_bytes - at : st->page_size;
	return stream_bytes(st, st->offset + at, *ret_len, NULL);
}

/* Loads a chunk, whose pages are contiguous. */
static void load_chunk(struct indexer *ix, const struct index_segment *seg, size_t chunk)
{
	const struct stream *st = ix->st;
	uint64_t first = chunk_first_page(st, chunk) - seg->first_page;
	size_t n = chunk_plain_bytes(st, chunk);
	uint8_t *to = ix->bytes + first * st->page_size;

	if (chunk_load(st, chunk, to) >= 0)
		return;
	memset(to, 0, n);
	timeline_lock_formats(ix->tl);
	tracefile_add_damage(st->src->tf,
			     "%s: chunks of CPU %u cannot be unpacked; their events are missing",
			     st->src->tf->path, st->pub.cpu);
	timeline_unlock_formats(ix->tl);
}

static void settle_loaded(struct indexer *ix, struct index_segment *seg)
{
	uint64_t first = seg->page_ts[0];
	uint64_t *ts = malloc(seg->n_pages * sizeof(*ts));

	if (!ts)
		return; /* the times stay estimated */
	ts[0] = first;
	for (uint32_t i = 0; i < seg->n_pages; i++) {
		size_t len;
		const uint8_t *data = page_bytes(ix, seg, i, &len);
		uint16_t fill;
		uint64_t t = page_header(ix->st, data, len, &fill);

		if (i)
			ts[i] = t == TS_UNKNOWN ? t : timeline_since(ix->tl, t);
		__atomic_store_n(&seg->fill[i], fill, __ATOMIC_RELAXED);
	}
	pages_settle(ts, seg->n_pages, seg->end_ts);
	for (uint32_t i = 1; i < seg->n_pages; i++) {
		uint64_t t = ts[i] < first ? first : ts[i] > seg->end_ts ? seg->end_ts : ts[i];

		__atomic_store_n(&seg->page_ts[i], t, __ATOMIC_RELAXED);
	}
	free(ts);
}

static int load(struct indexer *ix, struct index_segment *seg)
{
	size_t n_bytes = (size_t)seg->n_pages * ix->st->page_size;

	if (make_room(ix, seg, n_bytes) < 0)
		return -ENOMEM;
	if (ix->st->kind == STREAM_MAPPED)
		return 0;
	if (reserve((void **)&ix->bytes, &ix->bytes_room, n_bytes, 1) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < seg->n_chunks; i++)
		load_chunk(ix, seg, seg->first_chunk + i);
	if (ix->st->kind == STREAM_PACKED)
		settle_loaded(ix, seg);
	return 0;
}

/* --- results ---------------------------------------------------------------------------------- */

static size_t part(uint8_t *blob, size_t *at, size_t n_bytes, const void *pointer)
{
	size_t here = *at;

	*at += (n_bytes + 7) & ~(size_t)7;
	if (blob)
		*(const void **)pointer = blob + here;
	return here;
}

size_t segment_layout(struct index_segment *seg, uint8_t *blob, uint32_t n_events,
		      const uint32_t n_sched[4])
{
	size_t at = 0;

	part(blob, &at, ((size_t)seg->n_pages + 1) * 4, &seg->page_first);
	part(blob, &at, (size_t)seg->n_pages * 8, &seg->page_bits);
	part(blob, &at, (size_t)n_sched[0] * 8, &seg->switches.entries);
	part(blob, &at, (size_t)n_sched[1] * sizeof(struct sched_block), &seg->switches.blocks);
	part(blob, &at, (size_t)n_sched[2] * 8, &seg->wakings.entries);
	part(blob, &at, (size_t)n_sched[3] * sizeof(struct sched_block), &seg->wakings.blocks);
	part(blob, &at, (size_t)n_events * 2, &seg->kinds);
	part(blob, &at, (size_t)n_events * 2, &seg->tasks);
	part(blob, &at, (size_t)n_events * 2, &seg->places);
	part(blob, &at, seg->n_pages, &seg->page_shift);
	if (blob) {
		seg->n_events = n_events;
		seg->switches.n = n_sched[0];
		seg->switches.n_blocks = n_sched[1];
		seg->wakings.n = n_sched[2];
		seg->wakings.n_blocks = n_sched[3];
	}
	return at;
}

static int keep(struct indexer *ix, struct index_segment *seg)
{
	uint32_t n[4] = {ix->switches.n, ix->switches.n_blocks, ix->wakings.n,
			 ix->wakings.n_blocks};
	size_t n_bytes = segment_layout(seg, NULL, ix->n, n);
	uint8_t *blob = calloc(1, n_bytes + 1);

	if (!blob)
		return -ENOMEM;
	segment_layout(seg, blob, ix->n, n);
	memcpy((void *)seg->page_first, ix->page_first, ((size_t)seg->n_pages + 1) * 4);
	memcpy((void *)seg->page_bits, ix->page_bits, (size_t)seg->n_pages * 8);
	memcpy((void *)seg->switches.entries, ix->switches.entries, n[0] * sizeof(uint64_t));
	memcpy((void *)seg->switches.blocks, ix->switches.blocks,
	       n[1] * sizeof(struct sched_block));
	memcpy((void *)seg->wakings.entries, ix->wakings.entries, n[2] * sizeof(uint64_t));
	memcpy((void *)seg->wakings.blocks, ix->wakings.blocks, n[3] * sizeof(struct sched_block));
	memcpy((void *)seg->kinds, ix->kinds, ix->n * sizeof(uint16_t));
	memcpy((void *)seg->tasks, ix->tasks, ix->n * sizeof(uint16_t));
	memcpy((void *)seg->places, ix->places, ix->n * sizeof(uint16_t));
	memcpy((void *)seg->page_shift, ix->page_shift, seg->n_pages);
	seg->blob = blob;
	seg->blob_bytes = n_bytes;
	seg->last_ts = ix->n ? ix->last_ts : 0;
	seg->n_lost = ix->n_lost;
	seg->n_uncounted = ix->n_uncounted;
	return 0;
}

static void add_to(uint64_t *p, uint64_t n)
{
	__atomic_store_n(p, *p + n, __ATOMIC_RELAXED);
}

static void merge_task(struct task_state_row *row, const struct task_sum *sum)
{
	add_to(&row->pub.n_events, sum->n_events);
	if (sum->first < row->pub.first)
		__atomic_store_n(&row->pub.first, sum->first, __ATOMIC_RELAXED);
	if (sum->last > row->pub.last)
		__atomic_store_n(&row->pub.last, sum->last, __ATOMIC_RELAXED);
	if (sum->comm_len && sum->comm_ts >= row->comm_ts && row->comm_ts != UINT64_MAX) {
		memcpy(row->pub.comm, sum->comm, sum->comm_len);
		memset(row->pub.comm + sum->comm_len, 0, TASK_COMM_BYTES - sum->comm_len);
		row->comm_ts = sum->comm_ts;
	}
}

/* The caller holds the timeline's lock. */
static void merge(struct indexer *ix, struct timeline *tl)
{
	uint32_t n_kinds = atomic_load(&tl->n_kinds);

	for (uint32_t i = 0; i < n_kinds; i++)
		if (ix->kind_counts[i])
			add_to(&kinds_get(tl, i)->pub.n_events, ix->kind_counts[i]);
	for (uint32_t i = 0; i < ix->n_touched; i++)
		if (ix->touched[i] != TIMELINE_NO_TASK)
			merge_task(tasktable_row(&tl->tasks, ix->touched[i]),
				   &ix->sums[ix->touched[i]]);
	for (uint32_t i = 0; i < ix->n_notes; i++)
		if (ix->notes[i].task != TIMELINE_NO_TASK)
			tasktable_row(&tl->tasks, ix->notes[i].task)->thread_of =
				ix->notes[i].parent;
	atomic_fetch_or(&tl->machines[ix->st->machine].has, ix->has);
	if (ix->has_switches)
		atomic_store(&ix->st->has_switches, true);
	add_to(&ix->st->pub.n_events, ix->n);
	/* the times of packed pages were unknown before */
	if (ix->n && ix->last_ts > ix->st->pub.last)
		__atomic_store_n(&ix->st->pub.last, ix->last_ts, __ATOMIC_RELAXED);
	if (atomic_load(&tl->duration) < ix->st->pub.last)
		atomic_store(&tl->duration, ix->st->pub.last);
	atomic_fetch_add(&tl->n_events, ix->n);
	atomic_fetch_add(&tl->n_lost, ix->n_lost);
	atomic_fetch_add(&tl->n_uncounted, ix->n_uncounted);
}

static void clear(struct indexer *ix, struct timeline *tl)
{
	memset(ix->kind_counts, 0, (atomic_load(&tl->n_kinds) + 1) * sizeof(*ix->kind_counts));
	ix->kind_counts[TIMELINE_NO_KIND] = 0;
	while (ix->n_touched)
		memset(&ix->sums[ix->touched[--ix->n_touched]], 0, sizeof(*ix->sums));
	ix->n = ix->n_notes = 0;
	ix->switches.n = ix->switches.n_blocks = 0;
	ix->wakings.n = ix->wakings.n_blocks = 0;
	ix->odd = NULL;
	ix->n_lost = ix->n_uncounted = 0;
	ix->is_lost = ix->is_begun = ix->has_switches = false;
}

int indexer_walk(struct indexer *ix, struct timeline *tl, struct stream *st,
		 struct index_segment *seg)
{
	ix->tl = tl;
	ix->st = st;
	ix->formats = st->src->formats;
	ix->kt = st->source->kinds;
	ix->has = atomic_load(&tl->machines[st->machine].has);
	if (ix->cache_machine != st->machine)
		memset(ix->cache, 0, sizeof(ix->cache));
	ix->cache_machine = st->machine;
	if (load(ix, seg) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < seg->n_pages; i++) {
		size_t len;
		const uint8_t *data = page_bytes(ix, seg, i, &len);

		ix->page_first[i] = ix->n;
		ix->page_shift[i] = page_shift_of(seg->page_ts[i], segment_page_end(seg, i));
		ix->page_bits[i] =
			walk_page(ix, data, len, seg->page_ts[i], segment_page_end(seg, i));
	}
	ix->page_first[seg->n_pages] = ix->n;
	if (keep(ix, seg) < 0) {
		clear(ix, tl);
		return -ENOMEM;
	}
	return 0;
}

void indexer_merge(struct indexer *ix, struct timeline *tl, struct stream *st)
{
	ix->st = st;
	merge(ix, tl);
	clear(ix, tl);
}

int indexer_run(struct indexer *ix, struct timeline *tl, struct index_segment *seg)
{
	struct stream *st = tl->streams[seg->stream];
	unsigned n_refused = shortage_count_here();

	TRY(indexer_walk(ix, tl, st, seg));
	pthread_mutex_lock(&tl->lock);
	indexer_merge(ix, tl, st);
	pthread_mutex_unlock(&tl->lock);
	/* a missing name or kind would be permanent, in the sidecar, too */
	return shortage_count_here() == n_refused ? 0 : -ENOMEM;
}

struct indexer *indexer_new(void)
{
	struct indexer *ix = calloc(1, sizeof(*ix));

	if (!ix)
		return NULL;
	ix->sums = calloc(TASKS_MAX + 1, sizeof(*ix->sums));
	ix->touched = malloc((TASKS_MAX + 1) * sizeof(*ix->touched));
	ix->kind_counts = calloc(UINT16_MAX + 1, sizeof(*ix->kind_counts));
	ix->notes = malloc(THREAD_NOTES_MAX * sizeof(*ix->notes));
	if (!ix->sums || !ix->touched || !ix->kind_counts || !ix->notes) {
		indexer_free(ix);
		return NULL;
	}
	return ix;
}

void indexer_free(struct indexer *ix)
{
	if (!ix)
		return;
	free(ix->kinds);
	free(ix->tasks);
	free(ix->switches.entries);
	free(ix->switches.blocks);
	free(ix->wakings.entries);
	free(ix->wakings.blocks);
	free(ix->page_first);
	free(ix->page_bits);
	free(ix->page_shift);
	free(ix->places);
	free(ix->bytes);
	free(ix->sums);
	free(ix->touched);
	free(ix->kind_counts);
	free(ix->notes);
	free(ix);
}
