/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kconfig.h - the options that the running kernel was built with, where it or its package tells.
 *
 * One owner; look-ups change nothing.
 */
#ifndef SONDE_CAPTURE_KERNEL_KCONFIG_H
#define SONDE_CAPTURE_KERNEL_KCONFIG_H

#include "base/textbuf.h"

struct kconfig {
	struct textbuf text; /* ended by NUL; empty if there is none */
	char path[512];	     /* where it was found; "": nowhere */
};

/* root is put before all paths, "" usually. release as uname -r says. */
void kconfig_read(struct kconfig *k, const char *root, const char *release);
void kconfig_release(struct kconfig *k);

/* 'y', 'm', 'n'; '?' if no configuration was found. name with its CONFIG_. */
char kconfig_get(const struct kconfig *k, const char *name);

#endif
