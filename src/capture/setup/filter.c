// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filter.c - finds out which events accepted a filter, and what is wrong with it.
 *
 * A single event refuses a filter that it does not understand. A whole system (events/sched/filter)
 * never does: the write succeeds, and each event that cannot use the filter notes that in its own
 * file and is recorded unfiltered:
 *
 *	events/sched/sched_waking/filter     next_pid == 3
 *	                                     ^
 *	                                     parse_error: Couldn't find or set field …
 *
 * So those files are read afterwards. If no event accepted the filter, it is wrong, and the reason
 * comes from one event: the first that has all the fields, else any.
 *
 * A field is a word before an operator: prev_pid in `prev_pid == 1`.
 */
#include "base/array.h"
#include "base/scope.h"
#include "capture/setup/setup_int.h"

#include "base/spelling.h"
#include "capture/tracefs/eventdir.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FORMAT_MAX_BYTES (1u << 20)
#define NAMED_MAX	 6 /* limit of events to name; there may be hundreds */

/*
 * --- fields ------------------------------------------------------------------------------------
 */

/* Copies the next field of the filter at *p into buf. Returns false at the end. */
static bool next_field(const char **p, char *buf, size_t n_bytes)
{
	char quote = 0;

	for (const char *q = *p; *q;) {
		size_t len = 0, blanks;

		if (quote || *q == '"' || *q == '\'') {
			quote = !quote ? *q : *q == quote ? 0 : quote;
			q++;
			continue;
		}
		while (isalnum((unsigned char)q[len]) || q[len] == '_')
			len++;
		if (!len) {
			q++;
			continue;
		}
		blanks = strspn(q + len, " \t");
		*p = q + len;
		if (!isdigit((unsigned char)*q) && len < n_bytes && q[len + blanks] &&
		    (strchr("=<>~.", q[len + blanks]) ||
		     (strchr("!&", q[len + blanks]) && q[len + blanks] != q[len + blanks + 1]))) {
			snprintf(buf, n_bytes, "%.*s", (int)len, q);
			return true;
		}
		q += len;
	}
	return false;
}

/* Returns true for fields that every event has, besides those of its format. */
static bool is_everywhere(const char *field)
{
	static const char *const names[] = {"CPU",
					    "cpu",
					    "COMM",
					    "comm",
					    "stacktrace",
					    "STACKTRACE",
					    "common_stacktrace",
					    "common_cpu",
					    "common_comm"};

	return ARRAY_ANY(ARRAY_LEN(names), i, !strcmp(names[i], field));
}

/* Reads the fields that a format describes: "\tfield:char comm[16];\toffset:…". */
static int read_fields(const struct tracefs *t, const char *system, const char *event,
		       struct name_list *ret_fields)
{
	struct name_list fields = {0};
	char path[TRACEFS_PATH_MAX];
	struct textbuf text;
	int r;

	textbuf_init(&text, FORMAT_MAX_BYTES);
	r = tracefs_read(t, "", eventdir_fmt_path(system, event, "format", path), &text);
	textbuf_add(&text, "", 1);
	for (const char *p = text.start; r >= 0 && !text.overflow && (p = strstr(p, "\tfield:"));) {
		const char *from = p + strlen("\tfield:"), *end;

		p = from + strcspn(from, ";\n");
		end = p > from && p[-1] == ']' ? memrchr(from, '[', p - from) : NULL;
		end = end ? end : p;
		while (end > from && !isalnum((unsigned char)end[-1]) && end[-1] != '_')
			end--;
		for (from = end; isalnum((unsigned char)from[-1]) || from[-1] == '_';)
			from--;
		r = name_list_add(&fields, from, end - from);
	}
	textbuf_release(&text);
	*ret_fields = fields;
	return r;
}

static bool has_field(const struct name_list *fields, const char *field)
{
	for (size_t i = 0; i < fields->n; i++)
		if (!strcmp(fields->names[i], field))
			return true;
	return is_everywhere(field);
}

/* Finds the first field of the filter that the event does not have. Returns false if it has all. */
static bool find_missing(const struct name_list *fields, const char *filter, char *buf,
			 size_t n_bytes)
{
	while (next_field(&filter, buf, n_bytes))
		if (!has_field(fields, buf))
			return true;
	return false;
}

/*
 * --- what is wrong -----------------------------------------------------------------------------
 */

static int say_no_field(const char *system, const char *event, const struct name_list *fields,
			const char *field, struct errmsg *err)
{
	char names[512] = "";
	struct spelling sp;
	size_t len = 0;

	spelling_init(&sp, field, strlen(field));
	for (size_t i = 0; i < fields->n; i++) {
		spelling_add(&sp, fields->names[i]);
		if (strncmp(fields->names[i], "common_", 7) && len < sizeof(names) - 100)
			len += snprintf(names + len, sizeof(names) - len, "%s%.80s",
					len ? ", " : "", fields->names[i]);
	}
	return errmsg_set(err, -EINVAL, "%s:%s has no field '%s' (-f)%s%s%s%s%s", system, event,
			  field, sp.nearest ? "; did you mean '" : "", sp.nearest ? sp.nearest : "",
			  sp.nearest ? "'?" : "", *names ? "; it has: " : "", names);
}

int setup_filter_explain(const struct setup *s, const char *system, const char *event,
			 const char *filter, const struct errmsg *why, struct errmsg *err)
{
	struct name_list fields = {0};
	char field[TRACEFS_NAME_MAX];
	const char *cause = errmsg_cause(why);

	if (why->code != -EINVAL) {
		*err = err->code ? *err : *why;
		return why->code;
	}
	if (read_fields(&s->t, system, event, &fields) >= 0 &&
	    find_missing(&fields, filter, field, sizeof(field)))
		say_no_field(system, event, &fields, field, err);
	name_list_release(&fields);
	return errmsg_set(err, -EINVAL,
			  "the kernel does not understand the filter '%.200s' of %s:%s "
			  "(-f)%s%.200s; an example is 'pid == 1 && comm ~ \"cron*\"'",
			  filter, system, event, cause ? ": " : "", cause ? cause : "");
}

bool setup_filter_lacks_field(struct setup *s, const char *system, const char *event,
			      const char *filter)
{
	SCOPED(name_list_release) struct name_list fields = {0};
	char field[TRACEFS_NAME_MAX];
	bool lacks = read_fields(&s->t, system, event, &fields) >= 0 &&
		     find_missing(&fields, filter, field, sizeof(field));

	return lacks;
}

/*
 * --- several events ----------------------------------------------------------------------------
 */

static bool was_taken(struct setup *s, const char *instance, const char *system, const char *event)
{
	char path[TRACEFS_PATH_MAX], text[4096];

	eventdir_fmt_path(system, event, "filter", path);
	return tracefs_read_short(&s->t, instance, path, text, sizeof(text)) < 0 ||
	       !strstr(text, "parse_error:");
}

void setup_filter_leave(struct setup_filter *f, const char *event)
{
	size_t len = strlen(f->names);

	if (f->n_left++ < NAMED_MAX)
		snprintf(f->names + len, sizeof(f->names) - len, "%s%.100s", len ? ", " : "",
			 event);
}

void setup_filter_look(struct setup *s, const char *instance, const char *system,
		       struct setup_filter *f)
{
	char dir[TRACEFS_NAME_MAX + 16], path[TRACEFS_PATH_MAX];
	struct name_list events;

	snprintf(dir, sizeof(dir), "events/%s", system);
	if (tracefs_directories(&s->t, instance, dir, &events) < 0)
		return;
	for (size_t i = 0; i < events.n; i++) {
		const char *event = events.names[i];

		if (!tracefs_exists(&s->t, instance,
				    eventdir_fmt_path(system, event, "filter", path)))
			continue;
		if (was_taken(s, instance, system, event)) {
			f->n_taken++;
			continue;
		}
		setup_filter_leave(f, event);
	}
	name_list_release(&events);
}

/* Finds the event that explains the error best: one that has the fields, else the last one. */
static int ask_events(struct setup *s, const char *instance, const char *system, const char *filter,
		      struct errmsg *err)
{
	char dir[TRACEFS_NAME_MAX + 16], path[TRACEFS_PATH_MAX], field[TRACEFS_NAME_MAX];
	struct name_list events, fields;
	int r = -ENOENT;

	snprintf(dir, sizeof(dir), "events/%s", system);
	if (tracefs_directories(&s->t, instance, dir, &events) < 0)
		return -ENOENT;
	for (size_t i = 0; i < events.n && r == -ENOENT; i++) {
		struct errmsg why = {0};

		if (read_fields(&s->t, system, events.names[i], &fields) >= 0 &&
		    !find_missing(&fields, filter, field, sizeof(field)) &&
		    tracefs_write(&s->t, instance,
				  eventdir_fmt_path(system, events.names[i], "filter", path),
				  filter, TRACEFS_SET, &why) < 0)
			r = setup_filter_explain(s, system, events.names[i], filter, &why, err);
		name_list_release(&fields);
	}
	name_list_release(&events);
	return r;
}

int setup_filter_tell(struct setup *s, const char *instance, const char *pattern,
		      const char *system, const char *filter, const struct setup_filter *f,
		      struct errmsg *err)
{
	bool is_all = !strcmp(pattern, "all");

	if (!f->n_left)
		return 0;
	if (!f->n_taken) {
		int r = *system ? ask_events(s, instance, system, filter, err) : -ENOENT;

		return r != -ENOENT ? r
				    : errmsg_set(err, -EINVAL,
						 "no event of '%s' has the fields of the filter "
						 "'%.200s' (-f); 'sonde list -e -F%s%s' lists the "
						 "fields",
						 pattern, filter, is_all ? "" : " ",
						 is_all ? "" : pattern);
	}
	setup_note(s,
		   "the filter '%.200s' applies to %zu of the events of '%s'; %zu do not have the "
		   "field and are recorded unfiltered: %s%s",
		   filter, f->n_taken, pattern, f->n_left, f->names,
		   f->n_left > NAMED_MAX ? " …" : "");
	return 0;
}
