/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export.h - export an opened trace, or a range of it, for other programs or as a picture.
 */
#ifndef SONDE_VIEW_EXPORT_H
#define SONDE_VIEW_EXPORT_H

#include <stddef.h>

struct errmsg;
struct viewtrace;

enum export_form { EXPORT_PERFETTO, EXPORT_CHROME, EXPORT_SVG, EXPORT_HTML };

struct export_config {
	enum export_form form;
	const char *from, *to; /* as for timearg_parse(); NULL: from first to last */
	const char *output;    /* a file; NULL: put() */
	/* 0, -EPIPE or another -errno. n_bytes 0: the end: flush. */
	int (*put)(void *ctx, const char *text, size_t n_bytes);
	void *ctx;
	/* of pictures */
	const char *lanes; /* specs, separated by commas; NULL: those that the page shows first */
	const char *range; /* "FROM,TO" to highlight; NULL */
	const char *const *marks;
	size_t n_marks;
	long long width; /* 0: 1600 */
};

/* vt: opened for VIEWTRACE_EXPORT. -EPIPE: the reader has closed the pipe. */
int export_write(struct viewtrace *vt, const struct export_config *config, struct errmsg *err);

#endif
