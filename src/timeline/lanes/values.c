// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * values.c - arguments and return values of the calls in a lane.
 *
 * A span does not contain them: they are read from the events that begin and end it.
 *
 *	user_entry_args "3, 4"   …   user_exit_value "7"      two events
 *	user_call_value "3, 4", "7"                           one event, for a call without others
 *	                                                      inside
 */
#include "base/textbuf.h"
#include "decode/callevent.h"
#include "timeline/lanes/lane_int.h"

#define NO_REF UINT64_MAX

bool lanes_have_values(const struct lanes *ls)
{
	for (size_t i = 0, n = timeline_n_kinds(ls->tl); i < n; i++) {
		const struct timeline_kind *k = timeline_kind(ls->tl, i);

		if (k->event && __atomic_load_n(&k->n_events, __ATOMIC_RELAXED) &&
		    call_event_has_values(k->event))
			return true;
	}
	return false;
}

bool lane_is_call_at(const struct timeline *tl, const struct walk_event *ev, unsigned row)
{
	const struct timeline_kind *tk = timeline_kind(tl, ev->kind);
	struct call_kind k;
	struct call_event call;

	if (!tk->event ||
	    !call_kind_init(&k, tk->event, timeline_source(tl, tk->source)->formats->swap) ||
	    !call_kind_read(&k, ev->data, ev->size, &call))
		return true;
	return k.is_user ? call.depth == row : call.depth <= row;
}

static void read_event(struct timeline *tl, event_ref ref, struct textbuf *args,
		       struct textbuf *ret)
{
	const struct timeline_kind *tk;
	struct call_values values;
	struct walk_one one;
	struct call_kind k;

	if (ref == NO_REF || timeline_get(tl, ref, &one) < 0)
		return;
	tk = timeline_kind(tl, one.ev.kind);
	if (tk->event &&
	    call_kind_init(&k, tk->event, timeline_source(tl, tk->source)->formats->swap) &&
	    call_values_read(&k, one.ev.data, one.ev.size, &values)) {
		if (values.has_args)
			textbuf_add(args, (const char *)values.args.data, values.args.len);
		if (values.has_ret)
			textbuf_add(ret, (const char *)values.ret.data, values.ret.len);
	}
	walk_release(&one);
}

bool lane_read_values(const struct lane *ln, const struct lane_span *s, struct textbuf *args,
		      struct textbuf *ret)
{
	struct lane_span full = *s;

	textbuf_clear(args);
	textbuf_clear(ret);
	if ((ln->spec.type != LANE_OF_CALLS && ln->spec.type != LANE_OF_CPUCALLS) ||
	    !lanes_have_values(ln->owner))
		return false;
	if (full.first == NO_REF && full.last == NO_REF)
		lane_fill_refs(ln, &full);
	read_event(ln->owner->tl, full.first, args, ret);
	if (full.last != full.first)
		read_event(ln->owner->tl, full.last, args, ret);
	return textbuf_len(args) || textbuf_len(ret);
}
