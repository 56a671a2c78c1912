/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source.h - uses a live trace as the only input. */
#ifndef SONDE_LIVE_SOURCE_H
#define SONDE_LIVE_SOURCE_H

#include "base/errmsg.h"
#include "capture/setup/setup.h"
#include "decode/order/sequence.h"
#include "live/names.h"
#include "inputs/sources.h"
#include "store/tracefile.h"

struct livesource {
	struct inputs inputs; /* has one file, which is the trace */
	struct inputs_file file;
	struct inputs_path input;
	struct inputs_sources src;
	struct livenames names;
	const struct setup *setup;
	uint8_t *events;     /* flags of visible events; NULL: all */
	uint64_t *n_walked;  /* number of events by id, visible or not; NULL: not needed */
	size_t n_user_files; /* number of program files whose functions are known */
	size_t sampled_len;  /* bytes of symbols of samples that are known */
	uint64_t until_ns;   /* time limit of the current step (CLOCK_MONOTONIC) */
};

/*
 * Opens a live trace. spec selects events; it has no paths, and nothing that needs the whole trace.
 * config is made from it (inputs/sources.h); stop and hold_rounds are set here. setup is the setup
 * of the trace; events that are enabled only for task names are hidden. The caller owns all
 * of them, and tf. Close ls even after a failure.
 */
int livesource_open(struct livesource *ls, struct tracefile *tf, const struct inputs_spec *spec,
		    const struct sequence_config *config, const struct setup *setup,
		    struct errmsg *err);
void livesource_close(struct livesource *ls);

/* Returns true if the time of the current step is over. */
bool livesource_is_late(const struct livesource *ls);

/*
 * Checks whether the tasks of these records have new names, for later records, if no event reports
 * names.
 */
void livesource_refresh(struct livesource *ls, const struct batch *b);

/* Learns the names of functions of programs that have started. Call it before records are taken. */
void livesource_learn(struct livesource *ls);

/*
 * Notes that the task has a new name from now on. The name comes from /proc, if no event reports
 * names.
 */
void livesource_rename(struct livesource *ls, int pid);

#endif
