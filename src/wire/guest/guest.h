/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest.h - the host's side of recording a guest through its agent (`sonde agent`, `trace-cmd
 * agent`).
 *
 *	guest_open       sends the request, compares the clocks, receives the metadata of the
 *	                 guest's kernel
 *	guest_start      starts to write the guest's events into a separate file
 *	guest_finish     ends the recording; the file has its name, and the relation of the two
 *	                 clocks
 *
 * To record several guests at once, open all, then start all.
 */
#ifndef SONDE_WIRE_GUEST_GUEST_H
#define SONDE_WIRE_GUEST_GUEST_H

#include "base/scope.h"
#include "wire/netaddr.h"
#include "wire/sync/timesync.h"

struct errmsg;
struct guest;
struct netkey;

struct guest_config {
	const char *host, *port;  /* for vsock: CID and port */
	enum transport transport; /* TCP or vsock */
	const char *const *args;  /* arguments of record, for the agent */
	uint32_t n_args;
	uint64_t trace_id; /* id of the host's trace */
	const char *path;  /* file for the guest's trace */
	const struct netkey *key;
	const char *fifos; /* the guest's name, if its pipes may be used; NULL: only sockets */
	int stop_fd;	   /* readable: cancel before the start; -1: none */
	/* time sync */
	const struct sync_clock *clock; /* NULL: no time sync */
	const char *clock_name;
	int interval_ms; /* interval of samples; 0: only at start and end; negative: no time sync */
	int pid;	 /* pid of the process that runs the guest; -1: unknown */
};

struct guest_result {
	uint64_t trace_id, n_bytes;
	uint32_t n_cpus;
	const char *sync; /* protocol of time sync; NULL: times cannot be compared */
};

int guest_open(struct guest **ret_guest, const struct guest_config *config, struct errmsg *err);
int guest_start(struct guest *g, struct errmsg *err);
/* Returns 0 while the guest records, else the error. */
int guest_check(struct guest *g, struct errmsg *err);
/*
 * Ends the recording and frees g. Received data is always kept. Returns an error if it is
 * incomplete.
 */
int guest_finish(struct guest *g, struct guest_result *ret, struct errmsg *err);
void guest_free(struct guest *g);
SCOPED_POINTER(struct guest, guest_free)

#endif
