// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * events.c - enables the events of a plan, with their filters and triggers.
 *
 * A pattern is `system:event`, `system`, `event`, with globs, or `all`; a bare word means a system
 * or an event of that name. This code matches it against the kernel's list, once, so that a word
 * without a match is reported with the nearest name.
 *
 * If a pattern covers a whole system, sonde writes the system's own files, one write instead of
 * hundreds. The kernel then applies a filter to the events of the system that have the field
 * (filter.c finds out which).
 */
#include "capture/setup/setup_int.h"

#include "base/scope.h"
#include "base/spelling.h"
#include "capture/tracefs/eventdir.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

bool setup_event_matches(const char *pattern, const char *system, const char *event)
{
	const char *colon = strpbrk(pattern, ":/");
	char part[TRACEFS_NAME_MAX];

	if (!strcmp(pattern, "all"))
		return true;
	if (!colon)
		return !fnmatch(pattern, system, 0) || !fnmatch(pattern, event, 0);
	snprintf(part, sizeof(part), "%.*s", (int)(colon - pattern), pattern);
	return !fnmatch(*part ? part : "*", system, 0) &&
	       !fnmatch(colon[1] ? colon + 1 : "*", event, 0);
}

/* Returns true if the pattern covers every event of the system. */
static bool takes_system(const char *pattern, const char *system)
{
	const char *colon = strpbrk(pattern, ":/");
	char part[TRACEFS_NAME_MAX];

	if (!strcmp(pattern, "all"))
		return true;
	snprintf(part, sizeof(part), "%.*s",
		 (int)(colon ? colon - pattern : (ptrdiff_t)strlen(pattern)), pattern);
	return (!colon || !colon[1] || !strcmp(colon + 1, "*")) && !fnmatch(part, system, 0);
}

struct near_name {
	struct spelling spelling;
	char text[2 * TRACEFS_NAME_MAX];
};

struct event_walk {
	struct setup *s;
	const struct setup_buffer *b;
	const struct plan_event *e;
	size_t n_matches;
	struct setup_filter filter;    /* result of the filter, if it is for many events */
	char system[TRACEFS_NAME_MAX]; /* system that is handled as a whole */
	struct near_name near, near_system;
	struct errmsg *err;
};

static int write_event_file(struct event_walk *w, const char *system, const char *event,
			    const char *file, const char *text, enum tracefs_how how)
{
	char path[TRACEFS_PATH_MAX];

	if (event)
		snprintf(path, sizeof(path), "events/%s/%s/%s", system, event, file);
	else
		snprintf(path, sizeof(path), "events/%s/%s", system, file);
	if (!strcmp(file, "enable")) {
		/*
		 * one list for all enabled events, so that the journal has one note, not two
		 * thousand
		 */
		int r = setup_save(w->s, w->b->instance, "set_event", w->err);

		return r < 0 ? r : tracefs_write(&w->s->t, w->b->instance, path, text, how, w->err);
	}
	return setup_write(w->s, w->b->instance, path, text, how, w->err);
}

/*
 * Reads the triggers. An event without triggers lists the available ones: "# traceon traceoff
 * stacktrace …".
 */
static void read_triggers(struct event_walk *w, const char *path, char *buf, size_t n_bytes)
{
	char text[512], *p;

	*buf = 0;
	if (tracefs_read_short(&w->s->t, w->b->instance, path, text, sizeof(text)) > 0 &&
	    (p = strstr(text, "Available triggers:\n# ")))
		snprintf(buf, n_bytes, "%s", p + strlen("Available triggers:\n# "));
}

static int refuse_trigger(struct event_walk *w, const char *trigger, const char *path,
			  const struct errmsg *why, struct errmsg *err)
{
	char known[512], name[64];
	const char *p;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(trigger, ": "), trigger);
	read_triggers(w, path, known, sizeof(known));
	p = strstr(known, name);
	if (why->code == -EEXIST)
		return errmsg_set(err, why->code,
				  "there is already a trigger '%s' at %s; an event can have "
				  "one of each kind",
				  name, path);
	if (why->code == -EINVAL && *known && !p)
		return errmsg_set(err, why->code,
				  "this kernel has no trigger '%s' (-R); it has: %s", name, known);
	*err = err->code ? *err : *why;
	return why->code;
}

static int set_trigger(struct event_walk *w, const char *system, const char *event,
		       const char *trigger)
{
	struct errmsg *err = w->err, why = {0};
	char path[TRACEFS_PATH_MAX];
	int r;

	w->err = &why;
	r = write_event_file(w, system, event, "trigger", trigger, TRACEFS_APPEND);
	w->err = err;
	eventdir_fmt_path(system, event, "trigger", path);
	return r < 0 ? refuse_trigger(w, trigger, path, &why, err) : 0;
}

static int set_triggers(struct event_walk *w, const char *system, const char *event)
{
	for (size_t i = 0; i < w->e->triggers.n; i++)
		TRY(set_trigger(w, system, event, w->e->triggers.words[i]));
	return 0;
}

/*
 * Saves the filters of a system's events: the filter of a system changes them, and they must be
 * restored individually.
 */
static int save_filters(struct event_walk *w, const char *system)
{
	char dir[TRACEFS_NAME_MAX + 16], file[TRACEFS_PATH_MAX];
	struct name_list events;
	int r = 0;

	if (!w->s->journal && !w->s->undo)
		return 0;
	snprintf(dir, sizeof(dir), "events/%s", system);
	if (tracefs_directories(&w->s->t, w->b->instance, dir, &events) < 0)
		return 0;
	for (size_t i = 0; i < events.n && r >= 0; i++)
		r = setup_save(w->s, w->b->instance,
			       eventdir_fmt_path(system, events.names[i], "filter", file), w->err);
	name_list_release(&events);
	return r;
}

static int set_system_filter(struct event_walk *w, const char *system)
{
	char file[TRACEFS_PATH_MAX];

	TRY(save_filters(w, system));
	snprintf(file, sizeof(file), "events/%s/filter", system);
	TRY(tracefs_write(&w->s->t, w->b->instance, file, w->e->filter, TRACEFS_SET, w->err));
	setup_filter_look(w->s, w->b->instance, system, &w->filter);
	return 0;
}

static int set_system(struct event_walk *w, const char *system)
{
	if (w->e->filter && !w->e->off)
		TRY(set_system_filter(w, system));
	return write_event_file(w, system, NULL, "enable", w->e->off ? "0" : "1", TRACEFS_SET);
}

static int set_filter(struct event_walk *w, const char *system, const char *event)
{
	struct errmsg *err = w->err, why = {0};
	int r;

	w->err = &why;
	r = write_event_file(w, system, event, "filter", w->e->filter, TRACEFS_SET);
	w->err = err;
	if (r >= 0) {
		w->filter.n_taken++;
		return 0;
	}
	if (r == -EINVAL && strpbrk(w->e->pattern, "*?[") &&
	    setup_filter_lacks_field(w->s, system, event, w->e->filter)) {
		setup_filter_leave(&w->filter, event);
		return 0;
	}
	return setup_filter_explain(w->s, system, event, w->e->filter, &why, err);
}

static int set_event(struct event_walk *w, const char *system, const char *event)
{
	if (w->s->plan->only_triggers)
		return set_triggers(w, system, event);

	if (w->e->filter && !w->e->off)
		TRY(set_filter(w, system, event));
	TRY(write_event_file(w, system, event, "enable", w->e->off ? "0" : "1", TRACEFS_SET));
	return set_triggers(w, system, event);
}

/* Copies a similar name, because the caller's text does not stay valid. */
static void add_near(struct near_name *near, const char *name)
{
	spelling_add(&near->spelling, name);
	if (near->spelling.nearest == name) {
		snprintf(near->text, sizeof(near->text), "%s", name);
		near->spelling.nearest = near->text;
	}
}

static int visit_event(void *ctx, const char *system, const char *event)
{
	struct event_walk *w = ctx;
	int r;

	if (!strcmp(system, "ftrace")) /* the tracers' own events cannot be switched */
		return 0;
	if (setup_is_foreign_group(w->s, system) && strncmp(w->e->pattern, "sonde_", 6))
		return 0;
	if (!setup_event_matches(w->e->pattern, system, event)) {
		bool whole = strpbrk(w->e->pattern, ":/");
		char name[2 * TRACEFS_NAME_MAX];

		snprintf(name, sizeof(name), "%s%s%s", whole ? system : "", whole ? ":" : "",
			 event);
		add_near(&w->near, name);
		if (!whole)
			add_near(&w->near_system, system);
		return 0;
	}
	w->n_matches++;
	if (takes_system(w->e->pattern, system) && !w->e->triggers.n &&
	    !w->s->plan->only_triggers) {
		if (!strcmp(w->system, system))
			return 0;
		r = set_system(w, system);
		snprintf(w->system, sizeof(w->system), "%s", system);
		return r;
	}
	return set_event(w, system, event);
}

/* Returns true for a trigger with a count: "traceoff:1 if pid == 1". hist has other numbers. */
static bool is_counted(const char *trigger)
{
	size_t len = strcspn(trigger, " ");
	const char *colon = memrchr(trigger, ':', len);

	return colon && strncmp(trigger, "hist", 4) && colon + 1 < trigger + len &&
	       strspn(colon + 1, "0123456789") == (size_t)(trigger + len - colon - 1);
}

static int rearm_event(void *ctx, const char *system, const char *event)
{
	struct event_walk *w = ctx;
	char path[TRACEFS_PATH_MAX], text[1024];

	if (!setup_event_matches(w->e->pattern, system, event) || !strcmp(system, "ftrace"))
		return 0;
	eventdir_fmt_path(system, event, "trigger", path);
	for (size_t i = 0; i < w->e->triggers.n; i++) {
		if (!is_counted(w->e->triggers.words[i]))
			continue;
		snprintf(text, sizeof(text), "!%s", w->e->triggers.words[i]);
		TRY(tracefs_write(&w->s->t, w->b->instance, path, text, TRACEFS_APPEND, w->err));
		TRY(tracefs_write(&w->s->t, w->b->instance, path, w->e->triggers.words[i],
				  TRACEFS_APPEND, w->err));
	}
	return 0;
}

int setup_rearm_events(struct setup *s, const struct setup_buffer *b, struct errmsg *err)
{
	for (size_t i = 0; i < b->plan->n_events; i++) {
		struct event_walk w = {
			.s = s, .b = b, .e = setup_event(s, &b->plan->events[i]), .err = err};

		if (w.e->triggers.n)
			TRY(eventdir_each(&s->t, b->instance, rearm_event, &w, err));
	}
	return 0;
}

/* Returns true for SYSTEM:EVENT with an existing system. */
static bool has_system(const struct setup *s, const char *pattern)
{
	char path[TRACEFS_NAME_MAX + 16];
	size_t len = strcspn(pattern, ":/");

	snprintf(path, sizeof(path), "events/%.*s", len < 200 ? (int)len : 200, pattern);
	return pattern[len] && tracefs_exists(&s->t, "", path);
}

static bool is_syscall(const struct setup *s, const char *name)
{
	char path[TRACEFS_NAME_MAX + 40];

	if (!*name || strpbrk(name, ":/*?["))
		return false;
	snprintf(path, sizeof(path), "events/syscalls/sys_enter_%.200s", name);
	return tracefs_exists(&s->t, "", path);
}

/*
 * Sets one message. A name may be an event, or a function to probe. If an event has a similar name,
 * the message suggests it, unless such a function exists and the problem is another one.
 */
static int refuse_event(const struct setup *s, const struct plan_event *e, const char *nearest,
			struct errmsg *err)
{
	const char *name = e->pattern;
	int code = 0;
	const char *why = setup_why_no_probe(s, e, &code);

	if (is_syscall(s, name))
		return errmsg_set(err, -ENOENT,
				  "'%s' is a system call; its events are sys_enter_%s and "
				  "sys_exit_%s, and 'sonde trace -e %s' shows its calls",
				  name, name, name, name);
	if (!strncmp(name, "syscall:", 8))
		return errmsg_set(err, -ENOENT,
				  "the events of the system syscall are made by 'sonde trace -o "
				  "FILE.dat' and 'sonde record --syscalls', and read from that "
				  "file; the kernel's own are raw_syscalls:sys_enter and sys_exit");
	if (why && code != -ENOENT)
		return errmsg_set(err, -ENOENT, "unknown event '%s', and no probe: %s", name, why);
	if (nearest)
		return errmsg_set(
			err, -ENOENT,
			"unknown event '%s'; did you mean '%s'? (sonde list -e lists all)", name,
			nearest);
	if (strpbrk(name, "*?[") && !has_system(s, name))
		return errmsg_set(err, -ENOENT,
				  "unknown event '%s' (sonde list -e lists all); write a "
				  "function with parentheses: '%s()'",
				  name, name);
	if (why)
		return errmsg_set(err, -ENOENT,
				  "unknown event '%s' (sonde list -e lists all), and no probe: %s",
				  name, why);
	return errmsg_set(err, -ENOENT, "unknown event '%s' (sonde list -e lists all)", name);
}

static int set_pattern(struct setup *s, const struct setup_buffer *b, const struct plan_event *e,
		       struct errmsg *err)
{
	struct event_walk w = {.s = s, .b = b, .e = e, .err = err};
	int r;

	spelling_init(&w.near.spelling, e->pattern, strlen(e->pattern));
	spelling_init(&w.near_system.spelling, e->pattern, strlen(e->pattern));
	r = eventdir_each(&s->t, b->instance, visit_event, &w, err);
	if (r >= 0 && e->filter)
		r = setup_filter_tell(s, b->instance, e->pattern, w.system, e->filter, &w.filter,
				      err);
	if (r < 0 || w.n_matches || e->may_lack)
		return r;
	if (!s->plan->ignore_unknown)
		return refuse_event(s, e,
				    w.near.spelling.nearest ? w.near.spelling.nearest
							    : w.near_system.spelling.nearest,
				    err);
	setup_note(s, "ignoring unknown event '%s' (-i)", e->pattern);
	return 0;
}

int setup_events(struct setup *s, const struct setup_buffer *b, struct errmsg *err)
{
	for (size_t i = 0; i < b->plan->n_events; i++) {
		TRY(setup_pair_arm(s, b, &b->plan->events[i], err));
		TRY(set_pattern(s, b, setup_event(s, &b->plan->events[i]), err));
	}
	return 0;
}

bool setup_was_asked_for(const struct setup *s, const char *system, const char *event)
{
	for (size_t i = 0; i < s->n_buffers; i++)
		for (size_t k = 0; k < s->buffers[i].plan->n_events; k++) {
			const struct plan_event *e = setup_event(s, &s->buffers[i].plan->events[k]);

			if (!e->off && setup_event_matches(e->pattern, system, event))
				return true;
			/* it is an event that a trigger enables */
			for (size_t m = 0; m < e->triggers.n; m++)
				if (strstr(e->triggers.words[m], "enable_event"))
					return true;
		}
	return false;
}

bool setup_wants_event(void *setup, const char *system, const char *event)
{
	return setup_was_asked_for(setup, system, event) ||
	       setup_is_for_names(setup, system, event);
}
