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
	char event[TRACEFS_NAME_MAX]; /* its future name */
};

struct probe_drafts {
	struct probe_draft *list;
	size_t n;
};

void probe_drafts_release(struct probe_drafts *drafts);

/*
 * Sets p and event of a draft that has its definition. Refuses what only a recording supports:
 * durations, conditions.
 */
int probe_draft_resolve(struct probe_draft *draft, struct prober *prober, struct errmsg *err);

/*
 * Does an earlier draft, or (t not NULL) an event of the kernel, have that name in the group of
 * number self?
 */
bool probe_drafts_taken(const struct probe_drafts *drafts, const struct tracefs *t, size_t self,
			const char *event);

/* A name in use gets a number: NAME_1, NAME_2 … */
void probe_drafts_add_suffix(struct probe_drafts *drafts, const struct tracefs *t, size_t self);

/*
 * Defines all of them. A journal undoes them if a later one is refused, or if we are killed in
 * between; finally it keeps them.
 */
int probe_drafts_define(const struct probe_drafts *drafts, const struct tracefs *t,
			struct errmsg *err);

#endif
