// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * shortage.c - the counters of shortage.h.
 *
 * Failures are counted, not flagged, so that a server knows whether the current request was
 * affected: it compares the count before and after the request, answers accordingly, and marks
 * these failures as handled. Two concurrent requests may both see one failure; then both are
 * refused, which is safe.
 *
 * Relaxed memory order is enough: main() reads the counters after joining its threads, and a
 * server reads them in the thread that failed.
 */
#include "base/shortage.h"
#include "base/errmsg.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_uint n_failures, n_settled;
static atomic_int last_code;
static _Thread_local unsigned n_failures_here;

void shortage_note(int code)
{
	if (code != ENOMEM && code != EMFILE && code != ENFILE && code != EIO)
		return;
	atomic_store_explicit(&last_code, code, memory_order_relaxed);
	atomic_fetch_add_explicit(&n_failures, 1, memory_order_relaxed);
	n_failures_here++;
}

unsigned shortage_count_here(void)
{
	return n_failures_here;
}

unsigned shortage_count(void)
{
	return atomic_load_explicit(&n_failures, memory_order_relaxed);
}

void shortage_settle(unsigned count)
{
	unsigned old = atomic_load_explicit(&n_settled, memory_order_relaxed);

	while (old < count &&
	       !atomic_compare_exchange_weak_explicit(&n_settled, &old, count, memory_order_relaxed,
						      memory_order_relaxed))
		;
}

int shortage_pending(void)
{
	unsigned settled = atomic_load_explicit(&n_settled, memory_order_relaxed);

	return shortage_count() > settled ? atomic_load_explicit(&last_code, memory_order_relaxed)
					  : 0;
}

int shortage_check(struct errmsg *err, const char *fmt, ...)
{
	int code = shortage_pending();
	char text[sizeof(err->text)];
	va_list ap;

	if (!code)
		return 0;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return errmsg_set_errno(err, -code, "%.900s", text);
}

bool shortage_has_room(size_t n_bytes)
{
	void *volatile p = malloc(n_bytes); /* volatile, or the compiler removes both calls */

	free(p);
	return p;
}
