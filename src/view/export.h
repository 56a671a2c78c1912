/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export.h - exports an opened trace, or a range of it, for other programs or as a picture. */
#ifndef SONDE_VIEW_EXPORT_H
#define SONDE_VIEW_EXPORT_H

#include <stddef.h>

struct errmsg;
struct viewtrace;

enum export_form { EXPORT_PERFETTO, EXPORT_CHROME, EXPORT_CTF, EXPORT_SVG, EXPORT_HTML };

struct export_config {
	enum export_form form;
	/* times for timearg_parse(); NULL: from the first to the last event */
	const char *from, *to;
	const char *output; /* a file; NULL: use put(); of EXPORT_CTF: a new directory */
	/* Writes text. Returns 0, -EPIPE or another -errno. n_bytes 0 means the end: flush. */
	int (*put)(void *ctx, const char *text, size_t n_bytes);
	void *ctx;
	/* for pictures */
	/* specs, separated by commas; NULL: the lanes that the page shows first */
	const char *lanes;
	const char *range; /* "FROM,TO" to highlight; NULL: none */
	const char *const *marks;
	size_t n_marks;
	long long width; /* 0: 1600 */
};

/*
 * Exports a trace that was opened for VIEWTRACE_EXPORT. Returns -EPIPE if the reader has closed the
 * pipe.
 */
int export_write(struct viewtrace *vt, const struct export_config *config, struct errmsg *err);

#endif
