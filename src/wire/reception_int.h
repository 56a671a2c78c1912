/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reception_int.h - one client of a receiver: what receive.c, reception.c and intake.c share.
 */
#ifndef SONDE_WIRE_RECEPTION_INT_H
#define SONDE_WIRE_RECEPTION_INT_H

#include "wire/channel.h"
#include "wire/collect.h"
#include "wire/netkey.h"
#include "wire/receive.h"

struct session;

/*
 * --- intake.c: the connections that carry pages -------------------------------------------------
 */

struct intake;

struct intake_config {
	enum transport transport;
	uint32_t n_cpus;
	struct netaddr local, peer; /* of the control connection */
	int timeout_s;
	const struct netkey_session *key; /* NULL: none */
	bool endless; /* connections are not closed at the end: pipes of a guest */
};

/* Opens a port for each CPU. */
int intake_open(struct intake **ret_intake, const struct intake_config *config,
		uint32_t ports[MESSAGE_CPUS_MAX], struct errmsg *err);
/* The same with existing connections, one for each CPU; takes ownership. */
int intake_open_connected(struct intake **ret_intake, const struct intake_config *config,
			  const int *fds, struct errmsg *err);
/* Starts the threads that read them into the collector. */
int intake_start(struct intake *in, struct collector *collector, struct errmsg *err);
/* What stopped it: 0, or the error of collector_add_bytes(). Thread-safe. */
int intake_failure(const struct intake *in);
/* Reads the data on its way (all of it if the client closed in order) and stops. */
void intake_finish(struct intake *in, bool in_order);
/* Datagrams that did not fit into the socket's buffer. */
uint64_t intake_dropped(const struct intake *in);
/* Refused connections. */
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
	SESSION_WHOLE,	 /* a file with everything that the client sent */
	SESSION_NONE,	 /* no file */
	SESSION_CUT = 3, /* a file with the data before a failure; the log has the reason */
};

/* Serves the client on fd (takes ownership) until it is done. */
enum session_result session_run(const struct receive_config *config, int fd, int stop_fd);

#endif
