// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_extract.c - `sonde extract`: writes the current contents of the kernel's buffers to a
 * trace.dat.
 *
 * live/kernel/extract.c stops the buffers and reads them; -k lets them continue. This file has the
 * options, and tells the user what the new file contains: it counts the events in the file.
 */
#include "base/options.h"
#include "base/scope.h"
#include "capture/record/recording.h"
#include "live/kernel/extract.h"
#include "live/request.h"
#include "store/compression.h"
#include "inputs/info/filecount.h"
#include "cli/kernel/instances.h"
#include "cli/record/recordopts.h"

#include <stdio.h>

struct extract_options {
	struct instance_args instances;
	const char *output, *compression, *ts_offset;
	long long file_version;
	bool snapshot, keep, date, quiet;
};

#define AT(field) offsetof(struct extract_options, field)

static const struct option_row rows[] = {
	ROW_STRING('o', "output", "FILE", "write to this file (default: trace.dat)", AT(output),
		   .complete = "file"),
	INSTANCES_ROW_NAME,
	INSTANCES_ROW_ALL,
	INSTANCES_ROW_TOP,
	ROW_FLAG('s', "snapshot", "use the snapshot instead of the buffer", AT(snapshot)),
	ROW_FLAG('k', "keep", "do not stop the buffers", AT(keep)),
	ROW_FLAG(0, "date", "record the offset to the time of day, so that reports can show it",
		 AT(date)),
	ROW_STRING(0, "ts-offset", "N", "add N to every timestamp", AT(ts_offset)),
	ROW_STRING(0, "compression", "HOW",
		   "compress with none, zstd, zlib or any (default: compress only symbols and "
		   "formats)",
		   AT(compression), .complete = "none zstd zlib any"),
	ROW_NUMBER(0, "file-version", "6|7", "version of the file format (default: 7)",
		   AT(file_version)),
	ROW_FLAG('q', "quiet", "print only errors", AT(quiet)),
	ROW_END,
};

/*
 * Prints the outcome. Events are counted in the file: the kernel's counters include events that
 * other programs have read, and do not cover a snapshot.
 */
static void show_outcome(const char *path)
{
	struct filecount count;
	char words[FILECOUNT_WORDS_BYTES], size[32];

	if (filecount_read(-1, path, &count) < 0) {
		fprintf(stderr, "%s: %s\n", path,
			filecount_size(filecount_bytes(-1, path), size, sizeof(size)));
		return;
	}
	fprintf(stderr, "%s: %s, %s", path, filecount_words(count.n_events, words),
		filecount_size(filecount_bytes(-1, path), size, sizeof(size)));
	if (count.n_missed)
		fprintf(stderr, ", %llu lost before (use a larger buffer: sonde set -b)",
			(unsigned long long)count.n_missed);
	else if (count.has_gaps)
		fputs(", others lost before (use a larger buffer: sonde set -b)", stderr);
	fputc('\n', stderr);
}

static int extract(const struct extract_options *o, struct errmsg *err)
{
	struct recording_config config = {
		.path = o->output ? o->output : "trace.dat",
		.version = o->file_version,
		.ts_offset = o->ts_offset,
		.date = o->date,
		.snapshot = o->snapshot,
		.program = "sonde " SONDE_VERSION,
	};
	bool is_stopped;

	TRY(compression_choose(o->compression, o->file_version, &config.compression,
			       &config.plain_data, err));
	TRY(live_extract(&o->instances, &config, o->keep, &is_stopped, err));
	if (o->quiet)
		return 0;
	show_outcome(config.path);
	if (is_stopped)
		fputs("tracing is now stopped; 'sonde restart' resumes it (-k keeps it running)\n",
		      stderr);
	return 0;
}

static void release(struct extract_options *o)
{
	name_list_release(&o->instances.names);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	SCOPED(release) struct extract_options o = {.file_version = 7};
	int n = command_parse(cmd, &o, argc, argv, err);

	TRY(n);
	TRY(instances_refuse_words(cmd, n, argv, err));
	TRY(live_request_check_output(o.output, err));
	return extract(&o, err);
}

const struct command cmd_extract = {
	.name = "extract",
	.summary = "save the kernel's buffers to a trace file",
	.usage = "[options]",
	.options = rows,
	.run = run,
};
