// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * patterns.c - expands patterns of a program's functions or markers among the events of a plan.
 *
 *	-e './prog:w*(n)'     ─▶     -e './prog:walk(n)' -e './prog:work(n)'
 *	-e 'bash:read*'       ─▶     -e 'bash:readline' …      unless there are events with such
 *	                                                       names
 *	-e '%prov:mark($arg1)' ─▶    -e '%prov:mark@1($arg1)' …    if its places have different
 *	                                                           types
 *
 * It changes the plan itself, before anything else reads it: code that counts or measures the
 * plan's events later sees each function as a separate event. Each event gets the filters and
 * triggers of the pattern.
 */
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/setup/setup_int.h"

#include "probe/expand.h"

static int expand(struct setup *s, struct plan_buffer *b, size_t i, const struct definition *d,
		  size_t *ret_n, struct errmsg *err)
{
	struct probe_expansion x = {0};
	int r;

	*ret_n = 1;
	TRY(setup_open_prober(s, err));
	TRY(probe_expand(s->prober, d, &x, err));
	if (!x.n)
		return 0;
	*ret_n = x.n;
	r = plan_replace_event(b, i, x.texts, x.n);
	if (r < 0)
		errmsg_set_errno(err, r, "cannot store the events");
	else if (x.note)
		setup_note(s, "%s", x.note);
	probe_expansion_release(&x);
	return r;
}

/* Expands an event. If it cannot be parsed, the code that defines it reports the error. */
static int take_event(struct setup *s, struct plan_buffer *b, size_t i, size_t *ret_n,
		      struct errmsg *err)
{
	const struct plan_event *e = &b->events[i];
	struct errmsg ignored = {0};
	SCOPED(definition_free_scoped) struct definition *d = NULL;

	*ret_n = 1;
	if (e->off || !strpbrk(e->pattern, "*?[%"))
		return 0;
	/* bash:execute_* may be a system of events; if not, it may be a program */
	if (!definition_is_one(e->pattern) &&
	    (!strchr(e->pattern, ':') || setup_is_event(s, e->pattern)))
		return 0;
	if (definition_parse(&d, e->pattern, &ignored) < 0)
		return 0;
	return expand(s, b, i, d, ret_n, err);
}

int setup_patterns(struct setup *s, struct errmsg *err)
{
	for (size_t i = 0; i < s->plan->n_buffers; i++) {
		struct plan_buffer *b = &s->plan->buffers[i];
		size_t n;

		for (size_t k = 0; k < b->n_events; k += n)
			TRY(take_event(s, b, k, &n, err));
	}
	return 0;
}
