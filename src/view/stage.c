// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stage.c - an opened trace with all data that answers need.
 *
 *	timeline, lanes   thread-safe, shared by all threads
 *	printers          have their own caches, so each belongs to one request at a time; unused
 *	                  ones wait in a list. There are never more than concurrent requests.
 *	selections        the 16 last used, each with the request that made it, so that two tabs
 *	                  with the same request share it. A selection that is dropped during a
 *	                  request is freed by that request. In a live trace, a selection in use is
 *	                  made again when there is more data, and replaces the old one; at most
 *	                  every RENEW_NS.
 *
 * One mutex protects the lists; it is never held during computation.
 */
#include "view/stage.h"
#include "base/clock.h"
#include "base/conveyor.h"
#include "base/errmsg.h"
#include "base/lock.h"
#include "base/scope.h"
#include "decode/record.h"
#include "view/api/api.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RENEW_NS    UINT64_C(200000000)
#define RENEW_TIMES 8

int stage_new(struct stage **ret, const struct stage_config *config, struct errmsg *err)
{
	SCOPED(stage_free_scoped) struct stage *st = calloc(1, sizeof(*st));
	unsigned n_threads = config->n_threads ? config->n_threads : conveyor_default_threads();

	if (!st)
		return errmsg_set_errno(err, -ENOMEM, "cannot show %s", config->title);
	pthread_mutex_init(&st->lock, NULL);
	st->config = *config;
	st->is_live = config->is_live;
	st->style = (struct line_style){.sources = config->lines, .n_sources = config->n_sources};
	TRY(timeline_new(&st->tl, config->sources, config->n_sources, n_threads, err));
	if (lanes_new(&st->lanes, st->tl) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot show %s", config->title);
	*ret = TAKE(st);
	return 0;
}

int stage_start(struct stage *st, const char *cache_dir, struct errmsg *err)
{
	if (timeline_start(st->tl, cache_dir, err) < 0)
		return errmsg_code(err);
	if (st->config.is_live && lanes_follow(st->lanes, true) < 0)
		return errmsg_set_errno(err, -EAGAIN, "cannot start a thread");
	return 0;
}

void stage_end_live(struct stage *st)
{
	timeline_end(st->tl);
	lanes_follow(st->lanes, false);
	__atomic_store_n(&st->is_live, false, __ATOMIC_RELAXED);
}

static void selection_drop(struct stage *st, struct stage_selection *s)
{
	if (st->lanes && !s->is_old)
		lanes_set_selection(st->lanes, s->id, NULL);
	selection_free(s->sel);
	free(s->body);
	free(s);
}

void stage_free(struct stage *st)
{
	if (!st)
		return;
	while (st->printers) {
		struct stage_printer *p = st->printers;

		st->printers = p->next;
		line_printer_release(&p->lp);
		free(p);
	}
	for (size_t i = 0; i < STAGE_SELECTIONS; i++)
		if (st->selections[i])
			selection_drop(st, st->selections[i]);
	if (st->lanes)
		lanes_free(st->lanes);
	if (st->tl)
		timeline_free(st->tl);
	free(st->command);
	pthread_mutex_destroy(&st->lock);
	free(st);
}

/* --- printing --------------------------------------------------------------------------------- */

struct stage_printer *stage_printer_get(struct stage *st, struct textbuf *out)
{
	uint32_t version = timeline_symbols_version(st->tl);
	struct stage_printer *p;

	pthread_mutex_lock(&st->lock);
	p = st->printers;
	if (p)
		st->printers = p->next;
	pthread_mutex_unlock(&st->lock);
	if (p && p->symbols != version) { /* it remembers addresses without a name */
		line_printer_release(&p->lp);
		free(p);
		p = NULL;
	}
	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p || line_printer_init(&p->lp, &st->style) < 0) {
			free(p);
			return NULL;
		}
		p->symbols = version;
	}
	line_printer_aim(&p->lp, out);
	return p;
}

void stage_printer_put(struct stage *st, struct stage_printer *p)
{
	LOCKED(&st->lock);
	p->next = st->printers;
	st->printers = p;
}

bool stage_record(const struct stage *st, const struct walk_event *ev, struct record *ret,
		  struct record_extra *extra)
{
	const struct timeline_stream *stream = timeline_stream(st->tl, event_ref_stream(ev->ref));
	const struct timeline_kind *kind =
		ev->kind < timeline_n_kinds(st->tl) ? timeline_kind(st->tl, ev->kind) : NULL;

	*ret = (struct record){.ts = timeline_origin(st->tl) + ev->ts,
			       .data = ev->data,
			       .size = ev->size,
			       .event = kind ? kind->event : NULL,
			       .cpu = stream->cpu,
			       .source = stream->source};
	if (ev->missed) {
		*extra = (struct record_extra){.missed = ev->missed > 0 ? ev->missed : 0};
		ret->flags = RECORD_MISSED;
		ret->extra = extra;
	}
	return ret->event;
}

/* --- selections ------------------------------------------------------------------------------- */

static struct stage_selection *use(struct stage *st, struct stage_selection *s)
{
	s->used = ++st->clock;
	s->users++;
	return s;
}

static bool is_stale(struct stage *st, const struct stage_selection *s)
{
	uint64_t rest = s->cost_ns * RENEW_TIMES;

	return st->config.is_live && s->n_events != timeline_n_events(st->tl) &&
	       clock_now_ns() - s->made_ns > (rest > RENEW_NS ? rest : RENEW_NS);
}

/*
 * Makes the selection again with new data. On failure returns the old one. If two threads do this,
 * the later result is used.
 */
static struct stage_selection *renew(struct stage *st, struct stage_selection *s)
{
	struct stage_selection *now;
	struct errmsg err = {0};

	if (api_select_again(st, s, &now, &err) < 0)
		return s;
	pthread_mutex_lock(&st->lock);
	s->is_old = true;
	pthread_mutex_unlock(&st->lock);
	stage_selection_put(st, s);
	return now;
}

int stage_selection_get(struct stage *st, uint64_t id, struct stage_selection **ret,
			struct errmsg *err)
{
	struct stage_selection *found = NULL;

	pthread_mutex_lock(&st->lock);
	for (size_t i = 0; id && i < STAGE_SELECTIONS && !found; i++)
		if (st->selections[i] && st->selections[i]->id == id)
			found = use(st, st->selections[i]);
	pthread_mutex_unlock(&st->lock);
	if (found && is_stale(st, found))
		found = renew(st, found);
	if (id && !found)
		return errmsg_set(err, -ENOENT, "selection %llu has expired; select again",
				  (unsigned long long)id);
	*ret = found;
	return 0;
}

struct stage_selection *stage_selection_find(struct stage *st, const char *body, size_t len)
{
	uint64_t n_events = timeline_n_events(st->tl);
	struct stage_selection *found = NULL;

	pthread_mutex_lock(&st->lock);
	for (size_t i = 0; i < STAGE_SELECTIONS && !found; i++) {
		struct stage_selection *s = st->selections[i];

		if (s && (s->n_events == n_events || st->config.is_live) && s->body_len == len &&
		    !memcmp(s->body, body, len))
			found = use(st, s);
	}
	pthread_mutex_unlock(&st->lock);
	return found && is_stale(st, found) ? renew(st, found) : found;
}

/*
 * Returns the place of the selection with this number, a free one, or the least recently used one.
 */
static size_t find_place(const struct stage *st, uint64_t id)
{
	size_t best = 0;

	for (size_t i = 0; id && i < STAGE_SELECTIONS; i++)
		if (st->selections[i] && st->selections[i]->id == id)
			return i;

	for (size_t i = 0; i < STAGE_SELECTIONS; i++) {
		if (!st->selections[i])
			return i;
		if (st->selections[i]->used < st->selections[best]->used)
			best = i;
	}
	return best;
}

int stage_selection_add(struct stage *st, const struct stage_selection *what, struct selection *sel,
			struct stage_selection **ret, struct errmsg *err)
{
	struct stage_selection *s = calloc(1, sizeof(*s)), *gone = NULL;
	size_t place;

	if (s)
		s->body = malloc(what->body_len + 1);
	if (!s || !s->body) {
		free(s);
		selection_free(sel);
		return errmsg_set_errno(err, -ENOMEM, "cannot store the selection");
	}
	memcpy(s->body, what->body, what->body_len);
	s->body_len = what->body_len;
	s->n_events = what->n_events;
	s->made_ns = what->made_ns;
	s->cost_ns = what->cost_ns;
	s->sel = sel;
	pthread_mutex_lock(&st->lock);
	place = find_place(st, what->id);
	gone = st->selections[place];
	s->id = what->id ? what->id : ++st->last_id;
	if (gone && gone->id == s->id)
		gone->is_old = true;
	if (gone && gone->users) {
		gone->is_gone = true;
		gone = NULL;
	}
	st->selections[place] = use(st, s);
	pthread_mutex_unlock(&st->lock);
	if (gone)
		selection_drop(st, gone);
	/* without its lane the selection can still be listed */
	lanes_set_selection(st->lanes, s->id, sel);
	*ret = s;
	return 0;
}

void stage_selection_put(struct stage *st, struct stage_selection *s)
{
	bool last;

	if (!s)
		return;
	pthread_mutex_lock(&st->lock);
	last = !--s->users && s->is_gone;
	pthread_mutex_unlock(&st->lock);
	if (last)
		selection_drop(st, s);
}

/* --- lanes ------------------------------------------------------------------------------------ */

int stage_lane_get_at(struct stage *st, const char *spec, uint64_t t, struct stage_lane *ret,
		      uint64_t *ret_from, uint64_t *ret_to, struct errmsg *err)
{
	static const char found[] = "found:";
	size_t len = sizeof(found) - 1;
	int r = 0;

	*ret = (struct stage_lane){0};
	if (!strncmp(spec, found, len) && spec[len] >= '0' && spec[len] <= '9')
		r = stage_selection_get(st, strtoull(spec + len, NULL, 10), &ret->sel, err);
	if (r >= 0)
		r = lane_get_at(st->lanes, spec, t, &ret->lane, ret_from, ret_to, err);
	if (r < 0) {
		stage_selection_put(st, ret->sel);
		*ret = (struct stage_lane){0};
	}
	return r;
}

int stage_lane_get(struct stage *st, const char *spec, struct stage_lane *ret, struct errmsg *err)
{
	uint64_t from, to;

	return stage_lane_get_at(st, spec, 0, ret, &from, &to, err);
}

void stage_lane_put(struct stage *st, struct stage_lane *ln)
{
	lane_put(ln->lane);
	stage_selection_put(st, ln->sel);
}
