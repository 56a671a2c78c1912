/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest.h - the host's side of recording a guest through its agent (`sonde agent`, `trace-cmd
 * agent`).
 *
 *	guest_open       request and answer; the clocks are compared; the metadata of its kernel is here
 *	guest_start      its events arrive, in a separate file
 *	guest_finish     ends the recording; the file has its name, and the relation of its time to ours
 *
 * To record several guests at once, open all, then start all.
 */
#ifndef SONDE_WIRE_GUEST_GUEST_H
#define SONDE_WIRE_GUEST_GUEST_H

#include "wire/netaddr.h"
#include "wire/sync/timesync.h"

struct errmsg;
struct guest;
struct netkey;

struct guest_config {
	const char *host, *port;  /* for vsock: CID and port */
	enum transport transport; /* TCP or vsock */
	const char *const *args;  /* of record, for the agent */
	uint32_t n_args;
	uint64_t trace_id; /* of the host's trace */
	const char *path;  /* where the guest's trace goes */
	const struct netkey *key;
	const char *fifos; /* the guest's name, if its pipes may be used; NULL: only sockets */
	int stop_fd;	   /* readable: cancel before the start; -1: none */
	/* time sync */
	const struct sync_clock *clock; /* NULL: none */
	const char *clock_name;
	int interval_ms; /* 0: at start and end; negative: no time sync */
	int pid;	 /* of the process that runs the guest; -1: unknown */
};

struct guest_result {
	uint64_t trace_id, n_bytes;
	uint32_t n_cpus;
	const char *sync; /* the protocol; NULL: times cannot be compared */
};

int guest_open(struct guest **ret_guest, const struct guest_config *config, struct errmsg *err);
int guest_start(struct guest *g, struct errmsg *err);
/* Returns 0 while it records; else the error. */
int guest_check(struct guest *g, struct errmsg *err);
/* Frees g. Received data is always kept; returns why it is incomplete. */
int guest_finish(struct guest *g, struct guest_result *ret, struct errmsg *err);
void guest_free(struct guest *g);

#endif
