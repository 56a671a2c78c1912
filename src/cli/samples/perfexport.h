/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfexport.h - reads the samples of a trace, and makes the bytes of a perf.data of them. */
#ifndef SONDE_CLI_SAMPLES_PERFEXPORT_H
#define SONDE_CLI_SAMPLES_PERFEXPORT_H

#include "base/errmsg.h"
#include "base/textbuf.h"
#include "inputs/samples/sampleread.h"

#include <stdbool.h>

struct perfexport_form {
	const char *const *command; /* of the recording, ended by NULL; NULL: unknown */
	bool is_pipe;		    /* can be read without seeking */
	size_t *ret_n_samples;	    /* how many were written; NULL: not asked */
	bool may_be_empty;	    /* a recording in which no sampled task ran is a file, too */
};

/*
 * form: NULL: a file, of an unknown command. Fails with -ENODATA without samples, unless the file
 * may be empty.
 */
int perfexport_fmt(const struct sampleread_spec *spec, const struct perfexport_form *form,
		   struct textbuf *tb, struct errmsg *err);

#endif
