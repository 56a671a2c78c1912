// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * chromejson.c - JSON of Chrome's trace viewer becomes a trace file.
 *
 *	slices (X, B and E)       calls of sonde record -u: user_entry, user_exit; user_call if the
 *	                          slice has no length
 *	instants, counters        events of their name, with the arguments as fields: any viewer of
 *	                          sonde draws a field as a curve
 *
 * Ends are events of their own, in a second list that is sorted by time, and both lists are merged.
 * What ends at a time comes before what begins then; of two ends at
 * the same time, that of the slice that began later is first.
 */
#include "inputs/foreign/chromejson.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/files/mapfile.h"
#include "base/scope.h"
#include "inputs/foreign/chromeevents.h"
#include "inputs/foreign/formats.h"
#include "inputs/foreign/known.h"
#include "inputs/foreign/maker.h"
#include "inputs/foreign/textkinds.h"
#include "store/events/userevents.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define KIND_MAX_LEN	60
#define SWITCH_NEXT_PID 5 /* field of sched_switch */

struct end {
	uint64_t time_ns;
	size_t slice;
};

struct import {
	const struct foreign_config *config;
	struct chromeevents events;
	struct maker maker;
	struct textkinds kinds;
	struct end *ends;
	size_t n_ends, cap_ends;
};

static void release(struct import *im)
{
	free(im->ends);
	chromeevents_release(&im->events);
	textkinds_release(&im->kinds);
	maker_release(&im->maker);
}

ARRAY_ORDER(by_end, struct end, COMPARE(x->time_ns, y->time_ns) ?: COMPARE(y->slice, x->slice))

/*
 * --- records -----------------------------------------------------------------------------------
 */

static struct piece piece_of(const char *s)
{
	return (struct piece){(const uint8_t *)s, strlen(s)};
}

static uint32_t function_of(struct import *im, const char *name)
{
	return (uint32_t)maker_function(&im->maker, name, strlen(name));
}

static int add_begin(struct import *im, const struct chrome_event *ev)
{
	bool is_call = ev->start_ns == ev->end_ns;
	struct userevents_long rec = {.head = {.type = is_call ? USEREVENTS_CALL : USEREVENTS_ENTRY,
					       .pid = ev->track->task,
					       .func = function_of(im, ev->name),
					       .depth = ev->track->depth}};
	uint32_t n = is_call ? USEREVENTS_CALL_BYTES : USEREVENTS_SHORT_BYTES;
	size_t len = strnlen(ev->text, USEREVENTS_TEXT_MAX - 1);

	if (!rec.head.func)
		return -ENOMEM;
	if (len)
		n = userevents_fill_texts(&rec, ev->text, (uint32_t)len, "", 0);
	ev->track->depth += !is_call;
	return maker_add(&im->maker, ev->track->cpu, ev->start_ns, &rec, n);
}

static int add_end(struct import *im, const struct chrome_event *ev)
{
	struct userevents_record rec = {
		.type = USEREVENTS_EXIT, .pid = ev->track->task, .func = function_of(im, ev->name)};

	if (ev->track->depth)
		ev->track->depth--;
	rec.depth = ev->track->depth;
	return maker_add(&im->maker, ev->track->cpu, ev->end_ns, &rec, USEREVENTS_SHORT_BYTES);
}

/* Names of events are words; a name of another form is made one. */
static struct piece kind_name(const char *name, char made[static KIND_MAX_LEN + 1])
{
	size_t n = 0;

	if (isdigit((unsigned char)*name) || !*name)
		made[n++] = '_';
	for (; *name && n < KIND_MAX_LEN; name++)
		made[n++] = isalnum((unsigned char)*name) ? *name : '_';
	made[n] = 0;
	return piece_of(made);
}

/* A slice does not say where it ran: there where its task was seen last, or was switched to. */
static void follow(struct import *im, const struct chrome_event *ev)
{
	const struct known_event *known = known_find(ev->name, strlen(ev->name));
	struct known_values values;
	struct chrome_track *t;

	if (!ev->has_cpu)
		return;
	ev->track->cpu = ev->cpu;
	if (strcmp(ev->name, "sched_switch") || !known_match(known, piece_of(ev->text), &values))
		return;
	t = map_find(&im->events.tasks, (uint64_t)values.numbers[SWITCH_NEXT_PID]);
	if (t)
		t->cpu = ev->cpu;
}

static int add_instant(struct import *im, const struct chrome_event *ev)
{
	struct maker_head head = {.pid = ev->track->task};
	uint8_t record[MAKER_RECORD_MAX + 1];
	char made[KIND_MAX_LEN + 1];
	uint32_t n;

	follow(im, ev);
	memcpy(record, &head, sizeof(head));
	n = textkinds_fill(&im->kinds, kind_name(ev->name, made), piece_of(ev->text), record);
	return n ? maker_add(&im->maker, ev->cpu, ev->start_ns, record, n) : 0;
}

static int learn(struct import *im)
{
	struct chromeevents *e = &im->events;
	char made[KIND_MAX_LEN + 1];

	for (size_t i = 0; i < e->n; i++) {
		const struct chrome_event *ev = &e->list[i];

		if (ev->phase == 'i') {
			TRY(textkinds_learn(&im->kinds, kind_name(ev->name, made),
					    piece_of(ev->text)));
			continue;
		}
		if (ev->start_ns == ev->end_ns)
			continue;
		if (!ARRAY_ROOM(im->ends, im->cap_ends, im->n_ends + 1, ARRAY_NO_MAX))
			return -ENOMEM;
		im->ends[im->n_ends++] = (struct end){ev->end_ns, i};
	}
	if (im->n_ends)
		qsort(im->ends, im->n_ends, sizeof(*im->ends), by_end);
	return 0;
}

static int add_all(struct import *im)
{
	struct chromeevents *e = &im->events;
	size_t end = 0;

	for (size_t i = 0; i <= e->n; i++) {
		uint64_t now = i < e->n ? e->list[i].start_ns : UINT64_MAX;

		for (; end < im->n_ends && im->ends[end].time_ns <= now; end++)
			TRY(add_end(im, &e->list[im->ends[end].slice]));
		if (i < e->n)
			TRY(e->list[i].phase == 'i' ? add_instant(im, &e->list[i])
						    : add_begin(im, &e->list[i]));
	}
	return 0;
}

/*
 * --- the file ----------------------------------------------------------------------------------
 */

/* A thread without a name has that of its process. */
static int name_tasks(struct import *im)
{
	struct chromeevents *e = &im->events;

	for (size_t i = 0; i < e->n_tracks; i++) {
		const struct chrome_track *t = e->tracks[i];
		const char *process = map_find(&e->names_of_processes, (uint64_t)t->pid);
		const char *name = t->name ? t->name : process;
		char made[40];

		if (!name) {
			snprintf(made, sizeof(made), "%lld:%lld", (long long)t->pid,
				 (long long)t->tid);
			name = made;
		}
		TRY(maker_name_task(&im->maker, t->task,
				    t->pid > 0 && t->pid < INT32_MAX ? (int)t->pid : 0, name,
				    strlen(name)));
	}
	return 0;
}

static void note_left_out(const struct import *im)
{
	const struct chromeevents *e = &im->events;
	const struct {
		uint64_t n;
		const char *what;
	} rows[] = {
		{e->n_async, "asynchronous events"},
		{e->n_flows, "flows"},
		{e->n_derived, "slices of CPUs and states of tasks, which follow from the events"},
		{e->n_other, "events of phases other than B, E, X, i, C and M"},
		{e->n_unpaired, "ends (E) without a beginning (B)"},
		{e->n_damaged, "events without a phase or time, or that are no JSON"},
		{im->kinds.n_refused, "events, because there are too many kinds"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].n)
			foreign_note(im->config, "%s: not converted: %llu %s", im->config->input,
				     (unsigned long long)rows[i].n, rows[i].what);
	if (e->n && !ARRAY_ANY(e->n_tracks, i, e->tracks[i]->has_cpu))
		foreign_note(
			im->config,
			"%s does not say on which CPU its events were; they are shown on CPU 0",
			im->config->input);
	if (e->n_unended)
		foreign_note(im->config,
			     "%s: %llu beginnings (B) have no end; they end with the trace",
			     im->config->input, (unsigned long long)e->n_unended);
	if (e->is_cut)
		foreign_note(im->config, "%s is cut off: the events up to there were converted",
			     im->config->input);
}

static int convert(struct import *im, struct errmsg *err)
{
	int r = chromeevents_sort(&im->events);

	if (r >= 0)
		r = learn(im);
	if (r >= 0) {
		userevents_add_formats(&im->maker.formats);
		textkinds_settle(&im->kinds, &im->maker);
		r = add_all(im);
	}
	if (r >= 0)
		r = name_tasks(im);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot convert %s", im->config->input);
	TRY(maker_write(&im->maker, err));
	note_left_out(im);
	return im->events.is_cut || im->events.n_damaged ? 1 : 0;
}

int chromejson_convert(const struct foreign_config *config, struct errmsg *err)
{
	SCOPED(mapfile_release) struct mapfile map = {0};
	SCOPED(release) struct import im = {.config = config};
	int r;

	chromeevents_init(&im.events);
	textkinds_init(&im.kinds);
	TRY(maker_init(&im.maker, config, err));
	im.maker.functions_at = userevents_func(0);
	TRY(mapfile_open(&map, config->input, err));
	r = chromeevents_read(&im.events, (struct piece){map.data, map.n_bytes});
	if (r == -EINVAL)
		return errmsg_set(err, -EBADMSG, "%s has no array traceEvents", config->input);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot convert %s", config->input);
	return convert(&im, err);
}

bool chromejson_is(const char *path)
{
	char head[FOREIGN_HEAD_BYTES];
	size_t n = foreign_read_head(path, head), at = 0;

	while (at < n && isspace((unsigned char)head[at]))
		at++;
	if (at == n)
		return false;
	if (head[at] == '{')
		return memmem(head, n, "\"traceEvents\"", 13);
	return head[at] == '[' && memmem(head, n, "\"ph\"", 4);
}
