/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profiling.h - makes the profiles of a report: of files (report --profile) or of a live trace
 * (profile).
 *
 *  profiling_open ─▶ profiling_add … (batches in their order) ─▶ profiling_print ─▶ profiling_close
 *
 * struct profiling_spec selects the hooks, the interrupts, and text or JSON.
 */
#ifndef SONDE_PRESENT_PROFILE_PROFILING_H
#define SONDE_PRESENT_PROFILE_PROFILING_H

#include "base/textbuf.h"
#include "decode/order/sequence.h"
#include "inputs/inputs.h"
#include "present/lines.h"

struct profile;
struct profile_hook;

struct profiling_spec {
	enum lines_as as;     /* text or JSON */
	bool global, by_comm; /* -G, --by-comm */
	bool with_own;	      /* --self: include sonde's own activity */
	bool peer_text;	      /* exactly as trace-cmd prints it */
	bool verbose;
	void (*tell)(const char *sentence); /* reports omitted parts; NULL: do not report */
	struct word_list hooks;		    /* -H */
};

struct profiling {
	struct inputs *in;
	const struct profiling_spec *spec;
	int (*write)(void *ctx, const char *text, size_t len);
	void *write_ctx;
	const struct line_source *sources;
	size_t n_sources;
	struct profile **profiles;
	struct profile_hook *hooks; /* hooks of -H, then those of all files */
	size_t n_hooks, n_asked;
	size_t *first_hook; /* index of the first hook by file, plus one more */
	struct profile_hook *list;
	bool any;    /* at least one profile was printed */
	bool traced; /* sonde recorded the trace with all events that a profile uses */
	struct textbuf tb;
};

/* Prepares the profiles. The caller keeps all arguments. Close pf after a failure, too. */
int profiling_open(struct profiling *pf, const struct profiling_spec *spec, struct inputs *in,
		   const struct lines *lines, struct errmsg *err);
void profiling_add(struct profiling *pf, const struct batch *b);
/*
 * Prints the profiles. Call it once; no records can be added afterwards. write returns 0, 1 (stop),
 * or a negative errno.
 */
int profiling_print(struct profiling *pf, int (*write)(void *ctx, const char *text, size_t len),
		    void *write_ctx, struct errmsg *err);
void profiling_close(struct profiling *pf);

#endif
