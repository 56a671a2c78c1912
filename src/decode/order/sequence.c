// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sequence.c - walks all CPUs of all buffers in time order.
 *
 *	CPU 0  ─ page ─ page ─ …  cursor ─┐
 *	CPU 1  ─ page ─ page ─ …  cursor ─┼─ source: earliest cursor whose record passes the filters
 *	…                                 │            │
 *	                                  │        several sources: the earliest of theirs
 *	                                  ▼
 *	                                batch: records with event, task, and what order decides
 *
 * Ties go to the lowest CPU and the first source. A record stays at its cursor until it is batched,
 * so nothing needs to be copied or kept alive before that; after that the batch holds the chunk.
 *
 * Live traces: sequence_fill() returns what is certain, see cursors.c.
 *
 * This is the only serial part of printing. It takes about 15 ns per record, a fifth of the time
 * of printing. It could be split into time slices, but then names, indentation and folding would
 * need a separate pass over everything before the first line.
 */
#include "base/scope.h"
#include "base/shortage.h"
#include "base/array.h"
#include "decode/order/order.h"
#include "decode/order/sequence_int.h"
#include "format/tracedat.h"
#include "store/live/livepages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* limit of record data, so that the text has a reasonable size */
#define BATCH_MAX_BYTES (192u << 10)
/* limit of chunks that only batches hold; above it, batches stay short */
#define HELD_MAX_BYTES	(24u << 20)
#define PROGRESS_EVERY	16 /* in batches */
/* records that may fail the filters before config.stop is called again */
#define SKIPS_MAX	65536

/* Makes a bit mask of the CPUs in config.cpus. */
static int choose_cpus(struct sequence *s)
{
	for (size_t i = 0; i < s->config.n_cpus; i++)
		if (s->config.cpus[i] >= s->n_chosen)
			s->n_chosen = s->config.cpus[i] + 1;
	s->chosen = calloc(s->n_chosen / 8 + 1, 1);
	for (size_t i = 0; s->chosen && i < s->config.n_cpus; i++)
		s->chosen[s->config.cpus[i] / 8] |= 1 << s->config.cpus[i] % 8;
	return s->chosen ? 0 : -ENOMEM;
}

static int stacks_init(struct sequence *s, struct source *src)
{
	uint32_t n_cpus = 0;

	for (size_t i = 0; i + 1 < s->n_sources; i++)
		if (s->sources[i]->config.tf == src->config.tf) {
			src->stacks = s->sources[i]->stacks;
			return 0;
		}
	for (size_t i = 0; i < src->config.tf->n_buffers; i++)
		if (src->config.tf->buffers[i].max_cpus > n_cpus)
			n_cpus = src->config.tf->buffers[i].max_cpus;
	src->owns_stacks = true;
	src->stacks = calloc(1, sizeof(*src->stacks));
	return src->stacks ? stack_follow_init(src->stacks, src->config.formats, n_cpus) : -ENOMEM;
}

int sequence_add_source(struct sequence *s, const struct source_config *config,
			struct unpacker *unpacker)
{
	struct source *src = calloc(1, sizeof(*src));

	if (!src || !ARRAY_ONE_MORE(s->sources, s->n_sources, ARRAY_NO_MAX)) {
		free(src);
		return -ENOMEM;
	}
	s->sources[s->n_sources++] = src;
	s->is_live |= tracefile_livepages(config->tf) != NULL;
	src->config = *config;
	src->layout = (struct page_layout){.swap = config->tf->swap,
					   .big_endian = config->tf->big_endian,
					   .long_size = config->tf->long_size,
					   .data_offset = config->tf->data_offset};
	if (cursors_open(src, unpacker, s->config.places) < 0)
		return -ENOMEM;
	return stacks_init(s, src);
}

/*
 * --- records -----------------------------------------------------------------------------------
 */

/* Asks the caller for the name of a task that the trace does not name. */
static const struct task *ask_name(struct source *src, const struct task *t)
{
	char comm[64];
	size_t len = src->config.find_name(src->config.find_name_ctx, t->pid, comm, sizeof(comm));

	if (len)
		tasks_learn(src->config.tasks, t->pid, comm, len);
	return len ? tasks_find(src->config.tasks, t->pid) : t;
}

static inline const struct task *find_task(struct source *src, const struct cursor *c)
{
	const struct formats *f = src->config.formats;
	const struct task *t =
		tasks_find(src->config.tasks, formats_common(f, &f->pid, c->rec.data, c->rec.size));

	return src->config.find_name && t && !t->known ? ask_name(src, t) : t;
}

static inline void make_record(struct source *src, const struct cursor *c, struct record *rec)
{
	struct formats *f = src->config.formats;
	int id = formats_record_id(f, c->rec.data, c->rec.size);

	rec->ts = c->ts;
	rec->data = c->rec.data;
	rec->size = c->rec.size;
	rec->cpu = c->cpu;
	rec->event = formats_find(f, id);
	rec->task = src->config.names_first ? find_task(src, c) : NULL;
	rec->extra = NULL;
	rec->flags = 0;
	rec->aux = 0;
}

static bool match_any(struct filter **filters, size_t n, const struct record *rec)
{
	return ARRAY_ANY(n, i, filter_match(filters[i], rec) == FILTER_MATCH);
}

static bool passes(struct sequence *s, struct source *src, const struct record *rec)
{
	const struct source_config *c = &src->config;
	bool rejected;

	if (s->chosen &&
	    (rec->cpu >= s->n_chosen || !(s->chosen[rec->cpu / 8] >> rec->cpu % 8 & 1)))
		return false;
	if (s->config.no_hardirq || s->config.no_softirq) {
		int flags = formats_common(c->formats, &c->formats->flags, rec->data, rec->size);

		if ((s->config.no_hardirq && flags & SNF_FLAG_HARDIRQ) ||
		    (s->config.no_softirq && flags & SNF_FLAG_SOFTIRQ))
			return false;
	}
	if (!c->n_filters && !c->n_rejects)
		return true;
	if (c->n_filters && !match_any(c->filters, c->n_filters, rec) &&
	    !stack_follow_is_due(src->stacks, rec))
		return false;
	rejected = match_any(c->rejects, c->n_rejects, rec);
	stack_follow_set(src->stacks, rec, !rejected);
	return !rejected;
}

static bool is_stopped(const struct sequence *s)
{
	return s->config.stop && s->config.stop(s->config.stop_ctx);
}

static inline bool is_wanted(const struct sequence *s, const struct source *src,
			     const struct cursor *c, const struct record *rec)
{
	const struct sequence_config *config = &s->config;
	size_t id;

	if (!config->events || c->missed)
		return true;
	id = rec->event ? rec->event->id
			: formats_record_id(src->config.formats, c->rec.data, c->rec.size);
	return id < config->n_events && config->events[id];
}

/*
 * Finds out which events are only passed. Their formats need not be compiled, which may load all
 * symbols. Without memory every record is examined.
 */
static void find_ignored(struct sequence *s, struct source *src)
{
	const struct formats *f = src->config.formats;

	free(src->ignored);
	src->ignored = NULL;
	if (s->is_live || !s->config.events)
		return;
	src->ignored = calloc(f->n_table + 1, 1);
	for (size_t id = 0; src->ignored && id < f->n_table; id++)
		src->ignored[id] = f->table[id] && order_role(f->table[id]) == ROLE_NONE &&
				   !(id < s->config.n_events && s->config.events[id]);
}

static inline bool is_ignored(const struct source *src, const struct cursor *c)
{
	const struct formats *f = src->config.formats;
	size_t id;

	if (!src->ignored || c->missed)
		return false;
	id = formats_record_id(f, c->rec.data, c->rec.size);
	return id < f->n_table && src->ignored[id];
}

/* Finds the source's next record that passes; it stays at its cursor. */
static bool source_seek(struct sequence *s, struct source *src, struct record *rec)
{
	struct cursor *c;

	while ((c = cursors_earliest(src))) {
		if (c->ts > s->config.to)
			break;
		if (!cursor_may_show(s, c))
			return false;
		if (!is_ignored(src, c)) {
			make_record(src, c, rec);
			if (c->ts >= s->config.from && is_wanted(s, src, c, rec) &&
			    passes(s, src, rec)) {
				src->pending = c;
				return true;
			}
			order_learn_skipped(s->order, src->config.formats, src->config.tasks, rec);
		}
		cursors_consume(s, src, c);
		if (!(++s->n_skipped % SKIPS_MAX) && is_stopped(s))
			return false;
	}
	src->done = c || cursors_have_ended(src);
	return false;
}

static struct record_extra *extra_of(struct batch *b, struct record *rec)
{
	if (!rec->extra) {
		rec->extra = &b->extras[b->n_extras++];
		memset(rec->extra, 0, sizeof(*rec->extra));
	}
	return rec->extra;
}

/* Keeps one reference to the chunk in the batch, until the batch is filled again. */
static bool batch_take_chunk(struct batch *b, struct chunk *chunk)
{
	if (!ARRAY_ROOM(b->chunks, b->cap_chunks, b->n_chunks + 1, ARRAY_NO_MAX))
		return false;
	b->chunks[b->n_chunks++] = chunk;
	return true;
}

static bool pin(const struct sequence *s, struct batch *b, struct cursor *c)
{
	if (!c->page.chunk || (c->pinned == c->page.chunk && c->pinned_by == s->n_batches))
		return true;
	if (!batch_take_chunk(b, c->page.chunk))
		return false;
	c->pinned = chunk_get(c->page.chunk);
	c->pinned_by = s->n_batches;
	return true;
}

static void add_places(struct batch *b, const struct cursor *c, struct record *rec)
{
	struct record_extra *x = extra_of(b, rec);

	if (c->at_page_start)
		rec->flags |= RECORD_PAGE_START;
	x->page = c->page.data;
	x->page_len = c->page.len;
	x->page_ts = c->page_ts;
	x->file_offset = c->place + pagestream_position(c->ps);
	x->delta = c->rec.delta;
	x->page_pos = c->rec.data - c->page.data - c->rec.header_bytes;
}

/* Folds the exit: if the next record is the exit of this entry, both are shown on one line. */
static void fold_exit(struct sequence *s, struct source *src, struct batch *b, struct record *rec)
{
	struct cursor *c = cursors_earliest(src);
	struct record_extra *x;

	if (!c || !order_is_exit_of(src->config.formats, rec, c->rec.data, c->rec.size) ||
	    !pin(s, b, c))
		return;
	x = extra_of(b, rec);
	x->pair = c->rec.data;
	x->pair_size = c->rec.size;
	rec->flags |= RECORD_PAIR;
	cursors_consume(s, src, c);
}

static void add_record(struct sequence *s, struct batch *b, const struct record *rec)
{
	b->n_bytes += rec->size;
	b->n++;
	s->prev_ts = rec->ts;
	s->prev_source = rec->source;
	s->has_prev = true;
}

/* Returns true if the next record of src can still be the exit of the entry that was just taken. */
static bool must_hold(struct sequence *s, struct source *src)
{
	const struct cursor *c = cursors_earliest(src);

	return s->is_live && (c ? !cursor_may_show(s, c) : !cursors_have_ended(src));
}

/* Keeps the entry until the next batch, and holds its chunk. */
static void hold(struct sequence *s, struct source *src, struct chunk *chunk,
		 const struct record *rec)
{
	s->held = (struct held){.src = src, .rec = *rec, .before = s->before};
	if (rec->extra)
		s->held.extra = *rec->extra;
	if (chunk)
		s->held.chunk = chunk_get(chunk);
}

/*
 * Adds the held entry first, without its exit if the wait takes too long. Returns false if the
 * entry must wait longer.
 */
static bool take_held(struct sequence *s, struct batch *b)
{
	struct source *src = s->held.src;
	bool alone = must_hold(s, src);
	struct record *rec = &b->records[0];

	if (alone &&
	    (s->before <= s->held.before || s->before - s->held.before < s->config.hold_rounds))
		return false;
	if (s->held.chunk && !batch_take_chunk(b, s->held.chunk))
		return false;
	*rec = s->held.rec;
	if (rec->extra) {
		rec->extra = NULL;
		*extra_of(b, rec) = s->held.extra;
	}
	s->held.src = NULL;
	if (!alone)
		fold_exit(s, src, b, rec);
	add_record(s, b, rec);
	return true;
}

static bool take_record(struct sequence *s, struct source *src, struct batch *b, struct record *rec)
{
	struct cursor *c = src->pending;
	struct chunk *chunk = c->page.chunk;
	uint64_t latency;

	if (!pin(s, b, c))
		return false;
	rec->task = find_task(src, c);
	if (c->missed) {
		rec->flags |= RECORD_MISSED;
		extra_of(b, rec)->missed = c->missed;
	}
	if (s->config.places)
		add_places(b, c, rec);
	if (s->config.wakeup && order_wakeup(s->order, src->config.formats, rec, &latency)) {
		rec->flags |= RECORD_LATENCY;
		extra_of(b, rec)->latency = latency;
	}
	src->pending = NULL;
	cursors_consume(s, src, c);
	if (rec->event && rec->event->role &&
	    order_apply(s->order, src->config.formats, src->config.tasks, rec)) {
		if (must_hold(s, src)) {
			hold(s, src, chunk, rec);
			return true;
		}
		fold_exit(s, src, b, rec);
	}
	add_record(s, b, rec);
	return true;
}

/*
 * --- batches -----------------------------------------------------------------------------------
 */

static void batch_drop_chunks(struct batch *b)
{
	while (b->n_chunks)
		chunk_put(b->chunks[--b->n_chunks]);
}

int batch_init(struct batch *b)
{
	memset(b, 0, sizeof(*b));
	b->records = malloc(BATCH_RECORDS * sizeof(*b->records));
	b->extras = malloc(BATCH_RECORDS * sizeof(*b->extras));
	if (b->records && b->extras)
		return 0;
	batch_release(b);
	return -ENOMEM;
}

void batch_release(struct batch *b)
{
	batch_drop_chunks(b);
	free(b->chunks);
	free(b->records);
	free(b->extras);
	memset(b, 0, sizeof(*b));
}

static float progress(const struct sequence *s)
{
	uint64_t done = 0, all = 0, total;

	for (size_t i = 0; i < s->n_sources; i++)
		for (size_t k = 0; k < s->sources[i]->n_cursors; k++) {
			done += pagestream_progress(s->sources[i]->cursors[k].ps, &total);
			all += total;
		}
	return all ? (float)done / (float)all : 1;
}

static void batch_begin(struct sequence *s, struct batch *b)
{
	batch_drop_chunks(b);
	b->n = b->n_extras = 0;
	b->n_bytes = 0;
	b->prev_ts = s->prev_ts;
	b->prev_source = s->prev_source;
	b->has_prev = s->has_prev;
	s->n_batches++; /* the new batch has pinned no chunk yet */
}

/* Returns the source whose next record is the earliest. */
static struct source *find_earliest(struct sequence *s)
{
	struct source *best = NULL;
	struct record dummy;

	for (size_t i = 0; i < s->n_sources; i++) {
		struct source *src = s->sources[i];

		if (src->done || (!src->pending && !source_seek(s, src, &dummy)))
			continue;
		if (!best || src->pending->ts < best->pending->ts)
			best = src;
	}
	return best;
}

static struct source *earliest_source(struct sequence *s, struct record *rec)
{
	struct source *best;
	uint64_t n_skipped;

	/* live: when one source skips records, a record of another source may become certain */
	do {
		n_skipped = s->n_skipped;
		best = find_earliest(s);
	} while (s->is_live && s->n_skipped != n_skipped && !is_stopped(s));
	if (!best || !cursor_may_show(s, best->pending))
		return NULL;
	/* names may have been learned since the record was examined */
	make_record(best, best->pending, rec);
	for (rec->source = 0; s->sources[rec->source] != best;)
		rec->source++;
	return best;
}

/* Takes the records that are available now. Returns 0 or -ENOMEM. */
static int fill_once(struct sequence *s, struct batch *b)
{
	size_t n_chunks = 0;

	if (s->is_live)
		cursors_refill(s);
	if (s->held.src && !take_held(s, b))
		return 0;
	while (!s->held.src && b->n < BATCH_RECORDS && b->n_bytes < BATCH_MAX_BYTES) {
		struct record *rec = &b->records[b->n];
		struct source *src;

		if (s->n_sources == 1) {
			src = s->sources[0];
			if (src->done || !source_seek(s, src, rec))
				break;
			rec->source = 0;
		} else {
			src = earliest_source(s, rec);
		}
		if (!src)
			break;
		if (!take_record(s, src, b, rec))
			return -ENOMEM;
		if (b->n_chunks > n_chunks && chunks_held_bytes(src->config.tf) > HELD_MAX_BYTES)
			break;
		n_chunks = b->n_chunks;
	}
	return 0;
}

int sequence_fill(struct sequence *s, struct batch *b)
{
	int r;

	batch_begin(s, b);
	if (is_stopped(s))
		return 0;
	do
		r = fill_once(s, b);
	while (!r && !b->n && s->is_live && s->config.wait && !sequence_has_ended(s) &&
	       s->config.wait(s->config.wait_ctx));
	TRY(r);
	/* after any refused allocation a line may be missing or have a wrong name */
	TRY(s->error ? s->error : -shortage_pending());
	if (s->n_batches % PROGRESS_EVERY == 1)
		s->progress = progress(s);
	b->progress = s->progress;
	return b->n ? 1 : 0;
}

/*
 * --- life --------------------------------------------------------------------------------------
 */

struct sequence *sequence_new(const struct sequence_config *config)
{
	struct sequence *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->config = *config;
	s->before = UINT64_MAX;
	s->order = order_new(config->raw, config->all_names, config->fresh_names, config->tgids);
	if (!s->order || (config->cpus && choose_cpus(s) < 0)) {
		sequence_free(s);
		return NULL;
	}
	return s;
}

void sequence_free(struct sequence *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_sources; i++) {
		cursors_free(s->sources[i]);
		free(s->sources[i]->ignored);
		if (s->sources[i]->owns_stacks && s->sources[i]->stacks) {
			stack_follow_release(s->sources[i]->stacks);
			free(s->sources[i]->stacks);
		}
		free(s->sources[i]);
	}
	if (s->held.src)
		chunk_put(s->held.chunk);
	free(s->sources);
	free(s->chosen);
	order_free(s->order);
	free(s);
}

int sequence_start(struct sequence *s)
{
	for (size_t i = 0; i < s->n_sources; i++)
		if (cursors_start(s, s->sources[i]) < 0)
			return -ENOMEM;
	return 0;
}

bool sequence_first_ts(const struct sequence *s, uint64_t *ret_ts)
{
	bool any = false;

	for (size_t i = 0; i < s->n_sources; i++)
		for (size_t k = 0; k < s->sources[i]->n_cursors; k++) {
			const struct cursor *c = &s->sources[i]->cursors[k];

			if (c->live && (!any || c->ts < *ret_ts)) {
				*ret_ts = c->ts;
				any = true;
			}
		}
	return any;
}

void sequence_shift(struct sequence *s, int64_t by)
{
	for (size_t i = 0; i < s->n_sources; i++) {
		s->sources[i]->config.time.offset += by;
		for (size_t k = 0; k < s->sources[i]->n_cursors; k++)
			s->sources[i]->cursors[k].ts += by;
	}
}

void sequence_set_range(struct sequence *s, uint64_t from, uint64_t to)
{
	s->config.from = from;
	s->config.to = to;
}

void sequence_set_events(struct sequence *s, const uint8_t *events, size_t n_events)
{
	s->config.events = events;
	s->config.n_events = n_events;
	for (size_t i = 0; i < s->n_sources; i++)
		find_ignored(s, s->sources[i]);
}

bool sequence_has_ended(const struct sequence *s)
{
	for (size_t i = 0; i < s->n_sources; i++)
		if (!s->sources[i]->done)
			return false;
	return !s->held.src;
}

const struct sequence_stats *sequence_stats(const struct sequence *s)
{
	return &s->stats;
}

const struct wakeup_stats *sequence_wakeup(const struct sequence *s)
{
	return order_wakeup_stats(s->order);
}
