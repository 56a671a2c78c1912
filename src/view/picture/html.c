// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * html.c - writes a range as one page that needs no server, to send or to keep.
 *
 *	what is missing in the trace, if anything
 *	the picture (svg.c), which a small script zooms and moves, with tooltips
 *	numbers: time per task and state, events by kind, wakeup latencies
 *	the events of the range, the first EVENTS_MAX of them, and their total number
 *
 * The numbers are the objects of api/stats, as text in the page; the script (web/saved.js) makes
 * tables of them. The page fetches nothing and runs no other script: its own policy forbids it. The
 * page opens from a file, in both themes.
 */
#include "base/errmsg.h"
#include "base/json/jsonwriter.h"
#include "base/scope.h"
#include "base/sha256.h"
#include "decode/record.h"
#include "present/insight/json.h"
#include "present/rows.h"
#include "timeline/insight/insight.h"
#include "view/assets.h"
#include "view/picture/picture_int.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define EVENTS_MAX 2000
#define PIECE	   200

static const char head[] =
	"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	"base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; script-src 'sha256-";
static const char head_end[] = "'\">\n<meta name=\"viewport\" content=\"width=device-width\">\n";
static const char script_start[] =
	"\n"; /* between the tag and the script, so it is part of the hashed script */

static const char hint[] = "<p class=\"dim hint\">Wheel or + and -: zoom. Drag or arrows: move. "
			   "Double click or 0: all.</p>\n"
			   "<h2>Tasks</h2><div id=\"tasks\"></div>\n";
static const char lists[] = "<h2>Events by kind</h2><div id=\"kinds\"></div>\n<h2>Events</h2>\n";
static const char filtered[] =
	"<p class=\"dim\">Of tasks and events only those that pass the filter.</p>\n";

/* Finds a file of web/, which must exist. */
static const struct asset *find_asset(const char *name)
{
	const struct asset *a = assets;

	while (strcmp(a->name, name))
		a++;
	return a;
}

static void add_asset(struct textbuf *out, const char *name)
{
	const struct asset *a = find_asset(name);

	textbuf_add(out, (const char *)a->data, a->n_bytes);
}

static void add_base64(struct textbuf *out, const uint8_t *data, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		size_t left = len - i;
		uint32_t v = data[i] << 16 | (left > 1 ? data[i + 1] << 8 : 0) |
			     (left > 2 ? data[i + 2] : 0);

		textbuf_add_char(out, digits[v >> 18]);
		textbuf_add_char(out, digits[v >> 12 & 63]);
		textbuf_add_char(out, left > 1 ? digits[v >> 6 & 63] : '=');
		textbuf_add_char(out, left > 2 ? digits[v & 63] : '=');
	}
}

/*
 * Adds the policy: the page runs only the script with this hash, whatever else the page contains.
 */
static void add_policy(struct textbuf *out)
{
	const struct asset *script = find_asset("saved.js");
	uint8_t digest[SHA256_BYTES];
	struct sha256 hash;

	sha256_init(&hash);
	sha256_add(&hash, script_start, strlen(script_start));
	sha256_add(&hash, script->data, script->n_bytes);
	sha256_finish(&hash, digest);
	textbuf_add_str(out, head);
	add_base64(out, digest, sizeof(digest));
	textbuf_add_str(out, head_end);
}

/* Escapes text for a script element: "</" would end it, and "<!--" would change it. */
static void add_shielded(struct textbuf *out, const struct textbuf *in)
{
	for (const char *p = in->start; p < in->pos; p++) {
		if (*p == '<')
			textbuf_add_str(out, "\\u003c");
		else
			textbuf_add_char(out, *p);
	}
}

static void add_names(struct stage *st, struct jsonwriter *w)
{
	char name[64];

	jsonwriter_open(w, "machines", '[');
	for (size_t i = 0; i < st->config.n_machines; i++)
		jsonwriter_add_string(w, NULL, st->config.machines[i].name);
	jsonwriter_close(w);
	jsonwriter_open(w, "names", '[');
	for (size_t i = 0, n = timeline_n_tasks(st->tl); i < n; i++) {
		const struct timeline_task *t = timeline_task(st->tl, i);

		snprintf(name, sizeof(name), "%.31s-%d", t->comm, t->pid);
		jsonwriter_open(w, NULL, '[');
		jsonwriter_add_string(w, NULL, name);
		jsonwriter_add_uint(w, NULL, t->machine);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
	jsonwriter_open(w, "kinds", '[');
	for (size_t i = 0, n = timeline_n_kinds(st->tl); i < n; i++) {
		const struct timeline_kind *k = timeline_kind(st->tl, i);

		jsonwriter_open(w, NULL, '[');
		jsonwriter_add_string(w, NULL, k->event ? k->event->name : NULL);
		jsonwriter_add_uint(w, NULL, timeline_source(st->tl, k->source)->machine);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

/* Adds [ts, cpu, "task", "event", "info", machine]. */
static void add_row(struct stage *st, struct jsonwriter *w, struct line_printer *lp,
		    const struct walk_event *ev)
{
	struct record_extra extra;
	struct record rec;
	const struct timeline_task *t =
		ev->task < timeline_n_tasks(st->tl) ? timeline_task(st->tl, ev->task) : NULL;
	char name[64] = "";

	if (!stage_record(st, ev, &rec, &extra))
		return;
	if (t)
		snprintf(name, sizeof(name), "%.31s-%d", t->comm, t->pid);
	jsonwriter_open(w, NULL, '[');
	jsonwriter_add_uint(w, NULL, ev->ts);
	jsonwriter_add_uint(w, NULL, rec.cpu);
	jsonwriter_add_string(w, NULL, name);
	jsonwriter_add_string(w, NULL, rec.event->name);
	textbuf_add_char(w->tb, ',');
	rows_add_info(lp, &rec);
	jsonwriter_add_uint(w, NULL, t ? t->machine : 0);
	jsonwriter_close(w);
}

static int add_rows(struct stage *st, const struct picture *pic, struct jsonwriter *w)
{
	struct stage_printer *p = stage_printer_get(st, w->tb);
	uint64_t row = timeline_rank(st->tl, pic->sel, pic->from),
		 end = timeline_rank(st->tl, pic->sel, pic->to + 1), last;
	event_ref refs[PIECE];
	uint64_t times[PIECE];

	if (!p)
		return -ENOMEM;
	jsonwriter_add_uint(w, "total", end - row);
	jsonwriter_open(w, "rows", '[');
	last = end - row > EVENTS_MAX ? row + EVENTS_MAX : end;
	while (row < last && !w->tb->overflow) {
		size_t want = last - row > PIECE ? PIECE : last - row,
		       n = timeline_rows(st->tl, pic->sel, row, refs, times, want);

		for (size_t i = 0; i < n; i++) {
			struct walk_one one;

			if (timeline_get(st->tl, refs[i], &one) < 0)
				continue;
			add_row(st, w, &p->lp, &one.ev);
			walk_release(&one);
		}
		if (!n)
			break;
		row += n;
	}
	jsonwriter_close(w);
	stage_printer_put(st, p);
	return 0;
}

/* Starts a member whose whole value another function writes. */
static void open_member(struct jsonwriter *w, const char *key)
{
	textbuf_addf(w->tb, "%s\"%s\":", w->comma ? "," : "", key);
	w->comma = true;
}

static int add_tasks(struct stage *st, const struct picture *pic, struct jsonwriter *w)
{
	struct jsonwriter inner;
	struct insight_tasks t;

	TRY(insight_tasks(&t, st->lanes, pic->tasks, pic->from, pic->to));
	open_member(w, "tasks");
	jsonwriter_init(&inner, w->tb);
	insight_emit_tasks(&t, &inner);
	insight_tasks_release(&t);
	return 0;
}

static int add_events(struct stage *st, const struct picture *pic, struct jsonwriter *w)
{
	struct jsonwriter inner;
	struct insight_events e;

	TRY(insight_events(&e, st->lanes, pic->sel, pic->from, pic->to));
	open_member(w, "events");
	jsonwriter_init(&inner, w->tb);
	insight_emit_events(&e, &inner);
	insight_events_release(&e);
	return 0;
}

static int add_facts(struct stage *st, const struct picture *pic, struct jsonwriter *w)
{
	TRY(add_tasks(st, pic, w));
	TRY(add_events(st, pic, w));
	return add_rows(st, pic, w);
}

static int add_data(struct stage *st, const struct picture *pic, struct textbuf *tb)
{
	struct jsonwriter w;
	int r;

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	add_names(st, &w);
	jsonwriter_add_uint(&w, "unit_ns", timeline_unit(st->tl).ns);
	jsonwriter_add_string(&w, "counted", timeline_unit(st->tl).name);
	r = add_facts(st, pic, &w);
	jsonwriter_close(&w);
	return r;
}

/* Adds warnings about missing data: truncated or damaged files, lost events. */
static void add_warnings(struct stage *st, struct textbuf *out)
{
	struct timeline_losses lost;

	timeline_losses(st->tl, &lost);
	timeline_lock_formats(st->tl); /* readers may add damage at the same time */
	for (size_t i = 0; i < st->config.n_files; i++)
		for (size_t k = 0; k < st->config.files[i]->n_damage; k++) {
			textbuf_add_str(out, "<p class=\"warning\" role=\"note\">");
			drawing_add_text(out, st->config.files[i]->damage[k]);
			textbuf_add_str(out, "</p>\n");
		}
	timeline_unlock_formats(st->tl);
	if (stage_limit(st)) {
		textbuf_add_str(out, "<p class=\"warning\" role=\"note\">");
		drawing_add_text(out, stage_limit(st));
		textbuf_add_str(out, "</p>\n");
	}
	if (!lost.n_places)
		return;
	textbuf_add_str(out, "<p class=\"warning\" role=\"note\">The recording lost ");
	if (lost.n_events)
		textbuf_addf(out, "%s%llu ", lost.is_all ? "" : "at least ",
			     (unsigned long long)lost.n_events);
	textbuf_addf(
		out,
		"event%s; stripes show where CPUs and tasks are unknown because of that.</p>\n",
		lost.n_events == 1 && lost.is_all ? "" : "s");
}

static void add_top(struct stage *st, struct textbuf *out)
{
	add_policy(out);
	textbuf_add_str(out, "<title>");
	drawing_add_text(out, st->config.title);
	textbuf_add_str(out, "</title>\n<style>\n");
	add_asset(out, "saved.css");
	textbuf_add_str(out, "</style></head><body>\n<header><h1>");
	drawing_add_text(out, st->config.title);
	textbuf_add_str(
		out, "</h1><button type=\"button\" id=\"theme\">light or dark</button></header>\n");
	add_warnings(st, out);
	textbuf_add_str(out, "<div id=\"pic\" tabindex=\"0\">\n");
}

int picture_add_html(struct stage *st, const struct picture *pic, struct textbuf *out,
		     struct errmsg *err)
{
	struct picture on_page = *pic;
	uint64_t n = timeline_rank(st->tl, pic->sel, pic->to + 1) -
		     timeline_rank(st->tl, pic->sel, pic->from);
	struct textbuf data;
	int r;

	on_page.is_page = true;
	add_top(st, out);
	TRY(picture_add_svg(st, &on_page, out, err));
	textbuf_add_str(out, "</div>\n");
	textbuf_add_str(out, hint);
	textbuf_add_str(out, pic->sel ? filtered : "");
	textbuf_add_str(out, lists);
	if (n > EVENTS_MAX)
		textbuf_addf(out, "<p>The first %d of %llu events.</p>\n", EVENTS_MAX,
			     (unsigned long long)n);
	textbuf_add_str(out,
			"<div id=\"rows\"></div>\n<script type=\"application/json\" id=\"data\">");
	textbuf_init(&data, out->max_bytes / 2);
	r = add_data(st, pic, &data);
	if (r >= 0 && data.overflow)
		r = -EFBIG;
	if (r < 0)
		errmsg_set_errno(err, r, "cannot add the numbers to the page");
	add_shielded(out, &data);
	textbuf_release(&data);
	textbuf_add_str(out, "</script>\n<script type=\"module\">");
	textbuf_add_str(out, script_start);
	add_asset(out, "saved.js");
	textbuf_add_str(out, "</script>\n</body></html>\n");
	return r;
}
