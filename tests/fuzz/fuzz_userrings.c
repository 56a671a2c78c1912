// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_userrings.c - any records in the rings of user functions: the collector makes pages of them.
 *
 *	input: blocks of 12 bytes: u8 slot and what to do, u8 distance in time, u16 –, u64 word
 *
 *	what   0 a record: the low 20 bits of the word, at a time just before now
 *	       1 the word as it is    2 the head becomes the word    3 a round of the collector
 *
 * Each page is walked: times rise, records are of known kinds, functions are those of the plan.
 */
#include "capture/calls/userclock.h"
#include "capture/calls/usercollector.h"
#include "store/events/userevents.h"
#include "capture/calls/userrings.h"
#include "base/errmsg.h"
#include "decode/walker.h"
#include "runtime/snrt.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_CPUS	    3
#define PAGE	    4096
#define N_FUNCS	    8
#define N_SLOTS	    4
#define BLOCK_BYTES 12

static void check(bool good)
{
	if (!good)
		abort();
}

static uint64_t last_ns[N_CPUS];

static int take(void *ctx, unsigned cpu, const void *page, size_t n_bytes)
{
	struct page_layout layout = {false, bytes_host_is_big(), sizeof(long), 8 + sizeof(long)};
	struct walker w;
	struct walked rec;

	check(cpu < N_CPUS && n_bytes == PAGE);
	check(walker_start(&w, page, n_bytes, &layout) && !w.damaged);
	while (walker_next(&w, &rec)) {
		struct userevents_record r = {0};
		bool has_texts;

		check(rec.size >= USEREVENTS_SHORT_BYTES);
		memcpy(&r, rec.data, rec.size < sizeof(r) ? rec.size : sizeof(r));
		check(r.type >= USEREVENTS_ENTRY && r.type <= USEREVENTS_CALL_VALUE);
		has_texts = r.type > USEREVENTS_CALL;
		check(has_texts || rec.size == USEREVENTS_SHORT_BYTES ||
		      rec.size == USEREVENTS_CALL_BYTES);
		check(r.func % 16 == 0 && r.func < 16 * N_FUNCS);
		check(rec.ts >= last_ns[cpu]);
		last_ns[cpu] = rec.ts;
	}
	check(!w.damaged && w.missed >= 0);
	return 0;
}

static bool find_meaning(void *ctx, uint32_t plan, struct usercollector_meaning *ret)
{
	static const uint32_t funcs[N_FUNCS] = {0, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70};

	*ret = (struct usercollector_meaning){.funcs = funcs, .n = N_FUNCS, .pid_ns = 1};
	return plan == 1;
}

/* A text as long as the values say, so that every length occurs. */
static size_t fmt_values(void *ctx, const struct usercollector_meaning *meaning, uint32_t id,
			 bool is_ret, const uint64_t *words, size_t n_bytes, char *out, size_t size)
{
	size_t len = words[0] % size;

	check(n_bytes && n_bytes <= SNRT_VALUES_MAX && n_bytes % 8 == 0);
	memset(out, is_ret ? 'r' : 'a', len);
	out[len] = 0;
	return len;
}

static void put(struct snrt_thread *t, uint64_t word)
{
	uint64_t at = t->head;

	if (at % 8 == 0 && at < t->limit)
		userrings_ring(t)[at % SNRT_RING_BYTES / 8] = word;
	t->head = at + 8;
}

static void take_block(struct userrings *rings, struct usercollector *c, const uint8_t *p)
{
	uint32_t slot = p[0] / 4 % N_SLOTS;
	struct snrt_thread *t = userrings_thread(rings, slot);
	uint64_t word;

	memcpy(&word, p + 4, 8);
	if (!rings->shared->state[slot]) {
		t->pid = getpid();
		t->tid = 1 + slot;
		t->plan = 1 + (p[0] >> 7);
		t->limit = SNRT_RING_BYTES - SNRT_RING_SPARE;
		rings->shared->state[slot] = SNRT_LIVE;
	}
	switch (p[0] % 4) {
	case 0:
		put(t, (userclock_counter() - p[1] * 100) << SNRT_TIME_SHIFT |
			       (word & ((1u << SNRT_TIME_SHIFT) - 1)));
		break;
	case 1:
		put(t, word);
		break;
	case 2:
		t->head = word;
		break;
	case 3:
		check(usercollector_round(c) >= 0);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	struct userrings rings;
	struct usercollector_config config = {.rings = &rings,
					      .n_cpus = N_CPUS,
					      .page_size = PAGE,
					      .take = take,
					      .find_meaning = find_meaning,
					      .fmt_values = fmt_values};
	struct errmsg err = {0};
	struct usercollector *c;

	memset(last_ns, 0, sizeof(last_ns));
	if (userrings_open(&rings, SNRT_DROP, 0, &err) < 0)
		return 0;
	userrings_enable(&rings, true);
	c = usercollector_new(&config);
	for (; c && n >= BLOCK_BYTES; n -= BLOCK_BYTES, input += BLOCK_BYTES)
		take_block(&rings, c, input);
	if (c)
		check(usercollector_finish(c) == 0);
	usercollector_free(c);
	userrings_close(&rings);
	return 0;
}
