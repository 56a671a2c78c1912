// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export.c - api/export: what the page shows, as a file to save.
 *
 *	svg, html   the picture; see picture.h
 *	csv         the events of the range, as `sonde report --csv` prints them
 *	json        like `--json`, but in one array, so that it is one JSON text; one line each
 *
 * A file is made in memory, so there is a ceiling (ANSWER_MAX_BYTES); to export whole traces, use
 * `sonde export` or `sonde report`.
 */
#include "base/array.h"
#include "base/scope.h"
#include "decode/record.h"
#include "present/rows.h"
#include "symbols/tasks.h"
#include "timeline/timeline.h"
#include "view/api/api.h"
#include "view/picture/picture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH_FIRST 1200
#define PIECE	    256

typedef int (*export_function)(struct stage *st, const struct picture *pic,
			       struct stage_selection *sel, struct textbuf *out,
			       struct errmsg *err);

static int export_svg(struct stage *st, const struct picture *pic, struct stage_selection *sel,
		      struct textbuf *out, struct errmsg *err)
{
	return picture_add_svg(st, pic, out, err);
}

static int export_html(struct stage *st, const struct picture *pic, struct stage_selection *sel,
		       struct textbuf *out, struct errmsg *err)
{
	return picture_add_html(st, pic, out, err);
}

typedef size_t (*add_records)(struct line_printer *lp, const struct batch *b, size_t from,
			      size_t max_bytes);

static void add_event(struct stage *st, struct line_printer *lp, const struct walk_event *ev,
		      add_records add)
{
	const struct timeline_task *t =
		ev->task < timeline_n_tasks(st->tl) ? timeline_task(st->tl, ev->task) : NULL;
	struct task task = {.tgid = -1};
	struct record_extra extra;
	struct record rec;
	struct batch one = {.records = &rec, .n = 1};

	stage_record(st, ev, &rec, &extra);
	if (t) {
		task.pid = t->pid;
		task.comm = t->comm;
		task.comm_len = strnlen(t->comm, sizeof(t->comm));
		task.known = task.comm_len && strcmp(t->comm, "<...>");
		rec.task = &task;
	}
	add(lp, &one, 0, SIZE_MAX);
}

/* Adds the events. between: separator of two events, instead of the end of the line; NULL: none. */
static int add_events(struct stage *st, const struct picture *pic, const struct selection *sel,
		      struct textbuf *out, add_records add, const char *between)
{
	bool any = false;
	struct stage_printer *p = stage_printer_get(st, out);
	uint64_t row = timeline_rank(st->tl, sel, pic->from),
		 end = timeline_rank(st->tl, sel, pic->to + 1);
	event_ref refs[PIECE];
	uint64_t times[PIECE];

	if (!p)
		return -ENOMEM;
	while (row < end && !out->overflow) {
		size_t want = end - row > PIECE ? PIECE : end - row,
		       n = timeline_rows(st->tl, sel, row, refs, times, want);

		for (size_t i = 0; i < n; i++) {
			struct walk_one one;

			if (timeline_get(st->tl, refs[i], &one) < 0)
				continue;
			if (any && between)
				textbuf_add_str(out, between);
			any = true;
			add_event(st, &p->lp, &one.ev, add);
			if (between && out->pos > out->start && out->pos[-1] == '\n')
				out->pos--;
			walk_release(&one);
		}
		if (!n)
			break;
		row += n;
	}
	stage_printer_put(st, p);
	return 0;
}

static int export_csv(struct stage *st, const struct picture *pic, struct stage_selection *sel,
		      struct textbuf *out, struct errmsg *err)
{
	textbuf_add_str(out, rows_csv_header);
	return add_events(st, pic, stage_selected(sel), out, rows_add_csv, NULL);
}

static int export_json(struct stage *st, const struct picture *pic, struct stage_selection *sel,
		       struct textbuf *out, struct errmsg *err)
{
	int r;

	textbuf_add_str(out, "[\n");
	r = add_events(st, pic, stage_selected(sel), out, rows_add_json, ",\n");
	textbuf_add_str(out, "\n]\n");
	return r;
}

static const struct {
	const char *name, *type;
	export_function run;
	bool needs_lanes;
} whats[] = {
	{"svg", "image/svg+xml", export_svg, true},
	{"html", "text/html; charset=utf-8", export_html, true},
	{"csv", "text/csv; charset=utf-8", export_csv, false},
	{"json", "application/json", export_json, false},
};

static int find_what(const struct request *req, struct errmsg *err)
{
	const char *what = request_arg(req, "what");

	for (size_t i = 0; what && i < ARRAY_LEN(whats); i++)
		if (!strcmp(whats[i].name, what))
			return i;
	return errmsg_set(err, -EINVAL, "what must be svg, html, csv or json");
}

/*
 * Reads marks=NAME:TIME,NAME:TIME… and range=FROM,TO, as in the page's address. Skips invalid
 * marks.
 */
static void read_marks(const struct request *req, struct picture_mark *marks, struct picture *pic)
{
	const char *text = request_arg(req, "marks"), *range = request_arg(req, "range");
	unsigned long long a, b;

	pic->marks = marks;
	while (text && *text && pic->n_marks < PICTURE_MARKS_MAX) {
		struct picture_mark *m = &marks[pic->n_marks];
		int n = 0;

		if (sscanf(text, "%7[A-Z]:%llu%n", m->name, &a, &n) == 2 && n) {
			m->t = a;
			pic->n_marks++;
		}
		text = strchr(text, ',') ? strchr(text, ',') + 1 : NULL;
	}
	if (range && sscanf(range, "%llu,%llu", &a, &b) == 2) {
		pic->range_from = a;
		pic->range_to = b;
	}
}

static int run(struct stage *st, const struct request *req, int what, const char *lanes,
	       struct answer *a, struct errmsg *err)
{
	const char *specs[PICTURE_LANES_MAX];
	SCOPED(scope_free) char *copy = strdup(lanes ? lanes : "");
	struct picture_mark marks[PICTURE_MARKS_MAX];
	struct picture pic = {.specs = specs, .shows_refused = true};
	struct stage_selection *sel = NULL;
	SCOPED(scope_free) uint8_t *tasks = NULL;
	uint64_t width;
	int r;

	if (!copy)
		return errmsg_set_errno(err, -ENOMEM, "cannot export");
	TRY(api_range(st, req, &pic.from, &pic.to, err));
	TRY(request_uint(req, "width", WIDTH_FIRST, PICTURE_WIDTH_MAX, &width, err));
	TRY(api_selection(st, req, &sel, err));
	r = api_select_tasks(st, sel, &tasks, err);
	if (r >= 0) {
		pic.tasks = tasks;
		read_marks(req, marks, &pic);
		pic.width = width < PICTURE_WIDTH_MIN ? PICTURE_WIDTH_MIN : width;
		pic.sel = stage_selected(sel);
		pic.n_specs = picture_split(copy, specs, PICTURE_LANES_MAX);
		r = whats[what].needs_lanes && !pic.n_specs
			    ? errmsg_set(err, -EINVAL, "lanes=SPEC,SPEC… is missing")
			    : whats[what].run(st, &pic, sel, &a->body, err);
	}
	stage_selection_put(st, sel);
	return r;
}

/*
 * Writes "trace.svg" for "trace.dat", and replaces unsuitable characters by _. web/save.js does the
 * same.
 */
static void fmt_name(const char *title, const char *ending, char *buf, size_t size)
{
	const char *dat = strstr(title, ".dat and "), *end = title + strlen(title);
	size_t n = 0;

	if (!dat && end - title > 4 && !strcmp(end - 4, ".dat"))
		dat = end - 4;
	for (const char *c = title; *c && n < size / 2; c++) {
		if (c == dat)
			c += strlen(".dat") - 1;
		else if ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
			 (*c >= '0' && *c <= '9') || strchr("_.-", *c))
			buf[n++] = *c;
		else if (!n || buf[n - 1] != '_')
			buf[n++] = '_';
	}
	snprintf(buf + n, size - n, "%s.%s", n ? "" : "trace", ending);
}

int api_export(struct stage *st, const struct request *req, struct answer *a, struct errmsg *err)
{
	int what = find_what(req, err);

	TRY(what);
	a->type = whats[what].type;
	fmt_name(st->config.title, whats[what].name, a->download, sizeof(a->download));
	return run(st, req, what, request_arg(req, "lanes"), a, err);
}
