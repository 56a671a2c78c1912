// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_base.c - numbers, text buffers, arenas, options, JSON strings and the conveyor.
 *
 * Numbers are compared with printf() over values around every change of length; the conveyor is
 * checked for order and completeness with more work than slots, with failures in each stage.
 */
#include "base/array.h"
#include "base/lock.h"
#include "base/map.h"
#include "base/arena.h"
#include "base/conveyor.h"
#include "base/errmsg.h"
#include "base/escaper.h"
#include "base/hash.h"
#include "base/json/json.h"
#include "base/number.h"
#include "base/options.h"
#include "base/scope.h"
#include "base/textbuf.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void numbers_are_those_of_printf(void **state)
{
	char ours[32], theirs[32];

	for (unsigned bit = 0; bit < 64; bit++)
		for (int d = -2; d <= 2; d++) {
			uint64_t v = ((uint64_t)1 << bit) + d;

			*number_emit_dec(ours, v) = 0;
			snprintf(theirs, sizeof(theirs), "%llu", (unsigned long long)v);
			assert_string_equal(ours, theirs);
			*number_emit_hex(ours, v) = 0;
			snprintf(theirs, sizeof(theirs), "%llx", (unsigned long long)v);
			assert_string_equal(ours, theirs);
			*number_emit_signed(ours, v) = 0;
			snprintf(theirs, sizeof(theirs), "%lld", (long long)v);
			assert_string_equal(ours, theirs);
		}
	for (uint64_t v = 1, i = 0; i < 20; i++, v *= 10)
		for (int d = -1; d <= 1; d++) {
			*number_emit_dec(ours, v + d) = 0;
			snprintf(theirs, sizeof(theirs), "%llu", (unsigned long long)(v + d));
			assert_string_equal(ours, theirs);
		}
	*number_emit_dec6(ours, 4207) = 0;
	assert_string_equal(ours, "004207");
}

static void small_copies_touch_only_their_bytes(void **state)
{
	char from[100], to[100];

	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = 'a' + i % 26;
	for (size_t len = 0; len <= 64; len++) {
		memset(to, '.', sizeof(to));
		textbuf_copy(to + 8, from, len);
		assert_memory_equal(to + 8, from, len);
		assert_int_equal(to[7], '.');
		assert_int_equal(to[8 + len], '.');
	}
}

/* --- hash tables ------------------------------------------------------------------------------- */

#define HASHED	   4096
#define HASH_SLOTS (HASHED * 2)

struct hashed {
	uint64_t slots[HASH_SLOTS]; /* 0: free */
	uint64_t seed;
	size_t n_slots; /* that are used */
	uint64_t n_looks;
};

/* As all tables do it: the next free slot from where the key belongs. */
static void hashed_add(struct hashed *h, uint64_t key)
{
	size_t i = hash_number(h->seed, key, h->n_slots);

	for (h->n_looks++; h->slots[i]; h->n_looks++)
		i = (i + 1) & (h->n_slots - 1);
	h->slots[i] = key;
}

/* Pids, addresses, pages: numbers at equal distances must spread, whatever the seed is. */
static void numbers_in_a_row_spread(void **state)
{
	static const uint64_t steps[] = {1, 2, 3, 8, 16, 64, 4096, UINT64_C(1) << 32};
	static struct hashed h;

	for (uint64_t seed = 1; seed < 2000; seed++)
		for (size_t k = 0; k < sizeof(steps) / sizeof(steps[0]); k++) {
			memset(&h, 0, sizeof(h));
			h.n_slots = HASH_SLOTS;
			h.seed = (seed * seed * UINT64_C(0xd1342543de82ef95) + seed) | 1;
			for (uint64_t i = 1; i <= HASHED; i++)
				hashed_add(&h, i * steps[k]);
			assert_true(h.n_looks < HASHED * 8);
		}
}

/* A table that is filled from another one, slot by slot, while it is still small. */
static void tables_can_be_merged(void **state)
{
	static struct hashed from, to;
	size_t n = 0;

	memset(&from, 0, sizeof(from));
	memset(&to, 0, sizeof(to));
	from.n_slots = HASH_SLOTS;
	from.seed = hash_seed();
	to.seed = hash_seed();
	assert_int_not_equal(from.seed, to.seed);
	for (uint64_t i = 1; i <= HASHED; i++)
		hashed_add(&from, i);
	to.n_slots = HASHED / 4;
	for (size_t i = 0; i < HASH_SLOTS && n < HASHED / 8; i++)
		if (from.slots[i]) {
			hashed_add(&to, from.slots[i]);
			n++;
		}
	assert_true(to.n_looks < n * 8);
}

/* The safe form of a text that comes in pieces of n_piece bytes. */
static const char *escape(const char *s, size_t len, size_t n_piece, char *out)
{
	struct escaper e = {0};
	char *to = out;

	for (size_t at = 0; at < len; at += n_piece)
		to += escaper_fmt(&e, s + at, len - at < n_piece ? len - at : n_piece, to);
	to += escaper_flush(&e, to);
	*to = 0;
	return out;
}

static void control_characters_are_escaped(void **state)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{"plain\ttext\n", "plain\ttext\n"},
		{"\x1b]0;own\a", "\\x1b]0;own\\x07"},
		{"a\rb\bc\x7f", "a\\x0db\\x08c\\x7f"},
		{"\x1b[1mbold\x1b[0m \n", "\x1b[1mbold\x1b[0m \n"},
		/* a colour ends with its line, or with the text */
		{"\x1b[1mbold\x1b[0m \x1b[36m", "\x1b[1mbold\x1b[0m \x1b[36m\x1b[0m"},
		{"\x1b[31mred\nplain\x1b[2m\n\n", "\x1b[31mred\x1b[0m\nplain\x1b[2m\x1b[0m\n\n"},
		{"\x1b[5m\x1b[31;1m\x1b[3", "\\x1b[5m\\x1b[31;1m\\x1b[3"},
		{"\x1b\x1b[1m\x1b[\x1b[0m", "\\x1b\x1b[1m\\x1b[\x1b[0m"},
		{"\x9b"
		 "31m",
		 "\\x9b"
		 "31m"},
		{"\xc2\x9b"
		 "31m",
		 "\\xc2\\x9b"
		 "31m"},
		{"\xc2\xa0\xc3\xa9\xe2\x82\xac\xf0\x9f\x99\x82",
		 "\xc2\xa0\xc3\xa9\xe2\x82\xac\xf0\x9f\x99\x82"},
		{"\xe2\x9b"
		 "x",
		 "\\xe2\\x9bx"},				       /* truncated */
		{"\xc0\x9b\xe0\x82\x9b", "\\xc0\\x9b\\xe0\\x82\\x9b"}, /* overlong */
		{"\xed\xa0\x80\xf4\x90\x80\x80", "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80"},
		{"\xe2\xc3\xa9", "\\xe2\xc3\xa9"},
		{"\xff\xfe\xc2", "\\xff\\xfe\\xc2"},
	};
	char out[ESCAPER_ROOM(64) * 2];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (size_t n_piece = 1; n_piece <= 16; n_piece++)
			assert_string_equal(escape(rows[i].in, strlen(rows[i].in), n_piece, out),
					    rows[i].out);
	assert_string_equal(escape("a\0b", 3, 3, out), "a\\x00b");
}

/* The room is enough whatever comes: four bytes for each. */
static void escaped_text_fits_its_room(void **state)
{
	char in[64], out[ESCAPER_ROOM(64)];
	struct escaper e = {0};

	for (int c = 0; c < 256; c++) {
		size_t n;

		memset(in, c, sizeof(in));
		n = escaper_fmt(&e, in, sizeof(in), out);
		assert_true(n <= sizeof(out));
		assert_true(escaper_flush(&e, out) <= ESCAPER_ROOM(0));
	}
}

static void a_textbuf_stops_at_its_ceiling(void **state)
{
	struct textbuf tb;

	textbuf_init(&tb, 100 << 10);
	for (int i = 0; i < 100; i++)
		textbuf_addf(&tb, "%1000d", i);
	assert_false(tb.overflow);
	textbuf_add_fill(&tb, 'x', 8 << 10);
	assert_true(tb.overflow);
	assert_int_equal(textbuf_len(&tb), 100000);
	textbuf_add_char(&tb, 'y'); /* dropped, not half written */
	assert_int_equal(textbuf_len(&tb), 100000);
	textbuf_clear(&tb);
	textbuf_add_str(&tb, "again");
	assert_int_equal(textbuf_len(&tb), 5);
	textbuf_release(&tb);
}

static void an_arena_gives_zeroed_memory_up_to_its_ceiling(void **state)
{
	struct arena a;
	size_t n = 0;
	char *p;

	arena_init(&a, 64 << 10);
	while ((p = arena_alloc(&a, 100))) {
		for (int i = 0; i < 100; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xff, 100);
		n++;
	}
	assert_in_range(n, 400, 656);
	assert_null(arena_alloc_array(&a, SIZE_MAX / 4, 8));
	arena_release(&a);
}

static void an_array_of_an_arena_grows_up_to_its_limit(void **state)
{
	struct arena a;
	size_t n = 0, cap = 0;
	int *list = NULL;

	arena_init(&a, 64 << 10);
	for (; ARENA_ONE_MORE(&a, list, n, cap, 1000); n++)
		list[n] = (int)n;
	assert_int_equal(n, 1000);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(list[i], i);
	for (; ARENA_ONE_MORE(&a, list, n, cap, SIZE_MAX); n++) /* until the arena is full */
		list[n] = (int)n;
	assert_in_range(n, 1000, (64 << 10) / sizeof(*list));
	assert_int_equal(list[999], 999);
	arena_release(&a);
}

static void json_strings_always_parse(void **state)
{
	static const struct {
		const char *in;
		size_t len;
		const char *out;
	} rows[] = {
		{"plain", 5, "\"plain\""},
		{"a\"b\\c\n\t\1", 8, "\"a\\\"b\\\\c\\n\\t\\u0001\""},
		{"\xc3\xa4", 2, "\"\xc3\xa4\""},       /* valid UTF-8 passes */
		{"\xff\xc3", 2, "\"\\u00ff\\u00c3\""}, /* bytes that are none do not */
		{"\xed\xa0\x80", 3, "\"\\u00ed\\u00a0\\u0080\""},
		{"\xc0\x80", 2, "\"\\u00c0\\u0080\""},
	};
	struct textbuf tb;

	textbuf_init(&tb, 1 << 16);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		textbuf_clear(&tb);
		json_add_string(&tb, rows[i].in, rows[i].len);
		textbuf_add_char(&tb, 0);
		assert_string_equal(tb.start, rows[i].out);
	}
	textbuf_release(&tb);
}

/* --- options ----------------------------------------------------------------------------------- */

struct opts {
	bool all, brief;
	const char *file;
	long long n;
	char calls[64];
};

static int note_call(void *opts, const char *value, struct errmsg *err)
{
	struct opts *o = opts;

	strncat(o->calls, value ? value : "-", 20);
	return 0;
}

static const struct option_row rows[] = {
	{OPTION_FLAG, 'a', "all", .help = "all", .offset = offsetof(struct opts, all)},
	{OPTION_FLAG, 'b', "brief", .help = "brief", .offset = offsetof(struct opts, brief)},
	{OPTION_STRING, 'i', "input", "FILE", "input", offsetof(struct opts, file)},
	{OPTION_NUMBER, 0, "number", "N", "number", offsetof(struct opts, n)},
	{OPTION_CALL, 'V', "verbose", "LEVEL", "verbose", .apply = note_call, .arg_optional = true},
	{OPTION_END},
};

static int parse(struct opts *o, int flags, struct errmsg *err, int argc, const char **argv)
{
	bool help;

	memset(o, 0, sizeof(*o));
	return options_parse(rows, o, argc, (char **)argv, flags, &help, err);
}

#define PARSE(o, flags, err, ...)                                 \
	({                                                        \
		const char *argv[] = {"cmd", __VA_ARGS__, NULL};  \
		parse(o, flags, err, sizeof(argv) / 8 - 1, argv); \
	})

static void an_error_knows_its_parts(void **state)
{
	struct errmsg_spot spot = {.reason = 7, .at = 3, .len = 2, .picture = "\n  abcde\n     ^~"};
	struct errmsg err = {0};
	char long_words[900];

	assert_null(errmsg_cause(&err));
	assert_int_equal(errmsg_set_errno(&err, -EINVAL, "cannot do: this"), -EINVAL);
	assert_string_equal(errmsg_cause(&err), "Invalid argument");
	errmsg_prefix(&err, "%s: ", "cmd");
	assert_string_equal(err.text, "cmd: cannot do: this: Invalid argument");
	assert_string_equal(errmsg_cause(&err), "Invalid argument");
	/* the first one stays */
	assert_int_equal(errmsg_set_spot(&err, -ENOENT, &spot, "other"), -ENOENT);
	assert_int_equal(err.reason, 0);

	err = (struct errmsg){0};
	errmsg_set_spot(&err, -EINVAL, &spot, "no '%s'", "de");
	assert_string_equal(err.text, "no 'de'\n  abcde\n     ^~");
	assert_int_equal(errmsg_sentence_len(&err), 7);
	assert_true(err.has_span && err.at == 3 && err.len == 2 && err.reason == 7);
	errmsg_prefix(&err, "cmd: ");
	assert_int_equal(errmsg_sentence_len(&err), 12);
	assert_int_equal(err.reason, 7);

	/* what a prefix pushes out of the text is not pointed at */
	memset(long_words, 'x', sizeof(long_words));
	err = (struct errmsg){0};
	errmsg_set_cause(&err, -EIO, "gone", "%.*s", 900, long_words);
	assert_string_equal(errmsg_cause(&err), "gone");
	errmsg_prefix(&err, "%.*s", 99, long_words);
	assert_null(errmsg_cause(&err));
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

static void options_are_taken_as_getopt_takes_them(void **state)
{
	struct errmsg err = {0};
	struct opts o;

	assert_int_equal(PARSE(&o, 0, &err, "-abifile", "x", "--number=0x10", "y"), 2);
	assert_true(o.all && o.brief);
	assert_string_equal(o.file, "file");
	assert_int_equal(o.n, 16);
	assert_int_equal(PARSE(&o, 0, &err, "--inp", "f", "--", "-a"), 1);
	assert_string_equal(o.file, "f");
	assert_false(o.all);
	assert_int_equal(PARSE(&o, 0, &err, "-V", "-V3", "--verbose=4", "--verbose"), 0);
	assert_string_equal(o.calls, "-34-");
	assert_int_equal(PARSE(&o, OPTIONS_STOP_AT_ARGUMENT, &err, "-a", "ls", "-b"), 2);
	assert_true(o.all && !o.brief);
}

static void bad_options_are_named(void **state)
{
	static const struct {
		const char *word, *says;
	} cases[] = {{"--nonsense", "--nonsense"},
		     {"-z", "-z"},
		     {"--number=x", "'x'"},
		     {"-i", "-i needs a value"},
		     {"--all=3", "--all takes no value"},
		     {"--inputt", "--input"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct errmsg err = {0};
		struct opts o;

		assert_true(PARSE(&o, 0, &err, cases[i].word) < 0);
		assert_non_null(strstr(err.text, cases[i].says));
	}
}

/* --- conveyor ---------------------------------------------------------------------------------- */

struct item {
	int number, squared;
};

struct job {
	int next, last, drained;
	int fail_fill_at, fail_drain_at; /* 0: never */
	atomic_uint most_threads;	 /* the highest number of a thread that worked, and 1 */
};

static int fill(void *ctx, void *item)
{
	struct job *j = ctx;

	if (j->next == j->last)
		return 0;
	((struct item *)item)->number = ++j->next;
	return j->fail_fill_at == j->next ? -EIO : 1;
}

static void work(void *ctx, void *item, unsigned thread)
{
	struct item *it = item;
	struct job *j = ctx;
	unsigned most = atomic_load(&j->most_threads);

	while (thread >= most && !atomic_compare_exchange_weak(&j->most_threads, &most, thread + 1))
		;
	it->squared = it->number * it->number;
}

static int drain(void *ctx, void *item)
{
	struct job *j = ctx;
	struct item *it = item;

	assert_int_equal(it->number, j->drained + 1);
	assert_int_equal(it->squared, it->number * it->number);
	j->drained++;
	return j->fail_drain_at == it->number ? -ENOSPC : 0;
}

static int run_job_on(struct job *j, unsigned n_threads, unsigned n_cpus, size_t n_items)
{
	struct item items[16];
	void *slots[16];
	struct conveyor_job job = {j, slots, n_items, n_threads, fill, work, drain, n_cpus};

	for (size_t i = 0; i < n_items; i++)
		slots[i] = &items[i];
	return conveyor_run(&job);
}

static int run_job(struct job *j, unsigned n_threads, size_t n_items)
{
	return run_job_on(j, n_threads, n_threads, n_items);
}

static void a_conveyor_keeps_order_and_loses_nothing(void **state)
{
	for (unsigned threads = 1; threads <= 8; threads++)
		for (size_t items = 1; items <= 16; items *= 4) {
			struct job j = {.last = 5000};

			assert_int_equal(run_job(&j, threads, items), 0);
			assert_int_equal(j.drained, 5000);
		}
}

static void a_conveyor_has_no_more_threads_than_cpus(void **state)
{
	for (unsigned cpus = 1; cpus <= 4; cpus++) {
		struct job j = {.last = 5000};

		assert_int_equal(run_job_on(&j, 16, cpus, 16), 0);
		assert_int_equal(j.drained, 5000);
		assert_in_range(j.most_threads, 1, cpus);
	}
}

static void a_conveyor_passes_failures_on(void **state)
{
	for (unsigned threads = 1; threads <= 4; threads++) {
		struct job a = {.last = 1000, .fail_fill_at = 500};
		struct job b = {.last = 1000, .fail_drain_at = 300};

		assert_int_equal(run_job(&a, threads, 8), -EIO);
		assert_int_equal(run_job(&b, threads, 8), -ENOSPC);
		assert_int_equal(b.drained, 300);
	}
}

/* A short array without a capacity grows to its ceiling, and keeps what is in it. */
static void short_arrays_grow(void **state)
{
	unsigned *list = NULL;
	size_t n = 0;

	while (ARRAY_ONE_MORE(list, n, 37))
		list[n] = n, n++;
	assert_int_equal(n, 37);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(list[i], i);
	free(list);
}

/* An array grows to its ceiling, keeps what is in it, and is zero where it is new. */
static void arrays_grow(void **state)
{
	int *list = NULL;
	unsigned cap = 0;

	for (unsigned n = 0; n < 100; n++) {
		assert_true(ARRAY_ROOM(list, cap, n + 1, 100));
		assert_int_equal(list[n], 0);
		list[n] = n + 1;
	}
	assert_int_equal(cap, 100);
	assert_false(ARRAY_ROOM(list, cap, 101, 100));
	assert_int_equal(cap, 100);
	for (int n = 0; n < 100; n++)
		assert_int_equal(list[n], n + 1);
	assert_false(ARRAY_ROOM(list, cap, SIZE_MAX / 2, ARRAY_NO_MAX));
	free(list);
}

/* A map keeps what was put in while it grows, and refuses new keys at its ceiling only. */
static void maps_grow(void **state)
{
	static int values[1000];
	struct map m = {0};

	assert_null(map_find(&m, 7));
	for (uint64_t i = 0; i < 1000; i++) {
		void **slot = map_take(&m, i << 32, 1000);

		assert_true(slot && !*slot);
		*slot = &values[i];
	}
	assert_int_equal(m.n, 1000);
	for (uint64_t i = 0; i < 1000; i++)
		assert_ptr_equal(map_find(&m, i << 32), &values[i]);
	assert_null(map_find(&m, 1));
	assert_null(map_take(&m, 1, 1000));
	assert_ptr_equal(*map_take(&m, 0, 1000), &values[0]);
	map_release(&m);
}

static void count_release(int **n)
{
	++**n;
}

/* how: the result of the call in the middle. */
static int try_in_scope(int how, int *n_released, int *n_after)
{
	SCOPED(count_release) int *outer = n_released;
	SCOPED(scope_free) char *text = malloc(8);
	SCOPED(scope_free) char *nothing = NULL, *moved = malloc(8), *taken = TAKE(moved);
	SCOPED(scope_close) int no_fd = -1;
	SCOPED(fclose_scoped) FILE *no_file = NULL;
	SCOPED(closedir_scoped) DIR *no_dir = NULL;

	assert_null(moved);
	assert_non_null(taken);
	for (int i = 0; i < 2; i++) {
		SCOPED(count_release) int *inner = n_released;

		TRY(how);
		++*n_after;
	}
	return 0;
}

static void a_scope_releases_on_every_way_out(void **state)
{
	int n_released = 0, n_after = 0;

	assert_int_equal(try_in_scope(-ENOENT, &n_released, &n_after), -ENOENT);
	assert_int_equal(n_released, 2);
	assert_int_equal(n_after, 0);
	n_released = 0;
	assert_int_equal(try_in_scope(3, &n_released, &n_after), 0);
	assert_int_equal(n_released, 3);
	assert_int_equal(n_after, 2);
}

struct pair {
	unsigned key, value;
};

ARRAY_ORDER(by_key, struct pair, COMPARE(x->key, y->key) ?: COMPARE(y->value, x->value))

/* Sorts by the first key up and the second down, and finds the edges of equal keys. */
static void arrays_are_sorted_and_searched(void **state)
{
	struct pair list[] = {{7, 1}, {3, 1}, {7, 2}, {3, 9}, {UINT_MAX, 0}, {0, 5}};
	const struct pair *const none = NULL;

	qsort(list, ARRAY_LEN(list), sizeof(list[0]), by_key);
	for (size_t i = 1; i < ARRAY_LEN(list); i++)
		assert_true(list[i - 1].key < list[i].key ||
			    (list[i - 1].key == list[i].key && list[i - 1].value > list[i].value));
	assert_int_equal(ARRAY_BISECT(ARRAY_LEN(list), i, list[i].key < 3), 1);
	assert_int_equal(ARRAY_BISECT(ARRAY_LEN(list), i, list[i].key <= 3), 3);
	assert_int_equal(ARRAY_BISECT(ARRAY_LEN(list), i, true), ARRAY_LEN(list));
	assert_int_equal(ARRAY_BISECT(0, i, true), 0);
	assert_ptr_equal(ARRAY_FIND(list, ARRAY_LEN(list), i, list[i].key == 7), &list[3]);
	assert_null(ARRAY_FIND(list, ARRAY_LEN(list), i, list[i].key == 8));
	assert_null(ARRAY_FIND(none, 0, i, none[i].key));
	assert_true(ARRAY_ANY(ARRAY_LEN(list), i, list[i].key == UINT_MAX));
	assert_false(ARRAY_ANY(ARRAY_LEN(list) - 1, i, list[i].key == UINT_MAX));
}

/* A lock is free again behind its scope, and held inside. */
static void a_scope_unlocks(void **state)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	{
		LOCKED(&lock);
		assert_int_equal(pthread_mutex_trylock(&lock), EBUSY);
	}
	assert_int_equal(pthread_mutex_trylock(&lock), 0);
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_scope_releases_on_every_way_out),
		cmocka_unit_test(a_scope_unlocks),
		cmocka_unit_test(arrays_grow),
		cmocka_unit_test(arrays_are_sorted_and_searched),
		cmocka_unit_test(short_arrays_grow),
		cmocka_unit_test(maps_grow),
		cmocka_unit_test(numbers_are_those_of_printf),
		cmocka_unit_test(an_error_knows_its_parts),
		cmocka_unit_test(small_copies_touch_only_their_bytes),
		cmocka_unit_test(a_textbuf_stops_at_its_ceiling),
		cmocka_unit_test(an_arena_gives_zeroed_memory_up_to_its_ceiling),
		cmocka_unit_test(an_array_of_an_arena_grows_up_to_its_limit),
		cmocka_unit_test(numbers_in_a_row_spread),
		cmocka_unit_test(tables_can_be_merged),
		cmocka_unit_test(control_characters_are_escaped),
		cmocka_unit_test(escaped_text_fits_its_room),
		cmocka_unit_test(json_strings_always_parse),
		cmocka_unit_test(options_are_taken_as_getopt_takes_them),
		cmocka_unit_test(bad_options_are_named),
		cmocka_unit_test(a_conveyor_keeps_order_and_loses_nothing),
		cmocka_unit_test(a_conveyor_has_no_more_threads_than_cpus),
		cmocka_unit_test(a_conveyor_passes_failures_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
