// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_timeline.c - the index of a trace, against the serial merge of sequence.h as another reading.
 *
 * covers: K01 V01 V02 B07
 *
 * Every golden trace, the damaged ones too: each stream has the same records in the same order; where
 * times do not go back, all rows have the same order and times, and ranks and row numbers fit to them.
 */
#include "../lib/timelines.h"

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

/* --- while it is indexed ------------------------------------------------------------------------- */

static bool count_one(void *ctx, const struct walk_event *ev)
{
	uint64_t *n = ctx;

	assert_true(ev->ts <= TIMELINE_TIME_MAX);
	++*n;
	return true;
}

static bool count_switch(void *ctx, const struct switch_entry *e)
{
	++*(uint64_t *)ctx;
	return e->ts <= TIMELINE_TIME_MAX;
}

/* Everything that can be asked, of what is there so far. */
static void ask_all(struct timeline *tl, unsigned round)
{
	uint64_t end = timeline_duration(tl), n = 0, switches = 0;
	struct walk_wants wants = {.from = end / 3, .to = end};
	struct errmsg err = {0};
	struct selection *sel;
	event_ref refs[50];
	float values[50];

	timeline_hint(tl, end * (round % 10) / 10, end * (round % 10 + 1) / 10);
	for (size_t i = 0; i < timeline_n_streams(tl); i++) {
		timeline_walk(tl, i, &wants, count_one, &n, NULL);
		timeline_switches(tl, i, 0, end, count_switch, &switches);
		timeline_density(tl, i, 0, end, values, 50);
	}
	assert_true(n <= timeline_n_events(tl));
	timeline_rows(tl, NULL, timeline_n_events(tl) / 2, refs, NULL, 50);
	assert_int_equal(selection_new(&sel, tl,
				       &(struct selection_wants){.expression = "sched:CPU == 1"},
				       NULL, NULL, &err),
			 0);
	timeline_rows(tl, sel, selection_count(sel) / 2, refs, NULL, 50);
	selection_free(sel);
}

static void questions_are_answered_while_it_is_indexed(void **state)
{
	static const char *const names[] = {"events-v6", "events-v7-zstd"};

	for (int i = 0; i < 2 && getenv("GOLDEN"); i++) {
		struct timeline_source src = {0};
		struct errmsg err = {0};
		struct timeline *tl;
		struct reading r;
		char path[600];
		unsigned rounds = 0;

		snprintf(path, sizeof(path), "%s/%s.dat", getenv("GOLDEN"), names[i]);
		assert_true(reading_open(&r, path));
		src = (struct timeline_source){.tf = r.tf,
					       .formats = r.formats,
					       .buffer = &r.tf->buffers[0],
					       .time = time_of(&r, &r.tf->buffers[0])};
		assert_int_equal(timeline_new(&tl, &src, 1, 2, &err), 0);
		assert_int_equal(timeline_start(tl, NULL, &err), 0);
		do
			ask_all(tl, rounds++);
		while (timeline_progress(tl) < 1);
		assert_int_equal(timeline_wait(tl), 0);
		ask_all(tl, rounds);
		timeline_free(tl);
		/* and one that is given up at once */
		assert_int_equal(timeline_new(&tl, &src, 1, 2, &err), 0);
		assert_int_equal(timeline_start(tl, NULL, &err), 0);
		timeline_free(tl);
		reading_close(&r);
	}
}

/* --- several machines, many streams --------------------------------------------------------------- */

static void machines_have_tasks_of_their_own(void **state)
{
	static const char *const names[] = {"events-v6", "events-v7-zstd"};
	struct timeline_source sources[2];
	uint64_t sum[2] = {0}, n_events;
	struct errmsg err = {0};
	struct timeline *tl;
	struct reading r[2];

	if (!getenv("GOLDEN"))
		skip();
	for (int i = 0; i < 2; i++) {
		char path[600];

		snprintf(path, sizeof(path), "%s/%s.dat", getenv("GOLDEN"), names[i]);
		assert_true(reading_open(&r[i], path));
		sources[i] = (struct timeline_source){.tf = r[i].tf,
						      .formats = r[i].formats,
						      .buffer = &r[i].tf->buffers[0],
						      .time = time_of(&r[i], &r[i].tf->buffers[0]),
						      .machine = i * 5};
	}
	assert_int_equal(timeline_new(&tl, sources, 2, 2, &err), 0);
	assert_int_equal(timeline_start(tl, NULL, &err), 0);
	assert_int_equal(timeline_wait(tl), 0);
	for (size_t i = 0; i < timeline_n_tasks(tl); i++) {
		const struct timeline_task *t = timeline_task(tl, i);

		assert_true(t->machine == 0 || t->machine == 5);
		assert_int_equal(timeline_find_task(tl, t->machine, t->pid), i);
		sum[t->machine == 5] += t->n_events;
	}
	n_events = timeline_n_events(tl);
	assert_true(timeline_find_task(tl, 0, 0) >= 0 && timeline_find_task(tl, 5, 0) >= 0);
	assert_int_equal(timeline_find_task(tl, 1, 0), -1);
	assert_true(timeline_has_sched(tl, 0) && timeline_has_sched(tl, 5));
	assert_int_equal(timeline_rank(tl, NULL, TIMELINE_TIME_MAX + 1), n_events);
	assert_int_equal(sum[0] + sum[1], n_events);
	timeline_free(tl);
	for (int i = 0; i < 2; i++) {
		tl = index_of(&r[i], 2, NULL);
		assert_int_equal(sum[i], timeline_n_events(tl));
		timeline_free(tl);
		reading_close(&r[i]);
	}
}

static void what_is_too_many_is_left_out_and_said(void **state)
{
	struct timeline_source *sources = calloc(5000, sizeof(*sources));
	struct errmsg err = {0};
	event_ref refs[20];
	struct timeline *tl;
	struct reading r;
	char path[600];

	if (!getenv("GOLDEN"))
		skip();
	snprintf(path, sizeof(path), "%s/made-missed.dat", getenv("GOLDEN"));
	assert_true(reading_open(&r, path));
	for (int i = 0; i < 5000; i++)
		sources[i] = (struct timeline_source){.tf = r.tf,
						      .formats = r.formats,
						      .buffer = &r.tf->buffers[0],
						      .time = time_of(&r, &r.tf->buffers[0])};
	assert_int_equal(timeline_new(&tl, sources, 5000, 2, &err), 0);
	assert_int_equal(timeline_n_streams(tl), 4096);
	assert_int_equal(r.tf->n_damage, 1);
	assert_int_equal(timeline_start(tl, NULL, &err), 0);
	assert_int_equal(timeline_wait(tl), 0);
	assert_int_equal(timeline_rows(tl, NULL, timeline_n_events(tl) - 20, refs, NULL, 20), 20);
	timeline_free(tl);
	sources[0].machine = 1u << 20;
	assert_int_equal(timeline_new(&tl, sources, 1, 2, &err), -EINVAL);
	free(sources);
	reading_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_index_has_what_the_merge_has),
		cmocka_unit_test(questions_are_answered_while_it_is_indexed),
		cmocka_unit_test(machines_have_tasks_of_their_own),
		cmocka_unit_test(what_is_too_many_is_left_out_and_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
