// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_listen.c - `sonde listen`: takes in the traces of other machines.
 *
 * The work is done by serve/receive.h; here are the options, the log and the signals. Signals are taken
 * as a descriptor (signalfd), which the receiver waits for together with its clients: whatever the
 * moment, they are told to finish their files.
 */
#include "cli/command.h"
#include "serve/netkey.h"
#include "serve/receive.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define CLIENTS_DEFAULT 16
#define TIMEOUT_DEFAULT 15

struct listen_options {
	const char *port, *dir, *name, *log, *bind, *key;
	bool vsock, daemon, debug, verbose, public, once;
	long long max_clients, max_size_mb, timeout_s;
};

static int apply_verbose(void *opts, const char *value, struct errmsg *err)
{
	((struct listen_options *)opts)->verbose = true;
	return 0;
}

static const struct option_row rows[] = {
	{OPTION_STRING, 'p', "port", "PORT", "listen on this port; 0: any that is free",
	 offsetof(struct listen_options, port)},
	{OPTION_FLAG, 'V', "vsock", NULL, "listen on a vsock port, for the guests of this machine",
	 offsetof(struct listen_options, vsock)},
	{OPTION_STRING, 'd', "dir", "DIR", "write the traces here (default: the current directory)",
	 offsetof(struct listen_options, dir), .complete = "dir"},
	{OPTION_STRING, 'o', "output", "NAME",
	 "name them NAME.HOST:PORT.dat (default: trace.HOST:PORT.dat)",
	 offsetof(struct listen_options, name)},
	{OPTION_STRING, 'l', "log", "FILE", "write messages to this file, not to the terminal",
	 offsetof(struct listen_options, log), .complete = "file"},
	{OPTION_FLAG, 'D', "daemon", NULL, "go on in the background",
	 offsetof(struct listen_options, daemon)},
	{OPTION_FLAG, 0, "once", NULL, "end after the first client",
	 offsetof(struct listen_options, once)},
	{OPTION_CALL, 0, "verbose", "LEVEL", "say more", .apply = apply_verbose,
	 .arg_optional = true},
	{OPTION_FLAG, 0, "debug", NULL, "serve one client after the other, in one process",
	 offsetof(struct listen_options, debug)},
	{OPTION_HEADING, .help = "Who may connect"},
	{OPTION_STRING, 0, "bind", "ADDR", "listen on this address of the machine",
	 offsetof(struct listen_options, bind)},
	{OPTION_FLAG, 0, "public", NULL, "listen on all addresses (default: on loopback only)",
	 offsetof(struct listen_options, public)},
	{OPTION_STRING, 0, "key", "FILE", "only who has the same key; this excludes trace-cmd",
	 offsetof(struct listen_options, key), .complete = "file"},
	{OPTION_NUMBER, 0, "max-clients", "N", "so many at once (default: 16)",
	 offsetof(struct listen_options, max_clients)},
	{OPTION_NUMBER, 0, "max-size", "MB", "take so much of each client (default: no limit)",
	 offsetof(struct listen_options, max_size_mb)},
	{OPTION_NUMBER, 0, "timeout", "SECONDS",
	 "a client that is unreachable for so long is gone (default: 15)",
	 offsetof(struct listen_options, timeout_s)},
	{OPTION_END},
};

struct listener {
	struct listen_options o;
	FILE *log;
	bool stamp; /* a log that is read later needs the time */
};

/* One write for a line, so that lines of several clients do not mix. */
static void log_line(void *ctx, enum receive_level level, const char *text)
{
	const struct listener *l = ctx;
	char line[1600], when[32] = "";
	time_t now = time(NULL);
	struct tm tm;

	if (level == RECEIVE_DETAIL && !l->o.verbose && !l->o.debug)
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
	if (!o->port)
		return errmsg_set(err, -EINVAL,
				  "listen: name a port with -p, or -p 0 for any that is free");
	if (o->bind && o->public)
		return errmsg_set(err, -EINVAL, "listen: --public is every address, --bind one");
	if (o->vsock && (o->bind || o->public))
		return errmsg_set(err, -EINVAL, "listen: a vsock has no addresses: leave out %s",
				  o->bind ? "--bind" : "--public");
	if (o->max_clients < 1 || o->max_clients > 256)
		return errmsg_set(err, -EINVAL, "listen: --max-clients is 1 to 256");
	if (o->timeout_s < 1 || o->timeout_s > 3600)
		return errmsg_set(err, -EINVAL, "listen: --timeout is 1 to 3600 seconds");
	if (o->max_size_mb < 0 || o->max_size_mb > 1ll << 40)
		return errmsg_set(err, -EINVAL, "listen: --max-size is a number of megabytes");
	if (o->daemon && o->debug)
		return errmsg_set(err, -EINVAL, "listen: --debug stays in the foreground, -D not");
	if (strchr(o->name, '/'))
		return errmsg_set(err, -EINVAL,
				  "listen: '%s' has a slash: name the directory with -d", o->name);
	return 0;
}

static int open_log(struct listener *l, struct errmsg *err)
{
	l->log = stderr;
	if (!l->o.log)
		return 0;
	l->log = fopen(l->o.log, "ae");
	l->stamp = true;
	return l->log ? 0 : errmsg_set_errno(err, -errno, "cannot write %s", l->o.log);
}

/* Where traces go must not depend on where a daemon stands. */
static int find_dir(const char *dir, char **ret, struct errmsg *err)
{
	*ret = realpath(dir, NULL);
	if (!*ret)
		return errmsg_set_errno(err, -errno, "cannot write to %s", dir);
	if (access(*ret, W_OK | X_OK) < 0) {
		free(*ret);
		return errmsg_set_errno(err, -errno, "cannot write to %s", dir);
	}
	return 0;
}

static int catch_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void tell_addresses(struct listener *l, const struct receiver *r)
{
	char text[NETADDR_TEXT_BYTES + 80], where[NETADDR_TEXT_BYTES];
	bool loopback = true;
	struct netaddr a;

	for (int i = 0; receiver_address(r, i, &a); i++) {
		netaddr_fmt(&a, where);
		snprintf(text, sizeof(text), "listening on %s", where);
		log_line(l, RECEIVE_INFO, text);
		loopback &= netaddr_is_loopback(&a);
	}
	if (loopback)
		log_line(l, RECEIVE_INFO,
			 "only this machine can connect; --public or --bind ADDR lets others in");
	else if (!l->o.key && !l->o.vsock)
		log_line(l, RECEIVE_INFO,
			 "whoever reaches this port can send traces; --key FILE asks for a key");
}

static int go_to_background(struct listener *l, struct errmsg *err)
{
	pid_t pid = fork();
	int null;

	if (pid < 0)
		return errmsg_set_errno(err, -errno, "cannot go to the background");
	if (pid) {
		printf("process %d\n", (int)pid);
		fflush(stdout);
		_exit(0);
	}
	setsid();
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int i = 0; null >= 0 && i < 3; i++)
		dup2(null, i);
	return 0;
}

static int serve(struct listener *l, const struct receive_config *config, struct errmsg *err)
{
	struct receiver *receiver;
	int r = receiver_open(&receiver, config, err);

	if (r < 0)
		return r;
	tell_addresses(l, receiver);
	if (l->o.daemon)
		r = go_to_background(l, err);
	if (!r)
		r = receiver_run(receiver, err);
	receiver_free(receiver);
	return r;
}

static int listen_with(struct listener *l, struct errmsg *err)
{
	struct netkey key;
	struct receive_config config = {.bind = l->o.public ? "*" : l->o.bind,
					.port = l->o.port,
					.vsock = l->o.vsock,
					.name = l->o.name,
					.key = l->o.key ? &key : NULL,
					.max_clients = l->o.max_clients,
					.max_bytes = (uint64_t)l->o.max_size_mb << 20,
					.timeout_s = l->o.timeout_s,
					.once = l->o.once,
					.serial = l->o.debug,
					.log = log_line,
					.log_ctx = l};
	char *dir = NULL;
	int r = l->o.key ? netkey_open(&key, l->o.key, err) : 0;

	if (!r)
		r = find_dir(l->o.dir, &dir, err);
	if (!r) {
		config.dir = dir;
		config.stop_fd = catch_signals();
		r = config.stop_fd < 0 ? errmsg_set_errno(err, -errno, "cannot wait for signals")
				       : serve(l, &config, err);
		if (config.stop_fd >= 0)
			close(config.stop_fd);
	}
	free(dir);
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct listener l = {.o = {.dir = ".",
				   .name = "trace",
				   .max_clients = CLIENTS_DEFAULT,
				   .timeout_s = TIMEOUT_DEFAULT}};
	int r = command_parse(cmd, &l.o, argc, argv, err);

	if (r < 0)
		return r;
	r = check_options(&l.o, r, argv, err);
	if (!r)
		r = open_log(&l, err);
	if (!r)
		r = listen_with(&l, err);
	if (l.log && l.log != stderr)
		fclose(l.log);
	return r;
}

const struct command cmd_listen = {
	.name = "listen",
	.summary = "receive the traces of other machines",
	.usage = "-p PORT [options]",
	.options = rows,
	.run = run,
};
