// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_list.c - `sonde list`: what a trace knows, or the running kernel: events and their formats, systems,
 * functions, buffers, clock; and what sonde knows by itself.
 *
 *	sonde list -e sched                the running kernel: offer.c
 *	sonde list -e sched trace.dat      words: one that names a file is the trace, another one is
 *	                                   the expression of -e, -f or -o
 *
 * Everything is sorted by name, so that two traces can be compared with diff; only the formats of
 * events are printed as the kernel wrote them. namematch.h has the expressions.
 */
#include "cli/command.h"
#include "live/offer.h"
#include "decode/namematch.h"
#include "base/textbuf.h"
#include "cli/notes.h"
#include "cli/output.h"
#include "inputs/inputs.h"
#include "store/unpack.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX_BYTES (64u << 20)

extern const struct command cmd_options;

static int apply_events(void *opts, const char *value, struct errmsg *err)
{
	struct list_options *o = opts;

	o->events = true;
	o->event_re = value ? value : o->event_re;
	return 0;
}

static int apply_functions(void *opts, const char *value, struct errmsg *err)
{
	struct list_options *o = opts;

	o->functions = true;
	o->function_re = value ? value : o->function_re;
	return 0;
}

static int apply_options(void *opts, const char *value, struct errmsg *err)
{
	struct list_options *o = opts;

	o->options = true;
	o->option_re = value ? value : o->option_re;
	return 0;
}

static const struct option_row rows[] = {
	{OPTION_STRING, 'i', "input", "FILE",
	 "list what this trace file contains; may also be an argument",
	 offsetof(struct list_options, input), .complete = "file"},
	{OPTION_CALL, 'e', "events", "RE",
	 "list events, all or those whose system or name matches RE", .apply = apply_events,
	 .arg_optional = true},
	{OPTION_FLAG, 'F', "fields", NULL, "with -e: show the fields",
	 offsetof(struct list_options, fields)},
	{OPTION_FLAG, 0, "full", NULL, "with -e and -F: also show the print formats",
	 offsetof(struct list_options, full)},
	{OPTION_FLAG, 'l', "filters", NULL, "with -e: show the filters (running kernel)",
	 offsetof(struct list_options, filters)},
	{OPTION_FLAG, 'R', "triggers", NULL, "with -e: show the triggers (running kernel)",
	 offsetof(struct list_options, triggers)},
	{OPTION_FLAG, 's', "systems", NULL, "list event systems",
	 offsetof(struct list_options, systems)},
	{OPTION_FLAG, 't', "tracers", NULL, "list tracers (running kernel)",
	 offsetof(struct list_options, tracers)},
	{OPTION_FLAG, 'p', NULL, NULL, "the same as -t", offsetof(struct list_options, tracers),
	 .hidden = true},
	{OPTION_CALL, 'o', "options", "RE",
	 "list tracing options with their values, all or those that match RE (running kernel)",
	 .apply = apply_options, .arg_optional = true},
	{OPTION_CALL, 'f', "functions", "RE", "list kernel functions, all or those that match RE",
	 .apply = apply_functions, .arg_optional = true},
	{OPTION_FLAG, 'B', "buffers", NULL, "list buffer instances",
	 offsetof(struct list_options, buffers)},
	{OPTION_FLAG, 'C', "clock", NULL, "list the trace clocks, the current one in brackets",
	 offsetof(struct list_options, clock)},
	{OPTION_FLAG, 'P', "plugins", NULL, "list the events that a plugin prints",
	 offsetof(struct list_options, plugins)},
	{OPTION_FLAG, 'O', "plugin-options", NULL,
	 "list the plugin options for report -O (needs no trace)",
	 offsetof(struct list_options, plugin_options)},
	{OPTION_FLAG, 'c', "compressions", NULL, "list the supported compressions (needs no trace)",
	 offsetof(struct list_options, compressions)},
	{OPTION_END},
};

/* --- events ------------------------------------------------------------------------------------ */

/* The text as far as the fields go, or with the print format behind them. */
static void print_format(const struct event *ev, bool full)
{
	const char *text = (const char *)ev->text.data;
	const char *end = full ? NULL : memmem(text, ev->text.len, "print fmt", 9);

	printf("system: %s\n", ev->system);
	fwrite(text, 1, end ? (size_t)(end - text) : ev->text.len, stdout);
}

static int list_events(struct formats *f, const struct list_options *o, struct errmsg *err)
{
	struct event **events = formats_list(f);
	struct event_match m;
	size_t n_shown = 0;
	int r = events ? event_match_init(&m, o->event_re, err) : -ENOMEM;

	for (size_t i = 0; !r && i < f->n_events; i++) {
		const struct event *ev = events[i];

		if (ev->is_made_up || !event_match_test(&m, ev->system, ev->name))
			continue;
		n_shown++;
		if (o->fields)
			print_format(ev, o->full);
		else
			printf("%s:%s\n", ev->system, ev->name);
	}
	if (!r) {
		if (!n_shown && !m.all)
			r = list_refuse_none("event", o->event_re, o->input, err);
		event_match_release(&m);
	}
	free(events);
	return r;
}

static int list_systems(struct formats *f)
{
	struct event **events = formats_list(f);
	const char *last = "";

	if (!events)
		return -ENOMEM;
	for (size_t i = 0; i < f->n_events; i++) {
		if (events[i]->is_made_up || !strcmp(events[i]->system, last))
			continue;
		last = events[i]->system;
		puts(last);
	}
	free(events);
	return 0;
}

static int list_plugins(struct formats *f)
{
	struct event **events = formats_list(f);

	if (!events)
		return -ENOMEM;
	for (size_t i = 0; i < f->n_events; i++) {
		const struct event *ev = formats_find(f, events[i]->id);

		if (ev && ev->handler && !ev->is_made_up)
			printf("%s:%s\n", ev->system, ev->name);
	}
	free(events);
	return 0;
}

/* --- functions --------------------------------------------------------------------------------- */

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

/* "ADDR T NAME[\t[MODULE]]": NAME and what follows, if it is a function. */
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

static size_t print_functions(const struct function_name *names, size_t n,
			      const struct name_match *match)
{
	size_t n_shown = 0;

	for (size_t i = 0; i < n; i++) {
		char buf[1024];
		char *tab;

		if (i && !function_compare(&names[i - 1], &names[i]))
			continue;
		snprintf(buf, sizeof(buf), "%.*s", (int)names[i].len, names[i].text);
		tab = strchr(buf, '\t'); /* before the module */
		if (tab)
			*tab = ' ';
		if (name_match_test(match, buf)) {
			puts(buf);
			n_shown++;
		}
	}
	return n_shown;
}

static int list_functions(struct tracefile *tf, const struct list_options *o, struct errmsg *err)
{
	struct piece text = tracefile_text(tf, TRACEFILE_KALLSYMS);
	size_t max = text.len / 5 + 1; /* a line has at least "0 t x\n" */
	struct function_name *names = malloc(max * sizeof(*names));
	struct name_match match;
	size_t n;
	int r = names ? name_match_init(&match, o->function_re, err) : -ENOMEM;

	if (!r) {
		n = collect_functions(text, names, max);
		qsort(names, n, sizeof(*names), function_compare);
		if (!print_functions(names, n, &match) && !match.all)
			r = list_refuse_none("function", o->function_re, o->input, err);
		name_match_release(&match);
	}
	free(names);
	return r;
}

/* --- the rest ---------------------------------------------------------------------------------- */

static int name_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int list_buffers(const struct tracefile *tf)
{
	const char **names = calloc(tf->n_buffers + 1, sizeof(*names));
	size_t n = 0;

	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < tf->n_buffers; i++)
		if (*tf->buffers[i].name)
			names[n++] = tf->buffers[i].name;
	qsort(names, n, sizeof(*names), name_compare);
	for (size_t i = 0; i < n; i++)
		puts(names[i]);
	if (!n)
		puts("No buffer instances defined");
	free(names);
	return 0;
}

static void list_clock(const struct tracefile *tf)
{
	const struct tracefile_option *o = tracefile_option_find(tf, SNF_OPTION_TRACECLOCK);
	const char *clock = tf->n_buffers ? tf->buffers[0].clock : NULL;

	if (o && o->data.len && memchr(o->data.data, '[', o->data.len)) {
		size_t len = o->data.len;

		while (len && (!o->data.data[len - 1] || isspace(o->data.data[len - 1])))
			len--;
		printf("%.*s\n", (int)len, (const char *)o->data.data);
	} else if (clock && *clock) {
		printf("[%s]\n", clock);
	} else {
		puts("The trace does not say which clock it was");
	}
}

static void list_compressions(void)
{
	puts("Supported compression algorithms:");
	for (int kind = COMPRESSION_NONE + 1; kind < COMPRESSION_UNKNOWN; kind++)
		printf("\t%s, %s\n", compression_name(kind), compression_version(kind));
}

static int list_overview(struct inputs_file *file, const struct list_options *o, struct errmsg *err)
{
	int r;

	puts("event systems:");
	r = list_systems(file->formats);
	puts("\nevents:");
	if (!r)
		r = list_events(file->formats, o, err);
	puts("\nbuffer instances:");
	if (!r)
		r = list_buffers(file->tf);
	puts("\nclock:");
	list_clock(file->tf);
	return r;
}

/* Anything that sonde does not know by itself. */
static bool wants_trace(const struct list_options *o)
{
	return o->events || o->systems || o->functions || o->buffers || o->clock || o->plugins ||
	       o->tracers || o->options;
}

static int list_file(struct inputs_file *file, const struct list_options *o, struct errmsg *err)
{
	struct formats *f = file->formats;
	int r = 0;

	if (!wants_trace(o))
		r = list_overview(file, o, err);
	if (!r && o->events)
		r = list_events(f, o, err);
	if (!r && o->plugins)
		r = list_plugins(f);
	if (!r && o->functions)
		r = list_functions(file->tf, o, err);
	if (!r && o->buffers)
		r = list_buffers(file->tf);
	if (!r && o->clock)
		list_clock(file->tf);
	if (!r && o->systems)
		r = list_systems(f);
	return r;
}

/* --- the command ------------------------------------------------------------------------------- */

static int take_words(struct list_options *o, int n, char **words, struct errmsg *err)
{
	const char *file = NULL;

	for (int i = 0; i < n && !o->input && !file; i++)
		file = access(words[i], F_OK) ? NULL : words[i];
	for (int i = 0; i < n; i++) {
		if (words[i] == file)
			o->input = file;
		else if (o->events && !o->event_re)
			o->event_re = words[i];
		else if (o->functions && !o->function_re)
			o->function_re = words[i];
		else if (o->options && !o->option_re)
			o->option_re = words[i];
		else if (!o->input && !file)
			o->input = words[i];
		else
			return errmsg_set(err, -EINVAL, "list: '%s' is one word too many",
					  words[i]);
	}
	if ((o->filters || o->triggers) && !o->events)
		return errmsg_set(err, -EINVAL,
				  "list: -l and -R show filters and triggers of events: add -e");
	if (o->input && (o->filters || o->triggers || o->tracers || o->options))
		return errmsg_set(
			err, -EINVAL,
			"list: -t, -o, -l and -R ask the running kernel; a trace does not "
			"know it");
	if (o->fields && !o->events)
		return errmsg_set(err, -EINVAL, "list: -F shows the fields of events: add -e");
	if (o->full && !o->fields)
		return errmsg_set(err, -EINVAL, "list: --full goes with -e and -F");
	return 0;
}

static int list_path(const struct list_options *o, struct errmsg *err)
{
	struct inputs_spec spec = INPUTS_ONE(o->input);
	struct inputs in = {0};
	int r = inputs_open(&in, &spec, err);

	if (r >= 0) {
		r = list_file(&in.files[0], o, err);
		fflush(stdout);
		if (!r)
			r = notes_print_damage(&in, false);
	}
	inputs_close(&in);
	return r;
}

static int list_kernel(const struct list_options *o, struct errmsg *err)
{
	struct textbuf tb;
	int r;

	textbuf_init(&tb, TEXT_MAX_BYTES);
	r = offer_list(o, !wants_trace(o), &tb, err);
	fwrite(tb.start, 1, textbuf_len(&tb), stdout);
	textbuf_release(&tb);
	return r;
}

static int list(const struct list_options *o, struct errmsg *err)
{
	if (o->compressions)
		list_compressions();
	if ((o->plugin_options || o->compressions) && !wants_trace(o))
		return 0;
	return o->input ? list_path(o, err) : list_kernel(o, err);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct list_options o = {0};
	struct output out;
	int r = command_parse(cmd, &o, argc, argv, err);

	if (r < 0)
		return r;
	r = take_words(&o, r, argv + 1, err);
	if (r < 0)
		return r;
	if (o.plugin_options)
		r = cmd_options.run(&cmd_options, 1, argv, err);
	if (r < 0)
		return r;
	output_page(&out);
	r = list(&o, err);
	output_unpage(&out);
	return r;
}

const struct command cmd_list = {
	.name = "list",
	.summary = "list events, functions and tracers of the kernel or a trace file",
	.usage = "[options] [RE] [FILE]",
	.options = rows,
	.run = run,
	.args = "file",
};
