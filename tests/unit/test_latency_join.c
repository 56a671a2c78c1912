// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_latency_join.c - random events measured as a whole, and in parts that are joined.
 *
 * The parts end anywhere: inside of pairs, of nested calls and right at lost events. Counts, sums,
 * groups and the longest durations must be the same.
 */
#include "analyse/keycount.h"
#include "analyse/latency/latency.h"
#include "base/errmsg.h"
#include "symbols/tasks.h"
#include "../lib/memtrace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define N_EVENTS 4000
#define WORD(name, offset) \
	"\tfield:unsigned long long " name ";\toffset:" offset ";\tsize:8;\tsigned:0;\n"

static const struct memtrace_format formats_table[] = {
	{"block", "name: issue\nID: 100" COMMON WORD("req", "8")
			  WORD("size", "16") "\nprint fmt: \"%d\", REC->size\n"},
	{"block", "name: complete\nID: 101" COMMON WORD("request",
							"8") "\nprint fmt: \"%d\", REC->request\n"},
	{"probe", "name: slow\nID: 102" COMMON WORD(
			  "__probe_ip", "8") "\nprint fmt: \"(%lx)\", REC->__probe_ip\n"},
	{"probe", "name: slow__return\nID: 103" COMMON WORD("__probe_func", "8") WORD(
			  "__probe_ret_ip", "16") "\nprint fmt: \"(%lx)\", REC->__probe_func\n"},
};

static const char kallsyms_text[] = "0000000000001000 T outer\n0000000000002000 T inner\n";

struct made {
	uint64_t data[4];
	struct record rec;
};

struct fixture {
	uint8_t file[16384];
	struct tracefile *tf;
	struct formats *formats;
	struct tasks tasks;
	struct made events[N_EVENTS];
};

static uint64_t random_below(uint64_t *seed, uint64_t n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (*seed >> 33) % n;
}

/* Few tasks, requests and functions, so that pairs nest and are cut often. */
static void make_events(struct fixture *fx)
{
	uint64_t seed = 1, ts = 1000;

	for (size_t i = 0; i < N_EVENTS; i++) {
		struct made *m = &fx->events[i];
		int id = 100 + (int)random_below(&seed, 4);
		uint64_t value =
			id < 102 ? random_below(&seed, 5) : 0x1000 * (1 + random_below(&seed, 2));

		ts += random_below(&seed, 300);
		m->data[0] = id;
		m->data[1] = value;
		m->data[2] = random_below(&seed, 3);
		m->rec = (struct record){.ts = ts,
					 .data = (uint8_t *)m->data,
					 .size = sizeof(m->data),
					 .cpu = random_below(&seed, 2),
					 .task = tasks_find(&fx->tasks, random_below(&seed, 4)),
					 .event = formats_find(fx->formats, id)};
		m->rec.flags = random_below(&seed, 400) ? 0 : RECORD_MISSED;
	}
}

static int setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));
	struct formats_config config = {0};
	struct errmsg err = {0};
	size_t n = memtrace_make(fx->file, sizeof(fx->file), formats_table,
				 sizeof(formats_table) / sizeof(*formats_table), kallsyms_text, "");

	if (tracefile_open_memory(&fx->tf, "memory", (struct piece){fx->file, n}, &err) < 0 ||
	    formats_new(&fx->formats, fx->tf, &config, &err) < 0 ||
	    tasks_init(&fx->tasks, (struct piece){0}) < 0)
		return -1;
	make_events(fx);
	*state = fx;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fx = *state;

	tasks_release(&fx->tasks);
	formats_free(fx->formats);
	tracefile_close(fx->tf);
	free(fx);
	return 0;
}

static struct latency *measure(struct fixture *fx, const struct latency_config *config)
{
	struct errmsg err = {0};
	struct latency *l;

	assert_int_equal(latency_new(&l, fx->formats, config, &err), 0);
	return l;
}

static struct latency *measure_parts(struct fixture *fx, const struct latency_config *config,
				     size_t n_parts)
{
	struct latency *l = measure(fx, config), *parts[3];
	uint64_t seed = n_parts;
	size_t at = 0;

	assert_true(latency_can_join(l));
	for (size_t i = 0; i < 3; i++) {
		parts[i] = measure(fx, config);
		assert_int_equal(latency_make_part(parts[i]), 0);
	}
	for (size_t i = 0; i < n_parts; i++) {
		size_t end = at + random_below(&seed, 2 * N_EVENTS / n_parts);

		end = i + 1 == n_parts || end > N_EVENTS ? N_EVENTS : end;
		for (; at < end; at++)
			latency_add(parts[i % 3], &fx->events[at].rec);
		assert_int_equal(latency_join(l, parts[i % 3], &fx->tasks), 0);
	}
	for (size_t i = 0; i < 3; i++)
		latency_free(parts[i]);
	return l;
}

static void check_spread(const struct latency_spread *a, const struct latency_spread *b, size_t n)
{
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->total, b->total);
	assert_int_equal(a->min, b->min);
	assert_int_equal(a->max, b->max);
	assert_int_equal(a->max_ts, b->max_ts);
	assert_memory_equal(a->buckets, b->buckets, n * sizeof(*a->buckets));
	for (size_t i = 0; i < LATENCY_PERCENTILES; i++)
		assert_int_equal(latency_spread_percentile(a, latency_percentiles[i]),
				 latency_spread_percentile(b, latency_percentiles[i]));
}

static void check_groups(struct latency *a, struct latency *b)
{
	const struct latencies *x = latency_result(a), *y = latency_result(b);
	struct textbuf one, two;

	textbuf_init(&one, 4096);
	textbuf_init(&two, 4096);
	assert_int_equal(x->groups.n_used, y->groups.n_used);
	for (size_t i = 0; i < x->groups.n_used; i++) {
		const struct keyed *p = &x->sorted[i]->key, *q = &y->sorted[i]->key;

		check_spread(&x->sorted[i]->spread, &y->sorted[i]->spread, x->scale.n_buckets);
		for (size_t k = 0; k < x->groups.n_keys; k++) {
			key_fmt(latency_keys(a), p->slots[k], p->values[k], &one);
			key_fmt(latency_keys(b), q->slots[k], q->values[k], &two);
		}
	}
	assert_int_equal(textbuf_len(&one), textbuf_len(&two));
	assert_memory_equal(one.start, two.start, textbuf_len(&one));
	textbuf_release(&one);
	textbuf_release(&two);
}

static void check_same(struct latency *a, struct latency *b)
{
	const struct latencies *x, *y;

	assert_int_equal(latency_finish(a), 0);
	assert_int_equal(latency_finish(b), 0);
	x = latency_result(a);
	y = latency_result(b);
	assert_true(x->all.n > 100);
	assert_memory_equal(latency_counts(a), latency_counts(b), sizeof(struct latency_counts));
	check_spread(&x->all, &y->all, x->scale.n_buckets);
	check_groups(a, b);
	assert_int_equal(x->n_worst, y->n_worst);
	for (size_t i = 0; i < x->n_worst; i++) {
		assert_int_equal(x->worst[i].ns, y->worst[i].ns);
		assert_int_equal(x->worst[i].to_ts, y->worst[i].to_ts);
		assert_int_equal(x->worst[i].from_cpu, y->worst[i].from_cpu);
		assert_ptr_equal(x->worst[i].task, y->worst[i].task);
	}
}

static void check(struct fixture *fx, struct latency_config *config)
{
	struct latency *whole = measure(fx, config);

	for (size_t i = 0; i < N_EVENTS; i++)
		latency_add(whole, &fx->events[i].rec);
	for (size_t n = 1; n < 300; n = n * 2 + 1) {
		struct latency *joined = measure_parts(fx, config, n);

		check_same(whole, joined);
		latency_free(joined);
	}
	latency_free(whole);
}

static void pairs_of_threads(void **state)
{
	struct errmsg err = {0};
	struct latency_config config = {.from = "issue", .to = "complete", .n_worst = 20};

	latency_scale_settle(&config.scale);
	assert_int_equal(latency_parse_groups(&config, "size,$comm,$cpu", &err), 0);
	check(*state, &config);
	config.match = LATENCY_BY_CPU;
	check(*state, &config);
}

static void pairs_by_field(void **state)
{
	struct errmsg err = {0};
	struct latency_config config = {.from = "issue", .to = "complete", .n_worst = 7};

	latency_scale_settle(&config.scale);
	assert_int_equal(latency_parse_fields(&config, "req=request", &err), 0);
	check(*state, &config);
}

static void the_same_event_twice(void **state)
{
	struct latency_config config = {.from = "issue", .to = "issue", .n_worst = 7};

	latency_scale_settle(&config.scale);
	check(*state, &config);
}

static void nested_calls(void **state)
{
	struct latency_config config = {.function = "outer", .n_worst = 20};

	latency_scale_settle(&config.scale);
	check(*state, &config);
	config = (struct latency_config){.from = "slow", .to = "slow__return", .is_call = true};
	latency_scale_settle(&config.scale);
	check(*state, &config);
}

static void counts(void **state)
{
	struct fixture *fx = *state;
	const char *const names[] = {"issue", "complete"};
	struct keycount_config config = {.events = names, .n_events = 2};
	struct keycount *all, *sum, *part;
	const struct keycount_row *const *rows, *const *joined;
	struct errmsg err = {0};
	size_t n, n_joined;

	assert_int_equal(keycount_parse_words(&config, "$comm,req.log2", &err), 0);
	assert_int_equal(keycount_parse_sum(&config, "request", &err), 0);
	assert_int_equal(keycount_new(&all, fx->formats, &config, &err), 0);
	assert_int_equal(keycount_new(&sum, fx->formats, &config, &err), 0);
	assert_int_equal(keycount_new(&part, fx->formats, &config, &err), 0);
	for (size_t i = 0; i < N_EVENTS; i++) {
		keycount_add(all, &fx->events[i].rec);
		keycount_add(part, &fx->events[i].rec);
		if (i % 97 == 0)
			assert_int_equal(keycount_join(sum, part), 0);
	}
	assert_int_equal(keycount_join(sum, part), 0);
	assert_int_equal(keycount_finish(all), 0);
	assert_int_equal(keycount_finish(sum), 0);
	rows = keycount_rows(all, &n);
	joined = keycount_rows(sum, &n_joined);
	assert_int_equal(n, n_joined);
	assert_true(n > 3);
	assert_int_equal(keycount_total(all), keycount_total(sum));
	assert_int_equal(keycount_n_gaps(all), keycount_n_gaps(sum));
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(rows[i]->now.n, joined[i]->now.n);
		assert_true(rows[i]->now.sum == joined[i]->now.sum);
		assert_true(rows[i]->now.max == joined[i]->now.max);
	}
	keycount_free(all);
	keycount_free(sum);
	keycount_free(part);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pairs_of_threads, setup, teardown),
		cmocka_unit_test_setup_teardown(pairs_by_field, setup, teardown),
		cmocka_unit_test_setup_teardown(the_same_event_twice, setup, teardown),
		cmocka_unit_test_setup_teardown(nested_calls, setup, teardown),
		cmocka_unit_test_setup_teardown(counts, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
