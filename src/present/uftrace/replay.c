// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * replay.c - prints calls as uftrace replay does.
 *
 *	# DURATION     TID     FUNCTION
 *	            [ 16526] | main() {
 *	   0.721 us [ 16526] |   atoi();                 a call that called nothing: one line
 *	  20.750 ms [ 16526] |     linux:schedule        a task switch, in a comment
 *	  20.766 ms [ 16526] | } (main in a comment)
 *
 * A call is merged into one line if its end is the next thing that would be shown. To know that, the
 * walk skips ahead over what is hidden (uft_walk_skip), so printing and filtering are interleaved.
 */
#include "present/uftrace/replay.h"

#include "base/array.h"
#include "format/uftrace.h"
#include "present/uftrace/fields.h"
#include "present/uftrace/values.h"
#include "symbols/uftrace/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define EVENT_COLOUR 'G'

struct replay {
	struct uft_walk *w;
	const struct uft_replay_config *c;
	struct uft_out *o;
	struct uft_fields fields;
	int n_columns, last_tid, n_flat;
	uint64_t last_ns;
};

/* What a line is about, for its columns. */
struct row {
	struct replay *p;
	struct uft_reader *r;
	const struct uft_frame *f; /* NULL: neither a call nor its end */
	bool no_time;
};

static void add_duration(struct uft_out *o, void *row)
{
	const struct row *x = row;

	uft_out_time(o, x->f && !x->no_time ? x->f->total_ns : 0);
}

static void add_tid(struct uft_out *o, void *row)
{
	textbuf_addf(&o->tb, "[%6d]", ((struct row *)row)->r->tid);
}

static void add_addr(struct uft_out *o, void *row)
{
	const struct row *x = row;

	if (x->f)
		textbuf_addf(&o->tb, "%12" PRIx64, x->f->addr);
	else
		textbuf_add_fill(&o->tb, ' ', 12);
}

static void add_timestamp(struct uft_out *o, void *row)
{
	uint64_t ns = ((struct row *)row)->r->timestamp;

	textbuf_addf(&o->tb, "%8" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000);
}

static void add_delta(struct uft_out *o, void *row)
{
	const struct uft_reader *r = ((struct row *)row)->r;

	uft_out_time(o, r->timestamp_last ? r->timestamp - r->timestamp_last : 0);
}

static void add_elapsed(struct uft_out *o, void *row)
{
	const struct row *x = row;

	uft_out_time(o, x->r->timestamp - x->p->w->first_ns);
}

static void add_task(struct uft_out *o, void *row)
{
	const struct row *x = row;

	textbuf_addf(&o->tb, "%15s", x->r->task ? x->r->task->comm : "");
}

static void add_module(struct uft_out *o, void *row)
{
	const struct row *x = row;
	const struct uft_session *s;
	const struct uft_map *m;
	const struct uft_dlopen *d;
	const char *name = "[unknown]";

	if (!x->f) {
		textbuf_add_fill(&o->tb, ' ', 16);
		return;
	}
	s = uft_session_find(x->p->w->c.names, x->r->task, x->r->timestamp);
	m = s ? uft_map_find(s, x->f->addr) : NULL;
	d = s && !m ? uft_dlopen_find(s, x->r->timestamp, x->f->addr) : NULL;
	if (m)
		name = uft_basename(m->path);
	else if (s && uft_is_sched(x->f->addr))
		name = "[event]";
	else if (d)
		name = uft_basename(d->path);
	textbuf_addf(&o->tb, "%16.16s", name);
}

static const struct uft_field table[] = {
	{"duration", NULL, " DURATION ", 10, add_duration},
	{"tid", NULL, "   TID  ", 8, add_tid},
	{"addr", NULL, "   ADDRESS  ", 12, add_addr},
	{"time", NULL, "     TIMESTAMP    ", 18, add_timestamp},
	{"delta", NULL, " TIMEDELTA", 10, add_delta},
	{"elapsed", NULL, "  ELAPSED ", 10, add_elapsed},
	{"task", NULL, "      TASK NAME", 15, add_task},
	{"module", NULL, "     MODULE NAME", 16, add_module},
};

static void add_columns(struct replay *p, struct uft_reader *r, const struct uft_frame *f,
			bool no_time)
{
	struct row row = {p, r, f, no_time};

	if (uft_fields_add(&p->fields, p->o, &row, 1))
		textbuf_add_str(&p->o->tb, " | ");
}

static void add_indent(struct replay *p, int depth)
{
	textbuf_add_fill(&p->o->tb, ' ', depth > 0 ? (size_t)depth * 2 : 0);
}

/* --column-view: how far the task is to the right. */
static int column_depth(struct replay *p, struct uft_reader *r)
{
	if (!p->c->column_view)
		return 0;
	if (r->column < 0)
		r->column = p->n_columns++;
	return r->column * p->c->column_offset;
}

static void add_task_newline(struct replay *p, struct uft_reader *r)
{
	if (p->c->task_newline && p->last_tid != -1 && r->tid != p->last_tid) {
		if (uft_fields_add_blank(&p->fields, p->o, 1))
			textbuf_add_str(&p->o->tb, " | ");
		textbuf_add_char(&p->o->tb, '\n');
	}
	p->last_tid = r->tid;
}

/* The function of a line: how it is named, and where it comes from. */
struct named {
	const struct uft_sym *sym;
	char addr[24];
	const char *name, *library; /* library: "" if it is not shown */
	const struct uft_dbg *place;
};

static void find_name(struct replay *p, struct uft_reader *r, struct named *n)
{
	const struct uft_session *s;
	const struct uft_map *m;

	*n = (struct named){.library = ""};
	n->sym = uft_walk_rec_sym(p->w, r, &r->rec);
	snprintf(n->addr, sizeof(n->addr), "<%" PRIx64 ">", r->rec.addr);
	n->name = n->sym ? n->sym->name : n->addr;
	if (p->c->srcline && !p->c->no_comment && n->sym && n->sym->dbg && n->sym->dbg->file)
		n->place = n->sym->dbg;
	if (!p->c->libname || !n->sym || n->sym->type != UFT_SYM_PLT)
		return;
	s = uft_session_find(p->w->c.names, r->task, r->rec.time_ns);
	m = s ? uft_map_of_name(s, n->name) : NULL;
	if (m)
		n->library = uft_basename(m->path);
}

/* trigger: color */
static void add_name(struct replay *p, const struct named *n, const struct uft_trigger *tr)
{
	if (tr && tr->actions & UFT_DO_COLOUR) {
		uft_out_colour(p->o, tr->colour, "%s", n->name);
		if (*n->library)
			uft_out_colour(p->o, tr->colour, "@%s", n->library);
		return;
	}
	textbuf_add_str(&p->o->tb, n->name);
	if (*n->library)
		textbuf_addf(&p->o->tb, "@%s", n->library);
}

static void add_place(struct replay *p, const struct named *n)
{
	if (n->place)
		uft_out_colour(p->o, 'g', " /* %s:%d */", n->place->file, n->place->line);
}

static void add_values(struct replay *p, struct uft_reader *r, const struct uft_values *v,
		       bool more, unsigned form)
{
	if (more && !p->c->no_args)
		form |= UFT_VALUES_MORE;
	else
		form &= ~(unsigned)UFT_VALUES_ASSIGN;
	uft_values_add(p->o, p->w, r, v, form);
}

/* trigger: backtrace */
static void print_backtrace(struct replay *p, struct uft_reader *r)
{
	for (int i = 0; i < r->n_frames - 1; i++) {
		struct uft_frame *f = uft_frame_at(r, i);
		struct row row = {p, r, f, false};
		const struct uft_sym *s;

		if (!f)
			continue;
		s = uft_walk_sym(p->w, r, f->total_ns, f->addr);
		textbuf_add_char(&p->o->tb, ' ');
		for (size_t k = 0; k < p->fields.n; k++) {
			if (p->fields.list[k]->add == add_duration)
				textbuf_addf(&p->o->tb, "%10s", "backtrace");
			else
				p->fields.list[k]->add(p->o, &row);
			textbuf_add_char(&p->o->tb, ' ');
		}
		if (p->fields.n)
			textbuf_add_str(&p->o->tb, "| ");
		if (s)
			uft_out_colour(p->o, 'g', "/* [%2d] %s */\n", i, s->name);
		else
			uft_out_colour(p->o, 'g', "/* [%2d] <%" PRIx64 "> */\n", i, f->addr);
	}
}

/* Does the name need parentheses? C++ names in full have theirs. */
static unsigned paren_form(const struct named *n, bool more)
{
	size_t len = strlen(n->name);

	return !len || n->name[len - 1] != ')' || more ? UFT_VALUES_PAREN : 0;
}

static void print_entry(struct replay *p, struct uft_reader *r, const struct named *n)
{
	const struct uft_trigger *tr;
	struct uft_record rec = r->rec;
	struct uft_values args = r->values;
	struct uft_reader *next = NULL;
	struct uft_frame *f;
	unsigned form = paren_form(n, rec.more);
	int depth;

	if (!uft_walk_enter(p->w, r, &rec, &tr))
		return;
	depth = r->display_depth;
	add_task_newline(p, r);
	if (tr && tr->actions & UFT_DO_BACKTRACE)
		print_backtrace(p, r);
	r->event_colour = tr && tr->actions & UFT_DO_COLOUR ? tr->colour : EVENT_COLOUR;
	depth += column_depth(p, r);
	f = uft_frame_at(r, r->n_frames - 1);
	if (!p->c->no_merge)
		next = uft_walk_skip(p->w, r, rec.depth);
	if (next == r && r->rec.depth == rec.depth && r->rec.type == UFT_EXIT) {
		uft_walk_take(p->w, r);
		add_columns(p, r, f, false);
		add_indent(p, depth);
		add_name(p, n, tr);
		add_values(p, r, &args, rec.more, form);
		add_values(p, r, &r->values, r->rec.more,
			   UFT_VALUES_RETVAL | UFT_VALUES_SEMICOLON | UFT_VALUES_ASSIGN);
		add_place(p, n);
		textbuf_add_char(&p->o->tb, '\n');
		uft_walk_leave(r);
		return;
	}
	add_columns(p, r, f, true);
	add_indent(p, depth);
	add_name(p, n, tr);
	add_values(p, r, &args, rec.more, form);
	textbuf_add_str(&p->o->tb, " {");
	add_place(p, n);
	textbuf_add_char(&p->o->tb, '\n');
	uft_walk_update(p->w, r, UFT_ENTRY, f);
}

static void print_exit(struct replay *p, struct uft_reader *r, const struct named *n)
{
	struct uft_frame *f = uft_frame_at(r, r->n_frames);
	unsigned form = UFT_VALUES_RETVAL;

	if (p->w->enabled && f && !(f->flags & UFT_FRAME_HIDDEN)) {
		int depth = uft_walk_update(p->w, r, UFT_EXIT, f) + column_depth(p, r);

		if (r->rec.more && !p->c->no_args)
			form |= UFT_VALUES_ASSIGN | UFT_VALUES_SEMICOLON;
		add_task_newline(p, r);
		add_columns(p, r, f, false);
		add_indent(p, depth);
		textbuf_add_char(&p->o->tb, '}');
		add_values(p, r, &r->values, r->rec.more, form);
		if (!p->c->no_comment)
			uft_out_colour(p->o, 'g', " /* %s%s%s */", n->name, *n->library ? "@" : "",
				       n->library);
		textbuf_add_char(&p->o->tb, '\n');
	}
	uft_walk_leave(r);
}

static void print_lost(struct replay *p, struct uft_reader *r)
{
	int indent = (r->display_depth + 1) * 2;

	add_task_newline(p, r);
	add_columns(p, r, NULL, true);
	if ((int)r->rec.addr > 0)
		uft_out_colour(p->o, 'R', "%*s/* LOST %d records!! */\n", indent, "",
			       (int)r->rec.addr);
	else
		uft_out_colour(p->o, 'R', "%*s/* LOST some records!! */\n", indent, "");
}

static void add_event_text(struct replay *p, struct uft_reader *r, uint64_t id, char colour)
{
	char name[200], data[200];

	uft_event_name(p->c->events, id, name, sizeof(name));
	uft_out_colour(p->o, colour, "%s", name);
	if (id < UFT_EVENT_USER && uft_event_data(id, &r->values, true, data, sizeof(data)))
		uft_out_colour(p->o, colour, " (%s)", data);
}

/* A task that goes away and comes back is one line. */
static uint64_t merge_switch(struct replay *p, struct uft_reader *r, uint64_t id, bool *ret_is_in)
{
	bool is_out = id == UFT_EVENT_SCHED_OUT || id == UFT_EVENT_SCHED_OUT_PREEMPT;
	struct uft_reader *next = is_out && !p->c->no_merge ? uft_walk_skip(p->w, r, 0) : NULL;

	*ret_is_in = id == UFT_EVENT_SCHED_IN;
	if (next != r || r->rec.addr != UFT_EVENT_SCHED_IN)
		return id;
	uft_walk_take(p->w, r);
	*ret_is_in = true;
	return id == UFT_EVENT_SCHED_OUT ? UFT_EVENT_SCHED_BOTH : UFT_EVENT_SCHED_BOTH_PREEMPT;
}

static void print_event(struct replay *p, struct uft_reader *r)
{
	char colour = r->event_colour ? r->event_colour : EVENT_COLOUR;
	int depth = r->display_depth;
	struct uft_frame *f;
	uint64_t id = r->rec.addr;
	bool is_in;

	if (!uft_walk_check(p->w, r))
		return;
	add_task_newline(p, r);
	depth += column_depth(p, r);
	id = merge_switch(p, r, id, &is_in);
	if (id == UFT_EVENT_EXTERN)
		depth = 0;
	f = uft_frame_at(r, r->n_frames);
	if (!p->w->enabled || !f || f->flags & UFT_FRAME_HIDDEN)
		return;
	if (is_in && f->total_ns)
		add_columns(p, r, f, false);
	else
		add_columns(p, r, NULL, true);
	uft_out_colour(p->o, colour, "%*s/* ", depth * 2, "");
	add_event_text(p, r, id, colour);
	uft_out_colour(p->o, colour, " */\n");
}

static bool is_hidden_libcall(struct replay *p, const struct uft_sym *s)
{
	return p->w->c.no_libcall && s && s->type == UFT_SYM_PLT;
}

static void print_graph(struct replay *p, struct uft_reader *r)
{
	struct named n;

	if (r->rec.type == UFT_LOST) {
		print_lost(p, r);
		return;
	}
	find_name(p, r, &n);
	if (is_hidden_libcall(p, n.sym))
		return;
	r->timestamp_last = r->timestamp;
	r->timestamp = r->rec.time_ns;
	if (r->rec.type == UFT_ENTRY)
		print_entry(p, r, &n);
	else if (r->rec.type == UFT_EXIT)
		print_exit(p, r, &n);
	else
		print_event(p, r);
}

/* --flat: one line for each record, without filters. */
static void print_flat(struct replay *p, struct uft_reader *r)
{
	struct uft_frame *f = uft_frame_at(r, r->rec.depth);
	struct textbuf *tb = &p->o->tb;
	struct named n;

	find_name(p, r, &n);
	if (!f || is_hidden_libcall(p, n.sym))
		return;
	switch (r->rec.type) {
	case UFT_ENTRY:
		textbuf_addf(tb, "[%d] ==> %d/%d: ip (%s), time (%" PRIu64 ")\n", p->n_flat++,
			     r->tid, r->rec.depth, n.name, r->rec.time_ns);
		break;
	case UFT_EXIT:
		textbuf_addf(tb, "[%d] <== %d/%d: ip (%s), time (%" PRIu64 ":%" PRIu64 ")\n",
			     p->n_flat++, r->tid, r->rec.depth, n.name, r->rec.time_ns,
			     f->total_ns);
		break;
	case UFT_LOST:
		textbuf_addf(tb,
			     "[%d] XX"
			     "X %d: lost %d records\n",
			     p->n_flat++, r->tid, (int)r->rec.addr);
		break;
	default:
		textbuf_addf(tb, "[%d] !!! %d: ", p->n_flat++, r->tid);
		add_event_text(p, r, r->rec.addr, r->event_colour ? r->event_colour : EVENT_COLOUR);
		textbuf_addf(tb, " time (%" PRIu64 ")\n", r->rec.time_ns);
		break;
	}
}

/* Frames at the bottom of a stack whose calls are unknown. */
static int count_unknown(struct uft_reader *r)
{
	int n = 0;

	while (n < r->n_frames && (!uft_frame_at(r, n) || !uft_frame_at(r, n)->addr))
		n++;
	return n;
}

/* Is only a task switch open? */
static bool is_switch_only(struct uft_reader *r)
{
	struct uft_frame *f = uft_frame_at(r, 0);

	return r->n_frames == 1 && f &&
	       (f->addr == UFT_EVENT_SCHED_OUT || f->addr == UFT_EVENT_SCHED_OUT_PREEMPT);
}

static void print_open(struct replay *p, struct uft_reader *r)
{
	int n_unknown = count_unknown(r);

	if (!r->frames || !r->n_frames || is_switch_only(r) || n_unknown == r->n_frames)
		return;
	textbuf_addf(&p->o->tb, "task: %d\n", r->tid);
	for (int i = r->n_frames - 1; i >= n_unknown; i--) {
		struct uft_frame *f = uft_frame_at(r, i);
		const struct uft_sym *s = f ? uft_walk_sym(p->w, r, f->total_ns, f->addr) : NULL;

		if (!f)
			continue;
		textbuf_addf(&p->o->tb, "[%d] ", i - n_unknown);
		if (s)
			textbuf_addf(&p->o->tb, "%s\n", s->name);
		else
			textbuf_addf(&p->o->tb, "<%" PRIx64 ">\n", f->addr);
	}
	textbuf_add_char(&p->o->tb, '\n');
}

/* Calls that never returned. */
static void print_remaining(struct replay *p)
{
	int total = 0;

	for (size_t i = 0; i < p->w->n_readers; i++) {
		struct uft_reader *r = &p->w->readers[i];

		if (r->frames && !is_switch_only(r))
			total += r->n_frames - count_unknown(r);
	}
	if (!total)
		return;
	textbuf_add_str(&p->o->tb, "\nuftrace stopped tracing with remaining functions"
				   "\n================================================\n");
	for (size_t i = 0; i < p->w->n_readers; i++)
		print_open(p, &p->w->readers[i]);
}

static void print_inverted(struct replay *p, struct uft_reader *r)
{
	if (uft_fields_add_blank(&p->fields, p->o, 1))
		textbuf_add_str(&p->o->tb, " | ");
	uft_out_colour(p->o, 'R', " %*s/* inverted time: broken data? */\n",
		       (r->display_depth + 1) * 2, "");
}

static void print_header(struct replay *p)
{
	if (!p->c->flat && uft_walk_peek(p->w))
		uft_fields_header(&p->fields, p->o, "#", "FUNCTION", 1);
	if (!p->fields.n)
		return;
	if (p->c->srcline)
		uft_out_colour(p->o, 'g', " [SOURCE]");
	textbuf_add_char(&p->o->tb, '\n');
}

bool uft_replay_print(struct uft_walk *w, const struct uft_replay_config *c, struct uft_out *o)
{
	const char *defaults[4] = {"duration", "tid"};
	struct replay p = {.w = w, .c = c, .o = o, .last_tid = -1};
	struct uft_reader *r;

	if (w->c.range_start_ns || w->c.range_stop_ns) {
		defaults[0] =
			w->c.range_start_elapsed || w->c.range_stop_elapsed ? "elapsed" : "time";
		defaults[1] = "duration";
		defaults[2] = "tid";
	}
	if (!uft_fields_init(&p.fields, c->fields, table, ARRAY_LEN(table), defaults, o))
		return false;
	if (o->html)
		textbuf_add_str(&o->tb, uft_html_header);
	print_header(&p);
	while (o->status >= 0 && (r = uft_walk_next(w))) {
		if (!uft_walk_allows(w, r))
			continue;
		if (r->rec.time_ns) {
			if (p.last_ns > r->rec.time_ns)
				print_inverted(&p, r);
			p.last_ns = r->rec.time_ns;
		}
		if (c->flat)
			print_flat(&p, r);
		else
			print_graph(&p, r);
		uft_out_flush(o, false);
	}
	print_remaining(&p);
	if (o->html)
		textbuf_add_str(&o->tb, uft_html_footer);
	return true;
}
