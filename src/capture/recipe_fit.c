// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recipe_fit.c - makes a plan from a recipe, for the running kernel.
 *
 * Kernels differ: functions have other names, events are missing, whole tracers are not built in or
 * are forbidden. A recipe is fitted line by line, and a note reports each change:
 *
 *	do_IRQ is __common_interrupt in this kernel        (kfunctions_substitute)
 *	left out: this kernel has no event …
 *	left out: the tracer function_graph; …
 *
 * sonde traces the rest. If nothing is left, the recipe fails with the last reason. If all
 * functions of a call graph are missing, the call graph is dropped: without them it would trace the
 * entire kernel.
 *
 * A probe line defines an event, which is then enabled like any other. It should contain
 * GROUP/EVENT, so that it cannot be confused with a probe of the user.
 */
#include "capture/recipe.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/kernel/functions/functions.h"
#include "capture/tracefs/tracefs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct fitting {
	const struct recipe *recipe;
	const struct tracefs *t;
	struct plan *plan;
	struct textbuf *notes;
	struct kfunctions *functions;
	struct errmsg last; /* the reason why the last item was dropped */
	bool skips_filter;  /* the event of this filter was dropped */
	bool has_tracer;
	size_t n_graphs_wanted, n_graphs;
};

static void leave_out(struct fitting *fit, const char *why)
{
	textbuf_addf(fit->notes, "left out: %s\n", why);
	fit->last.code = 0;
	errmsg_set(&fit->last, -ENOENT, "%s", why);
}

/*
 * --- functions ---------------------------------------------------------------------------------
 */

/* Returns the name to use, or NULL after adding a note. */
static const char *fit_function(struct fitting *fit, const char *name)
{
	const char *now = kfunctions_substitute(fit->functions, name);
	struct errmsg why = {0};

	if (!now && strpbrk(name, "*?[")) /* keep a glob unchanged if a function matches */
		now = kfunctions_check(fit->functions, name, &why) > 0 ? name : NULL;
	if (now && strcmp(now, name))
		textbuf_addf(fit->notes, "%s is %s in this kernel\n", name, now);
	if (now)
		return now;
	if (!why.code)
		kfunctions_check(fit->functions, name, &why);
	leave_out(fit, why.text);
	return NULL;
}

static int fit_functions(struct fitting *fit, const struct recipe_line *line)
{
	struct plan_buffer *b = plan_buffer(fit->plan);
	const char *name;

	if (!fit->has_tracer)
		return 0;
	fit->n_graphs_wanted += line->key == RECIPE_GRAPH;
	name = fit_function(fit, line->value);
	if (!name)
		return 0;
	fit->n_graphs += line->key == RECIPE_GRAPH;
	return plan_words_add(line->key == RECIPE_FUNCTION	? &b->functions
			      : line->key == RECIPE_NO_FUNCTION ? &b->no_functions
			      : line->key == RECIPE_GRAPH	? &b->graph_functions
								: &b->no_graph_functions,
			      name);
}

static int fit_tracer(struct fitting *fit, const char *tracer)
{
	struct name_list tracers = {0};
	struct errmsg why = {0};
	char text[400];

	tracefs_words(fit->t, "", "available_tracers", &tracers);
	fit->has_tracer = name_list_find(&tracers, tracer);
	name_list_release(&tracers);
	if (fit->has_tracer && !strncmp(tracer, "function", 8) &&
	    kfunctions_check(fit->functions, "*", &why) < 0) {
		fit->has_tracer = false;
		leave_out(fit, why.text);
	} else if (!fit->has_tracer) {
		snprintf(text, sizeof(text),
			 "the tracer %s, which this kernel does not have ('sonde doctor %s' says "
			 "why)",
			 tracer, tracer);
		leave_out(fit, text);
	}
	if (!fit->has_tracer)
		return 0;
	plan_buffer(fit->plan)->tracer = strdup(tracer);
	return plan_buffer(fit->plan)->tracer ? 0 : -ENOMEM;
}

/*
 * --- events and probes -------------------------------------------------------------------------
 */

static bool has_event(const struct fitting *fit, const char *event)
{
	const char *colon = strchr(event, ':');
	char path[512];

	if (!colon || strpbrk(event, "*?["))
		return true; /* setup reports the error */
	snprintf(path, sizeof(path), "events/%.*s/%s", (int)(colon - event), event, colon + 1);
	return tracefs_exists(fit->t, "", path);
}

/* Adds the first event on the line that this kernel has. */
static int fit_event(struct fitting *fit, const char *line)
{
	char name[256], why[400];
	size_t first = strcspn(line, " \t");

	if (strchr(line, '(')) /* a probe: 'vfs_read(file, count) if count > 1' */
		return plan_add_event(fit->plan, line, false);
	for (const char *p = line; *p; p += strspn(p, " \t")) {
		size_t len = strcspn(p, " \t");

		snprintf(name, sizeof(name), "%.*s", (int)len, p);
		fit->skips_filter = !has_event(fit, name);
		if (!fit->skips_filter && p != line)
			textbuf_addf(fit->notes, "%.*s is %s in this kernel\n", (int)first, line,
				     name);
		if (!fit->skips_filter)
			return plan_add_event(fit->plan, name, false);
		p += len;
	}
	snprintf(why, sizeof(why), "this kernel has no event %.300s", line);
	leave_out(fit, why);
	return 0;
}

/* Adds "p:GROUP/EVENT FUNCTION+OFFSET ARGS" with the function's name in this kernel. */
static int fit_probe(struct fitting *fit, const char *line)
{
	size_t head = strcspn(line, " "), len;
	const char *colon = memchr(line, ':', head), *slash, *now;
	char text[512], name[256];
	int r;

	if (!tracefs_exists(fit->t, "", "kprobe_events")) {
		leave_out(fit, "probes, which this kernel does not have ('sonde doctor kprobes' "
			       "says why)");
		return 0;
	}
	if (strchr(line, '('))
		return plan_add_event(fit->plan, line, false);
	if (!colon || line[head] != ' ')
		return errmsg_set(&fit->last, -EINVAL,
				  "'%s' is not a probe; write p:GROUP/EVENT FUNCTION", line);
	len = strcspn(line + head + 1, " +");
	snprintf(name, sizeof(name), "%.*s", (int)len, line + head + 1);
	now = fit_function(fit, name);
	if (!now)
		return 0;
	snprintf(text, sizeof(text), "%.*s %s%s", (int)head, line, now, line + head + 1 + len);
	r = plan_words_add(&fit->plan->probes, text);
	slash = memchr(colon, '/', head - (colon - line));
	snprintf(text, sizeof(text), "%.*s:%.*s", slash ? (int)(slash - colon - 1) : 7,
		 slash ? colon + 1 : "kprobes", (int)(line + head - (slash ? slash : colon) - 1),
		 (slash ? slash : colon) + 1);
	return r < 0 ? r : plan_add_event(fit->plan, text, false);
}

/*
 * --- tasks -------------------------------------------------------------------------------------
 */

static bool read_comm(const char *pid, const char *tid, char *comm, size_t n_bytes)
{
	char path[600];
	FILE *file;
	bool got;

	snprintf(path, sizeof(path), "/proc/%.250s/task/%.250s/comm", pid, tid);
	file = fopen(path, "re");
	got = file && fgets(comm, n_bytes, file);
	if (file)
		fclose(file);
	if (got)
		comm[strcspn(comm, "\n")] = 0;
	return got;
}

static int add_threads(struct fitting *fit, const char *pid, const char *glob, size_t *n)
{
	char path[300], comm[64];
	struct dirent *e;
	SCOPED(closedir_scoped) DIR *dir = NULL;
	int r = 0;

	snprintf(path, sizeof(path), "/proc/%.250s/task", pid);
	dir = opendir(path);
	while (dir && r >= 0 && (e = readdir(dir)))
		if (isdigit(e->d_name[0]) && read_comm(pid, e->d_name, comm, sizeof(comm)) &&
		    !fnmatch(glob, comm, 0)) {
			r = plan_words_add(&plan_buffer(fit->plan)->pids, e->d_name);
			++*n;
		}
	return r;
}

static int fit_tasks(struct fitting *fit, const char *glob, struct errmsg *err)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;
	size_t n = 0;
	int r = 0;

	while (dir && r >= 0 && (e = readdir(dir)))
		if (isdigit(e->d_name[0]))
			r = add_threads(fit, e->d_name, glob, &n);
	if (dir)
		closedir(dir);
	if (r >= 0 && !n)
		return errmsg_set(err, -ENOENT, "there is no task named '%s' now", glob);
	return r;
}

/*
 * --- all of it ---------------------------------------------------------------------------------
 */

static int fit_line(struct fitting *fit, const struct recipe_line *line, struct errmsg *err)
{
	switch (line->key) {
	case RECIPE_EVENT:
		return fit_event(fit, line->value);
	case RECIPE_FILTER:
		return fit->skips_filter ? 0 : plan_add_filter(fit->plan, line->value, err);
	case RECIPE_FUNCTION:
	case RECIPE_NO_FUNCTION:
	case RECIPE_GRAPH:
	case RECIPE_NO_GRAPH:
		return fit_functions(fit, line);
	case RECIPE_DEPTH:
		if (fit->has_tracer)
			fit->plan->graph_depth = atoi(line->value);
		return 0;
	case RECIPE_PROBE:
		return fit_probe(fit, line->value);
	case RECIPE_STACKS:
		fit->plan->stacks = !strcmp(line->value, "yes");
		return 0;
	case RECIPE_TASKS:
		return fit_tasks(fit, line->value, err);
	default:
		return 0;
	}
}

/*
 * Fits all lines. The tracer may be on any line, but functions need to know whether there is one.
 */
static int fit_lines(struct fitting *fit, struct errmsg *err)
{
	const struct recipe *r = fit->recipe;
	int code = 0;

	for (size_t i = 0; i < r->n_lines && code >= 0; i++)
		if (r->lines[i].key == RECIPE_TRACER)
			code = fit_tracer(fit, r->lines[i].value);
	for (size_t i = 0; i < r->n_lines && code >= 0; i++)
		code = fit_line(fit, &r->lines[i], err);
	if (code >= 0 && fit->n_graphs_wanted && !fit->n_graphs && fit->has_tracer) {
		struct plan_buffer *b = plan_buffer(fit->plan);

		textbuf_add_str(fit->notes,
				"left out: the call graph, because its functions are missing\n");
		free(b->tracer);
		b->tracer = NULL;
	}
	return code;
}

int recipe_fit(const struct recipe *r, const struct tracefs *t, struct plan *plan,
	       struct textbuf *notes, struct errmsg *err)
{
	struct fitting fit = {.recipe = r, .t = t, .plan = plan, .notes = notes};
	int code;

	fit.functions = kfunctions_new(t, NULL);
	code = fit.functions ? fit_lines(&fit, err) : -ENOMEM;
	kfunctions_free(fit.functions);
	if (code < 0 && !err->code && fit.last.code)
		*err = fit.last;
	if (code < 0)
		return errmsg_set_errno(err, code, "cannot prepare the recipe %s", r->name);
	if (!plan_does_something(plan))
		return errmsg_set(err, -ENOENT,
				  "nothing in the recipe %s can be traced here: "
				  "%s",
				  r->name, fit.last.code ? fit.last.text : "it names nothing");
	return 0;
}
