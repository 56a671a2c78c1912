// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_timeline_damage.c - the index of traces with wrong bytes, wrong times, too much of something.
 *
 * covers: B11 V02
 *
 * Small golden traces with bytes changed at random keep what timelinecheck.h asks of any index, and pages in
 * the wrong order of time are put where they belong.
 */
#include "../lib/timelinecheck.h"
#include "../lib/timelines.h"
#include "timeline/timeline_int.h"

#define ROUNDS	       8
#define FILE_MAX_BYTES (1 << 20)

static uint64_t seed = 7;

static uint32_t some(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % below;
}

static void index_bytes(const uint8_t *data, size_t n)
{
	struct formats_config config = {0};
	struct reading r = {0};
	struct errmsg err = {0};
	struct timeline *tl;

	if (tracefile_open_memory(&r.tf, "memory", (struct piece){data, n}, &err) < 0)
		return;
	assert_int_equal(formats_new(&r.formats, r.tf, &config, &err), 0);
	tl = index_of(&r, 2, NULL);
	check_timeline(tl);
	timeline_free(tl);
	formats_free(r.formats);
	tracefile_close(r.tf);
}

static void check_damaged(const char *path, const char *name)
{
	static uint8_t whole[FILE_MAX_BYTES], data[FILE_MAX_BYTES];
	FILE *f = fopen(path, "rb");
	size_t n = fread(whole, 1, sizeof(whole), f);

	(void)name;
	fclose(f);
	if (n == sizeof(whole))
		return;
	for (int i = 0; i < ROUNDS; i++) {
		memcpy(data, whole, n);
		for (unsigned k = 0; k <= some(6); k++)
			data[some(n)] = some(2) ? some(256) : 255;
		index_bytes(data, i % 5 ? n : some(n));
	}
}

static void damaged_traces_have_a_sound_index(void **state)
{
	each_golden(check_damaged);
}

#define U TS_UNKNOWN

static void pages_out_of_order_are_put_where_they_belong(void **state)
{
	static const struct {
		uint64_t in[6], out[6];
	} rows[] = {
		{{10, 20, 30, 40, 50, 60}, {10, 20, 30, 40, 50, 60}},
		{{10, 20, 900, 30, 40, 50}, {10, 20, 30, 30, 40, 50}},
		{{10, 20, 3, 30, 40, 50}, {10, 20, 30, 30, 40, 50}},
		{{900, 20, 30, 40, 50, 60}, {20, 20, 30, 40, 50, 60}},
		{{10, 20, 30, 40, 50, 3}, {10, 20, 30, 40, 50, 55}},
		{{10, 2, 30, 40, 50, 60}, {10, 30, 30, 40, 50, 60}},
		{{U, 20, U, U, 40, U}, {20, 20, 40, 40, 40, 55}},
		{{U, U, U, U, U, U}, {55, 55, 55, 55, 55, 55}},
		{{10, 20, 30, 5, 6, 35}, {10, 20, 30, 35, 35, 35}},
		{{10, 10, 10, 10, 5, 10}, {10, 10, 10, 10, 10, 10}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t ts[6];

		memcpy(ts, rows[i].in, sizeof(ts));
		pages_settle(ts, 6, 55);
		assert_memory_equal(ts, rows[i].out, sizeof(ts));
	}
	pages_settle(NULL, 0, 0);
}

static void a_timeline_of_nothing_is_empty(void **state)
{
	struct errmsg err = {0};
	struct timeline *tl;
	event_ref ref;

	assert_int_equal(timeline_new(&tl, NULL, 0, 1, &err), 0);
	assert_int_equal(timeline_start(tl, NULL, &err), 0);
	assert_int_equal(timeline_wait(tl), 0);
	assert_true(timeline_progress(tl) == 1);
	assert_int_equal(timeline_rows(tl, NULL, 0, &ref, NULL, 1), 0);
	assert_int_equal(timeline_refresh(tl, &err), 0);
	check_timeline(tl);
	timeline_free(tl);
}

static void switches_far_apart_have_blocks_of_their_own(void **state)
{
	uint64_t entries[64];
	struct sched_block blocks[64];
	struct sched_builder sb = {entries, blocks, 0, 0};
	struct sched_list sl = {entries, blocks, 0, 0};
	static const uint64_t ts[] = {5,
				      5,
				      6,
				      (1 << 28) + 4,
				      1 << 29,
				      1ull << 40,
				      (1ull << 40) + 1,
				      1ull << 47,
				      1ull << 47,
				      (1ull << 48) - 1};
	size_t n = sizeof(ts) / sizeof(*ts);

	for (size_t i = 0; i < n; i++)
		sched_builder_add(&sb, &(struct sched_item){ts[i], i, 1000 + i, i % 16});
	sl.n = sb.n;
	sl.n_blocks = sb.n_blocks;
	assert_int_equal(sl.n, n);
	for (size_t i = 0; i < n; i++) {
		struct sched_item item = sched_list_get(&sl, i);
		uint32_t before = 0;

		assert_int_equal(item.ts, ts[i]);
		assert_int_equal(item.a, i);
		assert_int_equal(item.b, 1000 + i);
		assert_int_equal(item.flags, i % 16);
		while (before < n && ts[before] < ts[i])
			before++;
		assert_int_equal(sched_list_rank(&sl, ts[i]), before);
	}
	assert_int_equal(sched_list_rank(&sl, 0), 0);
	assert_int_equal(sched_list_rank(&sl, 1ull << 48), n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_traces_have_a_sound_index),
		cmocka_unit_test(pages_out_of_order_are_put_where_they_belong),
		cmocka_unit_test(a_timeline_of_nothing_is_empty),
		cmocka_unit_test(switches_far_apart_have_blocks_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
