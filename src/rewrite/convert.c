// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * convert.c - writes a trace in another version or compression.
 *
 * It copies everything (tracecopy.c); only the header, offsets and the compression change. The
 * result gets its name when it is complete, so source and target may be the same file.
 *
 * Version 6 has no sections of its own (BTF, modules). They are dropped, and a note names them.
 */
#include "rewrite/convert.h"

#include "base/scope.h"
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
	int r;

	TRY(choose_compression(config, tf, &compression, err));
	TRY(tracecopy_init(&tc, tf, config->version, err));
	target = tracecopy_config(&tc, config->output, compression);
	target.plain_data &= !config->compression; /* on request everything is compressed */
	r = tracecopy_write(&tc, &target, tracecopy_all_buffers, NULL, err);
	if (!r && *tc.left_out)
		rewrite_note(&config->notes, "%s: version 6 has no place for these, left out: %s",
			     config->output, tc.left_out);
	tracecopy_release(&tc);
	return r;
}

int convert_trace(const struct convert_config *config, struct errmsg *err)
{
	SCOPED(tracefile_close_scoped) struct tracefile *tf = NULL;

	TRY(tracefile_open(&tf, config->input, err));
	TRY(convert(config, tf, err));
	return rewrite_note_damage(&config->notes, tf);
}
