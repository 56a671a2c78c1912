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
 * A call is merged into one line if its end is the next thing that would be shown. To know that,
 * the walk looks ahead over what is hidden (uft_look_ahead), so printing and filtering are
 * interleaved.
 */
#include "present/uftrace/replay.h"

#include "base/array.h"
#include "format/uftrace.h"
#include "present/uftrace/fields.h"
#include "present/uftrace/values.h"
#include "symbols/uftrace/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENT_COLOUR 'G'

/* What is kept of each task. */
struct track {
	uint64_t now_ns, before_ns; /* its current and its last line */
	char event_colour;	    /* 0: the usual one */
	int column;		    /* --column-view: its number + 1; 0: none yet */
};

struct replay {
	struct uft_walk *w;
	const struct uft_replay_config *c;
	struct uft_out *o;
	struct uft_fields fields;
	int n_columns, last_tid, n_flat;
	uint64_t last_ns;
	struct track *tracks; /* by lane */
};

static struct track *track_of(const struct replay *p, const struct uft_lane *l)
{
	return &p->tracks[uft_lane_index(l)];
}

/* What a line is about, for its columns. */
struct row {
	struct replay *p;
	struct uft_lane *l;
	const struct uft_call *call; /* NULL: neither a call nor its end */
	bool no_time;
};

static void add_duration(struct uft_out *o, void *row)
{
	const struct row *x = row;

	uft_out_time(o, x->call && !x->no_time ? uft_call_ns(x->call) : 0);
}

static void add_tid(struct uft_out *o, void *row)
{
	textbuf_addf(&o->tb, "[%6d]", ((struct row *)row)->l->tid);
}

static void add_addr(struct uft_out *o, void *row)
{
	const struct row *x = row;

	if (x->call)
		textbuf_addf(&o->tb, "%12" PRIx64, x->call->addr);
	else
		textbuf_add_fill(&o->tb, ' ', 12);
}

static void add_timestamp(struct uft_out *o, void *row)
{
	const struct row *x = row;
	uint64_t ns = track_of(x->p, x->l)->now_ns;

	textbuf_addf(&o->tb, "%8" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000);
}

static void add_delta(struct uft_out *o, void *row)
{
	const struct row *x = row;
	const struct track *t = track_of(x->p, x->l);

	uft_out_time(o, t->before_ns ? t->now_ns - t->before_ns : 0);
}

static void add_elapsed(struct uft_out *o, void *row)
{
	const struct row *x = row;

	uft_out_time(o, track_of(x->p, x->l)->now_ns - x->p->w->first_ns);
}

static void add_task(struct uft_out *o, void *row)
{
	const struct row *x = row;

	textbuf_addf(&o->tb, "%15s", x->l->task ? x->l->task->comm : "");
}

static void add_module(struct uft_out *o, void *row)
{
	const struct row *x = row;
	const struct uft_session *s;
	const struct uft_map *m;
	const struct uft_dlopen *d;
	const char *name = "[unknown]";

	if (!x->call) {
		textbuf_add_fill(&o->tb, ' ', 16);
		return;
	}
	s = uft_session_find(x->p->w->c.names, x->l->task, track_of(x->p, x->l)->now_ns);
	m = s ? uft_map_find(s, x->call->addr) : NULL;
	d = s && !m ? uft_dlopen_find(s, track_of(x->p, x->l)->now_ns, x->call->addr) : NULL;
	if (m)
		name = uft_basename(m->path);
	else if (uft_is_kernel(x->call->addr))
		name = "[kernel]";
	else if (s && uft_is_sched(x->call->addr))
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

static void add_columns(struct replay *p, struct uft_lane *l, const struct uft_call *call,
			bool no_time)
{
	struct row row = {p, l, call, no_time};

	if (uft_fields_add(&p->fields, p->o, &row, 1))
		textbuf_add_str(&p->o->tb, " | ");
}

static void add_indent(struct replay *p, int depth)
{
	textbuf_add_fill(&p->o->tb, ' ', depth > 0 ? (size_t)depth * 2 : 0);
}

/* --column-view: how far the task is to the right. */
static int column_level(struct replay *p, struct uft_lane *l)
{
	struct track *t = track_of(p, l);

	if (!p->c->column_view)
		return 0;
	if (!t->column)
		t->column = ++p->n_columns;
	return (t->column - 1) * p->c->column_offset;
}

static void add_task_newline(struct replay *p, struct uft_lane *l)
{
	if (p->c->task_newline && p->last_tid != -1 && l->tid != p->last_tid) {
		if (uft_fields_add_blank(&p->fields, p->o, 1))
			textbuf_add_str(&p->o->tb, " | ");
		textbuf_add_char(&p->o->tb, '\n');
	}
	p->last_tid = l->tid;
}

/* The function of a line: how it is named, and where it comes from. */
struct named {
	const struct uft_sym *sym;
	char addr[24];
	const char *name, *library; /* library: "" if it is not shown */
	const struct uft_dbg *place;
};

static void find_name(struct replay *p, struct uft_lane *l, struct named *n)
{
	const struct uft_session *s;
	const struct uft_map *m;

	*n = (struct named){.library = ""};
	n->sym = uft_walk_rec_sym(p->w, l, &l->rec);
	snprintf(n->addr, sizeof(n->addr), "<%" PRIx64 ">", l->rec.addr);
	n->name = n->sym ? n->sym->name : n->addr;
	if (p->c->srcline && !p->c->no_comment && n->sym && n->sym->dbg && n->sym->dbg->file)
		n->place = n->sym->dbg;
	if (!p->c->libname || !n->sym || n->sym->type != UFT_SYM_PLT)
		return;
	s = uft_session_find(p->w->c.names, l->task, l->rec.time_ns);
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

static void add_values(struct replay *p, struct uft_lane *l, const struct uft_values *v, bool more,
		       unsigned form)
{
	if (more && !p->c->no_args)
		form |= UFT_VALUES_MORE;
	else
		form &= ~(unsigned)UFT_VALUES_ASSIGN;
	uft_values_add(p->o, p->w, l, v, form);
}

/* trigger: backtrace */
static void print_backtrace(struct replay *p, struct uft_lane *l)
{
	for (int i = 0; i < l->n_open - 1; i++) {
		struct uft_call *call = uft_call_at(l, i);
		struct row row = {p, l, call, false};
		const struct uft_sym *s;

		if (!call)
			continue;
		s = uft_walk_sym(p->w, l, uft_call_ns(call), call->addr);
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
			uft_out_colour(p->o, 'g', "/* [%2d] <%" PRIx64 "> */\n", i, call->addr);
	}
}

/* Does the name need parentheses? C++ names in full have theirs. */
static unsigned paren_form(const struct named *n, bool more)
{
	size_t len = strlen(n->name);

	return !len || n->name[len - 1] != ')' || more ? UFT_VALUES_PAREN : 0;
}

/* The line of a call that called nothing that is shown; the current record is its return. */
static void print_joined(struct replay *p, struct uft_lane *l, const struct named *n,
			 const struct uft_trigger *tr, const struct uft_values *args, unsigned form)
{
	add_name(p, n, tr);
	add_values(p, l, args, form & UFT_VALUES_MORE, form & ~(unsigned)UFT_VALUES_MORE);
	add_values(p, l, &l->values, l->rec.more,
		   UFT_VALUES_RETVAL | UFT_VALUES_SEMICOLON | UFT_VALUES_ASSIGN);
	add_place(p, n);
	textbuf_add_char(&p->o->tb, '\n');
}

static void print_entry(struct replay *p, struct uft_lane *l, const struct named *n)
{
	const struct uft_trigger *tr;
	struct uft_record rec = l->rec;
	struct uft_values args = l->values;
	struct uft_lane *next = NULL;
	struct uft_call *call = uft_call_open(l);
	unsigned form = paren_form(n, rec.more);
	int level;

	if (!uft_decide(p->w, l, &tr))
		return;
	add_task_newline(p, l);
	if (tr && tr->actions & UFT_DO_BACKTRACE)
		print_backtrace(p, l);
	track_of(p, l)->event_colour =
		tr && tr->actions & UFT_DO_COLOUR ? tr->colour : EVENT_COLOUR;
	level = l->margin.level + column_level(p, l);
	if (!p->c->no_merge)
		next = uft_look_ahead(p->w, l, rec.depth);
	if (next == l && l->rec.depth == rec.depth && l->rec.type == UFT_EXIT) {
		uft_walk_take(p->w, l);
		add_columns(p, l, call, false);
		add_indent(p, level);
		print_joined(p, l, n, tr, &args, form | (rec.more ? UFT_VALUES_MORE : 0));
		uft_settle_return(l);
		return;
	}
	add_columns(p, l, call, true);
	add_indent(p, level);
	add_name(p, n, tr);
	add_values(p, l, &args, rec.more, form);
	textbuf_add_str(&p->o->tb, " {");
	add_place(p, n);
	textbuf_add_char(&p->o->tb, '\n');
	uft_settle_call(p->w, l, call);
}

static void print_exit(struct replay *p, struct uft_lane *l, const struct named *n)
{
	unsigned form = UFT_VALUES_RETVAL;

	if (!uft_decide(p->w, l, NULL))
		return;
	if (l->rec.more && !p->c->no_args)
		form |= UFT_VALUES_ASSIGN | UFT_VALUES_SEMICOLON;
	add_task_newline(p, l);
	add_columns(p, l, uft_call_ended(l), false);
	add_indent(p, l->margin.level + column_level(p, l));
	textbuf_add_char(&p->o->tb, '}');
	add_values(p, l, &l->values, l->rec.more, form);
	if (!p->c->no_comment)
		uft_out_colour(p->o, 'g', " /* %s%s%s */", n->name, *n->library ? "@" : "",
			       n->library);
	textbuf_add_char(&p->o->tb, '\n');
	uft_settle(p->w, l);
}

static void print_lost(struct replay *p, struct uft_lane *l)
{
	int indent = (l->margin.level + 1) * 2;

	add_task_newline(p, l);
	add_columns(p, l, NULL, true);
	if ((int)l->rec.addr > 0)
		uft_out_colour(p->o, 'R', "%*s/* LOST %d records!! */\n", indent, "",
			       (int)l->rec.addr);
	else
		uft_out_colour(p->o, 'R', "%*s/* LOST some records!! */\n", indent, "");
}

static void add_event_text(struct replay *p, struct uft_lane *l, uint64_t id, char colour)
{
	char name[200], data[1000];

	uft_event_name(p->c->events, id, name, sizeof(name));
	uft_out_colour(p->o, colour, "%s", name);
	if (id < UFT_EVENT_USER &&
	    uft_event_data(p->w->c.kernel, id, &l->values, true, data, sizeof(data)))
		uft_out_colour(p->o, colour, " (%s)", data);
}

/* A task that goes away and comes back is one line. */
static uint64_t merge_switch(struct replay *p, struct uft_lane *l, uint64_t id, bool *ret_is_in)
{
	bool is_out = id == UFT_EVENT_SCHED_OUT || id == UFT_EVENT_SCHED_OUT_PREEMPT;
	struct uft_lane *next = is_out && !p->c->no_merge ? uft_look_ahead(p->w, l, 0) : NULL;

	*ret_is_in = id == UFT_EVENT_SCHED_IN;
	if (next != l || l->rec.addr != UFT_EVENT_SCHED_IN)
		return id;
	uft_walk_take(p->w, l);
	*ret_is_in = true;
	return id == UFT_EVENT_SCHED_OUT ? UFT_EVENT_SCHED_BOTH : UFT_EVENT_SCHED_BOTH_PREEMPT;
}

static char event_colour(const struct replay *p, const struct uft_lane *l)
{
	char colour = track_of(p, l)->event_colour;

	return colour ? colour : EVENT_COLOUR;
}

static void print_event(struct replay *p, struct uft_lane *l)
{
	char colour = event_colour(p, l);
	int depth = l->margin.level;
	struct uft_call *call;
	uint64_t id = l->rec.addr;
	bool is_in;

	if (!uft_decide(p->w, l, NULL))
		return;
	add_task_newline(p, l);
	depth += column_level(p, l);
	id = merge_switch(p, l, id, &is_in);
	if (id == UFT_EVENT_EXTERN)
		depth = 0;
	call = uft_call_ended(l);
	if (!p->w->is_on || !call || call->verdict == UFT_HIDDEN)
		return;
	if (is_in && uft_call_ns(call))
		add_columns(p, l, call, false);
	else
		add_columns(p, l, NULL, true);
	uft_out_colour(p->o, colour, "%*s/* ", depth * 2, "");
	add_event_text(p, l, id, colour);
	uft_out_colour(p->o, colour, " */\n");
}

static void print_graph(struct replay *p, struct uft_lane *l)
{
	struct track *track = track_of(p, l);
	struct named n;

	if (l->rec.type == UFT_LOST) {
		print_lost(p, l);
		return;
	}
	find_name(p, l, &n);
	if (uft_walk_hides_libcall(p->w, n.sym))
		return;
	track->before_ns = track->now_ns;
	track->now_ns = l->rec.time_ns;
	if (l->rec.type == UFT_ENTRY)
		print_entry(p, l, &n);
	else if (l->rec.type == UFT_EXIT)
		print_exit(p, l, &n);
	else
		print_event(p, l);
}

/* --flat: one line for each record, without filters. */
static void print_flat(struct replay *p, struct uft_lane *l)
{
	struct uft_call *call = uft_call_at(l, l->rec.depth);
	struct textbuf *tb = &p->o->tb;
	struct named n;

	find_name(p, l, &n);
	if (!call || uft_walk_hides_libcall(p->w, n.sym))
		return;
	switch (l->rec.type) {
	case UFT_ENTRY:
		textbuf_addf(tb, "[%d] ==> %d/%d: ip (%s), time (%" PRIu64 ")\n", p->n_flat++,
			     l->tid, l->rec.depth, n.name, l->rec.time_ns);
		break;
	case UFT_EXIT:
		textbuf_addf(tb, "[%d] <== %d/%d: ip (%s), time (%" PRIu64 ":%" PRIu64 ")\n",
			     p->n_flat++, l->tid, l->rec.depth, n.name, l->rec.time_ns,
			     uft_call_ns(call));
		break;
	case UFT_LOST:
		textbuf_addf(tb,
			     "[%d] XX"
			     "X %d: lost %d records\n",
			     p->n_flat++, l->tid, (int)l->rec.addr);
		break;
	default:
		textbuf_addf(tb, "[%d] !!! %d: ", p->n_flat++, l->tid);
		add_event_text(p, l, l->rec.addr, event_colour(p, l));
		textbuf_addf(tb, " time (%" PRIu64 ")\n", l->rec.time_ns);
		break;
	}
}

/* Frames at the bottom of a stack whose calls are unknown. */
static int count_unknown(struct uft_lane *l)
{
	int n = 0;

	while (n < l->n_open && (!uft_call_at(l, n) || !uft_call_at(l, n)->addr))
		n++;
	return n;
}

/* The system call that ended the task never returns. */
static bool is_exit_call(struct replay *p, struct uft_lane *l)
{
	struct uft_call *call = uft_call_at(l, 0);
	const struct uft_sym *s;

	if (!p->w->c.kernel || l->n_functions || !call)
		return false;
	s = uft_walk_sym(p->w, l, uft_call_ns(call), call->addr);
	return s && (strstr(s->name, "sys_exit") || !strcmp(s->name, "do_syscall_64"));
}

/* Is only a task switch open? */
static bool is_switch_only(struct uft_lane *l)
{
	struct uft_call *call = uft_call_at(l, 0);

	return l->n_open == 1 && call &&
	       (call->addr == UFT_EVENT_SCHED_OUT || call->addr == UFT_EVENT_SCHED_OUT_PREEMPT);
}

static void print_open(struct replay *p, struct uft_lane *l)
{
	int n_unknown = count_unknown(l);

	if (!l->calls || !l->n_open || is_switch_only(l) || is_exit_call(p, l) ||
	    n_unknown == l->n_open)
		return;
	textbuf_addf(&p->o->tb, "task: %d\n", l->tid);
	for (int i = l->n_open - 1; i >= n_unknown; i--) {
		struct uft_call *call = uft_call_at(l, i);
		const struct uft_sym *s =
			call ? uft_walk_sym(p->w, l, uft_call_ns(call), call->addr) : NULL;

		if (!call)
			continue;
		textbuf_addf(&p->o->tb, "[%d] ", i - n_unknown);
		if (s)
			textbuf_addf(&p->o->tb, "%s\n", s->name);
		else
			textbuf_addf(&p->o->tb, "<%" PRIx64 ">\n", call->addr);
	}
	textbuf_add_char(&p->o->tb, '\n');
}

/* Calls that never returned. */
static void print_remaining(struct replay *p)
{
	int total = 0;

	for (size_t i = 0; i < p->w->n_lanes; i++) {
		struct uft_lane *l = &p->w->lanes[i];

		if (l->calls && !is_switch_only(l) && !is_exit_call(p, l))
			total += l->n_open - count_unknown(l);
	}
	if (!total)
		return;
	textbuf_add_str(&p->o->tb, "\nuftrace stopped tracing with remaining functions"
				   "\n================================================\n");
	for (size_t i = 0; i < p->w->n_lanes; i++)
		print_open(p, &p->w->lanes[i]);
}

static void print_inverted(struct replay *p, struct uft_lane *l)
{
	if (uft_fields_add_blank(&p->fields, p->o, 1))
		textbuf_add_str(&p->o->tb, " | ");
	uft_out_colour(p->o, 'R', " %*s/* inverted time: broken data? */\n",
		       (l->margin.level + 1) * 2, "");
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
	struct uft_lane *l;

	if (w->c.range_start_ns || w->c.range_stop_ns) {
		defaults[0] =
			w->c.range_start_elapsed || w->c.range_stop_elapsed ? "elapsed" : "time";
		defaults[1] = "duration";
		defaults[2] = "tid";
	}
	if (!uft_fields_init(&p.fields, c->fields, table, ARRAY_LEN(table), defaults, o))
		return false;
	p.tracks = calloc(w->n_lanes + 1, sizeof(*p.tracks));
	if (!p.tracks) {
		o->status = -ENOMEM;
		return false;
	}
	if (o->html)
		textbuf_add_str(&o->tb, uft_html_header);
	print_header(&p);
	while (o->status >= 0 && (l = uft_walk_next(w))) {
		if (!uft_walk_wants(w, l))
			continue;
		if (l->rec.time_ns) {
			if (p.last_ns > l->rec.time_ns)
				print_inverted(&p, l);
			p.last_ns = l->rec.time_ns;
		}
		if (c->flat)
			print_flat(&p, l);
		else
			print_graph(&p, l);
		uft_out_flush(o, false);
	}
	print_remaining(&p);
	if (o->html)
		textbuf_add_str(&o->tb, uft_html_footer);
	free(p.tracks);
	return true;
}
