/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timesync.h - how the clock of a guest relates to its host's, measured over a connection of its own.
 *
 *	host                                     guest
 *	timesync_open, first samples             timesync_answer in a thread
 *	   a sample of each virtual CPU: "probe CPU 2" ─▶ runs on CPU 2; the protocol
 *	   again every interval
 *	timesync_finish, last samples, "stop" ─▶ ends
 *
 * Two protocols, as trace-cmd has them: "kvm", where the host knows from its hypervisor what the guest's
 * counter differs by, and "ptp", where both mark their traces while a message goes to and fro. Markers
 * need a trace buffer, which the caller lends: wire/ does not know tracefs.
 */
#ifndef SONDE_WIRE_SYNC_TIMESYNC_H
#define SONDE_WIRE_SYNC_TIMESYNC_H

#include "format/bytes.h"
#include "store/guestopts.h"

struct channel;
struct errmsg;
struct timesync;

/* A trace buffer of our own that has the clock of the recording. One thread. */
struct sync_clock {
	void *ctx;
	/* Forgets all marks. */
	int (*clear)(void *ctx);
	/* Writes a mark; its first four bytes are its id. */
	int (*mark)(void *ctx, const void *data, size_t n);
	/* Hands every mark to take(), with its time. */
	int (*read)(void *ctx, void (*take)(void *arg, uint64_t ts, struct piece data), void *arg);
};

/* --- the guest --------------------------------------------------------------------------------- */

/* Which of the protocols that the host offers, or NULL. */
const char *timesync_choose(const char *const *offered, uint32_t n_offered);
#define TIMESYNC_STEP_MS \
	300000 /* for the channel's timeout_ms: trace-cmd reads the symbols of its kernel in between */
/* Answers until the host says "stop" or is gone. */
int timesync_answer(struct channel *c, const char *proto, const struct sync_clock *clock,
		    struct errmsg *err);

/* --- the host ---------------------------------------------------------------------------------- */

#define TIMESYNC_SAMPLES_MAX 100000 /* of a virtual CPU */

struct timesync_config {
	int fd; /* taken: connected to the guest's port for this */
	const char *proto;
	const struct sync_clock *clock; /* needed for ptp */
	uint32_t n_cpus;		/* of the guest */
	int interval_ms;		/* 0: at both ends only */
	int guest_pid;			/* the process that runs it, for kvm */
	int stop_fd;			/* readable: give up the first samples; -1: none */
};

/* The protocols that we can offer, the best first; clock_name is the recording's, guest_pid may be -1. */
uint32_t timesync_offer(const char *clock_name, int guest_pid, const char *protos[2]);

/* Takes the first samples and goes on in a thread of its own. */
int timesync_open(struct timesync **ret_sync, const struct timesync_config *config,
		  struct errmsg *err);
/* Takes the last samples, unless the guest is gone, and ends. The samples stay until timesync_free(). */
int timesync_finish(struct timesync *s, bool is_gone, struct errmsg *err);
/* How many virtual CPUs have at least one sample each; flags for TIME_SHIFT. After timesync_finish(). */
const struct sync_cpu *timesync_samples(const struct timesync *s, uint32_t *ret_n,
					uint32_t *ret_flags);
void timesync_free(struct timesync *s);

/* --- kvm, see timesync_kvm.c ------------------------------------------------------------------- */

/* What the host's kernel says about a virtual CPU. dir NULL: /sys/kernel/debug/kvm. */
int timesync_read_kvm(const char *dir, int guest_pid, uint32_t vcpu, struct sync_sample *ret);

#endif
