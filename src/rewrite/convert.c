// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * convert.c - a trace in another version or compression.
 *
 * Everything that is read is written again, see tracecopy.c; only the head, the places of things and
 * the compression change. The result appears under its name when it is complete, so source and
 * target may be the same file.
 *
 * Version 6 has no sections of its own (BTF, modules). They are dropped, and a note names them.
 */
#include "rewrite/convert.h"

#include "rewrite/tracecopy.h"
#include "store/compression.h"

static int choose_compression(const struct convert_config *config, const struct tracefile *tf,
			      enum compression *ret, struct errmsg *err)
{
	bool plain_data;

	if (config->compression)
		return compression_choose(config->compression, config->version, ret, &plain_data,
					  err);
	*ret = config->version == 6 ? COMPRESSION_NONE : tracecopy_compression(tf);
	return 0;
}

static int convert(const struct convert_config *config, struct tracefile *tf, struct errmsg *err)
{
	enum compression compression;
	struct writer_config target;
	struct tracecopy tc;
	int r = choose_compression(config, tf, &compression, err);

	if (r < 0)
		return r;
	r = tracecopy_init(&tc, tf, config->version, err);
	if (r < 0)
		return r;
	target = tracecopy_config(&tc, config->output, compression);
	target.plain_data &= !config->compression; /* who asks for it wants all of it */
	r = tracecopy_write(&tc, &target, tracecopy_all_buffers, NULL, err);
	if (!r && *tc.left_out)
		rewrite_note(&config->notes, "%s: version 6 has no place for these, left out: %s",
			     config->output, tc.left_out);
	tracecopy_release(&tc);
	return r;
}

int convert_trace(const struct convert_config *config, struct errmsg *err)
{
	struct tracefile *tf;
	int r = tracefile_open(&tf, config->input, err);

	if (r < 0)
		return r;
	r = convert(config, tf, err);
	if (!r)
		r = rewrite_note_damage(&config->notes, tf);
	tracefile_close(tf);
	return r;
}
