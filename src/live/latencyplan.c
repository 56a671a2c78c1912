// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * latencyplan.c - plans what must be traced to measure a latency.
 *
 *	-T vfs_read      function_graph, limited to this function; two probes if the kernel lacks it
 *	-T ./p:work      probes "./p:work" and "./p:work%return"
 *	-T './p:wo*'     such a pair for each function: every return belongs to its own entry
 *	-e E -f A -e E -f B   one event in the kernel, with the filter (A)||(B)
 *
 * The return of an inner call that a condition excludes must not end the outer call. So all entries
 * are recorded, and the program checks the condition.
 */
#include "live/latencyplan.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/kernel/words.h"
#include "decode/filter/filter.h"
#include "live/eventfilters.h"
#include "probe/definition/definition.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Returns the length of the place in a definition: "./p:work" of "./p:work(n) if n > 3". The
 * parentheses of ns::put(Mode) are the parameters of a C++ function or, if there are keys,
 * arguments.
 */
static size_t place_length(const struct latencyplan *p, const char *text)
{
	SCOPED(definition_free_scoped) struct definition *d = NULL;
	struct errmsg ignored = {0};
	size_t len = strlen(text);

	if (!strpbrk(text, "( \t") || definition_parse(&d, text, &ignored) < 0 || !d->function ||
	    (d->chosen && !p->has_keys && strstr(d->function, "::")))
		return len;
	len = d->function_span.at + d->function_span.len;
	return len + strcspn(text + len, "( \t");
}

/*
 * Returns true if sonde can check the condition itself. It supports only names, numbers, texts and
 * comparisons.
 */
static bool is_for_program(const char *condition)
{
	for (const char *p = condition; *p; p++) {
		if (strchr("$~[", *p) || (*p == '-' && p[1] == '>') ||
		    (*p == '.' && !isdigit((unsigned char)p[1])))
			return false;
		if (*p == '&' && *++p != '&')
			return false;
	}
	return true;
}

static void take_condition(struct latencyplan *p, const char *text)
{
	SCOPED(definition_free_scoped) struct definition *d = NULL;
	struct errmsg ignored = {0};

	if (definition_parse(&d, text, &ignored) < 0 || !d->filter || !is_for_program(d->filter))
		return;
	p->condition = text + d->filter_span.at;
	p->plan->no_conditions = true;
}

/* Adds a probe at the entry and one at the return. */
static int add_probes(struct latencyplan *p, const char *function, struct errmsg *err)
{
	SCOPED(scope_free) char *leave = NULL;

	if (strstr(function, "%return"))
		return errmsg_set(err, -EINVAL,
				  "-T always measures until the return: omit '%%return' in '%s'",
				  function);
	if (*plan_end_of_event(function))
		return errmsg_set(
			err, -EINVAL,
			"-T measures one function, not '%s'; a pattern (PROGRAM:name*) takes "
			"several, each from its own entry to its return",
			function);
	take_condition(p, function);
	if (asprintf(&leave, "%.*s%%return", (int)place_length(p, function), function) < 0) {
		leave = NULL;
		return errmsg_set_errno(err, -ENOMEM, "cannot keep the options");
	}
	if (p->add_event(p->ctx, function, err) < 0 || p->add_event(p->ctx, leave, err) < 0)
		return errmsg_code(err);
	p->plan->only_calls = true;
	p->config->is_call = true;
	p->config->asked = function;
	p->config->function = NULL;
	return 0;
}

int latencyplan_add_function(struct latencyplan *p, struct errmsg *err)
{
	struct plan_buffer *b = plan_buffer(p->plan);
	const char *function = p->config->function;

	if (!function)
		return 0;
	if (strpbrk(function, ":/(") ||
	    (!strpbrk(function, "*?[") && !kernelwords_may_have_tracer("function_graph")))
		return add_probes(p, function, err);
	b->tracer = strdup("function_graph");
	if (!b->tracer || plan_words_add(&b->functions, function) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot keep the options");
	return 0;
}

int latencyplan_split_filters(struct latencyplan *p, struct errmsg *err)
{
	struct plan_buffer *b = &p->plan->buffers[0];

	if (b->n_events != 2 ||
	    !eventfilters_is_same_event(b->events[0].pattern, b->events[1].pattern))
		return 0;
	for (int i = 0; i < 2; i++) {
		const struct plan_event *e = &b->events[i];

		p->side_filters[i] = e->filter ? eventfilters_fmt(e->pattern, e->filter) : NULL;
		if (e->filter && !p->side_filters[i])
			return errmsg_set_errno(err, -ENOMEM, "cannot filter");
	}
	return eventfilters_join(b, err);
}

/*
 * Returns the event at the return that belongs to an entry of the plan, or NULL if the function
 * never returns.
 */
static const char *find_return(const struct latencyplan *p, size_t entry)
{
	const struct plan_buffer *b = &p->plan->buffers[0];
	const char *pattern = b->events[entry].pattern;
	size_t len = place_length(p, pattern);

	for (size_t i = 0; i < b->n_events && i < p->names->n; i++)
		if (!strncmp(b->events[i].pattern, pattern, len) &&
		    !strcmp(b->events[i].pattern + len, "%return"))
			return p->names->words[i];
	return NULL;
}

/*
 * Pairs each entry of a pattern of functions with its return, and makes the function the first key.
 */
static int pair_calls(struct latencyplan *p, struct errmsg *err)
{
	struct latency_config *c = p->config;
	size_t n = p->names->n;

	if (!c->is_call || n <= 2)
		return 0;
	p->calls = calloc(n, sizeof(*p->calls));
	if (!p->calls)
		return errmsg_set_errno(err, -ENOMEM, "cannot measure latencies");
	c->calls = p->calls;
	for (size_t i = 0; i < n; i++) {
		const char *to = find_return(p, i);

		if (to)
			p->calls[c->n_calls++] = (struct latency_call){p->names->words[i], to};
	}
	if (c->n_groups < KEYS_MAX) {
		memmove(&c->groups[1], &c->groups[0], c->n_groups * sizeof(c->groups[0]));
		c->groups[0] = (struct latency_word){"$event", LATENCY_FROM};
		c->n_groups++;
	}
	return 0;
}

int latencyplan_open(struct latencyplan *p, struct formats *f, struct errmsg *err)
{
	struct latency_config *c = p->config;

	/* replace the definitions of probes by the names of their events */
	if (p->names->n) {
		c->from = p->names->words[0];
		c->to = p->names->words[p->names->n - 1];
	}
	c->with_own = p->plan->trace_self;
	if (pair_calls(p, err) < 0)
		return errmsg_code(err);
	for (int i = 0; i < 2; i++)
		if (p->side_filters[i] &&
		    filter_new(&p->filters[i], f, p->side_filters[i], err) < 0)
			return errmsg_code(err);
	c->from_filter = p->filters[0];
	c->to_filter = p->filters[1];
	return 0;
}

void latencyplan_close(struct latencyplan *p)
{
	free(p->calls);
	p->calls = NULL;
	for (int i = 0; i < 2; i++) {
		filter_free(p->filters[i]);
		p->filters[i] = NULL;
	}
}

void latencyplan_release(struct latencyplan *p)
{
	free(p->side_filters[0]);
	free(p->side_filters[1]);
}

void latencyplan_suggest_probes(const struct latencyplan *p, struct errmsg *err)
{
	const char *function = p->config->function;
	size_t len = strlen(err->text);

	if (err->code == -EBUSY && function && !strpbrk(function, "*?["))
		snprintf(err->text + len, sizeof(err->text) - len,
			 "; or measure with probes instead of the tracer: -T '%s()'", function);
}
