/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setup.h - creates the pipes of a guest that fifos.h opens later, and attaches them as devices
 * with libvirt.
 */
#ifndef SONDE_WIRE_GUEST_SETUP_H
#define SONDE_WIRE_GUEST_SETUP_H

#include <sys/types.h>

struct errmsg;

struct guest_setup {
	const char *dir;  /* directory of all guests, usually FIFOS_HOST_DIR */
	const char *name; /* name of the guest, used as a directory: no slash, no leading dot */
	mode_t mode;
	gid_t gid; /* -1: the default */
	unsigned n_cpus;
};

/* Asks libvirt for the number of virtual CPUs. The message suggests -c. */
int guest_setup_ask_cpus(const char *name, long long *ret_n, struct errmsg *err);
/* Creates the pipes of all CPUs. Existing pipes get the mode and the group. */
int guest_setup_make(const struct guest_setup *g, struct errmsg *err);
/* Attaches the pipes as devices of the machine. */
int guest_setup_attach(const struct guest_setup *g, struct errmsg *err);

#endif
