/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timelines.h - a trace read twice for the tests of timeline.h: by the index, and by the serial merge.
 */
#ifndef SONDE_TESTS_TIMELINES_H
#define SONDE_TESTS_TIMELINES_H

#include "base/errmsg.h"
#include "decode/order/sequence.h"
#include "timeline/timeline.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* --- a trace, read twice ----------------------------------------------------------------------- */

struct reading {
	struct tracefile *tf;
	struct formats *formats;
	struct tasks tasks;
};

static inline bool reading_open(struct reading *r, const char *path)
{
	struct formats_config config = {0};
	struct errmsg err = {0};

	if (tracefile_open(&r->tf, path, &err) < 0)
		return false;
	assert_int_equal(formats_new(&r->formats, r->tf, &config, &err), 0);
	assert_int_equal(tasks_init(&r->tasks, tracefile_text(r->tf, TRACEFILE_CMDLINES)), 0);
	return true;
}

static inline void reading_close(struct reading *r)
{
	tasks_release(&r->tasks);
	formats_free(r->formats);
	tracefile_close(r->tf);
}

static inline struct timeconv time_of(const struct reading *r, const struct tracefile_buffer *b)
{
	struct timeconv_config config = {0};
	struct timeconv tc;

	timeconv_init(&tc, r->tf, b->clock, &config);
	return tc;
}

static inline struct timeline *index_of(struct reading *r, unsigned n_threads,
					const char *cache_dir)
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

static inline void seen_add(struct seen_list *l, struct seen s)
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

static inline void seen_free(struct seen_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->list[i].data);
	free(l->list);
}

static inline void see_record(struct seen_list *l, struct reading *r, const struct record *rec)
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

static inline void check_sorted(struct seen_list *l)
{
	l->is_sorted = true;
	for (size_t i = 1; i < l->n; i++)
		if (l->list[i].has_ts && l->list[i - 1].has_ts && l->list[i].ts < l->list[i - 1].ts)
			l->is_sorted = false;
}

static inline void see_all(struct seen_list *l, struct reading *r)
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

static inline void assert_same(struct timeline *tl, const struct seen *s,
			       const struct walk_event *ev)
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

static inline void each_golden(void (*check)(const char *path, const char *name))
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

static inline void remove_directory(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char path[800];

		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		unlink(path);
	}
	if (d)
		closedir(d);
	rmdir(dir);
}

#endif
