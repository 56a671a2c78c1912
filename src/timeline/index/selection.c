// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * selection.c - selects events by kind, task, stream, expression and text.
 *
 *	columns ─▶ kinds, tasks ─▶ walk the rest ─▶ filter of the source ─▶ text of the line ─▶ bit
 *
 * All threads work on the segments, one job per segment. Without expression and text, only the
 * columns are read. The columns also exclude kinds that an expression does not name, so pages with
 * only such kinds are never read. selection_match.c decides about a record. Kernel symbols are
 * loaded before the start; after that the formats change only when a filter parses an event for the
 * first time.
 *
 * An expression must be valid for at least one source; sources without the events that it names
 * have no matches. A text is searched in "comm-pid event: info", as the list shows it (with names
 * of system calls), and case is ignored. Events that are indexed later are not in the selection. A
 * new selection can copy the results of the old one (wants.before). Events keep their numbers when
 * their segment grows, so the old results are the first bits of each segment.
 */
#include "base/errmsg.h"
#include "base/scope.h"
#include "decode/filter/filter.h"
#include "symbols/tasks.h"
#include "timeline/index/selection_match.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX_BYTES 4096
#define STOP_PAGES     64 /* pages between two calls of stop */

/* --- bits ------------------------------------------------------------------------------------- */

uint32_t sel_segment_count(const struct sel_segment *ss, uint32_t from, uint32_t to)
{
	uint32_t n = 0;

	if (to > ss->n_events)
		to = ss->n_events;
	for (uint32_t i = from; i < to;) {
		uint32_t end = (i / 64 + 1) * 64 < to ? (i / 64 + 1) * 64 : to;
		uint64_t word = ss->bits[i / 64] >> i % 64;

		if (end - i < 64)
			word &= (UINT64_C(1) << (end - i)) - 1;
		n += __builtin_popcountll(word);
		i = end;
	}
	return n;
}

static int sel_segment_init(struct sel_segment *ss, const struct index_segment *seg)
{
	ss->page_first = calloc((size_t)seg->n_pages + 1, sizeof(*ss->page_first));
	ss->bits = calloc(seg->n_events / 64 + 1, sizeof(*ss->bits));
	if (!ss->page_first || !ss->bits)
		return -ENOMEM;
	ss->n_pages = seg->n_pages;
	ss->n_events = seg->n_events;
	return 0;
}

static void sel_segment_sum(struct sel_segment *ss, const struct index_segment *seg)
{
	uint32_t sum = 0;

	for (uint32_t p = 0; p < ss->n_pages; p++) {
		ss->page_first[p] = sum;
		sum += sel_segment_count(ss, seg->page_first[p], seg->page_first[p + 1]);
	}
	ss->page_first[ss->n_pages] = ss->count = sum;
}

/* --- matching --------------------------------------------------------------------------------- */

static bool has_bit(const uint8_t *bits, size_t n, uint32_t i)
{
	return !bits || (i < n && bits[i / 8] >> i % 8 & 1);
}

static void match_page(struct making *mk, struct helper *h, struct stream *st,
		       const struct index_segment *seg, struct sel_segment *ss, uint32_t p,
		       struct pagehold *hold)
{
	uint32_t first = seg->page_first[p], n = seg->page_first[p + 1] - first;
	struct walk_event ev;
	struct walked rec;
	struct pagewalk pw;

	if (!sel_segment_count(ss, first, first + n))
		return;
	page_hold(mk->tl, st, seg->first_page + p, hold);
	if (!hold->data || !pagewalk_start(&pw, mk->tl, st, hold->data, hold->len,
					   segment_page_ts(seg, p), segment_page_end(seg, p)))
		return;
	for (uint32_t i = first; i < first + n; i++) {
		if (!pagewalk_next(&pw, &rec, &ev.ts)) {
			ss->bits[i / 64] &= ~(UINT64_C(1) << i % 64);
			continue;
		}
		if (!sel_segment_has(ss, i))
			continue;
		ev.data = rec.data;
		ev.size = rec.size;
		ev.kind = seg->kinds[i];
		ev.task = seg->tasks[i];
		if (!record_matches(mk, h, st, &ev))
			ss->bits[i / 64] &= ~(UINT64_C(1) << i % 64);
	}
}

static bool is_stopped(struct making *mk)
{
	if (!atomic_load(&mk->stopped) && mk->stop && mk->stop(mk->stop_ctx))
		atomic_store(&mk->stopped, true);
	return atomic_load(&mk->stopped) || atomic_load(&mk->error);
}

static void match_columns(const struct making *mk, const struct index_segment *seg,
			  struct sel_segment *ss)
{
	const uint8_t *kinds = mk->kind_is_good, *tasks = mk->task_is_good;

	for (uint32_t i = 0; i < seg->n_events; i += 64) {
		uint32_t n = seg->n_events - i < 64 ? seg->n_events - i : 64;
		uint64_t word = n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX, some = 0;

		for (uint32_t k = 0; kinds && k < n; k++)
			some |= (uint64_t)kinds[seg->kinds[i + k]] << k;
		word &= kinds ? some : word;
		some = 0;
		for (uint32_t k = 0; tasks && word && k < n; k++)
			some |= (uint64_t)tasks[seg->tasks[i + k]] << k;
		ss->bits[i / 64] = word & (tasks ? some : word);
	}
}

/* Matches the records from page `from` on; the pages before it are known. */
static void match_records(struct making *mk, struct stream *st, const struct index_segment *seg,
			  struct sel_segment *ss, uint32_t from)
{
	struct helper *h = helper_take(mk);
	struct pagehold hold = {0};

	for (uint32_t p = from; h && p < ss->n_pages; p++) {
		if (!(p % STOP_PAGES) && is_stopped(mk))
			break;
		match_page(mk, h, st, seg, ss, p, &hold);
	}
	page_drop(&hold);
	if (h)
		helper_give(mk, h);
}

/*
 * Copies the earlier results for the pages of a segment, except its last page, which may have
 * grown. Returns the number of copied pages. The bits of the columns are a superset.
 */
static uint32_t take_known(const struct making *mk, const struct segment_place *place,
			   const struct index_segment *seg, struct sel_segment *ss)
{
	const struct selection *before = mk->wants->before;
	const struct sel_segment *old =
		before && before->n_drops == mk->sel->n_drops
			? selection_segment(before, place->stream, place->segment)
			: NULL;
	uint32_t pages = old && old->n_pages ? old->n_pages - 1 : 0, n;

	if (!pages || pages > seg->n_pages || seg->page_first[pages] > old->n_events)
		return 0;
	n = seg->page_first[pages];
	memcpy(ss->bits, old->bits, n / 64 * sizeof(*ss->bits));
	for (uint32_t i = n / 64 * 64; i < n; i++) {
		uint64_t bit = UINT64_C(1) << i % 64;

		ss->bits[i / 64] = (ss->bits[i / 64] & ~bit) | (old->bits[i / 64] & bit);
	}
	return pages;
}

static void job_run(void *ctx, size_t i)
{
	struct making *mk = ctx;
	const struct segment_place *place = &mk->places[i];
	struct stream *st = mk->tl->streams[place->stream];
	const struct index_segment *seg = st->segments[place->segment];
	struct sel_segment *ss = &mk->sel->streams[place->stream].segments[place->segment];

	if (is_stopped(mk))
		return;
	if (sel_segment_init(ss, seg) < 0) {
		atomic_store(&mk->error, -ENOMEM);
		return;
	}
	match_columns(mk, seg, ss);
	if (mk->wants->expression || mk->wants->text)
		match_records(mk, st, seg, ss, take_known(mk, place, seg, ss));
	sel_segment_sum(ss, seg);
}

/* --- making ----------------------------------------------------------------------------------- */

/* Checks whether the expression is valid, and for which sources. */
static int check_expression(struct making *mk, struct errmsg *err)
{
	size_t n_good = 0;
	int r = 0;

	timeline_lock_formats(mk->tl);
	for (size_t i = 0; i < mk->tl->n_kindtables; i++) {
		struct errmsg why = {0};
		struct filter *flt;

		formats_kallsyms(mk->tl->kindtables[i].formats);
		r = filter_new(&flt, mk->tl->kindtables[i].formats, mk->wants->expression, &why);
		mk->no_filter[i] = r < 0;
		if (!r) {
			filter_free(flt);
			n_good++;
		} else if (!err->code) {
			*err = why;
		}
		if (r < 0 && r != -ENOENT)
			break;
	}
	timeline_unlock_formats(mk->tl);
	if (n_good && (!r || r == -ENOENT)) {
		*err = (struct errmsg){0};
		return 0;
	}
	return err->code ? (err->code == -ENOENT ? -EINVAL : err->code) : 0;
}

static int copy_tasks(struct making *mk)
{
	size_t n = timeline_n_tasks(mk->tl);

	mk->tasks = calloc(n + 1, sizeof(*mk->tasks));
	mk->comms = calloc(n + 1, sizeof(*mk->comms));
	if (!mk->tasks || !mk->comms)
		return -ENOMEM;
	pthread_mutex_lock(&mk->tl->lock);
	for (size_t i = 0; i < n; i++) {
		const struct timeline_task *t = &tasktable_row(&mk->tl->tasks, i)->pub;

		memcpy(mk->comms[i], t->comm, TASK_COMM_BYTES);
		mk->comms[i][TASK_COMM_BYTES - 1] = 0;
		mk->tasks[i] = (struct task){.pid = t->pid,
					     .tgid = t->tgid,
					     .known = true,
					     .comm = mk->comms[i],
					     .comm_len = strlen(mk->comms[i])};
	}
	pthread_mutex_unlock(&mk->tl->lock);
	mk->n_tasks = n;
	return 0;
}

/* Allocates all segments, and lists those to match. */
static int find_places(struct making *mk)
{
	struct selection *sel = mk->sel;
	uint32_t n_streams = atomic_load(&mk->tl->n_streams);
	size_t n = 0;

	sel->streams = calloc(n_streams + 1, sizeof(*sel->streams));
	for (uint32_t i = 0; i < n_streams; i++)
		n += mk->tl->streams[i]->n_segments;
	mk->places = calloc(n + 1, sizeof(*mk->places));
	if (!sel->streams || !mk->places)
		return -ENOMEM;
	sel->n_streams = n_streams;
	for (uint32_t i = 0; i < n_streams; i++) {
		const struct stream *st = mk->tl->streams[i];
		struct sel_stream *ss = &sel->streams[i];

		ss->segments = calloc(st->n_segments + 1, sizeof(*ss->segments));
		if (!ss->segments)
			return -ENOMEM;
		ss->n_segments = st->n_segments;
		for (size_t k = 0; k < st->n_segments; k++)
			if (segment_is_ready(st->segments[k]) &&
			    has_bit(mk->wants->streams, n_streams, i))
				mk->places[mk->n_places++] = (struct segment_place){i, k};
	}
	return 0;
}

/* Returns true if the expression names events of this kind. The caller holds the formats' lock. */
static bool filter_names(const struct helper *h, const struct making *mk, const struct kind_info *k)
{
	struct record rec = {.data = (const uint8_t *)"", .event = k->pub.event};
	size_t table = 0;

	while (mk->tl->kindtables[table].source != k->pub.source)
		table++;
	return helper_filter(h, table) && rec.event &&
	       filter_match(helper_filter(h, table), &rec) != FILTER_NOT_FOUND;
}

/*
 * Makes tables of one byte for each possible number in the columns. h has the filters, or is NULL.
 */
static int make_tables(struct making *mk, const struct helper *h)
{
	const struct selection_wants *w = mk->wants;

	if (w->kinds || w->expression)
		mk->kind_is_good = calloc(UINT16_MAX + 1, 1);
	if (w->tasks)
		mk->task_is_good = calloc(UINT16_MAX + 1, 1);
	if ((!mk->kind_is_good && (w->kinds || w->expression)) || (!mk->task_is_good && w->tasks))
		return -ENOMEM;
	timeline_lock_formats(mk->tl);
	for (size_t i = 0; mk->kind_is_good && i < mk->n_kinds; i++)
		mk->kind_is_good[i] = has_bit(w->kinds, w->n_kinds, i) &&
				      (!w->expression || filter_names(h, mk, kinds_get(mk->tl, i)));
	timeline_unlock_formats(mk->tl);
	for (size_t i = 0; mk->task_is_good && i <= UINT16_MAX; i++)
		mk->task_is_good[i] = has_bit(w->tasks, w->n_tasks, i);
	return 0;
}

static int prepare_text(struct making *mk)
{
	if (!mk->wants->text)
		return 0;
	mk->needle = strdup(mk->wants->text);
	if (!mk->needle)
		return -ENOMEM;
	mk->needle_len = strlen(mk->needle);
	lower_all(mk->needle, mk->needle_len);
	return 0;
}

static int prepare(struct making *mk, struct errmsg *err)
{
	const struct selection_wants *w = mk->wants;
	struct helper *h = NULL;
	int r;

	if (w->text && strlen(w->text) > TEXT_MAX_BYTES)
		return errmsg_set(err, -EINVAL, "the text to search for is longer than %d bytes",
				  TEXT_MAX_BYTES);
	mk->n_kinds = timeline_n_kinds(mk->tl);
	mk->no_filter = calloc(mk->tl->n_kindtables + 1, sizeof(*mk->no_filter));
	if (!mk->no_filter || copy_tasks(mk) < 0 || prepare_text(mk) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot search");
	r = w->expression ? check_expression(mk, err) : 0;
	/* the first helper checks whether the text is a valid regular expression */
	if (!r && (w->expression || w->text))
		r = helper_new(mk, &h, err);
	if (!r && make_tables(mk, h) < 0)
		r = errmsg_set_errno(err, -ENOMEM, "cannot search");
	if (h)
		helper_give(mk, h);
	return r;
}

static void making_release(struct making *mk)
{
	helpers_free(mk);
	free(mk->tasks);
	free(mk->comms);
	free(mk->no_filter);
	free(mk->kind_is_good);
	free(mk->task_is_good);
	free(mk->needle);
	free(mk->places);
	pthread_mutex_destroy(&mk->lock);
}

static int make(struct making *mk, struct errmsg *err)
{
	int r;

	TRY(prepare(mk, err));
	timeline_enter(mk->tl);
	mk->sel->n_drops = atomic_load(&mk->tl->n_drops);
	r = find_places(mk);
	if (!r) {
		timeline_parallel(mk->tl, mk->n_places, job_run, mk);
		r = atomic_load(&mk->error);
	}
	timeline_leave(mk->tl);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot store the search result");
	if (atomic_load(&mk->stopped))
		return errmsg_set(err, -ECANCELED, "the search was stopped");
	for (size_t i = 0; i < mk->sel->n_streams; i++)
		for (size_t k = 0; k < mk->sel->streams[i].n_segments; k++)
			mk->sel->count += mk->sel->streams[i].segments[k].count;
	return 0;
}

int selection_new(struct selection **ret, struct timeline *tl, const struct selection_wants *wants,
		  bool (*stop)(void *ctx), void *stop_ctx, struct errmsg *err)
{
	struct selection *sel = calloc(1, sizeof(*sel));
	struct making mk = {
		.tl = tl, .sel = sel, .wants = wants, .stop = stop, .stop_ctx = stop_ctx};
	int r;

	if (!sel)
		return errmsg_set_errno(err, -ENOMEM, "cannot search");
	sel->tl = tl;
	atomic_store(&sel->n_refs, 1);
	pthread_mutex_init(&mk.lock, NULL);
	r = make(&mk, err);
	making_release(&mk);
	if (r < 0) {
		selection_free(sel);
		return r;
	}
	*ret = sel;
	return 0;
}

struct selection *selection_hold(struct selection *sel)
{
	atomic_fetch_add(&sel->n_refs, 1);
	return sel;
}

void selection_free(struct selection *sel)
{
	if (!sel || atomic_fetch_sub(&sel->n_refs, 1) > 1)
		return;
	for (size_t i = 0; i < sel->n_streams; i++) {
		for (size_t k = 0; k < sel->streams[i].n_segments; k++) {
			free(sel->streams[i].segments[k].page_first);
			free(sel->streams[i].segments[k].bits);
		}
		free(sel->streams[i].segments);
	}
	free(sel->streams);
	free(sel);
}

uint64_t selection_count(const struct selection *sel)
{
	return sel->count;
}

bool selection_has(const struct selection *sel, event_ref ref)
{
	struct timeline *tl = sel->tl;
	const struct stream *st;
	bool r = false;

	timeline_enter(tl);
	st = timeline_find_stream(tl, event_ref_stream(ref));
	if (st) {
		uint64_t n = event_ref_number(ref), page = n >> st->ref_shift;
		uint32_t index = n & ((UINT64_C(1) << st->ref_shift) - 1);
		long i = stream_page_place(st, page);
		const struct sel_segment *ss = i < 0 ? NULL : selection_segment(sel, st->number, i);

		if (ss && page - st->segments[i]->first_page < ss->n_pages)
			r = sel_segment_has(
				ss,
				st->segments[i]->page_first[page - st->segments[i]->first_page] +
					index);
	}
	timeline_leave(tl);
	return r;
}
