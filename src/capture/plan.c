// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plan.c - makes the lists of words, events and buffers of a plan.
 *
 * The plan owns every string in it; callers' strings are copied. The lists contain words that a
 * user typed, so they are short and grow by one. A plan is not checked against the kernel here, so
 * it can be made, printed and tested on a machine without any tracer. setup.c finds out which parts
 * the kernel supports.
 */
#include "capture/plan.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/plain.h"
#include "base/scope.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Returns the end of the arguments of a template, as in "fix<3, true>". Returns `at` if the < there
 * does not open such arguments, as in "a<3" and "operator<".
 */
static const char *skip_template(const char *start, const char *at)
{
	const char *end = at;
	int depth = 0;

	if (at == start || !(isalnum((unsigned char)at[-1]) || at[-1] == '_') ||
	    (at - start >= 8 && !strncmp(at - 8, "operator", 8)))
		return at;
	do {
		if (!strncmp(end, " if ", 4))
			return at;
		depth += (*end == '<') - (*end == '>' && end[-1] != '-');
	} while (depth && *++end);
	return depth ? at : end;
}

const char *plan_end_of_event(const char *words)
{
	const char *p = words;
	bool is_condition = false; /* in a condition < and > are comparisons */
	int depth = 0;

	for (; *p && (*p != ',' || depth > 0); p++) {
		depth += (*p == '(') - (*p == ')');
		is_condition |= !strncmp(p, " if ", 4);
		if (*p == '<' && !is_condition)
			p = skip_template(words, p);
	}
	return p;
}

int plan_words_add(struct plan_words *list, const char *word)
{
	if (!ARRAY_ROOM(list->words, list->cap, list->n + 1, ARRAY_NO_MAX))
		return -ENOMEM;
	list->words[list->n] = strdup(word);
	if (!list->words[list->n])
		return -ENOMEM;
	list->n++;
	return 0;
}

int plan_words_split(struct plan_words *list, const char *words)
{
	int r = 0;

	while (!r && *words) {
		size_t len = strcspn(words, ",");
		char *word = strndup(words, len);

		r = word ? (len ? plan_words_add(list, word) : 0) : -ENOMEM;
		free(word);
		words += len + !!words[len];
	}
	return r;
}

void plan_words_release(struct plan_words *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->words[i]);
	free(list->words);
	*list = (struct plan_words){0};
}

int plan_init(struct plan *p)
{
	*p = (struct plan){.threshold_us = -1, .max_latency_us = -1};
	return plan_add_buffer(p, "") ? 0 : -ENOMEM;
}

static void release_event(struct plan_event *e)
{
	free(e->pattern);
	free(e->filter);
	plan_words_release(&e->triggers);
}

static void buffer_release(struct plan_buffer *b)
{
	for (size_t i = 0; i < b->n_events; i++)
		release_event(&b->events[i]);
	free(b->events);
	free(b->name);
	free(b->tracer);
	free(b->clock);
	free(b->cpumask);
	plan_words_release(&b->functions);
	plan_words_release(&b->no_functions);
	plan_words_release(&b->graph_functions);
	plan_words_release(&b->no_graph_functions);
	plan_words_release(&b->modules);
	plan_words_release(&b->options);
	plan_words_release(&b->pids);
}

void plan_release(struct plan *p)
{
	for (size_t i = 0; i < p->n_buffers; i++)
		buffer_release(&p->buffers[i]);
	free(p->buffers);
	plan_words_release(&p->probes);
	*p = (struct plan){0};
}

struct plan_buffer *plan_add_buffer(struct plan *p, const char *name)
{
	struct plan_buffer *b;

	if (!ARRAY_ROOM(p->buffers, p->cap_buffers, p->n_buffers + 1, ARRAY_NO_MAX))
		return NULL;
	b = &p->buffers[p->n_buffers];
	*b = (struct plan_buffer){.name = strdup(name)};
	p->n_buffers += b->name != NULL;
	return b->name ? b : NULL;
}

struct plan_buffer *plan_buffer(struct plan *p)
{
	return &p->buffers[p->n_buffers - 1];
}

int plan_add_event(struct plan *p, const char *pattern, bool off)
{
	struct plan_buffer *b = plan_buffer(p);
	struct plan_event *e;

	if (!ARRAY_ROOM(b->events, b->cap_events, b->n_events + 1, ARRAY_NO_MAX))
		return -ENOMEM;
	e = &b->events[b->n_events];
	*e = (struct plan_event){.pattern = strdup(pattern), .off = off};
	if (!e->pattern)
		return -ENOMEM;
	b->n_events++;
	return 0;
}

int plan_add_default_event(struct plan *p, const char *pattern)
{
	TRY(plan_add_event(p, pattern, false));
	plan_buffer(p)->events[plan_buffer(p)->n_events - 1].may_lack = true;
	return 0;
}

static int copy_event(struct plan_event *to, const struct plan_event *from, const char *pattern)
{
	int r = 0;

	*to = (struct plan_event){.pattern = strdup(pattern),
				  .filter = from->filter ? strdup(from->filter) : NULL,
				  .off = from->off,
				  .may_lack = from->may_lack};
	for (size_t i = 0; i < from->triggers.n && r >= 0; i++)
		r = plan_words_add(&to->triggers, from->triggers.words[i]);
	return to->pattern && (to->filter || !from->filter) ? r : -ENOMEM;
}

int plan_replace_event(struct plan_buffer *b, size_t i, char *const *patterns, size_t n)
{
	struct plan_event *events = calloc(b->n_events + n, sizeof(*events));
	int r = events ? 0 : -ENOMEM;

	for (size_t k = 0; k < n && r >= 0; k++)
		r = copy_event(&events[i + k], &b->events[i], patterns[k]);
	if (r < 0) {
		for (size_t k = 0; events && k < n; k++)
			release_event(&events[i + k]);
		free(events);
		return r;
	}
	memcpy(events, b->events, i * sizeof(*events));
	memcpy(events + i + n, b->events + i + 1, (b->n_events - i - 1) * sizeof(*events));
	release_event(&b->events[i]);
	free(b->events);
	b->events = events;
	b->cap_events = b->n_events + n;
	b->n_events += n - 1;
	return 0;
}

static struct plan_event *last_event(struct plan *p, const char *what, const char *text,
				     struct errmsg *err)
{
	struct plan_buffer *b = plan_buffer(p);

	if (b->n_events)
		return &b->events[b->n_events - 1];
	errmsg_set(err, -EINVAL, "%s '%.200s' must come after the event (-e) it is for", what,
		   text);
	return NULL;
}

static int add_filter(struct plan_event *e, const char *filter, struct errmsg *err)
{
	char *both;

	if (!e->filter)
		both = strdup(filter);
	else if (asprintf(&both, "(%s)&&(%s)", e->filter, filter) < 0)
		both = NULL;
	if (!both)
		return errmsg_set_errno(err, -ENOMEM, "cannot keep the filter");
	free(e->filter);
	e->filter = both;
	return 0;
}

int plan_add_filter(struct plan *p, const char *filter, struct errmsg *err)
{
	return plan_add_filters(p, 1, filter, err);
}

int plan_add_filters(struct plan *p, size_t n, const char *filter, struct errmsg *err)
{
	struct plan_event *e = last_event(p, "the filter", filter, err);

	if (!e)
		return -EINVAL;
	for (size_t i = 0; i < n && i < plan_buffer(p)->n_events; i++)
		TRY(add_filter(e - i, filter, err));
	return 0;
}

int plan_add_trigger(struct plan *p, const char *trigger, struct errmsg *err)
{
	struct plan_event *e = last_event(p, "the trigger", trigger, err);

	return e ? plan_words_add(&e->triggers, trigger) : -EINVAL;
}

static int check_words(const char *what, const struct plan_words *list, struct errmsg *err)
{
	for (size_t i = 0; i < list->n; i++)
		TRY(plain_check(what, list->words[i], err));
	return 0;
}

static int check_events(const struct plan_buffer *b, struct errmsg *err)
{
	for (size_t i = 0; i < b->n_events; i++) {
		const struct plan_event *e = &b->events[i];

		TRY(plain_check("the event (-e)", e->pattern, err));
		if (e->filter)
			TRY(plain_check("the filter (-f)", e->filter, err));
		TRY(check_words("the trigger (-R)", &e->triggers, err));
	}
	return 0;
}

static int check_buffer(const struct plan_buffer *b, struct errmsg *err)
{
	const struct {
		const char *what, *text;
	} texts[] = {
		{"the instance (-B)", b->name},
		{"the tracer (-p)", b->tracer},
		{"the clock (-C)", b->clock},
		{"the mask of CPUs (-M)", b->cpumask},
	};
	const struct {
		const char *what;
		const struct plan_words *list;
	} lists[] = {
		{"the function (-l)", &b->functions},
		{"the function (-n)", &b->no_functions},
		{"the function (-g)", &b->graph_functions},
		{"the function (--graph-notrace)", &b->no_graph_functions},
		{"the module (--module)", &b->modules},
		{"the option (-O)", &b->options},
		{"the process (-P)", &b->pids},
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (texts[i].text)
			TRY(plain_check(texts[i].what, texts[i].text, err));
	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		TRY(check_words(lists[i].what, lists[i].list, err));
	return check_events(b, err);
}

int plan_check(const struct plan *p, struct errmsg *err)
{
	TRY(check_words("the probe (--probe)", &p->probes, err));
	for (size_t i = 0; i < p->n_buffers; i++)
		TRY(check_buffer(&p->buffers[i], err));
	return 0;
}

bool plan_does_something(const struct plan *p)
{
	for (size_t i = 0; i < p->n_buffers; i++) {
		const struct plan_buffer *b = &p->buffers[i];

		if (b->n_events || b->tracer)
			return true;
		for (size_t k = 0; k < b->functions.n; k++)
			if (strchr(b->functions.words[k], ':'))
				return true;
	}
	return p->max_latency_us >= 0;
}

void plan_add_own(struct plan *p, int pid)
{
	if (pid > 0 && p->n_own_pids < PLAN_OWN_MAX)
		p->own_pids[p->n_own_pids++] = pid;
}
