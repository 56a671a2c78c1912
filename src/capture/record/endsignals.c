// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * endsignals.c - makes signals readable from a descriptor.
 *
 * A recording waits for several events at once: its command, its threads, a signal. So the signals
 * are blocked, and signalfd() makes them readable like the others. After the first signal they are
 * no longer blocked, so that a second Ctrl-C ends the program at once.
 */
#include "capture/record/endsignals.h"

#include "base/errmsg.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void end_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGQUIT);
}

/*
 * Opens the descriptor. Signals that nohup, or a shell that runs us in the background, ignores stay
 * ignored. But SIGINT ends a recording, also in a script, whose shell ignores it for commands
 * started with '&'.
 */
int endsignals_open(int *ret_fd, struct errmsg *err)
{
	sigset_t set;
	int fd;

	signal(SIGINT, SIG_DFL);
	end_signals(&set);
	for (int sig = 1; sig < 32; sig++) {
		struct sigaction old;

		if (sigismember(&set, sig) && !sigaction(sig, NULL, &old) &&
		    old.sa_handler == SIG_IGN)
			sigdelset(&set, sig);
	}
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return errmsg_set_errno(err, -errno, "cannot wait for signals");
	*ret_fd = fd;
	return 0;
}

int endsignals_take(int fd, pid_t command)
{
	struct signalfd_siginfo info;
	sigset_t set;
	int sig = 0;

	if (read(fd, &info, sizeof(info)) == sizeof(info)) {
		bool is_ours = info.ssi_code == SI_QUEUE && info.ssi_pid == (uint32_t)getpid();

		sig = is_ours ? ENDSIGNALS_ASKED : (int)info.ssi_signo;
		/*
		 * The terminal sends signals to all processes in the foreground, kill only to us.
		 * What we sent ourselves is not for the command.
		 */
		if (command > 0 && info.ssi_code != SI_KERNEL && !is_ours)
			kill(command, sig);
	}
	end_signals(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return sig;
}

void endsignals_raise(void)
{
	sigqueue(getpid(), SIGINT, (union sigval){0});
}

void endsignals_close(int *fd)
{
	struct signalfd_siginfo info;
	sigset_t set;

	if (*fd < 0)
		return;
	/* earlier signals have had their effect */
	while (read(*fd, &info, sizeof(info)) == sizeof(info))
		;
	close(*fd);
	*fd = -1;
	end_signals(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}
