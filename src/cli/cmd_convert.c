// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_convert.c - `sonde convert`: the same trace in another version or compression of the format.
 *
 * Everything that is read is written again, see tracecopy.c; only the head, the places of things and
 * the compression change. The result appears under its name when it is complete, so source and
 * target may be the same file.
 */
#include "cli/command.h"
#include "store/compression.h"
#include "cli/notes.h"
#include "rewrite/tracecopy.h"
#include "store/unpack.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct convert_options {
	const char *input, *output, *compression;
	long long version;
};

static const struct option_row rows[] = {
	{OPTION_STRING, 'i', "input", "FILE", "read FILE (default: trace.dat)",
	 offsetof(struct convert_options, input), .complete = "file"},
	{OPTION_STRING, 'o', "output", "FILE", "write this file; may also be the last argument",
	 offsetof(struct convert_options, output), .complete = "file"},
	{OPTION_NUMBER, 0, "file-version", "N", "version of the result: 6 or 7 (default: 7)",
	 offsetof(struct convert_options, version), .complete = "6 7"},
	{OPTION_STRING, 0, "compression", "NAME",
	 "compress with none, zstd, zlib or any (default: as in the input)",
	 offsetof(struct convert_options, compression), .complete = "none zstd zlib any"},
	{OPTION_END},
};

static int choose_compression(const struct convert_options *o, const struct tracefile *tf,
			      enum compression *ret, struct errmsg *err)
{
	bool plain_data;

	if (o->compression)
		return compression_choose(o->compression, o->version, ret, &plain_data, err);
	*ret = o->version == 6 ? COMPRESSION_NONE : tf->compression;
	if (*ret == COMPRESSION_UNKNOWN) /* its data cannot be read, so any will do */
		*ret = COMPRESSION_ZSTD;
	return 0;
}

static int convert(struct tracefile *tf, const struct convert_options *o, struct errmsg *err)
{
	enum compression compression;
	struct writer_config config;
	struct tracecopy tc;
	struct writer *w = NULL;
	int r = choose_compression(o, tf, &compression, err);

	if (r < 0)
		return r;
	r = tracecopy_init(&tc, tf, o->version, err);
	if (r < 0)
		return r;
	config = tracecopy_config(&tc, o->output, compression);
	config.plain_data &= !o->compression; /* who asks for it wants all of it */
	r = writer_open(&w, &config, err);
	if (!r)
		r = tracecopy_metadata(&tc, w, err);
	if (!r)
		r = tracecopy_buffers(&tc, w, err);
	if (!r) {
		r = writer_close(w, err);
		w = NULL;
	}
	writer_free(w);
	if (!r && *tc.left_out)
		fprintf(stderr, "sonde: %s: version 6 has no place for these, left out: %s\n",
			o->output, tc.left_out);
	tracecopy_release(&tc);
	return r;
}

static int check_options(struct convert_options *o, int argc, char **argv, struct errmsg *err)
{
	if (argc > 1 || (argc && o->output))
		return errmsg_set(err, -EINVAL,
				  "convert: '%s' is one name too many: there is one target",
				  argv[argc > 1 ? 2 : 1]);
	if (argc)
		o->output = argv[1];
	if (!o->output)
		return errmsg_set(err, -EINVAL,
				  "convert: no target; name it with -o or as last argument");
	if (!o->input)
		o->input = "trace.dat";
	if (o->version != 6 && o->version != 7)
		return errmsg_set(err, -EINVAL, "convert: there is no version %lld, only 6 and 7",
				  o->version);
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct convert_options o = {.version = 7};
	struct tracefile *tf;
	int r = command_parse(cmd, &o, argc, argv, err);

	if (r < 0)
		return r;
	r = check_options(&o, r, argv, err);
	if (r < 0)
		return r;
	r = tracefile_open(&tf, o.input, err);
	if (r < 0)
		return r;
	r = convert(tf, &o, err);
	if (!r)
		r = notes_print_damage(tf);
	tracefile_close(tf);
	return r;
}

const struct command cmd_convert = {
	.name = "convert",
	.summary = "change the version or compression of a trace file",
	.usage = "[-i FILE] [--file-version 6|7] [--compression NAME] TARGET",
	.options = rows,
	.run = run,
	.args = "file",
};
