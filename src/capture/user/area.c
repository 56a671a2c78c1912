// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * area.c - finds free addresses near an image.
 *
 *	low … high          the image; every byte of the area must be within REACH of every byte of
 *	                    it:
 *	[high - REACH, low + REACH)   from here to here, without what is mapped, and a margin
 *
 * The gap nearest to the image is best. Behind the image, the area keeps a distance, because the
 * heap of a program begins there and grows. If nothing is free there, the area is before the image.
 * Low addresses below vm.mmap_min_addr and the page below a growing stack are not used. The process
 * may map something before the runtime uses the gap; then the runtime replaces nothing, and fails.
 */
#include "capture/user/area.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A jump's reach, less a margin: 2 GB, or 128 MB. */
#if defined(__aarch64__)
#define REACH 0x7ff0000ull
#else
#define REACH 0x7fff0000ull
#endif
#define LOWEST	   0x10000ull /* vm.mmap_min_addr is at most this */
#define HIGHEST	   0x7ffffffff000ull
#define PAGE	   4096ull
/* From the end of the image: a heap may grow that far before it meets the area. */
#define HEAP_BYTES (1ull << 30)
#define STACK_GAP  (1ull << 20) /* the kernel keeps this free below a stack */

struct search {
	uint64_t first, last; /* allowed addresses of the area */
	size_t n_bytes;
	uint64_t wish, best; /* the place nearest to `wish` */
	bool has_best;
};

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a < b ? b - a : a - b;
}

/* A gap from begin to end: the place in it that is nearest to the wish. */
static void try_gap(struct search *s, uint64_t begin, uint64_t end)
{
	uint64_t at;

	begin = (begin + PAGE - 1) & ~(PAGE - 1);
	end &= ~(PAGE - 1);
	if (begin < s->first)
		begin = s->first;
	if (end > s->last)
		end = s->last;
	if (begin >= end || end - begin < s->n_bytes)
		return;
	at = s->wish < begin ? begin : s->wish > end - s->n_bytes ? end - s->n_bytes : s->wish;
	if (s->has_best && distance(at, s->wish) >= distance(s->best, s->wish))
		return;
	s->best = at;
	s->has_best = true;
}

/* The gap without the taken ones in it. */
static void try_free(struct search *s, uint64_t begin, uint64_t end, const struct userarea *taken,
		     size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (taken[i].end <= begin || taken[i].begin >= end)
			continue;
		if (taken[i].begin > begin)
			try_free(s, begin, taken[i].begin, taken + i + 1, n - i - 1);
		begin = taken[i].end;
		if (begin >= end)
			return;
	}
	try_gap(s, begin, end);
}

/* "begin-end …" of a line of maps; false: it is another line. */
static bool parse_line(const char *line, size_t len, struct userarea *ret)
{
	char text[64], *dash, *end;

	if (len >= sizeof(text))
		len = sizeof(text) - 1;
	memcpy(text, line, len);
	text[len] = 0;
	ret->begin = strtoull(text, &dash, 16);
	if (dash == text || *dash != '-')
		return false;
	ret->end = strtoull(dash + 1, &end, 16);
	return end != dash + 1 && ret->begin < ret->end;
}

static bool has_word(const char *line, size_t len, const char *word)
{
	return memmem(line, len, word, strlen(word));
}

int userarea_find(const char *maps, size_t maps_bytes, uint64_t low, uint64_t high, size_t n_bytes,
		  const struct userarea *taken, size_t n_taken, uint64_t *ret_address)
{
	struct search s = {.n_bytes = n_bytes};
	uint64_t free_from = LOWEST;

	if (low >= high || high - low >= REACH || high > HIGHEST)
		return -ENOSPC;
	s.first = high > REACH + LOWEST ? (high - REACH + PAGE) & ~(PAGE - 1) : LOWEST;
	s.last = low + REACH < HIGHEST ? low + REACH : HIGHEST;
	s.wish = high + HEAP_BYTES < s.last ? (high + HEAP_BYTES) & ~(PAGE - 1) : s.last;
	for (const char *p = maps, *end = maps + maps_bytes; p < end;) {
		const char *newline = memchr(p, '\n', end - p);
		size_t len = (newline ? newline : end) - p;
		struct userarea m;

		if (parse_line(p, len, &m)) {
			if (has_word(p, len, "[stack]"))
				m.begin -= m.begin > STACK_GAP ? STACK_GAP : 0;
			if (m.begin > free_from)
				try_free(&s, free_from, m.begin, taken, n_taken);
			if (m.end > free_from)
				free_from = m.end;
		}
		p += len + 1;
	}
	try_free(&s, free_from, HIGHEST, taken, n_taken);
	if (!s.has_best)
		return -ENOSPC;
	*ret_address = s.best;
	return 0;
}
