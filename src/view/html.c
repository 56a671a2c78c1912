// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * html.c - a range as one page that needs no server: to send to a colleague, or to keep.
 *
 *	the picture (svg.c), which a small script zooms and moves; tooltips are its own
 *	numbers: time per task and state, events by kind, wakeup latencies
 *	the events of the range, the first EVENTS_MAX of them; it says how many there are
 *
 * Numbers are the objects that api/stats answers, as text in the page; the script makes tables of
 * them. Nothing is fetched: the page's own policy forbids it.
 */
#include "base/errmsg.h"
#include "base/jsonwriter.h"
#include "present/rows.h"
#include "timeline/insight.h"
#include "view/picture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define EVENTS_MAX 2000
#define PIECE	   200

static const char head[] =
	"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	"script-src 'unsafe-inline'; style-src 'unsafe-inline'\">\n"
	"<style>body{font:14px sans-serif;margin:1em;color:#222;background:#fff}"
	"table{border-collapse:collapse;margin:.5em 0 1.5em}td,th{padding:.1em "
	".6em;text-align:left;"
	"border-bottom:1px solid #ddd}td.n{text-align:right}#pic{overflow:hidden;border:1px solid "
	"#ccc;"
	"cursor:grab}pre{margin:0;white-space:pre-wrap}.dim{color:#666}</style>\n";

/* Wheel: zoom at the pointer; drag: move; double click: all. Tables from the objects. */
static const char script[] =
	"<script>\n"
	"const svg=document.querySelector('#pic "
	"svg'),box=svg.viewBox.baseVal,all=[box.x,box.width];\n"
	"svg.setAttribute('width','100%');svg.setAttribute('preserveAspectRatio','none');\n"
	"svg.addEventListener('wheel',e=>{e.preventDefault();const r=svg.getBoundingClientRect(),\n"
	" at=box.x+(e.clientX-r.left)/r.width*box.width,f=e.deltaY>0?1.25:.8;\n"
	" box.width=Math.min(all[1],Math.max(1,box.width*f));\n"
	" box.x=Math.max(all[0],Math.min(all[0]+all[1]-box.width,at-(e.clientX-r.left)/"
	"r.width*box.width));\n"
	"},{passive:false});\n"
	"let drag=null;svg.addEventListener('pointerdown',e=>{drag=[e.clientX,box.x];"
	"svg.setPointerCapture(e.pointerId)});\n"
	"svg.addEventListener('pointermove',e=>{if(drag){box.x=Math.max(all[0],Math.min(all[0]+all["
	"1]-"
	"box.width,drag[1]-(e.clientX-drag[0])/svg.getBoundingClientRect().width*box.width))}});\n"
	"svg.addEventListener('pointerup',()=>drag=null);\n"
	"svg.addEventListener('dblclick',()=>{box.x=all[0];box.width=all[1]});\n"
	"const data=JSON.parse(document.getElementById('data').textContent);\n"
	"function table(id,names,rows){const t=document.createElement('table'),h=t.insertRow();\n"
	" for(const n of names){const c=document.createElement('th');c.textContent=n;h.append(c)}\n"
	" for(const r of rows){const line=t.insertRow();for(const v of r){const "
	"c=line.insertCell();\n"
	"  c.textContent=v;if(typeof v==='number')c.className='n'}}\n"
	" document.getElementById(id).append(t)}\n"
	"const us=v=>Math.round(v)/1000,name=n=>data.names[n]||n;\n"
	"if(data.tasks)table('tasks',['task','running us','runnable us','sleeping us','blocked us',"
	"'switches','longest wait us'],data.tasks.tasks.filter(t=>t.states[1]).sort((a,b)=>"
	"b.states[1]-a.states[1]).slice(0,50).map(t=>[name(t.task),us(t.states[1]),us(t.states[2]+"
	"t.states[3]),us(t.states[4]),us(t.states[5]),t.switches,us(t.max_wait)]));\n"
	"if(data.events)table('kinds',['event','count'],data.events.kinds.filter(k=>k[1]).sort((a,"
	"b)=>"
	"b[1]-a[1]).map(k=>[data.kinds[k[0]]||k[0],k[1]]));\n"
	"table('rows',['time "
	"us','CPU','task','event','info'],data.rows.map(r=>[us(r[0]),r[1],r[2],r[3],"
	"r[4]]));\n"
	"</script>\n";

/* Inside of a script element "</" would end it, and "<!--" change it. */
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

	jsonwriter_open(w, "names", '[');
	for (size_t i = 0, n = timeline_n_tasks(st->tl); i < n; i++) {
		const struct timeline_task *t = timeline_task(st->tl, i);

		snprintf(name, sizeof(name), "%.31s-%d", t->comm, t->pid);
		jsonwriter_add_string(w, NULL, name);
	}
	jsonwriter_close(w);
	jsonwriter_open(w, "kinds", '[');
	for (size_t i = 0, n = timeline_n_kinds(st->tl); i < n; i++) {
		const struct timeline_kind *k = timeline_kind(st->tl, i);

		jsonwriter_add_string(w, NULL, k->event ? k->event->name : NULL);
	}
	jsonwriter_close(w);
}

/* [ts, cpu, "task", "event", "info"] */
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
	jsonwriter_close(w);
}

static int add_rows(struct stage *st, const struct picture *pic, struct jsonwriter *w)
{
	struct stage_printer *p = stage_printer_get(st, w->tb);
	uint64_t row = timeline_rank(st->tl, NULL, pic->from),
		 end = timeline_rank(st->tl, NULL, pic->to + 1), last;
	event_ref refs[PIECE];
	uint64_t times[PIECE];

	if (!p)
		return -ENOMEM;
	jsonwriter_add_uint(w, "total", end - row);
	jsonwriter_open(w, "rows", '[');
	last = end - row > EVENTS_MAX ? row + EVENTS_MAX : end;
	while (row < last && !w->tb->overflow) {
		size_t want = last - row > PIECE ? PIECE : last - row,
		       n = timeline_rows(st->tl, NULL, row, refs, times, want);

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

/* A member whose value another function writes whole. */
static void open_member(struct jsonwriter *w, const char *key)
{
	textbuf_addf(w->tb, "%s\"%s\":", w->comma ? "," : "", key);
	w->comma = true;
}

static int add_data(struct stage *st, const struct picture *pic, struct textbuf *tb)
{
	struct jsonwriter w, inner;
	int r;

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	add_names(st, &w);
	open_member(&w, "tasks");
	jsonwriter_init(&inner, tb);
	r = insight_tasks(st->lanes, pic->from, pic->to, &inner);
	if (r < 0)
		return r;
	open_member(&w, "events");
	jsonwriter_init(&inner, tb);
	r = insight_events(st->lanes, NULL, pic->from, pic->to, &inner);
	if (r >= 0)
		r = add_rows(st, pic, &w);
	jsonwriter_close(&w);
	return r;
}

int picture_add_html(struct stage *st, const struct picture *pic, struct textbuf *out,
		     struct errmsg *err)
{
	uint64_t n =
		timeline_rank(st->tl, NULL, pic->to + 1) - timeline_rank(st->tl, NULL, pic->from);
	struct textbuf data;
	int r;

	textbuf_add_str(out, head);
	textbuf_add_str(out, "<title>sonde</title></head><body>\n<div id=\"pic\">\n");
	r = picture_add_svg(st, pic, out, err);
	if (r < 0)
		return r;
	textbuf_add_str(out,
			"</div>\n<p class=\"dim\">Wheel: zoom. Drag: move. Double click: all.</p>\n"
			"<h2>Tasks</h2><div id=\"tasks\"></div>\n"
			"<h2>Events by kind</h2><div id=\"kinds\"></div>\n<h2>Events</h2>\n");
	if (n > EVENTS_MAX)
		textbuf_addf(out, "<p>The first %d of %llu events.</p>\n", EVENTS_MAX,
			     (unsigned long long)n);
	textbuf_add_str(out,
			"<div id=\"rows\"></div>\n<script type=\"application/json\" id=\"data\">");
	textbuf_init(&data, out->max_bytes / 2);
	r = add_data(st, pic, &data);
	if (r < 0 || data.overflow)
		errmsg_set_errno(err, r < 0 ? r : -EFBIG, "cannot put the numbers into the page");
	add_shielded(out, &data);
	if (data.overflow)
		r = -EFBIG;
	textbuf_release(&data);
	textbuf_add_str(out, "</script>\n");
	textbuf_add_str(out, script);
	textbuf_add_str(out, "</body></html>\n");
	return r;
}
