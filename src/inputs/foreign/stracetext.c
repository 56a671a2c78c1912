// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stracetext.c - the output of strace becomes a trace file.
 *
 *	openat(AT_FDCWD, "x", O_RDONLY) = -1 ENOENT (…) <0.000009>
 *	─▶ syscalls:sys_enter_openat   text: the arguments
 *	   syscalls:sys_exit_openat    9 us later; ret=-1 error=ENOENT (…)
 *	--- SIGCHLD {…} ---            strace_signal
 *	+++ exited with 0 +++          strace_end
 *
 * The arguments are texts, as strace has written them: their numbers are not known. NAME=VALUE among
 * them is a field. All lines are read into a list, because the arguments of a call that was
 * interrupted by another line are complete only when it is resumed, and because calls of several
 * tasks overlap; then the list is sorted by time.
 *
 * Times of day (-t, -tt) begin anew at midnight: a time that falls by more than half a day is one of
 * the next day. strace does not say on which CPU a call was.
 */
#include "inputs/foreign/stracetext.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/errmsg.h"
#include "base/files/mapfile.h"
#include "base/map.h"
#include "base/scope.h"
#include "inputs/foreign/formats.h"
#include "inputs/foreign/maker.h"
#include "inputs/foreign/straceline.h"
#include "inputs/foreign/textkinds.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define HEAD_LINES  20
#define NS_PER_DAY  (UINT64_C(86400) * 1000000000)
#define TEXTS_BYTES (1u << 30)
#define EVENTS_MAX  (1u << 26)
#define TASKS_MAX   (1u << 18)
#define TEXT_MAX    2000 /* bytes of arguments that are kept */
#define NAME_BYTES  64
#define ONLY_PID    1 /* of a file without pids */

struct event {
	uint64_t time_ns;
	int pid;
	const char *name, *text;
};

/* What a task does: events by their place in the list, plus one; 0: none. */
struct open_call {
	size_t event; /* the beginning of a call whose end has not been read */
	size_t exit;  /* the end of its last call */
};

struct import {
	const struct foreign_config *config;
	struct arena arena;
	struct map open; /* by pid */
	struct event *list;
	size_t n, cap;
	struct maker maker;
	struct textkinds kinds;
	uint64_t day_ns, last_ns;
	uint64_t n_line, n_unknown, first_unknown, n_no_start, n_no_duration, n_no_pid;
};

static void release(struct import *im)
{
	free(im->list);
	map_release(&im->open);
	arena_release(&im->arena);
	textkinds_release(&im->kinds);
	maker_release(&im->maker);
}

/*
 * --- events ------------------------------------------------------------------------------------
 */

static struct piece piece_of(const char *s)
{
	return (struct piece){(const uint8_t *)s, strlen(s)};
}

static uint64_t time_of(struct import *im, const struct straceline *l)
{
	uint64_t ns = l->time_ns;

	if (l->clock == STRACELINE_SINCE_LINE) {
		ns += im->last_ns;
	} else if (l->clock == STRACELINE_OF_DAY) {
		ns += im->day_ns;
		if (ns + NS_PER_DAY / 2 < im->last_ns) {
			im->day_ns += NS_PER_DAY;
			ns += NS_PER_DAY;
		}
	}
	im->last_ns = ns;
	return ns;
}

/* The event is called prefix and name. */
static int add(struct import *im, int pid, uint64_t time_ns, const char *prefix, struct piece name,
	       const char *text)
{
	char made[NAME_BYTES];
	size_t len = strnlen(text, TEXT_MAX);
	struct event ev = {.time_ns = time_ns, .pid = pid};

	snprintf(made, sizeof(made), "%s%.*s", prefix, (int)name.len, (const char *)name.data);
	ev.name = arena_strndup(&im->arena, made, strlen(made));
	ev.text = arena_strndup(&im->arena, text, len);
	if (!ev.name || !ev.text || !ARRAY_ROOM(im->list, im->cap, im->n + 1, EVENTS_MAX))
		return -ENOMEM;
	im->list[im->n++] = ev;
	return 0;
}

static void fmt_piece(char *to, size_t size, struct piece p)
{
	snprintf(to, size, "%.*s", (int)(p.len < TEXT_MAX ? p.len : TEXT_MAX),
		 (const char *)p.data);
}

static struct open_call *open_of(struct import *im, int pid)
{
	void **slot = map_take(&im->open, (uint64_t)pid, TASKS_MAX);

	if (slot && !*slot)
		*slot = arena_alloc(&im->arena, sizeof(struct open_call));
	return slot ? *slot : NULL;
}

static int add_exit(struct import *im, const struct straceline *l, uint64_t start_ns,
		    uint64_t line_ns)
{
	char text[TEXT_MAX + 20], error[TEXT_MAX / 2];
	uint64_t end_ns = line_ns;
	struct open_call *open;

	if (l->has_duration && l->kind == STRACELINE_CALL)
		end_ns = start_ns + l->duration_ns;
	if (l->ret.data[0] == '?') /* it did not return */
		return 0;
	im->n_no_duration += l->kind == STRACELINE_CALL && !l->has_duration;
	fmt_piece(error, sizeof(error), l->error);
	snprintf(text, sizeof(text), "ret=%.*s%s%s", (int)(l->ret.len < 500 ? l->ret.len : 500),
		 (const char *)l->ret.data, l->error.len ? " error=" : "", error);
	TRY(add(im, l->pid, end_ns, "sys_exit_", l->name, text));
	open = open_of(im, l->pid);
	if (open)
		open->exit = im->n;
	return open ? 0 : -ENOMEM;
}

/* The program that the task runs now. */
static int name_task(struct import *im, const struct straceline *l)
{
	const char *start = (const char *)l->args.data, *end = start + l->args.len, *quote, *p;

	if (l->name.len != 6 || memcmp(l->name.data, "execve", 6) || l->ret.len != 1 ||
	    l->ret.data[0] != '0' || start == end || *start != '"')
		return 0;
	quote = memchr(start + 1, '"', (size_t)(end - start - 1));
	if (!quote)
		return 0;
	for (p = quote; p > start + 1 && p[-1] != '/'; p--)
		;
	return maker_name_task(&im->maker, l->pid, 0, p, (size_t)(quote - p));
}

static int add_call(struct import *im, const struct straceline *l, uint64_t ns)
{
	char args[TEXT_MAX + 1];

	fmt_piece(args, sizeof(args), l->args);
	TRY(add(im, l->pid, ns, "sys_enter_", l->name, args));
	return add_exit(im, l, ns, ns);
}

static int add_unfinished(struct import *im, const struct straceline *l, uint64_t ns)
{
	struct open_call *open = open_of(im, l->pid);
	char args[TEXT_MAX + 1];

	if (!open)
		return -ENOMEM;
	fmt_piece(args, sizeof(args), l->args);
	TRY(add(im, l->pid, ns, "sys_enter_", l->name, args));
	open->event = im->n;
	return 0;
}

/* The arguments of the beginning become complete. */
static int add_resumed(struct import *im, const struct straceline *l, uint64_t ns)
{
	struct open_call *open = open_of(im, l->pid);
	struct straceline whole;
	struct event *start;
	char args[TEXT_MAX + 1], rest[TEXT_MAX + 1];

	if (!open)
		return -ENOMEM;
	start = open->event ? &im->list[open->event - 1] : NULL;
	open->event = 0;
	if (!start || strlen(start->name) != strlen("sys_enter_") + l->name.len ||
	    memcmp(start->name + strlen("sys_enter_"), l->name.data, l->name.len)) {
		im->n_no_start++;
		return add_exit(im, l, ns, ns);
	}
	fmt_piece(rest, sizeof(rest), l->args);
	snprintf(args, sizeof(args), "%.1500s%s%.490s", start->text,
		 *rest && *rest != ',' && *start->text ? " " : "", rest);
	start->text = arena_strndup(&im->arena, args, strlen(args));
	if (!start->text)
		return -ENOMEM;
	whole = *l;
	whole.args = piece_of(start->text);
	TRY(name_task(im, &whole));
	return add_exit(im, l, start->time_ns, ns);
}

/* Times are rounded: an end may seem to be after the next line of its task. */
static int settle_exit(struct import *im, int pid, uint64_t ns)
{
	struct open_call *open = open_of(im, pid);

	if (!open)
		return -ENOMEM;
	if (open->exit && im->list[open->exit - 1].time_ns > ns)
		im->list[open->exit - 1].time_ns = ns;
	open->exit = 0;
	return 0;
}

static int add_line(struct import *im, struct straceline *l)
{
	char text[TEXT_MAX + 1];
	uint64_t ns;

	if (l->kind == STRACELINE_NOTHING)
		return 0;
	if (l->kind == STRACELINE_UNKNOWN) {
		if (!im->n_unknown++)
			im->first_unknown = im->n_line;
		return 0;
	}
	im->n_no_pid += !l->pid;
	if (!l->pid)
		l->pid = ONLY_PID;
	ns = time_of(im, l);
	TRY(settle_exit(im, l->pid, ns));
	TRY(name_task(im, l));
	fmt_piece(text, sizeof(text), l->args);
	switch (l->kind) {
	case STRACELINE_CALL:
		return add_call(im, l, ns);
	case STRACELINE_UNFINISHED:
		return add_unfinished(im, l, ns);
	case STRACELINE_RESUMED:
		return add_resumed(im, l, ns);
	case STRACELINE_SIGNAL:
		return add(im, l->pid, ns, "strace_signal", PIECE_EMPTY, text);
	default:
		return add(im, l->pid, ns, "strace_end", PIECE_EMPTY, text);
	}
}

static int read_all(struct import *im, struct piece text)
{
	const char *at = (const char *)text.data, *end = at + text.len;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		struct straceline l;

		im->n_line++;
		straceline_parse((struct piece){(const uint8_t *)at, (size_t)(stop - at)}, &l);
		TRY(add_line(im, &l));
		at = stop + !!newline;
	}
	return 0;
}

/*
 * --- the file ----------------------------------------------------------------------------------
 */

/* Equal times: in the order of the lines, which is that of the array. */
ARRAY_ORDER(by_time, struct event, COMPARE(x->time_ns, y->time_ns) ?: COMPARE(x, y))

static int add_all(struct import *im)
{
	uint8_t record[MAKER_RECORD_MAX + 1];

	if (im->n)
		qsort(im->list, im->n, sizeof(*im->list), by_time);
	for (size_t i = 0; i < im->n; i++)
		TRY(textkinds_learn(&im->kinds, piece_of(im->list[i].name),
				    piece_of(im->list[i].text)));
	textkinds_settle(&im->kinds, &im->maker);
	for (size_t i = 0; i < im->n; i++) {
		const struct event *ev = &im->list[i];
		struct maker_head head = {.pid = ev->pid};
		uint32_t n;

		memcpy(record, &head, sizeof(head));
		n = textkinds_fill(&im->kinds, piece_of(ev->name), piece_of(ev->text), record);
		if (n)
			TRY(maker_add(&im->maker, 0, ev->time_ns, record, n));
	}
	return 0;
}

static void note_left_out(const struct import *im)
{
	const struct {
		uint64_t n;
		const char *sentence;
	} rows[] = {
		{im->n_no_start, "calls end whose beginning is missing"},
		{im->n_no_duration, "calls have no duration (strace -T); they end when they begin"},
		{im->n_no_pid,
		 "lines do not name their process (strace -f); it is shown as task 1"},
		{im->kinds.n_refused, "events were not converted: there are too many kinds"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].n)
			foreign_note(im->config, "%s: %llu %s", im->config->input,
				     (unsigned long long)rows[i].n, rows[i].sentence);
	foreign_note(im->config,
		     "%s does not say on which CPU its calls were; they are shown on CPU 0",
		     im->config->input);
	if (im->n_unknown)
		foreign_note(im->config,
			     "%s: lines that are not calls, or have no time, and were not "
			     "converted: %llu; the "
			     "first is line %llu",
			     im->config->input, (unsigned long long)im->n_unknown,
			     (unsigned long long)im->first_unknown);
}

int stracetext_convert(const struct foreign_config *config, struct errmsg *err)
{
	SCOPED(mapfile_release) struct mapfile map = {0};
	SCOPED(release) struct import im = {.config = config};
	int r;

	arena_init(&im.arena, TEXTS_BYTES);
	textkinds_init(&im.kinds);
	TRY(maker_init(&im.maker, config, err));
	TRY(mapfile_open(&map, config->input, err));
	r = read_all(&im, (struct piece){map.data, map.n_bytes});
	if (r >= 0)
		r = add_all(&im);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot convert %s", config->input);
	TRY(maker_write(&im.maker, err));
	note_left_out(&im);
	return im.n_unknown ? 1 : 0;
}

bool stracetext_is(const char *path)
{
	char head[FOREIGN_HEAD_BYTES];
	size_t n = foreign_read_head(path, head);
	const char *at = head, *end = head + n;
	struct straceline l;

	if (memchr(head, 0, n))
		return false;
	for (int i = 0; i < HEAD_LINES && at < end; i++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;

		straceline_parse((struct piece){(const uint8_t *)at, (size_t)(stop - at)}, &l);
		if (l.kind == STRACELINE_CALL || l.kind == STRACELINE_UNFINISHED)
			return true;
		at = stop + !!newline;
	}
	return false;
}
