/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attach.h - joins the traces of a host and of its guest, if they were recorded separately.
 */
#ifndef SONDE_REWRITE_ATTACH_H
#define SONDE_REWRITE_ATTACH_H

#include "rewrite/notes.h"
#include "store/guestopts.h"

struct errmsg;

#define ATTACH_CPUS_MAX	    4096
/* The number is unknown: the events of the host show which virtual CPU a thread runs. */
#define ATTACH_VCPU_UNKNOWN UINT32_MAX

struct attach_config {
	const char *host, *guest; /* both are replaced by new files */
	const char *name;	  /* name of the guest, "" for none */
	uint32_t n_cpus;	  /* CPUs of the guest; 0: as in its trace */
	/*
	 * Conversions of the guest's time. The last one applies to the rest of its CPUs. There is
	 * at least one.
	 */
	const struct sync_sample *shifts;
	size_t n_shifts;
	struct guest_vcpu_pid *threads; /* threads of the host; the call changes them */
	size_t n_threads;
	struct rewrite_notes notes;
};

/* Returns 0, or 1 if a file is damaged; then all undamaged data is kept. */
int attach_traces(const struct attach_config *config, struct errmsg *err);

#endif
