// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * darktimes.c - collects times in which data of at least one CPU of a machine is missing.
 *
 *	CPU 0     ────────· · · ·──────────────────        · no data: lost events, truncated file
 *	CPU 1     ─────────────· · · ·───────┤· · ·
 *	dark              [==========]       [====
 *
 * A CPU is also dark where the recorder excludes switches between its own threads. Only these
 * threads can have run then, so the CPU is dark only for such tasks.
 *
 * A task that waits for a CPU in a dark time may run on the CPU without data, so its wait is only a
 * guess (states.c). The list of dark times is sorted, for a binary search. When it exceeds
 * TIMES_MAX, neighbours are joined in pairs, including the time between them: then too much time
 * counts as dark, never too little.
 */
#include "timeline/index/darktimes.h"

#include "base/array.h"
#include <errno.h>
#include <stdlib.h>

#define TIMES_MAX ((size_t)1 << 18) /* 4 MB */

int dark_times_init(struct dark_times *d, size_t n_streams)
{
	*d = (struct dark_times){.n_streams = n_streams};
	d->is_dark = calloc(n_streams + 1, 1);
	return d->is_dark ? 0 : -ENOMEM;
}

void dark_times_release(struct dark_times *d)
{
	free(d->is_dark);
	free(d->times);
	*d = (struct dark_times){0};
}

static void join_neighbours(struct dark_times *d)
{
	for (size_t i = 0; i + 1 < d->n; i += 2)
		d->times[i / 2] = (struct dark_time){d->times[i].start, d->times[i + 1].end,
						     DARK_OF_ALL, true};
	d->n /= 2;
}

static void begin(struct dark_times *d, uint64_t ts)
{
	if (d->n && d->times[d->n - 1].end == ts) {
		d->times[d->n - 1].end = DARK_NEVER;
		d->times[d->n - 1].of = DARK_OF_ALL;
		d->times[d->n - 1].is_joint = true;
		return;
	}
	if (d->n == TIMES_MAX)
		join_neighbours(d);
	if (!ARRAY_ROOM(d->times, d->cap, d->n + 1, ARRAY_NO_MAX)) {
		d->failed = true;
		return;
	}
	d->times[d->n++] = (struct dark_time){ts, DARK_NEVER, DARK_OF_ALL, false};
}

void dark_times_add(struct dark_times *d, size_t stream, bool is_dark, uint64_t ts)
{
	if (stream >= d->n_streams || d->is_dark[stream] == is_dark)
		return;
	d->is_dark[stream] = is_dark;
	if (is_dark && !d->n_dark++)
		begin(d, ts);
	else if (is_dark && d->n)
		d->times[d->n - 1].is_joint = true;
	if (!is_dark && !--d->n_dark && d->n)
		d->times[d->n - 1].end = ts;
}

void dark_times_limit(struct dark_times *d, uint64_t max_ns, uint16_t of)
{
	struct dark_time *last = d->n ? &d->times[d->n - 1] : NULL;

	if (last && !last->is_joint && last->end != DARK_NEVER && last->end - last->start <= max_ns)
		last->of = of;
}

uint64_t dark_times_find_for(const struct dark_times *d, uint64_t t,
			     bool (*is_like)(void *ctx, uint16_t of), void *ctx)
{
	size_t at = ARRAY_BISECT(d->n, i, d->times[i].end <= t);

	while (at < d->n && d->times[at].of != DARK_OF_ALL && !is_like(ctx, d->times[at].of))
		at++;
	if (at == d->n)
		return DARK_NEVER;
	return d->times[at].start > t ? d->times[at].start : t;
}
