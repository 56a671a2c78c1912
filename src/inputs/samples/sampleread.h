/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sampleread.h - a file with samples or stacks, read: a trace, or folded stacks of any program.
 *
 *	sampleread_open ─▶ set, names, info ─▶ analyse/samples, present/samples ─▶ sampleread_close
 *
 * Every command that shows samples opens the file here. Only one thread may use it at a time.
 */
#ifndef SONDE_INPUTS_SAMPLES_SAMPLEREAD_H
#define SONDE_INPUTS_SAMPLES_SAMPLEREAD_H

#include "analyse/samples/samplecollect.h"
#include "analyse/samples/stacknames.h"
#include "base/textbuf.h"
#include "decode/samples/sampleinfo.h"
#include "inputs/inputs.h"
#include "inputs/sources.h"

struct sampleset;

enum sampleread_what {
	SAMPLEREAD_ON_CPU, /* samples; stacks behind events, if `event` is one of the trace */
	SAMPLEREAD_OFF_CPU,
	SAMPLEREAD_WAKEUPS,
};

/* The event of recorded waits, see store/events/sampleevents.h. */
#define SAMPLEREAD_OFF_CPU_EVENT "off-cpu"

struct sampleread_spec {
	const char *path;
	enum sampleread_what what;
	const char *event; /* NULL: all; of on-CPU samples all but waits */
	bool one_event;	   /* of several sampled events only the first one */
	bool with_waits;   /* on-CPU samples and recorded waits */
	const char *from, *to;
	const int *tids;
	size_t n_tids;
	const char *comm; /* a glob */
	const uint32_t *cpus;
	size_t n_cpus;
	unsigned keep;	     /* enum sampleset_keep */
	bool inlines, lines; /* as in stacknames_config */
};

struct sampleread {
	struct inputs_path path;
	struct inputs_spec inputs_spec;
	struct inputs in; /* no files: folded stacks */
	struct inputs_sources src;
	struct sampleinfo info;
	struct samplecollect_config config;
	struct samplecollect *collect;
	struct stacknames_config names_config;
	struct stacknames *names;
	struct sampleset *set;	   /* of the collection, or own */
	struct sampleset *own_set; /* of folded stacks */
	const char *event;	   /* the only event; NULL: several */
	const char *other_event;   /* with one_event: another that has samples; NULL: none */
	bool in_time;		   /* weights are ns */
	uint64_t n_bad;		   /* lines of folded stacks that have another form */
	uint64_t from, to;	   /* the range; to 0: all */
};

/* r must be zeros; close it on failure, too. The spec must stay. */
int sampleread_open(struct sampleread *r, const struct sampleread_spec *spec, struct errmsg *err);
void sampleread_close(struct sampleread *r);

/* Is the path a file of folded stacks? */
bool sampleread_is_folded(const char *path);
/*
 * What a trace has. False: the file cannot be read as a trace; what it would say comes when it is
 * opened.
 */
struct sampleread_look {
	bool has_samples, has_stacks;
	bool has_calls; /* of programs (record -u) */
};
bool sampleread_look(const char *path, struct sampleread_look *ret);

/* Are weights of the event a time in ns? */
bool sampleread_is_time(const char *event);

#endif
