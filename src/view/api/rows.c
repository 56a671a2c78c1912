// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rows.c - the list of events: api/rows, rank, row, event, hit, loss.
 *
 * Rows are numbered over all events of all CPUs in time order, or over those of a selection; the
 * page scrolls through any number of them and requests only what it shows. The printers of `sonde
 * report` make the texts; the fields of one event are as in `sonde report --json`.
 */
#include "base/scope.h"
#include "decode/formats/formats.h"
#include "present/rows.h"
#include "timeline/timeline.h"
#include "view/api/api.h"

#include "base/json/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_FIRST	 100
#define ROWS_MAX	 1000
#define REF_MAX		 ((UINT64_C(1) << 53) - 1)
#define ROW_MAX		 REF_MAX
#define FRAMES_MAX_BYTES 65536

static const struct timeline_task *task_of(const struct stage *st, const struct walk_event *ev)
{
	return ev->task < timeline_n_tasks(st->tl) ? timeline_task(st->tl, ev->task) : NULL;
}

/*
 * Adds the task: from the column, or from the record if there are more tasks than column numbers.
 */
static void add_task(struct stage *st, struct jsonwriter *w, const struct walk_event *ev,
		     const struct record *rec)
{
	const struct formats *f = st->config.lines[rec->source].formats;
	const struct timeline_task *t = task_of(st, ev);
	int pid = formats_common(f, &f->pid, rec->data, rec->size);

	jsonwriter_add_int(w, "pid", pid);
	jsonwriter_add_int(w, "task", t ? ev->task : -1);
	if (t && t->comm[0])
		jsonwriter_add_text(w, "comm", t->comm, strnlen(t->comm, sizeof(t->comm)));
	else
		jsonwriter_add_null(w, "comm");
}

/* Starts the info of an event, which the printer writes into the same text. */
static void add_raw_member(struct jsonwriter *w, const char *key)
{
	if (w->comma)
		textbuf_add_char(w->tb, ',');
	w->comma = true;
	textbuf_add_char(w->tb, '"');
	textbuf_add_str(w->tb, key);
	textbuf_add_str(w->tb, "\":");
}

static void add_event(struct stage *st, struct jsonwriter *w, struct line_printer *lp,
		      const struct walk_event *ev, const struct record *rec, uint64_t row)
{
	const struct line_source *src = &st->config.lines[rec->source];

	jsonwriter_add_uint(w, "ref", ev->ref);
	jsonwriter_add_uint(w, "row", row);
	jsonwriter_add_uint(w, "ts", ev->ts);
	jsonwriter_add_uint(w, "cpu", rec->cpu);
	jsonwriter_add_uint(w, "machine", st->config.sources[rec->source].machine);
	if (st->config.n_files > 1)
		jsonwriter_add_string(w, "file", st->config.sources[rec->source].file);
	if (src->buffer)
		jsonwriter_add_string(w, "buffer", src->buffer);
	add_task(st, w, ev, rec);
	if (rec->event) {
		jsonwriter_add_string(w, "event", rec->event->name);
		jsonwriter_add_string(w, "system", rec->event->system);
	} else {
		jsonwriter_add_null(w, "event");
		jsonwriter_add_null(w, "system");
	}
	jsonwriter_add_uint(w, "kind", ev->kind);
	add_raw_member(w, "info");
	if (rec->event)
		rows_add_info(lp, rec);
	else
		textbuf_add_str(w->tb, "\"\"");
	if (ev->missed)
		jsonwriter_add_int(w, "missed", ev->missed > 0 ? ev->missed : -1);
}

static int add_rows(struct stage *st, const struct selection *sel, uint64_t row, uint64_t n,
		    struct answer *a, struct errmsg *err)
{
	event_ref *refs = calloc(n + 1, sizeof(*refs));
	uint64_t *times = calloc(n + 1, sizeof(*times));
	struct stage_printer *p = stage_printer_get(st, &a->body);
	struct jsonwriter w;
	size_t got;

	if (!refs || !times || !p) {
		free(refs);
		free(times);
		if (p)
			stage_printer_put(st, p);
		return errmsg_set_errno(err, -ENOMEM, "cannot list events");
	}
	got = timeline_rows(st->tl, sel, row, refs, times, n);
	jsonwriter_init(&w, &a->body);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_uint(&w, "total", sel ? selection_count(sel) : timeline_n_events(st->tl));
	jsonwriter_open(&w, "rows", '[');
	for (size_t i = 0; i < got; i++) {
		struct walk_one one;
		struct record rec;
		struct record_extra extra;

		if (timeline_get(st->tl, refs[i], &one) < 0)
			continue;
		stage_record(st, &one.ev, &rec, &extra);
		jsonwriter_open(&w, NULL, '{');
		add_event(st, &w, &p->lp, &one.ev, &rec, row + i);
		jsonwriter_close(&w);
		walk_release(&one);
	}
	jsonwriter_close(&w);
	jsonwriter_close(&w);
	stage_printer_put(st, p);
	free(refs);
	free(times);
	return 0;
}

int api_rows(struct stage *st, const struct request *req, struct answer *a, struct errmsg *err)
{
	struct stage_selection *s;
	uint64_t row, n;
	int r;

	if (request_uint(req, "row", 0, ROW_MAX, &row, err) < 0 ||
	    request_uint(req, "n", ROWS_FIRST, ROWS_MAX, &n, err) < 0 ||
	    api_selection(st, req, &s, err) < 0)
		return errmsg_code(err);
	r = add_rows(st, stage_selected(s), row, n, a, err);
	stage_selection_put(st, s);
	return r;
}

static void add_row(struct answer *a, uint64_t row)
{
	struct jsonwriter w;

	jsonwriter_init(&w, &a->body);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_uint(&w, "row", row);
	jsonwriter_close(&w);
}

int api_rank(struct stage *st, const struct request *req, struct answer *a, struct errmsg *err)
{
	struct stage_selection *s;
	uint64_t t;

	if (request_uint(req, "t", 0, TIMELINE_TIME_MAX, &t, err) < 0 ||
	    api_selection(st, req, &s, err) < 0)
		return errmsg_code(err);
	add_row(a, timeline_rank(st->tl, stage_selected(s), t));
	stage_selection_put(st, s);
	return 0;
}

/* Reads ref=N of an existing event. The caller releases *ret. */
static int get_event(struct stage *st, const struct request *req, struct walk_one *ret,
		     struct errmsg *err)
{
	uint64_t ref;

	TRY(request_uint(req, "ref", UINT64_MAX, REF_MAX, &ref, err));
	if (ref == UINT64_MAX)
		return errmsg_set(err, -EINVAL, "ref=N is missing");
	if (event_ref_stream(ref) >= timeline_n_streams(st->tl) ||
	    timeline_get(st->tl, ref, ret) < 0)
		return errmsg_set(err, -ENOENT, "unknown event %llu", (unsigned long long)ref);
	return 0;
}

int api_row(struct stage *st, const struct request *req, struct answer *a, struct errmsg *err)
{
	struct stage_selection *s;
	struct walk_one one;
	int r;

	TRY(get_event(st, req, &one, err));
	r = api_selection(st, req, &s, err);
	if (r >= 0) {
		add_row(a, timeline_row_of(st->tl, stage_selected(s), one.ev.ref));
		stage_selection_put(st, s);
	}
	walk_release(&one);
	return r;
}

/*
 * Adds the stack frames of a program, as report prints them: one line "=> 0x401234" each. Skips
 * frames that are 0.
 */
static void add_user_frames(struct jsonwriter *w, struct line_printer *lp, const struct record *rec,
			    bool is_first)
{
	TEXTBUF(text, FRAMES_MAX_BYTES);
	const char *at, *end;

	line_printer_aim(lp, &text);
	line_printer_add_info(lp, rec, false);
	line_printer_aim(lp, w->tb);
	textbuf_add_char(&text, 0);
	at = text.overflow ? NULL : text.start;
	end = text.pos - 1;
	while (at && at < end && (at = memmem(at, end - at, "=> ", 3))) {
		const char *line = at + 3, *stop = memchr(line, '\n', end - line);
		size_t len = (stop ? stop : end) - line;

		if (strspn(line, "0x()") < len) {
			textbuf_add_str(w->tb, is_first ? "" : ",");
			json_add_string(w->tb, line, len);
			is_first = false;
		}
		at = line + len;
	}
}

/* Gets the next event, if it is a stack of this name of the same task. The caller releases it. */
static bool get_stack(struct stage *st, const struct walk_event *ev, const char *name,
		      struct walk_one *ret, struct record *ret_rec, struct record_extra *extra)
{
	event_ref ref;

	if (timeline_step(st->tl, ev->ref, 1, &ref) < 0 || timeline_get(st->tl, ref, ret) < 0)
		return false;
	if (ret->ev.task == ev->task && stage_record(st, &ret->ev, ret_rec, extra) &&
	    ret_rec->event->is_ftrace && !strcmp(ret_rec->event->name, name))
		return true;
	walk_release(ret);
	return false;
}

/*
 * Adds the stacks that the kernel wrote right after the event: its own, then that of the program.
 */
static void add_stack(struct stage *st, struct jsonwriter *w, struct line_printer *lp,
		      const struct walk_event *ev)
{
	struct walk_one kernel, user;
	struct record rec;
	struct record_extra extra;
	bool has_kernel = get_stack(st, ev, "kernel_stack", &kernel, &rec, &extra), any = false;

	if (has_kernel) {
		add_raw_member(w, "stack");
		any = rows_add_stack(lp, &rec) && !w->tb->overflow && w->tb->pos[-2] != '[';
		if (!w->tb->overflow && w->tb->pos[-1] == ']')
			w->tb->pos--;
		else
			textbuf_add_char(w->tb, '[');
	}
	if (get_stack(st, has_kernel ? &kernel.ev : ev, "user_stack", &user, &rec, &extra)) {
		if (!has_kernel) {
			add_raw_member(w, "stack");
			textbuf_add_char(w->tb, '[');
		}
		add_user_frames(w, lp, &rec, !any);
		textbuf_add_char(w->tb, ']');
		walk_release(&user);
	} else if (has_kernel) {
		textbuf_add_char(w->tb, ']');
	}
	if (has_kernel)
		walk_release(&kernel);
}

int api_event(struct stage *st, const struct request *req, struct answer *a, struct errmsg *err)
{
	struct stage_printer *p;
	struct walk_one one;
	struct record rec;
	struct record_extra extra;
	struct jsonwriter w;

	TRY(get_event(st, req, &one, err));
	p = stage_printer_get(st, &a->body);
	if (!p) {
		walk_release(&one);
		return errmsg_set_errno(err, -ENOMEM, "cannot show the event");
	}
	stage_record(st, &one.ev, &rec, &extra);
	jsonwriter_init(&w, &a->body);
	jsonwriter_open(&w, NULL, '{');
	add_event(st, &w, &p->lp, &one.ev, &rec, timeline_row_of(st->tl, NULL, one.ev.ref));
	if (rec.event) {
		add_raw_member(&w, "fields");
		rows_add_fields(&p->lp, &rec);
		add_raw_member(&w, "latency");
		textbuf_add_char(&a->body, '"');
		line_printer_add_flags(&p->lp, &rec);
		textbuf_add_char(&a->body, '"');
		if (!rec.event->is_ftrace || strcmp(rec.event->name, "kernel_stack"))
			add_stack(st, &w, &p->lp, &one.ev);
		else {
			add_raw_member(&w, "stack");
			if (!rows_add_stack(&p->lp, &rec))
				textbuf_add_str(&a->body, "[]");
		}
	}
	jsonwriter_close(&w);
	stage_printer_put(st, p);
	walk_release(&one);
	return 0;
}

/* Finds the selected event after t, or before it. */
static bool find_hit(struct stage *st, const struct selection *sel, uint64_t t, bool back,
		     event_ref *ret_ref, uint64_t *ret_ts, uint64_t *ret_row)
{
	uint64_t row = timeline_rank(st->tl, sel, back ? t : t + 1);

	if (back && !row)
		return false;
	*ret_row = back ? row - 1 : row;
	return timeline_rows(st->tl, sel, *ret_row, ret_ref, ret_ts, 1) == 1;
}

/* Reads t=, and step=next or previous. */
static int get_step(const struct request *req, uint64_t *ret_t, bool *ret_back, struct errmsg *err)
{
	const char *step = request_arg(req, "step");

	*ret_back = step && !strcmp(step, "previous");
	if (step && !*ret_back && strcmp(step, "next"))
		return errmsg_set(err, -EINVAL, "step must be next or previous");
	return request_uint(req, "t", 0, TIMELINE_TIME_MAX, ret_t, err);
}

int api_hit(struct stage *st, const struct request *req, struct answer *a, struct errmsg *err)
{
	struct stage_selection *s;
	uint64_t t, ts, row;
	event_ref ref;
	struct jsonwriter w;
	bool back;

	if (get_step(req, &t, &back, err) < 0 || api_selection(st, req, &s, err) < 0)
		return errmsg_code(err);
	jsonwriter_init(&w, &a->body);
	jsonwriter_open(&w, NULL, '{');
	if (find_hit(st, stage_selected(s), t, back, &ref, &ts, &row)) {
		jsonwriter_add_uint(&w, "ref", ref);
		jsonwriter_add_uint(&w, "ts", ts);
		jsonwriter_add_uint(&w, "row", row);
	} else {
		jsonwriter_add_bool(&w, "none", true);
	}
	jsonwriter_close(&w);
	stage_selection_put(st, s);
	return 0;
}

/* Finds the next loss of events, and the total number. */
int api_loss(struct stage *st, const struct request *req, struct answer *a, struct errmsg *err)
{
	struct timeline_losses all;
	struct timeline_loss loss;
	struct jsonwriter w;
	uint64_t t;
	bool back;

	TRY(get_step(req, &t, &back, err));
	timeline_losses(st->tl, &all);
	jsonwriter_init(&w, &a->body);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_uint(&w, "events", all.n_events);
	jsonwriter_add_uint(&w, "places", all.n_places);
	jsonwriter_add_bool(&w, "counted", all.is_all);
	if (timeline_find_loss(st->tl, t, back, &loss) >= 0) {
		const struct timeline_stream *in =
			timeline_stream(st->tl, event_ref_stream(loss.ref));

		jsonwriter_add_uint(&w, "ref", loss.ref);
		jsonwriter_add_uint(&w, "ts", loss.ts);
		jsonwriter_add_uint(&w, "machine", timeline_source(st->tl, in->source)->machine);
		jsonwriter_add_uint(&w, "cpu", in->cpu);
		jsonwriter_add_int(&w, "missed", loss.missed > 0 ? loss.missed : -1);
	} else {
		jsonwriter_add_bool(&w, "none", true);
	}
	jsonwriter_close(&w);
	return 0;
}
