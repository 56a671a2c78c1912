// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_listen.c - `sonde listen`: receives the traces of other machines.
 *
 * wire/receive.h receives the traces; service.h handles sockets, keys, signals and the background
 * process. This file has the options, and the log of clients, their addresses and the stored data.
 * Nothing is recorded on this machine itself.
 */
#include "base/files/outplace.h"
#include "base/scope.h"
#include "cli/command.h"
#include "cli/record/service.h"
#include "wire/netkey.h"
#include "wire/receive.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CLIENTS_DEFAULT 16
#define TIMEOUT_DEFAULT 15

struct listen_options {
	struct service_options s;
	const char *dir, *name, *log;
	bool verbose;
	long long max_clients, max_size_mb, timeout_s;
};

static int apply_verbose(void *opts, const char *value, struct errmsg *err)
{
	((struct listen_options *)opts)->verbose = true;
	return 0;
}

static const struct option_row rows[] = {
	ROW_STRING('p', "port", "PORT", "listen on this port; 0: any free port",
		   offsetof(struct listen_options, s.port)),
	ROW_FLAG('V', "vsock", "listen on a vsock port, for the guests of this machine",
		 offsetof(struct listen_options, s.vsock)),
	ROW_STRING('d', "dir", "DIR",
		   "write the traces to this directory (default: the current one)",
		   offsetof(struct listen_options, dir), .complete = "dir"),
	ROW_STRING('o', "output", "NAME",
		   "name the files NAME.HOST:PORT.dat (default: trace.HOST:PORT.dat)",
		   offsetof(struct listen_options, name)),
	ROW_STRING('l', "log", "FILE", "write messages to this file, not to the terminal",
		   offsetof(struct listen_options, log), .complete = "file"),
	ROW_FLAG('D', "daemon", "run in the background", offsetof(struct listen_options, s.daemon)),
	ROW_FLAG(0, "once", "exit after the first client", offsetof(struct listen_options, s.once)),
	ROW_CALL(0, "verbose", "LEVEL", "print more messages", apply_verbose, .arg_optional = true),
	ROW_FLAG(0, "debug", "serve one client at a time, in one process",
		 offsetof(struct listen_options, s.debug)),
	ROW_HEADING("who may connect"),
	ROW_STRING(0, "bind", "ADDR", "listen on this address of the machine",
		   offsetof(struct listen_options, s.bind)),
	ROW_FLAG(0, "public", "listen on all addresses (default: on loopback only)",
		 offsetof(struct listen_options, s.public)),
	ROW_STRING(0, "key", "FILE",
		   "accept only peers with the same key; trace-cmd cannot connect then",
		   offsetof(struct listen_options, s.key), .complete = "file"),
	ROW_NUMBER(0, "max-clients", "N", "serve at most N clients at once (default: 16)",
		   offsetof(struct listen_options, max_clients)),
	ROW_NUMBER(0, "max-size", "MB",
		   "accept at most MB megabytes from each client (default: no limit)",
		   offsetof(struct listen_options, max_size_mb)),
	ROW_NUMBER(0, "timeout", "SECONDS",
		   "drop a client that does not respond for this long (default: 15)",
		   offsetof(struct listen_options, timeout_s)),
	ROW_END,
};

struct listener {
	struct listen_options o;
	struct receive_config config;
	struct receiver *receiver;
	FILE *log;
	bool stamp; /* a log that is read later needs the time */
};

/* Writes a line with one write, so that lines of several clients do not mix. */
static void log_line(void *ctx, enum receive_level level, const char *text)
{
	const struct listener *l = ctx;
	char line[1600], when[32] = "";
	time_t now = time(NULL);
	struct tm tm;

	if (level == RECEIVE_DETAIL && !l->o.verbose && !l->o.s.debug)
		return;
	if (l->stamp && localtime_r(&now, &tm))
		strftime(when, sizeof(when), "%F %T ", &tm);
	snprintf(line, sizeof(line), "%ssonde: %s\n", when, text);
	fputs(line, l->log);
	fflush(l->log);
}

static int check_options(struct listen_options *o, int n, char **argv, struct errmsg *err)
{
	if (n)
		return errmsg_set(err, -EINVAL, "listen: '%s' is one word too many", argv[1]);
	if (!o->s.port)
		return errmsg_set(err, -EINVAL,
				  "listen: name a port with -p, or -p 0 for any that is free");
	if (o->s.vsock && (o->s.bind || o->s.public))
		return errmsg_set(err, -EINVAL, "listen: a vsock has no addresses: leave out %s",
				  o->s.bind ? "--bind" : "--public");
	if (o->max_clients < 1 || o->max_clients > 256)
		return errmsg_set(err, -EINVAL, "listen: --max-clients is 1 to 256");
	if (o->timeout_s < 1 || o->timeout_s > 3600)
		return errmsg_set(err, -EINVAL, "listen: --timeout is 1 to 3600 seconds");
	if (o->max_size_mb < 0 || o->max_size_mb > 1LL << 40)
		return errmsg_set(err, -EINVAL, "listen: --max-size is a number of megabytes");
	if (strchr(o->name, '/'))
		return errmsg_set(err, -EINVAL,
				  "listen: '%s' has a slash: name the directory with -d", o->name);
	return service_check("listen", &o->s, err);
}

static int open_log(struct listener *l, struct errmsg *err)
{
	int fd;

	l->log = stderr;
	if (!l->o.log)
		return 0;
	l->stamp = true;
	fd = outplace_open_file(l->o.log, OUTPLACE_APPEND, err);
	TRY(fd);
	l->log = fdopen(fd, "a");
	return l->log ? 0 : errmsg_set_errno(err, -errno, "cannot write %s", l->o.log);
}

/* --- the service ------------------------------------------------------------------------------ */

static int service_open(void *ctx, int stop_fd, struct errmsg *err)
{
	struct listener *l = ctx;

	l->config.stop_fd = stop_fd;
	return receiver_open(&l->receiver, &l->config, err);
}

static bool service_address(void *ctx, int index, struct netaddr *ret)
{
	return receiver_address(((struct listener *)ctx)->receiver, index, ret);
}

static int service_serve(void *ctx, struct errmsg *err)
{
	return receiver_run(((struct listener *)ctx)->receiver, err);
}

static void service_close(void *ctx)
{
	receiver_free(((struct listener *)ctx)->receiver);
}

static void service_say(void *ctx, const char *text)
{
	log_line(ctx, RECEIVE_INFO, text);
}

static int serve(struct listener *l, struct errmsg *err)
{
	const char *danger =
		"anyone who reaches this port can send traces; --key FILE requires a key";
	struct service service = {.options = &l->o.s,
				  .ctx = l,
				  .open = service_open,
				  .address = service_address,
				  .run = service_serve,
				  .close = service_close,
				  .say = service_say,
				  .danger = l->o.s.vsock ? NULL : danger};

	return service_run(&service, err);
}

static int listen_with(struct listener *l, struct errmsg *err)
{
	struct netkey key;
	SCOPED(scope_free) char *dir = NULL;

	if ((l->o.s.key && netkey_open(&key, l->o.s.key, err) < 0) ||
	    outplace_find_dir(l->o.dir, &dir, err) < 0)
		return errmsg_code(err);

	l->config = (struct receive_config){.bind = service_bind(&l->o.s),
					    .port = l->o.s.port,
					    .vsock = l->o.s.vsock,
					    .dir = dir,
					    .name = l->o.name,
					    .key = l->o.s.key ? &key : NULL,
					    .max_clients = l->o.max_clients,
					    .max_bytes = (uint64_t)l->o.max_size_mb << 20,
					    .timeout_s = l->o.timeout_s,
					    .once = l->o.s.once,
					    .serial = l->o.s.debug,
					    .log = log_line,
					    .log_ctx = l};
	return serve(l, err);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct listener l = {.o = {.dir = ".",
				   .name = "trace",
				   .max_clients = CLIENTS_DEFAULT,
				   .timeout_s = TIMEOUT_DEFAULT}};
	int n = command_parse(cmd, &l.o, argc, argv, err), r;

	TRY(n);
	if (check_options(&l.o, n, argv, err) < 0 || open_log(&l, err) < 0)
		return errmsg_code(err);
	r = listen_with(&l, err);
	if (l.log && l.log != stderr)
		fclose(l.log);
	return r;
}

const struct command cmd_listen = {
	.name = "listen",
	.summary = "receive traces from other machines",
	.usage = "-p PORT [options]",
	.options = rows,
	.run = run,
};
