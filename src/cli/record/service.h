/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service.h - what the commands share that wait for other machines: listen and agent.
 *
 * The command fills the options and says how to open, run and close; service_run() does the rest:
 * signals, the lines about where it listens, the background.
 */
#ifndef SONDE_CLI_RECORD_SERVICE_H
#define SONDE_CLI_RECORD_SERVICE_H

#include <stdbool.h>

struct errmsg;
struct netaddr;

struct service_options {
	const char *port, *bind, *key;
	bool vsock, daemon, debug, public, once;
};

struct service {
	const struct service_options *options;
	void *ctx;
	/* Takes the ports. stop_fd is readable when it shall end. */
	int (*open)(void *ctx, int stop_fd, struct errmsg *err);
	/* The next address on which it listens; false: no more. */
	bool (*address)(void *ctx, int index, struct netaddr *ret);
	/* Until it is over. What it returns is the command's. */
	int (*run)(void *ctx, struct errmsg *err);
	void (*close)(void *ctx);
	/* One line without newline. */
	void (*say)(void *ctx, const char *text);
	const char *danger; /* what who can connect can do, as a sentence; NULL: need not be said */
};

/* Refuses options that exclude each other. */
int service_check(const char *command, const struct service_options *o, struct errmsg *err);
/* Where to listen, for netaddr_listen(). */
const char *service_bind(const struct service_options *o);
int service_run(const struct service *s, struct errmsg *err);

#endif
