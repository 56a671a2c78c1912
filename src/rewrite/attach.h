/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attach.h - ties the trace of a host and that of its guest together if they were recorded apart.
 */
#ifndef SONDE_REWRITE_ATTACH_H
#define SONDE_REWRITE_ATTACH_H

#include "rewrite/notes.h"
#include "store/guestopts.h"

struct errmsg;

#define ATTACH_CPUS_MAX	    4096
/* The events of the host say which virtual CPU a thread runs. */
#define ATTACH_VCPU_UNKNOWN UINT32_MAX

struct attach_config {
	const char *host, *guest; /* both are written anew, in their place */
	const char *name;	  /* of the guest, "" for none */
	uint32_t n_cpus;	  /* of the guest; 0: as in its trace */
	/* How to convert its time; the last one applies to the rest of its CPUs. At least one. */
	const struct sync_sample *shifts;
	size_t n_shifts;
	struct guest_vcpu_pid *threads; /* of the host; changed */
	size_t n_threads;
	struct rewrite_notes notes;
};

/* 0; 1 if a file is damaged: everything sound in it was kept. */
int attach_traces(const struct attach_config *config, struct errmsg *err);

#endif
