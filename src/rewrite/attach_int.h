/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attach_int.h - declarations that attach.c and vcpus.c share. */
#ifndef SONDE_REWRITE_ATTACH_INT_H
#define SONDE_REWRITE_ATTACH_INT_H

#include "rewrite/attach.h"
#include "store/tracefile.h"

struct vcpus {
	struct tracefile *host;
	struct guest_vcpu_pid *rows; /* vcpu is ATTACH_VCPU_UNKNOWN until an event names it */
	size_t n;
};

/* Finds unknown numbers. Keeps the threads that run a virtual CPU, sorted by its number. */
int vcpus_find(struct vcpus *v, const struct rewrite_notes *notes, struct errmsg *err);

#endif
