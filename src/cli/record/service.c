// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * service.c - the common part of commands that wait for clients.
 *
 *	signals to a descriptor ─ [background] ─ open ─ tell where ─ run ─ close
 *
 * Signals are taken as a descriptor (signalfd), which run() waits for together with its peers: at
 * any time, a signal makes a session finish its file. In the background, the first process ends
 * when the ports are open, so its exit status shows whether that failed.
 */
#include "cli/record/service.h"

#include "base/errmsg.h"
#include "cli/record/background.h"
#include "wire/netaddr.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static bool is_port(const char *text, bool vsock)
{
	size_t len = strlen(text);

	return len && len <= 10 && strspn(text, "0123456789") == len &&
	       strtoull(text, NULL, 10) <= (vsock ? UINT32_MAX : UINT16_MAX);
}

int service_check(const char *command, const struct service_options *o, struct errmsg *err)
{
	if (!is_port(o->port, o->vsock))
		return errmsg_set(err, -EINVAL, "%s: '%s' is not a port (-p): a number up to %u",
				  command, o->port, o->vsock ? UINT32_MAX : UINT16_MAX);
	if (o->bind && o->public)
		return errmsg_set(err, -EINVAL, "%s: --public is every address, --bind one",
				  command);
	if (o->daemon && o->debug)
		return errmsg_set(err, -EINVAL, "%s: --debug stays in the foreground, -D not",
				  command);
	return 0;
}

const char *service_bind(const struct service_options *o)
{
	return o->public ? "*" : o->bind;
}

static int catch_signals(struct errmsg *err)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? errmsg_set_errno(err, -errno, "cannot wait for signals") : fd;
}

static void tell_addresses(const struct service *s)
{
	char text[NETADDR_TEXT_BYTES + 32], where[NETADDR_TEXT_BYTES];
	bool loopback = true;
	struct netaddr at;

	for (int i = 0; s->address(s->ctx, i, &at); i++) {
		netaddr_fmt(&at, where);
		snprintf(text, sizeof(text), "listening on %s", where);
		s->say(s->ctx, text);
		loopback &= netaddr_is_loopback(&at);
	}
	if (loopback)
		s->say(s->ctx,
		       "only this machine can connect; --public or --bind ADDR lets others in");
	else if (!s->options->key && s->danger)
		s->say(s->ctx, s->danger);
}

static int serve(const struct service *s, int stop_fd, struct background *bg, struct errmsg *err)
{
	int r = s->open(s->ctx, stop_fd, err);

	if (r < 0)
		return r;
	tell_addresses(s);
	if (bg) {
		printf("process %d\n", (int)getpid());
		background_ready(bg);
	}
	r = s->run(s->ctx, err);
	s->close(s->ctx);
	return r;
}

int service_run(const struct service *s, struct errmsg *err)
{
	struct background bg;
	bool daemon = s->options->daemon;
	int status, stop_fd, r = daemon ? background_start(&bg, NULL, &status, err) : 0;

	if (r)
		return r < 0 ? r : status;
	stop_fd = catch_signals(err);
	r = stop_fd < 0 ? stop_fd : serve(s, stop_fd, daemon ? &bg : NULL, err);
	if (stop_fd >= 0)
		close(stop_fd);
	if (daemon)
		background_end(&bg);
	return r;
}
