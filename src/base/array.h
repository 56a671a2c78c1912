/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * array.h - arrays that grow.
 *
 *	struct list { struct item *items; size_t n, cap; };
 *
 *	if (!ARRAY_ROOM(l->items, l->cap, l->n + 1, ITEMS_MAX))
 *		return -ENOMEM;
 *	l->items[l->n++] = item;
 *
 * The array doubles, and its new part is zeroed. An array that grows with data from a file or a
 * network has a limit; ARRAY_NO_MAX is for those whose count is limited elsewhere. The caller frees
 * the array with free().
 */
#ifndef SONDE_BASE_ARRAY_H
#define SONDE_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define ARRAY_NO_MAX SIZE_MAX

/*
 * Makes room for `need` items. Returns false, with nothing changed, if that is more than `max` or
 * if memory is short. cap may be any integer type that can hold max.
 */
#define ARRAY_ROOM(list, cap, need, max)                                                    \
	({                                                                                  \
		size_t cap_ = (cap), need_ = (need);                                        \
		bool has_room_ = need_ <= cap_ ||                                           \
				 array_grow(&(list), &cap_, need_, sizeof(*(list)), (max)); \
		(cap) = cap_;                                                               \
		has_room_;                                                                  \
	})

/*
 * Makes room for one more item in a short array that has no capacity of its own. Such an array
 * starts as NULL and grows only here: it has room up to the next power of two. Returns false, with
 * nothing changed, if the array has max items or if memory is short.
 */
#define ARRAY_ONE_MORE(list, n, max) \
	((size_t)(n) < (size_t)(max) && array_one_more(&(list), (n), sizeof(*(list))))

/* The function behind ARRAY_ONE_MORE. list: the address of the pointer. */
bool array_one_more(void *list, size_t n, size_t each);

/*
 * Searches among n sorted items. `before` is an expression in `i`, an index, that is true for the
 * first items and false for the others. Returns how many it is true for.
 *
 *	size_t at = ARRAY_BISECT(l->n, i, l->list[i].end <= t);
 */
#define ARRAY_BISECT(n, i, before)                            \
	({                                                    \
		size_t low_ = 0, high_ = (n);                 \
                                                              \
		while (low_ < high_) {                        \
			size_t i = low_ + (high_ - low_) / 2; \
                                                              \
			if (before)                           \
				low_ = i + 1;                 \
			else                                  \
				high_ = i;                    \
		}                                             \
		low_;                                         \
	})

/* Is `is` true for one of n items? It is an expression in `i`, an index; see ARRAY_BISECT. */
#define ARRAY_ANY(n, i, is)                                      \
	({                                                       \
		__auto_type end_ = (n);                          \
		bool any_ = false;                               \
                                                                 \
		for (typeof(end_) i = 0; i < end_ && !any_; i++) \
			any_ = (is);                             \
		any_;                                            \
	})

/* Returns the first of n items of a list for which `is` is true, or NULL. */
#define ARRAY_FIND(list, n, i, is)                                 \
	({                                                         \
		__auto_type end_ = (n);                            \
		typeof(*(list)) *found_ = NULL;                    \
                                                                   \
		for (typeof(end_) i = 0; i < end_ && !found_; i++) \
			if (is)                                    \
				found_ = &(list)[i];               \
		found_;                                            \
	})

/* Compares two numbers: -1, 0 or 1. Several keys: COMPARE(x->a, y->a) ?: COMPARE(x->b, y->b). */
#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

/*
 * Makes a function for qsort(). `order` is an expression in x and y, pointers to items:
 *	ARRAY_ORDER(by_time, struct event, COMPARE(x->ts, y->ts))
 */
#define ARRAY_ORDER(name, type, order)                  \
	static int name(const void *a_, const void *b_) \
	{                                               \
		const type *x = a_, *y = b_;            \
                                                        \
		return order;                           \
	}

/* The slow part of ARRAY_ROOM. list: the address of the pointer. */
bool array_grow(void *list, size_t *cap, size_t need, size_t each, size_t max);

#endif
