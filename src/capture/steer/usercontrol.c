// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usercontrol.c - finds the functions that an order names, and carries it out.
 *
 * Patterns are rules of choice.h: NAME, a glob, /regex/, each with @FILE. Unlike with -u, a pattern
 * without a file means functions of all files: they were chosen once already. A pattern that
 * matches no function is an error, and then nothing is switched.
 */
#include "capture/steer/usercontrol.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/steer/userstats.h"
#include "capture/steer/userswitch.h"
#include "capture/calls/usertrace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct search {
	struct userchoice *choices; /* one for each pattern */
	size_t *n_found;	    /* … */
	size_t n;
	struct usertrace *u;
	struct textbuf *out;
	bool on;
	size_t n_done;
	size_t n_removed; /* the budget had switched them off */
	int error;
};

static void release_search(struct search *s)
{
	for (size_t i = 0; s->choices && i < s->n; i++)
		userchoice_release(&s->choices[i]);
	free(s->choices);
	free(s->n_found);
}

static int open_search(struct search *s, char *const *patterns, struct errmsg *err)
{
	s->choices = calloc(s->n + 1, sizeof(*s->choices));
	s->n_found = calloc(s->n + 1, sizeof(*s->n_found));
	if (!s->choices || !s->n_found)
		return errmsg_set_errno(err, -ENOMEM, "cannot look for functions");
	for (size_t i = 0; i < s->n; i++) {
		s->choices[i].is_program = true;
		TRY(userchoice_add(&s->choices[i], patterns[i], false, err));
	}
	return 0;
}

static bool is_found(struct search *s, const struct userplans_function *f)
{
	bool found = false;

	for (size_t i = 0; i < s->n; i++) {
		if (!userchoice_has(&s->choices[i], f->file, f->name, f->n_bytes))
			continue;
		s->n_found[i]++;
		found = true;
	}
	return found;
}

static void count_one(void *ctx, const struct userplans_function *f)
{
	is_found(ctx, f);
}

static int check_found(const struct search *s, char *const *patterns, struct errmsg *err)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->n_found[i])
			return errmsg_set(
				err, -ENOENT,
				"no recorded function matches '%s'; 'sonde ctl functions' "
				"lists those that were called",
				patterns[i]);
	return 0;
}

static void switch_one(void *ctx, const struct userplans_function *f)
{
	struct search *s = ctx;
	uint64_t n_calls = userstats_get(usertrace_stats(s->u), f->number).n_calls;

	if (s->error || !is_found(s, f))
		return;
	s->n_removed += s->on && userswitch_is_removed(usertrace_switches(s->u), f->number);
	s->error = userswitch_set(usertrace_switches(s->u), f->number, s->on, USERSWITCH_ASKED,
				  n_calls);
	s->n_done += !s->error;
}

int usercontrol_switch(struct usertrace *u, char *const *patterns, size_t n, bool on,
		       struct textbuf *out, struct errmsg *err)
{
	SCOPED(release_search) struct search s = {.n = n, .u = u, .on = on};

	if (!userswitch_is_possible())
		return errmsg_set(err, -EOPNOTSUPP, "functions can be switched only on x86-64");
	if (!n) {
		userswitch_set_all(usertrace_switches(u), on);
		textbuf_addf(out, "user functions are switched %s\n", on ? "on" : "off");
		return 0;
	}
	TRY(open_search(&s, patterns, err));
	userplans_visit(usertrace_plans(u), count_one, &s);
	TRY(check_found(&s, patterns, err));
	userplans_visit(usertrace_plans(u), switch_one, &s);
	if (s.error)
		return errmsg_set_errno(err, s.error, "cannot switch functions");
	textbuf_addf(out, "%zu function%s switched %s\n", s.n_done, s.n_done == 1 ? " is" : "s are",
		     on ? "on" : "off");
	if (s.n_removed)
		textbuf_addf(
			out,
			"%zu of them had been switched off by the budget: processes that called "
			"them since then have removed the hooks, and do not record them\n",
			s.n_removed);
	return 0;
}

static void list_one(void *ctx, const struct userplans_function *f)
{
	struct search *s = ctx;
	uint64_t n_calls = userstats_get(usertrace_stats(s->u), f->number).n_calls;
	bool on = userswitch_is_on(usertrace_switches(s->u), f->number);

	if (s->n ? !is_found(s, f) : !n_calls && on)
		return;
	textbuf_addf(s->out, "%s %12llu  %s@%s\n", on ? "on " : "off", (unsigned long long)n_calls,
		     f->name, f->file);
	s->n_done++;
}

int usercontrol_functions(struct usertrace *u, char *const *patterns, size_t n, struct textbuf *out,
			  struct errmsg *err)
{
	SCOPED(release_search) struct search s = {.n = n, .u = u, .out = out};

	TRY(open_search(&s, patterns, err));
	userplans_visit(usertrace_plans(u), list_one, &s);
	return check_found(&s, patterns, err);
}

/* The functions that are off and had most calls. */
#define TOP_MAX 4
struct top {
	struct usertrace *u;
	uint64_t n_calls[TOP_MAX];
	char names[TOP_MAX][80];
	size_t n;
};

static void rank_one(void *ctx, const struct userplans_function *f)
{
	uint64_t n_calls;
	struct top *t = ctx;
	size_t at = TOP_MAX;

	if (userswitch_is_on(usertrace_switches(t->u), f->number))
		return;
	t->n++;
	n_calls = userstats_get(usertrace_stats(t->u), f->number).n_calls;
	while (at && (at > t->n - 1 || n_calls > t->n_calls[at - 1])) {
		if (--at + 1 < TOP_MAX) {
			t->n_calls[at + 1] = t->n_calls[at];
			memcpy(t->names[at + 1], t->names[at], sizeof(t->names[at]));
		}
	}
	if (at == TOP_MAX)
		return;
	t->n_calls[at] = n_calls;
	snprintf(t->names[at], sizeof(t->names[at]), "%s", f->name);
}

void usercontrol_fmt_off(struct usertrace *u, char *text, size_t n_bytes)
{
	struct top t = {.u = u};
	size_t len = 0;

	*text = 0;
	userplans_visit(usertrace_plans(u), rank_one, &t);
	for (size_t i = 0; i < t.n && i < TOP_MAX && len < n_bytes; i++)
		len += snprintf(text + len, n_bytes - len, "%s%s (%llu calls before)",
				i ? ", " : "", t.names[i], (unsigned long long)t.n_calls[i]);
	if (t.n > TOP_MAX && len < n_bytes)
		snprintf(text + len, n_bytes - len, " and %zu more", t.n - TOP_MAX);
}

void usercontrol_status(struct usertrace *u, struct textbuf *out)
{
	struct userswitch *switches = usertrace_switches(u);
	struct userwatch_status w;

	usertrace_get_status(u, &w);
	textbuf_addf(out, "functions  %s, %u hooked, %zu switched off\n",
		     userswitch_all_is_on(switches) ? "on" : "off",
		     userplans_n_functions(usertrace_plans(u)), userswitch_n_off(switches));
	textbuf_addf(out, "calls      %llu, %.0f a second, %llu lost\n",
		     (unsigned long long)usertrace_n_calls(u), w.calls_per_second,
		     (unsigned long long)usertrace_n_lost(u));
	textbuf_addf(out,
		     "cost       %.1f %% of the programs' CPU time, %.1f %% now (%.0f ns a call)\n",
		     w.percent, w.percent_now, w.call_ns);
}
