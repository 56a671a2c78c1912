// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filters.c - filters of count, latency and functions: what a person wrote, for who checks it.
 *
 *	-F EVENT:EXPRESSION    here, of every event that it names
 *	-f EXPRESSION          by the kernel, of the event before it; of a file here. Where one event is named twice the kernel
 *	                       lets pass what either side wants
 *	… if CONDITION         of a call: here, see cmd_latency.c
 */
#include "base/errmsg.h"
#include "capture/plan.h"
#include "cli/ask/gather_int.h"

#include "decode/filter/filter.h"
#include "probe/definition/definition.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_filter(struct gather_filters *fs, struct formats *f, const char *text,
		      struct errmsg *err)
{
	struct filter **more = realloc(fs->list, (fs->n + 1) * sizeof(*more));
	int r;

	if (!more)
		return errmsg_set_errno(err, -ENOMEM, "cannot filter");
	fs->list = more;
	r = filter_new(&more[fs->n], f, text, err);
	fs->n += r >= 0;
	return r < 0 ? r : filter_check_fields(more[fs->n - 1], err);
}

static const char *without_system(const char *event)
{
	const char *colon = strpbrk(event, ":/");

	return colon ? colon + 1 : event;
}

char *gather_fmt_filter(const char *event, const char *filter)
{
	char *text;

	return asprintf(&text, "%s:%s", without_system(event), filter) < 0 ? NULL : text;
}

bool gather_is_same_event(const char *a, const char *b)
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

int gather_join_filters(struct gather_options *o, struct errmsg *err)
{
	struct plan_buffer *b = &o->record.plan.buffers[0];
	int r = 0;

	for (size_t i = 0; i < b->n_events; i++)
		for (size_t k = i + 1; k < b->n_events && r >= 0; k++)
			if (gather_is_same_event(b->events[i].pattern, b->events[k].pattern))
				r = join_two(&b->events[i], &b->events[k], err);
	return r;
}

static int add_condition(struct gather_filters *fs, const struct gather_options *o,
			 struct formats *f, struct errmsg *err)
{
	char *text = gather_fmt_filter(o->names.words[0], o->condition);
	int r = text ? add_filter(fs, f, text, err)
		     : errmsg_set_errno(err, -ENOMEM, "cannot filter");

	free(text);
	return r;
}

/* The filter of an event of the plan; 0, or what add_filter() says. */
static int add_planned(struct gather_filters *fs, const struct plan_event *e, struct formats *f,
		       struct errmsg *err)
{
	char *text = gather_fmt_filter(e->pattern, e->filter);
	int r = text ? add_filter(fs, f, text, err)
		     : errmsg_set_errno(err, -ENOMEM, "cannot filter");

	free(text);
	return r;
}

/* One -f of several events, -e a,b, is of those that have its fields, as the kernel takes it. */
static bool has_fields_elsewhere(const struct plan_buffer *b, size_t index, struct formats *f)
{
	for (size_t i = 0; i < b->n_events; i++) {
		struct gather_filters one = {0};
		struct errmsg ignored = {0};
		bool fits = i != index && b->events[i].filter &&
			    !strcmp(b->events[i].filter, b->events[index].filter) &&
			    add_planned(&one, &b->events[i], f, &ignored) >= 0;

		gather_release_filters(&one);
		if (fits)
			return true;
	}
	return false;
}

static void drop_last(struct gather_filters *fs)
{
	filter_free(fs->list[--fs->n]);
}

int gather_make_filters(struct gather_filters *fs, const struct gather_options *o,
			struct formats *f, bool with_plan, struct errmsg *err)
{
	const struct plan_buffer *b = &o->record.plan.buffers[0];
	int r = 0;

	for (size_t i = 0; i < o->filters.n && r >= 0; i++)
		r = add_filter(fs, f, o->filters.words[i], err);
	if (r >= 0 && o->condition && o->names.n)
		r = add_condition(fs, o, f, err);
	for (size_t i = 0; with_plan && i < b->n_events && r >= 0; i++) {
		size_t n = fs->n;

		if (!b->events[i].filter)
			continue;
		r = add_planned(fs, &b->events[i], f, err);
		if (r != -ENOENT || fs->n == n || !has_fields_elsewhere(b, i, f))
			continue;
		fprintf(stderr, "sonde: %s; it is not filtered\n", err->text);
		drop_last(fs);
		*err = (struct errmsg){0};
		r = 0;
	}
	return r;
}

void gather_release_filters(struct gather_filters *fs)
{
	for (size_t i = 0; i < fs->n; i++)
		filter_free(fs->list[i]);
	free(fs->list);
}
