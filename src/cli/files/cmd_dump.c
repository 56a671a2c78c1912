// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_dump.c - `sonde dump`: prints the contents of a trace file besides its events, in trace-cmd's
 * format.
 *
 * Options select items; present/dump/dump.h prints them. Damaged or truncated parts are omitted and
 * reported at the end; then the exit status is 1.
 */
#include "base/options.h"
#include "base/scope.h"
#include "cli/command.h"
#include "cli/screen/notes.h"
#include "cli/screen/output.h"
#include "inputs/inputs.h"
#include "present/dump/dump.h"

#include <stdio.h>

struct dump_options {
	struct file_option file; /* must be the first member */
	bool validate;
	bool item[15]; /* by the number of the item's bit */
	bool all;
};

#define ITEM(bit) offsetof(struct dump_options, item) + (bit) * sizeof(bool)

static int apply_verbose(void *opts, const char *value, struct errmsg *err)
{
	return 0;
}

static const struct option_row rows[] = {
	ROW_INPUT("read FILE (default: trace.dat)"),
	ROW_FLAG('v', "validate", "only report whether the file is valid",
		 offsetof(struct dump_options, validate)),
	ROW_FLAG(0, "summary", "show one line for each part of the file (default)", ITEM(0)),
	ROW_FLAG(0, "all", "show everything", offsetof(struct dump_options, all)),
	ROW_FLAG(0, "head-page", "show the layout of a sub-buffer", ITEM(1)),
	ROW_FLAG(0, "head-event", "show the layout of an event's header", ITEM(2)),
	ROW_FLAG(0, "ftrace-events", "show the formats of the tracers' own events", ITEM(3)),
	ROW_FLAG(0, "systems", "show the event systems and how many events each has", ITEM(4)),
	ROW_FLAG(0, "events", "show the formats of the events", ITEM(5)),
	ROW_FLAG(0, "kallsyms", "show the kernel's symbols", ITEM(6)),
	ROW_FLAG(0, "printk", "show the formats of trace_printk()", ITEM(7)),
	ROW_FLAG(0, "cmd-lines", "show the names of tasks", ITEM(8)),
	ROW_FLAG(0, "options", "show the options of the file", ITEM(9)),
	ROW_FLAG(0, "flyrecord", "show where the data of each CPU is", ITEM(10)),
	ROW_FLAG(0, "clock", "show the trace clock", ITEM(11)),
	ROW_FLAG(0, "sections", "show the sections (version 7)", ITEM(12)),
	ROW_FLAG(0, "strings", "show the descriptions of sections (version 7)", ITEM(13)),
	ROW_FLAG(0, "modules", "show the modules of the kernel (version 7)", ITEM(14)),
	ROW_CALL(0, "verbose", "LEVEL", "accepted for compatibility; has no effect", apply_verbose,
		 .arg_optional = true),
	ROW_END,
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
	SCOPED(inputs_close) struct inputs in = {0};
	struct output out;
	size_t pos = 0;
	int r;

	spec.no_events = true;
	if (inputs_open(&in, &spec, err) < 0)
		return errmsg_code(err);
	output_page(&out);
	r = dump_emit(&in.files[0], wanted_items(o), put, NULL);
	if (o->validate && !r && !inputs_next_damage(&in, &pos))
		printf("File %s is a valid trace-cmd file\n", path);
	fflush(stdout);
	output_unpage(&out);
	return r ? r : notes_print_damage(&in, false);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct dump_options o = {.file.path = "trace.dat"};
	int r = command_parse_file(cmd, &o.file, argc, argv, err);

	return r < 0 ? r : dump(&o, o.file.path, err);
}

const struct command cmd_dump = {
	.name = "dump",
	.summary = "show the metadata of a trace file",
	.usage = "[options] [FILE]",
	.options = rows,
	.run = run,
	.args = "file",
};
