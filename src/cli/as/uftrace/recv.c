// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recv.c - `uftrace recv`: stores the recordings that `record --host` sends.
 *
 * They become directories in that of -d (default: uftrace.data), with the name that the sender
 * gives. It listens on loopback; --host ADDRESS listens there instead, --host '*' everywhere.
 * SIGINT and SIGTERM end it. --run-cmd runs a program, without a shell, after each recording.
 */
#include "base/errmsg.h"
#include "base/files/caller.h"
#include "cli/as/uftrace/uftrace.h"
#include "store/uftrace/newdir.h"
#include "wire/netaddr.h"
#include "wire/uftrace/uftreceive.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMMAND_WORDS_MAX 256

/* In the directory of -d, as uftrace does. */
static void run_command(void *ctx, const char *path)
{
	const struct uft_opts *o = ctx;
	char *words[COMMAND_WORDS_MAX + 1] = {0};
	char *text = o->run_cmd ? strdup(o->run_cmd) : NULL, *rest = text, *word;
	size_t n = 0;
	pid_t pid;

	(void)path;
	while ((word = rest ? strsep(&rest, " ") : NULL))
		if (*word && n < COMMAND_WORDS_MAX)
			words[n++] = word;
	pid = n ? fork() : -1;
	if (!pid) {
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		if (chdir(o->dir) == 0)
			execvp(words[0], words);
		uft_fail(o, "cannot run '%s': %s", words[0], strerror(errno));
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(text);
}

static void tell_failure(void *ctx, const char *sentence)
{
	uft_warn(ctx, "%s", sentence);
}

static int make_stop(void)
{
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	return signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
}

int uft_recv(struct uft_opts *o, int argc, char **argv)
{
	int fds[NETADDR_LISTEN_MAX], n, r;
	struct uftreceive_config config = {
		.dir = o->dir, .fds = fds, .ctx = o, .done = run_command, .fail = tell_failure};
	struct errmsg err = {0};
	char port[16];

	(void)argc;
	(void)argv;
	if (caller_become() < 0) {
		uft_fail(o, "cannot write as the calling user");
		return 1;
	}
	snprintf(port, sizeof(port), "%d", o->port);
	n = netaddr_listen(o->host, port, fds, &err);
	r = n < 0 ? n : uftdir_make(o->dir, false, &err);
	if (r >= 0) {
		close(r);
		config.n_fds = (size_t)n;
		config.stop = make_stop();
		r = uftreceive_run(&config, &err);
		close(config.stop);
	}
	for (int i = 0; i < n; i++)
		close(fds[i]);
	if (r >= 0)
		return 0;
	uft_fail(o, "%s", err.text);
	return 1;
}
