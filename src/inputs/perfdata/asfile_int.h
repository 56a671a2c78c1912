/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* asfile_int.h - what the files that turn a perf.data into a trace file share. */
#ifndef SONDE_INPUTS_PERFDATA_ASFILE_INT_H
#define SONDE_INPUTS_PERFDATA_ASFILE_INT_H

#include "base/map.h"
#include "base/textbuf.h"
#include "inputs/perfdata/asfile.h"
#include "inputs/foreign/formats.h"
#include "inputs/foreign/lanes.h"
#include "inputs/perfdata/metadata.h"
#include "inputs/perfdata/session.h"

struct processes;
struct writer;

enum perffile_buffer { PERFFILE_EVENTS, PERFFILE_SAMPLES, PERFFILE_BUFFERS };

struct perffile {
	const struct foreign_config *config;
	struct perfsession *session;
	struct perfmetadata metadata; /* of tracepoints */
	struct processes *processes;
	struct lanes lanes;
	struct map symbols; /* places that have a name: itself, by the place */
	uint32_t n_files;   /* numbers given to files */
	struct textbuf kallsyms, formats, header_page, header_event, ftrace, printk, cmdlines;
	struct textbuf samples; /* SNF_OPTION_SAMPLES */
	struct writer *writer;
	uint64_t n_events[PERFFILE_BUFFERS];
	uint64_t n_without_cpu, n_too_long, n_plain, n_not_unwound;
};

/* The place of code in the trace file (store/events/sampleevents.h). Names its function. */
int perffile_add_place(struct perffile *c, const struct perfplace *p, uint64_t *ret);
/* Texts and the option of samples, when all samples are known. */
int perffile_make_texts(struct perffile *c, struct errmsg *err);
int perffile_write_options(struct perffile *c, struct errmsg *err);
uint32_t perffile_n_cpus(struct perffile *c);

#endif
