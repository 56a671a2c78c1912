// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * listing.c - prints the lists of `sonde list` for a trace file.
 *
 * Everything is sorted by name, so that two traces can be compared with diff; only the formats of
 * events are shown as the kernel wrote them. The functions, about 100 000, are those of the trace's
 * kallsyms. A name is listed once, even if several functions have it.
 */
#include "present/dump/listing.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "decode/namematch.h"
#include "format/bytes.h"
#include "inputs/inputs.h"
#include "store/tracefile.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- events ----------------------------------------------------------------------------------- */

/* Adds the text up to the last field, or with the print format. */
static void add_format(const struct event *ev, bool full, struct textbuf *out)
{
	const char *text = (const char *)ev->text.data;
	const char *end = full ? NULL : memmem(text, ev->text.len, "print fmt", 9);

	textbuf_addf(out, "system: %s\n", ev->system);
	textbuf_add(out, text, end ? (size_t)(end - text) : ev->text.len);
}

static int list_events(struct formats *f, const struct listing *o, struct textbuf *out,
		       struct errmsg *err)
{
	SCOPED(scope_free) struct event **events = formats_list(f);
	struct event_match m;
	size_t n_shown = 0;
	int r;

	TRY(events ? event_match_init(&m, o->event_re, err) : -ENOMEM);
	for (size_t i = 0; i < f->n_events; i++) {
		const struct event *ev = events[i];

		if (ev->is_made_up || !event_match_test(&m, ev->system, ev->name))
			continue;
		n_shown++;
		if (o->fields)
			add_format(ev, o->full, out);
		else
			textbuf_addf(out, "%s:%s\n", ev->system, ev->name);
	}
	r = n_shown || m.all ? 0 : list_refuse_none("event", o->event_re, o->path, err);
	event_match_release(&m);
	return r;
}

static int list_systems(struct formats *f, struct textbuf *out)
{
	SCOPED(scope_free) struct event **events = formats_list(f);
	const char *last = "";

	if (!events)
		return -ENOMEM;
	for (size_t i = 0; i < f->n_events; i++) {
		if (events[i]->is_made_up || !strcmp(events[i]->system, last))
			continue;
		last = events[i]->system;
		textbuf_addf(out, "%s\n", last);
	}
	return 0;
}

static int list_plugins(struct formats *f, struct textbuf *out)
{
	SCOPED(scope_free) struct event **events = formats_list(f);

	if (!events)
		return -ENOMEM;
	for (size_t i = 0; i < f->n_events; i++) {
		const struct event *ev = formats_find(f, events[i]->id);

		if (ev && ev->handler && !ev->is_made_up)
			textbuf_addf(out, "%s:%s\n", ev->system, ev->name);
	}
	return 0;
}

/* --- functions -------------------------------------------------------------------------------- */

struct function_name {
	const char *text; /* "name" or "name [module]", not terminated */
	uint32_t len;
};

static int function_compare(const void *a, const void *b)
{
	const struct function_name *x = a, *y = b;
	int r = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);

	return r ? r : (x->len > y->len) - (x->len < y->len);
}

/*
 * Parses "ADDR T NAME[\t[MODULE]]", and takes NAME and the rest. Returns false if it is not a
 * function.
 */
static bool parse_function(const char *line, size_t len, struct function_name *ret)
{
	const char *end = line + len, *type = memchr(line, ' ', len);

	if (!type || end - type < 4 || !strchr("tTwW", type[1]) || type[2] != ' ')
		return false;
	*ret = (struct function_name){type + 3, end - type - 3};
	return true;
}

static size_t collect_functions(struct piece text, struct function_name *names, size_t max)
{
	const char *p = (const char *)text.data, *end = p + text.len;
	size_t n = 0;

	while (p < end && n < max) {
		const char *nl = memchr(p, '\n', end - p), *stop = nl ? nl : end;

		n += parse_function(p, stop - p, &names[n]);
		p = stop + 1;
	}
	return n;
}

static size_t add_functions(const struct function_name *names, size_t n,
			    const struct name_match *match, struct textbuf *out)
{
	size_t n_shown = 0;

	for (size_t i = 0; i < n; i++) {
		char buf[1024];
		char *tab;

		if (i && !function_compare(&names[i - 1], &names[i]))
			continue;
		snprintf(buf, sizeof(buf), "%.*s", (int)names[i].len, names[i].text);
		tab = strchr(buf, '\t'); /* the tab precedes the module */
		if (tab)
			*tab = ' ';
		if (name_match_test(match, buf)) {
			textbuf_addf(out, "%s\n", buf);
			n_shown++;
		}
	}
	return n_shown;
}

static int list_functions(struct tracefile *tf, const struct listing *o, struct textbuf *out,
			  struct errmsg *err)
{
	struct piece text = tracefile_text(tf, TRACEFILE_KALLSYMS);
	size_t max = text.len / 5 + 1; /* a line has at least "0 t x\n" */
	SCOPED(scope_free) struct function_name *names = malloc(max * sizeof(*names));
	struct name_match match;
	size_t n;
	int r;

	TRY(names ? name_match_init(&match, o->function_re, err) : -ENOMEM);
	n = collect_functions(text, names, max);
	qsort(names, n, sizeof(*names), function_compare);
	r = add_functions(names, n, &match, out) || match.all
		    ? 0
		    : list_refuse_none("function", o->function_re, o->path, err);
	name_match_release(&match);
	return r;
}

/* --- the rest --------------------------------------------------------------------------------- */

static int name_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int list_buffers(const struct tracefile *tf, struct textbuf *out)
{
	SCOPED(scope_free) const char **names = calloc(tf->n_buffers + 1, sizeof(*names));
	size_t n = 0;

	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < tf->n_buffers; i++)
		if (*tf->buffers[i].name)
			names[n++] = tf->buffers[i].name;
	qsort(names, n, sizeof(*names), name_compare);
	for (size_t i = 0; i < n; i++)
		textbuf_addf(out, "%s\n", names[i]);
	if (!n)
		textbuf_add_str(out, "No buffer instances defined\n");
	return 0;
}

static void list_clock(const struct tracefile *tf, struct textbuf *out)
{
	const struct tracefile_option *o = tracefile_option_find(tf, SNF_OPTION_TRACECLOCK);
	const char *clock = tf->n_buffers ? tf->buffers[0].clock : NULL;

	if (o && o->data.len && memchr(o->data.data, '[', o->data.len)) {
		size_t len = o->data.len;

		while (len && (!o->data.data[len - 1] || isspace(o->data.data[len - 1])))
			len--;
		textbuf_addf(out, "%.*s\n", (int)len, (const char *)o->data.data);
	} else if (clock && *clock) {
		textbuf_addf(out, "[%s]\n", clock);
	} else {
		textbuf_add_str(out, "The trace does not say which clock it was\n");
	}
}

static int list_overview(const struct inputs_file *file, const struct listing *o,
			 struct textbuf *out, struct errmsg *err)
{
	textbuf_add_str(out, "event systems:\n");
	TRY(list_systems(file->formats, out));
	textbuf_add_str(out, "\nevents:\n");
	TRY(list_events(file->formats, o, out, err));
	textbuf_add_str(out, "\nbuffer instances:\n");
	TRY(list_buffers(file->tf, out));
	textbuf_add_str(out, "\nclock:\n");
	list_clock(file->tf, out);
	return 0;
}

int listing_fmt(const struct inputs_file *file, const struct listing *o, struct textbuf *out,
		struct errmsg *err)
{
	int r = 0;

	if (o->overview)
		r = list_overview(file, o, out, err);
	if (!r && o->events)
		r = list_events(file->formats, o, out, err);
	if (!r && o->plugins)
		r = list_plugins(file->formats, out);
	if (!r && o->functions)
		r = list_functions(file->tf, o, out, err);
	if (!r && o->buffers)
		r = list_buffers(file->tf, out);
	if (!r && o->clock)
		list_clock(file->tf, out);
	if (!r && o->systems)
		r = list_systems(file->formats, out);
	return r < 0 || !out->overflow ? r : -EFBIG;
}
