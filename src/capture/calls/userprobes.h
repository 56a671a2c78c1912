/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * userprobes.h - calls of a program that cannot load the runtime, seen by the kernel's probes
 * (uprobes). Needs root.
 *
 *	userprobes_open     probes are set in the file; children of this process will be traced
 *	userprobes_start    a thread moves hits from the kernel to rings (userfeed.h)
 *	userprobes_stop     all hits are in the rings; the thread has ended
 *	userprobes_close    probes are gone
 *
 * Between start and stop, something must read the rings.
 */
#ifndef SONDE_CAPTURE_CALLS_USERPROBES_H
#define SONDE_CAPTURE_CALLS_USERPROBES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct errmsg;
struct userplans_probed;
struct userprobes;
struct userrings;

/* The time to set them grows with the square of their number: 4 s for these, 0.3 s for 1000. */
#define USERPROBES_MAX	    8000u
/* Hits come to the rings this much later, at most, unless the machine is overloaded. */
#define USERPROBES_DELAY_MS 200u

/*
 * Before there are threads. pids: processes that run already; none: children
 * of this process will be traced.
 */
int userprobes_open(struct userprobes **ret, const struct userplans_probed *files,
		    const pid_t *pids, size_t n_pids, struct errmsg *err);
/* A process of the recorder; 0: none. */
pid_t userprobes_guardian(const struct userprobes *p);
int userprobes_start(struct userprobes *p, struct userrings *rings, uint32_t plan,
		     struct errmsg *err);
/* Begins the end. userprobes_stop() does it, too. */
void userprobes_finish(struct userprobes *p);
/* True: all hits are in the rings. */
bool userprobes_has_finished(const struct userprobes *p);
void userprobes_stop(struct userprobes *p);
/* p may be NULL. */
void userprobes_close(struct userprobes *p);

#endif
