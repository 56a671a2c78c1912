// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ftracetext.c - the text of ftrace becomes a trace file.
 *
 *	text ─▶ ftraceline: a line ─┬─▶ textkinds     events with their fields
 *	                            └─▶ graphlines    functions, stacks        ─▶ maker ─▶ trace file
 *
 * The text is read twice: first to see which fields an event has, and whether all its values are
 * numbers; then for the events. A line that is no event is counted; so are lines of function_graph
 * without a time, which the kernel prints unless its option funcgraph-abstime is set.
 */
#include "inputs/foreign/ftracetext.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/files/mapfile.h"
#include "base/scope.h"
#include "inputs/foreign/formats.h"
#include "inputs/foreign/ftraceline.h"
#include "inputs/foreign/graphlines.h"
#include "inputs/foreign/textkinds.h"
#include "inputs/foreign/maker.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define HEAD_LINES	60
#define FRAMES_MAX	256
#define CPUS_MAX	65536
#define SAME_US_NS	496
#define CALL_NAME_BYTES 80
#define GRAPH_HEADING	"# tracer: function_graph"

struct import {
	const struct foreign_config *config;
	struct maker maker;
	struct textkinds kinds;
	struct graphlines graph;
	bool is_learning;
	/* the text */
	const char *at, *end;
	struct ftraceline next; /* the line after the current one */
	bool has_next;
	uint64_t last_us_ns, last_ns;	/* of the last event: as it was written, as it was stored */
	uint64_t n_line, first_unknown; /* number of `next` */
	struct map running;		/* function_graph: the task of each CPU, plus one */
	uint64_t n_unknown, n_no_time, n_frames, n_without_task;
};

static void release(struct import *im)
{
	graphlines_release(&im->graph);
	textkinds_release(&im->kinds);
	map_release(&im->running);
	maker_release(&im->maker);
}

/*
 * --- lines -------------------------------------------------------------------------------------
 */

static bool take_line(const char **at, const char *end, struct piece *ret)
{
	const char *start = *at, *newline;

	if (start == end)
		return false;
	newline = memchr(start, '\n', (size_t)(end - start));
	*ret = (struct piece){(const uint8_t *)start, (size_t)((newline ? newline : end) - start)};
	*at = newline ? newline + 1 : end;
	return true;
}

/*
 * Lines of the same microsecond keep their order: each gets two nanoseconds more, so that the end of
 * a call without others inside has room, and rounding gives the same microsecond.
 */
static void keep_order(struct import *im, struct ftraceline *l)
{
	uint64_t written_ns = l->time_ns;

	if ((l->kind != FTRACELINE_EVENT && l->kind != FTRACELINE_GRAPH) || !l->is_rounded)
		return;
	if (written_ns == im->last_us_ns && im->last_ns - written_ns < SAME_US_NS)
		l->time_ns = im->last_ns + 2;
	im->last_us_ns = written_ns;
	im->last_ns = l->time_ns;
}

/* Reads the next line that says something. */
static void advance(struct import *im)
{
	struct piece line;

	im->has_next = false;
	while (take_line(&im->at, im->end, &line)) {
		im->n_line++;
		ftraceline_parse(line, &im->next);
		keep_order(im, &im->next);
		if (im->next.kind != FTRACELINE_NOTHING) {
			im->has_next = true;
			return;
		}
	}
}

static bool take(struct import *im, struct ftraceline *ret)
{
	if (!im->has_next)
		return false;
	*ret = im->next;
	advance(im);
	return true;
}

/* The time of the next event, 0 if there is none. */
static uint64_t next_time(const struct import *im)
{
	return im->has_next && (im->next.kind == FTRACELINE_EVENT ||
				im->next.kind == FTRACELINE_GRAPH)
		       ? im->next.time_ns
		       : 0;
}

/*
 * --- events ------------------------------------------------------------------------------------
 */

static bool is_named(const struct ftraceline *l, const char *name)
{
	return l->name.len == strlen(name) && !memcmp(l->name.data, name, l->name.len);
}

static int add_named(struct import *im, const struct ftraceline *l)
{
	uint8_t record[MAKER_RECORD_MAX + 1];
	struct maker_head head = {0, l->flags, l->preempt_count, l->pid};
	char made[CALL_NAME_BYTES];
	struct piece name = l->name;
	uint32_t n;

	if (l->call) {
		snprintf(made, sizeof(made), "sys_%s_%.*s",
			 l->call == FTRACELINE_CALL_ENTER ? "enter" : "exit", (int)name.len,
			 (const char *)name.data);
		name = (struct piece){(const uint8_t *)made, strlen(made)};
	}
	if (im->is_learning)
		return textkinds_learn(&im->kinds, name, l->text);
	memcpy(record, &head, sizeof(head));
	n = textkinds_fill(&im->kinds, name, l->text, record);
	return n ? maker_add(&im->maker, l->cpu, l->time_ns, record, n) : 0;
}

/* Takes the lines of the stack; what does not fit is not counted, like frames of a deep stack. */
static int add_stack(struct import *im, const struct ftraceline *l)
{
	struct piece frames[FRAMES_MAX];
	size_t n = 0;

	while (im->has_next && im->next.kind == FTRACELINE_FRAME) {
		if (n < FRAMES_MAX)
			frames[n++] = im->next.text;
		advance(im);
	}
	return im->is_learning ? 0 : graphlines_add_stack(&im->graph, l, frames, n);
}

static int add_call(struct import *im, const struct ftraceline *l)
{
	struct piece text;
	bool has_duration;
	uint64_t ns;

	if (!ftraceline_parse_duration(l->text, &has_duration, &ns, &text) || !text.len)
		return add_named(im, l);
	if (!im->is_learning) {
		int r = graphlines_add_call(&im->graph, l, next_time(im));

		return r == -EINVAL ? 0 : r;
	}
	return 0;
}

/* An event between functions: a comment "sched_waking: …" after the bar. */
static bool read_comment(struct ftraceline *l)
{
	const char *start = (const char *)l->text.data, *end = start + l->text.len;
	const char *open = memmem(start, l->text.len, "/* ", 3), *colon, *close;

	if (!open)
		return false;
	for (const char *p = start; p < open; p++)
		if (*p != ' ' && *p != '|')
			return false;
	open += 3;
	close = memmem(open, (size_t)(end - open), " */", 3);
	colon = memmem(open, (size_t)(end - open), ": ", 2);
	if (!close || !colon || colon > close)
		return false;
	l->name = (struct piece){(const uint8_t *)open, (size_t)(colon - open)};
	l->text = (struct piece){(const uint8_t *)colon + 2, (size_t)(close - colon - 2)};
	return true;
}

static int add_graph(struct import *im, struct ftraceline *l)
{
	void **slot = map_take(&im->running, l->cpu, CPUS_MAX);

	if (!slot)
		return -ENOMEM;
	if (l->has_pid)
		*slot = (void *)((uintptr_t)(uint32_t)l->pid + 1);
	if (l->kind == FTRACELINE_SWITCH)
		return *slot ? 0 : -ENOMEM;
	if (!*slot) {
		im->n_without_task += !im->is_learning;
		*slot = (void *)1;
	}
	l->pid = (int)((uintptr_t)*slot - 1);
	if (read_comment(l))
		return add_named(im, l);
	l->name = (struct piece){(const uint8_t *)"line", 4};
	return add_call(im, l);
}

static int add_event(struct import *im, const struct ftraceline *l)
{
	if (is_named(l, "funcgraph_entry") || is_named(l, "funcgraph_exit"))
		return add_call(im, l);
	if (is_named(l, "function"))
		return im->is_learning ? 0 : graphlines_add_function(&im->graph, l);
	if (is_named(l, "kernel_stack"))
		return add_stack(im, l);
	return add_named(im, l);
}

static int add_line(struct import *im, struct ftraceline *l)
{
	if (!im->is_learning && l->has_pid)
		TRY(maker_name_task(&im->maker, l->pid, l->tgid, (const char *)l->comm.data,
				    l->comm.len));
	switch (l->kind) {
	case FTRACELINE_EVENT:
		return add_event(im, l);
	case FTRACELINE_GRAPH:
	case FTRACELINE_SWITCH:
		return add_graph(im, l);
	case FTRACELINE_LOST:
		return im->is_learning ? 0 : maker_add_missed(&im->maker, l->cpu, l->n_lost);
	case FTRACELINE_CPUS:
		im->maker.n_cpus = l->cpu;
		return 0;
	case FTRACELINE_NO_TIME:
		im->n_no_time += im->is_learning;
		return 0;
	case FTRACELINE_FRAME:
		im->n_frames += im->is_learning;
		return 0;
	default:
		im->n_unknown += im->is_learning;
		return 0;
	}
}

static int read_all(struct import *im, struct piece text)
{
	struct ftraceline line;

	im->at = (const char *)text.data;
	im->end = im->at + text.len;
	im->n_line = im->last_us_ns = im->last_ns = 0;
	map_clear(&im->running);
	advance(im);
	for (;;) {
		uint64_t n_line = im->n_line;

		if (!take(im, &line))
			return 0;
		if (line.kind == FTRACELINE_UNKNOWN && !im->first_unknown)
			im->first_unknown = n_line;
		if (line.is_ticks)
			im->maker.clock = "counter";
		TRY(add_line(im, &line));
	}
}

/*
 * --- the file ----------------------------------------------------------------------------------
 */

static void note_left_out(const struct import *im)
{
	const struct {
		uint64_t n;
		const char *what;
	} rows[] = {
		{im->n_no_time, "lines of function_graph without a time (set the option "
				"funcgraph-abstime before recording)"},
		{im->n_frames, "lines of stacks of programs"},
		{im->kinds.n_refused, "events, because there are too many kinds"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].n)
			foreign_note(im->config, "%s: not converted: %llu %s", im->config->input,
				     (unsigned long long)rows[i].n, rows[i].what);
	if (im->n_without_task)
		foreign_note(im->config,
			     "%s: %llu lines of function_graph do not name their task; they are "
			     "shown as task 0",
			     im->config->input, (unsigned long long)im->n_without_task);
	if (im->graph.n_unnamed)
		foreign_note(im->config,
			     "%s: %llu functions end whose beginning is missing; they have no name",
			     im->config->input, (unsigned long long)im->graph.n_unnamed);
	if (im->n_unknown)
		foreign_note(im->config,
			     "%s: lines that are not events and were not converted: %llu; the "
			     "first is line %llu",
			     im->config->input, (unsigned long long)im->n_unknown,
			     (unsigned long long)im->first_unknown);
}

int ftracetext_convert_text(const struct foreign_config *config, struct piece text,
			    struct errmsg *err)
{
	SCOPED(release) struct import im = {.config = config, .is_learning = true};
	int r;

	TRY(maker_init(&im.maker, config, err));
	textkinds_init(&im.kinds);
	graphlines_init(&im.graph, &im.maker);
	r = read_all(&im, text);
	if (r >= 0) {
		textkinds_settle(&im.kinds, &im.maker);
		im.is_learning = false;
		r = read_all(&im, text);
	}
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot convert %s", config->input);
	if (!im.maker.n_events && im.n_no_time)
		return errmsg_set(err, -ENODATA,
				  "%s has no times; set the option funcgraph-abstime before "
				  "recording with function_graph",
				  config->input);
	TRY(maker_write(&im.maker, err));
	note_left_out(&im);
	return im.n_unknown ? 1 : 0;
}

int ftracetext_convert(const struct foreign_config *config, struct errmsg *err)
{
	SCOPED(mapfile_release) struct mapfile map = {0};

	TRY(mapfile_open(&map, config->input, err));
	return ftracetext_convert_text(config, (struct piece){map.data, map.n_bytes}, err);
}

/* The first lines are enough: comments, a line of a report, an event. */
static bool is_text(struct piece head)
{
	const char *at = (const char *)head.data, *end = at + head.len;
	bool is_graph = head.len > strlen(GRAPH_HEADING) &&
			!memcmp(at, GRAPH_HEADING, strlen(GRAPH_HEADING));
	struct ftraceline l;
	struct piece line;

	if (memchr(at, 0, head.len))
		return false;
	for (int i = 0; i < HEAD_LINES && take_line(&at, end, &line); i++) {
		ftraceline_parse(line, &l);
		if (l.kind == FTRACELINE_EVENT || l.kind == FTRACELINE_GRAPH ||
		    (is_graph && l.kind == FTRACELINE_NO_TIME))
			return true;
	}
	return false;
}

bool ftracetext_is(const char *path)
{
	char head[FOREIGN_HEAD_BYTES];
	size_t n = foreign_read_head(path, head);

	return n && is_text((struct piece){(const uint8_t *)head, n});
}
