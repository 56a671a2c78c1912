// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ftraceline.c - reads one line of ftrace's text, in the forms that kernels and reports print.
 *
 *	          <idle>-0       [001] d..2.   151.609943: sched_switch: prev_comm=…  trace, trace_pipe
 *	            bash-1234    (   1234) [001] d..2.  …                             with tgid
 *	           sleep-234     [001]   151.609943: funcgraph_entry:   …             reports
 *	   sleep-234     1d..2.  151.609943: name: …                                  report -l
 *	    bash-1994    1d..5   12us+: func <-parent                                 latency tracers
 *	  151.609943 |   1)   bash-1234  |  d..1 |   0.123 us    |  func();           function_graph
 *
 * A name of a task may contain anything, also blanks and brackets. So a line is recognised by what
 * follows the name: '-', the pid, the CPU, the time and a colon, and the first place where all that
 * fits counts.
 */
#include "inputs/foreign/ftraceline.h"

#include "inputs/foreign/linecursor.h"

#include "base/array.h"

#include <ctype.h>
#include <string.h>

#define NS_PER_S	    UINT64_C(1000000000)
#define SECONDS_MAX	    UINT64_C(9000000000)
#define REPORT_TEXT_COLUMN  22 /* from the name to the text, in reports */
#define REPORT_TASK_COLUMNS 16
#define FUNCTION_NAME	    "function"
#define STACK_NAME	    "kernel_stack"

/* Texts that a line does not have are empty, not NULL. */
#define PIECE_EMPTY	    ((struct piece){(const uint8_t *)"", 0})
#define EMPTY		    .comm = PIECE_EMPTY, .name = PIECE_EMPTY, .text = PIECE_EMPTY

static struct piece piece_of(const char *from, const char *to)
{
	return (struct piece){(const uint8_t *)from, (size_t)(to - from)};
}

/*
 * Reports of several buffers put the buffer's name and a colon before the task, which then has a
 * column of its own: that is longer than a task's name.
 */
static const char *without_buffer(const char *start, const char *dash)
{
	if (dash - start < REPORT_TASK_COLUMNS)
		return start;
	for (const char *p = dash - REPORT_TASK_COLUMNS; p - start >= 2; p--)
		if (p[-1] == ' ' && p[-2] == ':')
			return p;
	return start;
}

static struct piece trim(struct piece p)
{
	while (p.len && p.data[0] == ' ')
		p = (struct piece){p.data + 1, p.len - 1};
	while (p.len && (p.data[p.len - 1] == ' ' || p.data[p.len - 1] == '\r'))
		p.len--;
	return p;
}

static bool piece_is(struct piece p, const char *text)
{
	return p.len == strlen(text) && !memcmp(p.data, text, p.len);
}

/*
 * --- what stands before the event --------------------------------------------------------------
 */

/* Takes the digits behind the point; their number says what they count. */
static bool take_fraction(struct linecursor *c, uint64_t *ret_ns)
{
	const char *start = c->at;
	uint64_t v;

	if (!linecursor_take_number(c, NS_PER_S, &v) || c->at - start > 9)
		return false;
	for (ptrdiff_t i = c->at - start; i < 9; i++)
		v *= 10;
	*ret_ns = v;
	return true;
}

/* Takes "151.609943:", "12us+:" or "123456:" with its colon. */
static bool take_time(struct linecursor *c, struct ftraceline *l)
{
	uint64_t v, ns = 0;

	if (!linecursor_take_number(c, UINT64_MAX / 20, &v))
		return false;
	if (linecursor_take_text(c, ".")) {
		const char *point = c->at;

		if (v > SECONDS_MAX || !take_fraction(c, &ns))
			return false;
		l->time_ns = v * NS_PER_S + ns;
		l->is_rounded = c->at - point == 6;
	} else if (linecursor_take_text(c, "us")) {
		if (v > SECONDS_MAX * 1000)
			return false;
		l->time_ns = v * 1000;
		while (c->at < c->end && strchr("+!#*$@ ", *c->at))
			c->at++;
	} else {
		l->time_ns = v;
		l->is_ticks = true;
	}
	return linecursor_take_text(c, ":");
}

static unsigned hex_digit(char c)
{
	return isdigit((unsigned char)c)    ? (unsigned)(c - '0')
	       : isxdigit((unsigned char)c) ? (unsigned)((c | 32) - 'a' + 10)
					    : 0;
}

/* Takes "d..2." of the latency format: interrupts, reschedule, context, preemption, migration. */
static bool take_flags(struct linecursor *c, struct ftraceline *l)
{
	const char *start = c->at, *p = start;
	size_t n;

	while (p < c->end && *p != ' ' && *p != '|')
		p++;
	n = (size_t)(p - start);
	if (n < 4 || n > 7 || !strchr("dDbBX.", start[0]) || !strchr("NnpBLl.", start[1]) ||
	    !strchr("HhsZz.", start[2]))
		return false;
	l->flags = (uint8_t)((start[0] == 'X' ? 2 : start[0] != '.') | (start[1] == '.' ? 0 : 4) |
			     (start[2] == 'H'	? 0x18
			      : start[2] == 'h' ? 8
			      : start[2] == 's' ? 0x10
						: 0));
	l->preempt_count = (uint8_t)(hex_digit(start[3]) & 15);
	if (n > 4)
		l->preempt_count |= (uint8_t)((hex_digit(start[4]) & 15) << 4);
	c->at = p;
	return true;
}

/* "[001] d..2.   151.609943:" or, in latency form, "1d..2.  151.609943:" */
static bool take_place(struct linecursor *c, struct ftraceline *l)
{
	bool has_brackets;
	uint64_t v;

	linecursor_skip_blanks(c);
	if (linecursor_take_text(c, "(")) { /* the process, or ------- */
		linecursor_skip_blanks(c);
		if (linecursor_take_number(c, INT32_MAX, &v))
			l->tgid = (int)v;
		while (c->at < c->end && *c->at == '-')
			c->at++;
		if (!linecursor_take_text(c, ")"))
			return false;
		linecursor_skip_blanks(c);
	}
	has_brackets = linecursor_take_text(c, "[");
	if (!linecursor_take_number(c, 65535, &v) ||
	    (has_brackets && !linecursor_take_text(c, "]")))
		return false;
	l->cpu = (uint32_t)v;
	if (!has_brackets && !take_flags(c, l))
		return false;
	linecursor_skip_blanks(c);
	if (has_brackets) {
		take_flags(c, l);
		linecursor_skip_blanks(c);
	}
	return take_time(c, l);
}

/* Takes "COMM-PID [CPU] … TIME:"; the first '-' where all of it fits counts. */
static bool take_head(struct linecursor *c, struct ftraceline *l)
{
	const char *start = c->at;

	for (const char *dash = start; dash < c->end; dash++) {
		struct ftraceline tried = {EMPTY, .kind = FTRACELINE_EVENT, .has_pid = true};
		struct linecursor t = {dash + 1, c->end};
		uint64_t pid;

		if (*dash != '-' || !linecursor_take_number(&t, INT32_MAX, &pid) || t.at == t.end ||
		    (*t.at != ' ' && *t.at != '('))
			continue;
		tried.pid = (int)pid;
		if (!take_place(&t, &tried))
			continue;
		tried.comm = trim(piece_of(without_buffer(start, dash), dash));
		*l = tried;
		c->at = t.at;
		return true;
	}
	return false;
}

/*
 * --- the event ---------------------------------------------------------------------------------
 */

static bool is_word(struct piece p)
{
	if (!p.len || p.len > 64)
		return false;
	return ARRAY_ANY(p.len, i, isalpha(p.data[i])) &&
	       !ARRAY_ANY(p.len, i, !isalnum(p.data[i]) && p.data[i] != '_');
}

static struct piece constant(const char *text)
{
	return piece_of(text, text + strlen(text));
}

/* Reports fill a name up with blanks; the text's own blanks come after those. */
static const char *text_start(const char *name, const char *colon, const char *end)
{
	const char *column = name + REPORT_TEXT_COLUMN, *at = colon + 1;

	while (at < end && at < column && *at == ' ')
		at++;
	if (at >= column && column > colon + 1)
		return column;
	return colon + 1 < end && colon[1] == ' ' ? colon + 2 : colon + 1;
}

/* "sys_read(fd: 3, …)" and "sys_read -> 0x5", which the kernel prints without the event's name. */
static bool read_call(struct piece rest, struct ftraceline *l)
{
	const char *start = (const char *)rest.data, *end = start + rest.len, *p = start + 4;
	bool is_exit;

	if (rest.len < 6 || memcmp(start, "sys_", 4))
		return false;
	while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
		p++;
	is_exit = end - p > 4 && !memcmp(p, " -> ", 4);
	if (!is_exit && (p == end || *p != '('))
		return false;
	l->name = piece_of(start + 4, p);
	l->text = is_exit ? piece_of(p + 4, end) : piece_of(p + 1, end - (end[-1] == ')'));
	l->call = is_exit ? FTRACELINE_CALL_EXIT : FTRACELINE_CALL_ENTER;
	return true;
}

static void read_event(struct linecursor *c, struct ftraceline *l)
{
	struct piece rest, name;
	const char *colon;

	if (c->at < c->end && *c->at == ' ')
		c->at++;
	rest = piece_of(c->at, c->end);
	colon = memchr(c->at, ':', (size_t)(c->end - c->at));
	name = piece_of(c->at, colon ? colon : c->end);
	if (colon && is_word(name)) {
		const char *at = text_start(c->at, colon, c->end);

		l->name = name;
		l->text = piece_of(at < c->end ? at : c->end, c->end);
	} else if (piece_is(trim(rest), "<stack trace>")) {
		l->name = constant(STACK_NAME);
	} else if (read_call(rest, l)) {
		return;
	} else if (memmem(rest.data, rest.len, " <-", 3)) {
		l->name = constant(FUNCTION_NAME);
		l->text = rest;
	} else {
		l->name = constant("line");
		l->text = rest;
	}
}

/*
 * --- function_graph ----------------------------------------------------------------------------
 */

bool ftraceline_parse_duration(struct piece text, bool *ret_has, uint64_t *ret_ns,
			       struct piece *ret_text)
{
	const char *start = (const char *)text.data, *end = start + text.len;
	const char *bar = text.len ? memchr(start, '|', text.len) : NULL;
	struct linecursor c = {start, bar};
	uint64_t us, ns = 0;

	if (!bar)
		return false;
	while (c.at < c.end && strchr(" +!#*$@", *c.at))
		c.at++;
	*ret_has = c.at < c.end;
	*ret_ns = 0;
	*ret_text = piece_of(bar + 1, end);
	if (!*ret_has)
		return true;
	if (!linecursor_take_number(&c, UINT64_MAX / 20000, &us) ||
	    (linecursor_take_text(&c, ".") && !take_fraction(&c, &ns)))
		return false;
	*ret_ns = us * 1000 + ns / 1000000;
	linecursor_skip_blanks(&c);
	return linecursor_take_text(&c, "us");
}

/* "bash-1234" */
static bool read_task(struct piece p, struct ftraceline *l)
{
	const char *start = (const char *)p.data, *end = start + p.len, *dash;
	struct linecursor c;
	uint64_t pid;

	dash = p.len ? memrchr(start, '-', p.len) : NULL;
	c = (struct linecursor){dash ? dash + 1 : end, end};
	if (!linecursor_take_number(&c, INT32_MAX, &pid) || c.at != end)
		return false;
	l->pid = (int)pid;
	l->has_pid = true;
	l->comm = trim(piece_of(start, dash));
	return true;
}

static struct piece up_to_bar(struct linecursor *c)
{
	const char *bar = memchr(c->at, '|', (size_t)(c->end - c->at));

	return piece_of(c->at, bar ? bar : c->end);
}

/* What follows "CPU)": the task, flags, and then the duration with the function. */
static void read_graph_columns(struct linecursor *c, struct ftraceline *l)
{
	struct piece column = trim(up_to_bar(c));

	if (read_task(column, l)) {
		c->at += up_to_bar(c).len;
		linecursor_take_text(c, "|");
	}
	for (;;) { /* flags */
		struct linecursor t = *c;

		linecursor_skip_blanks(&t);
		if (!take_flags(&t, l))
			return;
		linecursor_skip_blanks(&t);
		if (!linecursor_take_text(&t, "|"))
			return;
		*c = t;
	}
}

/* " 0)   bash-1   =>   make-2" */
static bool read_switch(struct linecursor c, struct ftraceline *l)
{
	const char *arrow = memmem(c.at, (size_t)(c.end - c.at), " => ", 4);

	if (!arrow || !read_task(trim(piece_of(arrow + 4, c.end)), l))
		return false;
	l->kind = FTRACELINE_SWITCH;
	return true;
}

static bool read_graph(struct linecursor c, struct ftraceline *l)
{
	struct ftraceline g = {EMPTY, .kind = FTRACELINE_NO_TIME};
	uint64_t v, ns;

	linecursor_skip_blanks(&c);
	if (!linecursor_take_number(&c, SECONDS_MAX, &v))
		return false;
	if (linecursor_take_text(&c, ".")) {
		if (!take_fraction(&c, &ns))
			return false;
		g.time_ns = v * NS_PER_S + ns;
		g.kind = FTRACELINE_GRAPH;
		g.is_rounded = true;
		linecursor_skip_blanks(&c);
		if (!linecursor_take_text(&c, "|"))
			return false;
		linecursor_skip_blanks(&c);
		if (!linecursor_take_number(&c, 65535, &v))
			return false;
	}
	if (v > 65535 || !linecursor_take_text(&c, ")"))
		return false;
	g.cpu = (uint32_t)v;
	if (!read_switch(c, &g)) {
		read_graph_columns(&c, &g);
		g.text = piece_of(c.at, c.end);
		if (memmem(c.at, (size_t)(c.end - c.at), "=====", 5))
			g.kind = FTRACELINE_NOTHING; /* an interrupt begins or ends */
	}
	*l = g;
	return true;
}

/*
 * --- other lines -------------------------------------------------------------------------------
 */

/* "CPU:1 [LOST 12 EVENTS]" of the kernel, "CPU:1 [12 EVENTS DROPPED]" of reports */
static bool read_lost(struct linecursor c, struct ftraceline *l)
{
	uint64_t cpu, n = 0;

	linecursor_skip_blanks(&c);
	if (!linecursor_take_text(&c, "CPU:") || !linecursor_take_number(&c, 65535, &cpu) ||
	    !linecursor_take_text(&c, " ["))
		return false;
	if (linecursor_take_text(&c, "SUBBUFFER START]")) {
		l->kind = FTRACELINE_NOTHING;
		return true;
	}
	if (!linecursor_take_text(&c, "LOST ") &&
	    !isdigit((unsigned char)(c.at < c.end ? *c.at : 0)) &&
	    !linecursor_take_text(&c, "EVENTS"))
		return false;
	linecursor_take_number(&c, UINT32_MAX, &n);
	l->kind = FTRACELINE_LOST;
	l->cpu = (uint32_t)cpu;
	l->n_lost = n;
	return true;
}

static bool is_heading(struct piece line)
{
	static const char *const starts[] = {"#", "----", "tracer:", "version = "};
	struct piece p = trim(line);

	return !p.len || ARRAY_ANY(ARRAY_LEN(starts), i,
				   p.len >= strlen(starts[i]) &&
					   !memcmp(p.data, starts[i], strlen(starts[i])));
}

void ftraceline_parse(struct piece line, struct ftraceline *ret)
{
	struct linecursor c = {(const char *)line.data, (const char *)line.data + line.len}, frame;
	uint64_t n;

	if (line.len && c.end[-1] == '\r')
		c.end--;
	*ret = (struct ftraceline){EMPTY, .kind = FTRACELINE_UNKNOWN};
	if (is_heading(line)) {
		ret->kind = FTRACELINE_NOTHING;
		return;
	}
	frame = c;
	linecursor_skip_blanks(&frame);
	if (linecursor_take_text(&frame, "=> ")) {
		ret->kind = FTRACELINE_FRAME;
		ret->text = piece_of(frame.at, frame.end);
		return;
	}
	if (take_head(&c, ret)) {
		read_event(&c, ret);
		return;
	}
	if (read_graph(c, ret) || read_lost(c, ret))
		return;
	if (linecursor_take_text(&c, "cpus=") && linecursor_take_number(&c, 65535, &n) &&
	    c.at == c.end) {
		ret->kind = FTRACELINE_CPUS;
		ret->cpu = (uint32_t)n;
	}
}
