// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * window.c - lanes with more events than can be held at once, one part at a time.
 *
 *	trace     |------------------------------------------------------------|
 *	windows   |              |              |              |              |    2^bits ns each
 *	t                              ^
 *	gathered              [- margin -|==== window ====|- margin -]
 *
 * A lane gathers all its events, up to a ceiling. If it has more, only the window around a time is
 * built: the largest one, by powers of two, whose events stay below the ceiling. A window is a
 * normal lane with its own spec (SPEC@BITS:NUMBER), so it is cached and freed like others. A size
 * that is too large is tried only once; its slot stores the failure.
 *
 * A margin of a quarter of the window is gathered on both sides, so that spans across its edge have
 * their true ends. A span that extends further is cut there and marked (open start, open end). A
 * pass over all windows returns such a span once, in the window where it begins. It does not return
 * a span whose begin was not recorded, if it ends some windows later.
 */
#include "base/errmsg.h"
#include "timeline/lanes/lane_int.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define WINDOW_BITS_MIN 14 /* 16 µs: no trace has more events in it than can be gathered */
#define SPEC_BYTES	512

void lanes_set_events_max(struct lanes *ls, size_t n)
{
	ls->events_max = n;
}

void lane_window_range(const struct lane_spec *spec, uint64_t *ret_from, uint64_t *ret_to)
{
	uint64_t size = UINT64_C(1) << spec->window_bits, start = spec->window * size;
	uint64_t margin = size / 4;

	*ret_from = 0;
	*ret_to = TIMELINE_TIME_MAX;
	if (!spec->window_bits)
		return;
	*ret_from = start > margin ? start - margin : 0;
	*ret_to = start + size + margin;
}

int lane_get_at(struct lanes *ls, const char *spec, uint64_t t, struct lane **ret,
		uint64_t *ret_from, uint64_t *ret_to, struct errmsg *err)
{
	uint64_t duration = timeline_duration(ls->tl);
	int r = lane_get(ls, spec, ret, err), bits = WINDOW_BITS_MIN;
	char window[SPEC_BYTES];

	*ret_from = 0;
	*ret_to = TIMELINE_TIME_MAX;
	if (r != -E2BIG || strlen(spec) > sizeof(window) - 40 || strchr(spec, '@'))
		return r;
	while (duration >> bits > 1)
		bits++;
	for (; r == -E2BIG && bits >= WINDOW_BITS_MIN; bits--) {
		*ret_from = t >> bits << bits;
		*ret_to = *ret_from + (UINT64_C(1) << bits) - 1;
		snprintf(window, sizeof(window), "%s@%d:%llu", spec, bits,
			 (unsigned long long)(t >> bits));
		*err = (struct errmsg){0};
		r = lane_get(ls, window, ret, err);
	}
	return r;
}

/* --- through several ------------------------------------------------------------------------------------------ */

static int step_once(struct lane *ln, uint64_t t, unsigned row, enum lane_step step, uint64_t from,
		     uint64_t to, struct lane_span *ret)
{
	int r = lane_span_at(ln, t, row, step, ret);

	/* beyond its edges a window is incomplete */
	if (!r && (step == LANE_NEXT ? ret->start > to : ret->end < from))
		r = -ENOENT;
	return r;
}

int lanes_span_at(struct lanes *ls, const char *spec, uint64_t t, unsigned row, enum lane_step step,
		  struct lane **ret_lane, struct lane_span *ret, struct errmsg *err)
{
	uint64_t end = timeline_duration(ls->tl), from, to, at = t;

	for (;;) {
		int r = lane_get_at(ls, spec, at, ret_lane, &from, &to, err);

		if (r < 0)
			return r;
		r = step_once(*ret_lane, t, row, step, from, to, ret);
		if (r != -ENOENT || step == LANE_AT || step == LANE_NEAREST)
			return r;
		if (step == LANE_NEXT ? to >= end : !from)
			return r;
		lane_put(*ret_lane);
		*ret_lane = NULL;
		at = step == LANE_NEXT ? to + 1 : from - 1;
	}
}

struct passing_on {
	bool (*each)(void *ctx, const struct lane_span *span);
	void *ctx;
	uint64_t from, to; /* of the window */
	bool is_first, stopped;
};

/* A span belongs to the window where it begins; earlier ones belong to the first window. */
static bool pass_on(void *ctx, const struct lane_span *s)
{
	struct passing_on *p = ctx;

	if ((s->start < p->from && !p->is_first) || s->start > p->to)
		return true;
	p->stopped = !p->each(p->ctx, s);
	return !p->stopped;
}

int lanes_each(struct lanes *ls, const char *spec, uint64_t from, uint64_t to,
	       bool (*each)(void *ctx, const struct lane_span *span), void *ctx,
	       uint64_t *ret_part_ns, struct errmsg *err)
{
	struct passing_on p = {.each = each, .ctx = ctx, .is_first = true};
	uint64_t end = timeline_duration(ls->tl);
	int r = 0;

	to = to < end ? to : end;
	for (uint64_t at = from; !r && !p.stopped && at <= to; at = p.to + 1, p.is_first = false) {
		struct lane *ln;

		r = lane_get_at(ls, spec, at, &ln, &p.from, &p.to, err);
		if (r < 0)
			return r;
		if (ret_part_ns && p.to < TIMELINE_TIME_MAX &&
		    (!*ret_part_ns || p.to - p.from + 1 < *ret_part_ns))
			*ret_part_ns = p.to - p.from + 1;
		r = lane_each(ln, at, to < p.to ? to : p.to, pass_on, &p);
		lane_put(ln);
		if (p.to >= to)
			break;
	}
	return r;
}
