/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* metadata.h - the formats of tracepoints that a perf.data has, as a trace file. */
#ifndef SONDE_INPUTS_PERFDATA_METADATA_H
#define SONDE_INPUTS_PERFDATA_METADATA_H

#include "base/textbuf.h"
#include "store/tracefile.h"

struct perfsession;

struct perfmetadata {
	struct textbuf bytes;
	struct tracefile *file; /* NULL: there are none */
};

void perfmetadata_open(struct perfmetadata *m, struct perfsession *s);
void perfmetadata_close(struct perfmetadata *m);

#endif
