// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_live.c - a trace that is decoded while it is recorded says what it says when it is a file.
 *
 * A player takes a golden trace apart and hands its records in again as a kernel and a recorder would:
 * round by round, each CPU at a moment of its own, sub-buffers that are half full, CPUs that have more
 * than is taken from them. What `sequence` and `line` make of that must be, byte by byte, what they
 * make of the file, however the rounds fall.
 *
 * covers: T09 Q09
 */
#include "base/errmsg.h"
#include "decode/formats/formats.h"
#include "decode/order/sequence.h"
#include "decode/walker.h"
#include "present/line.h"
#include "store/live/livepages.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define PAGE_MAX (1 << 16)
#define CPUS_MAX 4096

/* --- the file, and the text of anything ---------------------------------------------------------- */

struct trace {
	struct tracefile *tf;
	struct formats *formats;
	struct tasks tasks;
	struct sequence *seq;
	struct line_source *sources;
	char prefixes[8][32];
	size_t n_sources;
};

static size_t name_of_pid(void *ctx, int pid, char *buf, size_t size)
{
	return snprintf(buf, size, "pid%d", pid);
}

static void trace_init(struct trace *t, struct tracefile *tf, uint64_t hold_rounds, bool ask)
{
	struct sequence_config sc = {.to = UINT64_MAX, .hold_rounds = hold_rounds};
	struct formats_config fc = {0};
	struct timeconv_config tcc = {0};
	struct errmsg err = {0};

	*t = (struct trace){.tf = tf};
	assert_int_equal(formats_new(&t->formats, tf, &fc, &err), 0);
	assert_int_equal(tasks_init(&t->tasks, tracefile_text(tf, TRACEFILE_CMDLINES)), 0);
	t->seq = sequence_new(&sc);
	t->sources = calloc(tf->n_buffers + 1, sizeof(*t->sources));
	for (size_t i = 0; i < tf->n_buffers; i++) {
		struct source_config src = {.tf = tf,
					    .formats = t->formats,
					    .tasks = &t->tasks,
					    .buffer = &tf->buffers[i]};

		timeconv_init(&src.time, tf, tf->buffers[i].clock, &tcc);
		src.find_name = ask ? name_of_pid : NULL;
		assert_int_equal(sequence_add_source(t->seq, &src, NULL), 0);
		snprintf(t->prefixes[i], sizeof(*t->prefixes), "%.20s: ", tf->buffers[i].name);
		t->sources[t->n_sources++] =
			(struct line_source){.formats = t->formats,
					     .prefix = tf->n_buffers > 1 ? t->prefixes[i] : NULL,
					     .page_size = tf->buffers[i].page_size,
					     .time_style = TIME_NANOSECONDS};
	}
	assert_int_equal(sequence_start(t->seq), 0);
}

static void trace_release(struct trace *t)
{
	sequence_free(t->seq);
	free(t->sources);
	tasks_release(&t->tasks);
	formats_free(t->formats);
	tracefile_close(t->tf);
}

/* What there is to say now. */
struct teller {
	struct trace *trace;
	struct batch batch;
	struct line_style style;
	struct line_printer lines;
	struct textbuf text;
	uint64_t digest; /* of all records in their order, folded or not */
	uint64_t n_records;
};

static void teller_init(struct teller *te, struct trace *t)
{
	*te = (struct teller){.trace = t};
	te->style = (struct line_style){.sources = t->sources, .n_sources = t->n_sources};
	assert_int_equal(batch_init(&te->batch), 0);
	assert_int_equal(line_printer_init(&te->lines, &te->style), 0);
	textbuf_init(&te->text, 256 << 20);
	line_printer_aim(&te->lines, &te->text);
}

static void teller_release(struct teller *te)
{
	batch_release(&te->batch);
	line_printer_release(&te->lines);
	textbuf_release(&te->text);
}

static void digest(struct teller *te, const uint8_t *data, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		te->digest = (te->digest ^ data[i]) * 0x100000001b3u;
	te->n_records++;
}

static void teller_tell(struct teller *te)
{
	while (sequence_fill(te->trace->seq, &te->batch) > 0) {
		for (size_t i = 0; i < te->batch.n; i++) {
			const struct record *rec = &te->batch.records[i];

			digest(te, rec->data, rec->size);
			if (rec->flags & RECORD_PAIR)
				digest(te, rec->extra->pair, rec->extra->pair_size);
		}
		line_printer_add(&te->lines, &te->batch, 0, SIZE_MAX);
	}
}

/* --- the player ---------------------------------------------------------------------------------- */

struct moment { /* a record of the player's */
	uint32_t page;
	uint32_t start, end; /* with what stands before it, in its sub-buffer */
	uint64_t ts_before;
	uint64_t ts; /* the latest so far on its CPU */
};

struct player_cpu {
	uint8_t *pages; /* PAGE_MAX each */
	uint32_t n_pages;
	struct moment *moments;
	size_t n_moments, next;
};

struct player {
	struct tracefile *tf;
	struct livepages *live;
	struct player_cpu cpus[8][CPUS_MAX];
	uint32_t n_cpus[8];
	uint64_t first, last;
	uint64_t seed;
	unsigned n_rounds;
	size_t n_full; /* CPUs that were not read because too much waited */
	void (*after_round)(void *ctx);
	void *ctx;
};

static uint64_t next_random(struct player *p)
{
	p->seed ^= p->seed << 13;
	p->seed ^= p->seed >> 7;
	p->seed ^= p->seed << 17;
	return p->seed;
}

static uint64_t random_below(struct player *p, uint64_t n)
{
	return n ? next_random(p) % n : 0;
}

static void load_page(struct player *p, struct player_cpu *c, const struct page *page)
{
	const struct tracefile *tf = p->tf;
	struct page_layout l = {tf->swap, tf->big_endian, tf->long_size, tf->data_offset};
	struct walker w;
	struct walked rec;

	c->pages = realloc(c->pages, (size_t)(c->n_pages + 1) * PAGE_MAX);
	memset(c->pages + (size_t)c->n_pages * PAGE_MAX, 0, PAGE_MAX);
	memcpy(c->pages + (size_t)c->n_pages * PAGE_MAX, page->data, page->len);
	if (!walker_start(&w, page->data, page->len, &l))
		return;
	for (;;) {
		struct moment m = {
			.page = c->n_pages, .start = w.pos - page->data, .ts_before = w.ts};

		if (!walker_next(&w, &rec))
			break;
		m.end = w.pos - page->data;
		m.ts = rec.ts;
		if (c->n_moments && c->moments[c->n_moments - 1].ts > m.ts)
			m.ts = c->moments[c->n_moments - 1].ts;
		c->moments = realloc(c->moments, (c->n_moments + 1) * sizeof(m));
		c->moments[c->n_moments++] = m;
		p->first = m.ts < p->first ? m.ts : p->first;
		p->last = m.ts > p->last ? m.ts : p->last;
	}
	c->n_pages++;
}

static void player_load(struct player *p, const char *path)
{
	struct errmsg err = {0};

	p->first = UINT64_MAX;
	assert_int_equal(tracefile_open(&p->tf, path, &err), 0);
	assert_in_range(p->tf->n_buffers, 1, 8);
	for (size_t b = 0; b < p->tf->n_buffers; b++)
		for (size_t i = 0; i < p->tf->buffers[b].n_cpus; i++) {
			struct pagestream *ps = pagestream_new(p->tf, &p->tf->buffers[b], i, NULL);
			uint32_t cpu = p->tf->buffers[b].cpus[i].cpu;
			struct page page;

			assert_in_range(cpu, 0, CPUS_MAX - 1);
			while (pagestream_next(ps, &page) > 0)
				load_page(p, &p->cpus[b][cpu], &page);
			pagestream_free(ps);
		}
}

static void player_unload(struct player *p)
{
	for (size_t b = 0; b < 8; b++)
		for (size_t i = 0; i < CPUS_MAX; i++) {
			free(p->cpus[b][i].pages);
			free(p->cpus[b][i].moments);
		}
	tracefile_close(p->tf);
}

static void player_open_live(struct player *p, struct tracefile **ret, size_t max_bytes)
{
	struct live_buffer buffers[8];
	struct live_config config = {.name = "live",
				     .options = p->tf->options,
				     .n_options = p->tf->n_options,
				     .buffers = buffers,
				     .n_buffers = p->tf->n_buffers,
				     .max_bytes = max_bytes};
	struct errmsg err = {0};

	for (int i = 0; i < TRACEFILE_TEXT_KINDS; i++)
		config.texts[i] = tracefile_text(p->tf, i);
	for (size_t b = 0; b < p->tf->n_buffers; b++) {
		const struct tracefile_buffer *from = &p->tf->buffers[b];

		p->n_cpus[b] = from->max_cpus;
		buffers[b] = (struct live_buffer){from->name, from->clock, from->page_size,
						  from->max_cpus};
		for (uint32_t i = 0; i < from->max_cpus; i++)
			p->cpus[b][i].next = 0;
	}
	assert_int_equal(tracefile_open_live(ret, &config, &err), 0);
	p->live = tracefile_livepages(*ret);
}

/* What a read at time `now` gives: the rest of a sub-buffer, as far as it is written. */
static bool read_page(struct player *p, size_t b, uint32_t cpu, uint64_t now)
{
	struct player_cpu *c = &p->cpus[b][cpu];
	const struct moment *m, *end;
	const uint8_t *page;
	uint8_t copy[PAGE_MAX];
	uint8_t offset = p->tf->data_offset;
	uint64_t commit, old;

	if (c->next >= c->n_moments)
		return false;
	m = end = &c->moments[c->next];
	while ((size_t)(end - c->moments) < c->n_moments && end->page == m->page && end->ts <= now)
		end++;
	if (end == m)
		return false;
	page = c->pages + (size_t)m->page * PAGE_MAX;
	memset(copy, 0, p->tf->buffers[b].page_size);
	memcpy(&old, page + 8, 8);
	commit = (end[-1].end - m->start) | (m->start == offset ? old & ~SNF_COMMIT_MASK : 0);
	memcpy(copy, m->start == offset ? (const void *)page : &m->ts_before, 8);
	memcpy(copy + 8, &commit, 8);
	memcpy(copy + offset, page + m->start, end[-1].end - m->start);
	if (commit & SNF_COMMIT_MISSED_STORED)
		memcpy(copy + offset + (commit & SNF_COMMIT_MASK),
		       page + offset + (old & SNF_COMMIT_MASK), 8);
	assert_int_equal(livepages_add(p->live, b, cpu, copy, p->tf->buffers[b].page_size), 0);
	c->next = end - c->moments;
	return true;
}

/* One CPU's turn; false: it had more. */
static bool read_cpu(struct player *p, size_t b, uint32_t cpu, uint64_t now, uint64_t round)
{
	bool last = now == UINT64_MAX - 1;
	unsigned limit = last || random_below(p, 4) ? UINT32_MAX : random_below(p, 3);

	for (;; limit--) {
		if (!livepages_has_room(p->live, b, cpu)) {
			p->n_full++;
			return false;
		}
		if (!limit)
			return false;
		if (!read_page(p, b, cpu, now))
			break;
	}
	livepages_set_read(p->live, b, cpu, round);
	return true;
}

static void *player_play(void *arg)
{
	struct player *p = arg;
	uint64_t start = p->first - 1;
	bool all = false;

	for (unsigned i = 0; i < p->n_rounds || !all; i++) {
		uint64_t round = livepages_begin_round(p->live);
		uint64_t end = start + random_below(p, 2 * (p->last - p->first) / p->n_rounds + 2);

		if (i + 1 >= p->n_rounds)
			end = UINT64_MAX - 1;
		all = true;
		for (size_t b = 0; b < p->tf->n_buffers; b++)
			for (uint32_t cpu = 0; cpu < p->n_cpus[b]; cpu++) {
				uint64_t now = i + 1 >= p->n_rounds
						       ? end
						       : start + random_below(p, end - start);

				all &= read_cpu(p, b, cpu, now, round);
			}
		start = end;
		if (p->after_round)
			p->after_round(p->ctx);
	}
	livepages_end(p->live);
	return NULL;
}

/* --- the tests ----------------------------------------------------------------------------------- */

static const char *golden(const char *name)
{
	static char path[600];
	const char *dir = getenv("GOLDEN");

	if (!dir)
		skip();
	snprintf(path, sizeof(path), "%s/%s.dat", dir, name);
	return path;
}

static void tell_all(struct teller *te, struct trace *t, const char *name, bool ask)
{
	struct tracefile *tf;
	struct errmsg err = {0};

	assert_int_equal(tracefile_open(&tf, golden(name), &err), 0);
	trace_init(t, tf, 0, ask);
	teller_init(te, t);
	teller_tell(te);
	assert_true(sequence_has_ended(t->seq));
}

static void tell_more(void *ctx)
{
	teller_tell(ctx);
}

static void assert_same_text(const struct teller *a, const struct teller *b)
{
	size_t n = textbuf_len(&a->text), i = 0;

	while (i < n && i < textbuf_len(&b->text) && a->text.start[i] == b->text.start[i])
		i++;
	if (i < n || i < textbuf_len(&b->text)) {
		size_t from = i > 300 ? i - 300 : 0;

		fail_msg("file: …%.500s\nlive: …%.500s", a->text.start + from,
			 b->text.start + from);
	}
}

enum way { SAME_THREAD, OTHER_THREAD, SHORT_HOLD };

static void play_once(struct player *p, const struct teller *file, enum way way, uint64_t seed,
		      unsigned n_rounds, size_t max_bytes)
{
	struct trace t;
	struct teller te;
	struct tracefile *tf;
	pthread_t thread;

	player_open_live(p, &tf, max_bytes);
	trace_init(&t, tf, way == SHORT_HOLD ? 1 : UINT64_MAX, false);
	teller_init(&te, &t);
	p->seed = seed * 0x9e3779b97f4a7c15u + 1;
	p->n_rounds = n_rounds;
	p->after_round = way == OTHER_THREAD ? NULL : tell_more;
	p->ctx = &te;
	if (way == OTHER_THREAD) {
		assert_int_equal(pthread_create(&thread, NULL, player_play, p), 0);
		while (pthread_tryjoin_np(thread, NULL))
			teller_tell(&te);
	} else {
		player_play(p);
	}
	teller_tell(&te);
	assert_true(sequence_has_ended(t.seq));
	assert_int_equal(livepages_waiting_bytes(p->live), 0);
	assert_int_equal(te.n_records, file->n_records);
	assert_true(te.digest == file->digest);
	if (way != SHORT_HOLD)
		assert_same_text(file, &te);
	teller_release(&te);
	trace_release(&t);
}

static void play(const char *name)
{
	struct player *p = calloc(1, sizeof(*p));
	struct trace t;
	struct teller file;

	player_load(p, golden(name));
	tell_all(&file, &t, name, false);
	play_once(p, &file, SAME_THREAD, 1, 1, 0);
	for (unsigned i = 0; i < 3; i++) {
		play_once(p, &file, SAME_THREAD, 2 + i, 3 + 20 * i * i, 0);
		play_once(p, &file, SHORT_HOLD, 20 + i, 5 + 20 * i * i, 0);
	}
	play_once(p, &file, OTHER_THREAD, 40, 300, 0);
	play_once(p, &file, OTHER_THREAD, 41, 50, 1 << 16);
	teller_release(&file);
	trace_release(&t);
	player_unload(p);
	free(p);
}

static void plays_function_graph(void **state)
{
	play("fgraph-vfs");
}

static void plays_functions(void **state)
{
	play("function-all");
}

static void plays_events(void **state)
{
	play("all-events");
}

static void plays_a_counter_clock(void **state)
{
	play("clock-tsc");
}

static void plays_instances(void **state)
{
	play("instances-mono");
	play("made-instances-v7");
}

static void plays_losses(void **state)
{
	play("made-missed");
}

/* More CPUs than are looked at one by one. */
static void plays_many_cpus(void **state)
{
	play("made-many-cpus-v7");
}

static void asks_for_names(void **state)
{
	struct trace t;
	struct teller te;

	tell_all(&te, &t, "lost-events", true);
	textbuf_add_char(&te.text, 0);
	assert_null(strstr(te.text.start, "<...>"));
	teller_release(&te);
	trace_release(&t);
}

/* --- rounds by hand ------------------------------------------------------------------------------ */

/* A trace of two CPUs without any formats, and sub-buffers with one record each. */
static void open_two(struct trace *t, size_t max_bytes)
{
	static const char header[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				     "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				     "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
	static const struct live_buffer buffer = {"", "local", 4096, 2};
	struct live_config config = {
		.name = "two", .buffers = &buffer, .n_buffers = 1, .max_bytes = max_bytes};
	struct tracefile *tf;
	struct errmsg err = {0};

	for (int i = 0; i < TRACEFILE_TEXT_KINDS; i++)
		config.texts[i] = PIECE_EMPTY;
	config.texts[TRACEFILE_HEADER_PAGE] =
		(struct piece){(const uint8_t *)header, strlen(header)};
	assert_int_equal(tracefile_open_live(&tf, &config, &err), 0);
	trace_init(t, tf, 1, false);
}

static void add_one(struct trace *t, uint32_t cpu, uint64_t ts)
{
	uint32_t page[1024] = {0};

	memcpy(page, &ts, 8);
	page[2] = 12;
	page[4] = 2; /* eight bytes of data, no time passed */
	assert_int_equal(livepages_add(tracefile_livepages(t->tf), 0, cpu, page, 4096), 0);
}

/* The times of all records that can be had now. */
static const char *times(struct trace *t)
{
	static char text[200];
	struct batch b;
	size_t n = 0;

	text[0] = 0;
	assert_int_equal(batch_init(&b), 0);
	while (sequence_fill(t->seq, &b) > 0)
		for (size_t i = 0; i < b.n; i++)
			n += snprintf(text + n, sizeof(text) - n, "%llu ",
				      (unsigned long long)b.records[i].ts);
	batch_release(&b);
	return text;
}

static void waits_for_a_cpu_that_was_read_before(void **state)
{
	struct livepages *lp;
	struct trace t;

	open_two(&t, 0);
	lp = tracefile_livepages(t.tf);
	livepages_begin_round(lp);
	livepages_set_read(lp, 0, 0, 1);
	add_one(&t, 1, 20);
	livepages_set_read(lp, 0, 1, 1);
	assert_string_equal(times(&t), "");
	livepages_begin_round(lp);
	add_one(&t, 0, 10);
	livepages_set_read(lp, 0, 0, 2);
	assert_string_equal(times(&t), "10 20 ");
	add_one(&t, 1, 30);
	livepages_set_read(lp, 0, 1, 2);
	assert_string_equal(times(&t), "");
	livepages_begin_round(lp);
	livepages_set_read(lp, 0, 0, 3);
	assert_string_equal(times(&t), "30 ");
	assert_false(sequence_has_ended(t.seq));
	livepages_end(lp);
	assert_string_equal(times(&t), "");
	assert_true(sequence_has_ended(t.seq));
	trace_release(&t);
}

static void waits_for_a_cpu_that_has_more(void **state)
{
	struct livepages *lp;
	struct trace t;

	open_two(&t, 0);
	lp = tracefile_livepages(t.tf);
	livepages_begin_round(lp);
	add_one(&t, 0, 10); /* and there is more of it */
	add_one(&t, 1, 20);
	livepages_set_read(lp, 0, 1, 1);
	assert_string_equal(times(&t), "10 ");
	livepages_begin_round(lp);
	add_one(&t, 0, 15);
	livepages_set_read(lp, 0, 1, 2);
	assert_string_equal(times(&t), "15 ");
	/* a CPU that goes offline holds nobody up */
	livepages_set_read(lp, 0, 0, UINT64_MAX);
	assert_string_equal(times(&t), "20 ");
	add_one(&t, 1, 25);
	assert_int_equal(sequence_count_rest(t.seq), 1);
	trace_release(&t);
}

/* The ceiling stops a CPU that has its share, and not the one that it waits for. */
static void keeps_room_for_the_slow_one(void **state)
{
	struct livepages *lp;
	struct trace t;

	open_two(&t, 4096);
	lp = tracefile_livepages(t.tf);
	livepages_begin_round(lp);
	for (int i = 0; i < 100 && livepages_has_room(lp, 0, 1); i++)
		add_one(&t, 1, 100 + i);
	assert_false(livepages_has_room(lp, 0, 1));
	assert_true(livepages_has_room(lp, 0, 0));
	assert_in_range(livepages_waiting_bytes(lp), 4096, 4096 + 200);
	assert_false(livepages_has_room(lp, 0, 2));
	assert_int_equal(livepages_add(lp, 0, 2, "", 0), -EINVAL);
	assert_int_equal(livepages_add(lp, 1, 0, "", 0), -EINVAL);
	livepages_set_read(lp, 0, 0, UINT64_MAX);
	assert_string_not_equal(times(&t), "");
	assert_true(livepages_has_room(lp, 0, 1));
	trace_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_for_a_cpu_that_was_read_before),
		cmocka_unit_test(waits_for_a_cpu_that_has_more),
		cmocka_unit_test(keeps_room_for_the_slow_one),
		cmocka_unit_test(plays_function_graph),
		cmocka_unit_test(plays_functions),
		cmocka_unit_test(plays_events),
		cmocka_unit_test(plays_a_counter_clock),
		cmocka_unit_test(plays_instances),
		cmocka_unit_test(plays_losses),
		cmocka_unit_test(plays_many_cpus),
		cmocka_unit_test(asks_for_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
