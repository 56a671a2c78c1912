// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_list.c - `sonde list`: lists events and their formats, systems, functions, buffers and clocks
 * of a trace or of the running kernel, and features of sonde.
 *
 *	sonde list -e sched                the running kernel: live/offer.h
 *	sonde list -e sched trace.dat      a word that names a file is the trace; another word is
 *	                                   the expression of -e, -f or -o
 *
 * decode/namematch.h has the expressions, present/dump/listing.h the lists of a file.
 */
#include "base/scope.h"
#include "cli/command.h"
#include "live/offer.h"
#include "base/textbuf.h"
#include "cli/screen/notes.h"
#include "cli/screen/output.h"
#include "inputs/inputs.h"
#include "present/dump/listing.h"
#include "store/unpack.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define TEXT_MAX_BYTES (256u << 20)

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
	ROW_STRING('i', "input", "FILE",
		   "list what this trace file contains; may also be an argument",
		   offsetof(struct list_options, input), .complete = "file"),
	ROW_CALL('e', "events", "RE", "list events, all or those whose system or name matches RE",
		 apply_events, .arg_optional = true),
	ROW_FLAG('F', "fields", "with -e: show the fields", offsetof(struct list_options, fields)),
	ROW_FLAG(0, "full", "with -e and -F: also show the print formats",
		 offsetof(struct list_options, full)),
	ROW_FLAG('l', "filters", "with -e: show the filters (running kernel)",
		 offsetof(struct list_options, filters)),
	ROW_FLAG('R', "triggers", "with -e: show the triggers (running kernel)",
		 offsetof(struct list_options, triggers)),
	ROW_FLAG('s', "systems", "list event systems", offsetof(struct list_options, systems)),
	ROW_FLAG('t', "tracers", "list tracers (running kernel)",
		 offsetof(struct list_options, tracers)),
	ROW_FLAG('p', NULL, "the same as -t", offsetof(struct list_options, tracers),
		 .hidden = true),
	ROW_CALL('o', "options", "RE",
		 "list tracing options with their values, all or those that match RE (running "
		 "kernel)",
		 apply_options, .arg_optional = true),
	ROW_CALL('f', "functions", "RE", "list kernel functions, all or those that match RE",
		 apply_functions, .arg_optional = true),
	ROW_FLAG('B', "buffers", "list buffer instances", offsetof(struct list_options, buffers)),
	ROW_FLAG('C', "clock", "list the trace clocks, the current one in brackets",
		 offsetof(struct list_options, clock)),
	ROW_FLAG('P', "plugins", "list the events that a plugin prints",
		 offsetof(struct list_options, plugins)),
	ROW_FLAG('O', "plugin-options", "list the plugin options for report -O (needs no trace)",
		 offsetof(struct list_options, plugin_options)),
	ROW_FLAG('c', "compressions", "list the supported compressions (needs no trace)",
		 offsetof(struct list_options, compressions)),
	ROW_END,
};

static void list_compressions(void)
{
	const char *name, *version;

	puts("Supported compression algorithms:");
	for (size_t i = 0; (name = compression_at(i, &version)); i++)
		printf("\t%s, %s\n", name, version);
}

/* Returns true if anything is requested that sonde does not know by itself. */
static bool wants_trace(const struct list_options *o)
{
	return o->events || o->systems || o->functions || o->buffers || o->clock || o->plugins ||
	       o->tracers || o->options;
}

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
	struct listing listing = {.path = o->input,
				  .event_re = o->event_re,
				  .function_re = o->function_re,
				  .overview = !wants_trace(o),
				  .events = o->events,
				  .plugins = o->plugins,
				  .functions = o->functions,
				  .buffers = o->buffers,
				  .clock = o->clock,
				  .systems = o->systems,
				  .fields = o->fields,
				  .full = o->full};
	struct inputs_spec spec = INPUTS_ONE(o->input);
	SCOPED(inputs_close) struct inputs in = {0};
	TEXTBUF(out, TEXT_MAX_BYTES);
	int r;

	TRY(inputs_open(&in, &spec, err));
	r = listing_fmt(&in.files[0], &listing, &out, err);
	fwrite(out.start, 1, textbuf_len(&out), stdout);
	fflush(stdout);
	return r ? r : notes_print_damage(&in, false);
}

static int list_kernel(const struct list_options *o, struct errmsg *err)
{
	TEXTBUF(tb, TEXT_MAX_BYTES);
	int r;

	r = offer_list(o, !wants_trace(o), &tb, err);
	fwrite(tb.start, 1, textbuf_len(&tb), stdout);
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

	TRY(r);
	r = take_words(&o, r, argv + 1, err);
	TRY(r);
	if (o.plugin_options)
		r = cmd_options.run(&cmd_options, 1, argv, err);
	TRY(r);
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
