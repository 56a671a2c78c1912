/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probes.h - defines probes in the kernel and removes them.
 *
 *	probe_features ─▶ prober (probe/probe.h) ─▶ probes_add ─▶ … ─▶ the journal removes them
 *
 * Each recording has its own group ("sonde_PID"), so that two users cannot collide. The journal
 * notes each probe, so that probes of others stay.
 */
#ifndef SONDE_CAPTURE_TRACEFS_PROBES_H
#define SONDE_CAPTURE_TRACEFS_PROBES_H

#include "capture/tracefs/journal/journal.h"
#include "probe/probe.h"

/*
 * Finds the kernel's probe features. Reads the kernel's README, and tries features for which the
 * README is known to be wrong.
 */
void probe_features(const struct tracefs *t, struct probe_kernel *ret_kernel);

/*
 * The environment of this machine, for prober_new(). $SONDE_BTF (a directory), $SONDE_KALLSYMS and
 * $SONDE_BLACKLIST replace the data of the running kernel, to try definitions for another kernel.
 * Do not move this struct: world points into it.
 */
struct probe_site {
	struct probe_kernel kernel;
	char events[TRACEFS_PATH_MAX + 16], group[32]; /* memory that world points to */
	struct probe_world world;
};

void probe_site_init(struct probe_site *s, const struct tracefs *t);

/*
 * Defines the event with all its places. The journal, if there is one, removes it at the end. If
 * the kernel refuses, the message has the kernel's own words, with the caret under the user's text.
 * Sets p->kind to the kind that was defined.
 */
int probes_add(const struct tracefs *t, struct journal *journal, struct probe *p, const char *group,
	       const char *event, struct errmsg *err);
/*
 * Returns the number of concurrent calls that a return probe has room for, unless the definition
 * sets it (@NUMBER).
 */
unsigned probes_room(const struct probe *p);
/*
 * Removes events by "GROUP:EVENT", or "EVENT" of any group, with globs. Returns the number of
 * removed events. Returns -EBUSY if some events are in use: the message names them, and the others
 * are removed.
 */
int probes_remove(const struct tracefs *t, const char *pattern, struct errmsg *err);

/* A defined probe, as the kernel shows it. */
struct probe_defined {
	enum probe_kind kind;
	char *group, *event, *line; /* line: "p:probe/x vfs_read count=%dx:u64" */
	bool is_on;		    /* the event is on in any instance */
	uint64_t n_hits,
		/*
		 * values from kprobe_profile and uprobe_profile; n_missed is 0 if the kernel does
		 * not report it
		 */
		n_missed;
};

struct probe_list {
	struct probe_defined *list;
	size_t n, cap;
};

int probes_list(const struct tracefs *t, struct probe_list *ret_list, struct errmsg *err);
void probe_list_release(struct probe_list *l);
/* Returns true if the probe matches a pattern of probes_remove(). */
bool probe_defined_matches(const struct probe_defined *d, const char *pattern);

#endif
