/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setup.h - makes the pipes of a guest that fifos.h opens later, and devices of them with libvirt.
 */
#ifndef SONDE_WIRE_GUEST_SETUP_H
#define SONDE_WIRE_GUEST_SETUP_H

#include <sys/types.h>

struct errmsg;

struct guest_setup {
	const char *dir;  /* of all guests, usually FIFOS_HOST_DIR */
	const char *name; /* becomes a directory: no slash, no leading dot */
	mode_t mode;
	gid_t gid; /* -1: as it comes */
	unsigned n_cpus;
};

/* How many virtual CPUs libvirt knows; the sentence says to use -c. */
int guest_setup_ask_cpus(const char *name, long long *ret_n, struct errmsg *err);
/* The pipes of all CPUs; those that are there get the mode and the group. */
int guest_setup_make(const struct guest_setup *g, struct errmsg *err);
/* The pipes become devices of the machine. */
int guest_setup_attach(const struct guest_setup *g, struct errmsg *err);

#endif
