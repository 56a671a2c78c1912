/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * userstats.h - how often each function was called, counted while the calls are recorded.
 *
 *	collector's thread    userstats_add      at every call: two additions
 *	any other thread      userstats_get      what has been counted so far
 *
 * The counters are in pieces. A piece is allocated when one of its functions is first called, and
 * does not move until the end. So no lock is needed. If memory is short, functions are not counted.
 */
#ifndef SONDE_CAPTURE_STEER_USERSTATS_H
#define SONDE_CAPTURE_STEER_USERSTATS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define USERSTATS_PIECE	 1024u
#define USERSTATS_PIECES ((1u << 28) / USERSTATS_PIECE)

struct userstats_count {
	uint64_t n_calls;
	uint64_t n_leaves, leaf_ns; /* calls without traced calls inside, and how long they took */
};

struct userstats {
	struct userstats_count **pieces; /* [USERSTATS_PIECES], by the function's number */
};

/* NULL stays NULL: nothing is counted then. */
static inline void userstats_init(struct userstats *s)
{
	s->pieces = calloc(USERSTATS_PIECES, sizeof(struct userstats_count *));
}

static inline void userstats_release(struct userstats *s)
{
	for (uint32_t i = 0; s->pieces && i < USERSTATS_PIECES; i++)
		free(s->pieces[i]);
	free(s->pieces);
	s->pieces = NULL;
}

static inline struct userstats_count *userstats_make(struct userstats *s, uint32_t piece)
{
	struct userstats_count *new = calloc(USERSTATS_PIECE, sizeof(*new));

	__atomic_store_n(&s->pieces[piece], new, __ATOMIC_RELEASE);
	return new;
}

static inline void userstats_raise(uint64_t *count, uint64_t n)
{
	__atomic_store_n(count, *count + n, __ATOMIC_RELAXED);
}

/* number: in the recording. ns: of a call that is a leaf. */
static inline void userstats_add(struct userstats *s, uint32_t number, bool is_leaf, uint32_t ns)
{
	struct userstats_count *c;
	uint32_t piece = number / USERSTATS_PIECE;

	if (!s->pieces || piece >= USERSTATS_PIECES)
		return;
	c = s->pieces[piece];
	if (!c && !(c = userstats_make(s, piece)))
		return;
	c += number % USERSTATS_PIECE;
	userstats_raise(&c->n_calls, 1);
	if (is_leaf) {
		userstats_raise(&c->n_leaves, 1);
		userstats_raise(&c->leaf_ns, ns);
	}
}

static inline struct userstats_count userstats_get(const struct userstats *s, uint32_t number)
{
	uint32_t piece = number / USERSTATS_PIECE;
	const struct userstats_count *c =
		s->pieces && piece < USERSTATS_PIECES
			? __atomic_load_n(&s->pieces[piece], __ATOMIC_ACQUIRE)
			: NULL;

	if (!c)
		return (struct userstats_count){0};
	c += number % USERSTATS_PIECE;
	return (struct userstats_count){__atomic_load_n(&c->n_calls, __ATOMIC_RELAXED),
					__atomic_load_n(&c->n_leaves, __ATOMIC_RELAXED),
					__atomic_load_n(&c->leaf_ns, __ATOMIC_RELAXED)};
}

/* The number of functions that were called. */
static inline uint64_t userstats_n_called(const struct userstats *s)
{
	uint64_t n = 0;

	for (uint32_t piece = 0; s->pieces && piece < USERSTATS_PIECES; piece++) {
		const struct userstats_count *c =
			__atomic_load_n(&s->pieces[piece], __ATOMIC_ACQUIRE);

		for (uint32_t i = 0; c && i < USERSTATS_PIECE; i++)
			n += __atomic_load_n(&c[i].n_calls, __ATOMIC_RELAXED) > 0;
	}
	return n;
}

#endif
