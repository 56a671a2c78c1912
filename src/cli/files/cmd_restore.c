// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_restore.c - `sonde restore`: builds a valid trace from the files of a failed recording.
 *
 *	sonde restore trace.dat.cpu0 trace.dat.cpu1     formats are read from the running kernel,
 *	                                                a copy of its tracing directory (-t) or a
 *	                                                partial trace that was written in time (-c,
 *	                                                -i)
 *	sonde restore -o sound.dat trace.dat            repairs a truncated or damaged trace
 *
 * rewrite/restore.h builds the trace; this file reads the description of the kernel for it.
 */
#include "base/array.h"
#include "base/options.h"
#include "base/scope.h"
#include "capture/kernel/kernelinfo.h"
#include "cli/command.h"
#include "cli/screen/notes.h"
#include "format/bytes.h"
#include "rewrite/restore.h"

#include <errno.h>

struct restore_options {
	const char *output, *partial, *tracing_dir, *kallsyms;
	bool create;
};

static const struct option_row rows[] = {
	ROW_STRING('o', "output", "FILE",
		   "write this file (default: trace.dat, or trace-partial.dat with -c)",
		   offsetof(struct restore_options, output), .complete = "file"),
	ROW_FLAG('c', "create",
		 "write a partial trace: the description of this kernel, without events",
		 offsetof(struct restore_options, create)),
	ROW_STRING('i', "input", "FILE",
		   "read the description of the kernel from this partial trace",
		   offsetof(struct restore_options, partial), .complete = "file"),
	ROW_STRING('t', "tracing-dir", "DIR",
		   "read the description of the kernel from this tracing directory",
		   offsetof(struct restore_options, tracing_dir), .complete = "dir"),
	ROW_STRING('k', "kallsyms", "FILE", "read symbols from this file (default: /proc/kallsyms)",
		   offsetof(struct restore_options, kallsyms), .complete = "file"),
	ROW_END,
};

struct description {
	const struct restore_options *opts;
	struct kernelinfo info;
	bool is_read;
};

static int describe(void *ctx, struct restore_kernel *ret, struct errmsg *err)
{
	struct description *d = ctx;
	const struct restore_options *o = d->opts;
	int r = kernelinfo_read(
		&d->info,
		&(struct kernelinfo_config){.dir = o->tracing_dir, .kallsyms = o->kallsyms}, err);

	d->is_read = true; /* to be released in any case */
	TRY(r);
	*ret = (struct restore_kernel){
		.clocks = textbuf_len(&d->info.clock) ? d->info.clock.start : "",
		.clock_name = d->info.clock_name,
		.uname = d->info.uname,
		.page_size = d->info.page_size,
		.long_size = d->info.long_size,
		.data_offset = d->info.data_offset,
	};
	for (size_t kind = 0; kind < ARRAY_LEN(ret->texts); kind++)
		ret->texts[kind] = PIECE_OF_TEXT(&d->info.texts[kind]);
	return 0;
}

static int check_options(const struct restore_options *o, int n, char **argv, struct errmsg *err)
{
	if (o->create && o->partial)
		return errmsg_set(err, -EINVAL,
				  "restore: -c makes a partial trace, -i uses one; not both");
	if (o->create && n)
		return errmsg_set(err, -EINVAL, "restore: -c takes no data, so no '%s'", argv[1]);
	if (o->partial && (o->tracing_dir || o->kallsyms))
		return errmsg_set(err, -EINVAL,
				  "restore: with -i nothing is read from a tracing directory");
	if (!o->create && !n)
		return errmsg_set(
			err, -EINVAL,
			"restore: name what was left behind, like trace.dat.cpu0, or a damaged "
			"trace");
	return 0;
}

static int restore(const struct restore_options *o, int n, char **argv, struct errmsg *err)
{
	struct description d = {.opts = o};
	struct restore_config config = {
		.output = o->output, .describe = describe, .ctx = &d, .notes = {notes_print, NULL}};
	int r = o->create ? restore_partial(&config, err)
			  : restore_cpu_files(&config, o->partial, n, argv + 1, err);

	if (d.is_read)
		kernelinfo_release(&d.info);
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct restore_options o = {0};
	int n = command_parse(cmd, &o, argc, argv, err);

	TRY(n);
	TRY(check_options(&o, n, argv, err));
	if (n == 1 && restore_is_trace(argv[1])) {
		struct restore_config config = {.output = o.output, .notes = {notes_print, NULL}};

		if (!o.output)
			return errmsg_set(err, -EINVAL,
					  "restore: name the file to write with -o; %s stays "
					  "as it is",
					  argv[1]);
		return restore_trace(&config, argv[1], err);
	}
	if (!o.output)
		o.output = o.create ? "trace-partial.dat" : "trace.dat";
	return restore(&o, n, argv, err);
}

const struct command cmd_restore = {
	.name = "restore",
	.summary = "repair a trace file after a crash",
	.usage = "[options] CPU-FILE… | -c | -o TARGET DAMAGED-TRACE",
	.options = rows,
	.run = run,
	.args = "file",
};
