/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sampleinfo.h - what a trace file says about its samples: names of events, mapped files, losses.
 *
 * It is the text of SNF_OPTION_SAMPLES (store/events/sampleevents.h). After sampleinfo_read() any
 * thread may read.
 */
#ifndef SONDE_DECODE_SAMPLES_SAMPLEINFO_H
#define SONDE_DECODE_SAMPLES_SAMPLEINFO_H

#include "base/arena.h"
#include "base/map.h"
#include "format/bytes.h"

#include <stdbool.h>
#include <stdint.h>

struct tracefile;

struct sample_file {
	uint32_t number;
	int pid;	      /* code of one process without a file; -1: a file */
	const char *build_id; /* hex; "": unknown */
	const char *path;     /* "": unknown */
	const char *name;     /* the path's last part; of code without a file "[JIT]" */
};

struct sampleinfo {
	struct arena arena;
	const char **events; /* by number; NULL: no name */
	size_t n_events;
	size_t n_files;
	struct map by_number;  /* struct sample_file */
	uint64_t n_lost;       /* samples */
	size_t n_counters;     /* the last ones of events are counters */
	bool counters_of_cpus; /* they count on each CPU, not in tasks */
};

/* A file without the option gives an empty info. 0, -EBADMSG or -ENOMEM. */
int sampleinfo_read(struct sampleinfo *ret, const struct tracefile *tf);
/* The same from the text. */
int sampleinfo_parse(struct sampleinfo *ret, struct piece text);
void sampleinfo_release(struct sampleinfo *info);

/* NULL: the text does not have it. */
const struct sample_file *sampleinfo_find_file(const struct sampleinfo *info, uint32_t number);
/* Never NULL: an event without a name is "event". */
const char *sampleinfo_event_name(const struct sampleinfo *info, uint32_t number);
/* The number of an event's name, or -1. A name also matches without its modifiers: "cycles:u". */
int sampleinfo_find_event(const struct sampleinfo *info, const char *name);

#endif
