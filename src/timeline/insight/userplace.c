// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * userplace.c - looks a time up in the lane of a task's calls.
 *
 *	calls:0:4321   main    ├──────────────────────────────┤
 *	               nap        ├───────────────────────┤        ◀ the answer for t
 *	               vfs_read      ├─────────────────┤           of the kernel
 *	                                   t
 *
 * The lane has calls of programs and of the kernel. A call belongs to a program if the event that
 * begins it, or ends it, is of the system "user". A call that lost its end covers t as far as the
 * lane knows.
 */
#include "timeline/insight/userplace.h"

#include "base/errmsg.h"
#include "decode/formats/event.h"
#include "timeline/lanes/lane_int.h"

#include <stdio.h>
#include <string.h>

#define USER_SYSTEM "user"

static bool is_user_kind(const struct timeline *tl, uint16_t kind)
{
	const struct event *e = timeline_kind(tl, kind)->event;

	return e && !strcmp(e->system, USER_SYSTEM);
}

void user_places_init(struct user_places *p, struct lanes *ls)
{
	*p = (struct user_places){.ls = ls};
	for (size_t i = 0; i < timeline_n_kinds(ls->tl) && !p->has_any; i++)
		p->has_any = is_user_kind(ls->tl, (uint16_t)i);
}

static bool is_of_program(struct lanes *ls, const struct lane_span *s)
{
	event_ref ref = s->first != UINT64_MAX ? s->first : s->last;
	struct walk_one one;
	bool is;

	if (ref == UINT64_MAX || timeline_get(ls->tl, ref, &one) < 0)
		return false;
	is = is_user_kind(ls->tl, one.ev.kind);
	walk_release(&one);
	return is;
}

const char *user_places_find(struct user_places *p, uint16_t task, uint64_t ts)
{
	const struct timeline_task *t = timeline_task(p->ls->tl, task);
	struct errmsg ignored = {0};
	const char *found = NULL;
	uint64_t from, to;
	struct lane *ln;
	char spec[64];

	snprintf(spec, sizeof(spec), "calls:%u:%d", t->machine, t->pid);
	if (!p->has_any || lane_get_at(p->ls, spec, ts, &ln, &from, &to, &ignored) < 0)
		return NULL;
	for (unsigned row = lane_n_rows(ln); row-- && !found;) {
		struct lane_span s;

		if (lane_span_at(ln, ts, row, LANE_AT, &s) >= 0 && s.start <= ts && s.end >= ts &&
		    is_of_program(p->ls, &s))
			found = labels_find(&p->ls->labels, s.value);
	}
	lane_put(ln);
	return found;
}
