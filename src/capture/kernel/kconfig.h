/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kconfig.h - reads the options with which the running kernel was built, if it or its package
 * provides them.
 *
 * Only one thread may use it at a time; look-ups do not modify it.
 */
#ifndef SONDE_CAPTURE_KERNEL_KCONFIG_H
#define SONDE_CAPTURE_KERNEL_KCONFIG_H

#include "base/textbuf.h"

struct kconfig {
	struct textbuf text; /* ended by NUL; empty if there is none */
	char path[512];	     /* the file; "": not found */
};

/*
 * Reads the configuration. root is a prefix for all paths, usually "". release is that of uname -r.
 */
void kconfig_read(struct kconfig *k, const char *root, const char *release);
void kconfig_release(struct kconfig *k);

/* Returns 'y', 'm', 'n'; '?' if no configuration was found. name includes CONFIG_. */
char kconfig_get(const struct kconfig *k, const char *name);

#endif
