// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tiles.c - api/tiles, the picture; and the details of its parts: labels, span.
 *
 * A page requests all tiles of its view at once: {"seq":17,"tiles":[["cpu:0:1",LEVEL,NUMBER],…]}.
 * First the lanes are built sequentially, as all threads build each lane; then all threads cut the
 * tiles out of them. A tile that cannot be made does not affect the others: it carries a message
 * with the reason.
 *
 * Numbers and levels come from outside: a tile beyond 48 bits of time is refused.
 */
#include "base/array.h"
#include "base/json/jsonreader.h"
#include "base/scope.h"
#include "present/insight/json.h"
#include "timeline/states/interrupts.h"
#include "view/api/api.h"
#include "view/tilewire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TILES_MAX	 1024
#define NODES_MAX	 (TILES_MAX * 4 + 64)
#define LABELS_MAX	 2000
#define PLACES_MAX	 256
#define VALUES_MAX_BYTES 65536
#define LEVEL_MAX	 (48 - TILE_BITS)

struct wanted_tile {
	const char *spec;
	/* empty if the tile was refused, or if the lane belongs to an earlier tile */
	struct stage_lane held;
	struct lane *lane;
	uint64_t from, to; /* range in which the lane is correct */
	int level;
	uint64_t number;
	struct lanes_tile made;
	bool is_made; /* the tile is wider than a window of its lane */
	int result;
	char sentence[256];
};

struct tiles_job {
	struct wanted_tile *tiles;
	size_t n;
	uint64_t seq;
};

static int refuse(struct wanted_tile *t, const char *sentence)
{
	snprintf(t->sentence, sizeof(t->sentence), "%.*s", (int)sizeof(t->sentence) - 1, sentence);
	return -EINVAL;
}

/* Parses ["spec", level, number]. */
static int parse_tile(const struct jsondoc *doc, const struct jsonnode *node, struct wanted_tile *t)
{
	const struct jsonnode *spec = jsonnode_first(doc, node),
			      *level = spec ? jsonnode_next(doc, spec) : NULL,
			      *number = level ? jsonnode_next(doc, level) : NULL;
	uint64_t v;

	if (!spec || spec->kind != JSON_TEXT || !number)
		return refuse(t, "a tile needs lane, level and number");
	t->spec = spec->text;
	if (!jsonnode_uint(level, LEVEL_MAX, &v))
		return refuse(t, "a level is a number from 0 to 38");
	t->level = v;
	if (!jsonnode_uint(number, TIMELINE_TIME_MAX >> (t->level + TILE_BITS), &t->number))
		return refuse(t, "the number of the tile is too large");
	return 0;
}

static int parse_tiles(const struct jsondoc *doc, struct tiles_job *job, struct errmsg *err)
{
	const struct jsonnode *list = jsonnode_find(doc, jsondoc_root(doc), "tiles"),
			      *seq = jsonnode_find(doc, jsondoc_root(doc), "seq");

	if (!list || list->kind != JSON_ARRAY)
		return errmsg_set(err, -EINVAL, "tiles needs {\"seq\":N,\"tiles\":[…]}");
	if (seq && !jsonnode_uint(seq, UINT32_MAX, &job->seq))
		return errmsg_set(err, -EINVAL, "seq must be a number of 32 bits");
	for (const struct jsonnode *n = jsonnode_first(doc, list); n; n = jsonnode_next(doc, n)) {
		struct wanted_tile *t = &job->tiles[job->n];

		if (job->n++ == TILES_MAX)
			return errmsg_set(err, -EINVAL, "at most %d tiles at once", TILES_MAX);
		t->result = parse_tile(doc, n, t);
	}
	return 0;
}

/* Requests that the visible range is indexed first. */
static void hint(struct stage *st, const struct tiles_job *job)
{
	uint64_t from = UINT64_MAX, to = 0;

	for (size_t i = 0; i < job->n; i++) {
		const struct wanted_tile *t = &job->tiles[i];
		uint64_t start = t->number << (t->level + TILE_BITS);
		uint64_t end = start + ((uint64_t)TILE_BUCKETS << t->level);

		if (t->result < 0)
			continue;
		from = start < from ? start : from;
		to = end > to ? end : to;
	}
	if (from < to)
		timeline_hint(st->tl, from, to);
}

/* Builds all lanes at once, because lanes of tasks are cheaper together. */
static void prepare_lanes(struct stage *st, const struct tiles_job *job)
{
	const char **specs = calloc(job->n + 1, sizeof(*specs));
	size_t n = 0;

	for (size_t i = 0; specs && i < job->n; i++)
		if (job->tiles[i].result >= 0)
			specs[n++] = job->tiles[i].spec;
	if (n)
		lanes_prepare(st->lanes, specs, n);
	free(specs);
}

static uint64_t tile_start(const struct wanted_tile *t)
{
	return t->number << (t->level + TILE_BITS);
}

/* Returns true if the lane of one tile is correct in the whole range of the other. */
static bool covers(const struct wanted_tile *one, const struct wanted_tile *t,
		   const struct stage *st)
{
	uint64_t end = tile_start(t) + ((uint64_t)TILE_BUCKETS << t->level) - 1;
	uint64_t duration = timeline_duration(st->tl);

	return one->from <= tile_start(t) && one->to >= (end < duration ? end : duration);
}

/*
 * Makes a tile that is wider than the available part of the lane, from all windows of the lane.
 * This is not part of cut_tile(), because building a lane uses all threads.
 */
static void make_wide(struct stage *st, struct wanted_tile *t)
{
	struct errmsg err = {0};

	t->result = lanes_tile(st->lanes, t->spec, t->level, t->number, &t->made, &err);
	t->is_made = t->result >= 0;
	if (t->result < 0)
		refuse(t, err.code ? err.text : "no memory is left for this tile");
}

static void find_lanes(struct stage *st, struct tiles_job *job)
{
	prepare_lanes(st, job);
	for (size_t i = 0; i < job->n; i++) {
		struct wanted_tile *t = &job->tiles[i];
		struct errmsg err = {0};

		if (t->result < 0)
			continue;
		if (i && t[-1].lane && !strcmp(t[-1].spec, t->spec) && covers(&t[-1], t, st)) {
			t->lane = t[-1].lane;
			t->from = t[-1].from;
			t->to = t[-1].to;
			continue;
		}
		t->result = stage_lane_get_at(st, t->spec, tile_start(t), &t->held, &t->from,
					      &t->to, &err);
		t->lane = t->result < 0 ? NULL : t->held.lane;
		if (t->result < 0)
			refuse(t, err.code ? err.text : "the lane cannot be made");
		else if (!covers(t, t, st))
			make_wide(st, t);
	}
}

static void cut_tile(void *ctx, size_t i)
{
	struct wanted_tile *t = &((struct tiles_job *)ctx)->tiles[i];

	if (t->result < 0 || t->is_made)
		return;
	t->result = lane_tile(t->lane, t->level, t->number, &t->made.tile);
	if (t->result < 0) {
		refuse(t, "no memory is left for this tile");
		return;
	}
	t->made.kind = lane_kind(t->lane);
	t->made.n_rows = lane_n_rows(t->lane);
	if (t->made.kind == LANE_COUNTER)
		lane_range(t->lane, &t->made.low, &t->made.high);
}

static void add_tiles(struct tiles_job *job, struct textbuf *tb)
{
	tilewire_add_head(tb, job->seq, job->n);
	for (size_t i = 0; i < job->n; i++) {
		struct wanted_tile *t = &job->tiles[i];
		const struct lanes_tile *m = &t->made;
		bool is_counter = m->kind == LANE_COUNTER;

		if (t->result < 0)
			tilewire_add_refusal(tb, t->sentence);
		else
			tilewire_add_tile(tb, m->kind, m->n_rows, is_counter ? m->low : 0,
					  is_counter ? m->high : m->tile.known, &m->tile);
	}
}

int api_tiles(struct stage *st, const struct request *req, struct answer *a, struct errmsg *err)
{
	struct tiles_job job = {0};
	struct jsondoc doc;
	int r;

	TRY(jsondoc_parse(&doc, req->body, req->body_len, NODES_MAX, err));
	job.tiles = calloc(TILES_MAX + 1, sizeof(*job.tiles));
	r = job.tiles ? parse_tiles(&doc, &job, err)
		      : errmsg_set_errno(err, -ENOMEM, "cannot make tiles");
	if (r >= 0) {
		hint(st, &job);
		find_lanes(st, &job);
		timeline_parallel(st->tl, job.n, cut_tile, &job);
		a->type = "application/octet-stream";
		add_tiles(&job, &a->body);
		for (size_t i = 0; i < job.n; i++) {
			free(job.tiles[i].made.tile.records);
			if (job.tiles[i].held.lane)
				stage_lane_put(st, &job.tiles[i].held);
		}
	}
	free(job.tiles);
	jsondoc_release(&doc);
	return r;
}

/* --- single things ---------------------------------------------------------------------------- */

static int get_lane(struct stage *st, const struct request *req, struct stage_lane *ret,
		    struct errmsg *err)
{
	const char *spec = request_arg(req, "lane");

	if (!spec)
		return errmsg_set(err, -EINVAL, "lane=SPEC is missing");
	return stage_lane_get(st, spec, ret, err);
}

int api_labels(struct stage *st, const struct request *req, struct answer *a, struct errmsg *err)
{
	const char *ids = request_arg(req, "ids");
	struct stage_lane ln;
	struct jsonwriter w;

	TRY(get_lane(st, req, &ln, err));
	jsonwriter_init(&w, &a->body);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_open(&w, "labels", '[');
	for (size_t n = 0; ids && *ids && n < LABELS_MAX; n++) {
		char label[256], *end;
		unsigned long id = strtoul(ids, &end, 10);
		size_t len = 0;

		if (end == ids)
			break;
		if (id <= UINT32_MAX)
			len = lane_label(ln.lane, id, label, sizeof(label));
		jsonwriter_add_text(&w, NULL, label, len < sizeof(label) ? len : sizeof(label) - 1);
		ids = *end == ',' ? end + 1 : end;
	}
	jsonwriter_close(&w);
	jsonwriter_close(&w);
	stage_lane_put(st, &ln);
	return 0;
}

static const struct {
	const char *name;
	enum lane_step step;
} steps[] = {
	{"at", LANE_AT},
	{"nearest", LANE_NEAREST},
	{"next", LANE_NEXT},
	{"previous", LANE_PREVIOUS},
};

static int parse_step(const struct request *req, enum lane_step *ret, struct errmsg *err)
{
	const char *s = request_arg(req, "step");

	*ret = LANE_AT;
	if (!s)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(steps); i++)
		if (!strcmp(steps[i].name, s)) {
			*ret = steps[i].step;
			return 0;
		}
	return errmsg_set(err, -EINVAL, "step must be at, nearest, next or previous");
}

static void add_ref(struct jsonwriter *w, const char *key, event_ref ref)
{
	if (ref == UINT64_MAX)
		jsonwriter_add_null(w, key);
	else
		jsonwriter_add_uint(w, key, ref);
}

/* Adds the task of the event that begins a span. */
static void add_task(struct stage *st, struct jsonwriter *w, event_ref first)
{
	struct walk_one one;

	if (first == UINT64_MAX || timeline_get(st->tl, first, &one) < 0)
		return;
	if (one.ev.task < timeline_n_tasks(st->tl))
		jsonwriter_add_uint(w, "task", one.ev.task);
	walk_release(&one);
}

/* Adds the interrupt that woke a task, or the interrupt that a span of an interrupt lane shows. */
static void add_interrupt(struct stage *st, struct jsonwriter *w, const char *spec,
			  const struct lane_span *s)
{
	bool is_irq = !strncmp(spec, "irq:", 4) || !strncmp(spec, "softirq:", 8),
	     is_task = !strncmp(spec, "task:", 5);
	unsigned long machine = strtoul(strchr(spec, ':') ? strchr(spec, ':') + 1 : "0", NULL, 10);
	const char *pid = strrchr(spec, ':');
	struct interrupts *in;
	struct interrupt irq;
	struct walk_one one;
	bool found = false;

	if ((!is_irq && !(is_task && s->waker_in_irq)) || interrupts_new(&in, st->lanes, machine))
		return;
	if (is_task) {
		int task = timeline_find_task(st->tl, machine, atoi(pid + 1));

		found = task >= 0 && interrupts_find_waking(in, task, s->start, &irq);
	} else if (s->first != UINT64_MAX && timeline_get(st->tl, s->first, &one) >= 0) {
		found = interrupts_read(in, &one.ev, &irq);
		walk_release(&one);
	}
	if (found)
		interrupt_emit(&irq, "irq", w);
	interrupts_free(in);
}

/* Adds the arguments and the return value of a call. */
static void add_values(struct jsonwriter *w, const struct lane *ln, const struct lane_span *s)
{
	TEXTBUF(args, VALUES_MAX_BYTES);
	TEXTBUF(ret, VALUES_MAX_BYTES);

	lane_read_values(ln, s, &args, &ret);
	if (textbuf_len(&args))
		jsonwriter_add_text(w, "args", args.start, textbuf_len(&args));
	if (textbuf_len(&ret))
		jsonwriter_add_text(w, "ret", ret.start, textbuf_len(&ret));
}

static void add_span(struct stage *st, struct jsonwriter *w, struct lane *ln,
		     const struct lane_span *s)
{
	char label[256] = "";
	size_t len =
		lane_kind(ln) == LANE_SPANS ? lane_label(ln, s->value, label, sizeof(label)) : 0;

	jsonwriter_add_uint(w, "start", s->start);
	jsonwriter_add_uint(w, "end", s->end);
	jsonwriter_add_uint(w, "value", s->value);
	jsonwriter_add_text(w, "label", label, len < sizeof(label) ? len : sizeof(label) - 1);
	jsonwriter_add_uint(w, "row", s->row);
	jsonwriter_add_int(w, "cpu", (int32_t)s->aux);
	jsonwriter_add_uint(w, "flags", s->flags);
	jsonwriter_add_int(w, "waker", s->waker);
	jsonwriter_add_bool(w, "waker_in_irq", s->waker_in_irq);
	add_ref(w, "first", s->first);
	add_ref(w, "last", s->last);
	if (lane_kind(ln) == LANE_SPANS)
		add_task(st, w, s->first);
	add_values(w, ln, s);
	if (lane_kind(ln) == LANE_COUNTER)
		jsonwriter_add_real(w, "number", s->number, 6);
}

int api_span(struct stage *st, const struct request *req, struct answer *a, struct errmsg *err)
{
	uint64_t t, row;
	enum lane_step step;
	struct lane_span span;
	struct lane *at = NULL;
	struct stage_lane ln;
	struct jsonwriter w;
	int r;

	if (request_uint(req, "t", 0, TIMELINE_TIME_MAX, &t, err) < 0 ||
	    request_uint(req, "row", 0, 255, &row, err) < 0 || parse_step(req, &step, err) < 0 ||
	    get_lane(st, req, &ln, err) < 0)
		return errmsg_code(err);
	r = lanes_span_at(st->lanes, request_arg(req, "lane"), t, row, step, &at, &span, err);
	jsonwriter_init(&w, &a->body);
	jsonwriter_open(&w, NULL, '{');
	if (r >= 0) {
		add_span(st, &w, at, &span);
		add_interrupt(st, &w, request_arg(req, "lane"), &span);
	} else {
		jsonwriter_add_bool(&w, "none", true);
	}
	jsonwriter_close(&w);
	lane_put(at);
	stage_lane_put(st, &ln);
	return r == -ENOENT ? 0 : r;
}

/* Adds {"start":…,"end":…,"row":…,"args":"…","ret":"…"} of the call at a place, or null. */
static void add_values_at(struct stage *st, struct jsonwriter *w, const char *spec, uint64_t t,
			  unsigned row)
{
	struct errmsg ignored = {0};
	struct lane_span s;
	struct lane *ln = NULL;

	if (lanes_span_at(st->lanes, spec, t, row, LANE_AT, &ln, &s, &ignored) < 0) {
		jsonwriter_add_null(w, NULL);
	} else {
		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_uint(w, "start", s.start);
		jsonwriter_add_uint(w, "end", s.end);
		jsonwriter_add_uint(w, "flags", s.flags);
		add_values(w, ln, &s);
		jsonwriter_close(w);
	}
	lane_put(ln);
}

/* Answers with the values of the calls at places of a lane: at=ROW:TIME,ROW:TIME… */
int api_values(struct stage *st, const struct request *req, struct answer *a, struct errmsg *err)
{
	const char *at = request_arg(req, "at");
	struct stage_lane ln;
	struct jsonwriter w;

	TRY(get_lane(st, req, &ln, err));
	jsonwriter_init(&w, &a->body);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_open(&w, "values", '[');
	for (size_t n = 0; at && *at && n < PLACES_MAX; n++) {
		char *colon, *end;
		unsigned long row = strtoul(at, &colon, 10);
		uint64_t t = *colon == ':' ? strtoull(colon + 1, &end, 10) : 0;

		if (colon == at || *colon != ':' || end == colon + 1 || row > 255)
			break;
		add_values_at(st, &w, request_arg(req, "lane"),
			      t < TIMELINE_TIME_MAX ? t : TIMELINE_TIME_MAX, row);
		at = *end == ',' ? end + 1 : end;
	}
	jsonwriter_close(&w);
	jsonwriter_close(&w);
	stage_lane_put(st, &ln);
	return 0;
}
