// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * offer.c - lists what the running kernel offers, for `sonde list` without a file.
 *
 *	-e -s       events/SYSTEM/EVENT; with -F -l -R the files format, filter, trigger of each
 *	            event
 *	-t          available_tracers
 *	-o          options/NAME, with their values
 *	-f          available_filter_functions: the functions that the tracer can trace, 40 000
 *	            lines
 *	-B -C       instances/, trace_clock and, where the counter runs evenly, tsc2nsec
 *
 * Everything is sorted by name, except functions, which are in the kernel's order, by address. If a
 * function is requested by its full name and does not exist, a message explains why
 * (kernel/functions/functions.h).
 */
#include "live/offer.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/kernel/counter.h"
#include "capture/tracefs/eventdir.h"
#include "capture/kernel/functions/functions.h"
#include "decode/namematch.h"
#include "decode/handlers/handlers.h"

#include <errno.h>
#include <stdio.h>

#define FILE_MAX_BYTES (64u << 20)

struct event_walk {
	const struct tracefs *t;
	const struct list_options *o;
	struct event_match match;
	struct textbuf text, *out;
	struct errmsg *err;
	size_t n_matches, n_shown;
};

/* --- events ----------------------------------------------------------------------------------- */

static int add_format(struct event_walk *w, const char *system, const char *event)
{
	char file[TRACEFS_PATH_MAX], *end;

	TRY(tracefs_read_text(w->t, "", eventdir_fmt_path(system, event, "format", file), &w->text,
			      w->err));
	end = w->o->full ? NULL : strstr(w->text.start, "print fmt");
	if (end)
		*end = 0;
	textbuf_addf(w->out, "system: %s\n%s", system, w->text.start);
	return 0;
}

/* Adds the filter or the triggers of an event below its name, if it has any. */
static void add_setting(struct event_walk *w, const char *system, const char *event,
			const char *name)
{
	char file[TRACEFS_PATH_MAX];
	struct errmsg ignored = {0}; /* events of tracers have no filters and triggers */
	const char *p;

	if (tracefs_read_text(w->t, "", eventdir_fmt_path(system, event, name, file), &w->text,
			      &ignored) < 0)
		return;
	p = w->text.start;
	if (!*p || *p == '#' || !strcmp(p, "none\n"))
		return;
	textbuf_addf(w->out, "%s:%s\n", system, event);
	while (*p) {
		size_t len = strcspn(p, "\n");

		textbuf_addf(w->out, "\t%.*s\n", (int)len, p);
		p += len + !!p[len];
	}
	w->n_shown++;
}

static int add_event(void *ctx, const char *system, const char *event)
{
	struct event_walk *w = ctx;

	if (!event_match_test(&w->match, system, event))
		return 0;
	w->n_matches++;
	if (w->o->fields)
		return add_format(w, system, event);
	if (w->o->filters)
		add_setting(w, system, event, "filter");
	if (w->o->triggers)
		add_setting(w, system, event, "trigger");
	if (!w->o->filters && !w->o->triggers)
		textbuf_addf(w->out, "%s:%s\n", system, event);
	return 0;
}

static int add_handled(void *ctx, const char *system, const char *event)
{
	if (handlers_find(system, event))
		textbuf_addf(ctx, "%s:%s\n", system, event);
	return 0;
}

static int list_events(const struct tracefs *t, const struct list_options *o, struct textbuf *out,
		       struct errmsg *err)
{
	struct event_walk w = {.t = t, .o = o, .out = out, .err = err};
	int r;

	TRY(event_match_init(&w.match, o->event_re, err));
	textbuf_init(&w.text, FILE_MAX_BYTES);
	r = eventdir_each(t, "", add_event, &w, err);
	if (!r && !w.n_matches && !w.match.all)
		r = list_refuse_none("event", o->event_re, NULL, err);
	else if (!r && !o->fields && (o->filters || o->triggers) && !w.n_shown)
		textbuf_addf(out, "None of these events has a %s\n",
			     !o->triggers  ? "filter"
			     : !o->filters ? "trigger"
					   : "filter or a trigger");
	textbuf_release(&w.text);
	event_match_release(&w.match);
	return r;
}

/* --- names ------------------------------------------------------------------------------------ */

static void add_names(const struct name_list *list, struct textbuf *out)
{
	for (size_t i = 0; i < list->n; i++)
		textbuf_addf(out, "%s\n", list->names[i]);
}

static int list_systems(const struct tracefs *t, struct textbuf *out, struct errmsg *err)
{
	struct name_list list;
	int r = tracefs_directories(t, "", "events", &list);

	if (r < 0)
		return tracefs_refuse_read(t, "", "events", r, err);
	add_names(&list, out);
	name_list_release(&list);
	return 0;
}

static int list_instances(const struct tracefs *t, struct textbuf *out, struct errmsg *err)
{
	struct name_list list;
	int r = tracefs_instances(t, &list);

	if (r < 0)
		return tracefs_refuse_read(t, "", "instances", r, err);
	add_names(&list, out);
	if (!list.n)
		textbuf_add_str(out, "No buffer instances defined\n");
	name_list_release(&list);
	return 0;
}

/* Adds a file of one line, unchanged. */
static int list_line(const struct tracefs *t, const char *file, struct textbuf *out,
		     struct errmsg *err)
{
	char text[4096];
	int r = tracefs_read_short(t, "", file, text, sizeof(text));

	if (r < 0)
		return tracefs_refuse_read(t, "", file, r, err);
	textbuf_addf(out, "%s\n", text);
	return 0;
}

/*
 * Lists the clocks. tsc2nsec is not a clock of the kernel: it is x86-tsc, and the file has the
 * factors for nanoseconds.
 */
static int list_clocks(const struct tracefs *t, struct textbuf *out, struct errmsg *err)
{
	struct counter_rate rate;
	char text[512];
	int r = tracefs_read_short(t, "", "trace_clock", text, sizeof(text));

	if (r < 0)
		return tracefs_refuse_read(t, "", "trace_clock", r, err);
	textbuf_addf(out, "%s%s\n", text,
		     strstr(text, "x86-tsc") && counter_read_rate(&rate) >= 0 ? " tsc2nsec" : "");
	return 0;
}

static int list_options(const struct tracefs *t, const char *re, struct textbuf *out,
			struct errmsg *err)
{
	struct name_match match;
	struct name_list list;
	size_t n = 0;
	int r;

	TRY(name_match_init(&match, re, err));
	r = tracefs_files(t, "", "options", &list);
	if (r < 0) {
		name_match_release(&match);
		return tracefs_refuse_read(t, "", "options", r, err);
	}
	for (size_t i = 0; i < list.n; i++) {
		char file[TRACEFS_PATH_MAX], value[64];

		snprintf(file, sizeof(file), "options/%s", list.names[i]);
		if (name_match_test(&match, list.names[i]) &&
		    tracefs_read_short(t, "", file, value, sizeof(value)) >= 0) {
			textbuf_addf(out, "%-20s %s\n", list.names[i], value);
			n++;
		}
	}
	if (!n && !match.all)
		r = list_refuse_none("option", re, NULL, err);
	name_list_release(&list);
	name_match_release(&match);
	return r < 0 ? r : 0;
}

/* --- functions -------------------------------------------------------------------------------- */

static size_t add_functions(char *text, const struct name_match *match, struct textbuf *out)
{
	size_t n = 0;

	for (char *p = text; *p;) {
		size_t len = strcspn(p, "\n");
		char *next = p + len + !!p[len];

		p[len] = 0;
		if (name_match_test(match, p)) {
			textbuf_addf(out, "%s\n", p);
			n++;
		}
		p = next;
	}
	return n;
}

/*
 * Returns true for the name of one function, "^vfs_read$" or "vfs_read", which is not a pattern.
 * Then buf contains the name.
 */
static bool is_one_name(const char *re, char *buf, size_t n_bytes)
{
	size_t len;

	re += *re == '^';
	len = strlen(re);
	if (len && re[len - 1] == '$')
		len--;
	if (!len || len >= n_bytes || strcspn(re, "*[]\\^$") < len)
		return false;
	memcpy(buf, re, len);
	buf[len] = 0;
	return true;
}

static int list_functions(const struct tracefs *t, const char *re, struct textbuf *out,
			  struct errmsg *err)
{
	char name[256];
	struct name_match match;
	struct textbuf text;
	size_t n = 0;
	int r = name_match_init(&match, re, err);

	TRY(r);
	textbuf_init(&text, FILE_MAX_BYTES);
	if (!tracefs_exists(t, "", "available_filter_functions"))
		r = errmsg_set(err, -ENOENT,
			       "this kernel has no function tracer (CONFIG_FUNCTION_TRACER)");
	else
		r = tracefs_read_text(t, "", "available_filter_functions", &text, err);
	if (r >= 0)
		n = add_functions(text.start, &match, out);
	textbuf_release(&text);
	name_match_release(&match);
	if (r >= 0 && !n && re && is_one_name(re, name, sizeof(name)))
		r = kfunctions_explain(t, name, err);
	else if (r >= 0 && !n && re && *re)
		r = list_refuse_none("function", re, NULL, err);
	return r;
}

/* --- all of it -------------------------------------------------------------------------------- */

static int list_overview(const struct tracefs *t, const struct list_options *o, struct textbuf *out,
			 struct errmsg *err)
{
	textbuf_add_str(out, "event systems:\n");
	TRY(list_systems(t, out, err));
	textbuf_add_str(out, "\nevents:\n");
	TRY(list_events(t, o, out, err));
	textbuf_add_str(out, "\ntracers:\n");
	TRY(list_line(t, "available_tracers", out, err));
	textbuf_add_str(out, "\noptions:\n");
	TRY(list_options(t, NULL, out, err));
	textbuf_add_str(out, "\nbuffer instances:\n");
	TRY(list_instances(t, out, err));
	textbuf_add_str(out, "\nclocks:\n");
	return list_clocks(t, out, err);
}

int offer_list(const struct list_options *o, bool overview, struct textbuf *out, struct errmsg *err)
{
	struct tracefs t;

	TRY(tracefs_open(&t, err));
	if (overview)
		return list_overview(&t, o, out, err);
	if (o->events)
		TRY(list_events(&t, o, out, err));
	if (o->tracers)
		TRY(list_line(&t, "available_tracers", out, err));
	if (o->options)
		TRY(list_options(&t, o->option_re, out, err));
	if (o->plugins)
		TRY(eventdir_each(&t, "", add_handled, out, err));
	if (o->functions)
		TRY(list_functions(&t, o->function_re, out, err));
	if (o->buffers)
		TRY(list_instances(&t, out, err));
	if (o->clock)
		TRY(list_clocks(&t, out, err));
	if (o->systems)
		TRY(list_systems(&t, out, err));
	return 0;
}
