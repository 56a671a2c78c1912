/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timesync.h - measures how the clock of a guest relates to its host's, over a separate connection.
 *
 *	host                                     guest
 *	timesync_open, first samples             timesync_answer in a thread
 *	   a sample of each virtual CPU: "probe CPU 2" ─▶ runs on CPU 2; the protocol
 *	   again every interval
 *	timesync_finish, last samples, "stop" ─▶ ends
 *
 * There are two protocols, as in trace-cmd: "kvm", where the host gets the offset of the guest's
 * counter from its hypervisor, and "ptp", where both write markers into their traces while messages
 * go back and forth. Markers need a trace buffer, which the caller provides: wire/ does not know
 * tracefs.
 */
#ifndef SONDE_WIRE_SYNC_TIMESYNC_H
#define SONDE_WIRE_SYNC_TIMESYNC_H

#include "base/scope.h"
#include "format/bytes.h"
#include "store/guestopts.h"

struct channel;
struct errmsg;
struct timesync;

/* A separate trace buffer with the clock of the recording. One thread may use it. */
struct sync_clock {
	void *ctx;
	/* Removes all marks. */
	int (*clear)(void *ctx);
	/* Writes a mark; its first four bytes are its id. */
	int (*mark)(void *ctx, const void *data, size_t n);
	/* Passes every mark to take(), with its time. */
	int (*read)(void *ctx, void (*take)(void *arg, uint64_t ts, struct piece data), void *arg);
};

/*
 * --- the guest ---------------------------------------------------------------------------------
 */

/* Returns one of the protocols that the host offers, or NULL. */
const char *timesync_choose(const char *const *offered, uint32_t n_offered);
/* Value for the channel's timeout_ms: meanwhile trace-cmd reads the symbols of its kernel. */
#define TIMESYNC_STEP_MS 300000
/* Answers until the host sends "stop" or disconnects. */
int timesync_answer(struct channel *c, const char *proto, const struct sync_clock *clock,
		    struct errmsg *err);

/*
 * --- the host ----------------------------------------------------------------------------------
 */

#define TIMESYNC_SAMPLES_MAX 100000 /* limit for a virtual CPU */

struct timesync_config {
	int fd; /* owned; connected to the guest's port for time sync */
	const char *proto;
	const struct sync_clock *clock; /* only needed for ptp */
	uint32_t n_cpus;		/* number of CPUs of the guest */
	int interval_ms;		/* 0: only at start and end */
	int guest_pid;			/* the process that runs the guest, for kvm */
	int stop_fd;			/* readable: cancel the first samples; -1: none */
};

/*
 * Lists the protocols that we can offer, the best first. clock_name is that of the recording;
 * guest_pid may be -1.
 */
uint32_t timesync_offer(const char *clock_name, int guest_pid, const char *protos[2]);

/* Takes the first samples and continues in a separate thread. */
int timesync_open(struct timesync **ret_sync, const struct timesync_config *config,
		  struct errmsg *err);
/*
 * Takes the last samples, unless the guest has disconnected, and ends. The samples stay valid until
 * timesync_free().
 */
int timesync_finish(struct timesync *s, bool is_gone, struct errmsg *err);
/*
 * Returns the samples, the number of virtual CPUs that have at least one sample each, and the flags
 * for TIME_SHIFT. Call it after timesync_finish().
 */
const struct sync_cpu *timesync_samples(const struct timesync *s, uint32_t *ret_n,
					uint32_t *ret_flags);
void timesync_free(struct timesync *s);
SCOPED_POINTER(struct timesync, timesync_free)

/*
 * --- kvm, see timesync_kvm.c -------------------------------------------------------------------
 */

/* Reads what the host's kernel reports about a virtual CPU. dir NULL: /sys/kernel/debug/kvm. */
int timesync_read_kvm(const char *dir, int guest_pid, uint32_t vcpu, struct sync_sample *ret);

#endif
