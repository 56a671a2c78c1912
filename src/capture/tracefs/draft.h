/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * draft.h - definitions on their way into the kernel, to stay there: all or none.
 *
 *	definition_parse ─▶ probe_draft_resolve, for each ─▶ names ─▶ probe_drafts_define
 */
#ifndef SONDE_CAPTURE_TRACEFS_DRAFT_H
#define SONDE_CAPTURE_TRACEFS_DRAFT_H

#include "capture/tracefs/probes.h"

struct probe_draft {
	struct definition *d;
	struct probe *p;
	char event[TRACEFS_NAME_MAX]; /* the name it will have */
};

struct probe_drafts {
	struct probe_draft *list;
	size_t n;
};

void probe_drafts_release(struct probe_drafts *drafts);

/* Fills p and event of a draft that has its definition. What only a recording has is refused: times, conditions. */
int probe_draft_resolve(struct probe_draft *draft, struct prober *prober, struct errmsg *err);

/* Whether an earlier draft, or (t not NULL) an event of the kernel, has that name in the group of number self. */
bool probe_drafts_taken(const struct probe_drafts *drafts, const struct tracefs *t, size_t self,
			const char *event);

/* A name that is taken gets a number: NAME_1, NAME_2 … */
void probe_drafts_add_suffix(struct probe_drafts *drafts, const struct tracefs *t, size_t self);

/*
 * Defines all of them. A journal takes back what was defined when a later one is refused, or when we are killed in
 * between; in the end it is told to keep them.
 */
int probe_drafts_define(const struct probe_drafts *drafts, const struct tracefs *t,
			struct errmsg *err);

#endif
