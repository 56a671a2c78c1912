/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * draft.h - definitions of permanent probes before they are in the kernel: all or none.
 *
 *	definition_parse ─▶ probe_draft_resolve, for each ─▶ names ─▶ probe_drafts_define
 */
#ifndef SONDE_CAPTURE_TRACEFS_DRAFT_H
#define SONDE_CAPTURE_TRACEFS_DRAFT_H

#include "capture/tracefs/probes.h"
#include "probe/definition/definition.h"

struct probe_draft {
	struct definition *d;
	struct probe *p;
	char event[TRACEFS_NAME_MAX]; /* name that the event will have */
};

struct probe_drafts {
	struct probe_draft *list;
	size_t n;
};

void probe_drafts_release(struct probe_drafts *drafts);

/*
 * Sets p and event of a draft that has its definition. Refuses durations and conditions, which only
 * a recording supports.
 */
int probe_draft_resolve(struct probe_draft *draft, struct prober *prober, struct errmsg *err);

/*
 * Returns true if the name is in use in the group of draft number self: by an earlier draft, or (t
 * not NULL) by an event of the kernel.
 */
bool probe_drafts_taken(const struct probe_drafts *drafts, const struct tracefs *t, size_t self,
			const char *event);

/* Adds a number to a name that is in use: NAME_1, NAME_2 … */
void probe_drafts_add_suffix(struct probe_drafts *drafts, const struct tracefs *t, size_t self);

/*
 * Defines all drafts. A journal undoes them if the kernel refuses a later one or if sonde is killed
 * in between; at the end it keeps them.
 */
int probe_drafts_define(const struct probe_drafts *drafts, const struct tracefs *t,
			struct errmsg *err);

#endif
