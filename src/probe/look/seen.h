/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seen.h - finds the instructions of a place, with the variables visible at each of them.
 *
 *  probeseen_open ─▶ seen.points: for each point scope->ops->each, probeseen_globals
 *      ─▶ probeseen_close
 */
#ifndef SONDE_PROBE_LOOK_SEEN_H
#define SONDE_PROBE_LOOK_SEEN_H

#include "base/errmsg.h"
#include "probe/look/target.h"
#include "probe/definition/definition.h"
#include "symbols/btf/btf.h"

struct probeseen {
	struct debuginfo *d; /* NULL: the kernel's BTF is used */
	struct debuginfo_points points;
	struct btf *btf;
	struct btf_scope scope;
	struct debuginfo_point point; /* for BTF */
};

struct probeseen_options {
	bool no_inlines;
	/* at the entry of a function, even if only the prologue stores its variables */
	bool at_entry;
};

/*
 * Opens a place. On failure err names what is missing. The struct must not move, because points
 * point into it.
 */
int probeseen_open(struct probeseen *s, const struct probe_target *t, const struct definition *def,
		   const struct probeseen_options *o, struct errmsg *err);
void probeseen_close(struct probeseen *s);

#endif
