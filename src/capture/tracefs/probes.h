/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probes.h - puts probes into the kernel and takes them out again.
 *
 *	probe_features ─▶ prober (probe/probe.h) ─▶ probes_add ─▶ … ─▶ the journal takes them out
 *
 * Every probe of a recording is in a group of its own ("sonde_PID"), so that two users cannot meet, and is
 * noted in the journal one by one: what others define meanwhile stays.
 */
#ifndef SONDE_CAPTURE_TRACEFS_PROBES_H
#define SONDE_CAPTURE_TRACEFS_PROBES_H

#include "capture/tracefs/journal.h"
#include "probe/probe.h"

/* What the kernel's README says, and where it is known to say too much, what a try shows. */
void probe_features(const struct tracefs *t, struct probe_kernel *ret_kernel);

/*
 * The world of this machine, for prober_new(). $SONDE_BTF (a directory), $SONDE_KALLSYMS and $SONDE_BLACKLIST stand
 * in for the running kernel's: to try definitions for another one. Stays where it is: world points into it.
 */
struct probe_site {
	struct probe_kernel kernel;
	char events[TRACEFS_PATH_MAX + 16], group[32]; /* room for what world points to */
	struct probe_world world;
};

void probe_site_init(struct probe_site *s, const struct tracefs *t);

/*
 * Defines the event, all its places. With a journal it is removed in the end. The sentence of a refusal
 * carries the kernel's own words, with the caret under the user's text. p->kind becomes that of what is defined.
 */
int probes_add(const struct tracefs *t, struct journal *journal, struct probe *p, const char *group,
	       const char *event, struct errmsg *err);
/* How many calls a return probe is given room for, if the definition does not say (@NUMBER). */
unsigned probes_room(const struct probe *p);
/*
 * Removes events by "GROUP:EVENT", or "EVENT" of any group, with globs; how many there were. -EBUSY if some
 * are in use: the sentence names them, the others are gone.
 */
int probes_remove(const struct tracefs *t, const char *pattern, struct errmsg *err);

/* A probe that is defined, as the kernel shows it. */
struct probe_defined {
	enum probe_kind kind;
	char *group, *event, *line; /* line: "p:probe/x vfs_read count=%dx:u64" */
	bool is_on;		    /* in any instance */
	uint64_t n_hits,
		n_missed; /* kprobe_profile, uprobe_profile; n_missed is 0 where it is not told */
};

struct probe_list {
	struct probe_defined *list;
	size_t n;
};

int probes_list(const struct tracefs *t, struct probe_list *ret_list, struct errmsg *err);
void probe_list_release(struct probe_list *l);
/* A glob as probes_remove() takes it. */
bool probe_defined_matches(const struct probe_defined *d, const char *pattern);

#endif
