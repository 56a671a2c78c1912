// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_timeline.c - the index of a trace, against the serial merge of sequence.h as another reading.
 *
 * covers: K01 V01 V02 B07
 *
 * Every golden trace, the damaged ones too: each stream has the same records in the same order; where
 * times do not go back, all rows have the same order and times, and ranks and row numbers fit to them.
 */
#include "base/errmsg.h"
#include "decode/sequence.h"
#include "timeline/timeline.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- a trace, read twice ----------------------------------------------------------------------- */

struct reading {
	struct tracefile *tf;
	struct formats *formats;
	struct tasks tasks;
};

static bool reading_open(struct reading *r, const char *path)
{
	struct formats_config config = {0};
	struct errmsg err = {0};

	if (tracefile_open(&r->tf, path, &err) < 0)
		return false;
	assert_int_equal(formats_new(&r->formats, r->tf, &config, &err), 0);
	assert_int_equal(tasks_init(&r->tasks, tracefile_text(r->tf, TRACEFILE_CMDLINES)), 0);
	return true;
}

static void reading_close(struct reading *r)
{
	tasks_release(&r->tasks);
	formats_free(r->formats);
	tracefile_close(r->tf);
}

static struct timeconv time_of(const struct reading *r, const struct tracefile_buffer *b)
{
	struct timeconv_config config = {0};
	struct timeconv tc;

	timeconv_init(&tc, r->tf, b->clock, &config);
	return tc;
}

static struct timeline *index_of(struct reading *r, unsigned n_threads, const char *cache_dir)
{
	struct timeline_source *sources = calloc(r->tf->n_buffers + 1, sizeof(*sources));
	struct errmsg err = {0};
	struct timeline *tl;

	for (size_t i = 0; i < r->tf->n_buffers; i++)
		sources[i] = (struct timeline_source){
			.tf = r->tf,
			.formats = r->formats,
			.buffer = &r->tf->buffers[i],
			.time = time_of(r, &r->tf->buffers[i]),
			.name = r->tf->buffers[i].name,
		};
	assert_int_equal(timeline_new(&tl, sources, r->tf->n_buffers, n_threads, &err), 0);
	assert_int_equal(timeline_start(tl, cache_dir, &err), 0);
	assert_int_equal(timeline_wait(tl), 0);
	free(sources);
	return tl;
}

/* What the serial merge says: one for each event, in its order. */
struct seen {
	uint64_t ts;
	uint32_t cpu, size;
	uint16_t source;
	bool has_ts;
	int id, pid;
	int64_t missed;
	uint8_t *data;
};

struct seen_list {
	struct seen *list;
	size_t n, cap;
	bool is_sorted; /* times of no stream go back */
};

static void seen_add(struct seen_list *l, struct seen s)
{
	uint8_t *copy = malloc(s.size + 1);

	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 4096;
		l->list = realloc(l->list, l->cap * sizeof(*l->list));
		assert_non_null(l->list);
	}
	memcpy(copy, s.data, s.size);
	s.data = copy;
	l->list[l->n++] = s;
}

static void seen_free(struct seen_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->list[i].data);
	free(l->list);
}

static void see_record(struct seen_list *l, struct reading *r, const struct record *rec)
{
	const struct formats *f = r->formats;
	struct seen s = {.ts = rec->ts,
			 .has_ts = true,
			 .cpu = rec->cpu,
			 .source = rec->source,
			 .size = rec->size,
			 .data = (uint8_t *)rec->data,
			 .missed = rec->flags & RECORD_MISSED ? rec->extra->missed : 0,
			 .id = formats_record_id(f, rec->data, rec->size),
			 .pid = formats_common(f, &f->pid, rec->data, rec->size)};

	seen_add(l, s);
	if (rec->flags & RECORD_PAIR) {
		s.has_ts = false;
		s.missed = 0;
		s.data = (uint8_t *)rec->extra->pair;
		s.size = rec->extra->pair_size;
		s.id = formats_record_id(f, s.data, s.size);
		s.pid = formats_common(f, &f->pid, s.data, s.size);
		seen_add(l, s);
	}
}

static void check_sorted(struct seen_list *l)
{
	l->is_sorted = true;
	for (size_t i = 1; i < l->n; i++)
		if (l->list[i].has_ts && l->list[i - 1].has_ts && l->list[i].ts < l->list[i - 1].ts)
			l->is_sorted = false;
}

static void see_all(struct seen_list *l, struct reading *r)
{
	struct sequence_config config = {.to = UINT64_MAX};
	struct sequence *seq = sequence_new(&config);
	struct batch b;

	*l = (struct seen_list){0};
	assert_int_equal(batch_init(&b), 0);
	for (size_t i = 0; i < r->tf->n_buffers; i++) {
		struct source_config sc = {.tf = r->tf,
					   .formats = r->formats,
					   .tasks = &r->tasks,
					   .buffer = &r->tf->buffers[i],
					   .time = time_of(r, &r->tf->buffers[i])};

		assert_int_equal(sequence_add_source(seq, &sc, NULL), 0);
	}
	assert_int_equal(sequence_start(seq), 0);
	while (sequence_fill(seq, &b) > 0)
		for (size_t i = 0; i < b.n; i++)
			see_record(l, r, &b.records[i]);
	batch_release(&b);
	sequence_free(seq);
	check_sorted(l);
}

/* --- comparing --------------------------------------------------------------------------------- */

static void assert_same(struct timeline *tl, const struct seen *s, const struct walk_event *ev)
{
	const struct timeline_kind *k = timeline_kind(tl, ev->kind);
	const struct timeline_task *t = timeline_task(tl, ev->task);

	assert_non_null(k);
	assert_non_null(t);
	assert_int_equal(k->id, s->id);
	assert_int_equal(t->pid, s->pid);
	assert_int_equal(ev->size, s->size);
	assert_memory_equal(ev->data, s->data, s->size);
	assert_int_equal(ev->missed, s->missed);
}

struct stream_check {
	struct timeline *tl;
	const struct seen_list *seen;
	const struct timeline_stream *st;
	size_t at;
	uint64_t n, last_ts;
	event_ref last;
};

static bool is_of(const struct seen *s, const struct timeline_stream *st)
{
	return s->source == st->source && s->cpu == st->cpu;
}

static bool check_event(void *ctx, const struct walk_event *ev)
{
	struct stream_check *c = ctx;

	while (c->at < c->seen->n && !is_of(&c->seen->list[c->at], c->st))
		c->at++;
	assert_true(c->at < c->seen->n);
	assert_same(c->tl, &c->seen->list[c->at], ev);
	assert_true(ev->ts >= c->last_ts);
	if (c->n) {
		event_ref next;

		assert_int_equal(timeline_step(c->tl, c->last, 1, &next), 0);
		assert_int_equal(next, ev->ref);
		assert_int_equal(timeline_step(c->tl, ev->ref, -1, &next), 0);
		assert_int_equal(next, c->last);
	}
	c->last = ev->ref;
	c->last_ts = ev->ts;
	c->at++;
	c->n++;
	return true;
}

static void check_streams(struct timeline *tl, const struct seen_list *seen)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < timeline_n_streams(tl); i++) {
		struct stream_check c = {.tl = tl, .seen = seen, .st = timeline_stream(tl, i)};
		struct walk_wants wants = {.to = TIMELINE_TIME_MAX};
		bool whole;

		assert_int_equal(timeline_walk(tl, i, &wants, check_event, &c, &whole), 0);
		assert_true(whole);
		for (; c.at < seen->n; c.at++)
			assert_false(is_of(&seen->list[c.at], c.st));
		assert_int_equal(c.n, c.st->n_events);
		sum += c.n;
	}
	assert_int_equal(sum, seen->n);
	assert_int_equal(timeline_n_events(tl), seen->n);
}

static void check_row(struct timeline *tl, const struct seen *s, event_ref ref, uint64_t ts,
		      uint64_t row)
{
	const struct timeline_stream *st = timeline_stream(tl, event_ref_stream(ref));
	struct walk_one one;

	assert_int_equal(timeline_get(tl, ref, &one), 0);
	assert_true(is_of(s, st));
	assert_same(tl, s, &one.ev);
	assert_int_equal(one.ev.ts, ts);
	if (s->has_ts)
		assert_int_equal(ts, s->ts - timeline_origin(tl));
	walk_release(&one);
	if (row % 61)
		return;
	assert_int_equal(timeline_row_of(tl, NULL, ref), row);
	assert_true(timeline_rank(tl, NULL, ts) <= row);
	assert_true(timeline_rank(tl, NULL, ts + 1) > row);
}

static void check_rows(struct timeline *tl, const struct seen_list *seen)
{
	event_ref refs[1009];
	uint64_t times[1009], row = 0;
	size_t n;

	while ((n = timeline_rows(tl, NULL, row, refs, times, 1009))) {
		for (size_t i = 0; i < n; i++, row++) {
			assert_true(row < seen->n);
			check_row(tl, &seen->list[row], refs[i], times[i], row);
		}
	}
	assert_int_equal(row, seen->n);
}

static void check_counts(struct timeline *tl, const struct seen_list *seen)
{
	uint64_t kinds = 0, tasks = 0;

	for (size_t i = 0; i < timeline_n_kinds(tl); i++)
		kinds += timeline_kind(tl, i)->n_events;
	for (size_t i = 0; i < timeline_n_tasks(tl); i++) {
		const struct timeline_task *t = timeline_task(tl, i);

		tasks += t->n_events;
		assert_int_equal(timeline_find_task(tl, t->machine, t->pid), i);
		assert_true(t->first <= t->last);
	}
	assert_int_equal(kinds, seen->n);
	assert_int_equal(tasks, seen->n);
	assert_true(timeline_progress(tl) == 1);
}

static void each_golden(void (*check)(const char *path, const char *name))
{
	const char *dir = getenv("GOLDEN");
	struct dirent *e;
	DIR *d = dir ? opendir(dir) : NULL;

	if (!d)
		skip();
	while ((e = readdir(d))) {
		size_t len = strlen(e->d_name);
		char path[800];

		if (len < 5 || strcmp(e->d_name + len - 4, ".dat"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		check(path, e->d_name);
	}
	closedir(d);
}

static void check_golden(const char *path, const char *name)
{
	struct reading ours, other;
	struct seen_list seen;
	struct timeline *tl;

	if (!reading_open(&ours, path))
		return;
	assert_true(reading_open(&other, path));
	print_message("%s\n", name);
	see_all(&seen, &other);
	tl = index_of(&ours, 2, NULL);
	check_streams(tl, &seen);
	check_counts(tl, &seen);
	if (seen.is_sorted && timeline_duration(tl) < TIMELINE_TIME_MAX)
		check_rows(tl, &seen);
	else
		print_message("%s: times go back, or too far\n", name);
	timeline_free(tl);
	seen_free(&seen);
	reading_close(&ours);
	reading_close(&other);
}

static void the_index_has_what_the_merge_has(void **state)
{
	each_golden(check_golden);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_index_has_what_the_merge_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
