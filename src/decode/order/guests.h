/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * guests.h - which thread of the host runs which virtual CPU of which guest.
 *
 * Made once after all files are open, read-only after that, so any thread may use it.
 */
#ifndef SONDE_DECODE_ORDER_GUESTS_H
#define SONDE_DECODE_ORDER_GUESTS_H

#include "decode/formats/formats.h"
#include "store/tracefile.h"
#include "symbols/kallsyms.h"

struct guest_vcpu {
	int host_pid;
	const struct kallsyms *symbols; /* symbols of the guest's kernel */
};

struct guests {
	struct guest_vcpu *vcpus; /* sorted by host_pid */
	size_t n;
};

/*
 * Finds out which files are traces of guests of the first file, the host's, and loads their
 * symbols. Returns 0 or -ENOMEM. Unrelated files add nothing to *g.
 */
int guests_init(struct guests *g, struct formats *const *files, size_t n_files);
void guests_release(struct guests *g);

/* Returns the symbols of the guest that this thread of the host runs, or NULL. */
const struct kallsyms *guests_find(const struct guests *g, int host_pid);

/* A CPU of a guest, from the list in the host's file. */
struct guest_cpu {
	uint32_t cpu;
	int host_pid;
};

/*
 * Returns 1 if the host's file lists the guest, with its name and its CPUs, which the caller frees.
 * Returns 0 if it is not listed, or -ENOMEM.
 */
int guest_find(const struct tracefile *host, const struct tracefile *guest, const char **ret_name,
	       struct guest_cpu **ret_cpus, size_t *ret_n);

#endif
