// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_extract.c - `sonde extract`: what the kernel's buffers hold now, into a trace.dat.
 *
 * The buffers are stopped (tracing_on 0) while they are read: a running one never comes to its end. They
 * stay stopped, as everything stays set; with -k those that ran go on. Reading takes the events out of
 * the buffer; a snapshot (-s) stays where it is.
 */
#include "base/options.h"
#include "capture/record/recording.h"
#include "live/request.h"
#include "store/compression.h"
#include "inputs/info/filecount.h"
#include "cli/kernel/instances.h"
#include "cli/record/recordopts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct extract_options {
	struct instance_args instances;
	const char *output, *compression, *ts_offset;
	long long file_version;
	bool snapshot, keep, date, quiet;
};

#define AT(field) offsetof(struct extract_options, field)

static const struct option_row rows[] = {
	{OPTION_STRING, 'o', "output", "FILE", "write to this file (default: trace.dat)",
	 AT(output), .complete = "file"},
	INSTANCES_ROW_NAME,
	INSTANCES_ROW_ALL,
	INSTANCES_ROW_TOP,
	{OPTION_FLAG, 's', "snapshot", NULL, "use the snapshot instead of the buffer",
	 AT(snapshot)},
	{OPTION_FLAG, 'k', "keep", NULL, "do not stop the buffers", AT(keep)},
	{OPTION_FLAG, 0, "date", NULL,
	 "record the offset to the time of day, so that reports can show it", AT(date)},
	{OPTION_STRING, 0, "ts-offset", "N", "add N to every timestamp", AT(ts_offset)},
	{OPTION_STRING, 0, "compression", "HOW",
	 "compress with none, zstd, zlib or any (default: compress only symbols and formats)",
	 AT(compression), .complete = "none zstd zlib any"},
	{OPTION_NUMBER, 0, "file-version", "6|7", "version of the file format (default: 7)",
	 AT(file_version)},
	{OPTION_FLAG, 'q', "quiet", NULL, "print only errors", AT(quiet)},
	{OPTION_END},
};

/*
 * Counted in the file: the kernel's counters include what others read before, and know nothing of a
 * snapshot.
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

static size_t count_running(const struct tracefs *t, const struct name_list *names)
{
	size_t n = 0;

	for (size_t i = 0; i < names->n; i++)
		n += tracefs_read_number(t, names->names[i], "tracing_on") > 0;
	return n;
}

static int extract(const struct extract_options *o, const struct tracefs *t,
		   const struct name_list *names, struct errmsg *err)
{
	size_t n_running = count_running(t, names);
	struct recording_config config = {
		.path = o->output ? o->output : "trace.dat",
		.version = o->file_version,
		.ts_offset = o->ts_offset,
		.date = o->date,
		.snapshot = o->snapshot,
		.program = "sonde " SONDE_VERSION,
	};
	struct recording_sum sum = {0};
	struct session s;
	int r = compression_choose(o->compression, o->file_version, &config.compression,
				   &config.plain_data, err),
	    r2;

	if (r < 0)
		return r;
	r = session_attach(&s, names, o->keep, err);
	if (r >= 0)
		r = recording_extract(&s, &config, &sum, err);
	r2 = session_close(&s, err);
	r = r < 0 ? r : r2;
	if (r >= 0 && !o->quiet)
		show_outcome(config.path);
	if (r >= 0 && !o->quiet && count_running(t, names) < n_running)
		fputs("tracing is now stopped; 'sonde restart' resumes it (-k keeps it running)\n",
		      stderr);
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct extract_options o = {.file_version = 7};
	struct name_list names = {0};
	struct tracefs t;
	int n = command_parse(cmd, &o, argc, argv, err), r;

	if (n < 0)
		return n;
	r = instances_refuse_words(cmd, n, argv, err);
	if (r >= 0)
		r = live_request_check_output(o.output, err);
	if (r >= 0)
		r = tracefs_open(&t, err);
	if (r >= 0)
		r = instances_take(&t, &o.instances, &names, err);
	if (r >= 0 && !names.n)
		r = errmsg_set(err, -ENOENT,
			       "there are no instances to extract from (-a); leave out -a for the "
			       "top level");
	if (r >= 0)
		r = extract(&o, &t, &names, err);
	name_list_release(&names);
	name_list_release(&o.instances.names);
	return r;
}

const struct command cmd_extract = {
	.name = "extract",
	.summary = "save the kernel's buffers to a trace file",
	.usage = "[options]",
	.options = rows,
	.run = run,
};
