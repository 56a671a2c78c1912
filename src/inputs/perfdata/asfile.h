/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * asfile.h - a perf.data as a trace file: ordinary events, and samples as in
 * store/events/sampleevents.h.
 */
#ifndef SONDE_INPUTS_PERFDATA_ASFILE_H
#define SONDE_INPUTS_PERFDATA_ASFILE_H

#include "format/bytes.h"
#include "store/tracefile.h"

struct errmsg;

struct perffile_config {
	const char *input, *output;
	int version;		      /* of the trace file: 6 or 7 */
	enum compression compression; /* of texts, and of the events unless plain_data */
	bool plain_data;
	/* Takes a sentence about something that was not converted, or is damaged; may be NULL */
	void (*note)(void *ctx, const char *sentence);
	void *ctx;
};

/* Returns 0, or 1 if the input is damaged: then the output has what could be read. */
int perffile_convert(const struct perffile_config *config, struct errmsg *err);
/* The same as a temporary file, which is deleted when it is closed; notes become its damage. */
int perffile_open(struct tracefile **ret, const char *path, struct errmsg *err);

#endif
