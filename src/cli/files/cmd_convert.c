// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_convert.c - `sonde convert`: writes the same trace in another version or compression of the
 * format.
 *
 * This file has the options; rewrite/convert.h does the work. Source and target may be the same
 * file. A damaged source is converted as far as it can be read; then the exit status is 1.
 */
#include "base/options.h"
#include "base/scope.h"
#include "cli/command.h"
#include "cli/screen/notes.h"
#include "inputs/foreign/formats.h"
#include "rewrite/convert.h"
#include "store/compression.h"

#include <errno.h>

struct convert_options {
	const char *input, *output, *compression;
	long long version;
};

static const struct option_row rows[] = {
	ROW_STRING('i', "input", "FILE",
		   "read FILE, a trace or a file of another tool (default: trace.dat)",
		   offsetof(struct convert_options, input), .complete = "file"),
	ROW_STRING('o', "output", "FILE", "write this file; may also be the last argument",
		   offsetof(struct convert_options, output), .complete = "file"),
	ROW_NUMBER(0, "file-version", "N", "version of the result: 6 or 7 (default: 7)",
		   offsetof(struct convert_options, version), .complete = "6 7"),
	ROW_STRING(0, "compression", "NAME",
		   "compress with none, zstd, zlib or any (default: as in the input)",
		   offsetof(struct convert_options, compression), .complete = "none zstd zlib any"),
	ROW_END,
};

static int check_options(struct convert_options *o, int argc, char **argv, struct errmsg *err)
{
	const struct foreign_format *foreign;
	int i = 0;

	if (argc > 1 && !o->input) /* convert SOURCE TARGET */
		o->input = argv[++i];
	if (i < argc && !o->output)
		o->output = argv[++i];
	if (i < argc)
		return errmsg_set(err, -EINVAL,
				  "convert: '%s' is one name too many: there is one target",
				  argv[i + 1]);
	if (!o->output)
		return errmsg_set(err, -EINVAL,
				  "convert: no target; name it with -o or as last argument");
	/* "convert perf.data" means the source; the target's old contents would be lost */
	foreign = o->input ? NULL : foreign_find(o->output);
	if (foreign)
		return errmsg_set(err, -EINVAL,
				  "convert: %s is a %s and would be overwritten; name the "
				  "target, too: sonde convert %s trace.dat",
				  o->output, foreign->name, o->output);
	if (!o->input)
		o->input = "trace.dat";
	if (o->version != 6 && o->version != 7)
		return errmsg_set(err, -EINVAL, "convert: there is no version %lld, only 6 and 7",
				  o->version);
	return 0;
}

static int convert_foreign(const struct convert_options *o, const struct foreign_format *foreign,
			   struct errmsg *err)
{
	struct foreign_config config = {.input = o->input,
					.output = o->output,
					.version = (int)o->version,
					.note = notes_print};

	TRY(compression_choose(o->compression, o->version, &config.compression, &config.plain_data,
			       err));
	return foreign->convert(&config, err);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct convert_options o = {.version = 7};
	const struct foreign_format *foreign;
	int r = command_parse(cmd, &o, argc, argv, err);

	TRY(r);
	r = check_options(&o, r, argv, err);
	TRY(r);
	foreign = foreign_find(o.input);
	if (foreign)
		return convert_foreign(&o, foreign, err);
	return convert_trace(&(struct convert_config){.input = o.input,
						      .output = o.output,
						      .version = o.version,
						      .compression = o.compression,
						      .notes = {notes_print, NULL}},
			     err);
}

const struct command cmd_convert = {
	.name = "convert",
	.summary = "change the version or compression of a trace file, or read another tool's file",
	.usage = "[-i FILE] [--file-version 6|7] [--compression NAME] [SOURCE] TARGET",
	.options = rows,
	.run = run,
	.args = "file",
};
