/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * assets.h - the files of the page (web/), which tools/gen-assets puts into the program. Read-only.
 */
#ifndef SONDE_VIEW_ASSETS_H
#define SONDE_VIEW_ASSETS_H

#include <stddef.h>

struct asset {
	const char *name; /* "app.js" */
	const char *type; /* Content-Type */
	const char *etag; /* with its quotes */
	const unsigned char *data;
	size_t n_bytes;
};

extern const struct asset assets[]; /* ended by a name NULL */

#endif
