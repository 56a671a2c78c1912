/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reception_int.h - one client of a receiver: declarations that receive.c, reception.c and intake.c
 * share.
 */
#ifndef SONDE_WIRE_RECEPTION_INT_H
#define SONDE_WIRE_RECEPTION_INT_H

#include "wire/channel.h"
#include "wire/collect.h"
#include "wire/netkey.h"
#include "wire/receive.h"

/*
 * --- intake.c: the connections that carry pages -------------------------------------------------
 */

struct intake;

struct intake_config {
	enum transport transport;
	uint32_t n_cpus;
	struct netaddr local, peer; /* addresses of the control connection */
	int timeout_s;
	const struct netkey_session *key; /* NULL: none */
	bool endless; /* connections are not closed at the end: pipes of a guest */
};

/* Opens a port for each CPU. */
int intake_open(struct intake **ret_intake, const struct intake_config *config,
		uint32_t ports[MESSAGE_CPUS_MAX], struct errmsg *err);
/* Like intake_open(), with existing connections, one for each CPU. Takes ownership. */
int intake_open_connected(struct intake **ret_intake, const struct intake_config *config,
			  const int *fds, struct errmsg *err);
/* Starts the threads that read the connections into the collector. */
int intake_start(struct intake *in, struct collector *collector, struct errmsg *err);
/* Returns 0, or the error of collector_add_bytes() that stopped it. Thread-safe. */
int intake_failure(const struct intake *in);
/* Reads the data on its way (all of it if the client closed in order) and stops. */
void intake_finish(struct intake *in, bool in_order);
/* Returns the number of datagrams that did not fit into the socket's buffer. */
uint64_t intake_dropped(const struct intake *in);
/* Returns the number of refused connections. */
uint64_t intake_strangers(const struct intake *in);
void intake_free(struct intake *in);

/*
 * --- reception.c ---------------------------------------------------------------------------------
 */

/*
 * The result of a session; also the exit status of its process, so the values differ from
 * EXIT_USAGE.
 */
enum session_result {
	SESSION_WHOLE,	 /* the file has everything that the client sent */
	SESSION_NONE,	 /* there is no file */
	SESSION_CUT = 3, /* the file has the data before a failure; the log has the reason */
};

/* Serves the client on fd until it has ended. Takes ownership of fd. */
enum session_result session_run(const struct receive_config *config, int fd, int stop_fd);

#endif
