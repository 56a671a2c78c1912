/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest.h - the host's side of recording a guest through its agent (`sonde agent`, `trace-cmd agent`).
 *
 *	guest_open       asked, answered; the clocks compared; what is known about its kernel is here
 *	guest_start      its events come, into a file of its own
 *	guest_finish     told to stop; the file has its name, and in it how its time relates to ours
 *
 * Several guests are recorded at once by opening all, then starting all.
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
	const char *fifos; /* the guest's name, if its pipes may be used; NULL: sockets only */
	int stop_fd;	   /* readable: give up before it has begun; -1: none */
	/* time sync */
	const struct sync_clock *clock; /* NULL: none */
	const char *clock_name;
	int interval_ms; /* 0: at both ends; negative: no time sync */
	int pid;	 /* of the process that runs the guest, -1: not known */
};

struct guest_result {
	uint64_t trace_id, n_bytes;
	uint32_t n_cpus;
	const char *sync; /* the protocol, NULL: times cannot be compared */
};

int guest_open(struct guest **ret_guest, const struct guest_config *config, struct errmsg *err);
int guest_start(struct guest *g, struct errmsg *err);
/* 0 while it records; else what is wrong. */
int guest_check(struct guest *g, struct errmsg *err);
/* Frees g. What came is kept whatever happened; then it returns why it is not all. */
int guest_finish(struct guest *g, struct guest_result *ret, struct errmsg *err);
void guest_free(struct guest *g);

#endif
