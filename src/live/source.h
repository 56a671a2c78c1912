/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h - a live trace as the one input.
 */
#ifndef SONDE_LIVE_SOURCE_H
#define SONDE_LIVE_SOURCE_H

#include "base/errmsg.h"
#include "capture/setup/setup.h"
#include "decode/order/sequence.h"
#include "live/names.h"
#include "inputs/sources.h"
#include "store/tracefile.h"

struct livesource {
	struct inputs inputs; /* with one file, which is the trace */
	struct inputs_file file;
	struct inputs_path input;
	struct inputs_sources src;
	struct livenames names;
	const struct setup *setup;
	uint8_t *events;    /* those to be seen; NULL: all */
	uint64_t *n_walked; /* by id, seen or not; NULL: nobody asks */
};

/*
 * spec: which events; no paths, nothing that needs the whole trace. config: made from it, see inputs/sources.h, with
 * what it cannot say: stop, wait, hold_rounds. setup: what is traced by; events that are on for the names of
 * tasks alone are not seen. All stay the caller's, as tf does. Close it on failure, too.
 */
int livesource_open(struct livesource *ls, struct tracefile *tf, const struct inputs_spec *spec,
		    const struct sequence_config *config, const struct setup *setup,
		    struct errmsg *err);
void livesource_close(struct livesource *ls);

/* Looks whether the tasks of these records have other names by now, for the records that follow; if no event tells. */
void livesource_refresh(struct livesource *ls, const struct batch *b);

/* The task has this name from now on: what /proc says, if no event will tell. */
void livesource_rename(struct livesource *ls, int pid);

#endif
