// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * scan.c - the parallel scan over a trace file.
 *
 *	fill: the next slice ──▶ [slot] ──▶ drain: is it next to the one before? join
 *	                         work: cut, fold          (conveyor.h)
 *
 * Formats, tasks and filters belong to one thread, because they are compiled and learned while a
 * trace is walked. So workers share nothing: each slot opens the file itself, which takes 2 ms, on
 * its first use. Few slots are in use (conveyor.c).
 *
 * A slice is a guess that is checked. The serial walk would pass a cut at a certain place of each
 * CPU. The first slice begins at the beginning, and if each slice begins where the one before it
 * ended, then all are what the serial walk sees. Otherwise times go backwards somewhere, and the
 * scan gives up. It also gives up where something is damaged, so that the messages about it are
 * those of the serial walk, and where names count and some were learned from events: a name learned
 * in one slice would be missing in the next.
 *
 * A packed trace is cut, too: a worker unpacks the chunks of its slices. At the ends of a slice it
 * unpacks chunks of each CPU that its neighbours need as well, so these slices are longer.
 *
 * A fold of calls (scan_run() without a configuration) needs no sequence; its workers walk with
 * taskwalk.h. The rest is the same.
 *
 * Tried and dropped: formats that workers share, with locks. A lookup takes 2 ns, a lock 20.
 */
#include "inputs/scan.h"

#include "base/conveyor.h"
#include "base/scope.h"
#include "decode/order/slice.h"
#include "inputs/foreign/formats.h"
#include "inputs/taskwalk.h"
#include "store/pagestream.h"
#include "store/tracefile.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * At least 2 to 3 ms of work: much more than a wake-up. More if the trace is large; but SHARES slices
 * for each thread, so that the threads end together.
 */
#define SLICE_BYTES  (4u << 20)
#define SLICE_MOST   (32u << 20)
#define SHARES	     16
#define SLICES_MAX   65536
/* packed: of each CPU; a chunk is 40 KB */
#define PACKED_BYTES (640u << 10)
/* a slot for each thread, and some whose slices wait for an earlier one */
#define MORE_SLOTS   2
#define SLOTS_MAX    (64 + MORE_SLOTS)
/* slices for each thread that SONDE_JOBS asks for: so small traces are cut, too */
#define ASKED_SLICES 4

struct slot {
	struct inputs in;
	struct inputs_sources src;
	struct batch batch;
	struct taskwalk *walk; /* in place of src.seq */
	struct taskwalk_spec spec;
	void *state;
	bool is_open, is_bad;
	bool has_unnamed; /* a task had no name, or one that was learned */
	size_t slice;
	size_t n_damage;       /* what was damaged when the file was opened */
	uint64_t *begin, *end; /* places */
};

struct scan {
	const struct inputs_sources *src;
	const struct sequence_config *config;
	const struct scan_fold *fold;
	uint64_t *cuts;
	size_t n_slices, next;
	uint64_t *place; /* where the last joined slice ended */
	size_t n_places;
	bool any_unnamed, any_learned;
	struct slot slots[SLOTS_MAX];
	size_t n_slots;
};

/* --- a slot ----------------------------------------------------------------------------------- */

static size_t count_places(const struct slot *slot)
{
	return slot->walk ? taskwalk_n_places(slot->walk) : sequence_n_places(slot->src.seq);
}

static bool is_same_trace(const struct scan *scan, const struct slot *slot)
{
	const struct tracefile *a = scan->src->in->files[0].tf, *b = slot->in.files[0].tf;

	return a->map.len == b->map.len && scan->src->n == slot->src.n &&
	       count_places(slot) == scan->n_places && a->n_damage == b->n_damage;
}

static int open_sequence(const struct scan *scan, struct slot *slot)
{
	struct sequence_config config = *scan->config;
	struct errmsg err = {0};

	config.alone = true;
	TRY(inputs_sources_init(&slot->src, &slot->in, &config, &err));
	return batch_init(&slot->batch);
}

static int open_walk(const struct scan *scan, struct slot *slot)
{
	struct errmsg err = {0};

	slot->spec = (struct taskwalk_spec){
		.to = UINT64_MAX, .visit = scan->fold->add, .run = scan->fold->run};
	TRY(inputs_sources_list(&slot->src, &slot->in, &err));
	slot->walk = taskwalk_new(&slot->src, &slot->spec);
	return slot->walk ? 0 : -ENOMEM;
}

static int slot_open(const struct scan *scan, struct slot *slot)
{
	struct errmsg err = {0};
	const uint8_t *events;
	size_t n;

	TRY(inputs_open(&slot->in, scan->src->in->spec, &err));
	TRY(scan->config ? open_sequence(scan, slot) : open_walk(scan, slot));
	slot->begin = calloc(scan->n_places, sizeof(*slot->begin));
	slot->end = calloc(scan->n_places, sizeof(*slot->end));
	if (!slot->begin || !slot->end)
		return -ENOMEM;
	if (!is_same_trace(scan, slot))
		return -EAGAIN;
	slot->n_damage = slot->in.files[0].tf->n_damage;
	TRY(scan->fold->init(scan->fold->ctx, slot->in.files[0].formats, &slot->state));
	events = scan->fold->events(slot->state, &n);
	if (slot->src.seq)
		sequence_set_events(slot->src.seq, events, n);
	slot->spec.events = events;
	slot->spec.n_events = n;
	slot->spec.ctx = slot->state;
	slot->is_open = true;
	return 0;
}

static void slot_release(const struct scan *scan, struct slot *slot)
{
	if (slot->state)
		scan->fold->release(slot->state);
	batch_release(&slot->batch);
	taskwalk_free(slot->walk);
	inputs_sources_release(&slot->src);
	inputs_close(&slot->in);
	free(slot->begin);
	free(slot->end);
}

static int fold_sequence(const struct scan *scan, struct slot *slot, uint64_t from, uint64_t to)
{
	int r;

	sequence_cut(slot->src.seq, from, to);
	sequence_places(slot->src.seq, slot->begin);
	while ((r = sequence_fill(slot->src.seq, &slot->batch)) > 0)
		for (size_t i = 0; i < slot->batch.n; i++) {
			const struct record *rec = &slot->batch.records[i];

			slot->has_unnamed |= rec->task && !tasks_is_from_file(rec->task);
			scan->fold->add(slot->state, rec);
		}
	sequence_places(slot->src.seq, slot->end);
	return r;
}

static int slot_fold(const struct scan *scan, struct slot *slot)
{
	uint64_t from = slot->slice ? scan->cuts[slot->slice - 1] : 0;
	uint64_t to = slot->slice + 1 < scan->n_slices ? scan->cuts[slot->slice] - 1 : UINT64_MAX;

	if (!slot->is_open)
		TRY(slot_open(scan, slot));
	TRY(slot->walk ? taskwalk_slice(slot->walk, from, to, slot->begin, slot->end)
		       : fold_sequence(scan, slot, from, to));
	return slot->in.files[0].tf->n_damage > slot->n_damage ? -EAGAIN : 0;
}

/* --- the conveyor ----------------------------------------------------------------------------- */

static int fill(void *ctx, void *item)
{
	struct scan *scan = ctx;
	struct slot *slot = item;

	slot->slice = scan->next++;
	return slot->slice < scan->n_slices;
}

static void work(void *ctx, void *item, unsigned thread)
{
	struct slot *slot = item;

	slot->is_bad = slot_fold(ctx, slot) < 0;
}

static int drain(void *ctx, void *item)
{
	struct scan *scan = ctx;
	struct slot *slot = item;
	size_t bytes = scan->n_places * sizeof(*scan->place);

	if (slot->is_bad || (slot->slice && memcmp(slot->begin, scan->place, bytes) != 0))
		return -EAGAIN;
	memcpy(scan->place, slot->end, bytes);
	scan->any_unnamed |= slot->has_unnamed;
	scan->any_learned |= slot->in.files[0].tasks.n_learned > 0;
	if (scan->fold->uses_names && scan->any_unnamed && scan->any_learned)
		return -EAGAIN;
	return scan->fold->join(scan->fold->ctx, slot->state, &scan->src->in->files[0].tasks);
}

/* --- the trace -------------------------------------------------------------------------------- */

/* A pipe cannot be opened twice, and a file of another format is converted each time. */
static bool can_open_again(const struct inputs *in)
{
	struct stat st;

	return in->n_files == 1 && !stat(in->files[0].input->path, &st) && S_ISREG(st.st_mode) &&
	       !foreign_find(in->files[0].input->path);
}

static size_t count_slices(const struct inputs_sources *src, size_t n_places, unsigned n_threads)
{
	size_t least = getenv("SONDE_JOBS") ? ASKED_SLICES * n_threads : 0;
	uint64_t n = 0, each = SLICE_BYTES;

	for (size_t i = 0; i < src->n; i++) {
		const struct source_config *config = &src->list[i].config;

		for (size_t k = 0; k < config->buffer->n_cpus; k++)
			n += pagestream_plain_bytes(config->tf, config->buffer, k);
		if (config->buffer->compressed && each < n_places * PACKED_BYTES)
			each = n_places * PACKED_BYTES;
	}
	if (n / SHARES / n_threads > each)
		each = n / SHARES / n_threads < SLICE_MOST ? n / SHARES / n_threads : SLICE_MOST;
	n /= each;
	return n < least ? least : n < SLICES_MAX ? n : SLICES_MAX;
}

/* Finds where to cut. Returns the number of slices; with fewer than 2 there is nothing to share. */
static size_t find_slices(struct scan *scan, const struct inputs_sources *src, unsigned n_threads)
{
	struct taskwalk_spec spec = {.to = UINT64_MAX};
	SCOPED(taskwalk_free_scoped)
	struct taskwalk *walk = taskwalk_new((struct inputs_sources *)src, &spec);
	size_t n;

	if (!walk || !taskwalk_n_places(walk))
		return 0;
	scan->n_places = src->seq ? sequence_n_places(src->seq) : taskwalk_n_places(walk);
	n = scan->n_places ? count_slices(src, scan->n_places, n_threads) : 0;
	if (n < 2)
		return 0;
	scan->cuts = calloc(n, sizeof(*scan->cuts));
	scan->place = calloc(scan->n_places, sizeof(*scan->place));
	if (!scan->cuts || !scan->place)
		return 0;
	return taskwalk_find_cuts(walk, scan->cuts, n - 1) + 1;
}

static int run_slices(struct scan *scan, unsigned n_threads)
{
	unsigned n = n_threads < conveyor_n_cpus() ? n_threads : conveyor_n_cpus();
	void *items[SLOTS_MAX];
	struct conveyor_job job = {.ctx = scan,
				   .items = items,
				   .n_items = n + MORE_SLOTS,
				   .n_threads = n_threads,
				   .fill = fill,
				   .work = work,
				   .drain = drain};

	for (size_t i = 0; i < job.n_items; i++)
		items[i] = &scan->slots[i];
	scan->n_slots = job.n_items;
	return conveyor_run(&job);
}

static bool has_range(const struct sequence_config *config)
{
	return config && (config->from || config->to != UINT64_MAX);
}

static void scan_free(struct scan *scan)
{
	for (size_t i = 0; i < scan->n_slots; i++)
		slot_release(scan, &scan->slots[i]);
	free(scan->cuts);
	free(scan->place);
	free(scan);
}
SCOPED_POINTER(struct scan, scan_free)

int scan_run(const struct inputs_sources *src, const struct sequence_config *config,
	     const struct scan_fold *fold)
{
	SCOPED(scan_free_scoped) struct scan *scan = calloc(1, sizeof(*scan));
	unsigned n_threads = conveyor_default_threads();

	if (!scan || n_threads < 2 || has_range(config) || !can_open_again(src->in))
		return 0;
	*scan = (struct scan){.src = src, .config = config, .fold = fold};
	scan->n_slices = find_slices(scan, src, n_threads);
	if (scan->n_slices < 2)
		return 0;
	if (run_slices(scan, n_threads) >= 0)
		return 1;
	if (src->seq)
		sequence_cut(src->seq, 0, UINT64_MAX); /* back to the beginning */
	return 0;
}
