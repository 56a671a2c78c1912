// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * chromeevents.c - reads the array of events, one object after the other.
 *
 *	{"displayTimeUnit":"ns","traceEvents":[
 *	{"ph":"X","pid":7,"tid":8,"ts":12.345,"dur":6.789,"name":"f","args":{"n":3}},  a slice
 *	{"ph":"B",…}, {"ph":"E",…},                                               its two ends
 *	{"ph":"i",…}, {"ph":"C",…}, {"ph":"M",…}                instants, counters, names
 *	]}                                                      or only the array, which may lack its ]
 *
 * Each object is parsed alone, so memory holds what an event needs, not a tree of the file, and a
 * file that was cut gives all events before the cut. Times are microseconds as a double: exact to
 * the nanosecond for three months.
 *
 * Tasks of the trace are numbers, but here a thread is a pair, and both may be anything. A tid that
 * only one process has is the task; others get numbers above those of the kernel.
 */
#include "inputs/foreign/chromeevents.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/hash.h"
#include "base/json/jsonreader.h"
#include "base/scope.h"
#include "base/textbuf.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED	      1
#define ARENA_BYTES   (1u << 30)
#define EVENTS_MAX    (1u << 26)
#define TRACKS_MAX    (1u << 16)
#define OPEN_MAX      4096
#define NODES_MAX     65536 /* values of one event */
#define OBJECT_MAX    (1u << 20)
#define TEXT_MAX      1000 /* bytes of the arguments of an event */
#define NAME_MAX_LEN  500
#define US_MAX	      9e15
#define CPUS_MAX      4096
#define SONDE_CPUS    "CPUs"
#define SONDE_STATES  "States of tasks"
#define MADE_TASKS_AT 4194304 /* PID_MAX_LIMIT of the kernel */

void chromeevents_init(struct chromeevents *e)
{
	*e = (struct chromeevents){0};
	arena_init(&e->arena, ARENA_BYTES);
}

void chromeevents_release(struct chromeevents *e)
{
	for (size_t i = 0; i < e->n_tracks; i++)
		free(e->tracks[i]->open);
	free(e->tracks);
	free(e->list);
	map_release(&e->by_ids);
	map_release(&e->names_of_processes);
	map_release(&e->tasks);
	arena_release(&e->arena);
}

/*
 * --- tracks ------------------------------------------------------------------------------------
 */

/* sonde's own export: the threads of process 0 are CPUs, with the events of the idle task. */
static bool is_process(const struct chromeevents *e, int64_t pid, const char *name)
{
	const char *found = map_find(&e->names_of_processes, (uint64_t)pid);

	return found && !strcmp(found, name);
}

/* The first process that has the tid gets it. */
static int task_of(struct chromeevents *e, struct chrome_track *t)
{
	void **slot;

	if (!t->pid && is_process(e, 0, SONDE_CPUS))
		return 0;
	if (t->tid > 0 && t->tid < MADE_TASKS_AT && t->pid != 0) {
		slot = map_take(&e->tasks, (uint64_t)t->tid, TRACKS_MAX);
		if (slot && !*slot) {
			*slot = t;
			return (int)t->tid;
		}
	}
	return MADE_TASKS_AT + ++e->n_made_tasks;
}

static struct chrome_track *take_track(struct chromeevents *e, int64_t pid, int64_t tid)
{
	int64_t ids[2] = {pid, tid};
	uint64_t hash = hash_of_text(SEED, (const char *)ids, sizeof(ids));
	void **slot = map_take(&e->by_ids, hash, TRACKS_MAX);
	struct chrome_track *t = slot ? *slot : NULL;

	while (t && (t->pid != pid || t->tid != tid))
		t = t->next;
	if (t || !slot)
		return t;
	t = arena_alloc(&e->arena, sizeof(*t));
	if (!t || !ARRAY_ROOM(e->tracks, e->cap_tracks, e->n_tracks + 1, TRACKS_MAX))
		return NULL;
	t->pid = pid;
	t->tid = tid;
	t->next = *slot;
	*slot = e->tracks[e->n_tracks++] = t;
	t->task = task_of(e, t);
	return t;
}

/* Numbers are themselves; texts, which some programs write, their hash, below zero. */
static int64_t id_of(const struct jsonnode *n)
{
	if (n && n->kind == JSON_NUMBER && fabs(n->number) < 1e15)
		return (int64_t)n->number;
	if (n && n->kind == JSON_TEXT)
		return -1 - (int64_t)(hash_of_text(SEED, n->text, strlen(n->text)) >> 2);
	return 0;
}

/*
 * --- one event ---------------------------------------------------------------------------------
 */

static void add_value(struct textbuf *tb, const struct jsonnode *n)
{
	switch (n->kind) {
	case JSON_TEXT:
		for (const char *p = n->text; *p; p++)
			textbuf_add_char(tb, (unsigned char)*p < ' ' ? ' ' : *p);
		return;
	case JSON_NUMBER:
		if (fabs(n->number) < 9e15 && n->number == floor(n->number))
			textbuf_addf(tb, "%lld", (long long)n->number);
		else
			textbuf_addf(tb, "%.9g", n->number);
		return;
	case JSON_BOOL:
		textbuf_add_str(tb, n->number ? "true" : "false");
		return;
	case JSON_NULL:
		textbuf_add_str(tb, "null");
		return;
	default:
		textbuf_add_str(tb, n->kind == JSON_ARRAY ? "[…]" : "{…}");
	}
}

/* sonde's own export has the text of the event in "info", and its CPU. */
static const char *fmt_args(struct chromeevents *e, const struct jsondoc *doc,
			    const struct jsonnode *args, struct chrome_event *ev)
{
	const struct jsonnode *info = jsonnode_find(doc, args, "info");
	TEXTBUF(tb, TEXT_MAX);
	uint64_t cpu;

	if (jsonnode_uint(jsonnode_find(doc, args, "cpu"), CPUS_MAX - 1, &cpu)) {
		ev->cpu = (uint32_t)cpu;
		ev->has_cpu = true;
	}
	if (info && info->kind == JSON_TEXT)
		return arena_strndup(&e->arena, info->text, strnlen(info->text, TEXT_MAX));
	if (!args || args->kind != JSON_OBJECT)
		return "";
	for (const struct jsonnode *n = jsonnode_first(doc, args); n; n = jsonnode_next(doc, n)) {
		if (textbuf_len(&tb))
			textbuf_add_char(&tb, ' ');
		for (const char *p = n->key; *p; p++)
			textbuf_add_char(&tb, isalnum((unsigned char)*p) ? *p : '_');
		textbuf_add_char(&tb, '=');
		add_value(&tb, n);
	}
	return arena_strndup(&e->arena, textbuf_text(&tb), textbuf_len(&tb));
}

static bool read_us(const struct jsonnode *n, uint64_t *ret_ns)
{
	if (!n || n->kind != JSON_NUMBER || !(n->number >= 0 && n->number < US_MAX))
		return false;
	*ret_ns = (uint64_t)floor(n->number) * 1000 +
		  (uint64_t)((n->number - floor(n->number)) * 1000 + 0.5);
	return true;
}

static int add_name(struct chromeevents *e, const struct jsondoc *doc, const struct jsonnode *root,
		    int64_t pid, int64_t tid)
{
	const struct jsonnode *name = jsonnode_find(doc, root, "name");
	const struct jsonnode *text = jsonnode_find(doc, jsonnode_find(doc, root, "args"), "name");
	struct chrome_track *t;
	const char *copy;
	void **slot;

	if (!name || name->kind != JSON_TEXT || !text || text->kind != JSON_TEXT)
		return 0;
	copy = arena_strndup(&e->arena, text->text, strnlen(text->text, NAME_MAX_LEN));
	if (!copy)
		return -ENOMEM;
	if (!strcmp(name->text, "thread_name")) {
		t = take_track(e, pid, tid);
		if (t)
			t->name = copy;
		return t ? 0 : -ENOMEM;
	}
	if (!strcmp(name->text, "process_name")) {
		slot = map_take(&e->names_of_processes, (uint64_t)pid, TRACKS_MAX);
		if (slot)
			*slot = (void *)copy;
	}
	return 0;
}

/*
 * In sonde's own export, the slices of CPUs and the states of tasks follow from its other events, and
 * would be tasks here that never ran.
 */
static bool is_derived(const struct chromeevents *e, const struct jsondoc *doc, int64_t pid)
{
	const struct jsonnode *cat = jsonnode_find(doc, jsondoc_root(doc), "cat");

	if (!cat || cat->kind != JSON_TEXT)
		return false;
	return (is_process(e, pid, SONDE_CPUS) &&
		(!strcmp(cat->text, "sched") || !strcmp(cat->text, "irq"))) ||
	       (is_process(e, pid, SONDE_STATES) && !strcmp(cat->text, "state"));
}

/* What other phases are, for the message about what is omitted. */
static void count_other(struct chromeevents *e, char phase)
{
	if (strchr("benSTpF", phase))
		e->n_async++;
	else if (strchr("stf", phase))
		e->n_flows++;
	else
		e->n_other++;
}

static int add_event(struct chromeevents *e, const struct jsondoc *doc)
{
	const struct jsonnode *root = jsondoc_root(doc), *ph = jsonnode_find(doc, root, "ph");
	const struct jsonnode *name = jsonnode_find(doc, root, "name");
	int64_t pid = id_of(jsonnode_find(doc, root, "pid"));
	int64_t tid = id_of(jsonnode_find(doc, root, "tid"));
	struct chrome_event ev = {0};
	uint64_t duration = 0;

	if (!ph || ph->kind != JSON_TEXT || !ph->text[0] || ph->text[1]) {
		e->n_damaged++;
		return 0;
	}
	ev.phase = ph->text[0];
	if (ev.phase == 'M')
		return add_name(e, doc, root, pid, tid);
	if (!strchr("BEXiIRC", ev.phase)) {
		count_other(e, ev.phase);
		return 0;
	}
	if (ev.phase == 'X' && is_derived(e, doc, pid)) {
		e->n_derived++;
		return 0;
	}
	if (!read_us(jsonnode_find(doc, root, "ts"), &ev.start_ns)) {
		e->n_damaged++;
		return 0;
	}
	read_us(jsonnode_find(doc, root, "dur"), &duration);
	ev.end_ns = ev.start_ns + duration;
	ev.track = take_track(e, pid, tid);
	ev.name = name && name->kind == JSON_TEXT
			  ? arena_strndup(&e->arena, name->text, strnlen(name->text, NAME_MAX_LEN))
			  : "?";
	if (ev.track && !ev.track->task && tid >= 0 && tid < CPUS_MAX) {
		ev.cpu = (uint32_t)tid;
		ev.has_cpu = true;
	}
	ev.text = fmt_args(e, doc, jsonnode_find(doc, root, "args"), &ev);
	if (strchr("iIRC", ev.phase))
		ev.phase = 'i';
	if (ev.track && ev.has_cpu && !ev.track->has_cpu) { /* before it nothing is known */
		ev.track->has_cpu = true;
		ev.track->cpu = ev.cpu;
	}
	if (ev.end_ns > e->last_ns)
		e->last_ns = ev.end_ns;
	if (!ev.track || !ev.name || !ev.text || !ARRAY_ROOM(e->list, e->cap, e->n + 1, EVENTS_MAX))
		return -ENOMEM;
	e->list[e->n++] = ev;
	return 0;
}

/*
 * --- the array ---------------------------------------------------------------------------------
 */

/* Returns the end of a text in quotes, or `end`. */
static const char *skip_text(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		at += *at == '\\' && at + 1 < end;
	return at < end ? at + 1 : end;
}

/* Returns the end of an object, NULL if it has none. */
static const char *skip_object(const char *at, const char *end)
{
	unsigned depth = 0;

	while (at < end) {
		if (*at == '"') {
			at = skip_text(at, end);
			continue;
		}
		depth += *at == '{';
		depth -= *at == '}';
		at++;
		if (!depth)
			return at;
	}
	return NULL;
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (isspace((unsigned char)*at) || *at == ','))
		at++;
	return at;
}

/* Returns the first byte in the array of events, NULL if there is none. */
static const char *find_array(const char *at, const char *end)
{
	static const char key[] = "\"traceEvents\"";

	at = skip_blanks(at, end);
	if (at < end && *at == '[')
		return at + 1;
	while (at < end) {
		const char *text = at;

		if (*at != '"') {
			at++;
			continue;
		}
		at = skip_text(at, end);
		if ((size_t)(at - text) != sizeof(key) - 1 || memcmp(text, key, sizeof(key) - 1))
			continue;
		at = skip_blanks(at, end);
		if (at < end && *at == ':')
			at = skip_blanks(at + 1, end);
		return at < end && *at == '[' ? at + 1 : NULL;
	}
	return NULL;
}

static int read_object(struct chromeevents *e, const char *at, size_t len)
{
	struct errmsg err = {0};
	struct jsondoc doc;
	int r;

	if (len > OBJECT_MAX || (r = jsondoc_parse(&doc, at, len, NODES_MAX, &err)) == -EINVAL) {
		e->n_damaged++;
		return 0;
	}
	TRY(r);
	r = add_event(e, &doc);
	jsondoc_release(&doc);
	return r;
}

int chromeevents_read(struct chromeevents *e, struct piece text)
{
	const char *end = (const char *)text.data + text.len;
	const char *at = find_array((const char *)text.data, end), *stop;
	bool is_object;

	if (!at)
		return -EINVAL;
	is_object = *skip_blanks((const char *)text.data, end) == '{';
	for (;;) {
		at = skip_blanks(at, end);
		if (at < end && *at == ']')
			return 0;
		stop = at < end && *at == '{' ? skip_object(at, end) : NULL;
		if (!stop) { /* the bracket may be missing if there is only the array */
			e->is_cut = at < end || is_object;
			return 0;
		}
		TRY(read_object(e, at, (size_t)(stop - at)));
		at = stop;
	}
}

/*
 * --- slices ------------------------------------------------------------------------------------
 */

/* Equal times: in the order of the file, which is that of the array. */
ARRAY_ORDER(by_start, struct chrome_event, COMPARE(x->start_ns, y->start_ns) ?: COMPARE(x, y))

static int merge(struct chromeevents *e)
{
	for (size_t i = 0; i < e->n; i++) {
		struct chrome_event *ev = &e->list[i];
		struct chrome_track *t = ev->track;

		if (ev->phase == 'B') {
			if (!ARRAY_ROOM(t->open, t->cap_open, t->n_open + 1, OPEN_MAX)) {
				e->n_unended++;
				continue;
			}
			t->open[t->n_open++] = i;
			ev->phase = 'X';
			ev->end_ns = e->last_ns; /* until its end is found */
		} else if (ev->phase == 'E') {
			if (t->n_open)
				e->list[t->open[--t->n_open]].end_ns = ev->start_ns;
			else
				e->n_unpaired++;
		}
	}
	for (size_t i = 0; i < e->n_tracks; i++)
		e->n_unended += e->tracks[i]->n_open;
	return 0;
}

int chromeevents_sort(struct chromeevents *e)
{
	size_t n = 0;

	if (!e->n)
		return 0;
	qsort(e->list, e->n, sizeof(*e->list), by_start);
	TRY(merge(e));
	for (size_t i = 0; i < e->n; i++)
		if (e->list[i].phase == 'X' || e->list[i].phase == 'i')
			e->list[n++] = e->list[i];
	e->n = n;
	return 0;
}
