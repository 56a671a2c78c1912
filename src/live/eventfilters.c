// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * eventfilters.c - compiles the filters that the program checks.
 *
 *	"sched_switch:prev_prio < 100"  ──▶  filter_new ──▶ filter_check_fields
 *
 * One -f may apply to several events (-e a,b). The kernel applies it to the events that have its
 * fields, and sonde does the same: a filter is an error only if no event with this filter has its
 * fields.
 */
#include "live/eventfilters.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "decode/filter/filter.h"
#include "probe/definition/definition.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_text(struct eventfilters *fs, struct formats *f, const char *text,
		    struct errmsg *err)
{
	if (!fs->list)
		return errmsg_set_errno(err, -ENOMEM, "cannot filter");
	TRY(filter_new(&fs->list[fs->n], f, text, err));
	return filter_check_fields(fs->list[fs->n++], err);
}

static int add(struct eventfilters *fs, struct formats *f, const char *event, const char *filter,
	       struct errmsg *err)
{
	SCOPED(scope_free) char *text = eventfilters_fmt(event, filter);

	return text ? add_text(fs, f, text, err) : errmsg_set_errno(err, -ENOMEM, "cannot filter");
}

static const char *without_system(const char *event)
{
	const char *colon = strpbrk(event, ":/");

	return colon ? colon + 1 : event;
}

char *eventfilters_fmt(const char *event, const char *filter)
{
	char *text;

	return asprintf(&text, "%s:%s", without_system(event), filter) < 0 ? NULL : text;
}

bool eventfilters_is_same_event(const char *a, const char *b)
{
	size_t a_len = without_system(a) - a, b_len = without_system(b) - b;

	if (definition_is_one(a) || definition_is_one(b) || strcmp(a + a_len, b + b_len))
		return false;
	return !a_len || !b_len || (a_len == b_len && !strncmp(a, b, a_len - 1));
}

static int join_two(struct plan_event *a, struct plan_event *b, struct errmsg *err)
{
	char *both = NULL, *copy = NULL;

	if (a->filter && b->filter) {
		if (!strcmp(a->filter, b->filter))
			return 0;
		if (asprintf(&both, "(%s)||(%s)", a->filter, b->filter) < 0)
			both = NULL;
		copy = both ? strdup(both) : NULL;
		if (!copy) {
			free(both);
			return errmsg_set_errno(err, -ENOMEM, "cannot keep the filter");
		}
	}
	free(a->filter);
	free(b->filter);
	a->filter = both;
	b->filter = copy;
	return 0;
}

int eventfilters_join(struct plan_buffer *b, struct errmsg *err)
{
	for (size_t i = 0; i < b->n_events; i++)
		for (size_t k = i + 1; k < b->n_events; k++)
			if (eventfilters_is_same_event(b->events[i].pattern,
						       b->events[k].pattern) &&
			    join_two(&b->events[i], &b->events[k], err) < 0)
				return errmsg_code(err);
	return 0;
}

/* Returns true if another event of the plan has the same filter, and the fields that it names. */
static bool has_fields_elsewhere(const struct plan_buffer *b, size_t index, struct formats *f)
{
	for (size_t i = 0; i < b->n_events; i++) {
		const struct plan_event *e = &b->events[i];
		SCOPED(filter_free_scoped) struct filter *one = NULL;
		struct eventfilters fs = {.list = &one};
		struct errmsg ignored = {0};

		if (i != index && e->filter && !strcmp(e->filter, b->events[index].filter) &&
		    add(&fs, f, e->pattern, e->filter, &ignored) >= 0)
			return true;
	}
	return false;
}

static int add_planned(struct eventfilters *fs, const struct eventfilters_spec *spec, size_t index,
		       struct formats *f, struct errmsg *err)
{
	const struct plan_event *e = &spec->plan->events[index];
	char note[sizeof(err->text) + 32];
	size_t n = fs->n;
	int r = add(fs, f, e->pattern, e->filter, err);

	if (r != -ENOENT || fs->n == n || !has_fields_elsewhere(spec->plan, index, f))
		return r;
	snprintf(note, sizeof(note), "%s; it is not filtered", err->text);
	spec->tell(note);
	filter_free(fs->list[--fs->n]);
	*err = (struct errmsg){0};
	return 0;
}

int eventfilters_init(struct eventfilters *fs, const struct eventfilters_spec *spec,
		      struct formats *f, struct errmsg *err)
{
	size_t n_planned = spec->plan ? spec->plan->n_events : 0;
	int r = 0;

	fs->list = calloc(spec->words->n + n_planned + 1, sizeof(*fs->list));
	for (size_t i = 0; i < spec->words->n && r >= 0; i++)
		r = add_text(fs, f, spec->words->words[i], err);
	if (r >= 0 && spec->condition && spec->event)
		r = add(fs, f, spec->event, spec->condition, err);
	for (size_t i = 0; i < n_planned && r >= 0; i++)
		if (spec->plan->events[i].filter)
			r = add_planned(fs, spec, i, f, err);
	return r;
}

void eventfilters_release(struct eventfilters *fs)
{
	for (size_t i = 0; i < fs->n; i++)
		filter_free(fs->list[i]);
	free(fs->list);
}
