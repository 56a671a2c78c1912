// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_dump.c - `sonde dump`: what is in a trace file besides its events, in the words of trace-cmd.
 *
 * Options choose items (present/dump/dump.h), which makes the text. What is damaged or cut off is left out
 * and said at the end; the exit status is 1 then.
 */
#include "base/options.h"
#include "cli/command.h"
#include "cli/screen/notes.h"
#include "cli/screen/output.h"
#include "inputs/inputs.h"
#include "present/dump/dump.h"

#include <errno.h>
#include <stdio.h>

struct dump_options {
	const char *input;
	bool validate;
	bool item[15]; /* by the number of its bit */
	bool all;
};

#define ITEM(bit) offsetof(struct dump_options, item) + (bit) * sizeof(bool)

static int apply_verbose(void *opts, const char *value, struct errmsg *err)
{
	return 0;
}

static const struct option_row rows[] = {
	{OPTION_STRING, 'i', "input", "FILE", "read FILE (default: trace.dat)",
	 offsetof(struct dump_options, input), .complete = "file"},
	{OPTION_FLAG, 'v', "validate", NULL, "only report whether the file is valid",
	 offsetof(struct dump_options, validate)},
	{OPTION_FLAG, 0, "summary", NULL, "show one line for each part of the file (default)",
	 ITEM(0)},
	{OPTION_FLAG, 0, "all", NULL, "show everything", offsetof(struct dump_options, all)},
	{OPTION_FLAG, 0, "head-page", NULL, "show the layout of a sub-buffer", ITEM(1)},
	{OPTION_FLAG, 0, "head-event", NULL, "show the layout of an event's header", ITEM(2)},
	{OPTION_FLAG, 0, "ftrace-events", NULL, "show the formats of the tracers' own events",
	 ITEM(3)},
	{OPTION_FLAG, 0, "systems", NULL, "show the event systems and how many events each has",
	 ITEM(4)},
	{OPTION_FLAG, 0, "events", NULL, "show the formats of the events", ITEM(5)},
	{OPTION_FLAG, 0, "kallsyms", NULL, "show the kernel's symbols", ITEM(6)},
	{OPTION_FLAG, 0, "printk", NULL, "show the formats of trace_printk()", ITEM(7)},
	{OPTION_FLAG, 0, "cmd-lines", NULL, "show the names of tasks", ITEM(8)},
	{OPTION_FLAG, 0, "options", NULL, "show the options of the file", ITEM(9)},
	{OPTION_FLAG, 0, "flyrecord", NULL, "show where the data of each CPU is", ITEM(10)},
	{OPTION_FLAG, 0, "clock", NULL, "show the trace clock", ITEM(11)},
	{OPTION_FLAG, 0, "sections", NULL, "show the sections (version 7)", ITEM(12)},
	{OPTION_FLAG, 0, "strings", NULL, "show the descriptions of sections (version 7)",
	 ITEM(13)},
	{OPTION_FLAG, 0, "modules", NULL, "show the modules of the kernel (version 7)", ITEM(14)},
	{OPTION_CALL, 0, "verbose", "LEVEL", "accepted for compatibility; has no effect",
	 .apply = apply_verbose, .arg_optional = true},
	{OPTION_END},
};

static unsigned wanted_items(const struct dump_options *o)
{
	unsigned items = 0;

	if (o->all)
		return DUMP_ALL;
	for (unsigned bit = 0; bit < sizeof(o->item); bit++)
		items |= (unsigned)o->item[bit] << bit;
	return items || o->validate ? items : DUMP_SUMMARY;
}

static void put(void *ctx, const char *text, size_t len)
{
	fwrite(text, 1, len, stdout);
}

static int dump(const struct dump_options *o, const char *path, struct errmsg *err)
{
	struct inputs_spec spec = INPUTS_ONE(path);
	struct inputs in = {0};
	struct output out;
	int r;

	spec.no_events = true;
	r = inputs_open(&in, &spec, err);
	if (r >= 0) {
		size_t pos = 0;

		output_page(&out);
		r = dump_emit(&in.files[0], wanted_items(o), put, NULL);
		if (o->validate && !r && !inputs_next_damage(&in, &pos))
			printf("File %s is a valid trace-cmd file\n", path);
		fflush(stdout);
		output_unpage(&out);
		if (!r)
			r = notes_print_damage(&in, false);
	}
	inputs_close(&in);
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct dump_options o = {0};
	int r = command_parse(cmd, &o, argc, argv, err);

	if (r < 0)
		return r;
	if (r > 1 || (r && o.input))
		return errmsg_set(err, -EINVAL, "dump: '%s' is one file too many", argv[r]);
	return dump(&o, o.input ? o.input : r ? argv[1] : "trace.dat", err);
}

const struct command cmd_dump = {
	.name = "dump",
	.summary = "show the metadata of a trace file",
	.usage = "[options] [FILE]",
	.options = rows,
	.run = run,
	.args = "file",
};
